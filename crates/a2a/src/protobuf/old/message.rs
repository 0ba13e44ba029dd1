//! Messages, tasks, events and answers.

use super::super::convert::{Convert, forms, needed, public, required};
use super::super::v0_3;
use crate::fault::At;
use crate::model::{
    Artifact, Message, Metadata, Part, PartContent, SendMessageResponse, StreamResponse, Task,
    TaskArtifactUpdateEvent, TaskStatus, TaskStatusUpdateEvent,
};
use crate::protojson::Field as _;
use crate::v03::rules::{Data, unwrap, wrap};

forms! {
    Artifact = v0_3::Artifact {
        artifact_id = "artifactId" required,
        name = "name",
        description = "description",
        parts = "parts" required,
        metadata = "metadata",
        extensions = "extensions",
    }
    Task = v0_3::Task {
        id = "id" required,
        context_id = "contextId",
        status = "status" needed,
        artifacts = "artifacts",
        history = "history",
        metadata = "metadata",
    }
    TaskArtifactUpdateEvent = v0_3::TaskArtifactUpdateEvent {
        task_id = "taskId" required,
        context_id = "contextId" required,
        artifact = "artifact" needed,
        append = "append",
        last_chunk = "lastChunk",
        metadata = "metadata",
    }
}

public! {
    v0_3::Message => Message,
    v0_3::Task => Task,
    v0_3::SendMessageResponse => SendMessageResponse,
    v0_3::StreamResponse => (StreamResponse, bool),
}

impl Convert<v0_3::Message> for Message {
    fn from_wire(old: v0_3::Message, at: At<'_>) -> Self {
        Self {
            message_id: required(old.message_id, at.member("messageId")),
            context_id: Convert::from_wire(old.context_id, at),
            task_id: Convert::from_wire(old.task_id, at),
            role: required(old.role, at.member("role")),
            parts: required(old.content, at.member("content")),
            metadata: Convert::from_wire(old.metadata, at.member("metadata")),
            extensions: old.extensions,
            reference_task_ids: Vec::new(),
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::Message {
        v0_3::Message {
            message_id: self.message_id,
            context_id: self.context_id.unwrap_or_default(),
            task_id: self.task_id.unwrap_or_default(),
            role: self.role.into_wire(at),
            content: self.parts.into_wire(at.member("content")),
            metadata: self.metadata.into_wire(at.member("metadata")),
            extensions: self.extensions,
        }
    }
}

impl Convert<v0_3::Part> for Part {
    fn from_wire(old: v0_3::Part, at: At<'_>) -> Self {
        use v0_3::part::Part as Content;
        let mut part = Self::text("");
        part.metadata = Convert::from_wire(old.metadata, at.member("metadata"));
        match old.part {
            Some(Content::Text(text)) => part.content = PartContent::Text(text),
            Some(Content::File(file)) => {
                part.content = read_file(file.file, at.member("file"));
                part.filename = Convert::from_wire(file.name, at);
                part.media_type = Convert::from_wire(file.mime_type, at);
            }
            Some(Content::Data(data)) => {
                let object = data.data.unwrap_or_default();
                let object: Metadata = Convert::from_wire(object, at.member("data"));
                let (value, metadata) = unwrap(object, part.metadata.take());
                part.content = PartContent::Data(value);
                part.metadata = metadata;
            }
            None => at.fault("is empty: none of text, file, data is set"),
        }
        part
    }

    fn into_wire(self, at: At<'_>) -> v0_3::Part {
        use v0_3::file_part::File;
        use v0_3::part::Part as Content;
        let mut metadata = self.metadata;
        let file = |file| {
            Content::File(v0_3::FilePart {
                file: Some(file),
                mime_type: self.media_type.unwrap_or_default(),
                name: self.filename.unwrap_or_default(),
            })
        };
        let part = match self.content {
            PartContent::Text(text) => Content::Text(text),
            PartContent::Raw(bytes) => file(File::FileWithBytes(bytes)),
            PartContent::Url(url) => file(File::FileWithUri(url)),
            PartContent::Data(data) => {
                let object = match wrap(&data, metadata.as_ref()) {
                    Some(Data::Wrapped(object, marked)) => {
                        metadata = Some(marked);
                        Some(object)
                    }
                    Some(Data::Plain) | None => Metadata::try_from(data).ok(),
                };
                Content::Data(v0_3::DataPart {
                    data: object.into_wire(at.member("data")),
                })
            }
        };
        v0_3::Part {
            part: Some(part),
            metadata: metadata.into_wire(at.member("metadata")),
        }
    }
}

fn read_file(file: Option<v0_3::file_part::File>, at: At<'_>) -> PartContent {
    use v0_3::file_part::File;
    match file {
        Some(File::FileWithBytes(bytes)) => PartContent::Raw(bytes),
        Some(File::FileWithUri(uri)) => PartContent::Url(uri),
        None => {
            at.fault("is empty: none of fileWithBytes, fileWithUri is set");
            PartContent::Raw(Vec::new())
        }
    }
}

impl Convert<v0_3::TaskStatus> for TaskStatus {
    fn from_wire(old: v0_3::TaskStatus, at: At<'_>) -> Self {
        Self {
            // Its zero is a state of 0.3, `unknown`.
            state: Convert::from_wire(old.state, at.member("state")),
            message: Convert::from_wire(old.update, at.member("message")),
            timestamp: Convert::from_wire(old.timestamp, at.member("timestamp")),
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::TaskStatus {
        v0_3::TaskStatus {
            state: self.state.into_wire(at),
            update: self.message.into_wire(at.member("message")),
            timestamp: self.timestamp.into_wire(at),
        }
    }
}

/// A status update, and whether the stream ends with it.
impl Convert<v0_3::TaskStatusUpdateEvent> for (TaskStatusUpdateEvent, bool) {
    fn from_wire(old: v0_3::TaskStatusUpdateEvent, at: At<'_>) -> Self {
        let event = TaskStatusUpdateEvent {
            task_id: required(old.task_id, at.member("taskId")),
            context_id: required(old.context_id, at.member("contextId")),
            status: needed(old.status, at.member("status")),
            metadata: Convert::from_wire(old.metadata, at.member("metadata")),
        };
        (event, old.r#final)
    }

    fn into_wire(self, at: At<'_>) -> v0_3::TaskStatusUpdateEvent {
        let (event, is_final) = self;
        v0_3::TaskStatusUpdateEvent {
            task_id: event.task_id,
            context_id: event.context_id,
            status: Some(event.status.into_wire(at.member("status"))),
            r#final: is_final,
            metadata: event.metadata.into_wire(at.member("metadata")),
        }
    }
}

/// An event, and whether the stream ends with it.
impl Convert<v0_3::StreamResponse> for (StreamResponse, bool) {
    fn from_wire(old: v0_3::StreamResponse, at: At<'_>) -> Self {
        use v0_3::stream_response::Payload;
        match old.payload {
            Some(Payload::Task(task)) => {
                let task: Task = Convert::from_wire(task, at.member("task"));
                let ended = task.status.state.is_terminal();
                (StreamResponse::Task(task), ended)
            }
            Some(Payload::Msg(message)) => {
                let message = Convert::from_wire(message, at.member("message"));
                (StreamResponse::Message(message), true)
            }
            Some(Payload::StatusUpdate(update)) => {
                let (update, is_final) = Convert::from_wire(update, at.member("statusUpdate"));
                (StreamResponse::StatusUpdate(update), is_final)
            }
            Some(Payload::ArtifactUpdate(update)) => {
                let update = Convert::from_wire(update, at.member("artifactUpdate"));
                (StreamResponse::ArtifactUpdate(update), false)
            }
            None => {
                at.fault("is empty: none of task, message, statusUpdate, artifactUpdate is set");
                (StreamResponse::absent(), false)
            }
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::StreamResponse {
        use v0_3::stream_response::Payload;
        let (event, is_final) = self;
        let payload = match event {
            StreamResponse::Task(task) => Payload::Task(task.into_wire(at.member("task"))),
            StreamResponse::Message(message) => {
                Payload::Msg(message.into_wire(at.member("message")))
            }
            StreamResponse::StatusUpdate(update) => {
                Payload::StatusUpdate((update, is_final).into_wire(at.member("statusUpdate")))
            }
            StreamResponse::ArtifactUpdate(update) => {
                Payload::ArtifactUpdate(update.into_wire(at.member("artifactUpdate")))
            }
        };
        v0_3::StreamResponse {
            payload: Some(payload),
        }
    }
}

impl Convert<v0_3::SendMessageResponse> for SendMessageResponse {
    fn from_wire(old: v0_3::SendMessageResponse, at: At<'_>) -> Self {
        use v0_3::send_message_response::Payload;
        match old.payload {
            Some(Payload::Task(task)) => Self::Task(Convert::from_wire(task, at.member("task"))),
            Some(Payload::Msg(message)) => {
                Self::Message(Convert::from_wire(message, at.member("message")))
            }
            None => {
                at.fault("is empty: none of task, message is set");
                Self::absent()
            }
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::SendMessageResponse {
        use v0_3::send_message_response::Payload;
        let payload = match self {
            Self::Task(task) => Payload::Task(task.into_wire(at.member("task"))),
            Self::Message(message) => Payload::Msg(message.into_wire(at.member("message"))),
        };
        v0_3::SendMessageResponse {
            payload: Some(payload),
        }
    }
}
