//! Events that become a task.

use a2a::fold::{Fold, Misfit};
use a2a::model::{
    Artifact, HistoryLength, Message, Metadata, Part, PartContent, StreamResponse, Task,
    TaskArtifactUpdateEvent, TaskState, TaskStatus, TaskStatusUpdateEvent,
};

use crate::raw;

fn working() -> Fold {
    Fold::new(Task::new("t", "c", TaskStatus::new(TaskState::Working)))
}

fn status(status: TaskStatus) -> TaskStatusUpdateEvent {
    TaskStatusUpdateEvent::new("t", "c", status)
}

fn chunk(id: &str, text: &str) -> TaskArtifactUpdateEvent {
    TaskArtifactUpdateEvent::new("t", "c", Artifact::new(id).with_part(Part::text(text)))
}

fn metadata(json: &str) -> Option<Metadata> {
    Some(Metadata::try_from(raw(json)).unwrap())
}

/// Each artifact as `id: texts`.
fn artifacts(fold: &Fold) -> Vec<String> {
    let artifacts = fold.task().artifacts.iter();
    artifacts
        .map(|artifact| {
            let texts: Vec<&str> = artifact
                .parts
                .iter()
                .map(|part| match &part.content {
                    PartContent::Text(text) => text.as_str(),
                    other => panic!("not a text: {other:?}"),
                })
                .collect();
            format!("{}: {}", artifact.artifact_id, texts.join("|"))
        })
        .collect()
}

#[test]
fn chunks_become_one_artifact_each() {
    let mut fold = working();
    fold.artifact(chunk("a", "1")).unwrap();
    fold.artifact(chunk("b", "x").appended()).unwrap();
    fold.artifact(chunk("a", "2").appended()).unwrap();
    fold.artifact(chunk("a", "3").appended().last()).unwrap();
    assert_eq!(artifacts(&fold), ["a: 1|2|3", "b: x"]);

    assert_eq!(
        fold.artifact(chunk("a", "4").appended()),
        Err(Misfit::Sealed("\"a\"".to_owned()))
    );
    fold.artifact(chunk("a", "new")).unwrap();
    fold.artifact(chunk("a", "more").appended()).unwrap();
    assert_eq!(artifacts(&fold), ["a: new|more", "b: x"]);
}

#[test]
fn a_chunk_adds_metadata_and_extensions() {
    let mut fold = working();
    let mut first = chunk("a", "1");
    first.artifact.metadata = metadata(r#"{"k":1.0,"l":{"x":1}}"#);
    first.artifact.extensions = vec!["urn:e".to_owned()];
    first.artifact.name = Some("Report".to_owned());
    fold.artifact(first).unwrap();
    let mut second = chunk("a", "2").appended();
    second.artifact.metadata = metadata(r#"{"m":9007199254740993,"l":null}"#);
    second.artifact.extensions = vec!["urn:e".to_owned(), "urn:f".to_owned()];
    fold.artifact(second).unwrap();
    let artifact = &fold.task().artifacts[0];
    assert_eq!(
        artifact.metadata,
        metadata(r#"{"k":1.0,"l":null,"m":9007199254740993}"#)
    );
    assert_eq!(artifact.extensions, ["urn:e", "urn:f"]);
    assert_eq!(artifact.name.as_deref(), Some("Report"));
}

#[test]
fn history_is_in_the_order_of_the_conversation() {
    let mut fold = working();
    fold.message(Message::user("m-1")).unwrap();
    let question = TaskStatus::new(TaskState::InputRequired).with_message(Message::agent("m-2"));
    fold.status(status(question)).unwrap();
    assert_eq!(
        fold.task().status.message.as_ref().unwrap().message_id,
        "m-2"
    );
    fold.message(Message::user("m-3")).unwrap();
    fold.status(status(
        TaskStatus::new(TaskState::Working).with_message(Message::agent("m-4")),
    ))
    .unwrap();
    fold.status(status(
        TaskStatus::new(TaskState::Completed).with_message(Message::agent("m-5")),
    ))
    .unwrap();
    let ids = |task: &Task| -> Vec<String> {
        let history = task.history.iter();
        history.map(|message| message.message_id.clone()).collect()
    };
    assert_eq!(ids(fold.task()), ["m-1", "m-2", "m-3", "m-4"]);

    let excerpt = |length| ids(&fold.task().excerpt(HistoryLength::new(length), true));
    assert_eq!(excerpt(2), ["m-3", "m-4"]);
    assert!(excerpt(0).is_empty());
    assert_eq!(excerpt(9).len(), 4);
    assert_eq!(ids(&fold.task().excerpt(None, false)).len(), 4);
}

#[test]
fn nothing_follows_a_terminal_state() {
    for end in [
        TaskState::Completed,
        TaskState::Failed,
        TaskState::Canceled,
        TaskState::Rejected,
    ] {
        let mut fold = working();
        fold.status(status(TaskStatus::new(end))).unwrap();
        let before = fold.task().clone();
        for next in [TaskState::Working, end] {
            let misfit = fold.status(status(TaskStatus::new(next)));
            assert_eq!(
                misfit,
                Err(Misfit::State {
                    from: end,
                    to: next
                })
            );
        }
        assert_eq!(fold.artifact(chunk("a", "late")), Err(Misfit::Ended(end)));
        assert_eq!(fold.message(Message::user("m")), Err(Misfit::Ended(end)));
        assert_eq!(fold.task(), &before);
    }
}

#[test]
fn events_of_other_tasks_do_not_fit() {
    let mut fold = working();
    let before = fold.task().clone();
    let mut event = chunk("a", "x");
    event.task_id = "u".to_owned();
    let misfit = fold.apply(StreamResponse::ArtifactUpdate(event));
    assert_eq!(
        misfit.unwrap_err().to_string(),
        r#"the event is about "u", not about "t""#
    );
    let mut event = status(TaskStatus::new(TaskState::Completed));
    event.context_id = "d".to_owned();
    assert!(fold.apply(StreamResponse::StatusUpdate(event)).is_err());
    let misfit = fold.apply(StreamResponse::Message(Message::agent("m")));
    assert_eq!(misfit, Err(Misfit::Message));
    assert_eq!(fold.task(), &before);

    // Some agents leave the conversation out of their events.
    let mut event = status(TaskStatus::new(TaskState::Completed));
    event.context_id = String::new();
    event.metadata = metadata(r#"{"a":1}"#);
    fold.apply(StreamResponse::StatusUpdate(event)).unwrap();
    assert_eq!(fold.task().metadata, metadata(r#"{"a":1}"#));
}

#[test]
fn a_snapshot_replaces_what_was_there() {
    let mut fold = working();
    fold.artifact(chunk("old", "x")).unwrap();
    let mut snapshot = Task::new("t", "c", TaskStatus::new(TaskState::Working));
    snapshot
        .artifacts
        .push(Artifact::new("a").with_part(Part::text("1")));
    fold.apply(StreamResponse::Task(snapshot)).unwrap();
    fold.artifact(chunk("a", "2").appended()).unwrap();
    assert_eq!(artifacts(&fold), ["a: 1|2"]);
}

#[test]
fn tasks_do_not_go_back() {
    use TaskState as S;
    for (from, to, sound) in [
        (S::Unspecified, S::Submitted, true),
        (S::Submitted, S::Working, true),
        (S::Submitted, S::Completed, true),
        (S::Working, S::Working, true),
        (S::InputRequired, S::Working, true),
        (S::AuthRequired, S::Canceled, true),
        (S::Working, S::Submitted, false),
        (S::Working, S::Unspecified, false),
        (S::Completed, S::Completed, false),
    ] {
        assert_eq!(from.can_become(to), sound, "{from:?} to {to:?}");
    }
}
