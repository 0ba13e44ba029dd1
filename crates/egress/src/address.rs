//! Which addresses lie on the public internet.
//!
//! The lists follow the IANA registries of special-purpose addresses (RFC 6890 and its updates).
//! IPv6 is read the other way round: only global unicast, `2000::/3`, can be public, so that a
//! block which IANA has not given out yet is closed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use url::{Host, Url};

const LOOPBACK: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::LOCALHOST),
    IpAddr::V6(Ipv6Addr::LOCALHOST),
];

const CLOSED_V4: [Ipv4Net; 16] = [
    v4([0, 0, 0, 0], 8),       // this network
    v4([10, 0, 0, 0], 8),      // private
    v4([100, 64, 0, 0], 10),   // carrier-grade NAT
    v4([127, 0, 0, 0], 8),     // loopback
    v4([169, 254, 0, 0], 16),  // link-local, cloud metadata
    v4([172, 16, 0, 0], 12),   // private
    v4([192, 0, 0, 0], 24),    // IETF protocol assignments
    v4([192, 0, 2, 0], 24),    // documentation
    v4([192, 31, 196, 0], 24), // AS112
    v4([192, 88, 99, 0], 24),  // 6to4 relays
    v4([192, 168, 0, 0], 16),  // private
    v4([198, 18, 0, 0], 15),   // benchmarking
    v4([198, 51, 100, 0], 24), // documentation
    v4([203, 0, 113, 0], 24),  // documentation
    v4([224, 0, 0, 0], 4),     // multicast
    v4([240, 0, 0, 0], 4),     // reserved, broadcast
];

const GLOBAL_UNICAST_V6: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// Inside global unicast. 6to4 and Teredo carry an IPv4 address that a relay would unwrap.
const CLOSED_V6: [Ipv6Net; 4] = [
    v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), // IETF protocol assignments, Teredo
    v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), // documentation
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), // 6to4
    v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), // documentation
];

/// The well-known prefix of NAT64 (RFC 6052): the last four bytes are the IPv4 destination.
const NAT64: Ipv6Net = v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

/// True when the address can be a host on the public internet. An IPv4 address inside an IPv6 one
/// (mapped, or through NAT64) is judged as the IPv4 address that it reaches.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match effective(address) {
        IpAddr::V4(v4) => !CLOSED_V4.iter().any(|net| net.contains(&v4)),
        IpAddr::V6(v6) => {
            GLOBAL_UNICAST_V6.contains(&v6) && !CLOSED_V6.iter().any(|net| net.contains(&v6))
        }
    }
}

/// True when one of the nets holds the address that a connection would reach.
#[must_use]
pub fn is_within(nets: &[IpNet], address: IpAddr) -> bool {
    let address = effective(address);
    nets.iter().any(|net| net.contains(&address))
}

/// The addresses that are not public and that a URL itself names. `localhost` and the names below
/// it are the loopback addresses, whatever a resolver says (RFC 6761 §6.3).
#[must_use]
pub fn typed(url: &Url) -> Vec<IpAddr> {
    match url.host() {
        Some(Host::Ipv4(address)) if !is_public(address.into()) => vec![address.into()],
        Some(Host::Ipv6(address)) if !is_public(address.into()) => vec![address.into()],
        Some(Host::Domain(name)) if name == "localhost" || name.ends_with(".localhost") => {
            LOOPBACK.to_vec()
        }
        _ => Vec::new(),
    }
}

/// The address that a connection to `address` ends at.
fn effective(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if NAT64.contains(&v6) => {
            let [.., a, b, c, d] = v6.octets();
            IpAddr::V4(Ipv4Addr::new(a, b, c, d))
        }
        canonical => canonical,
    }
}

const fn v4(octets: [u8; 4], prefix: u8) -> Ipv4Net {
    let [a, b, c, d] = octets;
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(groups: [u16; 8], prefix: u8) -> Ipv6Net {
    let [a, b, c, d, e, f, g, h] = groups;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn closed_addresses_are_not_public() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "239.255.255.250",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.1.2.3",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::1",
            "3fff::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(ip(text)), "{text} must be closed");
        }
    }

    #[test]
    fn public_addresses_are_public() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.169.0.1",
            "198.20.0.1",
            "223.255.255.1",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2001:200::1",
            "2606:4700:4700::1111",
            "2a00:1450:4001::1",
        ] {
            assert!(is_public(ip(text)), "{text} must be open");
        }
    }

    #[test]
    fn only_what_was_typed_is_opened() {
        let addresses = |url: &str| {
            let typed = typed(&url.parse().unwrap());
            typed.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(addresses("http://127.0.0.1:8080/x"), ["127.0.0.1"]);
        assert_eq!(addresses("http://192.168.1.5"), ["192.168.1.5"]);
        assert_eq!(addresses("http://[::1]:8080"), ["::1"]);
        assert_eq!(addresses("http://localhost:8080"), ["127.0.0.1", "::1"]);
        assert_eq!(addresses("http://north.localhost"), ["127.0.0.1", "::1"]);
        for public in [
            "https://dealer.example",
            "https://8.8.8.8",
            "https://localhost.example",
            "https://notlocalhost",
        ] {
            assert!(addresses(public).is_empty(), "{public}");
        }
    }

    #[test]
    fn a_net_holds_every_spelling_of_its_addresses() {
        let nets = [IpNet::from(v4([127, 0, 0, 0], 8))];
        for text in ["127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"] {
            assert!(is_within(&nets, ip(text)), "{text}");
        }
        assert!(!is_within(&nets, ip("::1")));
        assert!(!is_within(&nets, ip("128.0.0.1")));
    }
}
