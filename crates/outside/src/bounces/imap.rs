//! A mailbox that is read by IMAP (RFC 3501).

use std::{collections::BTreeSet, fmt, io, path::PathBuf, sync::Arc, time::Duration};

use async_imap::{Authenticator, Client, error::Error, types::Fetch};
use futures_util::TryStreamExt as _;
use rustls::{
    ClientConfig,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use rustls_platform_verifier::Verifier;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;

use super::MOST_BYTES;
use crate::mail::{Login, MailTls, TokenError};

/// How long the server may take for each answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// What a server may send in one visit.
const MOST_SENT: u64 = 256 * 1024 * 1024;

/// A mailbox and how to get at it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Imap {
    /// Host name of the server.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Protection of the connection.
    pub tls: MailTls,
    /// How to log in.
    pub login: Login,
    /// The folder that is read.
    pub folder: String,
    /// Where mails go that were dealt with; they stay, marked as seen, when absent.
    pub move_to: Option<String>,
    /// File with further certificate authorities as PEM, for a server inside a company; those of
    /// the system count always.
    pub ca_file: Option<PathBuf>,
}

/// The port that is usual for a protection.
#[must_use]
pub const fn port(tls: MailTls) -> u16 {
    match tls {
        MailTls::Implicit => 993,
        MailTls::StartTls | MailTls::None => 143,
    }
}

/// Why a mailbox could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImapError {
    /// The host has no usable name.
    #[error("{0:?} is not a host name")]
    Host(String),
    /// A file of certificate authorities cannot be read.
    #[error("{path} cannot be read as certificates: {reason}")]
    Authorities {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Nothing can be trusted on this machine.
    #[error("TLS cannot be set up")]
    Tls(#[source] rustls::Error),
    /// No connection.
    #[error("{host} cannot be reached")]
    Connect {
        /// Which host.
        host: String,
        /// Why.
        source: std::io::Error,
    },
    /// The settings have no login, without which no mailbox is read.
    #[error("there is neither a password nor an access token")]
    NoLogin,
    /// There is no access token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The name or the proof for it is wrong.
    #[error("the server does not let {user} in: {said}")]
    Login {
        /// Which name.
        user: String,
        /// What the server said.
        said: String,
    },
    /// The server does not answer.
    #[error("the server does not answer within {} seconds", PATIENCE.as_secs())]
    Silent,
    /// The server's answer is none, or a refusal.
    #[error("{what}: {said}")]
    Refused {
        /// What did not work.
        what: &'static str,
        /// What it said.
        said: String,
    },
}

/// A connection in clear or under TLS.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send + fmt::Debug {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send + fmt::Debug> Stream for S {}

type Session = async_imap::Session<Box<dyn Stream>>;

/// A mailbox that is open.
#[derive(Debug)]
pub(super) struct Open<'m> {
    mailbox: &'m Imap,
    session: Session,
    can_move: bool,
    /// Numbers of mails hold as long as this stays the same (RFC 3501 §2.3.1.1).
    pub(super) validity: Option<u32>,
}

impl Imap {
    /// The folder `INBOX` of an account.
    #[must_use]
    pub fn new(host: impl Into<String>, tls: MailTls, login: Login) -> Self {
        Self {
            host: host.into(),
            port: port(tls),
            tls,
            login,
            folder: "INBOX".to_owned(),
            move_to: None,
            ca_file: None,
        }
    }

    /// Logs in and selects the folder.
    pub(super) async fn open(&self) -> Result<Open<'_>, ImapError> {
        let client = self.connect().await?;
        let mut session = self.log_in(client).await?;
        let capabilities = ask(
            "the server does not say what it can",
            session.capabilities(),
        )
        .await?;
        let selected = ask("the folder cannot be opened", session.select(&self.folder)).await?;
        Ok(Open {
            mailbox: self,
            session,
            can_move: capabilities.has_str("MOVE"),
            validity: selected.uid_validity,
        })
    }

    async fn connect(&self) -> Result<Client<Box<dyn Stream>>, ImapError> {
        let failed = |source| ImapError::Connect {
            host: self.host.clone(),
            source,
        };
        let address = (self.host.as_str(), self.port);
        let tcp = within(TcpStream::connect(address)).await?.map_err(failed)?;
        tcp.set_nodelay(true).map_err(failed)?;
        let tcp = limited(tcp);
        match self.tls {
            MailTls::None => self.greeted(tcp).await,
            MailTls::Implicit => {
                let tls = within(self.secure(tcp)?).await?.map_err(failed)?;
                self.greeted(Box::new(tls)).await
            }
            MailTls::StartTls => {
                let mut client = self.greeted(tcp).await?;
                let upgrade = client.run_command_and_check_ok("STARTTLS", None);
                ask("the server does not offer STARTTLS", upgrade).await?;
                // What the server sent ahead in clear is dropped with the client.
                let tls = within(self.secure(client.into_inner())?).await?;
                Ok(Client::new(Box::new(tls.map_err(failed)?)))
            }
        }
    }

    /// A connection whose server has said that it is there.
    async fn greeted(&self, stream: Box<dyn Stream>) -> Result<Client<Box<dyn Stream>>, ImapError> {
        let mut client = Client::new(stream);
        let refused = |said: String| ImapError::Refused {
            what: "the server does not greet",
            said,
        };
        match within(client.read_response()).await? {
            Ok(Some(_)) => Ok(client),
            Ok(None) => Err(refused(said(&Error::ConnectionLost))),
            Err(error) => Err(refused(said(&error.into()))),
        }
    }

    /// The handshake by which a connection becomes a protected one.
    fn secure(
        &self,
        clear: Box<dyn Stream>,
    ) -> Result<tokio_rustls::Connect<Box<dyn Stream>>, ImapError> {
        let name = ServerName::try_from(self.host.clone())
            .map_err(|_| ImapError::Host(self.host.clone()))?;
        let provider = Arc::new(aws_lc_rs::default_provider());
        let verifier = Verifier::new_with_extra_roots(self.authorities()?, Arc::clone(&provider))
            .map_err(ImapError::Tls)?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(ImapError::Tls)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        Ok(TlsConnector::from(Arc::new(config)).connect(name, clear))
    }

    fn authorities(&self) -> Result<Vec<CertificateDer<'static>>, ImapError> {
        let Some(path) = &self.ca_file else {
            return Ok(Vec::new());
        };
        let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
        read.map_err(|error| ImapError::Authorities {
            path: path.clone(),
            reason: error.to_string(),
        })
    }

    /// Logs in. An access token that is refused may have ended before its time, so that the next
    /// visit asks for a new one.
    async fn log_in(&self, client: Client<Box<dyn Stream>>) -> Result<Session, ImapError> {
        let answer = match &self.login {
            Login::None => return Err(ImapError::NoLogin),
            Login::Password { user, password } => {
                within(client.login(user, password.reveal())).await?
            }
            Login::Token { user, tokens } => {
                let token = tokens.token().await?;
                let proof = XOAuth2 {
                    proof: format!("user={user}\x01auth=Bearer {}\x01\x01", token.reveal()),
                    asked: false,
                };
                within(client.authenticate("XOAUTH2", proof)).await?
            }
        };
        match answer {
            Ok(session) => Ok(session),
            Err((error, _)) => {
                self.login.forget_token().await;
                Err(ImapError::Login {
                    user: self.login.user().unwrap_or_default().to_owned(),
                    said: said(&error),
                })
            }
        }
    }
}

/// SASL XOAUTH2: the proof at first, and an empty answer to the reason why it is refused.
struct XOAuth2 {
    proof: String,
    asked: bool,
}

impl Authenticator for XOAuth2 {
    type Response = String;

    fn process(&mut self, _challenge: &[u8]) -> String {
        if std::mem::replace(&mut self.asked, true) {
            String::new()
        } else {
            std::mem::take(&mut self.proof)
        }
    }
}

impl Open<'_> {
    /// The mails that nobody has seen, the oldest first.
    pub(super) async fn unseen(&mut self) -> Result<BTreeSet<u32>, ImapError> {
        let search = self.session.uid_search("UNSEEN");
        let found = ask("the folder cannot be searched", search).await?;
        Ok(found.into_iter().collect())
    }

    /// The beginning of a mail; `None` when it is gone. It is not marked as seen by this.
    pub(super) async fn fetch(&mut self, uid: u32) -> Result<Option<Vec<u8>>, ImapError> {
        let what = "a mail cannot be read";
        let item = format!("(UID BODY.PEEK[]<0.{MOST_BYTES}>)");
        let mails = ask(what, self.session.uid_fetch(uid.to_string(), item)).await?;
        let mails: Vec<Fetch> = ask(what, mails.try_collect()).await?;
        let mut mails = mails.iter().filter(|it| it.uid == Some(uid));
        Ok(mails.find_map(Fetch::body).map(<[u8]>::to_vec))
    }

    /// Puts a mail that was dealt with where the settings say.
    pub(super) async fn put_away(&mut self, uid: u32) -> Result<(), ImapError> {
        let uid = uid.to_string();
        if let Some(folder) = &self.mailbox.move_to {
            let what = "a mail cannot be moved to the folder of those that were dealt with";
            if self.can_move {
                return ask(what, self.session.uid_mv(&uid, folder)).await;
            }
            // Nothing is deleted here, so that the mail stays, as one that was seen.
            ask(what, self.session.uid_copy(&uid, folder)).await?;
        }
        let what = "a mail cannot be marked as seen";
        let marked = ask(what, self.session.uid_store(&uid, "+FLAGS.SILENT (\\Seen)")).await?;
        ask(what, marked.try_collect::<Vec<_>>()).await.map(drop)
    }

    /// Takes leave. That it may fail does not matter.
    pub(super) async fn close(mut self) {
        let _ = within(self.session.logout()).await;
    }
}

/// Longest part of a server's words that is repeated.
const MOST_SAID: usize = 200;

/// Waits for an answer, and says what was asked when it is a refusal.
async fn ask<T>(
    what: &'static str,
    answer: impl Future<Output = async_imap::error::Result<T>>,
) -> Result<T, ImapError> {
    within(answer).await?.map_err(|error| ImapError::Refused {
        what,
        said: said(&error),
    })
}

async fn within<T>(answer: impl Future<Output = T>) -> Result<T, ImapError> {
    timeout(PATIENCE, answer)
        .await
        .map_err(|_| ImapError::Silent)
}

/// Bounds what a server may send, as its literals are held in memory.
fn limited(stream: TcpStream) -> Box<dyn Stream> {
    let (reader, writer) = stream.into_split();
    Box::new(tokio::io::join(reader.take(MOST_SENT), writer))
}

/// What a server said. The library's words for an answer that it does not understand quote it, mail
/// and all, so that they are not repeated.
fn said(error: &Error) -> String {
    let text = match error {
        Error::Bad(_) | Error::No(_) | Error::ConnectionLost => error.to_string(),
        Error::Io(error) if error.kind() != io::ErrorKind::Other => error.to_string(),
        _ => "its answer is not understood".to_owned(),
    };
    text.chars().take(MOST_SAID).collect()
}

#[cfg(test)]
mod tests;
