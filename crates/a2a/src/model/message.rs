//! Messages and their parts (A2A 1.0 §4.1.4 to §4.1.6).

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::Metadata;
use crate::fault::At;
use crate::protojson::{
    Base64, Chosen, Field, Key, Presence, deserialize, enumeration, message, read_member,
    read_value, write_base64,
};

message! {
    /// One turn of a conversation between a user, or its agent, and an agent.
    pub struct Message {
        /// Made by the sender, unique among its messages.
        pub message_id: String = "messageId" required,
        /// The conversation that the message belongs to; opaque to clients.
        pub context_id: Option<String> = "contextId",
        /// The task that the message belongs to; made by agents only.
        pub task_id: Option<String> = "taskId",
        /// Who sent the message.
        pub role: Role = "role" required,
        /// What the message says, at least one part.
        pub parts: Vec<Part> = "parts" required,
        /// Free-form data, keyed by extension URI where an extension defines it.
        pub metadata: Option<Metadata> = "metadata",
        /// URIs of the extensions that the message uses.
        pub extensions: Vec<String> = "extensions",
        /// Other tasks that the message refers to.
        pub reference_task_ids: Vec<String> = "referenceTaskIds",
    }
}

impl Message {
    /// A message of an agent, without parts.
    #[must_use]
    pub fn agent(message_id: impl Into<String>) -> Self {
        Self::new(message_id, Role::Agent)
    }

    /// A message of a user, without parts.
    #[must_use]
    pub fn user(message_id: impl Into<String>) -> Self {
        Self::new(message_id, Role::User)
    }

    /// The same message in a conversation.
    #[must_use]
    pub fn with_context_id(mut self, context_id: impl Into<String>) -> Self {
        self.context_id = Some(context_id.into());
        self
    }

    /// The same message about a task.
    #[must_use]
    pub fn with_task_id(mut self, task_id: impl Into<String>) -> Self {
        self.task_id = Some(task_id.into());
        self
    }

    /// The same message with one more part.
    #[must_use]
    pub fn with_part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    fn new(message_id: impl Into<String>, role: Role) -> Self {
        Self {
            message_id: message_id.into(),
            context_id: None,
            task_id: None,
            role,
            parts: Vec::new(),
            metadata: None,
            extensions: Vec::new(),
            reference_task_ids: Vec::new(),
        }
    }
}

enumeration! {
    /// Who sent a message.
    pub enum Role, absent Agent {
        /// The client, for its user.
        User = 1 "ROLE_USER",
        /// The agent.
        Agent = 2 "ROLE_AGENT",
    }
}

/// One piece of a message or artifact.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What the part holds.
    pub content: PartContent,
    /// Free-form data about the part.
    pub metadata: Option<Metadata>,
    /// A name for the content, such as `brochure.pdf`.
    pub filename: Option<String>,
    /// The content's media type, such as `application/json`.
    pub media_type: Option<String>,
}

/// What a part holds; told apart by the member that is present.
#[derive(Clone)]
pub enum PartContent {
    /// Text, possibly empty.
    Text(String),
    /// Bytes, base64 on the wire.
    Raw(Vec<u8>),
    /// Where the content is.
    Url(String),
    /// Any JSON value, also `null`, with the tokens that were sent.
    Data(Box<RawValue>),
}

impl Part {
    /// A part that holds text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(PartContent::Text(text.into()))
    }

    /// A part that holds bytes.
    #[must_use]
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(PartContent::Raw(bytes.into()))
    }

    /// A part whose content is at a URL.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::new(PartContent::Url(url.into()))
    }

    /// A part that holds a JSON value.
    #[must_use]
    pub fn data(value: Box<RawValue>) -> Self {
        Self::new(PartContent::Data(value))
    }

    /// The same part with a media type.
    #[must_use]
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// The same part with a file name.
    #[must_use]
    pub fn with_filename(mut self, filename: impl Into<String>) -> Self {
        self.filename = Some(filename.into());
        self
    }

    fn new(content: PartContent) -> Self {
        Self {
            content,
            metadata: None,
            filename: None,
            media_type: None,
        }
    }
}

impl PartialEq for PartContent {
    /// JSON values are equal when sent with the same text.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(left), Self::Text(right)) | (Self::Url(left), Self::Url(right)) => {
                left == right
            }
            (Self::Raw(left), Self::Raw(right)) => left == right,
            (Self::Data(left), Self::Data(right)) => left.get() == right.get(),
            _ => false,
        }
    }
}

/// Says how much there is, not what: parts carry what people wrote, and Debug ends up in logs.
impl fmt::Debug for PartContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "Text({} bytes)", text.len()),
            Self::Raw(bytes) => write!(f, "Raw({} bytes)", bytes.len()),
            Self::Url(url) => write!(f, "Url({} bytes)", url.len()),
            Self::Data(value) => write!(f, "Data({} bytes)", value.get().len()),
        }
    }
}

impl Field for Part {
    const EXPECTED: &'static str = "an object";

    fn absent() -> Self {
        Self::text("")
    }

    fn from_object<'de, A: MapAccess<'de>>(mut object: A, at: At<'_>) -> Result<Self, A::Error> {
        let mut content = Chosen::new(&["text", "raw", "url", "data"]);
        let mut metadata = None;
        let mut filename = None;
        let mut media_type = None;
        while let Some(key) = object.next_key::<Key<'de>>()? {
            match key.as_str() {
                "text" => {
                    let text = read_value::<String, A>(&mut object, at.member("text"))?;
                    content.set("text", text.map(PartContent::Text), at);
                }
                "raw" => {
                    let raw = read_value::<Base64, A>(&mut object, at.member("raw"))?;
                    content.set("raw", raw.map(|raw| PartContent::Raw(raw.0)), at);
                }
                "url" => {
                    let url = read_value::<String, A>(&mut object, at.member("url"))?;
                    content.set("url", url.map(PartContent::Url), at);
                }
                "data" => {
                    let data = read_value::<Data, A>(&mut object, at.member("data"))?;
                    content.set("data", data.map(|data| PartContent::Data(data.0)), at);
                }
                "metadata" => read_optional(&mut object, &mut metadata, at.member("metadata"))?,
                "filename" => read_optional(&mut object, &mut filename, at.member("filename"))?,
                "mediaType" | "media_type" => {
                    read_optional(&mut object, &mut media_type, at.member("mediaType"))?;
                }
                _ => {
                    object.next_value::<IgnoredAny>()?;
                }
            }
        }
        let content = content.finish(at);
        Ok(Self {
            content: content.unwrap_or_else(|| PartContent::Text(String::new())),
            metadata,
            filename,
            media_type,
        })
    }
}

fn read_optional<'de, T: Field, A: MapAccess<'de>>(
    object: &mut A,
    slot: &mut Option<T>,
    at: At<'_>,
) -> Result<(), A::Error> {
    read_member(object, slot, Presence::Implicit, at)
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        match &self.content {
            PartContent::Text(text) => object.serialize_entry("text", text)?,
            PartContent::Raw(bytes) => write_base64(&mut object, "raw", bytes)?,
            PartContent::Url(url) => object.serialize_entry("url", url)?,
            PartContent::Data(value) => object.serialize_entry("data", value)?,
        }
        if let Some(metadata) = &self.metadata {
            object.serialize_entry("metadata", metadata)?;
        }
        if let Some(filename) = &self.filename {
            object.serialize_entry("filename", filename)?;
        }
        if let Some(media_type) = &self.media_type {
            object.serialize_entry("mediaType", media_type)?;
        }
        object.end()
    }
}

deserialize!(Part);

/// A JSON value while it is read: `null` is a value here, not an absent member.
struct Data(Box<RawValue>);

impl Field for Data {
    const EXPECTED: &'static str = "a JSON value";

    fn absent() -> Self {
        Self(Box::default())
    }

    fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        _at: At<'_>,
    ) -> Result<Option<Self>, D::Error> {
        Ok(Some(Self(Box::<RawValue>::deserialize(deserializer)?)))
    }
}
