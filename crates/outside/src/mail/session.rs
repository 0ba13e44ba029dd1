//! One connection to a mail server.

use std::time::Duration;

use base64::{Engine, engine::general_purpose::STANDARD};
use lettre::{
    address::Envelope,
    transport::smtp::{
        authentication::{Credentials, DEFAULT_MECHANISMS, Mechanism},
        client::AsyncSmtpConnection,
        commands::{Data, Mail, Quit, Rcpt, Rset},
        extension::{ClientId, Extension},
        response::Response,
    },
};
use tokio::time::{Instant, timeout, timeout_at};

use super::{Login, MailError, MailServer, Stage, server::Tls};

/// How long a server may take to say goodbye.
const GOODBYE: Duration = Duration::from_millis(500);

/// A connection. Every step ends at a deadline; one that did not come to its end leaves a connection
/// on which answers and questions no longer belong together, so that it is used for nothing more.
pub(super) struct Session {
    smtp: AsyncSmtpConnection,
    host: String,
    mails: u32,
    /// True between a question and its answer, and after the connection broke.
    is_astray: bool,
}

impl Session {
    /// Connects and starts TLS as the settings say.
    pub(super) async fn open(
        server: &MailServer,
        tls: &Tls,
        hello: &ClientId,
        deadline: Instant,
    ) -> Result<Self, MailError> {
        let implicit = match tls {
            Tls::Implicit(parameters) => Some(parameters.clone()),
            Tls::None | Tls::Start(_) => None,
        };
        let address = (server.host.as_str(), server.port);
        let connecting = AsyncSmtpConnection::connect_tokio1(address, None, hello, implicit, None);
        let smtp = step(connecting, Stage::Connect, &server.host, deadline).await?;
        let mut session = Self {
            smtp,
            host: server.host.clone(),
            mails: 0,
            is_astray: false,
        };
        if let Tls::Start(parameters) = tls {
            if !session.smtp.can_starttls() {
                return Err(MailError::NoStartTls { host: session.host });
            }
            let starting = session.smtp.starttls(parameters.clone(), hello);
            step(starting, Stage::Tls, &server.host, deadline).await?;
        }
        Ok(session)
    }

    /// Logs in.
    pub(super) async fn log_in(
        &mut self,
        login: &Login,
        deadline: Instant,
    ) -> Result<(), MailError> {
        match login {
            Login::None => Ok(()),
            Login::Password { user, password } => {
                if !self.offers(DEFAULT_MECHANISMS) {
                    return Err(MailError::NoLogin {
                        tried: "PLAIN, LOGIN",
                    });
                }
                let credentials = Credentials::new(user.clone(), password.reveal().to_owned());
                let asking = self.smtp.auth(DEFAULT_MECHANISMS, &credentials);
                step(asking, Stage::Login, &self.host, deadline).await?;
                Ok(())
            }
            Login::Token { user, tokens } => {
                if !self.offers(&[Mechanism::Xoauth2]) {
                    return Err(MailError::NoLogin { tried: "XOAUTH2" });
                }
                let fetching = timeout_at(deadline, tokens.token()).await;
                let token = fetching.map_err(|_| MailError::TimedOut(Stage::Login))??;
                let words = format!("user={user}\x01auth=Bearer {}\x01\x01", token.reveal());
                self.ask_for_token_login(&STANDARD.encode(words), deadline)
                    .await
            }
        }
    }

    fn offers(&self, mechanisms: &[Mechanism]) -> bool {
        let known = self.smtp.server_info();
        mechanisms
            .iter()
            .any(|it| known.supports_feature(Extension::Authentication(*it)))
    }

    /// A server that refuses the token first says why, as Base64, and refuses after an empty line.
    async fn ask_for_token_login(
        &mut self,
        words: &str,
        deadline: Instant,
    ) -> Result<(), MailError> {
        let stage = Stage::Login;
        let asked = self
            .command(format!("AUTH XOAUTH2 {words}\r\n"), stage, deadline)
            .await?;
        if asked.has_code(334) {
            self.command("\r\n", stage, deadline).await?;
        }
        Ok(())
    }

    /// Hands one mail over and returns what the server said when it took it.
    pub(super) async fn hand_over(
        &mut self,
        envelope: &Envelope,
        mail: &str,
        deadline: Instant,
    ) -> Result<String, MailError> {
        self.mails += 1;
        let sender = Mail::new(envelope.from().cloned(), Vec::new());
        self.command(sender, Stage::Sender, deadline).await?;
        for recipient in envelope.to() {
            let recipient = Rcpt::new(recipient.clone(), Vec::new());
            self.command(recipient, Stage::Recipient, deadline).await?;
        }
        self.command(Data, Stage::Content, deadline).await?;
        let taken = self
            .command(in_one_piece(mail), Stage::Content, deadline)
            .await?;
        let words: Vec<&str> = taken.message().collect();
        Ok(format!("{} {}", taken.code(), words.join(" ")))
    }

    /// Makes ready for another mail. False when the server does not answer.
    pub(super) async fn reset(&mut self, deadline: Instant) -> bool {
        let deadline = deadline.min(Instant::now() + Duration::from_secs(5));
        self.command(Rset, Stage::Sender, deadline).await.is_ok()
    }

    /// Tells the server that nothing more comes.
    pub(super) async fn close(mut self) {
        if self.is_usable() {
            // A server that says nothing has been told all the same.
            let _ = timeout(GOODBYE, self.smtp.command(Quit)).await;
        }
    }

    /// False after the connection broke or a step did not come to its end.
    pub(super) const fn is_usable(&self) -> bool {
        !self.is_astray
    }

    /// How many mails were handed over.
    pub(super) const fn mails(&self) -> u32 {
        self.mails
    }

    async fn command(
        &mut self,
        command: impl std::fmt::Display,
        stage: Stage,
        deadline: Instant,
    ) -> Result<Response, MailError> {
        self.is_astray = true;
        let asking = self.smtp.command(command);
        let answer = step(asking, stage, &self.host, deadline).await;
        self.is_astray = !is_answer(&answer);
        answer
    }
}

/// A mail up to the line that ends it, dots at the beginning of lines doubled (RFC 5321 §4.5.2). It
/// is written at once: a last piece of its own would wait for the receiver to acknowledge the rest,
/// which takes its time where nothing is to be answered yet.
fn in_one_piece(mail: &str) -> String {
    let dot = if mail.starts_with('.') { "." } else { "" };
    format!("{dot}{}\r\n.\r\n", mail.replace("\r\n.", "\r\n.."))
}

/// True when the server answered, whatever it said, and will go on. 421 announces that it closes
/// the connection (RFC 5321 §3.8).
const fn is_answer(outcome: &Result<Response, MailError>) -> bool {
    match outcome {
        Ok(_) => true,
        Err(MailError::Refused { code, .. }) => *code != 421,
        Err(_) => false,
    }
}

/// Waits for one step until the deadline.
async fn step<T>(
    doing: impl Future<Output = Result<T, lettre::transport::smtp::Error>>,
    stage: Stage,
    host: &str,
    deadline: Instant,
) -> Result<T, MailError> {
    match timeout_at(deadline, doing).await {
        Ok(done) => done.map_err(|error| MailError::of(error, stage, host)),
        Err(_) => Err(MailError::TimedOut(stage)),
    }
}
