//! Protocol 0.3, and its translation.

mod card;
mod jsonrpc;
mod rest;

use a2a::model::{
    HistoryLength, Message, Metadata, Part, PartContent, SendMessageRequest, StreamResponse, Task,
};

/// What is left of a part on its way to 0.3 and back.
fn part(mut part: Part) -> Part {
    if matches!(part.content, PartContent::Text(_) | PartContent::Data(_)) {
        part.filename = None;
        part.media_type = None;
    }
    // Marking the data writes the metadata anew, and its mark is the only member of an empty one.
    if matches!(&part.content, PartContent::Data(data) if !data.get().starts_with('{')) {
        let empty = || Metadata::new(&serde_json::Map::new()).unwrap();
        let metadata = part.metadata.map(|metadata| metadata.merged(empty()));
        part.metadata = metadata.filter(|metadata| *metadata != empty());
    }
    part
}

fn message(mut old: Message) -> Message {
    old.parts = old.parts.into_iter().map(part).collect();
    old
}

fn task(mut old: Task) -> Task {
    old.status.message = old.status.message.map(message);
    old.history = old.history.into_iter().map(message).collect();
    for artifact in &mut old.artifacts {
        artifact.parts = std::mem::take(&mut artifact.parts)
            .into_iter()
            .map(part)
            .collect();
    }
    old
}

pub(crate) fn event(event: StreamResponse) -> StreamResponse {
    match event {
        StreamResponse::Task(old) => StreamResponse::Task(task(old)),
        StreamResponse::Message(old) => StreamResponse::Message(message(old)),
        StreamResponse::StatusUpdate(mut old) => {
            old.status.message = old.status.message.map(message);
            StreamResponse::StatusUpdate(old)
        }
        StreamResponse::ArtifactUpdate(mut old) => {
            old.artifact.parts = old.artifact.parts.into_iter().map(part).collect();
            StreamResponse::ArtifactUpdate(old)
        }
    }
}

pub(crate) fn request(mut old: SendMessageRequest) -> SendMessageRequest {
    old.message = message(old.message);
    if let Some(configuration) = &mut old.configuration {
        let length = configuration.history_length;
        configuration.history_length =
            length.filter(|length| *length != HistoryLength::new(0).unwrap());
    }
    old
}
