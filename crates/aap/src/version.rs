//! The versions of the protocol and the profiles that a server may serve.

use serde::{Deserialize, Serialize};

/// How the extension URIs begin: 0.1 to 1.0, from 1.1 on, and drafts.
const FAMILIES: [&str; 3] = [
    "https://autoagentprotocol.org/extensions/a2a-automotive-retail/",
    "https://autoagentprotocol.org/extensions/aap/",
    "https://draft.autoagentprotocol.invalid/extensions/aap/",
];

/// A version that this crate can speak. They are not compatible with each other: a buyer's agent
/// speaks exactly the version that a dealer's card advertises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Version {
    /// 1.0: `source_agent` is a string, and the consent carries it too.
    #[serde(rename = "1.0")]
    V1_0,
    /// 1.1: `source_agent` is an object.
    #[serde(rename = "1.1")]
    V1_1,
    /// 1.2: vehicle types, motorcycles and electric units.
    #[serde(rename = "1.2")]
    V1_2,
    /// 1.3: fees, and `price` is the advertised price.
    #[serde(rename = "1.3")]
    V1_3,
    /// The unreleased draft of 2.0: payloads as in 1.3, another envelope. Its identifiers lie below a
    /// reserved domain and lead nowhere, so that nobody takes it for the release.
    #[serde(rename = "2.0-draft")]
    Draft2,
}

impl Version {
    /// Every version, oldest first.
    pub const ALL: [Self; 5] = [Self::V1_0, Self::V1_1, Self::V1_2, Self::V1_3, Self::Draft2];

    /// Major and minor number; those of a released version stand in its URIs.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0",
            Self::V1_1 => "1.1",
            Self::V1_2 => "1.2",
            Self::V1_3 => "1.3",
            Self::Draft2 => "2.0-draft",
        }
    }

    /// The full semantic version, as `params.version` on a card carries it.
    #[must_use]
    pub const fn semver(self) -> &'static str {
        match self {
            Self::V1_0 => "1.0.0",
            Self::V1_1 => "1.1.0",
            Self::V1_2 => "1.2.0",
            Self::V1_3 => "1.3.0",
            Self::Draft2 => "0.0.0-dev",
        }
    }

    /// The A2A extension URI, the only place where the wire names the version.
    #[must_use]
    pub const fn extension_uri(self) -> &'static str {
        match self {
            Self::V1_0 => "https://autoagentprotocol.org/extensions/a2a-automotive-retail/v1.0",
            Self::V1_1 => "https://autoagentprotocol.org/extensions/aap/v1.1",
            Self::V1_2 => "https://autoagentprotocol.org/extensions/aap/v1.2",
            Self::V1_3 => "https://autoagentprotocol.org/extensions/aap/v1.3",
            Self::Draft2 => "https://draft.autoagentprotocol.invalid/extensions/aap/latest",
        }
    }

    /// The version with this extension URI. Extension URIs are compared as they stand.
    #[must_use]
    pub fn from_extension_uri(uri: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|version| version.extension_uri() == uri)
    }

    /// Whether a URI is of the families that the protocol has used for its extension, of a known version
    /// or another. Only the exact URI of a known version is ever spoken; this tells an agent of an unknown
    /// version from one without the protocol.
    #[must_use]
    pub fn is_family(uri: &str) -> bool {
        FAMILIES.iter().any(|family| uri.starts_with(family))
    }

    /// The folder of the version's JSON Schemas, with a slash at its end.
    #[must_use]
    pub const fn schema_base_url(self) -> &'static str {
        match self {
            Self::V1_0 => "https://autoagentprotocol.org/v1.0/schemas/",
            Self::V1_1 => "https://autoagentprotocol.org/v1.1/schemas/",
            Self::V1_2 => "https://autoagentprotocol.org/v1.2/schemas/",
            Self::V1_3 => "https://autoagentprotocol.org/v1.3/schemas/",
            Self::Draft2 => "https://draft.autoagentprotocol.invalid/latest/schemas/",
        }
    }

    /// What a listing's `price` means.
    #[must_use]
    pub const fn price_basis(self) -> PriceBasis {
        match self {
            Self::V1_0 | Self::V1_1 | Self::V1_2 => PriceBasis::OutTheDoor,
            Self::V1_3 | Self::Draft2 => PriceBasis::Advertised,
        }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.label())
    }
}

/// What a `price` covers. Prices of different bases must not be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriceBasis {
    /// Everything that the buyer pays (up to AAP 1.2).
    OutTheDoor,
    /// Mandatory dealer charges included, tax, title and registration not (from AAP 1.3 on).
    Advertised,
}

impl PriceBasis {
    /// The name that people read.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OutTheDoor => "out-the-door",
            Self::Advertised => "advertised",
        }
    }
}

/// The contract that a server holds towards its callers. Payloads of the five skills are the same
/// in both; envelopes and error numbers differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// AAP 1.3.
    #[default]
    V1_3,
    /// The unreleased draft of 2.0.
    Draft2,
}

impl Profile {
    /// The version that a card of this profile advertises.
    #[must_use]
    pub const fn version(self) -> Version {
        match self {
            Self::V1_3 => Version::V1_3,
            Self::Draft2 => Version::Draft2,
        }
    }
}
