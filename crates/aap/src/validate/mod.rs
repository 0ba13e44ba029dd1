//! Validation of request payloads (AAP 1.3, the request schemas and the behaviour rules).
//!
//! [`validate`] walks the payload once and lists every problem, each at the member that it concerns.
//! One value gives one problem, the first rule that it breaks; an array's length and its items are
//! judged apart.
//!
//! The rules read like the schemas: `search.rs` has the inventory requests, `lead.rs` the lead,
//! `vehicle.rs` the vehicle inside it; `findings.rs` has the checks that they are made of.

mod findings;
mod lead;
mod search;
mod vehicle;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Skill,
    error::ErrorCode,
    request::Request,
    validate::findings::{Findings, Members, kind, shortened},
};

/// How many problems a rejection lists at most.
pub const MAX_PROBLEMS: usize = 200;

/// Checks a request payload and reads it into its type.
///
/// `now` decides whether consent is in force.
///
/// # Errors
///
/// A [`Rejection`] with every problem.
pub fn validate(payload: &Value, now: Timestamp) -> Result<Request, Rejection> {
    judge(payload, Vec::new(), now)
}

/// Checks a payload in which null stands for what cannot be read.
pub(crate) fn judge(
    payload: &Value,
    unreadable: Vec<Problem>,
    now: Timestamp,
) -> Result<Request, Rejection> {
    let skill = match requested_skill(payload, &Skill::ALL) {
        Ok(skill) => skill,
        Err(rejection) => return Err(rejection.with_unreadable(unreadable)),
    };
    let mut findings = Findings::new(unreadable);
    match skill {
        Skill::DealerInformation => findings.closed(payload, DEALER_INFORMATION, &[]),
        Skill::InventoryFacets => search::facets_request(&mut findings, payload),
        Skill::InventorySearch => search::search_request(&mut findings, payload),
        Skill::InventoryVehicle => search::vehicle_request(&mut findings, payload),
        Skill::LeadSubmit => lead::lead_request(&mut findings, payload, now),
    }
    findings.into_result()?;
    // The rules are at least as strict as the types.
    read(skill, payload).map_err(|_| Rejection {
        code: ErrorCode::InternalError,
        message: "the request breaks no rule and cannot be read".to_owned(),
        problems: Vec::new(),
        total: 0,
    })
}

/// The skill that a payload asks for, by its `type`. A server calls it first, so that a payload of a
/// skill that it does not serve is refused whatever else is in it.
///
/// # Errors
///
/// A [`Rejection`] with the one problem at `/type`, which names the types of the `served` skills:
/// [`ErrorCode::SchemaValidationFailed`] when there is no well-formed type name,
/// [`ErrorCode::UnsupportedSkill`] (keyword `enum`) when it names no request of a served skill.
pub fn requested_skill(payload: &Value, served: &[Skill]) -> Result<Skill, Rejection> {
    let Some(members) = payload.as_object() else {
        let error = format!("send a JSON object with a `type`, not {}", kind(payload));
        return Err(Rejection::unusable("", "type", error));
    };
    let name = type_name(members, served)?;
    Skill::from_request_type(name)
        .filter(|skill| served.contains(skill))
        .ok_or_else(|| Rejection::unsupported(name, served))
}

/// `type` is the only member of every request that the skills share; [`requested_skill`] has judged
/// its value.
const DEALER_INFORMATION: Members = &[("type", |_, _| ())];

fn type_name<'p>(members: &'p Map<String, Value>, served: &[Skill]) -> Result<&'p str, Rejection> {
    let known = || request_types(served);
    let Some(value) = members.get("type") else {
        let error = format!("required: one of {}", known());
        return Err(Rejection::unusable("/type", "required", error));
    };
    let Some(name) = value.as_str() else {
        let error = format!("send a string, one of {}, not {}", known(), kind(value));
        return Err(Rejection::unusable("/type", "type", error));
    };
    if is_type_name(name) {
        return Ok(name);
    }
    let error = format!("not a type name; send one of {}", known());
    Err(Rejection::unusable("/type", "pattern", error))
}

fn request_types(skills: &[Skill]) -> String {
    let types: Vec<_> = skills.iter().map(|skill| skill.request_type()).collect();
    types.join(", ")
}

/// Two or three words of `a-z` and `_` with dots between them (AAP 1.3, message schema).
fn is_type_name(name: &str) -> bool {
    let words = name.split('.');
    (2..=3).contains(&words.clone().count())
        && words.into_iter().all(|word| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        })
}

/// Reads a payload that the rules have passed.
fn read(skill: Skill, payload: &Value) -> Result<Request, serde_json::Error> {
    Ok(match skill {
        Skill::DealerInformation => Request::DealerInformation,
        Skill::InventoryFacets => Request::InventoryFacets(Deserialize::deserialize(payload)?),
        Skill::InventorySearch => Request::InventorySearch(Deserialize::deserialize(payload)?),
        Skill::InventoryVehicle => Request::InventoryVehicle(Deserialize::deserialize(payload)?),
        Skill::LeadSubmit => Request::LeadSubmit(Deserialize::deserialize(payload)?),
    })
}

/// One thing that is wrong with a payload, as `details.errors[]` of an error lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// JSON Pointer (RFC 6901) to the offending member itself, also where it is missing or unknown.
    pub instance_location: String,
    /// The rule that is broken: a keyword of JSON Schema, or `expired`, `future` and `channel` for
    /// consent.
    pub keyword: &'static str,
    /// What to send instead, without personal data of the payload.
    pub error: String,
}

impl Problem {
    fn is_at(&self, other: &Self) -> bool {
        self.instance_location == other.instance_location
    }
}

/// Why a payload was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
#[non_exhaustive]
pub struct Rejection {
    /// The gravest reason.
    pub code: ErrorCode,
    /// A sentence for people.
    pub message: String,
    /// The problems, at most [`MAX_PROBLEMS`].
    pub problems: Vec<Problem>,
    /// How many problems there are.
    pub total: usize,
}

impl Rejection {
    /// The refusal of a well-formed request type that is not among the skills that an agent serves.
    #[must_use]
    pub fn unsupported(request_type: &str, served: &[Skill]) -> Self {
        let problem = Problem {
            instance_location: "/type".to_owned(),
            keyword: "enum",
            error: format!("send one of {}", request_types(served)),
        };
        Self {
            code: ErrorCode::UnsupportedSkill,
            message: format!("this agent does not serve {}", shortened(request_type)),
            problems: vec![problem],
            total: 1,
        }
    }

    /// The same refusal with values that cannot be read, of which nothing else is to be told.
    fn with_unreadable(mut self, unreadable: Vec<Problem>) -> Self {
        self.problems
            .retain(|problem| !unreadable.iter().any(|it| it.is_at(problem)));
        self.problems.extend(unreadable);
        self.total = self.problems.len();
        self
    }

    /// The refusal of a payload that does not say what it is.
    fn unusable(instance_location: &str, keyword: &'static str, error: String) -> Self {
        Self {
            code: ErrorCode::SchemaValidationFailed,
            message: "the request does not say what it asks for".to_owned(),
            problems: vec![Problem {
                instance_location: instance_location.to_owned(),
                keyword,
                error,
            }],
            total: 1,
        }
    }
}
