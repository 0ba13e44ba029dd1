//! A mail server that keeps what it is sent, and fails where it is told to.

mod session;

use std::{collections::VecDeque, net::SocketAddr, sync::Arc};

pub use crate::imap::Protection;
use crate::{certificate::Certificate, inbox::Inbox};

/// A mail as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Envelope sender.
    pub from: String,
    /// Envelope recipients.
    pub to: Vec<String>,
    /// Header and body, line ends as `\n`.
    pub text: String,
    /// Whether it came over TLS.
    pub is_encrypted: bool,
    /// How the sender had logged in, for example `PLAIN leads`; empty without a login.
    pub login: String,
}

impl Mail {
    /// The value of a header that stands on one line.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let (header, _) = self.text.split_once("\n\n")?;
        let mut pairs = header.lines().filter_map(|line| line.split_once(": "));
        pairs
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }
}

/// Where in a session something happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// Instead of the first line.
    Banner,
    /// At `EHLO`.
    Hello,
    /// At the end of a login.
    Login,
    /// At `MAIL`.
    Sender,
    /// At `RCPT`.
    Recipient,
    /// At `DATA`.
    Data,
    /// After the mail itself, which is kept unless an answer refuses it.
    Content,
}

/// What happens instead of the usual.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// An answer, for example `451 try again later`.
    Say(String),
    /// No answer, ever.
    Hang,
    /// The end of the connection.
    Close,
}

/// Who may log in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Account {
    /// Name.
    pub user: String,
    /// Password, for `PLAIN` and `LOGIN`.
    pub password: String,
    /// Access token, for `XOAUTH2`.
    pub token: String,
    /// What is offered, for example `PLAIN LOGIN`.
    pub mechanisms: String,
}

/// An SMTP server (RFC 5321) on a free loopback port. It takes every mail unless it was told to do
/// otherwise, and ends with the test process.
#[derive(Debug)]
pub struct MailSink {
    address: SocketAddr,
    inbox: Arc<Inbox<State>>,
}

#[derive(Debug, Default)]
struct State {
    protection: Option<Protection>,
    account: Option<Account>,
    mails: Vec<Mail>,
    acts: VecDeque<(At, Act)>,
    attempts: usize,
    connections: usize,
}

impl State {
    /// What is to happen here instead of the usual.
    fn act(&mut self, at: At) -> Option<Act> {
        let next = self.acts.iter().position(|(place, _)| *place == at)?;
        self.acts.remove(next).map(|(_, act)| act)
    }
}

impl MailSink {
    /// Starts a server that speaks in clear and knows no login.
    #[must_use]
    pub fn start() -> Self {
        Self::protected(Protection::None)
    }

    /// Starts a server with TLS; with [`Protection::StartTls`] it takes nothing before it.
    #[must_use]
    pub fn protected(protection: Protection) -> Self {
        let (address, inbox) = Inbox::<State>::serve(|stream, inbox| {
            // A client that goes away ends it.
            let _ = session::serve(stream, inbox);
        });
        inbox.state().protection = Some(protection);
        Self { address, inbox }
    }

    /// Takes mail only from who has logged in. It can be changed at any time.
    pub fn ask_for_login(&self, account: Account) {
        self.inbox.state().account = Some(account);
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers the next recipient like this instead of taking it, for example
    /// `451 try again later`. Several answers are given one after the other.
    pub fn answer_next(&self, answer: &str) {
        self.act_next(At::Recipient, Act::Say(answer.to_owned()));
    }

    /// Does this instead of the usual, the next time that a session comes there.
    pub fn act_next(&self, at: At, act: Act) {
        self.inbox.state().acts.push_back((at, act));
    }

    /// The mails that arrived.
    #[must_use]
    pub fn mails(&self) -> Vec<Mail> {
        self.inbox.state().mails.clone()
    }

    /// Throws away the mails that arrived so far.
    pub fn forget(&self) {
        self.inbox.state().mails.clear();
    }

    /// How many mails arrived.
    #[must_use]
    pub fn count(&self) -> usize {
        self.inbox.state().mails.len()
    }

    /// How many recipients were named, taken or not.
    #[must_use]
    pub fn attempts(&self) -> usize {
        self.inbox.state().attempts
    }

    /// How many connections were made.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.inbox.state().connections
    }

    /// Waits until so many mails have arrived.
    ///
    /// # Panics
    /// When they do not arrive in time.
    #[must_use]
    pub fn wait_for(&self, count: usize) -> Vec<Mail> {
        self.inbox.wait_for(count, |state| &state.mails)
    }
}

/// The certificate that a server shows, if any.
fn certificate(protection: &Protection) -> Option<&Certificate> {
    match protection {
        Protection::None => None,
        Protection::Implicit(certificate) | Protection::StartTls(certificate) => Some(certificate),
    }
}
