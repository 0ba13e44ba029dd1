//! Whether a dealer takes leads: `lead.submit` is offered once every destination has shown that leads
//! arrive there. What is missing is told wherever a person looks.

use std::{collections::HashMap, path::Path, sync::Arc};

use aap::Skill;
use dealers::{Dealer, DealerId};
use leads::readiness::{self, Lack};
use outside::delivery::Couriers;
use serde_json::{Value, json};
use store::{Conn, Error, Store};

use crate::{
    config::Config,
    errands::{self, ErrandsError},
};

/// Digests of the settings of every destination and fallback, so that one whose settings were changed
/// counts as untested. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Digests(Arc<HashMap<(DealerId, String, String), String>>);

impl Digests {
    /// The digests of a configuration's destinations, by the couriers to them.
    pub(crate) fn new(config: &Config, couriers: &Couriers) -> Self {
        let mut digests = HashMap::new();
        for (id, dealer) in &config.dealers {
            for (name, rooftop) in &dealer.rooftops {
                for destination in rooftop.every_destination().into_keys() {
                    if let Some(courier) = couriers.get(id, name, &destination) {
                        let key = (id.clone(), name.clone(), destination);
                        digests.insert(key, courier.digest());
                    }
                }
            }
        }
        Self(Arc::new(digests))
    }

    /// The digest of one destination.
    pub(crate) fn get(&self, dealer: &DealerId, rooftop: &str, destination: &str) -> Option<&str> {
        let key = (dealer.clone(), rooftop.to_owned(), destination.to_owned());
        self.0.get(&key).map(String::as_str)
    }
}

/// The digests of a configuration's destinations; its paths are meant from `base`.
///
/// # Errors
/// Where a destination cannot be used as the configuration says.
pub(crate) fn digests(config: &Config, base: &Path) -> Result<Digests, ErrandsError> {
    let couriers = errands::couriers(config, base, &errands::client(config)?)?;
    Ok(Digests::new(config, &couriers))
}

/// What keeps dealers from taking leads; those that take them are left out.
pub(crate) type Lacks = Vec<(DealerId, Vec<Lack>)>;

/// The same for a program.
pub(crate) fn document(lacks: &Lacks) -> Value {
    let all = lacks.iter().flat_map(|(dealer, lacks)| {
        lacks.iter().map(move |lack| {
            let mut document = json!(lack);
            document["dealer"] = json!(dealer);
            document["message"] = json!(lack.to_string());
            document
        })
    });
    all.collect()
}

/// What keeps each dealer of a configuration from taking leads.
///
/// # Errors
/// When the database fails.
pub(crate) fn all_lacks(
    conn: &mut dyn Conn,
    config: &Config,
    digests: &Digests,
) -> Result<Lacks, Error> {
    let mut all = Vec::new();
    for (id, dealer) in &config.dealers {
        let lacks = lacks(conn, id, dealer, digests)?;
        if !lacks.is_empty() {
            all.push((id.clone(), lacks));
        }
    }
    Ok(all)
}

/// Notes every destination as one that took a test lead: for destinations that need none.
///
/// # Errors
/// When the database fails.
pub(crate) async fn pass_all(store: &Store, digests: &Digests) -> Result<(), Error> {
    let (digests, now) = (digests.clone(), store.clock().now());
    let note = move |conn: &mut dyn Conn| {
        digests.0.iter().try_for_each(|(place, digest)| {
            let (dealer, rooftop, destination) = place;
            readiness::note_passed(conn, dealer, rooftop, destination, digest, now)
        })
    };
    store.write(note).await
}

/// What keeps a dealer from taking leads; nothing does where it does not want to.
///
/// # Errors
/// When the database fails.
pub(crate) fn lacks(
    conn: &mut dyn Conn,
    id: &DealerId,
    dealer: &Dealer,
    digests: &Digests,
) -> Result<Vec<Lack>, Error> {
    if !dealer.skills.contains(&Skill::LeadSubmit) {
        return Ok(Vec::new());
    }
    let digest =
        |rooftop: &str, destination: &str| digests.get(id, rooftop, destination).map(str::to_owned);
    readiness::lacks(conn, id, dealer, &digest)
}

/// The skills that a dealer offers: all of its own, without `lead.submit` while something is missing.
pub(crate) fn offered(dealer: &Dealer, lacks: &[Lack]) -> Vec<Skill> {
    let takes_leads = lacks.is_empty();
    let skills = dealer.skills.iter().copied();
    skills
        .filter(|skill| takes_leads || *skill != Skill::LeadSubmit)
        .collect()
}
