//! The ways by which a notice leaves: mail, webhook, command.

use std::{fmt, process::Stdio, time::Duration};

use egress::Egress;
use http::{HeaderValue, header};
use jiff::Timestamp;
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{Mailbox, header::ContentType},
    transport::smtp::{
        authentication::Credentials,
        client::{Tls, TlsParameters},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::Command,
};
use url::Url;

use super::notice::Notice;
use crate::signature::{self, Secret};

/// Longest time that a channel may take for a notice.
const PATIENCE: Duration = Duration::from_secs(30);
/// Most bytes that are kept of what a failing command says.
const COMPLAINT: u64 = 1024;

/// A way by which a notice leaves.
#[derive(Debug)]
#[non_exhaustive]
pub enum Channel {
    /// Mail to a mailbox.
    Mail(Mail),
    /// A POST of the notice as JSON.
    Webhook(Webhook),
    /// A program that reads the notice as JSON from its standard input; never through a shell. The
    /// first word is the program.
    Command(Vec<String>),
}

/// Why a notice did not leave.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// The notice is no mail that can be written.
    #[error("the mail cannot be written")]
    Compose(#[source] lettre::error::Error),
    /// The mail server cannot be reached, or refused.
    #[error("the mail server did not take the mail")]
    Smtp(#[source] lettre::transport::smtp::Error),
    /// The webhook cannot be reached.
    #[error(transparent)]
    Webhook(#[from] egress::Error),
    /// The webhook answered and did not take it.
    #[error("the webhook answered with HTTP status {0}; it must be 200 to 299")]
    Status(u16),
    /// The program cannot be run.
    #[error("{program} cannot be run")]
    Run {
        /// The program.
        program: String,
        /// Why.
        source: std::io::Error,
    },
    /// The program ended with a failure.
    #[error("{program} ended with {status}: {complaint}")]
    Failed {
        /// The program.
        program: String,
        /// Its exit status.
        status: std::process::ExitStatus,
        /// The beginning of its standard error.
        complaint: String,
    },
    /// It took too long.
    #[error("no answer within {} seconds", PATIENCE.as_secs())]
    TimedOut,
}

impl Channel {
    /// Its name in settings, logs and the database.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Mail(_) => "mail",
            Self::Webhook(_) => "webhook",
            Self::Command(_) => "command",
        }
    }

    /// Sends a notice and waits until it was taken.
    ///
    /// # Errors
    /// [`SendError`].
    pub async fn send(&self, notice: &Notice, now: Timestamp) -> Result<(), SendError> {
        let sending = async {
            match self {
                Self::Mail(mail) => mail.send(notice).await,
                Self::Webhook(webhook) => webhook.send(notice, now).await,
                Self::Command(words) => run(words, notice).await,
            }
        };
        let sent = tokio::time::timeout(PATIENCE, sending).await;
        sent.unwrap_or(Err(SendError::TimedOut))
    }
}

/// How the connection to a mail server is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MailTls {
    /// Plain at first, then STARTTLS, which the server must offer (RFC 3207).
    StartTls,
    /// TLS from the first byte (RFC 8314).
    Implicit,
    /// None, for a server on the same machine.
    None,
}

impl MailTls {
    /// The port that is usual for it.
    #[must_use]
    pub const fn port(self) -> u16 {
        match self {
            Self::StartTls => 587,
            Self::Implicit => 465,
            Self::None => 25,
        }
    }
}

/// The mail server by which alarms leave.
#[derive(Debug, Clone)]
pub struct MailServer {
    /// Host name.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Protection of the connection.
    pub tls: MailTls,
    /// Name and password, where the server asks for them.
    pub login: Option<(String, Secret)>,
}

/// Mail to a mailbox.
pub struct Mail {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    to: Mailbox,
}

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
    /// TLS cannot be set up for the server's name.
    #[error("TLS to the mail server cannot be set up")]
    Tls(#[from] lettre::transport::smtp::Error),
}

fn mailbox(text: &str) -> Result<Mailbox, SetupError> {
    text.parse().map_err(|source| SetupError::Mailbox {
        text: text.to_owned(),
        source,
    })
}

impl Mail {
    /// Prepares mail from one mailbox to another; nothing is sent yet.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(server: MailServer, from: &str, to: &str) -> Result<Self, SetupError> {
        let (from, to) = (mailbox(from)?, mailbox(to)?);
        let tls = match server.tls {
            MailTls::None => Tls::None,
            MailTls::StartTls => Tls::Required(TlsParameters::new(server.host.clone())?),
            MailTls::Implicit => Tls::Wrapper(TlsParameters::new(server.host.clone())?),
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&server.host)
            .port(server.port)
            .tls(tls)
            .timeout(Some(PATIENCE));
        if let Some((user, password)) = server.login {
            builder = builder.credentials(Credentials::new(user, password.reveal().to_owned()));
        }
        Ok(Self {
            transport: builder.build(),
            from,
            to,
        })
    }

    async fn send(&self, notice: &Notice) -> Result<(), SendError> {
        let mail = Message::builder()
            .from(self.from.clone())
            .to(self.to.clone())
            .subject(notice.headline())
            .header(ContentType::TEXT_PLAIN)
            .body(notice.text())
            .map_err(SendError::Compose)?;
        let sent = self.transport.send(mail).await;
        sent.map(drop).map_err(SendError::Smtp)
    }
}

impl fmt::Debug for Mail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mail").finish_non_exhaustive()
    }
}

/// A POST of the notice as JSON.
#[derive(Debug)]
pub struct Webhook {
    egress: Egress,
    url: Url,
    secret: Option<Secret>,
}

impl Webhook {
    /// Posts to `url`, signed when there is a secret.
    #[must_use]
    pub const fn new(egress: Egress, url: Url, secret: Option<Secret>) -> Self {
        Self {
            egress,
            url,
            secret,
        }
    }

    async fn send(&self, notice: &Notice, now: Timestamp) -> Result<(), SendError> {
        let body = notice.document().to_string();
        let mut request = self.egress.post(self.url.as_str(), body.clone()).header(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        if let Some(secret) = &self.secret {
            for (name, value) in signature::headers(secret, &notice.id(), now, body.as_bytes()) {
                request = request.header(name, value);
            }
        }
        let answer = request.timeout(PATIENCE).send().await?;
        if answer.status.is_success() {
            Ok(())
        } else {
            Err(SendError::Status(answer.status.as_u16()))
        }
    }
}

/// Runs a program with the notice on its standard input.
async fn run(words: &[String], notice: &Notice) -> Result<(), SendError> {
    let (program, arguments) = words
        .split_first()
        .map_or(("", &[][..]), |(program, rest)| (program.as_str(), rest));
    let fault = |source| SendError::Run {
        program: program.to_owned(),
        source,
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(fault)?;
    let (stdin, stderr) = (child.stdin.take(), child.stderr.take());
    let document = notice.document().to_string();
    let feed = async move {
        if let Some(mut stdin) = stdin {
            // A program that does not read its input may still do its work.
            let _ = stdin.write_all(document.as_bytes()).await;
        }
    };
    let listen = async move {
        let mut complaint = Vec::new();
        if let Some(mut stderr) = stderr {
            // What cannot be read is missing from the log, no more.
            let _ = (&mut stderr)
                .take(COMPLAINT)
                .read_to_end(&mut complaint)
                .await;
            let _ = tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await;
        }
        String::from_utf8_lossy(&complaint).trim().to_owned()
    };
    let ((), complaint, status) = tokio::join!(feed, listen, child.wait());
    let status = status.map_err(fault)?;
    if status.success() {
        Ok(())
    } else {
        Err(SendError::Failed {
            program: program.to_owned(),
            status,
            complaint,
        })
    }
}
