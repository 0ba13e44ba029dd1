//! The vehicles of a document: which one is meant, and what is said of it.

use aap::vehicle::{Condition, Vehicle, VehicleType};
use serde_json::Value;

use super::words;
use crate::{Inquiry, Lead, VehicleState};

/// A vehicle with what is to be remarked on it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Car {
    pub(super) vehicle: Vehicle,
    pub(super) remarks: Vec<String>,
}

impl Car {
    /// The vehicle of interest: the dealer's own listing first, the buyer's words where it is silent.
    pub(super) fn wanted(lead: &Lead, inquiry: &Inquiry) -> Self {
        let nothing = Vehicle::default();
        let asked = inquiry.vehicle_of_interest.as_ref().unwrap_or(&nothing);
        let mut vehicle = match &lead.listing {
            Some(listing) => completed(listing, asked),
            None => asked.clone(),
        };
        vehicle.vin = vehicle.vin.or_else(|| lead.summary.vin.clone());
        vehicle.stock = vehicle.stock.or_else(|| lead.summary.stock.clone());
        let mut remarks = remarks(&vehicle);
        if vehicle == nothing {
            remarks.push("no vehicle named".to_owned());
        }
        remarks.extend(found(lead.summary.vehicle_state).map(str::to_owned));
        if let Some(listing) = &lead.listing {
            remarks.extend(differences(listing, asked));
        }
        remarks.extend(note(asked));
        Self { vehicle, remarks }
    }

    /// The vehicle that is given in payment, in the buyer's words.
    pub(super) fn trade_in(vehicle: &Vehicle) -> Self {
        let mut remarks = remarks(vehicle);
        remarks.extend(note(vehicle));
        Self {
            vehicle: vehicle.clone(),
            remarks,
        }
    }

    /// ADF knows new and used; certified cars are used ones, and how worn a car is says nothing.
    pub(super) fn status(&self) -> Option<&'static str> {
        match self.vehicle.condition? {
            Condition::New => Some("new"),
            Condition::Used | Condition::Cpo => Some("used"),
            Condition::Excellent | Condition::Good | Condition::Fair | Condition::Poor => None,
        }
    }

    /// How worn a trade-in is.
    pub(super) fn wear(&self) -> Option<&'static str> {
        let condition = self.vehicle.condition?;
        (!condition.is_sale()).then(|| condition.as_str())
    }

    /// `A` or `M`; other transmissions have no letter.
    pub(super) fn transmission(&self) -> Option<&'static str> {
        letter(self.vehicle.transmission.as_ref()?)
    }
}

/// The listing, with the buyer's words where it says nothing.
fn completed(listing: &Vehicle, asked: &Vehicle) -> Vehicle {
    let or = |own: &Option<String>, other: &Option<String>| own.clone().or_else(|| other.clone());
    Vehicle {
        vin: or(&listing.vin, &asked.vin),
        stock: or(&listing.stock, &asked.stock),
        year: listing.year.or(asked.year),
        make: or(&listing.make, &asked.make),
        model: or(&listing.model, &asked.model),
        trim: or(&listing.trim, &asked.trim),
        condition: listing.condition.or(asked.condition),
        body: or(&listing.body, &asked.body),
        transmission: or(&listing.transmission, &asked.transmission),
        mileage: listing.mileage.or(asked.mileage),
        exterior_color: or(&listing.exterior_color, &asked.exterior_color),
        interior_color: or(&listing.interior_color, &asked.interior_color),
        ..listing.clone()
    }
}

fn remarks(vehicle: &Vehicle) -> Vec<String> {
    let mut remarks = Vec::new();
    if vehicle.condition == Some(Condition::Cpo) {
        remarks.push("certified pre-owned".to_owned());
    }
    if !matches!(vehicle.kind(), VehicleType::Car) {
        remarks.push(format!("Kind: {}", vehicle.kind().as_str()));
    }
    if let Some(displacement) = vehicle.displacement_cc {
        remarks.push(format!("Displacement: {displacement}cc"));
    }
    let transmission = words::some_line(vehicle.transmission.as_ref());
    if let Some(transmission) = transmission.filter(|it| letter(it).is_none()) {
        remarks.push(format!("Transmission: {transmission}"));
    }
    for (name, value) in &vehicle.other_attributes {
        remarks.push(format!("{}: {}", words::line(name), scalar(value)));
    }
    if let (None, Some(list)) = (vehicle.price, vehicle.list_price) {
        remarks.push(format!("List price: ${list}"));
    }
    if let Some(id) = words::some_line(vehicle.vehicle_id.as_ref()) {
        remarks.push(format!("Dealer's vehicle id: {id}"));
    }
    remarks
}

fn found(state: VehicleState) -> Option<&'static str> {
    match state {
        VehicleState::Unknown => Some("vehicle not in stock list"),
        VehicleState::Gone => Some("vehicle sold or withdrawn"),
        VehicleState::None | VehicleState::Known => None,
    }
}

/// Where the buyer was told something else than the listing says, the dealer's people should know.
fn differences(listing: &Vehicle, asked: &Vehicle) -> Vec<String> {
    let mut differences = Vec::new();
    let named =
        [&listing.make, &listing.model].map(|name| name.as_deref().and_then(aap::text::fold));
    let asked_for =
        [&asked.make, &asked.model].map(|name| name.as_deref().and_then(aap::text::fold));
    let is_other = named
        .iter()
        .zip(&asked_for)
        .any(|pair| matches!(pair, (Some(named), Some(asked)) if named != asked));
    let other_year = matches!((listing.year, asked.year), (Some(own), Some(other)) if own != other);
    if let (true, Some(title)) = (is_other || other_year, asked.title()) {
        differences.push(format!("Named by the buyer: {}", words::line(&title)));
    }
    if let Some(price) = asked.price.filter(|price| listing.price != Some(*price)) {
        differences.push(format!("Price that the buyer was told: ${price}"));
    }
    differences
}

fn note(vehicle: &Vehicle) -> Option<String> {
    let note = words::some_line(vehicle.notes.as_ref())?;
    Some(format!("Buyer's note: {note}"))
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => words::line(text),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(scalar).collect();
            values.join(", ")
        }
        other => words::line(&other.to_string()),
    }
}

/// The protocol's mapping names automatic and manual transmissions only. A continuously variable or
/// dual-clutch one is neither to the people who read it.
fn letter(transmission: &str) -> Option<&'static str> {
    let folded = transmission.to_lowercase();
    let says = |word: &str| folded.contains(word);
    if says("cvt") || says("dct") || says("dual") || says("semi") || says("variable") {
        return None;
    }
    let words: Vec<&str> = folded.split(|it: char| !it.is_alphanumeric()).collect();
    let is = |word: &str| words.contains(&word);
    match (
        says("automatic") || is("auto") || is("a"),
        says("manual") || is("m"),
    ) {
        (true, false) => Some("A"),
        (false, true) => Some("M"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn only_plain_transmissions_have_a_letter() {
        for automatic in [
            "Automatic",
            "8-Speed Automatic",
            "Auto",
            "A",
            "10-speed auto",
        ] {
            assert_eq!(letter(automatic), Some("A"), "{automatic}");
        }
        assert_eq!(letter("6-Speed Manual"), Some("M"));
        for neither in [
            "CVT",
            "7-speed DCT",
            "semi-automatic",
            "Automated Manual Automatic",
            "x",
        ] {
            assert_eq!(letter(neither), None, "{neither}");
        }
    }
}
