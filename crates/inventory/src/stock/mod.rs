//! The stock in the database: what each feed run published, changed and withdrew.
//!
//! A feed file is the whole stock of what its feed covers. [`apply()`] compares it with what the
//! database holds, withdraws what is missing and writes the history. What cannot be right is not
//! believed, at a rooftop and condition or as a whole, and leaves everything there as the last good
//! file left it; `guard` says when. [`load()`] reads the published units for a
//! [`Snapshot`](crate::snapshot::Snapshot).
//!
//! A unit belongs to the feed that last contained it, and only that feed withdraws it, except for
//! what files call sold and what a person withdraws by hand ([`withdraw`]). Units of a feed that the
//! configuration does not name any more belong to the feed that covers their place.
//!
//! What arrives is written down alike whatever a feed brings, so that the catalogs of sellers without cars
//! have their runs here too: [`enter()`], [`keep_report()`], [`attend()`], [`prune_runs()`].
//!
//! Time alone changes the stock too: a unit that no good file contained for its feed's `max_age` is
//! hidden. No run does this, so [`Stock::hides_at`] says when to load again; [`attention()`] says
//! which feeds need a person; [`prune()`] forgets what is too old.

mod apply;
mod attention;
mod guard;
mod history;
pub(crate) mod kept;
mod list;
mod load;
mod lot;
mod prune;
mod row;
mod run;
pub(crate) mod runs;
mod schema;
mod sighting;
mod statement;
mod totals;
mod unit;
mod withdrawal;
mod write;

pub use apply::apply;
pub use attention::{
    Attention, AttentionKind, Watched, attend, attention, expect_feed, expect_feeds,
};
pub use history::{HistoryEntry, HistoryEvent, UnitEvent, events, history};
pub use kept::{file, keep_file, keep_report, pack, report, unpack};
pub use list::{StockedUnit, vehicles};
pub use load::{Stock, load, version};
pub use prune::{Pruned, PrunedRuns, prune, prune_runs};
pub use run::{Acceptance, Held, Offer, PriceDifference, Run, RunOutcome, Withheld};
pub use runs::{
    FeedOverview, LastApplied, RunRecord, RunState, enter, feeds, last_applied, overview, run, runs,
};
pub use schema::{MIGRATIONS, claim};
pub use sighting::sighted;
pub use statement::PriceStatement;
pub use totals::{run_totals, versions};
pub use withdrawal::{ByHand, HandOutcome, restore, withdraw};
pub use write::raise_version;

use dealers::DealerId;
use store::{Signal, Store};
use uuid::Uuid;

/// The topic of the signals which say that a dealer's stock has a new [`version()`].
pub const TOPIC: &str = "stock";

/// Says to every node on the database that a dealer's stock has changed.
pub fn tell(store: &Store, dealer: &DealerId) {
    store.tell(Signal {
        topic: TOPIC,
        dealer: dealer.as_str(),
        key: "",
    });
}

/// Why the stock could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A vehicle could not be written as JSON or read back from it.
    #[error("the record of unit {unit} cannot be converted")]
    Record {
        /// The unit: `vin:…`, `stock:…` or `id:…`.
        unit: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// What is kept of a run is damaged.
    #[error("what is kept of run {run} cannot be read")]
    Kept {
        /// The run.
        run: Uuid,
        /// What is wrong with it.
        source: std::io::Error,
    },
}
