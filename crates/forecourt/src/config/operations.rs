//! Settings of those who run the server: certificate, proxies, metrics, backups, rate limits.

use std::{net::IpAddr, path::PathBuf};

use dealers::Period;
use ipnet::IpNet;
use serde::Deserialize;

/// The certificate under which the server speaks TLS.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TlsSettings {
    /// The chain as PEM, the server's own certificate first.
    pub cert_file: PathBuf,
    /// The private key as PEM, not encrypted.
    pub key_file: PathBuf,
}

/// Who may read `/metrics`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct MetricsSettings {
    /// Networks; for all others the page is not there.
    pub allow: Vec<Network>,
}

impl Default for MetricsSettings {
    fn default() -> Self {
        let loopback = [
            IpAddr::from([127, 0, 0, 1]),
            IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
        ];
        Self {
            allow: loopback.map(Network::host).to_vec(),
        }
    }
}

/// Backups that the server makes by itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BackupSettings {
    /// Folder of the backups, best on another disk.
    pub dir: PathBuf,
    /// How often.
    #[serde(default = "daily")]
    pub every: Period,
    /// How many are kept.
    #[serde(default = "a_week_of_them")]
    pub keep: usize,
}

const fn daily() -> Period {
    Period::days(1)
}

const fn a_week_of_them() -> usize {
    7
}

/// How many requests are answered before the sender is asked to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RateSettings {
    /// Of one client address (IPv6: of one /64).
    pub address: Rate,
    /// Of one credential, from whatever addresses.
    pub agent: Rate,
    /// Leads of one client address to one dealer.
    pub lead: Rate,
    /// Leads of one buyer's agent to one dealer: of its name from one address, or, where a key proves
    /// the name, from whatever addresses.
    pub agent_lead: Rate,
    /// The same of an agent that the dealer knows, in place of `lead` and `agent_lead`.
    pub known_agent_lead: Rate,
    /// Leads of one client address about one person, by mailbox or telephone number, to one dealer. A
    /// sender's own repeats do not count. Of all addresses together, four times as many.
    pub contact_lead: Rate,
    /// Whether requests from this machine are counted.
    pub loopback: bool,
}

impl Default for RateSettings {
    fn default() -> Self {
        Self {
            address: Rate::per_minute(3000, 300),
            agent: Rate::per_minute(3000, 300),
            lead: Rate::per_minute(30, 20),
            agent_lead: Rate::per_minute(30, 20),
            known_agent_lead: Rate::per_minute(300, 100),
            contact_lead: Rate::per_hour(10, 5),
            loopback: false,
        }
    }
}

/// A steady rate, in a minute or in an hour, and what may come at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Rate {
    /// Requests in a minute, in the long run.
    pub per_minute: Option<u32>,
    /// Requests in an hour, in the long run.
    pub per_hour: Option<u32>,
    /// Requests at once, after a pause.
    pub burst: u32,
}

impl Rate {
    /// A rate by the minute.
    #[must_use]
    pub const fn per_minute(per_minute: u32, burst: u32) -> Self {
        Self {
            per_minute: Some(per_minute),
            per_hour: None,
            burst,
        }
    }

    /// A rate by the hour.
    #[must_use]
    pub const fn per_hour(per_hour: u32, burst: u32) -> Self {
        Self {
            per_minute: None,
            per_hour: Some(per_hour),
            burst,
        }
    }
}

impl Rate {
    /// So many times as much.
    pub(crate) fn times(self, factor: u32) -> Self {
        let times = |count: u32| count.saturating_mul(factor);
        Self {
            per_minute: self.per_minute.map(times),
            per_hour: self.per_hour.map(times),
            burst: times(self.burst),
        }
    }
}

/// A network such as `10.0.0.0/8`, or a single address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Network(IpNet);

impl Network {
    /// The network of one address.
    #[must_use]
    pub fn host(address: IpAddr) -> Self {
        Self(address.into())
    }

    /// Whether an address is in it. An IPv4 address counts as itself also where it is written as an
    /// IPv6 one.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let network = text.parse::<IpNet>().ok();
        let host = || text.parse::<IpAddr>().ok().map(IpNet::from);
        network.or_else(host).map(Self).ok_or_else(|| {
            format!("{text:?} is no network; write for example \"10.0.0.0/8\" or \"192.0.2.7\"")
        })
    }
}
