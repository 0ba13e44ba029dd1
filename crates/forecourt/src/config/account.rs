//! How to log in at a mail server, for mail that leaves and for mail that comes back.

use std::{
    net::Ipv6Addr,
    path::{Path, PathBuf},
};

use egress::Egress;
use outside::mail::{AccessTokens, Login, MailTls};
use url::Host;

use super::{
    check::Findings,
    mail::{OAuth, OutgoingError, secret_of},
};

/// The settings of a table that say how to log in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Account<'s> {
    pub(super) user: &'s Option<String>,
    pub(super) password_file: &'s Option<PathBuf>,
    pub(super) token_file: &'s Option<PathBuf>,
    pub(super) oauth: &'s Option<OAuth>,
}

impl Account<'_> {
    /// The login. Secrets are read at once, except those that change by themselves.
    pub(super) fn login(self, base: &Path, egress: &Egress) -> Result<Login, OutgoingError> {
        let Some(user) = self.user.clone() else {
            return Ok(Login::None);
        };
        if let Some(file) = self.password_file {
            let password = secret_of(base, file)?;
            return Ok(Login::Password { user, password });
        }
        let tokens = match (self.token_file, self.oauth) {
            (Some(file), _) => AccessTokens::file(base.join(file)),
            (None, Some(oauth)) => AccessTokens::address(oauth.address(base, egress)?),
            (None, None) => return Ok(Login::None),
        };
        Ok(Login::Token { user, tokens })
    }

    /// What in the table at `at` cannot work.
    pub(super) fn check(self, at: &[&str], found: &mut Findings<'_>) {
        let ways = [
            ("password_file", self.password_file.is_some()),
            ("token_file", self.token_file.is_some()),
            ("oauth", self.oauth.is_some()),
        ];
        let stated: Vec<&str> = ways.iter().filter(|it| it.1).map(|it| it.0).collect();
        let fault = match (self.user, stated.as_slice()) {
            (None, []) | (Some(_), [_]) => None,
            (Some(_), []) => Some(
                "name `password_file`, `token_file` or `oauth` beside `user`, or leave `user` out"
                    .to_owned(),
            ),
            (None, [one]) => Some(format!("name `user` beside `{one}`")),
            (_, several) => Some(format!(
                "there is one way to log in; write only one of `{}`",
                several.join("`, `")
            )),
        };
        if let Some(fault) = fault {
            found.add(at, fault);
        }
        let Some(oauth) = self.oauth else { return };
        let key = |last| [at, &["oauth", last]].concat();
        found.web_address(&key("token_url"), &oauth.token_url);
        if oauth.client_secret_file.is_none() && oauth.refresh_token_file.is_none() {
            found.add(
                &[at, &["oauth"]].concat(),
                "name `client_secret_file`, `refresh_token_file`, or both",
            );
        }
    }

    /// The files that a server has to be able to read to log in.
    pub(super) fn check_files(self, at: &[&str], found: &mut Findings<'_>) {
        for (setting, file) in [
            ("password_file", self.password_file),
            ("token_file", self.token_file),
        ] {
            found.file(&[at, &[setting]].concat(), file.as_deref());
        }
        let Some(oauth) = self.oauth else { return };
        for (setting, file) in [
            ("client_secret_file", &oauth.client_secret_file),
            ("refresh_token_file", &oauth.refresh_token_file),
        ] {
            found.file(&[at, &["oauth", setting]].concat(), file.as_deref());
        }
    }
}

/// What of a mail server's name and protection, in the table at `at`, cannot work.
pub(super) fn check_server(at: &[&str], host: &str, tls: MailTls, found: &mut Findings<'_>) {
    let key = |last| [at, &[last]].concat();
    if Host::parse(host).is_err() && host.parse::<Ipv6Addr>().is_err() {
        found.add(
            &key("host"),
            format!("{host:?} is no host name; the port is a setting of its own"),
        );
    }
    if !tls.allows(host) {
        found.add(
            &key("tls"),
            format!(
                "{host} is not this machine, so that mail must be encrypted on the way; write \"starttls\" or \"implicit\""
            ),
        );
    }
}
