//! A dealer's published stock in memory: search, facets and lookup.
//!
//! A [`Snapshot`] is built once from the [listings](Listing) and never changes; the next feed run
//! builds another one. Every vehicle is a row, and rows are numbered in the default order of a
//! search (freshest first), so that a page of it is a run of ascending row numbers. Around the
//! rows stand columns (`columns`): words as dictionaries with a bitmap of rows for each value
//! (`terms`), numbers with their sort order (`numbers`, `order`), rooftops, columns counted together
//! (`combined`), identifiers (`lookup`) and the words of the free text (`words`). A request is
//! answered by intersecting bitmaps (`filter`), then either cutting a page from a sort order
//! (`search`) or counting (`facets`). The JSON of each vehicle is rendered when the snapshot is
//! built and put into answers as it is.
//!
//! Start reading at `search`, then `filter`; `build` makes what they use.

mod build;
mod columns;
mod combined;
mod facets;
mod filter;
mod find;
mod lookup;
mod numbers;
mod order;
mod ranking;
mod rooftops;
mod search;
mod terms;
mod words;

#[cfg(test)]
mod tests;

use aap::inventory::{Sort, SortField, SortOrder};
use columns::Columns;
pub use facets::FacetsAnswer;
use find::Identifiers;
pub use find::{Found, Unit};
use jiff::Timestamp;
use roaring::RoaringBitmap;
pub use search::SearchAnswer;
use serde_json::value::RawValue;
use words::Words;

use crate::listing::GoneUnit;
#[cfg(doc)]
use crate::listing::Listing;

/// About how much memory the stock of nothing takes.
const EMPTY_BYTES: usize = 1 << 10;
/// About how much the words take that even a small stock has, and the bitmaps of its facets.
const WORDS_BYTES: usize = 96 << 10;
/// About how much the columns, sort orders and bitmaps of one vehicle take.
const COLUMN_BYTES: usize = 400;

/// The code or rank of a value that is missing.
const NONE: u32 = u32::MAX;

/// The maps from which a snapshot is built. Their keys are foreign texts, so the hash has a seed;
/// the standard one would be a tenth of the time of building.
type Map<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// A dealer's published stock at one moment, immutable and cheap to ask from many threads.
#[derive(Debug)]
pub struct Snapshot {
    version: u64,
    updated_at: Option<Timestamp>,
    /// Each vehicle's JSON, in the default order of a search.
    records: Vec<Box<RawValue>>,
    /// Each row's place among vehicles whose sort field is equal.
    ties: Vec<u32>,
    columns: Columns,
    words: Words,
    identifiers: Identifiers,
    gone: Vec<GoneUnit>,
    gone_identifiers: Identifiers,
}

impl Snapshot {
    /// Which state of the stock this is; a later one is greater.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// How many vehicles are published.
    #[must_use]
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// True when nothing is published.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let records: usize = self.records.iter().map(|it| it.get().len()).sum();
        let words = if self.is_empty() { 0 } else { WORDS_BYTES };
        // Where each vehicle has a word takes about half as much as its JSON.
        EMPTY_BYTES + words + self.records.len() * COLUMN_BYTES + records + records / 2
    }

    /// The latest `updated_at` of a vehicle; `None` when nothing is published.
    #[must_use]
    pub fn updated_at(&self) -> Option<Timestamp> {
        self.updated_at
    }

    fn record(&self, row: u32) -> &RawValue {
        &self.records[row as usize]
    }

    /// Rows `skip..skip + limit` of `matches` in the order of `sort`.
    fn page(&self, matches: &RoaringBitmap, sort: Sort, skip: usize, limit: usize) -> Vec<u32> {
        if (sort.field, sort.order) == (SortField::UpdatedAt, SortOrder::Desc) {
            // Rows are numbered in this order.
            let first = u32::try_from(skip)
                .ok()
                .and_then(|skip| matches.select(skip));
            return first.map_or_else(Vec::new, |first| {
                matches.range(first..).take(limit).collect()
            });
        }
        let order = self.columns.order(sort.field);
        order.page(matches, sort.order, (skip, limit), &self.ties)
    }
}
