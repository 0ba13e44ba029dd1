//! Which of a card's interfaces is called (A2A 1.0 §8.3.2).

use std::{fmt, str::FromStr};

use a2a::{
    card::{AgentCard, AgentInterface},
    headers::ProtocolVersion,
};
use url::Url;

use crate::error::Error;

/// The bindings that this client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Binding {
    /// JSON-RPC, streams as Server-Sent Events (A2A 1.0 §9).
    JsonRpc,
    /// HTTP+JSON, streams as Server-Sent Events (A2A 1.0 §11).
    HttpJson,
    /// gRPC (A2A 1.0 §10).
    #[cfg(feature = "grpc")]
    Grpc,
}

/// Every binding that this client speaks.
const SPOKEN: &[Binding] = &[
    Binding::JsonRpc,
    Binding::HttpJson,
    #[cfg(feature = "grpc")]
    Binding::Grpc,
];

impl Binding {
    /// The name on a card.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::JsonRpc => AgentInterface::JSONRPC,
            Self::HttpJson => AgentInterface::HTTP_JSON,
            #[cfg(feature = "grpc")]
            Self::Grpc => AgentInterface::GRPC,
        }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name is not that of a binding that this client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not {}", spoken())]
pub struct UnknownBinding;

/// The names of the bindings, for people.
fn spoken() -> String {
    let names: Vec<&str> = SPOKEN.iter().map(|binding| binding.name()).collect();
    names.join(" or ")
}

impl FromStr for Binding {
    type Err = UnknownBinding;

    /// Reads the name on a card, in any letter case.
    fn from_str(name: &str) -> Result<Self, UnknownBinding> {
        let mut known = SPOKEN.iter();
        let found = known.find(|binding| binding.name().eq_ignore_ascii_case(name));
        found.copied().ok_or(UnknownBinding)
    }
}

/// An interface that this client can call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Interface {
    /// Its address; for gRPC scheme, host and port.
    pub url: Url,
    /// Its binding.
    pub binding: Binding,
    /// The protocol version spoken there: 1.0 or 0.3.
    pub version: ProtocolVersion,
    /// What every request names as its tenant.
    pub tenant: Option<String>,
}

/// Which interfaces of a card may be called.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// Versions, the most wanted first. The client takes the interfaces of the first version in the
    /// card's order, and goes to the next version only when none of those can be reached. The default
    /// is 1.0 alone: an older version is spoken only when it is asked for.
    pub versions: Vec<ProtocolVersion>,
    /// The one binding to use; any when absent.
    pub binding: Option<Binding>,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            versions: vec![ProtocolVersion::V1_0],
            binding: None,
        }
    }
}

impl Choice {
    /// Also agents that speak nothing but 0.3, and 0.3 where 1.0 cannot be reached.
    #[must_use]
    pub fn with_older_versions() -> Self {
        Self {
            versions: vec![ProtocolVersion::V1_0, ProtocolVersion::V0_3],
            binding: None,
        }
    }

    /// The interfaces of a card that lies at `card_url`, in the order in which they are tried.
    pub(crate) fn interfaces(
        &self,
        card: &AgentCard,
        card_url: &Url,
    ) -> Result<Vec<Interface>, Error> {
        let offered = &card.supported_interfaces;
        let callable: Vec<Interface> = offered
            .iter()
            .filter_map(|offered| callable(offered, card_url))
            .filter(|it| self.binding.is_none_or(|binding| binding == it.binding))
            .collect();
        let wanted = self.versions.iter().flat_map(|version| {
            let of_version = callable.iter().filter(|it| it.version == *version);
            of_version.cloned()
        });
        let interfaces: Vec<Interface> = wanted.collect();
        if interfaces.is_empty() {
            return Err(Error::NoSupportedInterface {
                wanted: self.in_words(),
                offered: offered.iter().map(in_words).collect(),
            });
        }
        Ok(interfaces)
    }

    fn in_words(&self) -> String {
        let versions: Vec<String> = self.versions.iter().map(ToString::to_string).collect();
        let bindings = match self.binding {
            Some(binding) => binding.name().to_owned(),
            None => spoken(),
        };
        format!("{bindings} of A2A {}", versions.join(" or "))
    }
}

/// The interface, when its binding and version are spoken here.
fn callable(offered: &AgentInterface, card_url: &Url) -> Option<Interface> {
    let version = offered.version()?;
    if ![ProtocolVersion::V1_0, ProtocolVersion::V0_3].contains(&version) {
        return None;
    }
    let binding = offered.protocol_binding.parse().ok()?;
    Some(Interface {
        url: address(binding, &offered.url, card_url)?,
        binding,
        version,
        tenant: offered.tenant.clone().filter(|tenant| !tenant.is_empty()),
    })
}

/// The address of an interface of a card that lies at `card_url`.
fn address(binding: Binding, offered: &str, card_url: &Url) -> Option<Url> {
    match binding {
        // A relative URL breaks the specification and still says where the agent is.
        Binding::JsonRpc | Binding::HttpJson => card_url.join(offered).ok(),
        #[cfg(feature = "grpc")]
        Binding::Grpc => grpc_address(offered, card_url),
    }
}

/// `host:port` (A2A 1.0 §4.4.6), which does not tell whether it is to be called over TLS: it is where the
/// card is. Cards from before 1.0.1 have a scheme, `grpc` and `grpcs` among them, and maybe a path, which
/// calls over gRPC have no use for.
#[cfg(feature = "grpc")]
fn grpc_address(offered: &str, card_url: &Url) -> Option<Url> {
    let (scheme, rest) = match offered.split_once("://") {
        None => (card_url.scheme(), offered),
        Some((scheme, rest)) => match scheme.to_ascii_lowercase().as_str() {
            "grpc" | "http" => ("http", rest),
            "grpcs" | "https" => ("https", rest),
            _ => return None,
        },
    };
    let mut url = Url::parse(&format!("{scheme}://{rest}")).ok()?;
    url.set_path("");
    url.set_query(None);
    url.set_fragment(None);
    Some(url)
}

fn in_words(interface: &AgentInterface) -> String {
    format!(
        "{} {} at {}",
        interface.protocol_binding, interface.protocol_version, interface.url
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "grpc")]
    #[test]
    fn addresses_of_grpc_are_read_in_every_spelling() {
        let plain: Url = "http://agent.example/card.json".parse().unwrap();
        let secure: Url = "https://agent.example/card.json".parse().unwrap();
        for (card, offered, expected) in [
            (
                &secure,
                "grpc.example:50051",
                Some("https://grpc.example:50051/"),
            ),
            (&secure, "grpc.example:443", Some("https://grpc.example/")),
            (&plain, "127.0.0.1:50051", Some("http://127.0.0.1:50051/")),
            (&plain, "[::1]:50051", Some("http://[::1]:50051/")),
            (&plain, "localhost:50051", Some("http://localhost:50051/")),
            (
                &plain,
                "grpcs://grpc.example:1",
                Some("https://grpc.example:1/"),
            ),
            (
                &secure,
                "GRPC://grpc.example:1",
                Some("http://grpc.example:1/"),
            ),
            (
                &secure,
                "http://grpc.example:1/a/b?c",
                Some("http://grpc.example:1/"),
            ),
            (
                &secure,
                "https://grpc.example",
                Some("https://grpc.example/"),
            ),
            (&secure, "ftp://grpc.example:1", None),
            (&secure, ":50051", None),
            (&secure, "", None),
        ] {
            let found = grpc_address(offered, card);
            assert_eq!(found.as_ref().map(Url::as_str), expected, "{offered}");
        }
    }
}
