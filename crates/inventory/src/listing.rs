//! One unit as it is published.

use aap::vehicle::Vehicle;

/// A published unit. One VIN is one listing, however many rooftops list it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// The vehicle as buyers see it, `dealer_id`, `rooftop`, `status` and `updated_at` included.
    pub vehicle: Vehicle,
    /// Every rooftop that lists the unit, in the order of the configuration.
    pub rooftops: Vec<String>,
}
