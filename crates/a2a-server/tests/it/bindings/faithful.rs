//! What comes back is what was sent, on every binding.

use a2a::model::{Part, PartContent, SendMessageResponse};
use a2a::operation::{Operation, Outcome};
use serde_json::value::RawValue;

use super::{Site, message};
use crate::client::Connection;
use crate::start::VERSION;
use crate::tasks::says;

/// The parts of an echo over JSON-RPC, over HTTP+JSON and in a stream of each, as they were written.
async fn echoes(parts: &str) -> Vec<String> {
    let site = Site::new();
    let message = message(&format!(r#"{{"text":"echo"}},{parts}"#));
    let rpc = |method: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{message}}}"#)
    };
    let mut found = Vec::new();
    for (target, body) in [
        ("/a2a", rpc("SendMessage")),
        ("/a2a", rpc("SendStreamingMessage")),
        ("/a2a/message:send", message.clone()),
        ("/a2a/message:stream", message.clone()),
    ] {
        let length = body.len();
        let request = format!(
            "POST {target} HTTP/1.0\r\n{VERSION}\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        let mut connection = Connection::open(site.server.address).await;
        connection.send(request).await;
        let reply = connection.rest().await;
        let begin = reply
            .find(r#"{"text":"echo"},"#)
            .unwrap_or_else(|| panic!("{reply}"));
        let rest = &reply[begin + r#"{"text":"echo"},"#.len()..];
        found.push(rest[..parts.len().min(rest.len())].to_owned());
    }
    found
}

#[tokio::test]
async fn numbers_keep_their_token() {
    let parts =
        r#"{"data":{"year":2021,"price":18990,"exact":9007199254740993,"rate":1.50,"big":1e400}}"#;
    assert_eq!(echoes(parts).await, [parts; 4]);
}

#[tokio::test]
async fn text_stays_utf_8_in_answers_and_in_streams() {
    let parts = r#"{"text":"Čeština <b> & ‘ 🚗 ="}"#;
    assert_eq!(echoes(parts).await, [parts; 4]);
}

#[tokio::test]
async fn empty_values_inside_data_are_kept() {
    let parts = r#"{"data":{"stock":0,"used":false,"note":"","list":[],"none":null}},{"data":null},{"text":""}"#;
    assert_eq!(echoes(parts).await, [parts; 4]);
}

#[tokio::test]
async fn null_inside_metadata_and_data_survives_every_binding() {
    let site = Site::new();
    for wire in site.wires() {
        let null = RawValue::from_string(r#"{"a":null}"#.to_owned()).unwrap();
        let mut request = says("echo");
        request.message.parts.push(Part::data(null.clone()));
        request.message.metadata = serde_json::from_str(null.get()).unwrap();
        let sent = wire.call(&Operation::SendMessage(request)).await.unwrap();
        let Outcome::Sent(SendMessageResponse::Message(message)) = sent else {
            panic!("no message: {sent:?}");
        };
        let metadata = serde_json::to_string(&message.metadata).unwrap();
        assert_eq!(metadata, r#"{"a":null}"#, "{wire:?}");
        let PartContent::Data(data) = &message.parts[1].content else {
            panic!("no data: {message:?}");
        };
        let data = serde_json::to_string(data).unwrap();
        assert_eq!(data, r#"{"a":null}"#, "{wire:?}");
    }
}

#[tokio::test]
async fn times_leave_in_utc_with_milliseconds_and_a_z() {
    let site = Site::new();
    let body = message(r#"{"text":"work"}"#);
    let reply = site.post("/a2a/message:send", &[VERSION], &body).await;
    let time = reply.json()["task"]["status"]["timestamp"].clone();
    let time = time.as_str().unwrap_or_else(|| panic!("{reply:?}"));
    assert!(time.ends_with('Z'), "{time}");
    assert_eq!(time.len(), "2026-05-01T12:00:00.123Z".len(), "{time}");
}

#[tokio::test]
async fn unknown_members_are_ignored() {
    let parts = r#"{"text":"direct","foo":1}"#;
    let body = message(parts).replace(r#""messageId""#, r#""foo":{"a":[1]},"messageId""#);
    let body = body.replacen('{', r#"{"foo":null,"#, 1);
    let site = Site::new();
    let reply = site.post("/a2a/message:send", &[VERSION], &body).await;
    assert_eq!(
        reply.json()["message"]["parts"][0]["text"],
        "hello",
        "{reply:?}"
    );
}

#[tokio::test]
async fn null_is_absent_and_two_contents_are_refused_with_their_place() {
    let site = Site::new();
    let body = message(r#"{"text":"direct","data":null,"raw":null,"metadata":null}"#);
    let body = body.replace(r#""text":"direct","data":null"#, r#""text":"direct""#);
    let reply = site.post("/a2a/message:send", &[VERSION], &body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let both = message(r#"{"text":"direct","url":"https://a.example"}"#);
    let reply = site.post("/a2a/message:send", &[VERSION], &both).await;
    assert_eq!(reply.status, 400);
    let field = reply.json()["error"]["details"][0]["fieldViolations"][0]["field"].clone();
    assert_eq!(field, "message.parts[0]");
}
