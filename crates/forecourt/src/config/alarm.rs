//! `[alarm]`: whom to tell when something needs a person, and by which ways.

use std::path::{Path, PathBuf};

use dealers::Period;
use egress::Egress;
use jiff::SignedDuration;
use outside::{
    Secret,
    alarm::{Channel, Heartbeat, Mail, Webhook},
    mail::{Login, MailServer, MailTls, SetupError},
};
use serde::Deserialize;
use url::Url;

use super::check::Findings;

/// Whom to tell when something needs a person. Files are named from the configuration's folder.
#[derive(Debug, Clone, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Alarm {
    /// Mailbox.
    pub mail: Option<String>,
    /// The mail server; one on this machine when absent.
    pub smtp: Option<Smtp>,
    /// Address to which each alarm is posted as JSON.
    pub webhook: Option<Url>,
    /// File with the secret by which those posts are signed (Standard Webhooks).
    pub webhook_secret_file: Option<PathBuf>,
    /// Program and its arguments; it reads each alarm as JSON.
    pub command: Vec<String>,
    /// Address that is called while nothing is wrong.
    pub heartbeat_url: Option<Url>,
    /// How often; see [`heartbeat_every`](Self::heartbeat_every).
    pub heartbeat_every: Option<Period>,
    /// Least free space of the data folder's disk; see [`least_free`](Self::least_free).
    pub disk_free_megabytes: Option<u64>,
}

/// The mail server by which alarms leave. It is apart from the one for leads.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Smtp {
    /// Host name.
    pub host: String,
    /// Port; that of `tls` when absent: 587, 465 or 25.
    pub port: Option<u16>,
    /// Name at the server.
    pub user: Option<String>,
    /// File with the password of `user`.
    pub password_file: Option<PathBuf>,
    /// Protection of the connection.
    #[serde(default = "starttls")]
    pub tls: MailTls,
    /// Sender; the mailbox itself when absent.
    pub from: Option<String>,
}

const fn starttls() -> MailTls {
    MailTls::StartTls
}

/// Why alarms cannot be sent as the configuration says.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AlarmError {
    /// A file of a secret cannot be read.
    #[error("{path} cannot be read")]
    Secret {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Mail cannot be prepared.
    #[error(transparent)]
    Mail(#[from] SetupError),
    /// The HTTP client cannot be set up.
    #[error(transparent)]
    Client(#[from] egress::Error),
}

impl Alarm {
    /// The ways by which alarms leave. Files are named from `base`.
    ///
    /// # Errors
    /// [`AlarmError`].
    pub fn channels(&self, base: &Path, egress: &Egress) -> Result<Vec<Channel>, AlarmError> {
        let mut channels = Vec::new();
        if let Some(mailbox) = &self.mail {
            channels.push(Channel::Mail(self.mail(mailbox, base)?));
        }
        if let Some(url) = &self.webhook {
            let secret = self.webhook_secret_file.as_ref();
            let secret = secret.map(|path| secret_of(base, path)).transpose()?;
            let egress = egress.opened_for(url)?;
            channels.push(Channel::Webhook(Webhook::new(egress, url.clone(), secret)));
        }
        if !self.command.is_empty() {
            channels.push(Channel::Command(self.command.clone()));
        }
        Ok(channels)
    }

    fn mail(&self, mailbox: &str, base: &Path) -> Result<Mail, AlarmError> {
        let Some(smtp) = &self.smtp else {
            let server = MailServer::new("localhost", MailTls::None.port(), MailTls::None);
            return Ok(Mail::new(server, mailbox, mailbox)?);
        };
        let password = smtp.password_file.as_ref();
        let password = password.map(|path| secret_of(base, path)).transpose()?;
        let port = smtp.port.unwrap_or(smtp.tls.port());
        let mut server = MailServer::new(smtp.host.clone(), port, smtp.tls);
        if let Some((user, password)) = smtp.user.clone().zip(password) {
            server.login = Login::Password { user, password };
        }
        let from = smtp.from.as_deref().unwrap_or(mailbox);
        Ok(Mail::new(server, from, mailbox)?)
    }

    /// What is called while nothing is wrong.
    ///
    /// # Errors
    /// [`AlarmError`].
    pub fn heartbeat(&self, egress: &Egress) -> Result<Option<Heartbeat>, AlarmError> {
        let Some(url) = &self.heartbeat_url else {
            return Ok(None);
        };
        Ok(Some(Heartbeat {
            egress: egress.opened_for(url)?,
            url: url.clone(),
            every: self.heartbeat_every().unsigned_abs(),
        }))
    }

    /// How often the heartbeat is called: every minute unless stated.
    #[must_use]
    pub fn heartbeat_every(&self) -> SignedDuration {
        self.heartbeat_every
            .map_or(SignedDuration::from_mins(1), Period::duration)
    }

    /// Least free bytes of the data folder's disk: 500 megabytes unless stated.
    #[must_use]
    pub fn least_free(&self) -> u64 {
        self.disk_free_megabytes
            .unwrap_or(500)
            .saturating_mul(1_000_000)
    }
}

fn secret_of(base: &Path, path: &Path) -> Result<Secret, AlarmError> {
    let path = base.join(path);
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Secret::new(&text)),
        Err(source) => Err(AlarmError::Secret { path, source }),
    }
}

/// What in `[alarm]` cannot work.
pub(super) fn check(alarm: &Alarm, found: &mut Findings<'_>) {
    found.mailbox(&["alarm", "mail"], alarm.mail.as_ref());
    if let Some(smtp) = &alarm.smtp {
        found.mailbox(&["alarm", "smtp", "from"], smtp.from.as_ref());
        if smtp.user.is_some() != smtp.password_file.is_some() {
            found.add(
                &["alarm", "smtp"],
                "name both `user` and `password_file`, or neither",
            );
        }
        if alarm.mail.is_none() {
            found.add(
                &["alarm", "smtp"],
                "nobody gets the mail; write `mail` as well",
            );
        }
    }
    for (name, url) in [
        ("webhook", &alarm.webhook),
        ("heartbeat_url", &alarm.heartbeat_url),
    ] {
        if let Some(url) = url {
            found.web_address(&["alarm", name], url);
        }
    }
    if alarm.webhook_secret_file.is_some() && alarm.webhook.is_none() {
        found.add(
            &["alarm", "webhook_secret_file"],
            "nothing is signed by it; write `webhook` as well",
        );
    }
    if alarm.heartbeat_every() < SignedDuration::from_secs(5) {
        found.add(&["alarm", "heartbeat_every"], "write at least \"5s\"");
    }
}
