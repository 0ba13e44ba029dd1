//! Units as the stock hands them to the snapshot: the published ones and those that are gone.

use aap::vehicle::Vehicle;
use jiff::Timestamp;

/// A published unit. One VIN is one listing, however many rooftops list it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The vehicle as buyers see it, `dealer_id`, `rooftop`, `status` and `updated_at` included.
    pub vehicle: Vehicle,
    /// Every rooftop that lists the unit, in the order of the configuration.
    pub rooftops: Vec<String>,
}

/// A unit that was published and is sold or withdrawn. It is remembered for a while, so that a
/// buyer who asks for it hears "gone" and not "never heard of" (AAP 1.3, `VEHICLE_UNAVAILABLE`
/// against `VEHICLE_NOT_FOUND`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoneUnit {
    /// VIN, when it had one.
    pub vin: Option<String>,
    /// Stock number, when it had one.
    pub stock: Option<String>,
    /// Dealer's own identifier, when it had one.
    pub vehicle_id: Option<String>,
    /// The rooftop that listed it, when that was known.
    pub rooftop: Option<String>,
    /// Arrival of the feed in which it was missing.
    pub gone_at: Timestamp,
}
