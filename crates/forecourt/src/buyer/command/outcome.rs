//! How a buyer's error ends the command.

use serde_json::Value;

use crate::{
    buyer::{Error, ErrorKind},
    cli::outcome::{Exit, Failure},
    explain,
};

/// Exit status, words and typed error. A dealer's refusal is printed as the dealer sent it.
pub(crate) fn failure(error: Error) -> Failure {
    let kind = error.kind();
    let (exit, code) = (exit(kind), kind.as_str());
    let message = explain(&error);
    match error {
        Error::Refused { error, payload } => {
            let mut message = message + &problems(&payload);
            if error.retryable {
                message.push_str("\nThe dealer says that the same request may succeed later.");
            }
            Failure::new(exit, code, message).with_document(payload)
        }
        _ => Failure::new(exit, code, message),
    }
}

/// The exit status of a command that fails in this way.
pub(super) const fn exit(kind: ErrorKind) -> Exit {
    match kind {
        ErrorKind::InvalidUrl => Exit::Usage,
        ErrorKind::Unreachable
        | ErrorKind::TimedOut
        | ErrorKind::Unavailable
        | ErrorKind::Deadline
        | ErrorKind::NotAsked => Exit::Unreachable,
        ErrorKind::NotAnAgent
        | ErrorKind::NoSupportedInterface
        | ErrorKind::GenericAgent
        | ErrorKind::UnknownVersion
        | ErrorKind::BadAnswer => Exit::NotAnAgent,
        ErrorKind::AddressNotAllowed
        | ErrorKind::VersionRefused
        | ErrorKind::SkillNotListed
        | ErrorKind::NotDeclared
        | ErrorKind::NotInVersion
        | ErrorKind::Refused
        | ErrorKind::ProtocolError
        | ErrorKind::PendingLeads
        | ErrorKind::Internal => Exit::Refused,
    }
}

/// The problems that a refusal lists in `details.errors` (AAP 1.3, errors).
fn problems(payload: &Value) -> String {
    let text = |problem: &Value, member: &str| {
        let text = problem.get(member).and_then(Value::as_str);
        super::print::clean(text.unwrap_or_default())
    };
    payload
        .pointer("/details/errors")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|problem| {
            format!(
                "\n  {}: {}",
                text(problem, "instanceLocation"),
                text(problem, "error")
            )
        })
        .collect()
}
