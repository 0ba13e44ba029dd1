//! Findings as a user interface: A2UI messages with the components of the basic catalog.
//!
//! There is one layout, `layout.rs`, and an encoder for each form of the messages: `v0_8.rs`, and
//! `v0_9.rs` for 0.9 and 0.9.1, which share theirs. Whatever comes from data reaches the client
//! through the data model and never inside a component, and what Markdown would interpret is escaped.

mod layout;
mod markdown;
#[cfg(test)]
mod tests;
mod v0_8;
mod v0_9;

use serde_json::Value as Json;

use self::layout::Layout;
use crate::Finding;

/// A version of A2UI that findings can be drawn in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Version {
    /// 0.8.
    V0_8,
    /// 0.9.
    V0_9,
    /// 0.9.1.
    V0_9_1,
}

impl Version {
    /// All of them, the newest first.
    pub const ALL: [Self; 3] = [Self::V0_9_1, Self::V0_9, Self::V0_8];

    /// The URI of the A2A extension that stands for the version.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::V0_8 => "https://a2ui.org/a2a-extension/a2ui/v0.8",
            Self::V0_9 => "https://a2ui.org/a2a-extension/a2ui/v0.9",
            Self::V0_9_1 => "https://a2ui.org/a2a-extension/a2ui/v0.9.1",
        }
    }

    /// The version that an extension's URI stands for.
    #[must_use]
    pub fn of_extension(uri: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|version| version.extension() == uri)
    }

    /// The catalog that the components come from.
    #[must_use]
    pub const fn catalog(self) -> &'static str {
        match self {
            Self::V0_8 => v0_8::CATALOG,
            Self::V0_9 | Self::V0_9_1 => v0_9::CATALOG,
        }
    }

    /// The media type of a data part with messages. The word order changed in 0.9.1.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::V0_8 | Self::V0_9 => "application/json+a2ui",
            Self::V0_9_1 => "application/a2ui+json",
        }
    }

    /// Whether a media type is that of A2UI in any of its spellings.
    #[must_use]
    pub fn is_media_type(media_type: &str) -> bool {
        matches!(
            media_type,
            "application/json+a2ui" | "application/a2ui+json"
        )
    }
}

/// The messages that draw a finding on a surface of its own, in the order in which they are sent.
/// `surface` must be unique in the client's conversation.
#[must_use]
pub fn messages(finding: &Finding, surface: &str, version: Version) -> Vec<Json> {
    let layout = Layout::of(finding);
    match version {
        Version::V0_8 => v0_8::messages(&layout, surface),
        Version::V0_9 | Version::V0_9_1 => v0_9::messages(&layout, surface),
    }
}
