//! The HTTP+JSON binding: routes, queries, bodies and errors.

use a2a::error::{Error, ErrorKind};
use a2a::headers::{ProtocolVersion, version_in_query};
use a2a::method::Method;
use a2a::model::{
    CancelTaskRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest, HistoryLength,
    ListTaskPushNotificationConfigsRequest, ListTasksRequest, Message, Metadata, PageSize, Part,
    SendMessageRequest, SubscribeToTaskRequest, TaskPushNotificationConfig, TaskState,
};
use a2a::operation::{Operation, Outcome};
use a2a::rest::{NoRoute, Route, read_error, write, write_error, write_outcome};
use insta::assert_snapshot;
use proptest::prelude::*;

use crate::raw;

fn route(verb: &str, path: &str) -> Route {
    Route::find(verb, path).unwrap_or_else(|error| panic!("{verb} {path}: {error}"))
}

#[test]
fn every_operation_has_its_path() {
    for (verb, path, method) in [
        ("POST", "/message:send", Method::SendMessage),
        ("POST", "/message%3Asend", Method::SendMessage),
        ("POST", "/message:stream", Method::SendStreamingMessage),
        ("GET", "/tasks", Method::ListTasks),
        ("GET", "/tasks/", Method::ListTasks),
        ("GET", "/tasks/t", Method::GetTask),
        ("POST", "/tasks/t:cancel", Method::CancelTask),
        ("POST", "/tasks/t%3acancel", Method::CancelTask),
        ("GET", "/tasks/t:subscribe", Method::SubscribeToTask),
        ("POST", "/tasks/t:subscribe", Method::SubscribeToTask),
        (
            "POST",
            "/tasks/t/pushNotificationConfigs",
            Method::CreateTaskPushNotificationConfig,
        ),
        (
            "GET",
            "/tasks/t/pushNotificationConfigs",
            Method::ListTaskPushNotificationConfigs,
        ),
        (
            "GET",
            "/tasks/t/pushNotificationConfigs/c",
            Method::GetTaskPushNotificationConfig,
        ),
        (
            "DELETE",
            "/tasks/t/pushNotificationConfigs/c",
            Method::DeleteTaskPushNotificationConfig,
        ),
    ] {
        let found = route(verb, path);
        assert_eq!(found.method, method, "{verb} {path}");
        assert_eq!(found.version, ProtocolVersion::V1_0);
        assert_eq!(found.tenant, None);
        if path.starts_with("/tasks/t") {
            assert_eq!(found.task_id.as_deref(), Some("t"), "{verb} {path}");
        }

        let with_tenant = route(verb, &format!("/north%20lot{path}"));
        assert_eq!(with_tenant.tenant.as_deref(), Some("north lot"));
        assert_eq!(with_tenant.method, method);

        let old = route(verb, &format!("/v1{path}"));
        assert_eq!(old.version, ProtocolVersion::V0_3, "{verb} {path}");
        assert_eq!(old.method, method);
        assert_eq!(old.tenant, None);
    }
    assert_eq!(
        route("GET", "/extendedAgentCard").method,
        Method::GetExtendedAgentCard
    );
    assert_eq!(
        route("GET", "/v1/card").method,
        Method::GetExtendedAgentCard
    );
}

#[test]
fn ids_in_paths_are_decoded_and_may_hold_anything() {
    let found = route("GET", "/tasks/a%2Fb%3Fc/pushNotificationConfigs/%C4%8D:x");
    assert_eq!(found.task_id.as_deref(), Some("a/b?c"));
    assert_eq!(found.config_id.as_deref(), Some("č:x"));
    let found = route("GET", "/tasks/a:b");
    assert_eq!(found.method, Method::GetTask);
    assert_eq!(found.task_id.as_deref(), Some("a:b"));
}

#[test]
fn other_requests_have_no_route() {
    for path in [
        "",
        "/",
        "tasks",
        "/message",
        "/message:sell",
        "/tasks//pushNotificationConfigs",
        "/tasks/t/pushNotificationConfigs/c/d",
        "/a/b/message:send",
        "//message:send",
        "/v1",
        "/v1/extendedAgentCard",
        "/card",
    ] {
        assert_eq!(Route::find("GET", path), Err(NoRoute::NotFound), "{path}");
    }
    for (verb, path, allow) in [
        ("GET", "/message:send", "POST"),
        ("DELETE", "/tasks/t", "GET"),
        ("PUT", "/tasks/t:subscribe", "GET, POST"),
        ("POST", "/tasks/t/pushNotificationConfigs/c", "GET, DELETE"),
    ] {
        let found = Route::find(verb, path);
        assert_eq!(found, Err(NoRoute::WrongVerb { allow }), "{verb} {path}");
    }
}

fn read(verb: &str, target: &str, body: &str) -> Result<Operation, Error> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    route(verb, path).read(query, body.as_bytes(), 64)
}

#[test]
fn queries_hold_what_a_body_would() {
    let operation = read(
        "GET",
        "/tasks?contextId=c%20+1&status=TASK_STATE_WORKING&pageSize=7&page_token=&historyLength=0&includeArtifacts=true\
         &statusTimestampAfter=2026-05-01T10:00:00%2B02:00&A2A-Version=1.0",
        "",
    )
    .unwrap();
    let expected = ListTasksRequest {
        context_id: Some("c  1".to_owned()),
        status: Some(TaskState::Working),
        page_size: PageSize::new(7),
        history_length: HistoryLength::new(0),
        include_artifacts: Some(true),
        status_timestamp_after: Some("2026-05-01T08:00:00Z".parse().unwrap()),
        ..ListTasksRequest::default()
    };
    assert_eq!(operation, Operation::ListTasks(expected));
    let error = read(
        "GET",
        "/tasks?pageSize=0&status=working&includeArtifacts=1",
        "",
    )
    .unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidParams);
    for words in [
        "pageSize is \"0\", not a whole number from 1 to 100",
        "status is \"working\", not one of ",
        "includeArtifacts is a string, not true or false",
    ] {
        assert!(error.message.contains(words), "{}", error.message);
    }
    assert_eq!(
        version_in_query("x=1&a2a-version=1.0.7").as_deref(),
        Some("1.0.7")
    );
    assert_eq!(version_in_query("x=1"), None);
}

#[test]
fn the_path_goes_before_the_body() {
    let operation = read(
        "POST",
        "/north/tasks/t-1:cancel",
        r#"{"id":"t-2","tenant":"south","metadata":{"n":9007199254740993}}"#,
    )
    .unwrap();
    let Operation::CancelTask(request) = operation else {
        panic!("not a cancellation: {operation:?}");
    };
    assert_eq!(request.id, "t-1");
    assert_eq!(request.tenant.as_deref(), Some("north"));
    let metadata = request.metadata.unwrap();
    assert_eq!(metadata.get("n").unwrap().get(), "9007199254740993");

    let operation = read(
        "POST",
        "/tasks/t-1/pushNotificationConfigs",
        r#"{"url":"https://a.example","taskId":"t-2"}"#,
    );
    assert_eq!(operation.unwrap().task_id(), Some("t-1"));
}

#[test]
fn bodies_may_be_empty_where_nothing_is_required() {
    for (verb, target) in [
        ("POST", "/tasks/t:cancel"),
        ("POST", "/tasks/t:subscribe"),
        ("GET", "/tasks/t:subscribe"),
    ] {
        let operation = read(verb, target, " ").unwrap();
        assert_eq!(operation.task_id(), Some("t"), "{verb} {target}");
    }
    let error = read("POST", "/message:send", "").unwrap_err();
    assert_eq!(error.message, "message is missing");
    let error = read("POST", "/message:send", "{").unwrap_err();
    assert_eq!(error.kind, ErrorKind::Parse);
    let error = read("POST", "/tasks/t:cancel", &"[".repeat(100)).unwrap_err();
    assert_eq!(error.message, "the body nests more than 64 levels deep");
}

/// One operation of each kind that JSON-RPC's parameters can express.
fn operations() -> Vec<Operation> {
    let tenant = || Some("north/lot".to_owned());
    let message = Message::user("m").with_part(Part::data(raw(r#"{"n":1.0}"#)));
    let mut sent = SendMessageRequest::new(message);
    sent.tenant = tenant();
    let config = TaskPushNotificationConfig {
        task_id: Some("t ä".to_owned()),
        url: "https://a.example".to_owned(),
        ..TaskPushNotificationConfig::default()
    };
    vec![
        Operation::SendMessage(sent.clone()),
        Operation::SendStreamingMessage(sent),
        Operation::GetTask(GetTaskRequest {
            tenant: tenant(),
            id: "t/1?".to_owned(),
            history_length: HistoryLength::new(0),
        }),
        Operation::ListTasks(ListTasksRequest {
            tenant: tenant(),
            context_id: Some("a&b=c".to_owned()),
            status: Some(TaskState::AuthRequired),
            page_size: PageSize::new(5),
            page_token: Some("+/%".to_owned()),
            status_timestamp_after: Some("2026-05-01T08:00:00.123Z".parse().unwrap()),
            include_artifacts: Some(false),
            ..ListTasksRequest::default()
        }),
        Operation::CancelTask(CancelTaskRequest {
            id: "t:cancel".to_owned(),
            metadata: Some(Metadata::try_from(raw(r#"{"a":null}"#)).unwrap()),
            ..CancelTaskRequest::default()
        }),
        Operation::SubscribeToTask(SubscribeToTaskRequest {
            id: "t".to_owned(),
            ..SubscribeToTaskRequest::default()
        }),
        Operation::CreateTaskPushNotificationConfig(config),
        Operation::GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest {
            task_id: "t".to_owned(),
            id: "c/1".to_owned(),
            ..GetTaskPushNotificationConfigRequest::default()
        }),
        Operation::ListTaskPushNotificationConfigs(ListTaskPushNotificationConfigsRequest {
            task_id: "t".to_owned(),
            page_size: 3,
            page_token: Some("p".to_owned()),
            ..ListTaskPushNotificationConfigsRequest::default()
        }),
    ]
}

#[test]
fn what_a_client_writes_a_server_reads() {
    let mut lines = Vec::new();
    for operation in operations() {
        let outgoing = write(&operation).unwrap();
        let body = String::from_utf8(outgoing.body.unwrap_or_default()).unwrap();
        let verb = outgoing.verb.as_str();
        lines.push(format!("{verb} {} {body}", outgoing.target));
        assert_eq!(read(verb, &outgoing.target, &body).unwrap(), operation);
    }
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn errors_are_google_rpc_status() {
    let errors = [
        Error::task_not_found("t-1"),
        Error::task_not_cancelable("t-1", TaskState::Completed),
        Error::context_of_other_task(),
        Error::application(-32000, "no", Some(raw(r#"{"n":1.0}"#))),
        Error::application(-32000, "no", Some(raw("[1]"))),
        Error::unauthenticated(),
    ];
    let mut lines = Vec::new();
    for error in errors {
        let (status, body) = write_error(&error);
        let read = read_error(status, &body).unwrap();
        if !matches!(error.kind, ErrorKind::Other(_)) {
            assert_eq!(read.kind, error.kind);
        }
        assert_eq!(read.message, error.message);
        lines.push(format!("{status} {}", String::from_utf8(body).unwrap()));
    }
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn errors_of_other_agents_are_understood() {
    for (status, body, kind) in [
        // A draft's problem, the bare error of 0.3, the table of 1.0.0 without details.
        (
            404,
            r#"{"type":"https://a2a-protocol.org/errors/task-not-found","title":"Task not found"}"#,
            ErrorKind::TaskNotFound,
        ),
        (
            400,
            r#"{"code":-32602,"message":"bad"}"#,
            ErrorKind::InvalidParams,
        ),
        (
            409,
            r#"{"error":{"code":409,"status":"FAILED_PRECONDITION","message":"ended"}}"#,
            ErrorKind::TaskNotCancelable,
        ),
        (
            400,
            r#"{"error":{"code":400,"status":"FAILED_PRECONDITION","message":"m","details":[{"@type":
                "type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_CANCELABLE","domain":"a2a-protocol.org"}]}}"#,
            ErrorKind::TaskNotCancelable,
        ),
        (
            404,
            r#"{"code":5,"message":"m","details":[]}"#,
            ErrorKind::TaskNotFound,
        ),
        (
            401,
            r#"{"error":"invalid_token","message":"m"}"#,
            ErrorKind::Unauthenticated,
        ),
    ] {
        let error = read_error(status, body.as_bytes());
        assert_eq!(error.map(|error| error.kind), Some(kind), "{body}");
    }
    for body in ["", "<html>", "{}", "[]", r#"{"task":{}}"#, "\u{0}"] {
        assert!(read_error(502, body.as_bytes()).is_none(), "{body}");
    }
}

#[test]
fn a_deletion_is_answered_with_an_empty_object() {
    assert_eq!(write_outcome(&Outcome::Deleted).unwrap(), b"{}");
    let card = Outcome::AgentCard(Box::default());
    assert!(write_outcome(&card).unwrap().starts_with(b"{\"name\""));
}

#[test]
fn answers_are_read_leniently() {
    let task = raw(r#"{"id":"t","status":{"state":"done"},"x":1}"#);
    let (outcome, faults) = Outcome::read(Method::CancelTask, &task).unwrap();
    assert!(matches!(outcome, Outcome::Task(task) if task.id == "t"));
    assert_eq!(faults[0].pointer(), "/status/state");
    for nothing in ["null", "{}", "7"] {
        let outcome = Outcome::read(Method::DeleteTaskPushNotificationConfig, &raw(nothing));
        assert_eq!(outcome.unwrap().0, Outcome::Deleted);
    }
    assert!(Outcome::read(Method::GetTask, &raw("null")).is_err());
}

proptest! {
    #[test]
    fn no_request_panics(verb in "GET|POST|DELETE", path in "/(v1/)?[a-z%:/{}0-9]{0,30}", query in "[a-zA-Z=&%+0-9]{0,30}", body in ".{0,30}") {
        if let Ok(route) = Route::find(&verb, &path) {
            let _ = route.read(&query, body.as_bytes(), 8);
        }
        let _ = read_error(400, body.as_bytes());
    }

    #[test]
    fn ids_survive_paths(task in ".+", config in ".+", tenant in "[^v].*") {
        let operation = Operation::GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest {
            tenant: Some(tenant), task_id: task, id: config,
        });
        let outgoing = write(&operation).unwrap();
        prop_assert_eq!(read("GET", &outgoing.target, "").unwrap(), operation);
    }
}
