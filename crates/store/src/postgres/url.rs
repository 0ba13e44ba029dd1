//! The URL of a PostgreSQL database.

use std::{error::Error as _, fmt, path::PathBuf, str::FromStr as _};

use percent_encoding::percent_decode_str;
use tokio_postgres::{
    Config,
    config::{SslMode, TargetSessionAttrs},
};

use crate::BadAddress;

/// The URL of a PostgreSQL database, as libpq reads it: several hosts may stand in it, and
/// parameters behind a question mark. Shown without user, password and parameters.
///
/// A connection is under TLS unless the server has none; `sslmode=require` insists on it and
/// `sslmode=disable` does without. The server's certificate is always verified, against the authorities of
/// the machine and those in the PEM file that `sslrootcert` names. Of several hosts the one is used that
/// can be written to, unless `target_session_attrs` says otherwise.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(String);

/// What a URL asks for.
pub(super) struct Wanted {
    pub(super) config: Config,
    /// Further certificate authorities, as PEM.
    pub(super) authorities: Option<PathBuf>,
}

impl PostgresUrl {
    /// Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS`.
    ///
    /// # Errors
    /// When the text is something else.
    pub fn parse(text: &str) -> Result<Self, BadAddress> {
        if !(text.starts_with("postgres://") || text.starts_with("postgresql://")) {
            return Err(BadAddress::Form);
        }
        let url = Self(text.to_owned());
        match url.wanted()?.config.get_dbname() {
            None => Err(BadAddress::NoDatabase),
            Some(_) => Ok(url),
        }
    }

    /// The URL as it was written, with its password.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }

    pub(super) fn wanted(&self) -> Result<Wanted, BadAddress> {
        let (before, parameters) = self.parts();
        let mut known = Vec::new();
        let mut authorities = None;
        for parameter in parameters.split('&').filter(|it| !it.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslrootcert", path)) => {
                    let path = percent_decode_str(path).decode_utf8_lossy();
                    authorities = Some(PathBuf::from(path.into_owned()));
                }
                Some(("sslmode", "verify-ca" | "verify-full")) => known.push("sslmode=require"),
                _ => known.push(parameter),
            }
        }
        let read = Config::from_str(&format!("{before}?{}", known.join("&")));
        let mut config = read.map_err(|error| BadAddress::Postgres {
            reason: error
                .source()
                .map_or_else(|| error.to_string(), ToString::to_string),
        })?;
        let many = config.get_hosts().len() > 1;
        if many && config.get_target_session_attrs() == TargetSessionAttrs::Any {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        if authorities.is_some() && config.get_ssl_mode() == SslMode::Prefer {
            config.ssl_mode(SslMode::Require);
        }
        Ok(Wanted {
            config,
            authorities,
        })
    }

    /// The settings for each host by itself, in the order in which they are written.
    pub(super) fn each_host(&self) -> Result<Vec<Config>, BadAddress> {
        let all = self.wanted()?.config;
        let (before, parameters) = self.parts();
        let place = self.place();
        let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
        if !hosts.contains(',') {
            return Ok(vec![all]);
        }
        let start = &before[..before.len() - place.len()];
        let one = |host: &str| {
            let url = Self(format!("{start}{host}/{database}?{parameters}"));
            let mut config = url.wanted()?.config;
            config.target_session_attrs(all.get_target_session_attrs());
            Ok(config)
        };
        hosts.split(',').map(one).collect()
    }

    /// Another database of the same server.
    pub(super) fn with_database(&self, name: &str) -> Self {
        let (before, parameters) = self.parts();
        let end = before.len()
            - self
                .place()
                .split_once('/')
                .map_or(0, |(_, it)| it.len() + 1);
        Self(format!("{}/{name}?{parameters}", &before[..end]))
    }

    /// What stands before the question mark, and behind it. User and password end with the first `@`.
    fn parts(&self) -> (&str, &str) {
        let start = self.0.find('@').unwrap_or_default();
        match self.0[start..].find('?') {
            Some(at) => (&self.0[..start + at], &self.0[start + at + 1..]),
            None => (&self.0, ""),
        }
    }

    /// The hosts and the database.
    fn place(&self) -> &str {
        let (before, _) = self.parts();
        let place = before.split_once("://").map_or(before, |(_, place)| place);
        place.split_once('@').map_or(place, |(_, place)| place)
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "postgres://{}", self.place())
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tokio_postgres::config::{SslMode, TargetSessionAttrs};

    use super::PostgresUrl;

    #[test]
    fn of_several_hosts_the_one_that_can_be_written_to_is_wanted() {
        let url = |text| PostgresUrl::parse(text).unwrap().wanted().unwrap().config;
        let one = url("postgres://ada@db/cars");
        assert_eq!(one.get_target_session_attrs(), TargetSessionAttrs::Any);
        let two = url("postgres://ada@db1,db2:5433/cars");
        assert_eq!(two.get_ports(), [5432, 5433]);
        assert_eq!(
            two.get_target_session_attrs(),
            TargetSessionAttrs::ReadWrite
        );
    }

    #[test]
    fn each_host_has_the_settings_of_all() {
        let url = "postgres://ada:a,b@db1:6000,[::1]:6001/cars?connect_timeout=3&sslmode=require";
        let hosts = PostgresUrl::parse(url).unwrap().each_host().unwrap();
        let ports: Vec<_> = hosts.iter().map(|it| it.get_ports().to_vec()).collect();
        assert_eq!(ports, [[6000], [6001]]);
        for host in hosts {
            assert_eq!(host.get_hosts().len(), 1);
            assert_eq!(host.get_user(), Some("ada"));
            assert_eq!(host.get_password(), Some(&b"a,b"[..]));
            assert_eq!(host.get_dbname(), Some("cars"));
            assert_eq!(host.get_ssl_mode(), SslMode::Require);
            assert_eq!(
                host.get_target_session_attrs(),
                TargetSessionAttrs::ReadWrite
            );
        }
    }

    #[test]
    fn another_database_of_the_same_server_is_named() {
        for (url, other) in [
            ("postgres://ada:a@db/cars", "postgres://ada:a@db/two?"),
            (
                "postgres:///cars?host=/run/a&user=b",
                "postgres:///two?host=/run/a&user=b",
            ),
        ] {
            let url = PostgresUrl::parse(url).unwrap();
            assert_eq!(url.with_database("two").secret(), other);
        }
    }

    #[test]
    fn what_libpq_calls_verification_is_the_only_way() {
        let url = "postgres://a:b?c@db/cars?sslmode=verify-full&sslrootcert=/etc/a%20b.pem";
        let wanted = PostgresUrl::parse(url).unwrap().wanted().unwrap();
        assert_eq!(wanted.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(wanted.config.get_password(), Some(&b"b?c"[..]));
        assert_eq!(
            wanted.authorities.as_deref(),
            Some(Path::new("/etc/a b.pem"))
        );
    }
}
