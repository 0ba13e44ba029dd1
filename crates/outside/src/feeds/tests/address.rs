use std::sync::atomic::{AtomicUsize, Ordering};

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::{net::TcpListener, task::JoinHandle};

use super::*;

/// A vendor's server: a file with an entity tag, or a failure.
#[derive(Debug, Default)]
struct Vendor {
    answer: Mutex<Answer>,
    asked: AtomicUsize,
    seen: Mutex<HeaderMap>,
}

#[derive(Debug, Clone)]
enum Answer {
    File(&'static str, String),
    Status(StatusCode),
    Redirect(&'static str),
}

impl Default for Answer {
    fn default() -> Self {
        Self::Status(StatusCode::NOT_FOUND)
    }
}

async fn serve(State(vendor): State<Arc<Vendor>>, headers: HeaderMap) -> Response {
    vendor.asked.fetch_add(1, Ordering::Relaxed);
    let wanted = headers.get(header::IF_NONE_MATCH).cloned();
    *vendor.seen.lock().unwrap() = headers;
    let answer = vendor.answer.lock().unwrap().clone();
    match answer {
        Answer::File(etag, _) if wanted.is_some_and(|it| it == etag) => {
            StatusCode::NOT_MODIFIED.into_response()
        }
        Answer::File(etag, content) => ([(header::ETAG, etag)], content).into_response(),
        Answer::Status(status) => status.into_response(),
        Answer::Redirect(to) => (StatusCode::FOUND, [(header::LOCATION, to)], "").into_response(),
    }
}

/// The vendor's server on a free port; it ends with the test.
struct Serving {
    vendor: Arc<Vendor>,
    settings: Value,
    task: JoinHandle<()>,
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Serving {
    #[expect(clippy::disallowed_methods, reason = "the handle is kept")]
    async fn start(answer: Answer) -> Self {
        let vendor = Arc::new(Vendor {
            answer: Mutex::new(answer),
            ..Vendor::default()
        });
        let router = Router::new()
            .route("/{*path}", get(serve))
            .with_state(Arc::clone(&vendor));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let settings = json!({ "url": format!("http://{address}/export.csv?key=s3cret") });
        Self {
            vendor,
            settings,
            task,
        }
    }

    fn answers(&self, answer: Answer) {
        *self.vendor.answer.lock().unwrap() = answer;
    }

    fn asked(&self) -> usize {
        self.vendor.asked.load(Ordering::Relaxed)
    }
}

fn watch(feeds: &Feeds) -> Watch<'_> {
    let (feed, source) = &feeds.sources[0];
    Watch::new(feed, source)
}

#[tokio::test]
async fn a_file_is_fetched_once_and_then_only_asked_for() {
    let bench = Bench::new();
    let serving = Serving::start(Answer::File("\"1\"", csv(&["A1"]))).await;
    let feeds = bench.feeds(&serving.settings);
    let mut first = watch(&feeds);
    first.look().await;
    first.look().await;
    assert_eq!(serving.asked(), 1, "the hour is not over");
    assert_eq!(bench.lot().await, ["A1"]);
    bench.pass(3600);
    first.look().await;
    assert_eq!(serving.asked(), 2);
    assert_eq!(bench.lot().await, ["A1"]);

    let restarted = bench.feeds(&serving.settings);
    let mut second = watch(&restarted);
    second.look().await;
    assert_eq!(serving.asked(), 2, "a restart does not ask earlier");
    bench.pass(3600);
    second.look().await;
    let seen = serving.vendor.seen.lock().unwrap().clone();
    assert_eq!(seen[header::IF_NONE_MATCH], "\"1\"");

    serving.answers(Answer::File("\"2\"", csv(&["A1", "A2"])));
    bench.pass(3600);
    second.look().await;
    assert_eq!(bench.lot().await, ["A1", "A2"]);
    assert!(bench.open().await.is_empty());
}

#[tokio::test]
async fn a_file_that_has_not_changed_is_a_sighting_of_it() {
    let bench = Bench::new();
    let serving = Serving::start(Answer::File("\"1\"", csv(&["A1"]))).await;
    let feeds = bench.feeds(&serving.settings);
    let mut watch = watch(&feeds);
    watch.look().await;
    bench.pass(3600);
    watch.look().await;
    let states: Vec<RunState> = bench
        .runs()
        .await
        .into_iter()
        .map(|(state, _)| state)
        .collect();
    assert_eq!(states, [RunState::Applied, RunState::Repeated]);
}

#[tokio::test]
async fn a_file_that_has_not_changed_is_fetched_again_when_the_stock_has() {
    let bench = Bench::new();
    let serving = Serving::start(Answer::File("\"1\"", csv(&["A1"]))).await;
    let feeds = bench.feeds(&serving.settings);
    let mut watch = watch(&feeds);
    watch.look().await;
    let (feed, _) = &feeds.sources[0];
    let other = csv(&["B1"]);
    let imported = receive(
        &feed.store,
        &feed.dealer_id,
        feed.target(),
        None,
        other.as_bytes(),
    );
    imported.await.unwrap();
    bench.pass(3600);
    watch.look().await;
    watch.look().await;
    assert_eq!(bench.lot().await, ["A1"]);
}

#[tokio::test]
async fn a_file_that_was_refused_is_fetched_whole_the_next_time() {
    let bench = Bench::new();
    let serving = Serving::start(Answer::File("\"1\"", "<html>".to_owned())).await;
    let feeds = bench.feeds(&serving.settings);
    let mut watch = watch(&feeds);
    watch.look().await;
    bench.pass(3600);
    watch.look().await;
    assert_eq!(bench.runs().await.len(), 2);
}

#[tokio::test]
async fn a_redirect_is_told_with_its_target_and_without_the_secret() {
    let bench = Bench::new();
    let serving = Serving::start(Answer::Redirect("https://new.example/feed")).await;
    let feeds = bench.feeds(&serving.settings);
    watch(&feeds).look().await;
    let open = bench.open().await;
    assert_eq!(open[0].0, Kind::FeedSource);
    assert!(
        open[0].1.contains("https://new.example/feed"),
        "{}",
        open[0].1
    );
    assert!(!open[0].1.contains("s3cret"), "{}", open[0].1);
}

#[tokio::test]
async fn a_server_that_fails_is_asked_again_soon_and_told_when_it_lasts() {
    let bench = Bench::new();
    let serving = Serving::start(Answer::Status(StatusCode::BAD_GATEWAY)).await;
    let feeds = bench.feeds(&serving.settings);
    let mut watch = watch(&feeds);
    watch.look().await;
    bench.pass(59);
    watch.look().await;
    assert_eq!(serving.asked(), 1, "not at once");
    bench.pass(16);
    watch.look().await;
    assert_eq!(serving.asked(), 2);
    assert!(bench.open().await.is_empty(), "it may pass");
    bench.pass(150);
    watch.look().await;
    let open = bench.open().await;
    assert_eq!(open[0].0, Kind::FeedSource);
    assert!(open[0].1.contains("502"), "{}", open[0].1);
    serving.answers(Answer::File("\"1\"", csv(&["A1"])));
    bench.pass(300);
    watch.look().await;
    assert_eq!(bench.lot().await, ["A1"]);
    assert!(bench.open().await.is_empty());
}

#[tokio::test]
async fn secrets_come_from_files_and_count_when_they_change() {
    let bench = Bench::new();
    let folder = tempfile::tempdir().unwrap();
    let (headers, password) = (
        folder.path().join("headers"),
        folder.path().join("password"),
    );
    std::fs::write(&headers, "X-Api-Key: k3y\n\nX-Other:  two words \n").unwrap();
    std::fs::write(&password, "open sesame\n").unwrap();
    let mut serving = Serving::start(Answer::File("\"1\"", csv(&["A1"]))).await;
    serving.settings["headers_file"] = json!(headers);
    serving.settings["user"] = json!("dealer");
    serving.settings["password_file"] = json!(password);
    let feeds = bench.feeds(&serving.settings);
    let mut watch = watch(&feeds);
    watch.look().await;
    let seen = serving.vendor.seen.lock().unwrap().clone();
    assert_eq!(seen["x-api-key"], "k3y");
    assert_eq!(seen["x-other"], "two words");
    assert_eq!(
        seen[header::AUTHORIZATION],
        "Basic ZGVhbGVyOm9wZW4gc2VzYW1l"
    );
    std::fs::write(&headers, "X-Api-Key: k3y\nno header").unwrap();
    bench.pass(3600);
    watch.look().await;
    let open = bench.open().await;
    assert!(open[0].1.contains("line 2"), "{}", open[0].1);
    assert!(!open[0].1.contains("no header"), "{}", open[0].1);
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_told() {
    let bench = Bench::new();
    let mut serving = Serving::start(Answer::File("\"1\"", "x".repeat(1_000_001))).await;
    serving.settings["max_megabytes"] = json!(1);
    let feeds = bench.feeds(&serving.settings);
    watch(&feeds).look().await;
    let open = bench.open().await;
    assert!(open[0].1.contains("larger than 1000000"), "{}", open[0].1);
    assert!(bench.runs().await.is_empty());
}
