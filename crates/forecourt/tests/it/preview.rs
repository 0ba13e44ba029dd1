//! The rules of the 2.0 draft that AAP 1.3 does not have.

mod answers;
mod card;
mod headers;

use serde_json::{Value, json};

use crate::{
    profiles::{PREVIEW, post},
    support::{Reply, Server, envelope},
};

const VERSION: (&str, &str) = ("A2A-Version", "1.0");
const RELEASED: &str = "https://autoagentprotocol.org/extensions/aap/v1.3";

fn demo() -> (tempfile::TempDir, Server) {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    (data, server)
}

fn question() -> Value {
    envelope(&json!({ "type": "dealer.information.request" }))
}

/// Asks the preview with these headers and nothing beside them.
fn ask(server: &Server, headers: &[(&str, &str)]) -> Reply {
    post(server, &format!("{PREVIEW}/a2a"), headers, &question())
}

/// The JSON-RPC error code, or 0 for an answer.
fn code(reply: &Reply) -> i64 {
    assert_eq!(reply.status, 200, "{reply:?}");
    let reply = reply.json();
    match reply["error"]["code"].as_i64() {
        Some(code) => code,
        None => {
            assert!(reply["result"]["message"].is_object(), "{reply:#}");
            0
        }
    }
}

/// A protocol's error has the form of A2A and carries no AAP error.
fn protocol_error(reply: &Reply, reason: &str) -> Value {
    let error = reply.json()["error"].clone();
    let info = &error["data"][0];
    assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
    assert_eq!(info["domain"], "a2a-protocol.org");
    assert_eq!(info["reason"], reason);
    assert!(!error.to_string().contains("aap.error"), "{error:#}");
    error
}
