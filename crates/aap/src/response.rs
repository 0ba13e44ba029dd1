//! The payload of a response, `{type, data, message?}`: writing it for a caller and reading it from
//! a dealer.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::Skill;

/// How many Unicode characters a response's `message` has at most (AAP 1.3, response schemas).
pub const MAX_MESSAGE: usize = 2000;

/// A response payload to serialize. `D` is the data of the skill, for example
/// [`LeadSubmitResult`](crate::lead::LeadSubmitResult).
#[derive(Debug, Clone, Serialize)]
pub struct Response<'a, D> {
    r#type: &'static str,
    data: D,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Cow<'a, str>>,
}

impl<'a, D> Response<'a, D> {
    /// A response of a skill without a message.
    #[must_use]
    pub const fn new(skill: Skill, data: D) -> Self {
        Self {
            r#type: skill.response_type(),
            data,
            message: None,
        }
    }

    /// The same with words for people, cut to [`MAX_MESSAGE`] characters.
    #[must_use]
    pub fn with_message(mut self, text: impl Into<Cow<'a, str>>) -> Self {
        self.message = Some(cut(text.into()));
        self
    }
}

/// Ends a text that is too long with an ellipsis.
fn cut(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.chars().nth(MAX_MESSAGE).is_none() {
        return text;
    }
    let kept: String = text.chars().take(MAX_MESSAGE - 1).collect();
    Cow::Owned(kept + "…")
}

/// A response as a dealer sent it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Received<D> {
    /// The skill's data.
    pub data: D,
    /// Words for people.
    #[serde(default)]
    pub message: Option<String>,
}

/// Reads the JSON text of a response payload to a request of `skill`. Members that the type does
/// not name are ignored.
///
/// # Errors
///
/// [`UnreadableResponse`] when the text is not a response of the skill.
pub fn read<'de, D: Deserialize<'de>>(
    skill: Skill,
    payload: &'de str,
) -> Result<Received<D>, UnreadableResponse> {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        r#type: Cow<'a, str>,
    }
    let named: Named<'_> = serde_json::from_str(payload).map_err(UnreadableResponse::NoType)?;
    if named.r#type != skill.response_type() {
        return Err(UnreadableResponse::OtherType {
            expected: skill.response_type(),
            found: named.r#type.chars().take(100).collect(),
        });
    }
    serde_json::from_str(payload).map_err(|source| UnreadableResponse::Data { skill, source })
}

/// Why a dealer's response cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnreadableResponse {
    /// It is not a JSON object with a `type`.
    #[error("the dealer's response is not an AAP payload: {0}")]
    NoType(#[source] serde_json::Error),
    /// It answers something else.
    #[error("the dealer answered with {found:?} where {expected} is due")]
    OtherType {
        /// The type that belongs to the request.
        expected: &'static str,
        /// The type that came, cut to 100 characters.
        found: String,
    },
    /// Its data break the schema.
    #[error("the dealer's response to {skill} is malformed: {source}")]
    Data {
        /// The skill that was called.
        skill: Skill,
        /// What is wrong.
        source: serde_json::Error,
    },
}
