//! The two gates: the URL before anything is sent, and the resolver at the moment of connecting.
//! Both are needed, because the HTTP library asks no resolver about a literal address.

use std::{
    collections::{HashMap, HashSet},
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use crate::{address, error::Error};

/// Why an address may not be connected to. It travels through the HTTP library inside the error
/// of a failed resolution and is found again there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{address} is not a public address")]
    NotPublic { host: String, address: IpAddr },
    #[error("plain HTTP to a public address")]
    PlainHttp { host: String },
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotPublic { host, address } => Self::AddressBlocked { host, address },
            Refusal::PlainHttp { host } => Self::SchemeNotAllowed {
                scheme: "http".to_owned(),
                host,
                expected: "use https, or open its network on purpose",
            },
        }
    }
}

/// What one client may connect to.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    /// Nets opened on purpose.
    pub(crate) allow: Arc<[IpNet]>,
    /// Host names opened on purpose.
    pub(crate) allow_hosts: Arc<HashSet<String>>,
    /// True for plain HTTP to what was opened only.
    pub(crate) only_allowed: bool,
    /// Host names that are answered without asking the system.
    pub(crate) hosts: Arc<HashMap<String, Vec<IpAddr>>>,
}

impl Gate {
    /// Judges an address that stands for `host`.
    fn judge(&self, host: &str, address: IpAddr) -> Result<(), Refusal> {
        if self.allow_hosts.contains(host) || address::is_within(&self.allow, address) {
            return Ok(());
        }
        let host = host.to_owned();
        if !address::is_public(address) {
            return Err(Refusal::NotPublic { host, address });
        }
        if self.only_allowed {
            return Err(Refusal::PlainHttp { host });
        }
        Ok(())
    }

    /// Judges the literal host of a URL; a name is left to the resolver.
    pub(crate) fn check_literal(&self, url: &Url) -> Result<(), Refusal> {
        match url.host() {
            Some(Host::Ipv4(v4)) => self.judge(&v4.to_string(), v4.into()),
            Some(Host::Ipv6(v6)) => self.judge(&v6.to_string(), v6.into()),
            Some(Host::Domain(_)) | None => Ok(()),
        }
    }

    /// Judges the host of a URL, a name by what it resolves to, if it does.
    pub(crate) async fn check(&self, url: &Url) -> Result<(), Refusal> {
        self.check_literal(url)?;
        let Some(Host::Domain(name)) = url.host() else {
            return Ok(());
        };
        let resolved = self.open_addresses(name).await;
        let refusal = resolved.err().and_then(|error| error.downcast().ok());
        refusal.map_or(Ok(()), |refusal: Box<Refusal>| Err(*refusal))
    }

    async fn look_up(&self, host: &str) -> Result<Vec<IpAddr>, std::io::Error> {
        if let Some(addresses) = self.hosts.get(host) {
            return Ok(addresses.clone());
        }
        let found = tokio::net::lookup_host((host, 0)).await?;
        Ok(found.map(|socket| socket.ip()).collect())
    }

    /// The addresses of `host` that may be connected to; an error when it has some and none may.
    async fn open_addresses(&self, host: &str) -> Result<Vec<IpAddr>, BoxError> {
        let mut open = Vec::new();
        let mut refusal = None;
        for address in self.look_up(host).await? {
            match self.judge(host, address) {
                Ok(()) => open.push(address),
                Err(found) => refusal = Some(found),
            }
        }
        match refusal {
            Some(refusal) if open.is_empty() => Err(refusal.into()),
            _ => Ok(open),
        }
    }
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl Resolve for Gate {
    fn resolve(&self, name: Name) -> Resolving {
        let gate = self.clone();
        Box::pin(async move {
            let addresses = gate.open_addresses(name.as_str()).await?;
            // Port 0 stands for the port of the URL.
            Ok(Box::new(addresses.into_iter().map(|ip| SocketAddr::new(ip, 0))) as Addrs)
        })
    }
}

/// Reads a URL that may be called at all. The parser spells hosts in one way only: decimal, octal
/// and hexadecimal IPv4 forms come out as dotted addresses and are judged as such.
pub(crate) fn parse(text: &str) -> Result<Url, Error> {
    let invalid = |reason: &str| Error::InvalidUrl {
        reason: reason.to_owned(),
    };
    let url = Url::parse(text).map_err(|error| invalid(&error.to_string()))?;
    let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
        return Err(invalid("it names no host"));
    };
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Error::SchemeNotAllowed {
            scheme: url.scheme().to_owned(),
            host: host.to_owned(),
            expected: "use https",
        });
    }
    // `localhost.` is another spelling of `localhost` that lists of names tend to miss, and no
    // certificate carries the dot.
    if host.ends_with('.') {
        return Err(invalid("the host ends in a dot"));
    }
    Ok(url)
}
