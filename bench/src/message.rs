//! The messages that the load consists of.

use serde_json::{Value, json};

/// A request over JSON-RPC to answer a message of one part.
pub(crate) fn send(part: &Value) -> String {
    envelope("SendMessage", &json!({ "message": message(part) }))
}

/// A request over JSON-RPC for the stream of a new task; `text` tells the agent what to do.
pub(crate) fn stream(text: &str) -> String {
    let mut message = message(&json!({ "text": text }));
    message["messageId"] = format!("{:032x}", fastrand::u128(..)).into();
    envelope("SendStreamingMessage", &json!({ "message": message }))
}

/// A request over JSON-RPC.
pub(crate) fn envelope(method: &str, params: &Value) -> String {
    let envelope = json!({
        "jsonrpc": "2.0",
        "id": "call-000017",
        "method": method,
        "params": params,
    });
    envelope.to_string()
}

/// A message of one part.
pub(crate) fn message(part: &Value) -> Value {
    json!({
        "messageId": "0197c5a2-6f1e-7cc3-98c4-dc0c0c07398f",
        "contextId": "0197c5a2-6f1e-7cc3-98c4-dc0c0c073990",
        "role": "ROLE_USER",
        "parts": [part],
    })
}
