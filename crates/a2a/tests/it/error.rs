//! Errors on the wire.

use a2a::error::{Error, ErrorData, ErrorKind, GrpcCode};
use a2a::headers::ProtocolVersion;
use a2a::jsonrpc::{Id, read_response, write_error};
use a2a::method::{Method, Method03};
use insta::assert_snapshot;

use crate::raw;

fn written(error: &Error) -> serde_json::Value {
    serde_json::from_slice(&write_error(&Id::from(1), error)).unwrap()
}

/// The table of A2A 1.0.1 §5.4.
#[rustfmt::skip]
const TABLE: [(ErrorKind, i64, &str, u16, &str); 9] = [
    (ErrorKind::TaskNotFound, -32001, "NOT_FOUND", 404, "TASK_NOT_FOUND"),
    (ErrorKind::TaskNotCancelable, -32002, "FAILED_PRECONDITION", 400, "TASK_NOT_CANCELABLE"),
    (ErrorKind::PushNotificationNotSupported, -32003, "FAILED_PRECONDITION", 400, "PUSH_NOTIFICATION_NOT_SUPPORTED"),
    (ErrorKind::UnsupportedOperation, -32004, "FAILED_PRECONDITION", 400, "UNSUPPORTED_OPERATION"),
    (ErrorKind::ContentTypeNotSupported, -32005, "INVALID_ARGUMENT", 400, "CONTENT_TYPE_NOT_SUPPORTED"),
    (ErrorKind::InvalidAgentResponse, -32006, "INTERNAL", 500, "INVALID_AGENT_RESPONSE"),
    (ErrorKind::ExtendedAgentCardNotConfigured, -32007, "FAILED_PRECONDITION", 400, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
    (ErrorKind::ExtensionSupportRequired, -32008, "FAILED_PRECONDITION", 400, "EXTENSION_SUPPORT_REQUIRED"),
    (ErrorKind::VersionNotSupported, -32009, "FAILED_PRECONDITION", 400, "VERSION_NOT_SUPPORTED"),
];

/// What is told apart by code alone.
#[rustfmt::skip]
const WITHOUT_REASON: [(ErrorKind, i64, &str, u16); 10] = [
    (ErrorKind::Parse, -32700, "INVALID_ARGUMENT", 400),
    (ErrorKind::InvalidRequest, -32600, "INVALID_ARGUMENT", 400),
    (ErrorKind::MethodNotFound, -32601, "UNIMPLEMENTED", 404),
    (ErrorKind::InvalidParams, -32602, "INVALID_ARGUMENT", 400),
    (ErrorKind::Internal, -32603, "INTERNAL", 500),
    (ErrorKind::Unauthenticated, -32000, "UNAUTHENTICATED", 401),
    (ErrorKind::PermissionDenied, -32000, "PERMISSION_DENIED", 403),
    (ErrorKind::TooManyRequests, -32000, "RESOURCE_EXHAUSTED", 429),
    (ErrorKind::Unavailable, -32000, "UNAVAILABLE", 503),
    (ErrorKind::Other(-32050), -32050, "UNKNOWN", 500),
];

#[test]
fn errors_have_a_name_in_each_binding() {
    for (kind, code, grpc, http, reason) in TABLE {
        assert_eq!(kind.json_rpc_code(), code);
        assert_eq!(ErrorKind::from_json_rpc_code(code), kind);
        assert_eq!(kind.grpc_code().name(), grpc);
        assert_eq!(kind.http_status(), http);
        assert_eq!(kind.reason(), Some(reason));
        assert_eq!(ErrorKind::from_reason(reason), Some(kind));
        let info = &written(&Error::new(kind, "x"))["error"]["data"][0];
        assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
        assert_eq!(info["reason"], reason);
        assert_eq!(info["domain"], "a2a-protocol.org");
    }
    for (kind, code, grpc, http) in WITHOUT_REASON {
        assert_eq!(kind.json_rpc_code(), code);
        assert_eq!(kind.grpc_code().name(), grpc);
        assert_eq!(kind.http_status(), http);
        assert_eq!(kind.reason(), None);
        assert_eq!(written(&Error::new(kind, "x"))["error"].get("data"), None);
        let expected = if code == -32000 {
            ErrorKind::Other(code)
        } else {
            kind
        };
        assert_eq!(ErrorKind::from_json_rpc_code(code), expected);
    }
}

#[test]
fn grpc_codes_are_those_of_google_rpc() {
    for number in 0..=16 {
        let code = GrpcCode::from_number(number);
        assert_eq!(code.number(), number);
        assert_eq!(GrpcCode::from_name(code.name()), Some(code));
    }
    assert_eq!(GrpcCode::from_number(5), GrpcCode::NotFound);
    assert_eq!(GrpcCode::from_number(99), GrpcCode::Unknown);
}

#[test]
fn peers_with_the_table_of_1_0_0_are_understood() {
    // 1.0.0 had other codes; without details the likeliest kind is taken.
    for (code, kind) in [
        (GrpcCode::Unimplemented, ErrorKind::UnsupportedOperation),
        (GrpcCode::NotFound, ErrorKind::TaskNotFound),
    ] {
        assert_eq!(ErrorKind::from_grpc_code(code), kind);
    }
    for (status, kind) in [
        (409, ErrorKind::TaskNotCancelable),
        (415, ErrorKind::ContentTypeNotSupported),
        (502, ErrorKind::Unavailable),
    ] {
        assert_eq!(ErrorKind::from_http_status(status), kind);
    }
}

#[test]
fn errors_on_the_wire() {
    let supported = [ProtocolVersion::V1_0];
    let slash = Method03::from_name("message/send").unwrap();
    let errors = [
        Error::unsupported_operation(Method::GetTask),
        Error::push_notification_not_supported(),
        Error::extension_support_required(&["https://a.example/x", "https://b.example/y"]),
        Error::version_not_supported(None, &supported),
        Error::version_not_supported(Some("9.9"), &supported),
        Error::version_not_supported(Some(""), &supported),
        Error::method_of_other_version(slash, &supported),
        Error::method_not_found("Sell\nMessage"),
        Error::content_type_not_supported("text/plain", &["application/json"]),
        Error::task_not_found("t-1"),
    ];
    let lines = errors.map(|error| String::from_utf8(write_error(&Id::from(1), &error)).unwrap());
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn an_application_may_put_any_value_into_data() {
    let data = raw(r#"{"type":"aap.error","retry_after_ms":1.0}"#);
    let error = Error::application(-32000, "not available", Some(data));
    let body = write_error(&Id::from(1), &error);
    assert_eq!(
        String::from_utf8(body.clone()).unwrap(),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"not available","data":{"type":"aap.error","retry_after_ms":1.0}}}"#
    );
    let read = read_response(&body).unwrap().outcome.unwrap_err();
    assert!(matches!(&read.data, ErrorData::Raw(data) if data.get().contains("1.0")));
}

#[test]
fn details_do_not_show_in_debug() {
    let error = Error::application(-32000, "no", Some(raw(r#"{"email":"a@dealer.example"}"#)));
    let shown = format!("{error:?} {error}");
    assert!(!shown.contains("dealer.example"), "{shown}");
}
