//! `[bounces]`: where mail with leads comes back to.

use std::path::{Path, PathBuf};

use dealers::Period;
use egress::Egress;
use jiff::SignedDuration;
use outside::{
    bounces::{self, Maildir, Settings},
    mail::MailTls,
};
use serde::Deserialize;

use super::{
    account::{self, Account},
    check::Findings,
    mail::{OAuth, OutgoingError},
};

/// How often a mailbox may be looked into.
const EVERY: (SignedDuration, SignedDuration) =
    (SignedDuration::from_secs(10), SignedDuration::from_hours(1));

/// Where mail with leads comes back to. Files and folders are named from the configuration's folder.
#[derive(Debug, Clone, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Bounces {
    /// A mailbox at a mail server.
    pub imap: Option<Imap>,
    /// A folder in the form of a Maildir, which a mail server of this machine fills.
    pub maildir: Option<PathBuf>,
    /// How often they are looked into; see [`every`](Self::every).
    pub every: Option<Period>,
}

/// A mailbox that is read by IMAP.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Imap {
    /// Host name.
    pub host: String,
    /// Port; that of `tls` when absent: 993 or 143.
    pub port: Option<u16>,
    /// Protection of the connection; see [`tls`](Self::tls).
    pub tls: Option<MailTls>,
    /// File with further certificate authorities, as PEM.
    pub ca_file: Option<PathBuf>,
    /// Name at the server.
    pub user: Option<String>,
    /// File with the password of `user`.
    pub password_file: Option<PathBuf>,
    /// File with an access token of `user` (XOAUTH2), which another program keeps fresh.
    pub token_file: Option<PathBuf>,
    /// Where access tokens of `user` are handed out (XOAUTH2).
    pub oauth: Option<OAuth>,
    /// The folder that is read; the inbox when absent.
    pub folder: Option<String>,
    /// Where mails go that were dealt with; they stay, marked as seen, when absent.
    pub move_to: Option<String>,
}

impl Bounces {
    /// How often the mailboxes are looked into: every minute unless stated.
    #[must_use]
    pub fn every(&self) -> SignedDuration {
        self.every
            .map_or(SignedDuration::from_mins(1), Period::duration)
    }

    /// Where to look for what came back. Files are named from `base`.
    ///
    /// # Errors
    /// [`OutgoingError`].
    pub fn settings(&self, base: &Path, egress: &Egress) -> Result<Settings, OutgoingError> {
        let imap = self.imap.as_ref();
        let mut settings = Settings::default();
        settings.imap = imap.map(|it| it.mailbox(base, egress)).transpose()?;
        let maildir = self.maildir.as_ref();
        settings.maildir = maildir.map(|it| Maildir::new(base.join(it)));
        settings.every = self.every().unsigned_abs();
        Ok(settings)
    }
}

impl Imap {
    /// Protection of the connection: TLS from the first byte, unless stated.
    #[must_use]
    pub fn tls(&self) -> MailTls {
        self.tls.unwrap_or(MailTls::Implicit)
    }

    /// The folder that is read.
    #[must_use]
    pub fn folder(&self) -> &str {
        self.folder.as_deref().unwrap_or("INBOX")
    }

    fn mailbox(&self, base: &Path, egress: &Egress) -> Result<bounces::Imap, OutgoingError> {
        let login = self.account().login(base, egress)?;
        let mut mailbox = bounces::Imap::new(&self.host, self.tls(), login);
        if let Some(port) = self.port {
            mailbox.port = port;
        }
        mailbox.ca_file = self.ca_file.as_ref().map(|it| base.join(it));
        self.folder().clone_into(&mut mailbox.folder);
        mailbox.move_to.clone_from(&self.move_to);
        Ok(mailbox)
    }

    const fn account(&self) -> Account<'_> {
        Account {
            user: &self.user,
            password_file: &self.password_file,
            token_file: &self.token_file,
            oauth: &self.oauth,
        }
    }
}

/// What in `[bounces]` cannot work.
pub(super) fn check(settings: &Bounces, found: &mut Findings<'_>) {
    let (shortest, longest) = EVERY;
    if !(shortest..=longest).contains(&settings.every()) {
        found.add(&["bounces", "every"], "write \"10s\" to \"1h\"");
    }
    let Some(imap) = &settings.imap else { return };
    let at = ["bounces", "imap"];
    account::check_server(&at, &imap.host, imap.tls(), found);
    imap.account().check(&at, found);
    if imap.user.is_none() {
        found.add(
            &at,
            "no mailbox is read without `user` and the proof for it",
        );
    }
    if imap.move_to.is_some() && imap.move_to.as_deref() == Some(imap.folder()) {
        found.add(
            &["bounces", "imap", "move_to"],
            "is the folder that is read; name another, or leave it out",
        );
    }
}

/// The files that a server has to be able to read.
pub(super) fn check_files(settings: &Bounces, found: &mut Findings<'_>) {
    let Some(imap) = &settings.imap else { return };
    let at = ["bounces", "imap"];
    found.file(&[&at[..], &["ca_file"]].concat(), imap.ca_file.as_deref());
    imap.account().check_files(&at, found);
}
