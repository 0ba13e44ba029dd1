//! Which addresses may be reached for a dealer.

use std::{collections::HashMap, net::IpAddr, time::Duration};

use egress::{Egress, Options, address};
use ipnet::IpNet;
use url::{Host, Url};

/// What is opened for a URL that the buyer typed: what [`address::typed`] finds in it, and only
/// that. A card on the public internet cannot point the client into the buyer's own network. Empty
/// for most URLs.
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
        let addresses = url.as_ref().map(address::typed).unwrap_or_default();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dealers_whose_urls_open_the_same_can_share_a_client() {
        let public = Opened::by("https://dealer.example");
        assert_eq!(public, Opened::by("https://8.8.8.8"));
        assert_eq!(public, Opened::by("no URL"));
        let loopback = Opened::by("http://127.0.0.1:8080/x");
        assert_eq!(loopback, Opened::by("http://127.0.0.1:9090"));
        assert_ne!(loopback, public);
        assert_ne!(loopback, Opened::by("http://localhost:8080"));
    }
}
