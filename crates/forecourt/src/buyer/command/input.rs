//! What the buyer gives: files, standard input, and requests judged before they leave.

use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};

use aap::{Request, Skill};
use serde::Serialize;
use serde_json::{Value, json};
use store::Clock;

use crate::{
    buyer::pending::PendingLeads,
    cli::outcome::{Exit, Failure},
};

/// Reads a file, or standard input for `-`.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = if path == Path::new("-") {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text).map(|_| text)
    } else {
        fs::read(path)
    };
    read.map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// Reads a JSON document from a file, or from standard input for `-`.
pub(super) fn json(path: &Path) -> Result<Value, Failure> {
    serde_json::from_slice(&bytes(path)?)
        .map_err(|error| Failure::usage(format!("{} is not JSON: {error}", path.display())))
}

/// A value of ours as JSON.
pub(super) fn value(value: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(value).map_err(|error| Failure::refused("internal", error.to_string()))
}

/// Judges a request by the protocol's rules, so that nothing is sent that the dealer would only
/// send back. The `type` is filled in where it is absent.
pub(super) fn judged(skill: Skill, mut payload: Value, clock: &Clock) -> Result<Request, Failure> {
    if let Value::Object(members) = &mut payload {
        members
            .entry("type")
            .or_insert_with(|| skill.request_type().into());
    }
    aap::validate(&payload, clock.now()).map_err(|rejection| {
        let problems: Vec<String> = rejection
            .problems
            .iter()
            .map(|problem| format!("\n  {}: {}", problem.instance_location, problem.error))
            .collect();
        let message = format!("{}{}", rejection.message, problems.concat());
        let document = json!({
            "error": {
                "code": "invalid_request",
                "message": rejection.message,
                "problems": rejection.problems,
            }
        });
        Failure::new(Exit::Usage, "invalid_request", message).with_document(document)
    })
}

/// The failure of a payload that is sound and of another skill, which a file may hold.
pub(super) fn not_a(skill: Skill, request: &Request) -> Failure {
    Failure::usage(format!(
        "the payload is a {}; expected a {}",
        request.skill().request_type(),
        skill.request_type()
    ))
}

/// The file of pending leads.
pub(super) fn state_path(given: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let usual = || {
        PendingLeads::usual_path(
            variable("XDG_STATE_HOME").as_deref(),
            variable("HOME").as_deref(),
        )
    };
    given.or_else(usual).ok_or_else(|| {
        Failure::usage("neither XDG_STATE_HOME nor HOME is set; name a file with --state")
    })
}
