//! How many requests a sender gets answered.

use std::{
    hash::{BuildHasher as _, Hash, RandomState},
    net::IpAddr,
    num::NonZeroU32,
    time::Duration,
};

use dealers::DealerId;
use governor::{
    Quota, RateLimiter, clock::Clock as _, middleware::NoOpMiddleware, nanos::Nanos,
    state::keyed::HashMapStateStore,
};
use store::Clock;

use super::client::Client;
use crate::config::{Rate, RateSettings};

/// Senders share this many places, found by a hash that nobody outside knows. So memory is bounded
/// whoever asks, and two senders meet in one place once in a quarter of a million.
const PLACES: u64 = 1 << 18;

/// Who is asked to wait, and for how long.
#[derive(Debug)]
pub(super) struct RateLimits {
    settings: RateSettings,
    addresses: Limiter,
    agents: Limiter,
    leads: Limiter,
}

impl RateLimits {
    pub(super) fn new(settings: RateSettings, clock: &Clock) -> Self {
        Self {
            settings,
            addresses: Limiter::new(settings.address, clock),
            agents: Limiter::new(settings.agent, clock),
            leads: Limiter::new(settings.lead, clock),
        }
    }

    /// What was counted so far belongs to these settings.
    pub(super) fn settings(&self) -> RateSettings {
        self.settings
    }

    /// Counts a request.
    ///
    /// # Errors
    /// How long its sender has to wait.
    pub(super) fn admit(&self, client: Client, credential: Option<&str>) -> Result<(), Duration> {
        if self.is_exempt(client) {
            return Ok(());
        }
        self.addresses.admit(&prefix(client.address))?;
        match credential {
            Some(credential) => self.agents.admit(credential),
            None => Ok(()),
        }
    }

    /// Counts a lead, beyond what [`admit`](Self::admit) counted.
    ///
    /// # Errors
    /// How long its sender has to wait.
    pub(super) fn admit_lead(&self, client: Client, dealer: &DealerId) -> Result<(), Duration> {
        if self.is_exempt(client) {
            return Ok(());
        }
        self.leads.admit(&(prefix(client.address), dealer))
    }

    fn is_exempt(&self, client: Client) -> bool {
        client.is_local() && !self.settings.loopback
    }
}

/// The part of an address that one sender has to itself: all of an IPv4 address, and of an IPv6
/// address the network, as each customer is given at least a /64 (RFC 6177).
fn prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let network = address.to_bits() >> 64 << 64;
            IpAddr::V6(network.into())
        }
    }
}

/// One limit over many senders.
#[derive(Debug)]
struct Limiter {
    hasher: RandomState,
    places: RateLimiter<u64, HashMapStateStore<u64>, Time, NoOpMiddleware<Nanos>>,
    clock: Time,
}

impl Limiter {
    fn new(rate: Rate, clock: &Clock) -> Self {
        // The configuration is checked to have neither at zero.
        let at_least_one = |value| NonZeroU32::new(value).unwrap_or(NonZeroU32::MIN);
        let quota =
            Quota::per_minute(at_least_one(rate.per_minute)).allow_burst(at_least_one(rate.burst));
        let clock = Time(clock.clone());
        Self {
            hasher: RandomState::new(),
            places: RateLimiter::hashmap_with_clock(quota, clock.clone()),
            clock,
        }
    }

    fn admit(&self, sender: &(impl Hash + ?Sized)) -> Result<(), Duration> {
        let place = self.hasher.hash_one(sender) % PLACES;
        self.places
            .check_key(&place)
            .map_err(|until| until.wait_time_from(self.clock.now()))
    }
}

/// The store's clock, as the limiter reads it.
#[derive(Debug, Clone)]
struct Time(Clock);

impl governor::clock::Clock for Time {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        let now = self.0.now().as_nanosecond();
        Nanos::from(u64::try_from(now).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    fn limits(loopback: bool) -> (RateLimits, Clock) {
        let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
        let settings = RateSettings {
            address: Rate::new(60, 2),
            agent: Rate::new(60, 3),
            lead: Rate::new(6, 1),
            loopback,
        };
        (RateLimits::new(settings, &clock), clock)
    }

    fn from(address: &str) -> Client {
        Client {
            address: address.parse().unwrap(),
            is_unknown_proxy: false,
        }
    }

    #[test]
    fn a_burst_is_followed_by_the_rate_and_the_wait_is_told() {
        let (limits, clock) = limits(false);
        let ask = |address: &str| limits.admit(from(address), None);
        for _ in 0..2 {
            assert_eq!(ask("203.0.113.9"), Ok(()));
        }
        assert_eq!(ask("203.0.113.9"), Err(Duration::from_secs(1)));
        assert_eq!(ask("203.0.113.10"), Ok(()), "another sender");
        clock.advance(SignedDuration::from_millis(400));
        assert_eq!(ask("203.0.113.9"), Err(Duration::from_millis(600)));
        clock.advance(SignedDuration::from_millis(600));
        assert_eq!(ask("203.0.113.9"), Ok(()));
        assert!(ask("203.0.113.9").is_err());
        clock.advance(SignedDuration::from_hours(1));
        assert_eq!(ask("203.0.113.9"), Ok(()));
        assert_eq!(ask("203.0.113.9"), Ok(()));
        assert!(
            ask("203.0.113.9").is_err(),
            "a pause earns no more than the burst"
        );
    }

    #[test]
    fn an_ipv6_network_is_one_sender() {
        let (limits, _clock) = limits(false);
        let ask = |address: &str| limits.admit(from(address), None).is_ok();
        assert!(ask("2001:db8:1:2::1") && ask("2001:db8:1:2:ffff::9"));
        assert!(!ask("2001:db8:1:2::3"));
        assert!(ask("2001:db8:1:3::1"));
        assert!(ask("::ffff:203.0.113.9") && ask("203.0.113.9"));
        assert!(!ask("::ffff:203.0.113.9"), "one IPv4 address");
    }

    #[test]
    fn a_credential_counts_over_all_its_addresses() {
        let (limits, _clock) = limits(false);
        let ask = |host: u8| limits.admit(from(&format!("203.0.113.{host}")), Some("key"));
        assert!((1..=3).all(|host| ask(host).is_ok()));
        assert!(ask(4).is_err());
    }

    #[test]
    fn leads_have_a_limit_of_their_own_per_dealer() {
        let (limits, clock) = limits(false);
        let (north, south) = ("north".parse().unwrap(), "south".parse().unwrap());
        let sender = from("203.0.113.9");
        assert_eq!(limits.admit_lead(sender, &north), Ok(()));
        let wait = limits.admit_lead(sender, &north);
        assert_eq!(wait, Err(Duration::from_secs(10)));
        assert_eq!(limits.admit_lead(sender, &south), Ok(()));
        clock.advance(SignedDuration::from_secs(10));
        assert_eq!(limits.admit_lead(sender, &north), Ok(()));
    }

    #[test]
    fn this_machine_is_counted_only_where_that_is_set_or_it_speaks_for_others() {
        let (limits, _) = limits(false);
        assert!((0..9).all(|_| limits.admit(from("127.0.0.1"), None).is_ok()));
        let mut proxy = from("127.0.0.1");
        proxy.is_unknown_proxy = true;
        assert!(!(0..9).all(|_| limits.admit(proxy, None).is_ok()));
        let (limits, _) = self::limits(true);
        assert!(!(0..9).all(|_| limits.admit(from("::1"), None).is_ok()));
    }
}
