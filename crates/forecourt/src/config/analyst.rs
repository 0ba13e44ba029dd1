//! The analyst that answers a seller's own questions.

use serde::Deserialize;

/// `[analyst]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct AnalystSettings {
    /// Whether dealers have an analyst; callers need a key with the scope `analyst`.
    pub enabled: bool,
    /// Whether the last event of a stream repeats the parts of all artifacts, for clients that draw only
    /// the last message.
    pub repeat_parts: bool,
    /// Whether everybody may ask: only of the demo, never by the configuration.
    #[serde(skip)]
    pub open: bool,
}

impl Default for AnalystSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            repeat_parts: false,
            open: false,
        }
    }
}
