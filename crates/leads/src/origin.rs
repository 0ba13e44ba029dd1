//! How a lead came.

use serde::{Deserialize, Serialize};

/// How a lead came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Origin {
    /// A buyer's agent sent it.
    Agent,
    /// It was taken over from another system.
    Import,
    /// It is made up and tries the way to a destination.
    Test,
}

impl Origin {
    /// The word in the database and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Import => "import",
            Self::Test => "test",
        }
    }
}
