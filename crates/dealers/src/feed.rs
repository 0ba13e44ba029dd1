//! What the dealer states about a feed: where it comes from, what it covers, what its prices mean.

use std::{collections::BTreeMap, path::PathBuf};

use aap::vehicle::{Condition, DealerFee};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::Period;

/// What the dealer states about the prices of a feed.
///
/// A feed column becomes the published `price` only by such a statement: either the column already
/// holds the advertised price with every mandatory charge in it (`advertised = true`), or `fees`
/// names the charges to add. Without a statement the column is published as `list_price`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PricePolicy {
    /// Header of the column that holds the price; found by its name when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The column is the advertised price, mandatory charges included.
    pub advertised: bool,
    /// Mandatory charges. With `advertised`, they are already in the column; without, they are
    /// added to it. An empty list states that there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fees: Option<Vec<DealerFee>>,
    /// Who states this; kept with the statement for as long as the prices are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stated_by: Option<String>,
    /// Who runs the program that read this, for a statement that names nobody.
    #[serde(skip)]
    pub read_by: Option<String>,
}

/// One feed of a dealer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeedSettings {
    /// File pattern of the drop folder, such as `/srv/drop/*.csv`. Wildcards stand in the file name
    /// only.
    pub path: Option<String>,
    /// How long a file of the folder stays unchanged before it counts as complete; see
    /// [`settle`](Self::settle).
    pub settle: Option<Period>,
    /// How long files that were read stay in `done` and `refused`; see
    /// [`keep_files`](Self::keep_files).
    pub keep_files: Option<Period>,
    /// Address from which the file is fetched.
    pub url: Option<Url>,
    /// How often the address is asked; see [`every`](Self::every).
    pub every: Option<Period>,
    /// File with further headers of the request, one `Name: value` on a line.
    pub headers_file: Option<PathBuf>,
    /// Name for HTTP Basic authentication; its password stands in `password_file`.
    pub user: Option<String>,
    /// File with the password of `user`.
    pub password_file: Option<PathBuf>,
    /// Largest file that is read; see [`max_bytes`](Self::max_bytes).
    pub max_megabytes: Option<u64>,
    /// Rooftops that the feed covers; all when empty.
    pub rooftops: Vec<String>,
    /// Conditions that the feed covers; all when empty.
    pub conditions: Vec<Condition>,
    /// Longest time between two files.
    pub expect_every: Option<Period>,
    /// Longest time that a unit is published without being seen in a good feed.
    pub max_age: Option<Period>,
    /// Largest share, 0 to 1, of the units of one rooftop and condition that may be missing from
    /// the next file; see [`FeedSettings::most_drop`].
    pub most_drop: Option<f64>,
    /// What its prices mean.
    pub price: PricePolicy,
    /// Overrides: field of the vehicle to header of the column, for example
    /// `trim = "Series Detail"`, or to its place, for example `vin = "#2"`.
    pub columns: BTreeMap<String, String>,
}

impl FeedSettings {
    /// How long a file of the folder stays unchanged before it counts as complete: one minute
    /// unless stated, because an upload may stall for seconds.
    #[must_use]
    pub fn settle(&self) -> SignedDuration {
        self.settle
            .map_or(SignedDuration::from_mins(1), Period::duration)
    }

    /// How long files that were read stay in `done` and `refused`: thirty days unless stated.
    #[must_use]
    pub fn keep_files(&self) -> SignedDuration {
        self.keep_files
            .unwrap_or(const { Period::days(30) })
            .duration()
    }

    /// How often the address is asked: every hour unless stated.
    #[must_use]
    pub fn every(&self) -> SignedDuration {
        self.every
            .map_or(SignedDuration::from_hours(1), Period::duration)
    }

    /// Most bytes of a file: 128 megabytes unless stated.
    #[must_use]
    pub fn max_bytes(&self) -> u64 {
        self.max_megabytes.unwrap_or(128).saturating_mul(1_000_000)
    }

    /// Largest share of the units of one rooftop and condition that may be missing from the next
    /// file without a person's consent: half unless stated.
    #[must_use]
    pub fn most_drop(&self) -> f64 {
        self.most_drop.unwrap_or(0.5)
    }

    /// True when the feed is the one to say what stands at this rooftop in this condition. A unit
    /// of no stated condition belongs to every feed of its rooftop.
    #[must_use]
    pub fn covers(&self, rooftop: &str, condition: Option<Condition>) -> bool {
        let rooftop = self.rooftops.is_empty() || self.rooftops.iter().any(|it| it == rooftop);
        let condition = condition.is_none_or(|condition| {
            self.conditions.is_empty() || self.conditions.contains(&condition)
        });
        rooftop && condition
    }
}
