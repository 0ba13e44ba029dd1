//! Why mail cannot be prepared, or was not taken.

use std::{error::Error, fmt, path::PathBuf};

use lettre::transport::smtp;

use super::TokenError;

/// Why mail cannot be prepared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A text is no mailbox.
    #[error("{text:?} is not a mail address")]
    Mailbox {
        /// The text.
        text: String,
        /// What is wrong with it.
        source: lettre::address::AddressError,
    },
    /// A mailbox that few servers take.
    #[error("{text:?} has letters that are not ASCII; write the domain in its xn-- form")]
    NotAscii {
        /// The text.
        text: String,
    },
    /// The server is elsewhere and would be spoken to in clear.
    #[error(
        "{host} is not this machine, so that mail to it must be encrypted; write tls = \"starttls\" or \"implicit\""
    )]
    Clear {
        /// The server.
        host: String,
    },
    /// A file cannot be read.
    #[error("{path} cannot be read")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// TLS cannot be set up for the server's name.
    #[error("TLS to the mail server cannot be set up")]
    Tls(#[from] smtp::Error),
}

/// How far a mail was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Connecting, until the server had said who it is.
    Connect,
    /// Starting TLS.
    Tls,
    /// Logging in.
    Login,
    /// The envelope sender (`MAIL`).
    Sender,
    /// The envelope recipient (`RCPT`).
    Recipient,
    /// The mail itself (`DATA`), and what the server says to it.
    Content,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connecting",
            Self::Tls => "starting TLS",
            Self::Login => "the login",
            Self::Sender => "the sender",
            Self::Recipient => "the recipient",
            Self::Content => "the mail",
        })
    }
}

/// Why a mail was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MailError {
    /// Nobody answers: the name does not resolve, or nobody listens.
    #[error("the mail server {host} cannot be reached")]
    Unreachable {
        /// The server.
        host: String,
        /// What the network said.
        source: smtp::Error,
    },
    /// No secure connection, such as to a server with a wrong certificate. Nothing was sent.
    #[error("there is no secure connection to the mail server {host}")]
    Insecure {
        /// The server.
        host: String,
        /// What the TLS library said.
        source: smtp::Error,
    },
    /// The server offers no TLS. Nothing was sent.
    #[error("the mail server {host} does not offer STARTTLS, and mail is not sent in clear")]
    NoStartTls {
        /// The server.
        host: String,
    },
    /// The server knows none of the ways to log in.
    #[error("the mail server offers no way to log in that the settings allow ({tried})")]
    NoLogin {
        /// The ways that were tried.
        tried: &'static str,
    },
    /// There is no access token to log in with.
    #[error("there is no access token for the mail server")]
    Token(#[from] TokenError),
    /// The server answered with a negative reply.
    #[error("the mail server refused {stage}: {code} {text}")]
    Refused {
        /// What it refused.
        stage: Stage,
        /// The reply code: 400 to 599.
        code: u16,
        /// The words behind it. They may quote the mail.
        text: String,
    },
    /// The connection broke, or what came was no reply.
    #[error("the connection to the mail server broke at {stage}")]
    Broken {
        /// How far the mail was.
        stage: Stage,
        /// What happened.
        source: smtp::Error,
    },
    /// The time was over.
    #[error("the mail server did not answer in time, at {0}")]
    TimedOut(Stage),
}

impl MailError {
    /// What an error of the library means at a stage.
    pub(super) fn of(error: smtp::Error, stage: Stage, host: &str) -> Self {
        if let Some(code) = error.status() {
            return Self::Refused {
                stage,
                code: code.into(),
                text: error
                    .source()
                    .map_or_else(String::new, |words| words.to_string()),
            };
        }
        let host = host.to_owned();
        match stage {
            _ if is_tls(&error) => Self::Insecure {
                host,
                source: error,
            },
            Stage::Connect => Self::Unreachable {
                host,
                source: error,
            },
            _ => Self::Broken {
                stage,
                source: error,
            },
        }
    }
}

/// The TLS library's error hides inside I/O errors, which leave it out of their sources.
fn is_tls(error: &(dyn Error + 'static)) -> bool {
    let inner = error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref);
    error.is::<rustls::Error>()
        || inner.is_some_and(|inner| is_tls(inner))
        || error.source().is_some_and(is_tls)
}
