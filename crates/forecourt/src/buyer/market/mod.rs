//! Many dealers asked at once: who answered what, who did not and why, and the cars of all of them.
//!
//! A [`Market`] asks each dealer of a list, so many at a time, each within a deadline of its own. An
//! answer is handed on as it comes; a dealer that fails costs only its own answer. The cars of a
//! search are brought together by VIN, every offer kept: see [`MarketSearch`].
//!
//! What it is not: a judge of offers. Prices of different bases are never compared, and nothing is
//! summed over dealers, since one car may stand at several.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use aap::inventory::SearchRequest;
//! use forecourt::buyer::market::{DealerEntry, Market, Patience};
//! use store::Clock;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let dealers = ["https://north.example", "https://south.example"].map(DealerEntry::new);
//! let mut patience = Patience::default();
//! patience.deadline = Duration::from_secs(5);
//! let market = Market::new(dealers, patience, &Clock::system())?;
//! let found = market.search_all(&SearchRequest::default()).await;
//! for car in &found.cars {
//!     println!("{:?} at {} dealers", car.vin(), car.offers().len());
//! }
//! for asked in found.failed() {
//!     println!("{}: {}", market.name(asked), asked.outcome.as_ref().unwrap_err());
//! }
//! # Ok(())
//! # }
//! ```

mod cars;
mod list;

use std::{
    collections::{HashMap, hash_map},
    sync::{Arc, OnceLock},
    time::Duration,
};

use aap::{
    dealer::DealerInformation,
    inventory::{Facets, FacetsRequest, SearchRequest},
};
use egress::Egress;
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use store::Clock;
use tokio::time::Instant;

use super::{Answer, Dealer, Error, Retry, SearchPage, reach::Opened};

pub use cars::{Car, MarketSearch, Note, Offer, Page};
pub use list::{DealerEntry, ListProblem, UnreadableList, read_list};

/// How much longer the network may take than the dealer has, so that of the two it is the dealer's
/// deadline that is told.
const GRACE: Duration = Duration::from_secs(1);

/// How many dealers are asked at once, and how patiently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Patience {
    /// Dealers that are asked at the same time, at least one.
    pub at_once: usize,
    /// What each dealer has from the moment it is asked: discovery, answer, repeats and pauses.
    pub deadline: Duration,
    /// What all dealers together have; without it, only each dealer's deadline counts.
    pub within: Option<Duration>,
    /// How a dealer's refusals and the network's failures are repeated within the deadline.
    pub retry: Retry,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            at_once: 16,
            deadline: Duration::from_secs(10),
            within: None,
            retry: Retry::default(),
        }
    }
}

/// Many dealers to ask. Cheap enough to keep: connections are reused from question to question.
#[derive(Debug, Clone)]
pub struct Market {
    dealers: Vec<Listed>,
    patience: Patience,
    clock: Clock,
}

#[derive(Debug, Clone)]
struct Listed {
    entry: DealerEntry,
    egress: Egress,
}

/// A dealer that was asked, and what came of it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Asked<T> {
    /// The dealer's place in the list, from 0.
    pub index: usize,
    /// The dealer's agent, once it was discovered, whatever happened afterwards.
    pub dealer: Option<Arc<Dealer>>,
    /// The answer, or why there is none.
    pub outcome: Result<T, Error>,
}

impl Market {
    /// A market of these dealers.
    ///
    /// An address that is not public is reached only for the dealer whose own URL names it.
    ///
    /// # Errors
    /// [`egress::Error::Setup`] when the HTTP library cannot be set up.
    pub fn new(
        dealers: impl IntoIterator<Item = DealerEntry>,
        patience: Patience,
        clock: &Clock,
    ) -> Result<Self, egress::Error> {
        let mut clients: HashMap<Opened, Egress> = HashMap::new();
        let mut listed = Vec::new();
        for entry in dealers {
            let egress = match clients.entry(Opened::by(&entry.url)) {
                hash_map::Entry::Occupied(known) => known.get().clone(),
                hash_map::Entry::Vacant(new) => {
                    let egress = new.key().egress(patience.deadline.saturating_add(GRACE))?;
                    new.insert(egress).clone()
                }
            };
            listed.push(Listed { entry, egress });
        }
        Ok(Self {
            dealers: listed,
            patience,
            clock: clock.clone(),
        })
    }

    /// How many dealers there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.dealers.len()
    }

    /// Whether there is no dealer.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.dealers.is_empty()
    }

    /// The dealers of the list, in its order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &DealerEntry> {
        self.dealers.iter().map(|listed| &listed.entry)
    }

    /// What to call a dealer that was asked: the buyer's name for it, else the agent's own, else its
    /// URL.
    #[must_use]
    pub fn name<'a, T>(&'a self, asked: &'a Asked<T>) -> &'a str {
        let entry = self.dealers.get(asked.index).map(|listed| &listed.entry);
        let own = || asked.dealer.as_ref().map(|dealer| dealer.name());
        entry
            .and_then(|entry| entry.name.as_deref())
            .or_else(own)
            .or_else(|| entry.map(|entry| entry.url.as_str()))
            .unwrap_or_default()
    }

    /// Asks every dealer for its profile; answers in the order in which they come.
    #[must_use]
    pub fn information(&self) -> BoxStream<'_, Asked<Answer<DealerInformation>>> {
        self.ask(async |dealer: Arc<Dealer>| dealer.information().await)
    }

    /// Asks every dealer for counts and ranges over its stock; answers in the order in which they
    /// come.
    #[must_use]
    pub fn facets<'a>(
        &'a self,
        request: &'a FacetsRequest,
    ) -> BoxStream<'a, Asked<Answer<Facets>>> {
        self.ask(move |dealer| async move { dealer.facets(request).await })
    }

    /// Searches at every dealer; pages in the order in which they come. Sort and pagination are each
    /// dealer's: [`MarketSearch`] brings the pages together.
    #[must_use]
    pub fn search<'a>(
        &'a self,
        request: &'a SearchRequest,
    ) -> BoxStream<'a, Asked<Answer<SearchPage>>> {
        self.ask(move |dealer| async move { dealer.search(request).await })
    }

    /// Searches at every dealer and brings the pages together.
    pub async fn search_all(&self, request: &SearchRequest) -> MarketSearch {
        MarketSearch::new(self.search(request).collect().await, request)
    }

    /// Asks every dealer a question of one's own; answers in the order in which they come. The
    /// question is put again where a repeat may help. Nothing is asked before the stream is polled,
    /// and dropping it ends the asking.
    #[must_use]
    pub fn ask<'a, T, Q, A>(&'a self, question: Q) -> BoxStream<'a, Asked<T>>
    where
        T: Send + 'a,
        Q: Fn(Arc<Dealer>) -> A + Send + Sync + 'a,
        A: Future<Output = Result<T, Error>> + Send + 'a,
    {
        let end = self.patience.within.map(|within| Instant::now() + within);
        let question = Arc::new(question);
        stream::iter(0..self.dealers.len())
            .map(move |index| self.ask_one(index, end, Arc::clone(&question)))
            .buffer_unordered(self.patience.at_once.max(1))
            .boxed()
    }

    async fn ask_one<T, Q, A>(
        &self,
        index: usize,
        end: Option<Instant>,
        question: Arc<Q>,
    ) -> Asked<T>
    where
        Q: Fn(Arc<Dealer>) -> A,
        A: Future<Output = Result<T, Error>>,
    {
        let found = OnceLock::new();
        let call = |until| self.discover_and_put(index, until, &*question, &found);
        let outcome = self.patience.bounded(end, call).await;
        Asked {
            index,
            dealer: found.into_inner(),
            outcome,
        }
    }

    async fn discover_and_put<T, Q, A>(
        &self,
        index: usize,
        until: Instant,
        question: &Q,
        found: &OnceLock<Arc<Dealer>>,
    ) -> Result<T, Error>
    where
        Q: Fn(Arc<Dealer>) -> A,
        A: Future<Output = Result<T, Error>>,
    {
        let Listed { entry, egress } = &self.dealers[index];
        let dealer = Dealer::discover(egress, &entry.url, &self.clock).await?;
        let dealer = found.get_or_init(|| Arc::new(dealer));
        let put = || question(Arc::clone(dealer));
        self.patience.retry.run_until(until, put).await
    }
}

impl Patience {
    /// Waits for a dealer until its deadline or the end for all, whichever comes first.
    async fn bounded<T, A>(
        &self,
        end_for_all: Option<Instant>,
        call: impl FnOnce(Instant) -> A,
    ) -> Result<T, Error>
    where
        A: Future<Output = Result<T, Error>>,
    {
        let begin = Instant::now();
        let own = begin + self.deadline;
        let until = end_for_all.map_or(own, |end| end.min(own));
        if until <= begin {
            return Err(Error::NotAsked);
        }
        let deadline = Error::Deadline {
            waited: until - begin,
        };
        tokio::time::timeout_at(until, call(until))
            .await
            .unwrap_or(Err(deadline))
    }
}

#[cfg(test)]
mod tests;
