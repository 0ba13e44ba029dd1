//! A price together with what it covers.

use std::cmp::Ordering;

use aap::PriceBasis;
use serde::Serialize;

/// A price in whole US dollars and what it covers. Prices of different bases have no order: an
/// out-the-door price and an advertised price of the same car differ by tax and title.
///
/// ```
/// use aap::PriceBasis;
/// use forecourt::buyer::Price;
///
/// let advertised = Price { dollars: 23_500, basis: PriceBasis::Advertised };
/// let cheaper = Price { dollars: 21_000, basis: PriceBasis::Advertised };
/// let out_the_door = Price { dollars: 22_000, basis: PriceBasis::OutTheDoor };
/// assert!(cheaper < advertised);
/// assert_eq!(advertised.partial_cmp(&out_the_door), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Price {
    /// Whole US dollars.
    pub dollars: u64,
    /// What it covers.
    pub basis: PriceBasis,
}

impl PartialOrd for Price {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self.basis == other.basis).then(|| self.dollars.cmp(&other.dollars))
    }
}
