//! Made-up leads that go to every destination once a day, so that a silent one is noticed before a
//! buyer's lead is lost in it.

use std::collections::BTreeSet;

use dealers::{Dealer, DealerId};
use jiff::{SignedDuration, Timestamp};
use leads::{
    DeliveryState, MadeUp, NewDelivery, Purpose,
    daily::{self, Place, Tests},
};
use sha2::{Digest, Sha256};
use store::{Claim, Conn, Error, Lease};

use super::Rounds;
use crate::{
    alarm::{Cause, Kind},
    explain,
};

/// After how long without a test that arrived somebody is told: a day, and time for the tests of a
/// busy hour.
const MISSING_AFTER: SignedDuration = SignedDuration::from_hours(26);
/// Tests that are made in one round: those of thousands of destinations do not go all at once.
const MOST_AT_ONCE: usize = 50;
/// How long another process waits before it makes the tests in place of one that died.
const LEASE: SignedDuration = SignedDuration::from_mins(3);
const DAY: i64 = 24 * 60 * 60;

impl Rounds {
    /// How many tests this process may make in a round: none while another process does.
    pub(super) async fn room(&self) -> Result<usize, Error> {
        let wanted = self
            .dealers
            .iter()
            .any(|(_, dealer)| dealer.leads.daily_test);
        if !wanted {
            return Ok(0);
        }
        let (holder, now) = (self.holder.clone(), self.store.clock().now());
        let take = move |conn: &mut dyn Conn| lease(&holder).take(conn, now, LEASE);
        let taken = self.store.write_claiming(Claim::ROWS, take).await?;
        Ok(if taken { MOST_AT_ONCE } else { 0 })
    }

    /// Lets another process make the tests at once. For a server that stops.
    pub async fn release(&self) {
        let holder = self.holder.clone();
        let released = self
            .store
            .write_claiming(Claim::ROWS, move |conn| lease(&holder).release(conn))
            .await;
        if let Err(error) = released {
            tracing::warn!(error = %explain(&error), "the lease of the daily tests was not released");
        }
    }

    /// Makes the tests of a dealer that are due, and says which did not arrive.
    pub(super) async fn test(
        &self,
        id: &DealerId,
        dealer: &Dealer,
        room: &mut usize,
    ) -> Result<Vec<(Cause, String)>, Error> {
        let now = self.store.clock().now();
        let places = places(dealer);
        let of = id.clone();
        let read = self.store.read(move |conn| daily::tests(conn, &of, now));
        let tests = read.await?;
        let expected = tests.iter().filter(|(_, it)| it.expected_since.is_some());
        let expected: BTreeSet<Place> = expected.map(|(place, _)| place.clone()).collect();
        if expected != places {
            let (of, places) = (id.clone(), places.clone());
            self.store
                .write_claiming(leads::claim(id), move |conn| {
                    daily::expect(conn, &of, &places, now)
                })
                .await?;
        }
        let mut missing = Vec::new();
        for place in places {
            let known = tests.get(&place).cloned().unwrap_or_default();
            if *room > 0
                && known
                    .last_made
                    .is_none_or(|at| at < last_turn(id, &place, now))
            {
                *room -= 1;
                self.make(id, dealer, &place, now).await?;
            }
            if let Some(message) = trouble(&known, now) {
                let subject = format!("{}/{}", place.0, place.1);
                missing.push((
                    Cause::of_dealer(id, Kind::TestLeadMissing, subject),
                    message,
                ));
            }
        }
        Ok(missing)
    }

    /// Puts a made-up lead into the outbox.
    async fn make(
        &self,
        id: &DealerId,
        dealer: &Dealer,
        (rooftop, destination): &Place,
        now: Timestamp,
    ) -> Result<(), Error> {
        let clock = self.store.clock();
        let wanted = MadeUp {
            dealer: id.clone(),
            id: clock.new_id(),
            rooftop: rooftop.clone(),
            deliveries: vec![NewDelivery {
                delivery_id: clock.new_id().into(),
                destination: destination.clone(),
                purpose: Purpose::Test,
            }],
            now,
        };
        let made = leads::made_up(wanted, dealer).and_then(leads::NewLead::prepare);
        let vault = self.vault.clone();
        let accepted = match made {
            Ok(lead) => {
                let accept = move |conn: &mut dyn Conn| leads::accept(conn, &vault, &lead);
                let accepted = self.store.write_claiming(leads::claim(id), accept);
                accepted.await.map(drop)
            }
            Err(error) => Err(error),
        };
        match accepted {
            Ok(()) => {
                tracing::info!(dealer = %id, rooftop, destination, "the daily test lead is on its way");
                Ok(())
            }
            Err(leads::Error::Store(error)) => Err(error),
            Err(error) => {
                tracing::error!(dealer = %id, error = %explain(&error), "no test lead could be made");
                Ok(())
            }
        }
    }
}

fn lease(holder: &str) -> Lease<'_> {
    Lease {
        dealer: "",
        work: "daily-tests",
        holder,
    }
}

/// The destinations and fallbacks that get a test every day.
fn places(dealer: &Dealer) -> BTreeSet<Place> {
    let mut places = BTreeSet::new();
    if !dealer.leads.daily_test {
        return places;
    }
    for (name, rooftop) in &dealer.rooftops {
        let all = rooftop.every_destination().into_keys();
        places.extend(all.map(|destination| (name.clone(), destination)));
    }
    places
}

/// When it was a destination's turn last. Each has its own time of the day, so that a server with
/// thousands of them has something to do at any time.
fn last_turn(id: &DealerId, (rooftop, destination): &Place, now: Timestamp) -> Timestamp {
    let name = format!("{id}/{rooftop}/{destination}");
    let digest = Sha256::digest(name);
    let spread = i64::from(u32::from_be_bytes([
        digest[0], digest[1], digest[2], digest[3],
    ])) % DAY;
    let now = now.as_second();
    let turn = now - (now - spread).rem_euclid(DAY);
    Timestamp::from_second(turn).unwrap_or(Timestamp::MIN)
}

/// What is wrong with the tests of a destination.
fn trouble(tests: &Tests, now: Timestamp) -> Option<String> {
    let said = tests.last_detail.as_deref().unwrap_or("no reason is known");
    match tests.last_state {
        Some(DeliveryState::Bounced) => {
            return Some(format!(
                "the last test lead came back ({said}); real leads may be lost there. Put the destination right, then `forecourt leads test`"
            ));
        }
        Some(DeliveryState::Failed) => {
            return Some(format!(
                "the last test lead was refused ({said}); put the destination right, then `forecourt leads test`"
            ));
        }
        _ => {}
    }
    let since = tests.last_arrived.max(tests.expected_since)?;
    (now.duration_since(since) > MISSING_AFTER).then(|| {
        let hours = MISSING_AFTER.as_hours();
        format!("no test lead has arrived for {hours} hours; `forecourt leads test` tries the way, `forecourt deliveries list --state due` says what waits")
    })
}
