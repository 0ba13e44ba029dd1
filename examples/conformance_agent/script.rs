//! What the kits' messages select.

use std::time::Duration;

use a2a::model::{Message, PartContent, Role};

/// One thing that the agent does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// Answers with a message of this text, without a task.
    Answer(&'static str),
    /// The task is under way.
    Working,
    /// Nothing happens for a while.
    Wait(Duration),
    /// Nothing happens until the client ends the task.
    Hold,
    /// An artifact of this content.
    Artifact(Content),
    /// A chunk of a text artifact; whether it is the last.
    Chunk(&'static str, bool),
    /// The task is completed, with a message.
    Complete(&'static str),
    /// The task waits for a message.
    AskInput,
    /// The task waits for credentials.
    AskCredentials,
    /// The agent does not take the task on.
    Reject,
    /// The task fails.
    Fail,
}

/// What an artifact holds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content {
    Text(&'static str),
    File,
    FileUrl,
    Data,
}

use Content::{Data, File, FileUrl, Text};
use Step::{
    Answer, Artifact, AskCredentials, AskInput, Chunk, Complete, Fail, Hold, Reject, Wait, Working,
};

/// Twice the time that the kits wait for an event of a stream.
const LONG: Duration = Duration::from_secs(4);

/// What a prefix selects. Work that ends without a word completes its task.
const SCRIPTS: &[(&str, &[Step])] = &[
    ("tck-complete-task", &[Complete("Hello from TCK")]),
    (
        "tck-artifact-text",
        &[Artifact(Text("Generated text content"))],
    ),
    ("tck-artifact-file", &[Artifact(File)]),
    ("tck-artifact-file-url", &[Artifact(FileUrl)]),
    ("tck-artifact-data", &[Artifact(Data)]),
    ("tck-message-response", &[Answer("Direct message response")]),
    ("tck-input-required", &[AskInput]),
    ("tck-auth-required", &[AskCredentials]),
    ("tck-reject-task", &[Reject]),
    ("tck-task-failure", &[Working, Fail]),
    ("tck-cancel", &[Working, Hold]),
    (
        "tck-stream-001",
        &[Working, Artifact(Text("Stream hello from TCK"))],
    ),
    ("tck-stream-002", &[]),
    (
        "tck-stream-003",
        &[Working, Artifact(Text("Stream task lifecycle"))],
    ),
    (
        "tck-stream-basic",
        &[Working, Artifact(Text("Streamed content"))],
    ),
    (
        "tck-stream-ordering-001",
        &[Working, Artifact(Text("Ordered output"))],
    ),
    (
        "tck-stream-artifact-text",
        &[Working, Artifact(Text("Streamed text content"))],
    ),
    ("tck-stream-artifact-file", &[Working, Artifact(File)]),
    ("tck-stream-artifact-chunked", CHUNKED),
    ("tck-stream-chunked", CHUNKED),
    (
        "tck-long-running",
        &[Working, Wait(LONG), Artifact(Text("Done at last"))],
    ),
    ("test-resubscribe-message-id", &[Working, Wait(LONG)]),
    // The kit of 0.3 expects the task under way right behind an answer that had to wait for a question.
    (
        "test-state-message-id",
        &[Working, AskInput, Working, Wait(LONG), AskInput],
    ),
    (CONVERSATION, &[AskInput]),
];

const CHUNKED: &[Step] = &[Working, Chunk("chunk-1 ", false), Chunk("chunk-2", true)];

/// Selects a task that goes on asking until it is told that this is done.
const CONVERSATION: &str = "tck-multi-turn";
/// Ends such a conversation.
const DONE: &str = "done";

/// What a message selects by its id, or else by its first text; the longest prefix counts.
pub(crate) fn selected(message: &Message) -> Option<&'static [Step]> {
    by_prefix(&message.message_id).or_else(|| by_prefix(text(message)))
}

/// What a message about a task comes to that selects nothing itself: the conversation goes on, other tasks
/// are completed.
pub(crate) fn follow_up(message: &Message, history: &[Message]) -> &'static [Step] {
    let mut users = history.iter().filter(|it| it.role == Role::User);
    let converses = users
        .next()
        .is_some_and(|first| text(first).starts_with(CONVERSATION));
    if converses && text(message).trim() != DONE {
        &[AskInput]
    } else {
        &[Complete("Thank you")]
    }
}

/// What any other message selects.
pub(crate) const OTHERWISE: &[Step] = &[Complete("Hello")];

/// What any other message of 0.3 selects: its kit expects tasks that take their time and then ask.
pub(crate) const OTHERWISE_0_3: &[Step] = &[Working, Wait(Duration::from_secs(3)), AskInput];

fn by_prefix(key: &str) -> Option<&'static [Step]> {
    let fitting = SCRIPTS.iter().filter(|(prefix, _)| key.starts_with(prefix));
    let longest = fitting.max_by_key(|(prefix, _)| prefix.len());
    longest.map(|(_, steps)| *steps)
}

fn text(message: &Message) -> &str {
    let mut texts = message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.next().unwrap_or_default()
}
