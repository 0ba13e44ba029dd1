//! The rules of translation that both JSON forms and the protocol buffers of 0.3 share.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::model::{HistoryLength, Metadata};

/// The metadata member by which implementations mark `data` that is wrapped for 0.3.
const WRAPPED: &str = "data_part_compat";
/// The member of the object that wraps it.
const VALUE: &str = "value";

/// `data` as 0.3 can hold it, which is an object, and the part's metadata with it.
pub(super) enum Data {
    /// An object.
    Plain(Metadata),
    /// Any other value: the object that wraps it, and metadata that says so.
    Wrapped(Metadata, Metadata),
}

/// Makes an object of `data` that is none.
pub(super) fn wrap(data: Box<RawValue>, metadata: Option<&Metadata>) -> Option<Data> {
    #[derive(Serialize)]
    struct Wrapper<'a> {
        value: &'a RawValue,
    }
    #[derive(Serialize)]
    struct Mark {
        #[serde(rename = "data_part_compat")]
        wrapped: bool,
    }
    match Metadata::try_from(data.clone()) {
        Ok(object) => Some(Data::Plain(object)),
        Err(_) => {
            let object = Metadata::new(&Wrapper { value: &data }).ok()?;
            let mark = Metadata::new(&Mark { wrapped: true }).ok()?;
            let metadata = match metadata {
                Some(metadata) => metadata.clone().merged(mark),
                None => mark,
            };
            Some(Data::Wrapped(object, metadata))
        }
    }
}

/// The value that an object wraps, if its metadata says so, and the metadata without that word.
pub(super) fn unwrap(
    object: Metadata,
    metadata: Option<Metadata>,
) -> (Box<RawValue>, Option<Metadata>) {
    let marked = metadata.as_ref().is_some_and(|metadata| {
        let mark = metadata.get(WRAPPED);
        mark.is_some_and(|mark| mark.get() == "true")
    });
    let value = match object.members().as_slice() {
        [(name, value)] if marked && name == VALUE => Some((*value).to_owned()),
        _ => None,
    };
    match value {
        Some(value) => (
            value,
            metadata.and_then(|metadata| metadata.without(WRAPPED)),
        ),
        None => (object.into_raw(), metadata),
    }
}

/// The history that a request asks for: 0 means all of it in 0.3, and none in 1.0.
pub(super) fn history(length: Option<HistoryLength>) -> Option<HistoryLength> {
    length.filter(|length| length.get() > 0)
}
