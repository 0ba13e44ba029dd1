//! The dealer's identifier.

use serde::{Deserialize, Serialize};

/// Names a dealer in the configuration, in paths (`/dealers/{dealer}`) and as the first key
/// column of every table: lower-case letters, digits and inner hyphens, at most 63 characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DealerId(String);

/// The text is not a dealer identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a dealer identifier: use 1 to 63 lower-case letters, digits and inner hyphens, for example \"group-motors\""
)]
pub struct InvalidDealerId(pub String);

impl DealerId {
    /// The identifier as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for DealerId {
    type Error = InvalidDealerId;

    fn try_from(text: String) -> Result<Self, InvalidDealerId> {
        let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let valid = (1..=63).contains(&text.len())
            && text.bytes().all(inner)
            && !text.starts_with('-')
            && !text.ends_with('-');
        if valid {
            Ok(Self(text))
        } else {
            Err(InvalidDealerId(text))
        }
    }
}

impl std::str::FromStr for DealerId {
    type Err = InvalidDealerId;

    fn from_str(text: &str) -> Result<Self, InvalidDealerId> {
        Self::try_from(text.to_owned())
    }
}

impl From<DealerId> for String {
    fn from(id: DealerId) -> Self {
        id.0
    }
}

impl std::fmt::Display for DealerId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'a> From<&'a DealerId> for store::Value<'a> {
    fn from(id: &'a DealerId) -> Self {
        store::Value::Text(id.as_str())
    }
}
