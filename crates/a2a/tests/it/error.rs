//! Errors on the wire.

use a2a::error::{Error, ErrorData, ErrorKind};
use a2a::headers::ProtocolVersion;
use a2a::jsonrpc::{Id, read_response, write_error};
use a2a::method::{Method, Method03};
use insta::assert_snapshot;

use crate::raw;

fn written(error: &Error) -> serde_json::Value {
    serde_json::from_slice(&write_error(&Id::from(1), error)).unwrap()
}

#[test]
fn codes_and_reasons() {
    for (kind, code, reason) in [
        (ErrorKind::TaskNotFound, -32001, "TASK_NOT_FOUND"),
        (ErrorKind::TaskNotCancelable, -32002, "TASK_NOT_CANCELABLE"),
        (
            ErrorKind::PushNotificationNotSupported,
            -32003,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        (
            ErrorKind::UnsupportedOperation,
            -32004,
            "UNSUPPORTED_OPERATION",
        ),
        (
            ErrorKind::ContentTypeNotSupported,
            -32005,
            "CONTENT_TYPE_NOT_SUPPORTED",
        ),
        (
            ErrorKind::InvalidAgentResponse,
            -32006,
            "INVALID_AGENT_RESPONSE",
        ),
        (
            ErrorKind::ExtendedAgentCardNotConfigured,
            -32007,
            "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
        ),
        (
            ErrorKind::ExtensionSupportRequired,
            -32008,
            "EXTENSION_SUPPORT_REQUIRED",
        ),
        (
            ErrorKind::VersionNotSupported,
            -32009,
            "VERSION_NOT_SUPPORTED",
        ),
    ] {
        assert_eq!(kind.json_rpc_code(), code);
        assert_eq!(ErrorKind::from_json_rpc_code(code), kind);
        assert_eq!(kind.reason(), Some(reason));
        assert_eq!(ErrorKind::from_reason(reason), Some(kind));
        let info = &written(&Error::new(kind, "x"))["error"]["data"][0];
        assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
        assert_eq!(info["reason"], reason);
        assert_eq!(info["domain"], "a2a-protocol.org");
    }
    for (kind, code) in [
        (ErrorKind::Parse, -32700),
        (ErrorKind::InvalidRequest, -32600),
        (ErrorKind::MethodNotFound, -32601),
        (ErrorKind::InvalidParams, -32602),
        (ErrorKind::Internal, -32603),
        (ErrorKind::Other(-32000), -32000),
    ] {
        assert_eq!(kind.json_rpc_code(), code);
        assert_eq!(ErrorKind::from_json_rpc_code(code), kind);
        assert_eq!(kind.reason(), None);
        assert_eq!(written(&Error::new(kind, "x"))["error"].get("data"), None);
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
