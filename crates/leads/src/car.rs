//! The vehicle of a lead: what was found for it, and when two leads mean the same one.

use aap::text::fold;
use aap::vehicle::Vehicle;
use serde::{Deserialize, Serialize};

/// What the caller found among the dealer's stock for the vehicle of interest. Of VIN, stock
/// number and `vehicle_id` the first that matches decides.
#[derive(Debug, Clone, PartialEq)]
pub enum VehicleMatch {
    /// The lead names no vehicle by VIN, stock number or `vehicle_id`.
    None,
    /// A published unit: the dealer's own listing.
    Known(Box<Vehicle>),
    /// The dealer never had it, or does not remember.
    Unknown,
    /// It was sold or withdrawn.
    Gone,
}

/// [`VehicleMatch`] as it is kept with the lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VehicleState {
    /// The lead names no vehicle by VIN, stock number or `vehicle_id`.
    None,
    /// It was published when the lead came.
    Known,
    /// It was not known.
    Unknown,
    /// It had been sold or withdrawn.
    Gone,
}

impl VehicleState {
    /// The word in the database and in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Known => "known",
            Self::Unknown => "unknown",
            Self::Gone => "gone",
        }
    }
}

impl VehicleMatch {
    /// The kind of match.
    #[must_use]
    pub const fn state(&self) -> VehicleState {
        match self {
            Self::None => VehicleState::None,
            Self::Known(_) => VehicleState::Known,
            Self::Unknown => VehicleState::Unknown,
            Self::Gone => VehicleState::Gone,
        }
    }

    /// The dealer's listing, where there is one.
    #[must_use]
    pub fn listing(&self) -> Option<&Vehicle> {
        match self {
            Self::Known(listing) => Some(listing),
            _ => None,
        }
    }
}

/// What is kept of the dealer's listing with the lead, so that the CRM hears of the car as it was
/// also when it is sold before the lead arrives.
pub(crate) fn kept(listing: &Vehicle) -> Vehicle {
    Vehicle {
        description: None,
        features: Vec::new(),
        photos: Vec::new(),
        ..listing.clone()
    }
}

/// What two leads about the same car have in common: the listing where one was found, so that a
/// VIN and a stock number meet; else what the buyer's agent sent.
pub(crate) fn identity(found: &VehicleMatch, asked: Option<&Vehicle>) -> Vec<String> {
    let Some(vehicle) = found.listing().or(asked) else {
        return Vec::new();
    };
    let folded = |text: &Option<String>| text.as_deref().and_then(fold);
    if let Some(vin) = folded(&vehicle.vin) {
        return vec!["vin".to_owned(), vin];
    }
    if let Some(id) = folded(&vehicle.vehicle_id) {
        return vec!["vehicle_id".to_owned(), id];
    }
    if let Some(stock) = folded(&vehicle.stock) {
        // A stock number is unique per rooftop only.
        let rooftop = folded(&vehicle.rooftop).unwrap_or_default();
        return vec!["stock".to_owned(), stock, rooftop];
    }
    let words = [
        vehicle.year.map(|year| year.to_string()),
        folded(&vehicle.make),
        folded(&vehicle.model),
        folded(&vehicle.trim),
    ];
    if words.iter().all(Option::is_none) {
        return Vec::new();
    }
    let words = words.into_iter().map(Option::unwrap_or_default);
    std::iter::once("words".to_owned()).chain(words).collect()
}

#[cfg(test)]
mod tests {
    use aap::vehicle::Vehicle;

    use super::{VehicleMatch, identity};

    fn car(vin: &str, stock: &str, model: &str) -> Vehicle {
        let set = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Vehicle {
            vin: set(vin),
            stock: set(stock),
            model: set(model),
            ..Vehicle::default()
        }
    }

    #[test]
    fn spelling_does_not_make_another_car() {
        let asked = car("", " ab  12 ", "");
        let again = car("", "AB 12", "Other words");
        assert_eq!(
            identity(&VehicleMatch::Unknown, Some(&asked)),
            identity(&VehicleMatch::Unknown, Some(&again))
        );
    }

    #[test]
    fn a_listing_stands_for_every_way_to_name_it() {
        let listing = car("1HGCM82633A004352", "AB12", "Accord");
        let found = VehicleMatch::Known(Box::new(listing));
        assert_eq!(
            identity(&found, Some(&car("1HGCM82633A004352", "", ""))),
            identity(&found, Some(&car("", "ab12", "")))
        );
    }

    #[test]
    fn cars_that_are_only_described_differ_by_their_words() {
        let identity = |model| identity(&VehicleMatch::None, Some(&car("", "", model)));
        assert_eq!(identity("Accord"), identity("ACCORD"));
        assert_ne!(identity("Accord"), identity("Civic"));
        assert!(identity("").is_empty());
    }
}
