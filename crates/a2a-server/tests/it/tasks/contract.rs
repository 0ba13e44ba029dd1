//! What every store of tasks does. A store of another crate is tried by the same functions; each gets a
//! store that is empty.

use std::sync::Arc;

use a2a::headers::ProtocolVersion;
use a2a::model::{
    Artifact, Message, Part, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskPushNotificationConfig, TaskState, TaskStatus, TaskStatusUpdateEvent, Timestamp,
};
use a2a_server::task::push::{Claim, DeadLetter, Progress, PushStore, Webhook};
use a2a_server::task::{
    Change, Entry, ListQuery, Owner, Remembered, StoreError, TaskKey, TaskStore,
};

/// So many milliseconds after a moment of 2026.
fn at(milliseconds: i64) -> Timestamp {
    let time = jiff::Timestamp::from_millisecond(1_777_636_800_000 + milliseconds).unwrap();
    time.try_into().unwrap()
}

fn owner() -> Owner {
    Owner::new(Some("north"), Some("alice"))
}

pub(crate) fn key(id: &str) -> TaskKey {
    TaskKey::new(owner(), id)
}

fn first(id: &str, time: i64) -> Arc<Entry> {
    let status = TaskStatus::new(TaskState::Submitted).at(at(time));
    let mut task = Task::new(id, format!("c-{id}"), status);
    let message = Message::user(format!("m-{id}")).with_part(Part::text("begin"));
    task.history.push(message);
    Arc::new(Entry {
        number: 1,
        at: at(time),
        change: Change::Event(StreamResponse::Task(task)),
    })
}

fn remembered(id: &str) -> Remembered {
    Remembered {
        message_id: format!("m-{id}"),
        digest: [7; 32],
        task_id: id.to_owned(),
    }
}

fn status(id: &str, number: u64, state: TaskState, time: i64) -> Arc<Entry> {
    let status = TaskStatus::new(state).at(at(time));
    let event = TaskStatusUpdateEvent::new(id, format!("c-{id}"), status);
    Arc::new(Entry {
        number,
        at: at(time),
        change: Change::Event(StreamResponse::StatusUpdate(event)),
    })
}

fn chunk(id: &str, number: u64, time: i64) -> Arc<Entry> {
    let artifact = Artifact::new("text").with_part(Part::text(format!("{number} ")));
    let event = TaskArtifactUpdateEvent::new(id, format!("c-{id}"), artifact).appended();
    Arc::new(Entry {
        number,
        at: at(time),
        change: Change::Event(StreamResponse::ArtifactUpdate(event)),
    })
}

async fn begin(store: &dyn TaskStore, id: &str, time: i64) {
    let created = store
        .create(&key(id), &first(id, time), remembered(id))
        .await;
    assert_eq!(created.unwrap(), None);
}

fn everything() -> ListQuery {
    ListQuery {
        owner: owner(),
        context_id: None,
        state: None,
        since: None,
        after: None,
        limit: 50,
        artifacts: false,
    }
}

async fn ids(store: &dyn TaskStore, query: &ListQuery) -> Vec<String> {
    let page = store.list(query).await.unwrap();
    page.tasks.into_iter().map(|task| task.id).collect()
}

pub(crate) async fn a_log_is_kept_and_folded(store: &dyn TaskStore) {
    begin(store, "t", 0).await;
    let question = Message::user("m-2").with_part(Part::text("and?"));
    let mut log = vec![first("t", 0), status("t", 2, TaskState::Working, 1)];
    log.push(Arc::new(Entry {
        number: 3,
        at: at(2),
        change: Change::Message(question),
    }));
    log.extend((4..=400).map(|number| chunk("t", number, 3)));
    log.push(status("t", 401, TaskState::Completed, 9));
    // In batches of every size.
    let mut rest = &log[1..];
    let mut size = 1;
    while !rest.is_empty() {
        let (batch, others) = rest.split_at(size.min(rest.len()));
        let after = batch[0].number - 1;
        store.append(&key("t"), after, batch).await.unwrap();
        (rest, size) = (others, size % 7 + 1);
        let stored = store.task(&key("t")).await.unwrap().unwrap();
        assert_eq!(stored.number, batch.last().unwrap().number);
    }
    let task = store.task(&key("t")).await.unwrap().unwrap().task;
    assert_eq!(task.status.state, TaskState::Completed);
    assert_eq!(task.history.len(), 2);
    assert_eq!(task.artifacts[0].parts.len(), 397);
    let entries = store.entries(&key("t"), 0, 1000).await.unwrap();
    assert_eq!(entries, log);
    let some = store.entries(&key("t"), 399, 2).await.unwrap();
    assert_eq!(some, log[399..401]);
    let none = store.entries(&key("t"), 401, 2).await.unwrap();
    assert!(none.is_empty());
}

pub(crate) async fn a_stale_writer_changes_nothing(store: &dyn TaskStore) {
    begin(store, "t", 0).await;
    let working = [status("t", 2, TaskState::Working, 1)];
    store.append(&key("t"), 1, &working).await.unwrap();
    let stale = [status("t", 2, TaskState::Failed, 2)];
    let refused = store.append(&key("t"), 1, &stale).await;
    assert!(matches!(refused, Err(StoreError::Conflict)), "{refused:?}");
    let task = store.task(&key("t")).await.unwrap().unwrap();
    assert_eq!(task.task.status.state, TaskState::Working);
    let gone = store.append(&key("nobody"), 1, &stale).await;
    assert!(matches!(gone, Err(StoreError::Gone)), "{gone:?}");
}

pub(crate) async fn a_message_begins_one_task_of_its_owner(store: &dyn TaskStore) {
    begin(store, "t", 0).await;
    let mut again = remembered("t");
    again.task_id = "t-2".to_owned();
    again.digest = [8; 32];
    let before = store
        .create(&key("t-2"), &first("t-2", 1), again.clone())
        .await;
    assert_eq!(before.unwrap(), Some(remembered("t")));
    assert_eq!(store.task(&key("t-2")).await.unwrap(), None);
    let found = store.remembered(&owner(), "m-t").await.unwrap();
    assert_eq!(found, Some(remembered("t")));
    let other = Owner::new(Some("north"), Some("bob"));
    assert_eq!(store.remembered(&other, "m-t").await.unwrap(), None);
    let foreign = TaskKey::new(other, "t-2");
    let created = store.create(&foreign, &first("t-2", 1), again).await;
    assert_eq!(created.unwrap(), None);
}

pub(crate) async fn a_foreign_task_is_not_there(store: &dyn TaskStore) {
    begin(store, "t", 0).await;
    for (tenant, caller) in [("north", "bob"), ("south", "alice"), ("", "")] {
        let owner = Owner::new(Some(tenant), Some(caller));
        let foreign = TaskKey::new(owner.clone(), "t");
        assert_eq!(store.task(&foreign).await.unwrap(), None);
        let read = store.entries(&foreign, 0, 10).await;
        assert!(matches!(read, Err(StoreError::Gone)));
        let written = store.append(&foreign, 1, &[chunk("t", 2, 1)]).await;
        assert!(matches!(written, Err(StoreError::Gone)));
        let query = ListQuery {
            owner,
            ..everything()
        };
        assert_eq!(store.list(&query).await.unwrap().total, 0);
    }
}

pub(crate) async fn lists_have_an_order_that_pages_keep(store: &dyn TaskStore) {
    // Several of the same time, in an order that is not the one of their ids.
    for (id, time) in [("d", 5), ("b", 5), ("a", 3), ("c", 5), ("e", 9)] {
        begin(store, id, time).await;
    }
    let expected = ["e", "b", "c", "d", "a"];
    assert_eq!(ids(store, &everything()).await, expected);
    let mut query = ListQuery {
        limit: 2,
        ..everything()
    };
    let mut found = Vec::new();
    loop {
        let page = store.list(&query).await.unwrap();
        assert_eq!(page.total, 5);
        found.extend(page.tasks.into_iter().map(|task| task.id));
        query.after = page.next;
        if query.after.is_none() {
            break;
        }
    }
    assert_eq!(found, expected);
    // A status moves its task to the front.
    let working = [status("a", 2, TaskState::Working, 20)];
    store.append(&key("a"), 1, &working).await.unwrap();
    assert_eq!(ids(store, &everything()).await[0], "a");
    store
        .append(&key("b"), 1, &[chunk("b", 2, 30)])
        .await
        .unwrap();
    assert_eq!(ids(store, &everything()).await[0], "a");
}

pub(crate) async fn lists_are_filtered(store: &dyn TaskStore) {
    for (id, time) in [("a", 1), ("b", 2), ("c", 3)] {
        begin(store, id, time).await;
    }
    let log = [chunk("b", 2, 4), status("b", 3, TaskState::Completed, 4)];
    store.append(&key("b"), 1, &log).await.unwrap();
    let by_state = ListQuery {
        state: Some(TaskState::Completed),
        ..everything()
    };
    assert_eq!(ids(store, &by_state).await, ["b"]);
    assert_eq!(store.list(&by_state).await.unwrap().total, 1);
    let by_context = ListQuery {
        context_id: Some("c-a".to_owned()),
        ..everything()
    };
    assert_eq!(ids(store, &by_context).await, ["a"]);
    let since = ListQuery {
        since: Some(at(3)),
        ..everything()
    };
    assert_eq!(ids(store, &since).await, ["b", "c"]);
    let later: Timestamp = "2026-05-01T12:00:00.0030001Z".parse().unwrap();
    let since = ListQuery {
        since: Some(later),
        ..everything()
    };
    assert_eq!(ids(store, &since).await, ["b"]);
    let page = store.list(&everything()).await.unwrap();
    assert!(page.tasks.iter().all(|task| task.artifacts.is_empty()));
    let with_artifacts = ListQuery {
        artifacts: true,
        ..everything()
    };
    let page = store.list(&with_artifacts).await.unwrap();
    assert_eq!(page.tasks[0].artifacts.len(), 1);
    assert_eq!(page.tasks[0].history.len(), 1);
}

pub(crate) async fn what_is_old_or_too_much_is_forgotten(store: &dyn TaskStore) {
    let states = [
        ("a", TaskState::Completed),
        ("b", TaskState::InputRequired),
        ("c", TaskState::Working),
        ("d", TaskState::Failed),
        ("e", TaskState::Canceled),
    ];
    for (place, (id, state)) in states.into_iter().enumerate() {
        let time = place as i64;
        begin(store, id, time).await;
        let entry = [status(id, 2, state, time)];
        store.append(&key(id), 1, &entry).await.unwrap();
    }
    let unfinished = store.unfinished().await.unwrap();
    // A store of several processes leaves out what this one works on.
    assert!(unfinished.iter().all(|it| *it == key("c")), "{unfinished:?}");
    assert_eq!(store.forget(at(3), false).await.unwrap(), 1);
    assert_eq!(ids(store, &everything()).await, ["e", "d", "c", "b"]);
    // The message of a forgotten task begins a new one.
    assert_eq!(store.remembered(&owner(), "m-a").await.unwrap(), None);
    assert_eq!(store.forget(at(3), true).await.unwrap(), 1);
    assert_eq!(store.trim(&owner(), 3).await.unwrap(), 0);
    assert_eq!(store.trim(&owner(), 1).await.unwrap(), 2);
    assert_eq!(ids(store, &everything()).await, ["c"]);
    assert_eq!(store.task(&key("d")).await.unwrap(), None);
    let entries = store.entries(&key("d"), 0, 10).await;
    assert!(matches!(entries, Err(StoreError::Gone)));
}

fn webhook(task: &str, id: &str) -> Webhook {
    Webhook {
        config: TaskPushNotificationConfig {
            id: Some(id.to_owned()),
            task_id: Some(task.to_owned()),
            url: format!("https://hooks.example/{id}"),
            ..TaskPushNotificationConfig::default()
        },
        version: ProtocolVersion::V1_0,
    }
}

fn claim(holder: &str, now: i64) -> Claim {
    Claim {
        holder: holder.to_owned(),
        now: at(now),
        until: at(now + 100),
    }
}

fn progress(sent: u64, due: i64) -> Progress {
    Progress {
        sent,
        failures: 0,
        due: at(due),
        held_until: None,
        done: false,
        dead: None,
    }
}

pub(crate) async fn webhooks_are_kept_with_their_task<S: TaskStore + PushStore>(store: &S) {
    begin(store, "t", 0).await;
    let (b, a) = (webhook("t", "b"), webhook("t", "a"));
    assert!(store.put(&key("t"), &b, None, 2).await.unwrap());
    assert!(store.put(&key("t"), &a, None, 2).await.unwrap());
    let third = webhook("t", "c");
    assert!(!store.put(&key("t"), &third, None, 2).await.unwrap());
    let mut changed = a.clone();
    changed.config.url = "https://other.example/a".to_owned();
    changed.version = ProtocolVersion::V0_3;
    assert!(store.put(&key("t"), &changed, None, 2).await.unwrap());
    let found = store.webhooks(&key("t")).await.unwrap();
    assert_eq!(found, [changed, b.clone()]);
    store.remove(&key("t"), "a").await.unwrap();
    store.remove(&key("t"), "a").await.unwrap();
    assert_eq!(
        store.webhooks(&key("t")).await.unwrap(),
        std::slice::from_ref(&b)
    );
    let foreign = TaskKey::new(Owner::new(None, None), "t");
    let gone = |outcome: Result<(), StoreError>| {
        assert!(matches!(outcome, Err(StoreError::Gone)), "{outcome:?}");
    };
    gone(store.put(&foreign, &b, None, 9).await.map(drop));
    gone(store.webhooks(&foreign).await.map(drop));
    gone(store.remove(&foreign, "b").await);
    let ended = [status("t", 2, TaskState::Completed, 1)];
    store.append(&key("t"), 1, &ended).await.unwrap();
    store.forget(at(9), false).await.unwrap();
    gone(store.webhooks(&key("t")).await.map(drop));
    assert!(store.claim(&claim("p", 10), 9).await.unwrap().is_empty());
}

pub(crate) async fn a_webhook_is_due_when_its_log_goes_on<S: TaskStore + PushStore>(store: &S) {
    begin(store, "t", 0).await;
    let told = webhook("t", "from-the-beginning");
    assert!(store.put(&key("t"), &told, Some(0), 9).await.unwrap());
    let later = webhook("t", "from-here-on");
    assert!(store.put(&key("t"), &later, None, 9).await.unwrap());
    let claimed = store.claim(&claim("p", 10), 9).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!((&claimed[0].webhook, claimed[0].sent), (&told, 0));
    assert_eq!(claimed[0].key, key("t"));
    // Nobody else gets it, until the claim runs out.
    assert!(store.claim(&claim("q", 50), 9).await.unwrap().is_empty());
    let taken_over = store.claim(&claim("q", 110), 9).await.unwrap();
    assert_eq!(taken_over.len(), 1);
    assert!(!store.settle(&claimed[0], &progress(1, 0)).await.unwrap());
    // It waits as it is told, and what was sent is not due again.
    let mut failed = progress(0, 300);
    failed.failures = 1;
    assert!(store.settle(&taken_over[0], &failed).await.unwrap());
    assert!(store.claim(&claim("p", 299), 9).await.unwrap().is_empty());
    let again = store.claim(&claim("p", 300), 9).await.unwrap();
    assert_eq!((again[0].failures, again[0].sent), (1, 0));
    assert!(store.settle(&again[0], &progress(1, 300)).await.unwrap());
    assert!(store.claim(&claim("p", 400), 9).await.unwrap().is_empty());
    store
        .append(&key("t"), 1, &[chunk("t", 2, 5)])
        .await
        .unwrap();
    assert_eq!(store.claim(&claim("p", 400), 1).await.unwrap().len(), 1);
    let rest = store.claim(&claim("p", 400), 9).await.unwrap();
    assert_eq!(rest.len(), 1);
    // A process that ends gives back what it has.
    store.give_back("p").await.unwrap();
    let both = store.claim(&claim("q", 401), 9).await.unwrap();
    assert_eq!(both.len(), 2);
    for claimed in &both {
        let mut done = progress(2, 401);
        done.done = true;
        assert!(store.settle(claimed, &done).await.unwrap());
    }
    store
        .append(&key("t"), 2, &[chunk("t", 3, 6)])
        .await
        .unwrap();
    assert!(store.claim(&claim("p", 999), 9).await.unwrap().is_empty());
}

pub(crate) async fn what_was_given_up_is_listed<S: TaskStore + PushStore>(store: &S) {
    begin(store, "t", 0).await;
    let told = webhook("t", "w");
    assert!(store.put(&key("t"), &told, Some(0), 9).await.unwrap());
    let claimed = store.claim(&claim("p", 1), 9).await.unwrap();
    let letter = DeadLetter {
        key: key("t"),
        webhook_id: "w".to_owned(),
        number: 1,
        at: at(1),
        reason: "410 Gone".to_owned(),
    };
    let mut dead = progress(1, 1);
    dead.dead = Some(letter.clone());
    assert!(store.settle(&claimed[0], &dead).await.unwrap());
    assert_eq!(
        store.dead_letters(9).await.unwrap(),
        std::slice::from_ref(&letter)
    );
    assert!(store.dead_letters(0).await.unwrap().is_empty());
    store.forget_dead_letter(&letter).await.unwrap();
    assert!(store.dead_letters(9).await.unwrap().is_empty());
    let again = [status("t", 2, TaskState::Working, 2)];
    store.append(&key("t"), 1, &again).await.unwrap();
    let claimed = store.claim(&claim("p", 3), 9).await.unwrap();
    assert!(store.settle(&claimed[0], &dead).await.unwrap());
    store.remove(&key("t"), "w").await.unwrap();
    assert!(store.dead_letters(9).await.unwrap().is_empty());
}

/// One test for each function of the contract, over the store that `$store` makes.
macro_rules! hold_to_contract {
    ($store:expr) => {
        hold_to_contract!(
            $store,
            a_log_is_kept_and_folded,
            a_stale_writer_changes_nothing,
            a_message_begins_one_task_of_its_owner,
            a_foreign_task_is_not_there,
            lists_have_an_order_that_pages_keep,
            lists_are_filtered,
            what_is_old_or_too_much_is_forgotten,
            webhooks_are_kept_with_their_task,
            a_webhook_is_due_when_its_log_goes_on,
            what_was_given_up_is_listed,
        );
    };
    ($store:expr, $($name:ident),+ $(,)?) => {
        $(
            #[tokio::test]
            async fn $name() {
                contract::$name(&$store).await;
            }
        )+
    };
}

pub(crate) use hold_to_contract;
