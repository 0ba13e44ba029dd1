//! HTTP around the operations of HTTP+JSON.

use super::{Site, both_versions, message, reason};
use crate::client::exchange;
use crate::start::VERSION;
use crate::tasks::{says, says_at_once};

const TEXT: &str = r#"{"text":"direct"}"#;

#[tokio::test]
async fn paths_that_lead_nowhere_are_told_from_verbs_that_do_not_fit() {
    let site = Site::new();
    for target in [
        "/a2a/nothing",
        "/a2a/message:sell",
        "/a2a/v1",
        "/a2a/a/b/tasks",
    ] {
        let reply = site.ask("GET", target, &[VERSION]).await;
        assert_eq!(reply.status, 404, "{target}");
        let error = &reply.json()["error"];
        assert_eq!(
            (&error["code"], &error["status"]),
            (&404.into(), &"UNIMPLEMENTED".into())
        );
    }
    for (verb, target, allow) in [
        ("GET", "/a2a/message:send", "POST"),
        ("PUT", "/a2a/tasks/t:subscribe", "GET, POST"),
        ("POST", "/a2a/v1/tasks", "GET"),
        (
            "PATCH",
            "/a2a/north/tasks/t/pushNotificationConfigs/c",
            "GET, DELETE",
        ),
    ] {
        let reply = site
            .ask(verb, target, &[VERSION, "Content-Length: 0"])
            .await;
        assert_eq!(
            (reply.status, reply.header("allow")),
            (405, Some(allow)),
            "{verb} {target}"
        );
        assert_eq!(reply.json()["error"]["code"], 405);
    }
}

#[tokio::test]
async fn answers_come_in_the_media_type_of_the_request() {
    let site = Site::new();
    let (own, plain) = ("application/a2a+json", "application/json");
    for (lines, expected, of_errors) in [
        // Errors are no objects of the protocol.
        (vec![], own, plain),
        (vec!["Accept: */*"], own, plain),
        (vec!["Content-Type: application/a2a+json"], own, own),
        (
            vec!["Content-Type: Application/JSON; charset=utf-8"],
            plain,
            plain,
        ),
        (
            vec!["Accept: text/html, application/json;q=0.9"],
            plain,
            plain,
        ),
        (vec!["Accept: application/a2a+json"], own, own),
        (
            vec![
                "Content-Type: application/json",
                "Accept: application/a2a+json",
            ],
            plain,
            plain,
        ),
    ] {
        let mut headers = vec![VERSION];
        headers.extend(&lines);
        for (body, expected) in [(message(TEXT), expected), ("{".to_owned(), of_errors)] {
            let reply = site.post("/a2a/message:send", &headers, &body).await;
            assert_eq!(reply.header("content-type"), Some(expected), "{lines:?}");
        }
    }
    let reply = site
        .ask(
            "GET",
            "/a2a/v1/tasks/none",
            &["Accept: application/a2a+json"],
        )
        .await;
    assert_eq!(
        reply.header("content-type"),
        Some(plain),
        "0.3 knows one type only"
    );
}

#[tokio::test]
async fn other_media_types_are_refused_before_the_body_is_read() {
    let site = Site::new();
    let headers = [VERSION, "Content-Type: text/plain"];
    let reply = site
        .post("/a2a/message:send", &headers, "this is not JSON")
        .await;
    assert_eq!(reply.status, 415);
    assert_eq!(reply.json()["error"]["code"], 415);
    assert_eq!(reason(&reply), "CONTENT_TYPE_NOT_SUPPORTED");
    // A GET has no body whose type could matter.
    let reply = site.ask("GET", "/a2a/tasks", &headers).await;
    assert_eq!(reply.status, 200, "{reply:?}");
}

#[tokio::test]
async fn bodies_are_limited_in_length_and_depth() {
    let mut options = both_versions();
    let body = message(TEXT);
    options.body_limit = body.len();
    options.depth_limit = 8;
    let site = Site::with(options);
    let send = async |body: &str| site.post("/a2a/message:send", &[VERSION], body).await;
    assert_eq!(send(&body).await.status, 200);
    let reply = send(&format!("{body} ")).await;
    assert_eq!(
        (reply.status, &reply.json()["error"]["code"]),
        (413, &413.into())
    );
    let reply = send(&"[".repeat(9)).await;
    assert_eq!(reply.status, 400);
    let words = reply.json()["error"]["message"].to_string();
    assert!(words.contains("more than 8 levels"), "{words}");
}

#[tokio::test]
async fn a_subscription_is_served_to_both_verbs_with_and_without_a_body() {
    let site = Site::new();
    let asking = site.bench.send(says("ask")).await.unwrap();
    for (prefix, version) in [("/a2a", VERSION), ("/a2a/v1", "A2A-Version: 0.3")] {
        for (verb, body) in [
            ("GET", None),
            ("POST", None),
            ("POST", Some("")),
            ("POST", Some("{}")),
        ] {
            let target = format!("{prefix}/tasks/{}:subscribe", asking.id);
            let length = body.map(|body| format!("Content-Length: {}\r\n", body.len()));
            let (length, body) = (length.unwrap_or_default(), body.unwrap_or_default());
            let request =
                format!("{verb} {target} HTTP/1.1\r\nHost: x\r\n{version}\r\n{length}\r\n{body}");
            let head = exchange(site.server.address, &request).await;
            assert_eq!(head.status, 200, "{verb} {target}");
            assert_eq!(head.header("content-type"), Some("text/event-stream"));
            assert_eq!(head.header("cache-control"), Some("no-cache"));
        }
    }
}

#[tokio::test]
async fn a_stream_goes_on_behind_the_last_event_that_was_seen() {
    let site = Site::new();
    let request = format!(
        "POST /a2a/message:stream HTTP/1.0\r\n{VERSION}\r\nContent-Length: {}\r\n\r\n{}",
        message(r#"{"text":"chunks 3"}"#).len(),
        message(r#"{"text":"chunks 3"}"#),
    );
    let whole = stream(&site, &request).await;
    let ids: Vec<&str> = whole
        .lines()
        .filter_map(|it| it.strip_prefix("id: "))
        .collect();
    assert_eq!(ids, ["1", "2", "3", "4", "5"], "{whole}");
    let again = request.replace(
        "\r\nContent-Length",
        "\r\nLast-Event-ID: 3\r\nContent-Length",
    );
    let rest = stream(&site, &again).await;
    let ids: Vec<&str> = rest
        .lines()
        .filter_map(|it| it.strip_prefix("id: "))
        .collect();
    assert_eq!(ids, ["4", "5"], "{rest}");
    let reply = site
        .post(
            "/a2a/message:stream",
            &[VERSION, "Last-Event-ID: x"],
            &message(TEXT),
        )
        .await;
    assert_eq!(reply.status, 400, "{reply:?}");
}

#[tokio::test]
async fn readers_that_stop_reading_hold_up_nobody() {
    let site = Site::new();
    let task = site.bench.send(says_at_once("bulk 300")).await.unwrap();
    let follow = format!(
        "GET /a2a/tasks/{}:subscribe HTTP/1.0\r\n{VERSION}\r\nLast-Event-ID: 1\r\n\r\n",
        task.id
    );
    // They read nothing of 20 MB, more than the buffers of their connections hold.
    let mut idle = Vec::new();
    for _ in 0..4 {
        let mut connection = crate::client::Connection::open(site.server.address).await;
        connection.send(follow.clone()).await;
        idle.push(connection);
    }
    let whole = stream(&site, &follow).await;
    assert_eq!(whole.matches("artifactUpdate").count(), 300);
    assert!(whole.contains("TASK_STATE_COMPLETED"));
    let reply = site.ask("GET", "/a2a/tasks", &[VERSION]).await;
    assert_eq!(reply.status, 200);
    drop(idle);
}

async fn stream(site: &Site, request: &str) -> String {
    let mut connection = crate::client::Connection::open(site.server.address).await;
    connection.send(request).await;
    connection.rest().await
}

#[tokio::test]
async fn an_error_before_a_stream_begins_is_a_plain_answer() {
    let site = Site::new();
    let done = site.bench.send(says("chunks 1")).await.unwrap();
    let target = format!("/a2a/tasks/{}:subscribe", done.id);
    let reply = site.ask("GET", &target, &[VERSION]).await;
    assert_eq!(reply.status, 400);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reason(&reply), "UNSUPPORTED_OPERATION");
    let reply = site
        .post("/a2a/message:stream", &[VERSION], r#"{"message":{}}"#)
        .await;
    assert_eq!(reply.status, 400);
    let violations = &reply.json()["error"]["details"][0]["fieldViolations"];
    let fields = violations
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["field"].as_str().unwrap());
    let fields: Vec<&str> = fields.collect();
    assert_eq!(
        fields,
        ["message.messageId", "message.role", "message.parts"]
    );
}

#[tokio::test]
async fn tasks_of_one_tenant_do_not_exist_for_another() {
    let site = Site::new();
    let reply = site
        .post(
            "/a2a/north/message:send",
            &[VERSION],
            &message(r#"{"text":"chunks 1"}"#),
        )
        .await;
    let id = reply.json()["task"]["id"].as_str().unwrap().to_owned();
    for (tenant, status) in [("/north", 200), ("/south", 404), ("", 404)] {
        let target = format!("/a2a{tenant}/tasks/{id}");
        let reply = site.ask("GET", &target, &[VERSION]).await;
        assert_eq!(reply.status, status, "{target}");
        let list = site
            .ask("GET", &format!("/a2a{tenant}/tasks"), &[VERSION])
            .await;
        let total = u16::from(status == 200);
        assert_eq!(list.json()["totalSize"], total, "{list:?}");
    }
}

#[tokio::test]
async fn faulty_queries_are_answered_with_every_fault() {
    let site = Site::new();
    for (target, fields) in [
        (
            "/a2a/tasks?pageSize=0&status=working",
            vec!["pageSize", "status"],
        ),
        ("/a2a/tasks?pageSize=101", vec!["pageSize"]),
        ("/a2a/tasks?historyLength=-1", vec!["historyLength"]),
        (
            "/a2a/tasks?statusTimestampAfter=yesterday",
            vec!["statusTimestampAfter"],
        ),
        ("/a2a/tasks?pageToken=99999", vec!["pageToken"]),
        ("/a2a/tasks/t?historyLength=-1", vec!["historyLength"]),
    ] {
        let reply = site.ask("GET", target, &[VERSION]).await;
        assert_eq!(reply.status, 400, "{target}: {reply:?}");
        let details = &reply.json()["error"]["details"][0]["fieldViolations"];
        let mut found: Vec<String> = details
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["field"].as_str().unwrap().to_owned())
            .collect();
        found.sort();
        assert_eq!(found, fields, "{target}");
    }
    let reply = site
        .ask("GET", "/a2a/tasks?unknown=1&pageSize=1", &[VERSION])
        .await;
    assert_eq!(
        (reply.status, &reply.json()["nextPageToken"]),
        (200, &"".into())
    );
}
