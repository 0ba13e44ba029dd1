//! What people have to know about deliveries.

use std::{collections::BTreeMap, sync::Arc};

use dealers::{Dealer, DealerId};
use jiff::{SignedDuration, Timestamp};
use leads::outbox::{self, FAILURES, RouteStatus, Unreached};
use store::Store;

use crate::alarm::{self, Cause, Kind};

/// Looks at every way, and tells people what changed. Several processes may do it at once: what they
/// find is the same.
pub(super) async fn look(
    store: &Store,
    dealers: &BTreeMap<DealerId, Arc<Dealer>>,
) -> Result<(), outbox::Error> {
    let read = |conn: &mut dyn store::Conn| {
        Ok::<_, outbox::Error>((outbox::routes(conn)?, outbox::unreached(conn)?))
    };
    let (routes, unreached) = store.read(read).await?;
    let present = causes(dealers, &routes, &unreached, store.clock().now());
    let mine =
        |cause: &Cause| matches!(cause.kind, Kind::DestinationFailing | Kind::LeadUndelivered);
    alarm::reconcile(store, mine, present).await?;
    Ok(())
}

/// What needs a person, with its words: destinations that fail, and leads that are under way for too
/// long or that nobody will get. Ways that the configuration does not have any more are left out.
#[must_use]
pub fn causes(
    dealers: &BTreeMap<DealerId, Arc<Dealer>>,
    routes: &[RouteStatus],
    unreached: &[Unreached],
    now: Timestamp,
) -> BTreeMap<Cause, String> {
    let mut causes = BTreeMap::new();
    for status in routes {
        let Some(dealer) = dealers.get(&status.route.dealer) else {
            continue;
        };
        let subject = |kind| Cause::of_dealer(&status.route.dealer, kind, status.route.to_string());
        if let Some(standing) = standing(dealer, status)
            && let Some(message) = failing(status, standing)
        {
            causes.insert(subject(Kind::DestinationFailing), message);
        }
        if let Some(message) = late(dealer, status, now) {
            causes.insert(subject(Kind::LeadUndelivered), message);
        }
    }
    for it in unreached {
        if dealers.contains_key(&it.dealer) {
            let cause = Cause::of_dealer(&it.dealer, Kind::LeadUndelivered, &it.rooftop);
            causes.insert(cause, nobody(it));
        }
    }
    causes
}

/// What the receiver at the end of a way is to the rooftop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// A destination, with a fallback behind it or without.
    Destination { has_fallback: bool },
    /// People get copies there.
    Copies,
    /// The fallback.
    Fallback,
}

/// `None` where the configuration has no such destination.
fn standing(dealer: &Dealer, status: &RouteStatus) -> Option<Standing> {
    let route = &status.route;
    let rooftop = dealer.rooftops.get(&route.rooftop)?;
    let fallback = rooftop.fallback().map(|(name, _)| name);
    if fallback.as_ref() == Some(&route.destination) {
        return Some(Standing::Fallback);
    }
    let known = rooftop.destinations().contains_key(&route.destination);
    known.then_some(if route.is_copy {
        Standing::Copies
    } else {
        Standing::Destination {
            has_fallback: fallback.is_some(),
        }
    })
}

/// That a destination is out of reach, or refuses leads.
fn failing(status: &RouteStatus, standing: Standing) -> Option<String> {
    let trouble = status.trouble.as_deref().unwrap_or("no reason is known");
    if status.failures >= FAILURES {
        return Some(format!(
            "it is out of reach ({trouble}); its leads wait, and go by themselves when it is back"
        ));
    }
    let instead = match standing {
        Standing::Destination { has_fallback: true } => "the fallback gets them",
        Standing::Destination {
            has_fallback: false,
        } => "there is no fallback that gets them",
        Standing::Copies => "people do not get their copies",
        Standing::Fallback => "there is no other way for what the destinations refuse",
    };
    (status.refusals > 0).then(|| {
        let leads = leads(status.refusals);
        format!(
            "it refused {leads} for good ({trouble}); {instead}. \
             `forecourt deliveries list --state failed` has the receiver's words. Put the destination \
             right, then `forecourt deliveries retry --all-failed`"
        )
    })
}

/// That leads are under way for longer than the dealer allows.
fn late(dealer: &Dealer, status: &RouteStatus, now: Timestamp) -> Option<String> {
    let since = status.oldest?;
    let longest = dealer.leads.undelivered_after.duration();
    if now.duration_since(since) < longest {
        return None;
    }
    let rooftop = &status.route.rooftop;
    let longest = words(longest);
    if status.route.destination.is_empty() {
        let whose = if dealer.rooftops.contains_key(rooftop) {
            format!("rooftop {rooftop:?}")
        } else {
            // Leads of a rooftop that is not configured are the default rooftop's to look after.
            "the default rooftop".to_owned()
        };
        return Some(format!(
            "leads wait, as {whose} has no destination: set `crm` in the configuration"
        ));
    }
    let why = match status.paused_by {
        Some(outbox::PausedBy::Person) if status.is_paused(now) => {
            "the destination is paused; `forecourt deliveries resume` opens it"
        }
        _ => "`forecourt deliveries list --state due` says why",
    };
    Some(format!(
        "leads have been under way for more than {longest}: {why}"
    ))
}

/// That leads will reach nobody.
fn nobody(unreached: &Unreached) -> String {
    let leads = leads(unreached.leads);
    format!(
        "{leads} reached nobody, as every destination and the fallback refused, the first {}; \
         `forecourt deliveries list --state failed` says why, `forecourt deliveries retry` tries again",
        unreached.lead_id
    )
}

fn leads(count: i64) -> String {
    match count {
        1 => "1 lead".to_owned(),
        more => format!("{more} leads"),
    }
}

/// A length of time in its largest unit.
fn words(length: SignedDuration) -> String {
    let minutes = length.as_mins().max(0);
    match minutes {
        0..120 => format!("{minutes} minutes"),
        120..2880 => format!("{} hours", minutes / 60),
        _ => format!("{} days", minutes / 1440),
    }
}
