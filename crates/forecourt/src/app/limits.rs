//! How many requests a sender gets answered.

use std::{
    hash::{BuildHasher as _, Hash, RandomState},
    net::IpAddr,
    num::NonZeroU32,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use dealers::{DealerId, Standing, seen_name};
use governor::{
    Quota, RateLimiter, clock::Clock as _, middleware::NoOpMiddleware, nanos::Nanos,
    state::keyed::HashMapStateStore,
};
use store::Clock;

use super::client::Client;
use crate::{
    agent::{Counted, LeadAgent},
    config::{Rate, RateSettings},
};

/// Senders share this many places, found by a hash that nobody outside knows. So memory is bounded
/// whoever asks, and two senders meet in one place once in a quarter of a million.
const PLACES: u64 = 1 << 18;
/// How many times as many leads about one person all addresses together may send as one.
const OF_ALL: u32 = 4;
/// After how many senders the quiet ones are forgotten: often enough to be cheap each time.
const TIDY_EVERY: u32 = 1 << 14;

/// Who is asked to wait, and for how long.
#[derive(Debug)]
pub(super) struct RateLimits {
    settings: RateSettings,
    addresses: Limiter,
    agents: Limiter,
    leads: Limiter,
    agent_leads: Limiter,
    known_agent_leads: Limiter,
    contact_leads: Limiter,
    contact_leads_of_all: Limiter,
}

impl RateLimits {
    pub(super) fn new(settings: RateSettings, clock: &Clock) -> Self {
        Self {
            settings,
            addresses: Limiter::new(settings.address, clock),
            agents: Limiter::new(settings.agent, clock),
            leads: Limiter::new(settings.lead, clock),
            agent_leads: Limiter::new(settings.agent_lead, clock),
            known_agent_leads: Limiter::new(settings.known_agent_lead, clock),
            contact_leads: Limiter::new(settings.contact_lead, clock),
            contact_leads_of_all: Limiter::new(settings.contact_lead.times(OF_ALL), clock),
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

    /// Counts what of a lead is counted, beyond what [`admit`](Self::admit) counted.
    ///
    /// # Errors
    /// How long its sender has to wait.
    pub(super) fn admit_lead(
        &self,
        client: Client,
        dealer: &DealerId,
        counted: &Counted<'_>,
    ) -> Result<(), Duration> {
        match counted {
            Counted::Agent(agent) => self.admit_agent(client, dealer, agent),
            Counted::Contacts(contacts) => contacts
                .iter()
                .try_for_each(|contact| self.admit_contact(client, dealer, contact)),
        }
    }

    /// What an address is told depends on its own leads, unless many flood the person: nobody shall
    /// probe by it who has enquired.
    fn admit_contact(
        &self,
        client: Client,
        dealer: &DealerId,
        contact: &[u8; 32],
    ) -> Result<(), Duration> {
        let address = prefix(client.address);
        self.contact_leads.admit(&(dealer, contact, address))?;
        self.contact_leads_of_all.admit(&(dealer, contact))
    }

    fn admit_agent(
        &self,
        client: Client,
        dealer: &DealerId,
        agent: &LeadAgent<'_>,
    ) -> Result<(), Duration> {
        let address = prefix(client.address);
        // A name that anybody may give itself counts for one address only.
        let sender = (
            dealer,
            seen_name(agent.name),
            (!agent.is_verified).then_some(address),
        );
        if agent.standing == Standing::Known {
            return self.known_agent_leads.admit(&sender);
        }
        self.leads.admit(&(address, dealer))?;
        self.agent_leads.admit(&sender)
    }

    /// Whether nothing of this sender is counted.
    pub(super) fn is_exempt(&self, client: Client) -> bool {
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
    /// How many senders are counted before those that are quiet are forgotten.
    until_tidied: AtomicU32,
}

impl Limiter {
    fn new(rate: Rate, clock: &Clock) -> Self {
        // The configuration is checked to have neither at zero.
        let at_least_one = |value| NonZeroU32::new(value).unwrap_or(NonZeroU32::MIN);
        let quota = match (rate.per_minute, rate.per_hour) {
            (Some(per_minute), _) => Quota::per_minute(at_least_one(per_minute)),
            (None, per_hour) => Quota::per_hour(at_least_one(per_hour.unwrap_or_default())),
        };
        let quota = quota.allow_burst(at_least_one(rate.burst));
        let clock = Time(clock.clone());
        Self {
            hasher: RandomState::new(),
            places: RateLimiter::hashmap_with_clock(quota, clock.clone()),
            clock,
            until_tidied: AtomicU32::new(TIDY_EVERY),
        }
    }

    fn admit(&self, sender: &(impl Hash + ?Sized)) -> Result<(), Duration> {
        self.tidy();
        let place = self.hasher.hash_one(sender) % PLACES;
        self.places
            .check_key(&place)
            .map_err(|until| until.wait_time_from(self.clock.now()))
    }
}

impl Limiter {
    /// Forgets, now and then, the senders that have earned their whole burst again.
    fn tidy(&self) {
        let last = self.until_tidied.fetch_sub(1, Ordering::Relaxed) == 1;
        if last {
            self.until_tidied.store(TIDY_EVERY, Ordering::Relaxed);
            self.places.retain_recent();
        }
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
            address: Rate::per_minute(60, 2),
            agent: Rate::per_minute(60, 3),
            lead: Rate::per_minute(6, 1),
            agent_lead: Rate::per_minute(6, 2),
            known_agent_lead: Rate::per_minute(60, 3),
            contact_lead: Rate::per_hour(10, 2),
            loopback,
        };
        (RateLimits::new(settings, &clock), clock)
    }

    fn agent(name: &str, is_verified: bool, standing: Standing) -> Counted<'_> {
        Counted::Agent(LeadAgent {
            name,
            is_verified,
            standing,
        })
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
        let send = |dealer| {
            limits.admit_lead(
                from("203.0.113.9"),
                dealer,
                &agent("a", false, Standing::Open),
            )
        };
        assert_eq!(send(&north), Ok(()));
        assert_eq!(send(&north), Err(Duration::from_secs(10)));
        assert_eq!(send(&south), Ok(()));
        clock.advance(SignedDuration::from_secs(10));
        assert_eq!(send(&north), Ok(()));
    }

    #[test]
    fn a_proven_name_counts_over_all_addresses_and_a_claimed_one_for_each() {
        let north = "north".parse().unwrap();
        for (is_verified, taken) in [(true, 2), (false, 4)] {
            let (limits, _) = limits(false);
            let counted = |host: &u8| {
                let name = ["Example Agent", "example agent"][usize::from(host % 2)];
                let agent = agent(name, is_verified, Standing::Open);
                limits
                    .admit_lead(from(&format!("203.0.113.{host}")), &north, &agent)
                    .is_ok()
            };
            assert_eq!((1..=4).filter(counted).count(), taken, "{is_verified}");
        }
    }

    #[test]
    fn a_known_agent_has_a_wider_limit_in_place_of_the_others() {
        let (limits, _) = limits(false);
        let north = "north".parse().unwrap();
        let send = |name, is_verified, standing| {
            let counted = agent(name, is_verified, standing);
            limits
                .admit_lead(from("203.0.113.9"), &north, &counted)
                .is_ok()
        };
        assert!((0..3).all(|_| send("known", true, Standing::Known)));
        assert!(!send("known", true, Standing::Known));
        assert!(send("stranger", false, Standing::Open), "counted apart");
        assert!(
            !send("another", false, Standing::Open),
            "of the same address"
        );
    }

    #[test]
    fn a_contact_counts_by_the_hour() {
        let (limits, clock) = limits(false);
        let (north, south) = ("north".parse().unwrap(), "south".parse().unwrap());
        let write = |host: u8, dealer, contacts: &[[u8; 32]]| {
            let client = from(&format!("203.0.113.{host}"));
            limits.admit_lead(client, dealer, &Counted::Contacts(contacts))
        };
        let (mail, phone) = ([1; 32], [2; 32]);
        assert_eq!(write(1, &north, &[mail, phone]), Ok(()));
        assert_eq!(write(1, &north, &[mail]), Ok(()));
        assert_eq!(write(1, &north, &[mail]), Err(Duration::from_secs(360)));
        assert_eq!(write(1, &south, &[mail]), Ok(()));
        assert_eq!(write(1, &north, &[phone]), Ok(()));
        clock.advance(SignedDuration::from_mins(6));
        assert_eq!(write(1, &north, &[mail]), Ok(()));
    }

    #[test]
    fn a_contact_is_flooded_by_no_number_of_addresses_and_one_learns_nothing_of_another() {
        let (limits, _) = limits(false);
        let north = "north".parse().unwrap();
        let taken = |host: u8| {
            let client = from(&format!("203.0.113.{host}"));
            let write = || limits.admit_lead(client, &north, &Counted::Contacts(&[[1; 32]]));
            (0..9).filter(|_| write().is_ok()).count()
        };
        let each: Vec<usize> = (1..=9).map(taken).collect();
        assert_eq!(each, [2, 2, 2, 2, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn quiet_senders_are_forgotten() {
        let (limits, clock) = limits(false);
        let north = "north".parse().unwrap();
        for number in 0..TIDY_EVERY {
            let mut contact = [0; 32];
            contact[..4].copy_from_slice(&number.to_be_bytes());
            let counted = [contact];
            let counted = Counted::Contacts(&counted);
            assert_eq!(
                limits.admit_lead(from("203.0.113.9"), &north, &counted),
                Ok(())
            );
            // So long that no sender has to wait, even for another one in the same place.
            clock.advance(SignedDuration::from_mins(6));
        }
        assert!(limits.contact_leads.places.len() < 1000);
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
