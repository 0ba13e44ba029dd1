//! Who sent a request: the other end of the connection, or whom a trusted proxy names.

use std::net::{IpAddr, SocketAddr};

use axum::{
    extract::{ConnectInfo, Request},
    http::{HeaderMap, HeaderName, HeaderValue, Uri, header},
};

use crate::config::Network;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
/// The standard form of the same (RFC 7239), which is not read.
const FORWARDED: HeaderName = header::FORWARDED;
/// Most addresses in a chain of proxies that are looked at.
const LONGEST_CHAIN: usize = 32;

/// Who sent a request, kept among the request's extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Client {
    /// The sender, as far as it is known.
    pub(super) address: IpAddr,
    /// Whether somebody who is not trusted says to speak for another. Then `address` stands for
    /// many.
    pub(super) is_unknown_proxy: bool,
}

impl Client {
    /// Whether the request was made on this machine, as far as that can be known.
    pub(super) fn is_local(self) -> bool {
        self.address.is_loopback() && !self.is_unknown_proxy
    }
}

/// Finds out who sent a request and tells it to everything behind: [`Client`] and the address of
/// `ConnectInfo` are the sender's, and the host is the one that a trusted proxy was asked for.
pub(super) fn identify(mut request: Request, trusted: &[Network]) -> Request {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let Some(ConnectInfo(peer)) = peer.copied() else {
        return request;
    };
    let is_trusted = |address: IpAddr| trusted.iter().any(|it| it.contains(address));
    let peer_address = peer.ip().to_canonical();
    if !is_trusted(peer_address) {
        let headers = request.headers();
        let client = Client {
            address: peer_address,
            is_unknown_proxy: headers.contains_key(FORWARDED_FOR)
                || headers.contains_key(FORWARDED),
        };
        request.extensions_mut().insert(client);
        return request;
    }
    let client = sender(request.headers(), peer_address, is_trusted);
    if let Some(host) = forwarded_host(request.headers()) {
        request.headers_mut().insert(header::HOST, host);
        // HTTP/2 and absolute targets name the proxy's own idea of the host.
        if let Some(path) = request.uri().path_and_query().cloned() {
            *request.uri_mut() = Uri::from(path);
        }
    }
    let extensions = request.extensions_mut();
    extensions.insert(ConnectInfo(SocketAddr::new(client.address, peer.port())));
    extensions.insert(client);
    request
}

/// The last address of `X-Forwarded-For` that no trusted proxy has: everything before it is what a
/// stranger says. Each proxy appends whom it heard, so the list is read from its end.
fn sender(headers: &HeaderMap, peer: IpAddr, is_trusted: impl Fn(IpAddr) -> bool) -> Client {
    let lines = headers.get_all(FORWARDED_FOR).iter();
    let chain: Vec<&str> = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .collect();
    let mut client = Client {
        address: peer,
        is_unknown_proxy: false,
    };
    for hop in chain.iter().rev().take(LONGEST_CHAIN) {
        let Some(address) = hop_address(hop.trim()) else {
            // Not an address: the last proxy that is known speaks for somebody who is not.
            client.is_unknown_proxy = true;
            break;
        };
        client.address = address;
        if !is_trusted(address) {
            break;
        }
    }
    client
}

/// An address, alone, in brackets, or with a port, as proxies write it.
fn hop_address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().ok().map(|it| it.ip());
    let bracketed = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let address = text.parse().ok().or_else(with_port).or_else(bracketed)?;
    Some(address.to_canonical())
}

/// The host that the first proxy was asked for.
fn forwarded_host(headers: &HeaderMap) -> Option<HeaderValue> {
    let value = headers.get(FORWARDED_HOST)?.to_str().ok()?;
    let first = value.split(',').next()?.trim();
    (!first.is_empty()).then(|| HeaderValue::try_from(first).ok())?
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn trusted() -> Vec<Network> {
        ["10.0.0.0/8", "fd00::/8"]
            .map(|it| Network::try_from(it.to_owned()).unwrap())
            .to_vec()
    }

    fn identified(peer: &str, headers: &[(&str, &str)]) -> Request {
        let mut request = axum::http::Request::builder().uri("https://proxy.example/a2a?x=1");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let peer = SocketAddr::new(peer.parse().unwrap(), 4711);
        let request = request
            .extension(ConnectInfo(peer))
            .body(Body::empty())
            .unwrap();
        identify(request, &trusted())
    }

    fn client(peer: &str, forwarded: &[&str]) -> String {
        let headers: Vec<_> = forwarded
            .iter()
            .map(|value| ("x-forwarded-for", *value))
            .collect();
        let request = identified(peer, &headers);
        let client = request.extensions().get::<Client>().unwrap();
        let told = request.extensions().get::<ConnectInfo<SocketAddr>>();
        assert_eq!(told.unwrap().0.ip().to_canonical(), client.address);
        client.address.to_string()
    }

    #[test]
    fn the_chain_is_read_from_its_end_through_trusted_proxies_only() {
        for (peer, forwarded, expected) in [
            ("203.0.113.9", &[][..], "203.0.113.9"),
            ("203.0.113.9", &["1.2.3.4"], "203.0.113.9"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["1.2.3.4, 198.51.100.7"], "198.51.100.7"),
            (
                "10.0.0.1",
                &["1.2.3.4, 198.51.100.7, 10.0.0.2"],
                "198.51.100.7",
            ),
            (
                "10.0.0.1",
                &["1.2.3.4", "198.51.100.7", "10.0.0.2"],
                "198.51.100.7",
            ),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &["1.2.3.4, unknown"], "10.0.0.1"),
            ("10.0.0.1", &["1.2.3.4, unknown, 10.0.0.2"], "10.0.0.2"),
            ("::ffff:10.0.0.1", &["198.51.100.7:5000"], "198.51.100.7"),
            ("fd00::1", &["[2001:db8::1]:443"], "2001:db8::1"),
            ("fd00::1", &["[2001:db8::1]"], "2001:db8::1"),
        ] {
            assert_eq!(client(peer, forwarded), expected, "{peer} {forwarded:?}");
        }
    }

    #[test]
    fn the_host_is_taken_from_trusted_proxies_only() {
        let headers = [("x-forwarded-host", "north.example, other.example")];
        let request = identified("10.0.0.1", &headers);
        assert_eq!(request.headers()[header::HOST], "north.example");
        assert_eq!(request.uri(), "/a2a?x=1");
        let request = identified("203.0.113.9", &headers);
        assert_eq!(request.headers().get(header::HOST), None);
        assert_eq!(request.uri().host(), Some("proxy.example"));
    }

    #[test]
    fn a_sender_whom_a_trusted_proxy_does_not_know_is_not_taken_for_the_proxy() {
        for (forwarded, is_unknown) in [
            ("unknown", true),
            ("10.0.0.2, _hidden", true),
            ("unknown, 10.0.0.2", true),
            ("10.0.0.2", false),
            ("unknown, 198.51.100.7", false),
        ] {
            let request = identified("10.0.0.1", &[("x-forwarded-for", forwarded)]);
            let client = request.extensions().get::<Client>().unwrap();
            assert_eq!(client.is_unknown_proxy, is_unknown, "{forwarded}");
        }
    }

    #[test]
    fn a_local_proxy_that_is_not_trusted_is_not_taken_for_this_machine() {
        let is_local = |headers: &[(&str, &str)]| {
            let request = identified("127.0.0.1", headers);
            request.extensions().get::<Client>().unwrap().is_local()
        };
        assert!(is_local(&[]));
        assert!(!is_local(&[("x-forwarded-for", "203.0.113.9")]));
        assert!(!is_local(&[("forwarded", "for=203.0.113.9")]));
    }
}
