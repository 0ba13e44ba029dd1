//! One table of operations and what they come to, run over every binding in every version (A2A 1.0 §5.1).

use a2a::model::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, HistoryLength,
    ListTaskPushNotificationConfigsRequest, ListTasksRequest, Message, Part, PartContent,
    SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig,
};
use a2a::operation::{Operation, Outcome};

use super::Site;
use super::wire::Wire;
use crate::tasks::{Bench, says, says_at_once};

/// An operation and what it comes to.
struct Row {
    name: &'static str,
    operation: Operation,
    expected: &'static str,
    /// Whether 0.3 cannot express it, or has no such rule.
    only_1_0: bool,
}

fn row(name: &'static str, operation: Operation, expected: &'static str) -> Row {
    Row {
        name,
        operation,
        expected,
        only_1_0: false,
    }
}

fn row_1_0(name: &'static str, operation: Operation, expected: &'static str) -> Row {
    Row {
        only_1_0: true,
        ..row(name, operation, expected)
    }
}

#[tokio::test]
async fn operations_come_to_the_same_on_every_binding_in_every_version() {
    let site = Site::new();
    let mut wrong = Vec::new();
    let mut run = 0;
    for wire in site.wires() {
        for row in table(&site.bench).await {
            if row.only_1_0 && wire.is_old() {
                continue;
            }
            let found = outcome(&wire, &row.operation).await;
            if found != row.expected {
                let (binding, version, name) = (wire.binding, wire.version, row.name);
                wrong.push(format!("{binding:?} {version}: {name}: {found}"));
            }
            run += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(run > 100, "only {run} rows were run");
}

#[tokio::test]
async fn history_is_as_long_as_asked_for_on_every_binding_in_every_version() {
    let site = Site::new();
    let asking = site.bench.send(says("ask")).await.unwrap();
    for wire in site.wires() {
        let mut kept = Vec::new();
        for length in [None, Some(0), Some(1), Some(9)] {
            let operation = Operation::GetTask(GetTaskRequest {
                id: asking.id.clone(),
                history_length: length.and_then(HistoryLength::new),
                ..GetTaskRequest::default()
            });
            match wire.call(&operation).await {
                Ok(Outcome::Task(task)) => kept.push(task.history.len()),
                other => panic!("{wire:?}: {other:?}"),
            }
        }
        // Nothing is said in 0.3 by 0: all of it.
        let none = usize::from(wire.is_old());
        assert_eq!(kept, [1, none, 1, 1], "{wire:?}");
    }
}

#[tokio::test]
async fn in_0_3_the_task_of_a_message_decides_on_its_conversation() {
    let site = Site::new();
    for wire in site.wires().iter().filter(|wire| wire.is_old()) {
        let asking = site.bench.send(says("ask")).await.unwrap();
        let mut request = says("ask");
        request.message.task_id = Some(asking.id.clone());
        request.message.context_id = Some("made up".to_owned());
        let answer = wire.call(&Operation::SendMessage(request)).await;
        let Ok(Outcome::Sent(SendMessageResponse::Task(task))) = answer else {
            panic!("{wire:?}: {answer:?}");
        };
        assert_eq!(
            (&task.id, &task.context_id),
            (&asking.id, &asking.context_id)
        );
    }
}

#[tokio::test]
async fn an_agent_that_never_pauses_loses_no_event_on_any_binding() {
    let site = Site::new();
    for wire in site.wires() {
        let operation = Operation::SendStreamingMessage(says("chunks 5000"));
        let events = wire.follow(&operation).await.unwrap();
        let chunks: Vec<String> = events.iter().map(of_event).collect();
        assert_eq!(chunks.len(), 5002, "{wire:?}");
        for (number, chunk) in chunks[1..5001].iter().enumerate() {
            assert_eq!(*chunk, format!("{number} "), "{wire:?}");
        }
    }
}

/// The rows over tasks that are made for them.
async fn table(bench: &Bench) -> Vec<Row> {
    let done = bench.send(says("chunks 3")).await.unwrap();
    let asking = bench.send(says("ask")).await.unwrap();
    let held = bench.send(says_at_once("hold")).await.unwrap();
    let mut rows = messages(&done, &asking);
    rows.extend(reading(&done, &asking));
    rows.extend([
        row("cancel work", cancel(&held.id), "task canceled"),
        row(
            "cancel it again",
            cancel(&held.id),
            "error TaskNotCancelable",
        ),
        row(
            "cancel what has ended",
            cancel(&done.id),
            "error TaskNotCancelable",
        ),
        row("cancel nothing", cancel("none"), "error TaskNotFound"),
        row(
            "follow what has ended",
            subscribe(&done.id),
            "error UnsupportedOperation",
        ),
        row("follow nothing", subscribe("none"), "error TaskNotFound"),
    ]);
    rows.extend(not_offered(&done.id));
    rows
}

fn messages(done: &Task, asking: &Task) -> Vec<Row> {
    let to = |task: &str, context: Option<&str>| {
        let mut request = says("direct");
        request.message.task_id = Some(task.to_owned());
        request.message.context_id = context.map(str::to_owned);
        request
    };
    let without_parts = SendMessageRequest::new(Message::user("m"));
    vec![
        row("a direct answer", send(says("direct")), "message hello"),
        row("a task", send(says("chunks 3")), "task completed: 0 1 2 "),
        row("a question", send(says("ask")), "task input_required"),
        row("work that fails", send(says("fail")), "task failed"),
        row("work that panics", send(says("panic")), "task failed"),
        row(
            "no parts",
            send(without_parts.clone()),
            "error InvalidParams",
        ),
        row("to no task", send(to("none", None)), "error TaskNotFound"),
        row(
            "to what has ended",
            send(to(&done.id, None)),
            "error UnsupportedOperation",
        ),
        row_1_0(
            "of another context",
            send(to(&asking.id, Some("other"))),
            "error InvalidParams",
        ),
        row(
            "a direct answer, followed",
            Operation::SendStreamingMessage(says("direct")),
            "message hello",
        ),
        row(
            "a task, followed",
            Operation::SendStreamingMessage(says("chunks 3")),
            "task submitted, 0 , 1 , 2 , completed",
        ),
        row(
            "a question, followed",
            Operation::SendStreamingMessage(says("ask")),
            "task submitted, input_required",
        ),
        row(
            "no parts, followed",
            Operation::SendStreamingMessage(without_parts),
            "error InvalidParams",
        ),
        row(
            "to no task, followed",
            Operation::SendStreamingMessage(to("none", None)),
            "error TaskNotFound",
        ),
    ]
}

fn reading(done: &Task, asking: &Task) -> Vec<Row> {
    let get = |id: &str, history: Option<i32>| {
        Operation::GetTask(GetTaskRequest {
            id: id.to_owned(),
            history_length: history.and_then(HistoryLength::new),
            ..GetTaskRequest::default()
        })
    };
    let list = |context: &str| {
        Operation::ListTasks(ListTasksRequest {
            context_id: Some(context.to_owned()),
            ..ListTasksRequest::default()
        })
    };
    vec![
        row(
            "read what has ended",
            get(&done.id, None),
            "task completed: 0 1 2 ",
        ),
        row(
            "read a question",
            get(&asking.id, Some(1)),
            "task input_required",
        ),
        row("read nothing", get("none", None), "error TaskNotFound"),
        row_1_0(
            "list a conversation",
            list(done.context_id.as_deref().unwrap_or_default()),
            "1 of 1 tasks",
        ),
        row_1_0("list another", list("other"), "0 of 0 tasks"),
    ]
}

/// What the protocol knows and this agent does not offer.
fn not_offered(task: &str) -> Vec<Row> {
    let (task_id, id) = (task.to_owned(), "c".to_owned());
    let create = TaskPushNotificationConfig {
        task_id: Some(task_id.clone()),
        url: "https://hooks.example/a".to_owned(),
        ..TaskPushNotificationConfig::default()
    };
    let get = GetTaskPushNotificationConfigRequest {
        task_id: task_id.clone(),
        id: id.clone(),
        ..GetTaskPushNotificationConfigRequest::default()
    };
    let delete = DeleteTaskPushNotificationConfigRequest {
        task_id: task_id.clone(),
        id,
        ..DeleteTaskPushNotificationConfigRequest::default()
    };
    let list = ListTaskPushNotificationConfigsRequest {
        task_id,
        ..ListTaskPushNotificationConfigsRequest::default()
    };
    let no_push = "error PushNotificationNotSupported";
    vec![
        row(
            "a webhook",
            Operation::CreateTaskPushNotificationConfig(create),
            no_push,
        ),
        row(
            "read a webhook",
            Operation::GetTaskPushNotificationConfig(get),
            no_push,
        ),
        row(
            "list webhooks",
            Operation::ListTaskPushNotificationConfigs(list),
            no_push,
        ),
        row(
            "drop a webhook",
            Operation::DeleteTaskPushNotificationConfig(delete),
            no_push,
        ),
        row(
            "the extended card",
            Operation::GetExtendedAgentCard(GetExtendedAgentCardRequest::default()),
            "error UnsupportedOperation",
        ),
    ]
}

fn send(request: SendMessageRequest) -> Operation {
    Operation::SendMessage(request)
}

fn cancel(id: &str) -> Operation {
    Operation::CancelTask(CancelTaskRequest {
        id: id.to_owned(),
        ..CancelTaskRequest::default()
    })
}

fn subscribe(id: &str) -> Operation {
    Operation::SubscribeToTask(SubscribeToTaskRequest {
        id: id.to_owned(),
        ..SubscribeToTaskRequest::default()
    })
}

/// What an operation came to, in a few words.
async fn outcome(wire: &Wire, operation: &Operation) -> String {
    if operation.method().streams() {
        return match wire.follow(operation).await {
            Err(error) => format!("error {:?}", error.kind),
            Ok(events) => {
                let events: Vec<String> = events.iter().map(of_event).collect();
                events.join(", ")
            }
        };
    }
    match wire.call(operation).await {
        Err(error) => format!("error {:?}", error.kind),
        Ok(Outcome::Sent(SendMessageResponse::Message(message))) => of_message(&message),
        Ok(Outcome::Sent(SendMessageResponse::Task(task)) | Outcome::Task(task)) => of_task(&task),
        Ok(Outcome::Tasks(page)) => {
            format!("{} of {} tasks", page.tasks.len(), page.total_size)
        }
        Ok(other) => format!("{other:?}"),
    }
}

fn of_event(event: &StreamResponse) -> String {
    match event {
        StreamResponse::Task(task) => of_task(task),
        StreamResponse::Message(message) => of_message(message),
        StreamResponse::StatusUpdate(update) => state(update.status.state.as_str()),
        StreamResponse::ArtifactUpdate(update) => text(&update.artifact.parts),
    }
}

fn of_task(task: &Task) -> String {
    let parts = task.artifacts.iter().map(|artifact| text(&artifact.parts));
    let artifacts: String = parts.collect();
    let separator = if artifacts.is_empty() { "" } else { ": " };
    let state = state(task.status.state.as_str());
    format!("task {state}{separator}{artifacts}")
}

fn state(name: &str) -> String {
    name.trim_start_matches("TASK_STATE_").to_ascii_lowercase()
}

fn of_message(message: &Message) -> String {
    format!("message {}", text(&message.parts))
}

fn text(parts: &[Part]) -> String {
    let texts = parts.iter().map(|part| match &part.content {
        PartContent::Text(text) => text.as_str(),
        _ => "?",
    });
    texts.collect()
}
