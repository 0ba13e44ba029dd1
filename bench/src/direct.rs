//! The echo: a direct message over JSON-RPC, answered with its own parts.

use serde_json::json;

use crate::{
    child::Child,
    load::Load,
    report::Report,
    versus::{CONNECTIONS, versus},
};

/// The echo beside bare axum that parses the body to a JSON value and builds the same reply.
pub(crate) fn echo(quick: bool) -> anyhow::Result<Report> {
    let body = json!({
        "jsonrpc": "2.0",
        "id": "call-000017",
        "method": "SendMessage",
        "params": { "message": {
            "messageId": "0197c5a2-6f1e-7cc3-98c4-dc0c0c07398f",
            "contextId": "0197c5a2-6f1e-7cc3-98c4-dc0c0c073990",
            "role": "ROLE_USER",
            "parts": [{ "text": "Which of the two sedans can I see on Saturday morning?" }],
        } },
    });
    let load = Load {
        connections: CONNECTIONS,
        requests: if quick { 200 } else { 6_000 },
        bodies: &[body.to_string()],
        expected: "\"ROLE_AGENT\"",
    };
    let mut ours = Child::start(&["echo"])?;
    let mut bare = Child::start(&["bare-echo"])?;
    versus("echo", 1.3, (&mut ours, &mut bare), load, quick)
}
