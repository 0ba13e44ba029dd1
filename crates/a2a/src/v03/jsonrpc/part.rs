//! Parts: the 0.3 form of a part of 1.0.

use serde::de::{Deserializer, MapAccess};
use serde::ser::SerializeMap as _;
use serde::{Deserialize as _, Serialize, Serializer};
use serde_json::value::RawValue;

use super::super::rules::{Data, unwrap, wrap};
use crate::fault::{At, quoted};
use crate::model::{self, Metadata, PartContent};
use crate::protojson::{Base64, Field, deserialize, readable, write_base64};

/// A part of 1.0 that is read and written in the form of 0.3: told apart by `kind`, a file's bytes or
/// address one level down, `data` always an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part(pub(crate) model::Part);

readable! {
    /// The members of all kinds of part.
    struct Members {
        kind: Option<String> = "kind",
        old_kind: Option<OldKind> = "type",
        text: Option<String> = "text" explicit,
        file: Option<File> = "file",
        data: Option<Metadata> = "data" explicit,
        metadata: Option<Metadata> = "metadata",
    }
}

/// What drafts before 0.3 called the kind. Anything but a string is a member that nobody knows.
#[derive(Debug, Clone, PartialEq)]
struct OldKind(Option<String>);

impl Field for OldKind {
    const EXPECTED: &'static str = "a string";

    fn absent() -> Self {
        Self(None)
    }

    fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        _at: At<'_>,
    ) -> Result<Option<Self>, D::Error> {
        let found = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Some(Self(serde_json::from_str(found.get()).ok())))
    }
}

/// The content of a file part.
#[derive(Debug, Clone, PartialEq)]
struct File {
    content: PartContent,
    name: Option<String>,
    mime_type: Option<String>,
}

readable! {
    /// The members of a file.
    struct FileMembers {
        bytes: Option<Base64> = "bytes" explicit,
        uri: Option<String> = "uri" explicit,
        name: Option<String> = "name",
        mime_type: Option<String> = "mimeType",
    }
}

impl Field for File {
    const EXPECTED: &'static str = "an object";

    fn absent() -> Self {
        Self {
            content: PartContent::Raw(Vec::new()),
            name: None,
            mime_type: None,
        }
    }

    fn from_object<'de, A: MapAccess<'de>>(object: A, at: At<'_>) -> Result<Self, A::Error> {
        let members = FileMembers::from_object(object, at)?;
        let content = match (members.bytes, members.uri) {
            (Some(Base64(bytes)), None) => PartContent::Raw(bytes),
            (None, Some(uri)) => PartContent::Url(uri),
            (Some(_), Some(uri)) => {
                at.fault("is ambiguous: bytes and uri are both set");
                PartContent::Url(uri)
            }
            (None, None) => {
                at.fault("is empty: none of bytes, uri is set");
                PartContent::Raw(Vec::new())
            }
        };
        Ok(Self {
            content,
            name: members.name,
            mime_type: members.mime_type,
        })
    }
}

impl Field for Part {
    const EXPECTED: &'static str = "an object";

    fn absent() -> Self {
        Self(model::Part::text(""))
    }

    fn from_object<'de, A: MapAccess<'de>>(object: A, at: At<'_>) -> Result<Self, A::Error> {
        Ok(Self(Members::from_object(object, at)?.part(at)))
    }
}

impl Members {
    /// The part of the kind; where `kind` is missing, of its name in earlier drafts, `type`, and where that
    /// is missing too, of the member that is there.
    fn part(self, at: At<'_>) -> model::Part {
        let old_kind = || self.old_kind.and_then(|old| old.0);
        let kind = self.kind.or_else(old_kind).unwrap_or_else(|| {
            let kind = match (&self.text, &self.file, &self.data) {
                (Some(_), None, None) => "text",
                (None, Some(_), None) => "file",
                (None, None, Some(_)) => "data",
                _ => "",
            };
            kind.to_owned()
        });
        let mut part = model::Part::text("");
        match kind.as_str() {
            "text" => {
                let text = or_missing(self.text, at.member("text"));
                part.content = PartContent::Text(text);
                part.metadata = self.metadata;
            }
            "file" => {
                let file = or_missing(self.file, at.member("file"));
                part.content = file.content;
                part.filename = file.name;
                part.media_type = file.mime_type;
                part.metadata = self.metadata;
            }
            "data" => {
                let data = or_missing(self.data, at.member("data"));
                let (value, metadata) = unwrap(data, self.metadata);
                part.content = PartContent::Data(value);
                part.metadata = metadata;
            }
            "" => at.member("kind").fault("is missing"),
            other => {
                let words = format!("is {}, not one of text, file, data", quoted(other));
                at.member("kind").fault(words);
            }
        }
        part
    }
}

fn or_missing<T: Field>(member: Option<T>, at: At<'_>) -> T {
    member.unwrap_or_else(|| {
        at.fault("is missing");
        T::absent()
    })
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let part = &self.0;
        let mut object = serializer.serialize_map(None)?;
        let mut metadata = part.metadata.as_ref();
        let wrapped;
        match &part.content {
            PartContent::Text(text) => {
                object.serialize_entry("kind", "text")?;
                object.serialize_entry("text", text)?;
            }
            PartContent::Raw(_) | PartContent::Url(_) => {
                object.serialize_entry("kind", "file")?;
                object.serialize_entry("file", &WrittenFile(part))?;
            }
            PartContent::Data(data) => {
                object.serialize_entry("kind", "data")?;
                match wrap(data, metadata) {
                    Some(Data::Plain) => object.serialize_entry("data", data)?,
                    Some(Data::Wrapped(data, marked)) => {
                        object.serialize_entry("data", &data)?;
                        wrapped = marked;
                        metadata = Some(&wrapped);
                    }
                    None => return Err(serde::ser::Error::custom("data is no JSON value")),
                }
            }
        }
        if let Some(metadata) = metadata {
            object.serialize_entry("metadata", metadata)?;
        }
        object.end()
    }
}

deserialize!(Part);

/// A part's file as it is written.
struct WrittenFile<'a>(&'a model::Part);

impl Serialize for WrittenFile<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        match &self.0.content {
            PartContent::Raw(bytes) => write_base64(&mut object, "bytes", bytes)?,
            PartContent::Url(uri) => object.serialize_entry("uri", uri)?,
            PartContent::Text(_) | PartContent::Data(_) => {}
        }
        if let Some(name) = &self.0.filename {
            object.serialize_entry("name", name)?;
        }
        if let Some(mime_type) = &self.0.media_type {
            object.serialize_entry("mimeType", mime_type)?;
        }
        object.end()
    }
}
