//! Which addresses a command may reach.

use std::{collections::HashMap, net::IpAddr, time::Duration};

use egress::{Egress, Options, address::is_public};
use ipnet::IpNet;
use url::{Host, Url};

use crate::{cli::outcome::Failure, explain};

const LOOPBACK: [IpAddr; 2] = [
    IpAddr::V4(std::net::Ipv4Addr::LOCALHOST),
    IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
];

/// The client for a command to `url`.
///
/// An address that is not public is opened only when the buyer typed it (or `localhost`), and only
/// that one: a card on the public internet cannot point the client into the buyer's own network.
pub(super) fn egress(url: &str, timeout: Duration) -> Result<Egress, Failure> {
    if !url.contains("://") {
        return Err(Failure::usage(format!(
            "{url:?} has no scheme; write for example https://dealer.example"
        )));
    }
    let mut options = Options::default();
    options.timeout = timeout;
    options.connect_timeout = options.connect_timeout.min(timeout);
    // What is no URL is told by the client itself.
    if let Ok(url) = Url::parse(url) {
        let typed = typed_addresses(&url);
        options.allow = typed.iter().copied().map(IpNet::from).collect();
        if let Some(Host::Domain(name)) = url.host()
            && !typed.is_empty()
        {
            options.hosts = HashMap::from([(name.to_owned(), typed)]);
        }
    }
    Egress::new(options).map_err(|error| Failure::refused("setup", explain(&error)))
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

    #[test]
    fn a_url_without_a_scheme_is_a_usage_error() {
        let error = egress("localhost:8080", Duration::from_secs(1)).unwrap_err();
        assert!(error.message.contains("https://"), "{}", error.message);
    }
}
