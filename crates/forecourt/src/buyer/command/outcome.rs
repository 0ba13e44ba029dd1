//! How a buyer's error ends the command.

use serde_json::Value;

use crate::{
    buyer::Error,
    cli::outcome::{Exit, Failure},
    explain,
};

/// Exit status, words and typed error. A dealer's refusal is printed as the dealer sent it.
pub(super) fn failure(error: Error) -> Failure {
    let (exit, code) = class(&error);
    let message = explain(&error);
    match error {
        Error::Refused { error, payload } => {
            let mut message = message;
            for problem in problems(&payload) {
                message.push_str(&problem);
            }
            if error.retryable {
                message.push_str("\nThe dealer says that the same request may succeed later.");
            }
            Failure::new(exit, code, message).with_document(payload)
        }
        _ => Failure::new(exit, code, message),
    }
}

fn class(error: &Error) -> (Exit, &'static str) {
    match error {
        Error::Agent(error) => agent_class(error),
        Error::GenericAgent { .. } => (Exit::NotAnAgent, "generic_agent"),
        Error::UnknownVersion { .. } => (Exit::NotAnAgent, "unknown_version"),
        Error::SkillNotListed { .. } => (Exit::Refused, "skill_not_listed"),
        Error::NotInVersion(_) => (Exit::Refused, "not_in_version"),
        Error::Refused { .. } => (Exit::Refused, "refused"),
        Error::AnsweredWithTask { .. } | Error::NoData { .. } | Error::Unreadable(_) => {
            (Exit::NotAnAgent, "bad_answer")
        }
        Error::Unwritable(_) => (Exit::Refused, "internal"),
        Error::Pending(_) => (Exit::Refused, "pending_leads"),
    }
}

fn agent_class(error: &a2a_client::Error) -> (Exit, &'static str) {
    use a2a_client::Error as Agent;
    match error {
        Agent::Network(error) => network_class(error),
        Agent::HttpStatus { answer } if answer.status.is_server_error() || error.is_retryable() => {
            (Exit::Unreachable, "unavailable")
        }
        Agent::HttpStatus { .. } | Agent::NotACard { .. } => (Exit::NotAnAgent, "not_an_agent"),
        Agent::NoSupportedInterface { .. } => (Exit::NotAnAgent, "no_supported_interface"),
        Agent::BadAnswer { .. } => (Exit::NotAnAgent, "bad_answer"),
        Agent::Rpc(_) => (Exit::Refused, "protocol_error"),
        _ => (Exit::Refused, "internal"),
    }
}

fn network_class(error: &egress::Error) -> (Exit, &'static str) {
    use egress::Error as Network;
    match error {
        Network::InvalidUrl { .. } => (Exit::Usage, "usage"),
        Network::SchemeNotAllowed { .. } | Network::AddressBlocked { .. } => {
            (Exit::Refused, "address_not_allowed")
        }
        Network::Redirected { .. } | Network::TooLarge { .. } => (Exit::NotAnAgent, "not_an_agent"),
        Network::TimedOut { .. } => (Exit::Unreachable, "timed_out"),
        Network::Unreachable { .. } | Network::Interrupted { .. } | Network::Tls { .. } => {
            (Exit::Unreachable, "unreachable")
        }
        _ => (Exit::Refused, "internal"),
    }
}

/// The problems that a refusal lists in `details.errors` (AAP 1.3, errors).
fn problems(payload: &Value) -> Vec<String> {
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
