//! The one way by which mail leaves, for leads and for alarms: SMTP (RFC 5321) with TLS and login.
//!
//! A [`Mailer`] keeps the connections to one mail server. It speaks through `lettre`, but keeps its
//! own few connections: whoever stops waiting for a mail server, as at a deadline, must not leave a
//! connection behind whose next answer belongs to the mail before, and the library's pool would hand
//! that connection out again.
//!
//! Start reading at [`Mailer::send`]; what can go wrong is in [`MailError`], by [`Stage`].

mod error;
mod login;
mod server;
mod session;
#[cfg(test)]
mod tests;
mod token;

use std::{fmt, sync::Mutex, time::Duration};

use lettre::{Message, address::Envelope, transport::smtp::extension::ClientId};
use tokio::{sync::Semaphore, time::Instant};

pub(crate) use self::server::{date, mailbox};
pub use self::{
    error::{MailError, SetupError, Stage},
    login::Login,
    server::{MailServer, MailTls},
    token::{AccessTokens, Grant, TokenAddress, TokenError},
};
use self::{server::Tls, session::Session};

/// How long a connection is kept unused; servers close theirs after a few minutes.
const LONGEST_PARKED: Duration = Duration::from_secs(30);
/// Mails over one connection. Many servers close it after a hundred.
const MOST_MAILS: u32 = 100;

/// Sends mail by one server. It keeps connections for the next mail; several mails at once take
/// one each, as far as the settings allow.
pub struct Mailer {
    server: MailServer,
    tls: Tls,
    hello: ClientId,
    /// One for each connection that is allowed; never closed.
    turns: Semaphore,
    parked: Mutex<Vec<Parked>>,
}

/// A connection that waits for the next mail.
struct Parked {
    session: Session,
    since: Instant,
}

impl Mailer {
    /// Prepares to send; nothing is connected yet. `hello` is the domain by which this side calls
    /// itself, best the sender's.
    ///
    /// # Errors
    /// [`SetupError`]: a server that is not on this machine and would be spoken to in clear, or
    /// certificate authorities that cannot be read.
    pub fn new(server: MailServer, hello: &str) -> Result<Self, SetupError> {
        Ok(Self {
            tls: server.tls()?,
            hello: ClientId::Domain(hello.to_owned()),
            turns: Semaphore::new(server.connections.max(1)),
            parked: Mutex::default(),
            server,
        })
    }

    /// The server.
    #[must_use]
    pub const fn server(&self) -> &MailServer {
        &self.server
    }

    /// Hands one mail, header and body with CRLF line ends but for the last, to the server. The answer
    /// is what the server said when it took the mail. Dropping the future closes the connection.
    ///
    /// # Errors
    /// [`MailError`]. After [`Stage::Content`] the server may have taken the mail all the same.
    pub async fn send(&self, envelope: &Envelope, mail: &str) -> Result<String, MailError> {
        let _turn = self.turns.acquire().await;
        let deadline = Instant::now() + self.server.timeout;
        let mut session = match self.unpark(deadline).await {
            Some(session) => session,
            None => self.connect(deadline).await?,
        };
        let outcome = session.hand_over(envelope, mail, deadline).await;
        if let Some(session) = self.park(session) {
            session.close().await;
        }
        outcome
    }

    /// The same for a message that was put together.
    pub(crate) async fn send_message(&self, message: &Message) -> Result<String, MailError> {
        let bytes = message.formatted();
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_suffix("\r\n").unwrap_or(&text);
        self.send(message.envelope(), text).await
    }

    /// A connection on which mail can be sent. A login that is refused drops the access token,
    /// which may have ended before its time, and is tried once more with a new one.
    async fn connect(&self, deadline: Instant) -> Result<Session, MailError> {
        let mut session = Session::open(&self.server, &self.tls, &self.hello, deadline).await?;
        let refused = match session.log_in(&self.server.login, deadline).await {
            Err(refused @ MailError::Refused { .. }) => refused,
            outcome => return outcome.map(|()| session),
        };
        if !self.server.login.forget_token().await {
            return Err(refused);
        }
        let mut session = Session::open(&self.server, &self.tls, &self.hello, deadline).await?;
        session.log_in(&self.server.login, deadline).await?;
        Ok(session)
    }

    /// A kept connection that still answers.
    async fn unpark(&self, deadline: Instant) -> Option<Session> {
        loop {
            let parked = self.parked().pop()?;
            let mut session = parked.session;
            if parked.since.elapsed() < LONGEST_PARKED && session.reset(deadline).await {
                return Some(session);
            }
        }
    }

    /// Keeps a connection for the next mail, or gives it back.
    fn park(&self, session: Session) -> Option<Session> {
        let mut parked = self.parked();
        parked.retain(|it| it.since.elapsed() < LONGEST_PARKED);
        if !session.is_usable() || session.mails() >= MOST_MAILS {
            return Some(session);
        }
        parked.push(Parked {
            session,
            since: Instant::now(),
        });
        None
    }

    fn parked(&self) -> std::sync::MutexGuard<'_, Vec<Parked>> {
        self.parked
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl fmt::Debug for Mailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mailer")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
