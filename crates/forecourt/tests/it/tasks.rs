//! Tasks in the database.

#[path = "../../../a2a-server/tests/it/tasks/contract.rs"]
mod contract;

use std::{path::Path, sync::Arc, time::Duration};

use a2a::{
    error::Error,
    headers::ProtocolVersion,
    model::{
        Artifact, AuthenticationInfo, Message, Part, PartContent, Secret, SendMessageRequest,
        SendMessageResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig, TaskState,
        Timestamp,
    },
    operation::{Operation, Outcome},
};
use a2a_server::{
    Agent, Answer, Call, EventStream, Handler, Reply, Turn,
    task::{
        Settings, StreamEvent, TaskSink, TaskStore, Tasks,
        push::{Claim, PushStore, Webhook},
    },
};
use forecourt::{app::migrations, tasks::TaskTable};
use leads::{Vault, VaultKey};
use store::{Clock, Options, Store};

use self::contract::hold_to_contract;

fn table() -> TaskTable {
    let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
    let store = Store::temporary(&migrations(), clock).unwrap();
    TaskTable::new(store, "north".parse().unwrap())
}

hold_to_contract!(table());

#[tokio::test]
async fn the_tasks_of_another_dealer_are_not_there() {
    let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
    let store = Store::temporary(&migrations(), clock).unwrap();
    let north = TaskTable::new(store.clone(), "north".parse().unwrap());
    let south = TaskTable::new(store, "south".parse().unwrap());
    contract::a_log_is_kept_and_folded(&north).await;
    let key = contract::key("t");
    assert!(north.task(&key).await.unwrap().is_some());
    assert_eq!(south.task(&key).await.unwrap(), None);
    // The same ids are free there.
    contract::a_log_is_kept_and_folded(&south).await;
}

/// Says so many chunks, then waits for ever.
struct Counting(usize);

impl Agent for Counting {
    async fn answer(&self, _turn: Turn) -> Result<Answer, Error> {
        let count = self.0;
        Ok(Answer::task(async move |sink: TaskSink| {
            for number in 0..count {
                let chunk = Artifact::new("text").with_part(Part::text(format!("{number} ")));
                sink.append(chunk, false).await?;
            }
            std::future::pending().await
        }))
    }
}

/// What one process has over a database.
struct Node {
    store: Store,
    tasks: Tasks,
    handler: Handler,
}

fn node(path: &Path) -> Node {
    let options = Options::sqlite(path).migrations(&migrations());
    let store = Store::open(options).unwrap();
    let clock = store.clock().clone();
    let table = TaskTable::new(store.clone(), "north".parse().unwrap());
    let now = move || Timestamp::try_from(clock.now()).unwrap();
    let tasks = Tasks::new(Arc::new(table), now, Settings::default());
    Node {
        store,
        tasks: tasks.clone(),
        handler: Handler::with_tasks(tasks),
    }
}

async fn stream(handler: &Handler, operation: Operation, seen: Option<u64>) -> EventStream {
    let call = Call::new(ProtocolVersion::V1_0).with_last_event_id(seen.map(|it| it.to_string()));
    match handler.call(&Counting(300), operation, call).await.unwrap() {
        Reply::Stream(stream) => stream,
        Reply::Once(_) => panic!("one result where a stream was due"),
    }
}

async fn next(stream: &mut EventStream) -> Option<StreamEvent> {
    stream.next().await.unwrap()
}

#[tokio::test]
async fn a_reader_that_comes_back_after_a_restart_misses_and_repeats_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forecourt.sqlite");
    let message = Message::user("m-1").with_part(Part::text("count"));
    let request = Operation::SendStreamingMessage(SendMessageRequest::new(message));

    // The first process ends in the middle: all that it ran is dropped with its runtime.
    let before = path.clone();
    let run = move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let Node { handler, .. } = node(&before);
            let mut stream = stream(&handler, request, None).await;
            let mut seen = Vec::new();
            while seen.len() < 151 {
                seen.push(next(&mut stream).await.unwrap());
            }
            seen
        })
    };
    let seen = tokio::task::spawn_blocking(run).await.unwrap();
    let id = seen[0].event.task_id().unwrap().to_owned();
    let last = seen.last().unwrap().number;

    let Node { tasks, handler, .. } = node(&path);
    assert_eq!(tasks.recover().await.unwrap(), 1);
    let resume = Operation::SubscribeToTask(SubscribeToTaskRequest {
        id,
        ..SubscribeToTaskRequest::default()
    });
    let mut rest = stream(&handler, resume.clone(), Some(last)).await;
    let mut events = seen;
    while let Some(event) = next(&mut rest).await {
        events.push(event);
    }
    let numbers: Vec<u64> = events.iter().map(|event| event.number).collect();
    let expected: Vec<u64> = (1..=numbers.len() as u64).collect();
    assert_eq!(numbers, expected);
    assert_eq!(
        events.last().unwrap().event.state(),
        Some(TaskState::Failed)
    );
    // Whoever read nothing before reads the same.
    let mut whole = stream(&handler, resume, Some(0)).await;
    for event in &events {
        assert_eq!(next(&mut whole).await.as_ref(), Some(event));
    }
    assert_eq!(next(&mut whole).await, None);
}

/// Notes until when a node counts as living.
async fn lives_until(store: &Store, node: &str, until: i64) {
    let node = node.to_owned();
    let note = store.write(move |conn| {
        conn.execute(
            "INSERT INTO server_node (dealer, node, held_until) VALUES ('', $1, $2)
             ON CONFLICT (dealer, node) DO UPDATE SET held_until = excluded.held_until",
            &[(&node).into(), until.into()],
        )
    });
    note.await.unwrap();
}

/// Asks, waits for the answer, and says it again.
struct Conversing;

impl Agent for Conversing {
    async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
        let is_first = turn.task.is_none();
        Ok(Answer::task(async move |mut sink: TaskSink| {
            if !is_first {
                let taken_over = Artifact::new("text").with_part(Part::text("begun anew"));
                sink.artifact(taken_over).await?;
                return Ok(sink.complete(None).await?);
            }
            let question = sink.message(vec![Part::text("which one?")]);
            sink.ask(question).await?;
            let reply = sink.next_message().await.ok_or("canceled")?;
            let mut heard = Artifact::new("text");
            heard.parts = reply.parts;
            sink.artifact(heard).await?;
            Ok(sink.complete(None).await?)
        }))
    }
}

async fn converse(handler: &Handler, id: &str, task: Option<&str>, text: &str) -> Task {
    let mut message = Message::user(id).with_part(Part::text(text));
    message.task_id = task.map(str::to_owned);
    let operation = Operation::SendMessage(SendMessageRequest::new(message));
    let call = Call::new(ProtocolVersion::V1_0);
    let reply = handler.call(&Conversing, operation, call).await.unwrap();
    let Reply::Once(outcome) = reply else {
        panic!("a stream where one result was due");
    };
    match *outcome {
        Outcome::Sent(SendMessageResponse::Task(task)) => task,
        other => panic!("no task: {other:?}"),
    }
}

fn said(task: &Task) -> String {
    match &task.artifacts[0].parts[0].content {
        PartContent::Text(text) => text.clone(),
        other => panic!("no text: {other:?}"),
    }
}

/// Far enough in the future for every test.
const FOR_EVER: i64 = 4_000_000_000_000;

#[tokio::test]
async fn an_answer_reaches_work_that_waits_on_another_node_and_one_that_died_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = [(); 2].map(|()| node(&folder.path().join("forecourt.sqlite")));
    for node in [&one, &other] {
        lives_until(&node.store, node.store.node(), FOR_EVER).await;
    }
    let every = Duration::from_millis(5);
    let keeping_up = async { tokio::join!(one.tasks.keep_up(every), other.tasks.keep_up(every)) };
    let talk = async {
        let asked = converse(&one.handler, "m-1", None, "begin").await;
        assert_eq!(asked.status.state, TaskState::InputRequired);
        let done = converse(&other.handler, "m-2", Some(&asked.id), "the red one").await;
        assert_eq!(done.status.state, TaskState::Completed);
        assert_eq!(said(&done), "the red one");

        let asked = converse(&one.handler, "m-3", None, "begin").await;
        lives_until(&other.store, one.store.node(), 0).await;
        let done = converse(&other.handler, "m-4", Some(&asked.id), "the red one").await;
        assert_eq!(said(&done), "begun anew");
    };
    tokio::select! {
        () = talk => {}
        _ = keeping_up => unreachable!("it goes on for ever"),
    }
}

#[tokio::test]
async fn the_tasks_of_living_nodes_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = [(); 2].map(|()| node(&folder.path().join("forecourt.sqlite")));
    lives_until(&one.store, one.store.node(), FOR_EVER).await;
    let message = Message::user("m-1").with_part(Part::text("count"));
    let request = Operation::SendStreamingMessage(SendMessageRequest::new(message));
    let mut reader = stream(&one.handler, request, None).await;
    let id = next(&mut reader).await.unwrap();
    let id = id.event.task_id().unwrap().to_owned();
    assert_eq!(other.tasks.recover().await.unwrap(), 0);
    assert_eq!(one.tasks.recover().await.unwrap(), 0);
    // A node that lives and is believed to be gone loses its task, and hears of it.
    lives_until(&other.store, one.store.node(), 0).await;
    assert_eq!(one.tasks.recover().await.unwrap(), 0);
    assert_eq!(other.tasks.recover().await.unwrap(), 1);
    one.tasks.hear(&id).await;
    let mut last = None;
    while let Some(event) = next(&mut reader).await {
        last = event.event.state().or(last);
    }
    assert_eq!(last, Some(TaskState::Failed));
}

fn hooked(task: &str) -> Webhook {
    Webhook {
        config: TaskPushNotificationConfig {
            id: Some("w".to_owned()),
            task_id: Some(task.to_owned()),
            url: "https://hooks.example/?key=in-the-query".to_owned(),
            token: Some(Secret::new("token-of-the-receiver")),
            authentication: Some(AuthenticationInfo {
                scheme: "Bearer".to_owned(),
                credentials: Some(Secret::new("credentials-for-it")),
            }),
            ..TaskPushNotificationConfig::default()
        },
        version: ProtocolVersion::V1_0,
    }
}

/// What the columns of webhooks hold.
async fn columns(store: &Store) -> Vec<String> {
    let read = store.read(|conn| {
        conn.all("SELECT config FROM task_webhook", &[], |row| {
            row.text(0).map(str::to_owned)
        })
    });
    read.await.unwrap()
}

#[tokio::test]
async fn secrets_of_webhooks_are_sealed_opened_rekeyed_and_given_up() {
    let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
    let store = Store::temporary(&migrations(), clock).unwrap();
    let table = |vault: &Vault| {
        TaskTable::new(store.clone(), "north".parse().unwrap()).with_vault(vault.clone())
    };
    let (first, second) = (VaultKey::new([1; 32]), VaultKey::new([2; 32]));
    let before = Vault::new(Some(&first), &[]);
    contract::a_log_is_kept_and_folded(&table(&before)).await;
    let (key, webhook) = (contract::key("t"), hooked("t"));
    let put = table(&before);
    assert!(put.put(&key, &webhook, Some(0), 9).await.unwrap());
    let stored = columns(&store).await.concat();
    for secret in ["token-of-the", "credentials-for", "in-the-query"] {
        assert!(!stored.contains(secret), "{stored}");
    }
    assert_eq!(
        put.webhooks(&key).await.unwrap(),
        std::slice::from_ref(&webhook)
    );
    let name = first.id().to_string();
    let in_use = store.read(forecourt::tasks::keys_in_use).await.unwrap();
    assert_eq!(in_use.into_iter().collect::<Vec<_>>(), [name.as_str()]);

    // Without its key it is not told, and keeps nobody from being told.
    let claim = Claim {
        holder: "one".to_owned(),
        now: "2026-05-02T12:00:00Z".parse().unwrap(),
        until: "2026-05-02T12:01:00Z".parse().unwrap(),
    };
    let without = table(&Vault::open());
    assert_eq!(without.claim(&claim, 9).await.unwrap(), []);
    without.give_back("one").await.unwrap();
    assert_eq!(put.claim(&claim, 9).await.unwrap()[0].webhook, webhook);

    let after = Vault::new(Some(&second), &[first]);
    let rekey = async |vault: Vault| {
        let rekeyed = store.write(move |conn| forecourt::tasks::rekey(conn, &vault, 10));
        rekeyed.await.unwrap()
    };
    assert_eq!((rekey(after.clone()).await, rekey(after).await), (1, 0));
    let only_second = Vault::new(Some(&second), &[]);
    let found = table(&only_second).webhooks(&key).await.unwrap();
    assert_eq!(found, std::slice::from_ref(&webhook));
    let off = Vault::new(None, std::slice::from_ref(&second));
    assert_eq!((rekey(off.clone()).await, rekey(off).await), (1, 0));
    assert_eq!(without.webhooks(&key).await.unwrap(), [webhook]);

    assert_eq!(
        (rekey(only_second.clone()).await, rekey(only_second).await),
        (1, 0)
    );
    let lost = second.id();
    let forget = store.write(move |conn| forecourt::tasks::forget_sealed_with(conn, lost));
    assert_eq!(forget.await.unwrap(), 1);
    assert_eq!(without.webhooks(&key).await.unwrap(), []);
}
