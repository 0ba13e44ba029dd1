//! What the dealer states about a feed: where it comes from, what it covers, what its prices mean.

use std::collections::BTreeMap;

use aap::vehicle::{Condition, DealerFee};
use serde::{Deserialize, Serialize};

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
}

/// One feed of a dealer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeedSettings {
    /// File pattern of the drop folder.
    pub path: Option<String>,
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
    /// `trim = "Series Detail"`.
    pub columns: BTreeMap<String, String>,
}

impl FeedSettings {
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
