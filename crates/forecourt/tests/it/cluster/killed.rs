//! Nodes that are killed under load.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::JoinHandle,
};

use serde_json::Value;

use super::*;
use crate::support::{eventually, lead, send};

const CALLERS: usize = 8;

/// Buyers' agents that send leads one after the other, each to any node, until they are stopped. One that
/// gets no answer sends the same lead again, to another node.
pub(super) struct Load {
    ends: Arc<AtomicBool>,
    addresses: Arc<Mutex<Vec<String>>>,
    acknowledged: Arc<Mutex<BTreeMap<usize, String>>>,
    refused: Arc<AtomicUsize>,
    callers: Vec<JoinHandle<()>>,
}

impl Load {
    pub(super) fn start(addresses: Vec<String>) -> Self {
        let mut load = Self {
            ends: Arc::default(),
            addresses: Arc::new(Mutex::new(addresses)),
            acknowledged: Arc::default(),
            refused: Arc::default(),
            callers: Vec::new(),
        };
        for caller in 0..CALLERS {
            let ends = Arc::clone(&load.ends);
            let addresses = Arc::clone(&load.addresses);
            let acknowledged = Arc::clone(&load.acknowledged);
            let refused = Arc::clone(&load.refused);
            load.callers.push(std::thread::spawn(move || {
                for number in (caller..).step_by(CALLERS) {
                    for turn in number.. {
                        if ends.load(Ordering::Relaxed) {
                            return;
                        }
                        let address = {
                            let addresses = addresses.lock().unwrap();
                            addresses[turn % addresses.len()].clone()
                        };
                        if let Some(id) = taken(&address, number, &refused) {
                            acknowledged.lock().unwrap().insert(number, id);
                            break;
                        }
                        pause(20);
                    }
                }
            }));
        }
        load
    }

    /// A node answers elsewhere from here on.
    pub(super) fn moved(&self, node: usize, address: &str) {
        self.addresses.lock().unwrap()[node] = address.to_owned();
    }

    /// How many leads were acknowledged so far.
    pub(super) fn count(&self) -> usize {
        self.acknowledged.lock().unwrap().len()
    }

    /// How often a sender was asked to try again.
    pub(super) fn refusals(&self) -> usize {
        self.refused.load(Ordering::Relaxed)
    }

    /// Ends it; the leads that were acknowledged, by their numbers.
    pub(super) fn stop(self) -> BTreeMap<usize, String> {
        self.ends.store(true, Ordering::Relaxed);
        for caller in self.callers {
            caller.join().unwrap();
        }
        let acknowledged = self.acknowledged.lock().unwrap();
        acknowledged.clone()
    }
}

/// The id of a lead that was acknowledged; `None` when it has to be sent again.
fn taken(address: &str, number: usize, refused: &AtomicUsize) -> Option<String> {
    let (_, body) = send(address, &lead(number)).ok()?;
    let reply: Value = serde_json::from_str(&body).unwrap();
    if let Some(error) = reply.get("error") {
        assert_eq!(error["data"]["retryable"], true, "{reply:#}");
        refused.fetch_add(1, Ordering::Relaxed);
        return None;
    }
    let data = &reply["result"]["message"]["parts"][0]["data"]["data"];
    assert_eq!(data["status"], "received", "{reply:#}");
    Some(data["lead_id"].as_str().unwrap().to_owned())
}

/// Every acknowledged lead is there once, under the id that was told.
pub(super) fn check(cluster: &Cluster, acknowledged: &BTreeMap<usize, String>) {
    let mut stored = BTreeMap::new();
    for lead in cluster.leads() {
        let email = lead["person"]["email"].as_str().unwrap().to_owned();
        let id = lead["lead_id"].as_str().unwrap().to_owned();
        let twice = stored.insert(email.clone(), id);
        assert_eq!(twice, None, "{email} is there twice");
    }
    for (number, id) in acknowledged {
        let email = format!("buyer-{number}@example.com");
        assert_eq!(stored.get(&email), Some(id), "{email} was acknowledged");
    }
}

/// Every acknowledged lead reaches the CRM.
pub(super) fn delivered(cluster: &Cluster, acknowledged: &BTreeMap<usize, String>) {
    let mut arrived = std::collections::BTreeSet::new();
    eventually("every lead has reached the CRM", || {
        for call in cluster.crm.calls() {
            let told: Value = serde_json::from_slice(&call.body).unwrap();
            arrived.extend(told["lead"]["lead_id"].as_str().map(str::to_owned));
        }
        acknowledged.values().all(|id| arrived.contains(id))
    });
}

/// How often a node is killed; more with `FORECOURT_KILL_ROUNDS`.
fn rounds() -> u64 {
    let rounds = std::env::var("FORECOURT_KILL_ROUNDS").ok();
    rounds.map_or(5, |rounds| rounds.parse().unwrap())
}

#[test]
fn nodes_are_killed_at_random_and_no_acknowledged_lead_is_lost() {
    let Some(postgres) = Postgres::find() else {
        return;
    };
    let cluster = Cluster::on(&postgres.database());
    let names = ["one", "two"];
    let mut nodes = names.map(|name| cluster.node(name));
    let addresses = nodes.iter().map(|node| node.address.clone()).collect();
    let load = Load::start(addresses);
    let mut before = 0;
    for round in 0..rounds() {
        // Spread without a source of chance, so that a failure can be seen again.
        let spread = (round + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
        eventually("leads are taken", || load.count() >= before + CALLERS);
        pause(spread % 300);
        let victim = usize::from(spread % 2 == 1);
        nodes[victim].kill();
        before = load.count();
        // The other one goes on alone.
        eventually("the other node takes leads", || {
            load.count() >= before + CALLERS
        });
        nodes[victim] = cluster.node(names[victim]);
        load.moved(victim, &nodes[victim].address);
        before = load.count();
    }
    let acknowledged = load.stop();
    println!(
        "{} leads acknowledged over {} kills",
        acknowledged.len(),
        rounds()
    );
    check(&cluster, &acknowledged);
    delivered(&cluster, &acknowledged);
}
