//! Parts: the 0.3 form of a part of 1.0.

use serde::de::MapAccess;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::super::rules::{Data, unwrap, wrap};
use crate::fault::At;
use crate::model::{self, Metadata, PartContent};
use crate::protojson::{Base64, Field, deserialize, readable, write_base64};

/// A part of 1.0 that is read and written as `a2a.v1.Part`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part(pub(crate) model::Part);

readable! {
    /// The members of all kinds of part.
    struct Members {
        text: Option<String> = "text" explicit,
        file: Option<File> = "file",
        data: Option<DataPart> = "data",
        metadata: Option<Metadata> = "metadata",
    }
}

readable! {
    /// A file.
    struct File {
        file_with_uri: Option<String> = "fileWithUri" explicit,
        file_with_bytes: Option<Base64> = "fileWithBytes" explicit,
        mime_type: Option<String> = "mimeType",
        name: Option<String> = "name",
    }
}

readable! {
    /// A JSON object.
    struct DataPart {
        data: Metadata = "data",
    }
}

impl File {
    fn content(self, at: At<'_>) -> (PartContent, Option<String>, Option<String>) {
        let content = match (self.file_with_bytes, self.file_with_uri) {
            (Some(Base64(bytes)), None) => PartContent::Raw(bytes),
            (None, Some(uri)) => PartContent::Url(uri),
            (Some(_), Some(uri)) => {
                at.fault("is ambiguous: fileWithBytes and fileWithUri are both set");
                PartContent::Url(uri)
            }
            (None, None) => {
                at.fault("is empty: none of fileWithBytes, fileWithUri is set");
                PartContent::Raw(Vec::new())
            }
        };
        (content, self.name, self.mime_type)
    }
}

impl Field for Part {
    const EXPECTED: &'static str = "an object";

    fn absent() -> Self {
        Self(model::Part::text(""))
    }

    fn from_object<'de, A: MapAccess<'de>>(object: A, at: At<'_>) -> Result<Self, A::Error> {
        let members = Members::from_object(object, at)?;
        let mut part = model::Part::text("");
        part.metadata = members.metadata;
        match (members.text, members.file, members.data) {
            (Some(text), None, None) => part.content = PartContent::Text(text),
            (None, Some(file), None) => {
                (part.content, part.filename, part.media_type) = file.content(at.member("file"));
            }
            (None, None, Some(data)) => {
                let (value, metadata) = unwrap(data.data, part.metadata.take());
                part.content = PartContent::Data(value);
                part.metadata = metadata;
            }
            (None, None, None) => at.fault("is empty: none of text, file, data is set"),
            _ => at.fault("is ambiguous: more than one of text, file, data is set"),
        }
        Ok(Self(part))
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let part = &self.0;
        let mut object = serializer.serialize_map(None)?;
        let mut metadata = part.metadata.as_ref();
        let wrapped;
        match &part.content {
            PartContent::Text(text) => object.serialize_entry("text", text)?,
            PartContent::Raw(_) | PartContent::Url(_) => {
                object.serialize_entry("file", &WrittenFile(part))?;
            }
            PartContent::Data(data) => match wrap(data, metadata) {
                Some(Data::Plain) => object.serialize_entry("data", &Object { data })?,
                Some(Data::Wrapped(data, marked)) => {
                    let data = data.as_raw();
                    object.serialize_entry("data", &Object { data })?;
                    wrapped = marked;
                    metadata = Some(&wrapped);
                }
                None => return Err(serde::ser::Error::custom("data is no JSON value")),
            },
        }
        if let Some(metadata) = metadata {
            object.serialize_entry("metadata", metadata)?;
        }
        object.end()
    }
}

deserialize!(Part);

/// A part's data as it is written.
#[derive(Serialize)]
struct Object<'a> {
    data: &'a serde_json::value::RawValue,
}

/// A part's file as it is written.
struct WrittenFile<'a>(&'a model::Part);

impl Serialize for WrittenFile<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        match &self.0.content {
            PartContent::Raw(bytes) => write_base64(&mut object, "fileWithBytes", bytes)?,
            PartContent::Url(uri) => object.serialize_entry("fileWithUri", uri)?,
            PartContent::Text(_) | PartContent::Data(_) => {}
        }
        if let Some(mime_type) = &self.0.media_type {
            object.serialize_entry("mimeType", mime_type)?;
        }
        if let Some(name) = &self.0.filename {
            object.serialize_entry("name", name)?;
        }
        object.end()
    }
}
