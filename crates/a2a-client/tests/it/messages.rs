use std::time::Duration;

use a2a::{
    error::{ErrorData, ErrorKind},
    model::{
        Message, Part, PartContent, SendMessageConfiguration, SendMessageRequest,
        SendMessageResponse,
    },
};
use a2a_client::{CallOptions, Client, Error, discover};
use serde_json::{Value, json, value::RawValue};

use crate::{
    discovery::card,
    server::{Reply, Server, egress},
};

/// A server with this card, where `ORIGIN` stands for its own, and one answer to every call.
async fn agent(card: &Value, answer: Reply) -> (Server, Client) {
    let text = card.to_string();
    let server = Server::answering(move |arrived| {
        if arrived.path.ends_with("agent-card.json") {
            let host = arrived.header("host").unwrap();
            let origin = format!("http://{host}");
            return Some(Reply::json(&text.replace("ORIGIN", &origin)));
        }
        Some(answer.clone())
    })
    .await;
    let discovered = discover(&egress(), &server.url("")).await.unwrap();
    let client = Client::new(egress(), &discovered).unwrap();
    (server, client)
}

async fn agent_answering(answer: Reply) -> (Server, Client) {
    agent(&card("ORIGIN/a2a"), answer).await
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn request() -> SendMessageRequest {
    let part = Part::data(raw(r#"{"price": 23500}"#)).with_media_type("application/x+json");
    let mut request = SendMessageRequest::new(Message::user("m-1").with_part(part));
    request.configuration = Some(SendMessageConfiguration {
        accepted_output_modes: vec!["application/y+json".to_owned()],
        ..SendMessageConfiguration::default()
    });
    request
}

fn message_answer(parts: &str) -> Reply {
    Reply::json(&format!(
        r#"{{"jsonrpc":"2.0","id":"m-1","result":{{"message":{{"messageId":"a-1","role":"ROLE_AGENT","contextId":"c","parts":{parts}}}}}}}"#
    ))
}

#[tokio::test]
async fn a_message_goes_out_and_comes_back() {
    let (server, client) = agent_answering(message_answer(
        r#"[{"data":{"year":2021,"big":9007199254740993}}]"#,
    ))
    .await;
    let mut options = CallOptions::default();
    options.extensions = vec!["https://a.example/x".to_owned(), "urn:b".to_owned()];
    let answer = client.send_message(request(), &options).await.unwrap();
    let SendMessageResponse::Message(message) = answer else {
        panic!("{answer:?}");
    };
    let PartContent::Data(data) = &message.parts[0].content else {
        panic!("{message:?}");
    };
    assert_eq!(data.get(), r#"{"year":2021,"big":9007199254740993}"#);

    let call = &server.arrived()[1];
    assert_eq!(call.path, "/a2a");
    assert_eq!(call.header("content-type"), Some("application/json"));
    assert_eq!(call.header("a2a-version"), Some("1.0"));
    assert_eq!(
        call.header("a2a-extensions"),
        Some("https://a.example/x, urn:b")
    );
    assert!(
        call.body.contains(r#""data":{"price": 23500}"#),
        "{}",
        call.body
    );
    assert_eq!(
        call.json(),
        json!({
            "jsonrpc": "2.0",
            "id": "m-1",
            "method": "SendMessage",
            "params": {
                "message": {
                    "messageId": "m-1",
                    "role": "ROLE_USER",
                    "parts": [{ "data": { "price": 23500 }, "mediaType": "application/x+json" }],
                },
                "configuration": { "acceptedOutputModes": ["application/y+json"] },
            },
        })
    );
}

#[tokio::test]
async fn an_interface_is_called_as_its_url_stands_with_and_without_a_slash() {
    for path in ["/a2a", "/a2a/"] {
        let answer = message_answer(r#"[{"text":"hi"}]"#);
        let (server, client) = agent(&card(&format!("ORIGIN{path}")), answer).await;
        client
            .send_message(request(), &CallOptions::default())
            .await
            .unwrap();
        assert_eq!(server.arrived()[1].path, path);
    }
}

#[tokio::test]
async fn without_extensions_there_is_no_header() {
    let (server, client) = agent_answering(message_answer(r#"[{"text":"hi"}]"#)).await;
    client
        .send_message(request(), &CallOptions::default())
        .await
        .unwrap();
    assert_eq!(server.arrived()[1].header("a2a-extensions"), None);
}

#[tokio::test]
async fn a_task_is_an_answer_too() {
    let (_server, client) = agent_answering(Reply::json(&json!({
        "jsonrpc": "2.0",
        "id": "m-1",
        "result": { "task": { "id": "t-1", "status": { "state": "TASK_STATE_WORKING" } } },
    })))
    .await;
    let answer = client
        .send_message(request(), &CallOptions::default())
        .await
        .unwrap();
    assert!(matches!(answer, SendMessageResponse::Task(task) if task.id == "t-1"));
}

#[tokio::test]
async fn the_first_interface_that_can_be_called_is_taken_with_its_tenant() {
    let mut card = card("");
    card["supportedInterfaces"] = json!([
        { "url": "agent.example:443", "protocolBinding": "GRPC", "protocolVersion": "2.0" },
        { "url": "ORIGIN/custom", "protocolBinding": "https://b.example/own", "protocolVersion": "1.0" },
        { "url": "ORIGIN/old", "protocolBinding": "JSONRPC", "protocolVersion": "0.3" },
        { "url": "../rpc?x=1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0.3", "tenant": "north" },
        { "url": "ORIGIN/other", "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
    ]);
    let (server, client) = agent(&card, message_answer(r#"[{"text":"hi"}]"#)).await;
    assert_eq!(client.interface_url().as_str(), server.url("/rpc?x=1"));
    let mut sent = request();
    sent.tenant = Some("of the caller".to_owned());
    client
        .send_message(sent, &CallOptions::default())
        .await
        .unwrap();
    let call = &server.arrived()[1];
    assert_eq!(call.path, "/rpc");
    assert_eq!(call.json()["params"]["tenant"], "north");
}

#[tokio::test]
async fn a_card_without_a_callable_interface_says_what_it_offers() {
    let mut card = card("");
    card["supportedInterfaces"] = json!([
        { "url": "http://a.example/old", "protocolBinding": "JSONRPC", "protocolVersion": "0.3" },
        { "url": "a.example:443", "protocolBinding": "GRPC", "protocolVersion": "1.1" },
    ]);
    let server = Server::start(&[("/card.json", Reply::json(&card))]).await;
    let discovered = discover(&egress(), &server.url("/card.json"))
        .await
        .unwrap();
    let error = Client::new(egress(), &discovered).unwrap_err();
    let Error::NoSupportedInterface { offered, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(
        *offered,
        [
            "JSONRPC 0.3 at http://a.example/old",
            "GRPC 1.1 at a.example:443"
        ]
    );
    assert!(error.to_string().contains("JSONRPC 0.3"), "{error}");
}

#[tokio::test]
async fn a_card_cannot_point_to_a_closed_address() {
    let card = card("http://10.1.2.3/a2a");
    let (_server, client) = agent(&card, message_answer("[]")).await;
    let error = client
        .send_message(request(), &CallOptions::default())
        .await
        .unwrap_err();
    assert!(
        matches!(error, Error::Network(egress::Error::AddressBlocked { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_error_of_the_agent_keeps_its_data() {
    let data = r#"{"type":"aap.error","code":"VEHICLE_NOT_FOUND","price":1.0}"#;
    for status in [200, 400, 500] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":"m-1","error":{{"code":-32000,"message":"gone","data":{data}}}}}"#
        );
        let (_server, client) = agent_answering(Reply::new(status, "application/json", body)).await;
        let error = client
            .send_message(request(), &CallOptions::default())
            .await
            .unwrap_err();
        let Error::Agent(rpc) = &error else {
            panic!("{status}: {error:?}");
        };
        assert_eq!(rpc.kind, ErrorKind::Other(-32000));
        assert_eq!(rpc.message, "gone");
        assert!(matches!(&rpc.data, ErrorData::Raw(raw) if raw.get() == data));
        assert!(!error.is_retryable());
    }
}

#[tokio::test]
async fn a_body_that_is_no_answer_is_shown() {
    let wrong_id = r#"{"jsonrpc":"2.0","id":"m-2","result":{"message":{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":"x"}]}}}"#;
    let empty_message = r#"{"jsonrpc":"2.0","id":"m-1","result":{"message":{}}}"#;
    for body in [
        "",
        "{}",
        "[]",
        "null",
        "ok",
        "<html></html>",
        r#"{"jsonrpc":"2.0","id":"m-1"}"#,
        r#"{"jsonrpc":"2.0","id":"m-1","result":null}"#,
        r#"{"jsonrpc":"2.0","id":"m-1","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"m-1","result":[]}"#,
        empty_message,
        wrong_id,
    ] {
        let (_server, client) = agent_answering(Reply::new(200, "text/html", body)).await;
        let error = client
            .send_message(request(), &CallOptions::default())
            .await
            .unwrap_err();
        let Error::BadAnswer { answer, .. } = &error else {
            panic!("{body}: {error:?}");
        };
        assert_eq!(answer.status, 200);
        assert_eq!(answer.body_length, body.len());
        assert!(!error.is_retryable());
    }
}

#[tokio::test]
async fn a_proxys_page_is_told_by_its_status() {
    let page = "<html>\n <h1>Bad\u{7} Gateway</h1>".to_owned() + &"x".repeat(5000);
    for (status, retryable) in [(502, true), (429, true), (401, false), (500, false)] {
        let (_server, client) =
            agent_answering(Reply::new(status, "text/html; charset=utf-8", &page)).await;
        let error = client
            .send_message(request(), &CallOptions::default())
            .await
            .unwrap_err();
        let Error::HttpStatus { answer } = &error else {
            panic!("{status}: {error:?}");
        };
        assert_eq!(answer.status.as_u16(), status);
        assert_eq!(
            answer.content_type.as_deref(),
            Some("text/html; charset=utf-8")
        );
        assert!(
            answer
                .beginning
                .starts_with("<html> <h1>Bad Gateway</h1>xxx")
        );
        assert_eq!(answer.beginning.chars().count(), 120);
        assert_eq!(error.is_retryable(), retryable, "{status}");
    }
}

#[tokio::test]
async fn an_answer_whose_meaning_is_clear_is_taken_with_its_faults() {
    let (_server, client) = agent_answering(Reply::json(&json!({
        "jsonrpc": "2.0",
        "id": "m-1",
        "result": { "message": { "role": "agent", "parts": [{ "text": "hello" }], "new": 1 } },
    })))
    .await;
    let answer = client
        .send_message(request(), &CallOptions::default())
        .await
        .unwrap();
    let SendMessageResponse::Message(message) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(message.parts, [Part::text("hello")]);
}

#[tokio::test]
async fn a_call_has_its_own_time_limit() {
    let stuck = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/a2a", stuck.local_addr().unwrap());
    let (_server, client) = agent(&card(&url), message_answer("[]")).await;
    let mut options = CallOptions::default();
    options.timeout = Some(Duration::from_millis(50));
    let error = client.send_message(request(), &options).await.unwrap_err();
    assert!(
        matches!(error, Error::Network(egress::Error::TimedOut { .. })),
        "{error:?}"
    );
    assert!(error.is_retryable());
}

#[tokio::test]
async fn an_extension_that_is_no_header_is_not_sent() {
    let (server, client) = agent_answering(message_answer("[]")).await;
    let mut options = CallOptions::default();
    options.extensions = vec!["https://a.example/\r\nx-evil: 1".to_owned()];
    let error = client.send_message(request(), &options).await.unwrap_err();
    assert!(matches!(error, Error::Unwritable { .. }), "{error:?}");
    assert_eq!(server.arrived().len(), 1, "the card only");
}
