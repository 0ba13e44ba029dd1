//! `[alarm]`: whom to tell when something needs a person, and by which ways.

use std::path::{Path, PathBuf};

use dealers::Period;
use egress::Egress;
use jiff::SignedDuration;
use outside::{
    Webhook,
    alarm::{Channel, Heartbeat, Mail},
};
use serde::Deserialize;
use url::Url;

use super::{
    check::Findings,
    mail::{self, OutgoingError, Smtp, secret_of},
};

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

impl Alarm {
    /// The ways by which alarms leave. Files are named from `base`.
    ///
    /// # Errors
    /// [`OutgoingError`].
    pub fn channels(&self, base: &Path, egress: &Egress) -> Result<Vec<Channel>, OutgoingError> {
        let mut channels = Vec::new();
        if let Some(mailbox) = &self.mail {
            channels.push(Channel::Mail(self.mail(mailbox, base, egress)?));
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

    fn mail(&self, mailbox: &str, base: &Path, egress: &Egress) -> Result<Mail, OutgoingError> {
        let smtp = self.smtp.clone().unwrap_or_default();
        let from = smtp.from.as_deref().unwrap_or(mailbox);
        Ok(Mail::new(smtp.server(base, egress)?, from, mailbox)?)
    }

    /// What is called while nothing is wrong.
    ///
    /// # Errors
    /// [`OutgoingError`].
    pub fn heartbeat(&self, egress: &Egress) -> Result<Option<Heartbeat>, OutgoingError> {
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

/// What in `[alarm]` cannot work.
pub(super) fn check(alarm: &Alarm, found: &mut Findings<'_>) {
    found.mailbox(&["alarm", "mail"], alarm.mail.as_ref());
    if let Some(smtp) = &alarm.smtp {
        mail::check(&["alarm", "smtp"], smtp, found);
        for (name, is_stated) in [
            ("reply_to", smtp.reply_to.is_some()),
            ("bounce_address", smtp.bounce_address.is_some()),
        ] {
            if is_stated {
                found.add(
                    &["alarm", "smtp", name],
                    "it is for leads; write it below [mail]",
                );
            }
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

/// The files that a server has to be able to read to send alarms.
pub(super) fn check_files(alarm: &Alarm, found: &mut Findings<'_>) {
    if let Some(smtp) = &alarm.smtp {
        mail::check_files(&["alarm", "smtp"], smtp, found);
    }
    let file = alarm.webhook_secret_file.as_deref();
    found.file(&["alarm", "webhook_secret_file"], file);
}
