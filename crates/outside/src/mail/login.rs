//! Logging in at a mail server.

use std::fmt;

use super::AccessTokens;
use crate::Secret;

/// How to log in at a mail server.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Login {
    /// Not at all.
    #[default]
    None,
    /// By name and password (SASL PLAIN, RFC 4616, else LOGIN).
    Password {
        /// Name.
        user: String,
        /// Password.
        password: Secret,
    },
    /// By name and access token (XOAUTH2), as large hosts ask for.
    Token {
        /// Name: the mailbox that sends.
        user: String,
        /// Where tokens come from.
        tokens: AccessTokens,
    },
}

impl Login {
    /// The name, where there is one.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::None => None,
            Self::Password { user, .. } | Self::Token { user, .. } => Some(user),
        }
    }

    /// Forgets an access token that the server refused. True where another may do better.
    pub(crate) async fn forget_token(&self) -> bool {
        match self {
            Self::Token { tokens, .. } => tokens.forget().await,
            _ => false,
        }
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Password { .. } => "Password",
            Self::Token { .. } => "Token",
        })
    }
}
