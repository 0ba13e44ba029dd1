//! What cannot work in the settings about whose leads are taken.

use std::collections::BTreeSet;

use aap::text::fold;
use dealers::{Dealer, UnknownRegion};

use super::Findings;

pub(super) fn check(at: &[&str], dealer: &Dealer, found: &mut Findings<'_>) {
    let agents = &dealer.agents;
    let mut named = BTreeSet::new();
    for (list, names) in [("known", &agents.known), ("held", &agents.held)] {
        let key = [at, &["agents", list]].concat();
        for name in names {
            let Some(folded) = fold(name) else {
                let message = "an agent's name is blank; write what it calls itself in its leads";
                found.add(&key, message);
                continue;
            };
            if !named.insert(folded) {
                let message = format!("{name:?} is named twice; an agent is either known or held");
                found.add(&key, message);
            }
        }
    }
    let serves = &dealer.serves;
    for unknown in serves.unknown() {
        let list = match unknown {
            UnknownRegion::State(_) => "states",
            _ => "countries",
        };
        found.add(&[at, &["serves", list]].concat(), unknown.to_string());
    }
}
