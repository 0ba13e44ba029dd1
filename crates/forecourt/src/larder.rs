//! How much stock is kept in memory: where the configuration bounds it, what nobody has asked for longest is
//! taken out.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use inventory::snapshot::Snapshot;

use crate::lot::Lot;

/// What is left of the bound after room was made, so that it is not made again at once: nine tenths.
const LEFT: (usize, usize) = (9, 10);

/// The bound of the stock in memory.
#[derive(Debug)]
pub(crate) struct Larder {
    most: usize,
    turn: AtomicU64,
}

impl Larder {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            turn: AtomicU64::new(1),
        }
    }

    /// Begins a turn: takes stock out until there is room. Returns what was taken, whose memory is free once
    /// it is dropped, which takes its time where it is much.
    pub(crate) fn make_room<'l>(
        &self,
        lots: impl Iterator<Item = &'l Arc<Lot>>,
    ) -> Vec<Arc<Snapshot>> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let mut loaded: Vec<_> = lots
            .filter(|lot| lot.weight() > 0)
            .map(|lot| (lot.used(turn), lot.weight(), lot))
            .collect();
        let mut held: usize = loaded.iter().map(|(_, weight, _)| weight).sum();
        if held <= self.most {
            return Vec::new();
        }
        loaded.sort_unstable_by_key(|(used, _, _)| *used);
        let mut taken = Vec::new();
        for (_, weight, lot) in loaded {
            if held <= self.most / LEFT.1 * LEFT.0 {
                break;
            }
            if let Some(stock) = lot.put_away() {
                held -= weight;
                taken.push(stock);
            }
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use store::{Clock, Store};

    use super::*;
    use crate::app::migrations;

    fn lot(id: &str) -> Arc<Lot> {
        let dealer = serde_json::from_value(serde_json::json!({ "name": "Group Motors" }));
        let empty = Snapshot::build(Vec::new(), Vec::new(), &[], 0).unwrap();
        Arc::new(Lot::with_stock(id.parse().unwrap(), dealer.unwrap(), empty))
    }

    #[tokio::test]
    async fn what_nobody_asked_for_longest_goes_first_and_comes_back() {
        let store = Store::temporary(&migrations(), Clock::system()).unwrap();
        let lots = ["a", "b", "c", "d"].map(lot);
        let larder = Larder::new(lots[0].weight() * 5 / 2);
        let loaded = || lots.each_ref().map(|lot| lot.in_memory().is_some());
        // Each in a turn of its own, the first one last.
        let wide = Larder::new(usize::MAX);
        for at in [1, 2, 3, 0] {
            lots[at].stock(&store).await.unwrap();
            assert!(wide.make_room(lots.iter()).is_empty());
        }
        assert_eq!(larder.make_room(lots.iter()).len(), 2);
        assert_eq!(loaded(), [true, false, false, true]);
        let back = lots[1].stock(&store).await.unwrap();
        assert!(back.is_empty() && loaded()[1]);
    }
}
