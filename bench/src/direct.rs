//! The echo: a direct message, answered with its own parts, over each binding.

use serde_json::json;

use crate::{
    child::Child,
    grpc,
    load::{self, Load},
    message,
    report::{Budget, Report},
    serve::{PATH, REST_PATH},
    versus::{CONNECTIONS, versus},
};

const TEXT: &str = "Which of the two sedans can I see on Saturday morning?";
const EXPECTED: &str = "\"ROLE_AGENT\"";

/// The echo beside bare axum that parses the body to a JSON value and builds the same reply, or beside
/// bare tonic that decodes the message and encodes the same reply.
pub(crate) fn echo(quick: bool) -> anyhow::Result<Vec<Report>> {
    let requests = if quick { 200 } else { 6_000 };
    let envelope = message::send(&json!({ "text": TEXT }));
    let message = json!({ "message": message::message(&json!({ "text": TEXT })) }).to_string();
    let over_http = |path, bodies| Load {
        path,
        connections: CONNECTIONS,
        requests,
        bodies,
        expected: EXPECTED,
    };
    let (rpc, rest) = ([envelope], [message]);
    let (rpc, rest) = (over_http(PATH, &rpc), over_http(REST_PATH, &rest));
    let mut ours = Child::start(&["echo"])?;
    let mut bare = Child::start(&["bare-echo"])?;
    Ok(vec![
        versus(
            "echo",
            Budget::AtMost(1.3),
            (&mut ours, &mut bare),
            |server| load::turn(server, rpc),
            quick,
        )?,
        versus(
            "echo, HTTP+JSON",
            Budget::Open,
            (&mut ours, &mut bare),
            |server| load::turn(server, rest),
            quick,
        )?,
        versus(
            "echo, gRPC",
            Budget::Open,
            (&mut ours, &mut bare),
            |server| grpc::turn(server, TEXT, CONNECTIONS, requests),
            quick,
        )?,
    ])
}
