//! `leads test`: made-up leads that show whether the real ones will arrive.

use std::{process::ExitCode, sync::Arc, time::Duration};

use clap::Args;
use dealers::{Dealer, DealerId, Period};
use futures_util::{StreamExt as _, stream};
use leads::{
    DeliveryId, DeliveryState, LeadId, MadeUp, NewDelivery, Purpose, Vault,
    outbox::{self, Leased, Outcome, Route},
    readiness::{self, Lack},
};
use outside::delivery::Deliveries;
use serde_json::{Value, json};
use store::{Conn, Store};

use crate::{
    cli::{
        Common,
        outcome::{Exit, Failure, keep_whole, print_json, say, table},
        runtime,
        site::{self, Site},
        text::clean,
    },
    errands,
    readiness::{Digests, lacks},
};

/// Rooftops whose destinations are tried at the same time.
const AT_ONCE: usize = 8;
/// How often it is looked whether a lead came back.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Longest time to wait for leads that come back.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

#[derive(Debug, Args)]
pub(in crate::cli) struct TestArgs {
    /// Only the destinations of this rooftop
    #[arg(long, value_name = "NAME")]
    rooftop: Option<String>,
    /// Only destinations of this name, the fallback among them
    #[arg(long, value_name = "NAME")]
    destination: Option<String>,
    /// How long to wait for leads that come back before they count as taken, for example 2m
    #[arg(long, value_parser = |text: &str| Period::try_from(text.to_owned()), value_name = "PERIOD")]
    wait: Option<Period>,
}

/// A rooftop with the destinations that are tried.
struct Target {
    rooftop: String,
    destinations: Vec<String>,
}

/// What came of one destination.
struct Trial {
    rooftop: String,
    destination: String,
    lead_id: LeadId,
    delivery_id: DeliveryId,
    /// What the receiver said, or what happened on the way.
    answer: String,
    passed: bool,
}

/// What every trial shares.
struct Desk {
    store: Store,
    vault: Vault,
    id: DealerId,
    dealer: Arc<Dealer>,
    deliveries: Deliveries,
    digests: Digests,
}

pub(super) fn run(common: &Common, site: &Site, wanted: &TestArgs) -> Result<ExitCode, Failure> {
    let (id, dealer) = site::dealer(common, &site.config)?;
    let targets = targets(dealer, wanted)?;
    let runtime = runtime()?;
    let (trials, lacks) = runtime.block_on(async {
        let desk = Desk::new(common, site, id, dealer)?;
        let mut trials = desk.try_all(targets).await?;
        if let Some(wait) = wanted.wait {
            let wait = wait.duration().unsigned_abs().min(LONGEST_WAIT);
            desk.wait_for_bounces(&mut trials, wait).await?;
        }
        desk.note_passed(&trials).await?;
        Ok::<_, Failure>((trials, desk.lacks().await?))
    })?;
    if common.json {
        print_json(&document(&trials, &lacks))?;
    } else {
        print(&trials, &lacks)?;
    }
    Ok(if trials.iter().all(|it| it.passed) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(Exit::Refused as u8)
    })
}

/// The destinations and fallbacks that are meant, by rooftop.
fn targets(dealer: &Dealer, wanted: &TestArgs) -> Result<Vec<Target>, Failure> {
    if let Some(rooftop) = &wanted.rooftop
        && !dealer.rooftops.contains_key(rooftop)
    {
        let known: Vec<&str> = dealer.rooftops.keys().map(String::as_str).collect();
        return Err(Failure::usage(format!(
            "there is no rooftop {rooftop:?}; there is {}",
            known.join(", ")
        )));
    }
    let is_wanted =
        |wanted: &Option<String>, name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
    let mut targets = Vec::new();
    for (name, rooftop) in &dealer.rooftops {
        let destinations: Vec<String> = rooftop
            .every_destination()
            .into_keys()
            .filter(|destination| is_wanted(&wanted.destination, destination))
            .collect();
        if is_wanted(&wanted.rooftop, name) && !destinations.is_empty() {
            targets.push(Target {
                rooftop: name.clone(),
                destinations,
            });
        }
    }
    if targets.is_empty() {
        return Err(Failure::usage(
            "no such destination is configured; write `crm`, `fallback` or a table `destinations.NAME` at the rooftop, then `forecourt config check`",
        ));
    }
    Ok(targets)
}

impl Desk {
    fn new(common: &Common, site: &Site, id: &DealerId, dealer: &Dealer) -> Result<Self, Failure> {
        let base = site::base(&site::config_path(common));
        let egress = errands::client(&site.config).map_err(errands::ErrandsError::from)?;
        let couriers = errands::couriers(&site.config, &base, &egress)?;
        let digests = Digests::new(&site.config, &couriers);
        let dealer = Arc::new(dealer.clone());
        let served = [(id.clone(), Arc::clone(&dealer))];
        Ok(Self {
            deliveries: errands::deliveries(&site.config, &site.store, couriers, &served)?,
            store: site.store.clone(),
            vault: site.vault()?,
            id: id.clone(),
            dealer,
            digests,
        })
    }

    async fn try_all(&self, targets: Vec<Target>) -> Result<Vec<Trial>, Failure> {
        let mut trials = Vec::new();
        let tried = stream::iter(targets).map(|target| self.try_rooftop(target));
        let mut tried = tried.buffered(AT_ONCE);
        while let Some(of_rooftop) = tried.next().await {
            trials.extend(of_rooftop?);
        }
        Ok(trials)
    }

    /// One made-up lead for each rooftop. It is taken for this process in the same transaction, so that
    /// no server sends it too.
    async fn try_rooftop(&self, target: Target) -> Result<Vec<Trial>, Failure> {
        let clock = self.store.clock();
        let new_delivery = |destination: &String| NewDelivery {
            delivery_id: clock.new_id().into(),
            destination: destination.clone(),
            purpose: Purpose::Test,
        };
        let id = clock.new_id();
        let deliveries: Vec<NewDelivery> = target.destinations.iter().map(new_delivery).collect();
        let lead = leads::made_up(
            MadeUp {
                dealer: self.id.clone(),
                id,
                rooftop: target.rooftop.clone(),
                deliveries: deliveries.clone(),
                now: clock.now(),
            },
            &self.dealer,
        )?;
        let (lead, vault, terms) = (lead.prepare()?, self.vault.clone(), self.deliveries.terms());
        let (dealer, rooftop) = (self.id.clone(), target.rooftop.clone());
        let take = move |conn: &mut dyn Conn| {
            leads::accept(conn, &vault, &lead)?;
            let mut taken = Vec::new();
            for delivery in &deliveries {
                let NewDelivery {
                    delivery_id,
                    destination,
                    purpose,
                } = delivery;
                let route = Route::new(&dealer, rooftop.as_str(), destination, *purpose);
                taken.extend(outbox::claim(conn, &terms, &route, delivery_id)?);
            }
            Ok::<_, Failure>(taken)
        };
        let taken = self.store.write(take).await?;
        let mut trials = Vec::new();
        for leased in taken {
            trials.push(self.try_destination(leased).await);
        }
        Ok(trials)
    }

    async fn try_destination(&self, leased: Leased) -> Trial {
        let outcome = self.deliveries.try_once(&leased).await;
        let (passed, answer) = match outcome {
            Some(Outcome::Sent { detail }) => (true, detail),
            Some(other) => (false, other.detail().to_owned()),
            None => (
                false,
                "the database does not say what came of it".to_owned(),
            ),
        };
        Trial {
            rooftop: leased.route.rooftop,
            destination: leased.route.destination,
            lead_id: leased.lead_id,
            delivery_id: leased.delivery_id,
            answer,
            passed,
        }
    }

    /// Waits whether one of the leads comes back, as mail does after it was taken. That needs a running
    /// server that reads the bounces.
    async fn wait_for_bounces(&self, trials: &mut [Trial], wait: Duration) -> Result<(), Failure> {
        let waiting = tokio::time::sleep(wait);
        tokio::pin!(waiting);
        while trials.iter().any(|it| it.passed) {
            let over = tokio::select! {
                () = &mut waiting => true,
                () = tokio::time::sleep(LOOK_EVERY) => false,
            };
            for trial in trials.iter_mut().filter(|it| it.passed) {
                let (id, delivery_id) = (self.id.clone(), trial.delivery_id.clone());
                let read = self
                    .store
                    .read(move |conn| outbox::show(conn, &id, &delivery_id));
                if let Some((delivery, _)) = read.await?
                    && delivery.state == DeliveryState::Bounced
                {
                    trial.passed = false;
                    let reason = delivery.detail.unwrap_or_default();
                    trial.answer = format!("it came back: {reason}");
                }
            }
            if over {
                break;
            }
        }
        Ok(())
    }

    async fn note_passed(&self, trials: &[Trial]) -> Result<(), Failure> {
        let passed: Vec<(String, String, String)> = trials
            .iter()
            .filter(|it| it.passed)
            .filter_map(|it| {
                let digest = self.digests.get(&self.id, &it.rooftop, &it.destination)?;
                let digest = digest.to_owned();
                Some((it.rooftop.clone(), it.destination.clone(), digest))
            })
            .collect();
        let (id, now) = (self.id.clone(), self.store.clock().now());
        self.store
            .write(move |conn| {
                passed
                    .iter()
                    .try_for_each(|(rooftop, destination, digest)| {
                        readiness::note_passed(conn, &id, rooftop, destination, digest, now)
                    })
            })
            .await?;
        Ok(())
    }

    /// What still keeps the dealer from taking leads.
    async fn lacks(&self) -> Result<Vec<Lack>, Failure> {
        let (id, dealer) = (self.id.clone(), Arc::clone(&self.dealer));
        let digests = self.digests.clone();
        let read = move |conn: &mut dyn Conn| lacks(conn, &id, &dealer, &digests);
        Ok(self.store.read(read).await?)
    }
}

fn document(trials: &[Trial], lacks: &[Lack]) -> Value {
    let trials: Vec<Value> = trials
        .iter()
        .map(|it| {
            json!({
                "rooftop": it.rooftop,
                "destination": it.destination,
                "passed": it.passed,
                "answer": it.answer,
                "lead_id": it.lead_id,
                "delivery_id": it.delivery_id,
            })
        })
        .collect();
    let lacks: Vec<String> = lacks.iter().map(ToString::to_string).collect();
    json!({ "tests": trials, "takes_leads": lacks.is_empty(), "lacks": lacks })
}

fn print(trials: &[Trial], lacks: &[Lack]) -> Result<(), Failure> {
    let mut rows = table(["rooftop", "destination", "test", "answer"]);
    for trial in trials {
        rows.add_row([
            clean(&trial.rooftop),
            clean(&trial.destination),
            if trial.passed { "passed" } else { "FAILED" }.to_owned(),
            clean(&trial.answer),
        ]);
    }
    keep_whole(&mut rows, &[2]);
    say(rows)?;
    if lacks.is_empty() {
        return say(
            "every destination has passed its test; a running server takes leads within seconds",
        );
    }
    say("lead.submit is not offered yet:")?;
    for lack in lacks {
        say(format!("  {lack}"))?;
    }
    Ok(())
}
