//! The envelope: what is refused, with which code, and which id answers it.

use a2a::error::{Error, ErrorData, ErrorKind};
use a2a::jsonrpc::{
    BadResponse, Id, parse_request, read_response, write_error, write_request, write_response,
};
use a2a::method::Method;

use crate::raw;

/// Code, id and words of a refusal.
fn refusal(body: &[u8]) -> (i64, String, String) {
    let refusal = parse_request(body, 8).unwrap_err();
    let code = refusal.error.kind.json_rpc_code();
    (code, refusal.id.to_string(), refusal.error.message)
}

#[test]
fn a_notification_is_refused_with_what_it_asks_for() {
    let body = br#"{"jsonrpc":"2.0","method":"message/send","params":{"a":1}}"#;
    let request = parse_request(body, 8).unwrap_err().notification.unwrap();
    assert_eq!(
        (request.method.as_str(), request.id),
        ("message/send", Id::null())
    );
    assert_eq!(request.params.unwrap().get(), r#"{"a":1}"#);
    for other in [
        r#"{"jsonrpc":"1.0","method":"message/send"}"#,
        r#"{"jsonrpc":"2.0","method":"message/send","id":true}"#,
        r#"{"jsonrpc":"2.0"}"#,
    ] {
        let refusal = parse_request(other.as_bytes(), 8).unwrap_err();
        assert!(refusal.notification.is_none(), "{other}");
    }
}

#[test]
fn ids_are_echoed_byte_for_byte() {
    for id in [
        "1",
        "-7",
        "0",
        "9007199254740993",
        "123456789012345678901234567890",
        r#""""#,
        r#""a b""#,
        r#""\u00e9é\/""#,
        "null",
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id": {id} ,"method":"GetTask"}}"#);
        let request = parse_request(body.as_bytes(), 8).unwrap();
        let answer = String::from_utf8(write_response(&request.id, &true)).unwrap();
        assert_eq!(
            answer,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":true}}"#)
        );
        let answer = write_error(&request.id, &Error::internal("x"));
        let expected =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"x"}}}}"#);
        assert_eq!(String::from_utf8(answer).unwrap(), expected);
    }
}

#[test]
fn other_ids_are_refused() {
    for id in ["true", "1.5", "1.0", "1e2", "{}", "[1]", r#"{"a":1}"#] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"GetTask"}}"#);
        let words = "an id is a string, an integer or null".to_owned();
        assert_eq!(
            refusal(body.as_bytes()),
            (-32600, "null".to_owned(), words),
            "{id}"
        );
    }
}

#[test]
fn escapes_do_not_change_what_an_envelope_says() {
    let body = br#"{"jsonrpc":"2\u002e0","id":1,"method":"Get\u0054ask"}"#;
    assert_eq!(parse_request(body, 8).unwrap().method, "GetTask");
}

#[test]
fn envelopes_are_refused_with_their_id() {
    for (body, id, words) in [
        (r#"[]"#, "null", "the body is a batch; send one request"),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]"#,
            "null",
            "the body is a batch; send one request",
        ),
        ("3", "null", "the body is not an object"),
        ("null", "null", "the body is not an object"),
        (r#""x""#, "null", "the body is not an object"),
        ("{}", "null", r#"jsonrpc is missing; it must be "2.0""#),
        (
            r#"{"jsonrpc":"2.0","method":"GetTask"}"#,
            "null",
            "id is missing; notifications are not served",
        ),
        (r#"{"jsonrpc":"2.0","id":1}"#, "1", "method is missing"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":null}"#,
            "1",
            "method is missing",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            "1",
            r#"method is 7, not a string"#,
        ),
        (
            r#"{"jsonrpc":"1.0","id":"x","method":"GetTask"}"#,
            "\"x\"",
            r#"jsonrpc is "1.0", not "2.0""#,
        ),
        (
            r#"{"jsonrpc":2.0,"id":"x","method":"GetTask"}"#,
            "\"x\"",
            r#"jsonrpc is 2.0, not "2.0""#,
        ),
        (
            r#"{"id":1,"method":"GetTask"}"#,
            "1",
            r#"jsonrpc is missing; it must be "2.0""#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"A","method":"B"}"#,
            "1",
            "method is given twice",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"A"}"#,
            "null",
            "id is given twice",
        ),
    ] {
        assert_eq!(
            refusal(body.as_bytes()),
            (-32600, id.to_owned(), words.to_owned()),
            "{body}"
        );
    }
}

#[test]
fn bodies_that_are_not_json_are_parse_errors() {
    for (body, words) in [
        (&b""[..], "the body is not JSON: "),
        (b"{", "the body is not JSON: "),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,", "the body is not JSON: "),
        (b"{} {}", "the body is not JSON: "),
        (b"{'id':1}", "the body is not JSON: "),
        (b"\xff", "the body is not UTF-8, from byte 0"),
        (b"{\"id\":\"\xc3\"}", "the body is not UTF-8, from byte 7"),
        (
            b"[[[[[[[[[1]]]]]]]]]",
            "the body nests more than 8 levels deep",
        ),
        (
            b"{\"params\":[[[[[[[[[[[[",
            "the body nests more than 8 levels deep",
        ),
    ] {
        let (code, id, message) = refusal(body);
        assert_eq!((code, id.as_str()), (-32700, "null"), "{message}");
        assert!(message.starts_with(words), "{message}");
    }
}

#[test]
fn brackets_in_strings_do_not_nest() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"[[[[[[[[[[\"[["}}"#;
    assert!(parse_request(body.as_bytes(), 2).is_ok());
}

#[test]
fn a_million_levels_are_answered() {
    let body = "[".repeat(1_000_000);
    assert_eq!(refusal(body.as_bytes()).0, -32700);
    // With the limit out of the way, reading itself does not recurse either.
    let refusal = parse_request(body.as_bytes(), usize::MAX).unwrap_err();
    assert_eq!(refusal.error.kind, ErrorKind::Parse);
    let body = format!("{{\"result\":{body}");
    assert!(read_response(body.as_bytes()).is_err());
    assert!(a2a::card::read(format!("{{\"skills\":{body}").as_bytes()).is_err());
}

#[test]
fn parameters_are_handed_on_as_they_are() {
    let params = |params: &str| {
        let body =
            format!(r#"{{"params":{params},"method":"A","id":1,"jsonrpc":"2.0","extra":[{{}}]}}"#);
        let request = parse_request(body.as_bytes(), 8).unwrap();
        request.params.map(|params| params.get().to_owned())
    };
    assert_eq!(params(r#"{"a": 1.0}"#).as_deref(), Some(r#"{"a": 1.0}"#));
    assert_eq!(params("[1]").as_deref(), Some("[1]"));
    assert_eq!(params("null"), None);
}

#[test]
fn requests_are_written() {
    let body = write_request(&"q \"1\"".into(), Method::GetTask, &raw(r#"{"id":"t"}"#)).unwrap();
    assert_eq!(
        String::from_utf8(body).unwrap(),
        r#"{"jsonrpc":"2.0","id":"q \"1\"","method":"GetTask","params":{"id":"t"}}"#
    );
}

#[test]
fn results_of_peers_are_read() {
    let answer = read_response(br#" {"jsonrpc":"2.0","id":"7","result":{"a":1.0}}"#).unwrap();
    assert_eq!(answer.id, Some(Id::from("7")));
    assert_eq!(answer.outcome.unwrap().get(), r#"{"a":1.0}"#);
    let answer = read_response(br#"{"id":7,"result":null}"#).unwrap();
    assert_eq!(answer.id, Some(Id::from(7)));
    assert_eq!(answer.outcome.unwrap().get(), "null");
    let answer = read_response(br#"{"jsonrpc":"2.0","id":7}"#).unwrap();
    assert_eq!(answer.outcome.unwrap().get(), "null", "left out");
    let answer = read_response(br#"{"result":1,"error":null,"id":1.5}"#).unwrap();
    assert_eq!(answer.id, None);
    assert_eq!(answer.outcome.unwrap().get(), "1");
}

fn error(json: &str) -> Error {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"error":{json}}}"#);
    read_response(body.as_bytes()).unwrap().outcome.unwrap_err()
}

#[test]
fn errors_of_peers_keep_their_data() {
    let found = error(r#"{"code":-32000,"message":"no","data":{"type":"aap.error","n":1.0}}"#);
    assert_eq!(found.kind, ErrorKind::Other(-32000));
    assert_eq!(found.message, "no");
    assert!(
        matches!(&found.data, ErrorData::Raw(data) if data.get() == r#"{"type":"aap.error","n":1.0}"#)
    );
    let found =
        error(r#"{"code":-32602,"message":"no","data":[{"@type":"x"},{"@type":"y","z":1}]}"#);
    assert_eq!(found.kind, ErrorKind::InvalidParams);
    assert!(matches!(&found.data, ErrorData::Details(details) if details.len() == 2));
    let found = error(r#"{"code":-32602,"message":"no","data":[{"z":1}]}"#);
    assert!(matches!(&found.data, ErrorData::Raw(_)));
}

#[test]
fn a_reason_outweighs_a_code() {
    let found = error(
        r#"{"code":-32000,"message":"gone","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",
            "reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}"#,
    );
    assert_eq!(found.kind, ErrorKind::TaskNotFound);
    let found = error(
        r#"{"code":-32004,"message":"no","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo",
            "reason":"TASK_NOT_FOUND","domain":"other.example"}]}"#,
    );
    assert_eq!(found.kind, ErrorKind::UnsupportedOperation);
}

#[test]
fn odd_errors_are_still_errors() {
    assert_eq!(error(r#""went wrong""#).kind, ErrorKind::Other(0));
    assert_eq!(error("{}").message, "the peer gave no message");
    let found = error(r#"{"code":"-32603","message":{"x":1}}"#);
    assert_eq!(
        (found.kind, found.message.as_str()),
        (ErrorKind::Internal, "the peer gave no message")
    );
}

#[test]
fn bodies_that_are_no_answers_are_told_apart() {
    assert!(matches!(
        read_response(b"<html>502</html>"),
        Err(BadResponse::NotJson(_))
    ));
    assert!(matches!(read_response(b""), Err(BadResponse::NotJson(_))));
    for (body, words) in [
        ("[]", "it is not an object"),
        ("{}", "it has neither result nor error"),
        (r#"{"jsonrpc":"2.0"}"#, "it has neither result nor error"),
        (
            r#"{"result":1,"error":{"code":1}}"#,
            "it has both result and error",
        ),
    ] {
        let error = read_response(body.as_bytes()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the body is no JSON-RPC answer: {words}")
        );
    }
}
