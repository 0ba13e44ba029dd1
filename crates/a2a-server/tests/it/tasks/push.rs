//! Webhooks that are told what happens to tasks.

use std::time::Duration;

use a2a::model::{
    AuthenticationInfo, DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest, Secret,
    TaskPushNotificationConfig, TaskState,
};
use a2a_server::task::push::{Push, PushSettings, PushStore, ResendError};
use egress::Egress;
use testkit::webhook::{self, WebhookSink};
use tokio::task::JoinSet;

use super::*;

/// An agent with tasks and webhooks, and the worker that tells them.
struct Hooked {
    bench: Bench,
    push: Push,
    worker: JoinSet<()>,
}

impl Hooked {
    fn new() -> Self {
        let mut hooked = Self::idle(Arc::new(MemoryStore::new()), settings());
        hooked.work();
        hooked
    }

    /// Without the worker.
    fn idle<S: TaskStore + PushStore>(store: Arc<S>, settings: PushSettings) -> Self {
        let mut bench = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
        let push = Push::new(bench.tasks.clone(), store, open(), settings);
        bench.handler = bench.handler.with_push(push.clone());
        Self {
            bench,
            push,
            worker: JoinSet::new(),
        }
    }

    fn work(&mut self) {
        let push = self.push.clone();
        self.worker
            .spawn(async move { push.run(std::future::pending()).await });
    }

    async fn create(&self, config: TaskPushNotificationConfig) -> Result<Outcome, Error> {
        let operation = Operation::CreateTaskPushNotificationConfig(config);
        self.bench.once(operation).await
    }

    async fn created(&self, config: TaskPushNotificationConfig) -> TaskPushNotificationConfig {
        match self.create(config).await.unwrap() {
            Outcome::PushConfig(config) => config,
            other => panic!("no configuration: {other:?}"),
        }
    }

    /// Waits until so much was given up.
    async fn dead_letters(&self, count: usize) -> Vec<a2a_server::task::push::DeadLetter> {
        loop {
            let letters = self.push.dead_letters(100).await.unwrap();
            if letters.len() >= count {
                return letters;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn settings() -> PushSettings {
    let mut settings = PushSettings::default();
    settings.first_wait = Duration::from_millis(1);
    settings.longest_wait = Duration::from_millis(2);
    settings
}

/// A way out that reaches this machine.
fn open() -> Egress {
    let mut options = egress::Options::default();
    options.allow = vec!["127.0.0.0/8".parse().unwrap()];
    Egress::new(options).unwrap()
}

fn hook(url: &str) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        url: url.to_owned(),
        ..TaskPushNotificationConfig::default()
    }
}

fn hook_of(task: &Task, url: &str) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        task_id: Some(task.id.clone()),
        ..hook(url)
    }
}

fn says_with_hook(text: &str, config: TaskPushNotificationConfig) -> SendMessageRequest {
    let mut request = says(text);
    request.configuration = Some(SendMessageConfiguration {
        task_push_notification_config: Some(config),
        ..SendMessageConfiguration::default()
    });
    request
}

/// Waits beside the runtime until so many calls have arrived.
async fn calls(sink: &Arc<WebhookSink>, count: usize) -> Vec<webhook::Call> {
    let sink = Arc::clone(sink);
    let waiting = tokio::task::spawn_blocking(move || sink.wait_for(count));
    waiting.await.unwrap()
}

fn event(call: &webhook::Call) -> StreamResponse {
    serde_json::from_slice(&call.body).unwrap()
}

#[tokio::test]
async fn a_webhook_of_a_message_is_told_everything_in_order() {
    let hooked = Hooked::new();
    let sink = Arc::new(WebhookSink::start());
    let mut config = hook(&sink.url("/hook?a=b"));
    config.token = Some(Secret::new("t0ken"));
    config.authentication = Some(AuthenticationInfo {
        scheme: "Bearer".to_owned(),
        credentials: Some(Secret::new("s3cret")),
    });
    let task = hooked.bench.send(says_with_hook("chunks 20", config)).await;
    let task = task.unwrap();
    let calls = calls(&sink, 22).await;
    let events: Vec<_> = calls.iter().map(event).collect();
    assert!(matches!(&events[0], StreamResponse::Task(begun) if begun.id == task.id));
    let chunks: Vec<_> = events.iter().filter_map(chunk_of).collect();
    let expected: Vec<_> = (0..20).map(|number| format!("{number} ")).collect();
    assert_eq!(chunks, expected);
    assert_eq!(events[21].state(), Some(TaskState::Completed));
    for call in &calls {
        assert_eq!(call.line, "POST /hook?a=b");
        assert_eq!(call.header("content-type"), Some("application/a2a+json"));
        assert_eq!(call.header("authorization"), Some("Bearer s3cret"));
        assert_eq!(call.header("x-a2a-notification-token"), Some("t0ken"));
        assert_eq!(call.header("a2a-notification-token"), Some("t0ken"));
    }
}

#[tokio::test]
async fn configurations_are_created_read_listed_and_deleted() {
    let hooked = Hooked::new();
    let task = hooked.bench.send(says("work")).await.unwrap();
    // Also on a task that has ended, and each without an id gets one of its own.
    let first = hooked.created(hook_of(&task, "https://a.example/")).await;
    let second = hooked.created(hook_of(&task, "https://b.example/")).await;
    assert_ne!(first.id, second.id);
    assert_eq!(first.task_id.as_deref(), Some(task.id.as_str()));
    let get = |id: &str| {
        let request = GetTaskPushNotificationConfigRequest {
            task_id: task.id.clone(),
            id: id.to_owned(),
            ..Default::default()
        };
        hooked
            .bench
            .once(Operation::GetTaskPushNotificationConfig(request))
    };
    let first_id = first.id.clone().unwrap();
    let found = get(&first_id).await.unwrap();
    assert_eq!(found, Outcome::PushConfig(first.clone()));
    assert_eq!(code(&get("nobody").await.unwrap_err()), -32001);
    let list = |size: i32, token: &str| {
        let request = ListTaskPushNotificationConfigsRequest {
            task_id: task.id.clone(),
            page_size: size,
            page_token: Some(token.to_owned()),
            ..Default::default()
        };
        hooked
            .bench
            .once(Operation::ListTaskPushNotificationConfigs(request))
    };
    let mut listed = Vec::new();
    let mut token = String::new();
    for _ in 0..2 {
        let Outcome::PushConfigs(page) = list(1, &token).await.unwrap() else {
            panic!("no page");
        };
        listed.extend(page.configs);
        token = page.next_page_token;
    }
    assert_eq!(token, "");
    let mut both = vec![first, second];
    both.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(listed, both);
    for _ in 0..2 {
        let request = DeleteTaskPushNotificationConfigRequest {
            task_id: task.id.clone(),
            id: first_id.clone(),
            ..Default::default()
        };
        let operation = Operation::DeleteTaskPushNotificationConfig(request);
        assert_eq!(
            hooked.bench.once(operation).await.unwrap(),
            Outcome::Deleted
        );
    }
    assert_eq!(code(&get(&first_id).await.unwrap_err()), -32001);
}

#[tokio::test]
async fn a_foreign_task_has_no_webhooks_and_takes_none() {
    let hooked = Hooked::new();
    let owner = hooked.bench.asked_by("owner");
    let task = owner.send(says("ask")).await.unwrap();
    let id = || task.id.clone();
    let operations = [
        Operation::CreateTaskPushNotificationConfig(hook_of(&task, "https://a.example/")),
        Operation::GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest {
            task_id: id(),
            id: "w".to_owned(),
            ..Default::default()
        }),
        Operation::ListTaskPushNotificationConfigs(ListTaskPushNotificationConfigsRequest {
            task_id: id(),
            ..Default::default()
        }),
        Operation::DeleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest {
            task_id: id(),
            id: "w".to_owned(),
            ..Default::default()
        }),
    ];
    for operation in operations {
        let error = hooked.bench.once(operation).await.unwrap_err();
        let unknown = a2a::error::Error::task_not_found(&task.id);
        assert_eq!((code(&error), error.message), (-32001, unknown.message));
    }
}

#[tokio::test]
async fn without_push_notifications_a_webhook_is_refused_and_no_task_begins() {
    let store = Arc::new(MemoryStore::new());
    let bench = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    let request = says_with_hook("work", hook("https://a.example/"));
    assert_eq!(code(&bench.send(request).await.unwrap_err()), -32003);
    assert!(store.is_empty());
}

#[tokio::test]
async fn addresses_that_are_not_public_are_refused_in_every_spelling() {
    let store = Arc::new(MemoryStore::new());
    let bench = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
    let guarded = Egress::new(egress::Options::default()).unwrap();
    let push = Push::new(bench.tasks.clone(), store.clone(), guarded, settings());
    let handler = bench.handler.clone().with_push(push);
    let bench = Bench { handler, ..bench };
    for url in [
        "http://169.254.169.254/latest/meta-data",
        "https://169.254.169.254/",
        "https://localhost/",
        "https://localhost./",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://10.1.2.3/",
        "https://100.64.0.1/",
        "https://[fe80::1]/",
        "https://0.0.0.0/",
        "http://93.184.215.14/",
        "ftp://a.example/",
        "file:///etc/passwd",
        "a.example",
        "",
    ] {
        let request = says_with_hook("work", hook(url));
        let error = bench.send(request).await.unwrap_err();
        assert_eq!(code(&error), -32602, "{url}");
        let place = "configuration.taskPushNotificationConfig.url";
        assert!(error.message.contains(place), "{url}: {}", error.message);
    }
    assert!(store.is_empty());
}

#[tokio::test]
async fn secrets_that_would_add_headers_are_refused_all_at_once() {
    let hooked = Hooked::new();
    let task = hooked.bench.send(says("ask")).await.unwrap();
    let mut config = hook_of(&task, "https://a.example/");
    config.token = Some(Secret::new("a\r\nX-Evil: 1"));
    config.authentication = Some(AuthenticationInfo {
        scheme: "Be arer".to_owned(),
        credentials: Some(Secret::new("b\nc")),
    });
    let error = hooked.create(config).await.unwrap_err();
    assert_eq!(code(&error), -32602);
    for place in [
        "token",
        "authentication.scheme",
        "authentication.credentials",
    ] {
        assert!(error.message.contains(place), "{}", error.message);
    }
    assert!(!error.message.contains("Evil"));
}

#[tokio::test]
async fn a_task_has_only_so_many_webhooks() {
    let hooked = Hooked::new();
    let task = hooked.bench.send(says("ask")).await.unwrap();
    for _ in 0..10 {
        hooked.created(hook_of(&task, "https://a.example/")).await;
    }
    let error = hooked.create(hook_of(&task, "https://a.example/")).await;
    assert_eq!(code(&error.unwrap_err()), -32602);
}

#[tokio::test]
async fn a_receiver_that_never_answers_holds_up_no_stream_and_no_other_receiver() {
    let mut patient = settings();
    patient.timeout = Duration::from_secs(3600);
    let mut hooked = Hooked::idle(Arc::new(MemoryStore::new()), patient);
    hooked.work();
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let request = Operation::SendStreamingMessage(says_with_hook("hold", hook(&url)));
    let mut stream = hooked.bench.stream(request).await.unwrap();
    let begun = stream.next().await.unwrap().unwrap();
    let id = begun.event.task_id().unwrap().to_owned();
    let sink = Arc::new(WebhookSink::start());
    let mut other = hook(&sink.url("/"));
    other.task_id = Some(id);
    hooked.created(other).await;
    let (_called, _) = silent.accept().await.unwrap();
    hooked.bench.agent.release.notify_one();
    let events = all(stream).await;
    assert_eq!(states(&events).last(), Some(&TaskState::Completed));
    let last = calls(&sink, 1).await;
    assert!(!last.is_empty());
}

#[tokio::test]
async fn a_receiver_that_fails_is_told_again_in_order_and_nothing_is_left_out() {
    let hooked = Hooked::new();
    let sink = Arc::new(WebhookSink::start());
    for status in [503, 500, 429] {
        sink.answer_next(status);
    }
    let request = says_with_hook("chunks 3", hook(&sink.url("/")));
    hooked.bench.send(request).await.unwrap();
    let calls = calls(&sink, 8).await;
    assert!(calls[..4].iter().all(|call| call.body == calls[0].body));
    let chunks: Vec<_> = calls.iter().map(event).collect();
    let chunks: Vec<_> = chunks.iter().filter_map(chunk_of).collect();
    assert_eq!(chunks, ["0 ", "1 ", "2 "]);
    assert!(hooked.push.dead_letters(9).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_a_receiver_refuses_is_given_up_listed_and_sent_once_more() {
    let hooked = Hooked::new();
    let sink = Arc::new(WebhookSink::start());
    sink.answer_next(200);
    sink.answer_next(410);
    let request = says_with_hook("chunks 1", hook(&sink.url("/")));
    hooked.bench.send(request).await.unwrap();
    // What follows arrives all the same.
    let told = calls(&sink, 3).await;
    assert_eq!(event(&told[2]).state(), Some(TaskState::Completed));
    let letters = hooked.dead_letters(1).await;
    assert_eq!((letters.len(), letters[0].number), (1, 2));
    assert!(letters[0].reason.contains("410"));
    sink.answer_next(500);
    let refused = hooked.push.resend(&letters[0]).await;
    assert!(matches!(refused, Err(ResendError::Refused(_))));
    hooked.push.resend(&letters[0]).await.unwrap();
    let told = calls(&sink, 5).await;
    assert_eq!(told[4].body, told[1].body);
    assert!(hooked.push.dead_letters(9).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_receiver_that_stays_away_is_given_up_after_so_many_attempts() {
    let mut settings = settings();
    settings.attempts = 3;
    let mut hooked = Hooked::idle(Arc::new(MemoryStore::new()), settings);
    hooked.work();
    // Nobody listens there any more.
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", gone.local_addr().unwrap());
    drop(gone);
    let request = says_with_hook("chunks 2", hook(&url));
    hooked.bench.send(request).await.unwrap();
    let letters = hooked.dead_letters(4).await;
    let numbers: Vec<u64> = letters.iter().map(|letter| letter.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
}

#[tokio::test]
async fn another_process_goes_on_where_one_has_ended() {
    let store = Arc::new(MemoryStore::new());
    let sink = Arc::new(WebhookSink::start());
    let mut before = Hooked::idle(Arc::clone(&store), settings());
    let request = says_with_hook("ask", hook(&sink.url("/")));
    let task = before.bench.send(request).await.unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let push = before.push.clone();
    before
        .worker
        .spawn(async move { push.run(async { drop(stopped.await) }).await });
    assert_eq!(calls(&sink, 2).await.len(), 2);
    stop.send(()).unwrap();
    while before.worker.join_next().await.is_some() {}
    let mut answer = says("chunks 1");
    answer.message.task_id = Some(task.id.clone());
    before.bench.send(answer).await.unwrap();
    drop(before);

    let mut after = Hooked::idle(store, settings());
    after.work();
    let told = calls(&sink, 5).await;
    let states: Vec<_> = told.iter().filter_map(|call| event(call).state()).collect();
    let expected = [
        TaskState::Submitted,
        TaskState::InputRequired,
        TaskState::Working,
        TaskState::Completed,
    ];
    assert_eq!(states, expected);
}

#[tokio::test]
async fn a_message_of_anybody_fires_every_webhook_of_the_task() {
    let hooked = Hooked::new();
    let sink = Arc::new(WebhookSink::start());
    let task = hooked.bench.send(says("ask")).await.unwrap();
    hooked.created(hook_of(&task, &sink.url("/first"))).await;
    // Another request, by another user who shares the task, brings its own webhook.
    let mut answer = says_with_hook("work", hook(&sink.url("/second")));
    answer.message.task_id = Some(task.id.clone());
    hooked.bench.send(answer).await.unwrap();
    let told = calls(&sink, 4).await;
    for line in ["POST /first", "POST /second"] {
        let of_one = told.iter().filter(|call| call.line == line);
        let states: Vec<_> = of_one.filter_map(|call| event(call).state()).collect();
        assert_eq!(states, [TaskState::Working, TaskState::Completed], "{line}");
    }
}

#[tokio::test]
async fn a_webhook_of_0_3_is_sent_the_task_in_the_form_of_0_3_whenever_its_status_changes() {
    let hooked = Hooked::new();
    let sink = Arc::new(WebhookSink::start());
    let mut config = hook(&sink.url("/"));
    config.token = Some(Secret::new("t0ken"));
    let request = Operation::SendMessage(says_with_hook("chunks 3", config));
    let call = Call::new(ProtocolVersion::V0_3);
    let agent = hooked.bench.agent.as_ref();
    hooked
        .bench
        .handler
        .call(agent, request, call)
        .await
        .unwrap();
    let told = calls(&sink, 2).await;
    assert_eq!(told.len(), 2);
    let bodies: Vec<serde_json::Value> = told
        .iter()
        .map(|call| serde_json::from_slice(&call.body).unwrap())
        .collect();
    for body in &bodies {
        assert_eq!(body["kind"], "task");
    }
    assert_eq!(bodies[0]["status"]["state"], "submitted");
    assert_eq!(bodies[1]["status"]["state"], "completed");
    let parts = bodies[1]["artifacts"][0]["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 3);
    assert_eq!(told[0].header("content-type"), Some("application/json"));
    assert_eq!(told[0].header("x-a2a-notification-token"), Some("t0ken"));
}

/// A way out that knows these addresses of a name, and may speak plain HTTP.
fn knowing(name: &str, addresses: &[&str]) -> Egress {
    let addresses = addresses.iter().map(|it| it.parse().unwrap()).collect();
    let mut options = egress::Options::default();
    options.allow_http = true;
    options.hosts = [(name.to_owned(), addresses)].into();
    Egress::new(options).unwrap()
}

#[tokio::test]
async fn a_name_that_leads_inside_later_is_not_called() {
    let sink = Arc::new(WebhookSink::start());
    let url = sink.url("/").replace("127.0.0.1", "hooks.example");
    for inside in [
        "127.0.0.1",
        "::ffff:127.0.0.1",
        "169.254.169.254",
        "fd00::1",
    ] {
        let store = Arc::new(MemoryStore::new());
        let bench = Bench::over(Arc::clone(&store) as Arc<dyn TaskStore>);
        let push = |addresses: &[&str]| {
            let egress = knowing("hooks.example", addresses);
            Push::new(bench.tasks.clone(), store.clone(), egress, settings())
        };
        // Public while it is registered.
        let handler = bench.handler.clone();
        let registering = Bench {
            handler: handler.with_push(push(&["93.184.215.14"])),
            ..bench.asked_by("owner")
        };
        let request = says_with_hook("work", hook(&url));
        registering.send(request).await.unwrap();
        let mut hooked = Hooked {
            push: push(&[inside]),
            bench: registering,
            worker: JoinSet::new(),
        };
        hooked.work();
        let letters = hooked.dead_letters(2).await;
        for letter in letters {
            assert!(
                letter.reason.contains("not a public address"),
                "{}",
                letter.reason
            );
        }
    }
    assert!(sink.calls().is_empty());
}

#[tokio::test]
async fn a_redirect_of_a_receiver_is_not_followed() {
    let inside = Arc::new(WebhookSink::start());
    let sink = Arc::new(WebhookSink::start());
    for _ in 0..2 {
        sink.answer_next_under(307, &format!("Location: {}", inside.url("/")));
    }
    let hooked = Hooked::new();
    let url = sink.url("/");
    let request = says_with_hook("work", hook(&url));
    hooked.bench.send(request).await.unwrap();
    let letters = hooked.dead_letters(2).await;
    assert!(letters.iter().all(|it| it.reason.contains("redirect")));
    assert!(inside.calls().is_empty());
}
