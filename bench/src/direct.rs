//! The echo: a direct message over JSON-RPC, answered with its own parts.

use serde_json::json;

use crate::{
    child::Child,
    dealer,
    load::Load,
    report::Report,
    versus::{CONNECTIONS, versus},
};

/// The echo beside bare axum that parses the body to a JSON value and builds the same reply.
pub(crate) fn echo(quick: bool) -> anyhow::Result<Report> {
    let part = json!({ "text": "Which of the two sedans can I see on Saturday morning?" });
    let body = dealer::send_message(&part);
    let load = Load {
        connections: CONNECTIONS,
        requests: if quick { 200 } else { 6_000 },
        bodies: &[body],
        expected: "\"ROLE_AGENT\"",
    };
    let mut ours = Child::start(&["echo"])?;
    let mut bare = Child::start(&["bare-echo"])?;
    versus("echo", 1.3, (&mut ours, &mut bare), load, quick)
}
