//! Which addresses may be reached for a dealer.

use std::{collections::HashMap, net::IpAddr, time::Duration};

use egress::{Egress, Options, address::is_public};
use ipnet::IpNet;
use url::{Host, Url};

const LOOPBACK: [IpAddr; 2] = [
    IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
    IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
];

/// What is opened for a URL that the buyer typed: addresses that are not public and that the URL
/// itself names (or `localhost`), and only those. A card on the public internet cannot point the
/// client into the buyer's own network. Empty for most URLs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Opened {
    addresses: Vec<IpAddr>,
    /// The name that stands for the addresses, where the URL has one.
    name: Option<String>,
}

impl Opened {
    /// What this URL opens. What is no URL opens nothing; the client itself says that it is none.
    pub(super) fn by(url: &str) -> Self {
        let url = Url::parse(url).ok();
        let addresses = url.as_ref().map(typed_addresses).unwrap_or_default();
        let name = match url.as_ref().and_then(Url::host) {
            Some(Host::Domain(name)) if !addresses.is_empty() => Some(name.to_owned()),
            _ => None,
        };
        Self { addresses, name }
    }

    /// The client that may reach them beside the public addresses.
    ///
    /// # Errors
    /// [`egress::Error::Setup`].
    pub(super) fn egress(&self, timeout: Duration) -> Result<Egress, egress::Error> {
        let mut options = Options::default();
        options.timeout = timeout;
        options.connect_timeout = options.connect_timeout.min(timeout);
        options.allow = self.addresses.iter().copied().map(IpNet::from).collect();
        if let Some(name) = &self.name {
            options.hosts = HashMap::from([(name.clone(), self.addresses.clone())]);
        }
        Egress::new(options)
    }
}

/// The addresses that are not public and that the URL itself names. `localhost` and the names below
/// it are the loopback addresses, whatever a resolver says (RFC 6761 §6.3).
fn typed_addresses(url: &Url) -> Vec<IpAddr> {
    match url.host() {
        Some(Host::Ipv4(address)) if !is_public(address.into()) => vec![address.into()],
        Some(Host::Ipv6(address)) if !is_public(address.into()) => vec![address.into()],
        Some(Host::Domain(name)) if name == "localhost" || name.ends_with(".localhost") => {
            LOOPBACK.to_vec()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(url: &str) -> Vec<String> {
        let addresses = typed_addresses(&Url::parse(url).unwrap());
        addresses.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn only_what_was_typed_is_opened() {
        assert_eq!(typed("http://127.0.0.1:8080/x"), ["127.0.0.1"]);
        assert_eq!(typed("http://192.168.1.5"), ["192.168.1.5"]);
        assert_eq!(typed("http://[::1]:8080"), ["::1"]);
        assert_eq!(typed("http://localhost:8080"), ["127.0.0.1", "::1"]);
        assert_eq!(typed("http://north.localhost"), ["127.0.0.1", "::1"]);
        for public in [
            "https://dealer.example",
            "https://8.8.8.8",
            "https://localhost.example",
            "https://notlocalhost",
        ] {
            assert!(typed(public).is_empty(), "{public}");
        }
    }
}
