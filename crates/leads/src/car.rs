//! The vehicle of a lead: what was found for it, when two leads mean the same one, its title.

use aap::vehicle::Vehicle;
use serde::{Deserialize, Serialize};
use unicase::UniCase;

/// Longest title in characters; feeds put whole advertisements into a trim.
const TITLE: usize = 120;

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

/// What two leads about the same car have in common: the listing where one was found, so that a
/// VIN and a stock number meet; else what the buyer's agent sent.
pub(crate) fn identity(found: &VehicleMatch, asked: Option<&Vehicle>) -> Vec<String> {
    let Some(vehicle) = found.listing().or(asked) else {
        return Vec::new();
    };
    let folded = |text: &Option<String>| text.as_deref().map(fold).filter(|text| !text.is_empty());
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

/// The text as comparisons see it: trimmed, inner space collapsed, case folded.
pub(crate) fn fold(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    UniCase::new(words.join(" ")).to_folded_case()
}

/// Year, make, model and trim, as far as known, in one line.
pub(crate) fn title(vehicle: &Vehicle) -> Option<String> {
    let year = vehicle.year.map(|year| year.to_string());
    let words: Vec<&str> = [&year, &vehicle.make, &vehicle.model, &vehicle.trim]
        .into_iter()
        .flatten()
        .flat_map(|words| words.split_whitespace())
        .collect();
    let title: String = words.join(" ").chars().take(TITLE).collect();
    let title = title.trim_end();
    (!title.is_empty()).then(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use aap::vehicle::Vehicle;

    use super::{VehicleMatch, identity, title};

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

    #[test]
    fn a_title_is_one_short_line() {
        let vehicle = Vehicle {
            year: Some(2024),
            make: Some("Honda".to_owned()),
            model: Some("CR-V\n".to_owned()),
            trim: Some("EX-L ".repeat(100)),
            ..Vehicle::default()
        };
        let title = title(&vehicle).unwrap();
        assert!(title.starts_with("2024 Honda CR-V EX-L EX-L"));
        assert!(title.chars().count() <= 120);
    }
}
