//! The ways by which a notice leaves: mail, webhook, command.

use std::{process::Stdio, time::Duration};

use jiff::Timestamp;
use lettre::{
    Message,
    message::{Mailbox, header::ContentType},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::Command,
};

use super::notice::Notice;
use crate::{
    mail::{MailError, MailServer, Mailer, SetupError, date, mailbox},
    webhook::Webhook,
};

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
    Mail(#[source] MailError),
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
                Self::Mail(mail) => mail.send(notice, now).await,
                Self::Webhook(webhook) => post(webhook, notice, now).await,
                Self::Command(words) => run(words, notice).await,
            }
        };
        let sent = tokio::time::timeout(PATIENCE, sending).await;
        sent.unwrap_or(Err(SendError::TimedOut))
    }
}

/// Mail to a mailbox.
#[derive(Debug)]
pub struct Mail {
    mailer: Mailer,
    from: Mailbox,
    to: Mailbox,
}

impl Mail {
    /// Prepares mail from one mailbox to another; nothing is sent yet.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(server: MailServer, from: &str, to: &str) -> Result<Self, SetupError> {
        let (from, to) = (mailbox(from)?, mailbox(to)?);
        let mailer = Mailer::new(server, from.email.domain())?;
        Ok(Self { mailer, from, to })
    }

    async fn send(&self, notice: &Notice, now: Timestamp) -> Result<(), SendError> {
        let mail = Message::builder()
            .from(self.from.clone())
            .to(self.to.clone())
            .date(date(now))
            .subject(notice.headline())
            .header(ContentType::TEXT_PLAIN)
            .body(notice.text())
            .map_err(SendError::Compose)?;
        let sent = self.mailer.send_message(&mail).await;
        sent.map(drop).map_err(SendError::Mail)
    }
}

async fn post(webhook: &Webhook, notice: &Notice, now: Timestamp) -> Result<(), SendError> {
    let document = notice.document();
    let answer = webhook.post(&notice.id(), &document, now, PATIENCE).await?;
    if answer.status.is_success() {
        Ok(())
    } else {
        Err(SendError::Status(answer.status.as_u16()))
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
