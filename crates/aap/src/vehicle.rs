//! The one vehicle shape of the protocol, for listings, vehicles of interest and trade-ins alike.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What kind of unit a listing is. A listing that does not say is a car.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum VehicleType {
    /// Car, truck or SUV.
    #[default]
    Car,
    /// Two- or three-wheeled motorcycle, scooter or moped.
    Motorcycle,
    /// Towable trailer.
    Trailer,
    /// Recreational vehicle or motorhome.
    Rv,
    /// Anything else that a rooftop sells.
    Other,
}

impl VehicleType {
    /// Every type, as the schema lists them.
    pub const ALL: [Self; 5] = [
        Self::Car,
        Self::Motorcycle,
        Self::Trailer,
        Self::Rv,
        Self::Other,
    ];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Car => "car",
            Self::Motorcycle => "motorcycle",
            Self::Trailer => "trailer",
            Self::Rv => "rv",
            Self::Other => "other",
        }
    }
}

/// Sale condition (listings and vehicles of interest) and wear condition (trade-ins) in one list,
/// as the vehicle schema has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Condition {
    /// New (sale).
    New,
    /// Used (sale).
    Used,
    /// Certified pre-owned (sale).
    Cpo,
    /// Excellent (wear).
    Excellent,
    /// Good (wear).
    Good,
    /// Fair (wear).
    Fair,
    /// Poor (wear).
    Poor,
}

impl Condition {
    /// The vocabulary of listings and of a vehicle of interest.
    pub const SALE: [Self; 3] = [Self::New, Self::Used, Self::Cpo];

    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Used => "used",
            Self::Cpo => "cpo",
            Self::Excellent => "excellent",
            Self::Good => "good",
            Self::Fair => "fair",
            Self::Poor => "poor",
        }
    }

    /// True for `new`, `used` and `cpo`.
    #[must_use]
    pub const fn is_sale(self) -> bool {
        matches!(self, Self::New | Self::Used | Self::Cpo)
    }
}

/// Availability. A unit in any other state is out of stock and is not published.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// In stock.
    #[default]
    Available,
    /// On its way to the rooftop.
    Intransit,
    /// A deal is in progress.
    Pending,
}

impl Status {
    /// The name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Intransit => "intransit",
            Self::Pending => "pending",
        }
    }
}

/// One mandatory, non-government charge in whole US dollars.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DealerFee {
    /// Buyer-facing name, 1 to 120 characters, unique within one list.
    pub name: String,
    /// Whole US dollars. Already inside `price` when the vehicle has one.
    #[serde(deserialize_with = "crate::number::integer")]
    pub amount: u64,
}

/// A vehicle. No field is required and unknown members are kept in [`Vehicle::extra`], in every
/// context (AAP 1.3, vehicle schema). Fields are written in the order in which they stand here.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Vehicle {
    /// Kind of unit; absent means car.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vehicle_type: Option<VehicleType>,
    /// Stable identifier of the dealer that owns the listing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dealer_id: Option<String>,
    /// Dealer's own identifier, for units without a VIN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vehicle_id: Option<String>,
    /// 17 characters, upper case, without I, O and Q. The check digit is not part of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vin: Option<String>,
    /// Stock number, unique per rooftop only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stock: Option<String>,
    /// Name of the rooftop that holds the unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rooftop: Option<String>,
    /// Model year, 1900 to 2100.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub year: Option<u16>,
    /// Make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub make: Option<String>,
    /// Model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Trim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trim: Option<String>,
    /// Condition, from the vocabulary of its context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<Condition>,
    /// Availability; required in listings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Advertised price in whole US dollars: mandatory dealer charges included, government
    /// charges excluded (AAP 1.3; up to 1.2 it was the out-the-door price).
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub price: Option<u64>,
    /// Base price before charges and discounts, whole US dollars.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub list_price: Option<u64>,
    /// Manufacturer's sticker, whole US dollars.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub msrp: Option<u64>,
    /// Mandatory charges. Absent: not disclosed; empty: there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fees: Option<Vec<DealerFee>>,
    /// Odometer in miles.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub mileage: Option<u64>,
    /// Body style, or segment of a motorcycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Transmission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transmission: Option<String>,
    /// Drivetrain layout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driveline: Option<String>,
    /// Engine in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Engine displacement in cubic centimetres.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub displacement_cc: Option<u64>,
    /// Fuel: gas, diesel, hybrid, phev, bev or other words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fuel: Option<String>,
    /// City fuel economy, miles per gallon.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub city_mpg: Option<u64>,
    /// Highway fuel economy, miles per gallon.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub highway_mpg: Option<u64>,
    /// Electric range in miles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub electric_range_mi: Option<serde_json::Number>,
    /// Usable battery capacity in kilowatt-hours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub battery_kwh: Option<serde_json::Number>,
    /// Peak output of the electric motor in horsepower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motor_power_hp: Option<serde_json::Number>,
    /// Whether the unit takes direct-current fast charging.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dc_fast_charge: Option<bool>,
    /// Charging connector: nacs, ccs, j1772, chademo or other words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charge_port: Option<String>,
    /// Exterior colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exterior_color: Option<String>,
    /// Interior colour or upholstery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interior_color: Option<String>,
    /// Equipment, one phrase each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// Photo addresses, most telling first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub photos: Vec<String>,
    /// Address of the vehicle detail page (VDP).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vdp_url: Option<String>,
    /// Marketing text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Dealer's notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Niche attributes: scalars or arrays of one scalar type.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub other_attributes: Map<String, Value>,
    /// Day on which the unit came into stock (RFC 3339 full-date).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inventory_date: Option<String>,
    /// When availability, price, fees or status were last stated (RFC 3339 with offset).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// Members that the schema does not name; the vehicle schema is open.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Vehicle {
    /// The kind of unit, with the protocol's default applied.
    #[must_use]
    pub fn kind(&self) -> VehicleType {
        self.vehicle_type.unwrap_or_default()
    }

    /// Year, make, model and trim as far as they are known, in one line of at most 120 characters:
    /// feeds put whole advertisements into a trim. `None` when none of them is known.
    ///
    /// ```
    /// let vehicle = aap::vehicle::Vehicle {
    ///     year: Some(2024),
    ///     make: Some("Honda".to_owned()),
    ///     ..Default::default()
    /// };
    /// assert_eq!(vehicle.title().as_deref(), Some("2024 Honda"));
    /// ```
    #[must_use]
    pub fn title(&self) -> Option<String> {
        const LONGEST: usize = 120;
        let year = self.year.map(|year| year.to_string());
        let words: Vec<&str> = [&year, &self.make, &self.model, &self.trim]
            .into_iter()
            .flatten()
            .flat_map(|words| words.split_whitespace())
            .collect();
        let title: String = words.join(" ").chars().take(LONGEST).collect();
        let title = title.trim_end();
        (!title.is_empty()).then(|| title.to_owned())
    }
}

/// True for 17 characters out of `A-HJ-NPR-Z0-9`, the only rule that AAP has for a VIN.
#[must_use]
pub fn is_vin(text: &str) -> bool {
    text.len() == 17
        && text.bytes().all(|byte| {
            byte.is_ascii_digit()
                || (byte.is_ascii_uppercase() && !matches!(byte, b'I' | b'O' | b'Q'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        let mut vehicle = Vehicle {
            year: Some(2024),
            make: Some("Honda".to_owned()),
            model: Some("CR-V\n".to_owned()),
            trim: Some("EX-L ".repeat(100)),
            ..Vehicle::default()
        };
        let title = vehicle.title().unwrap();
        assert!(title.starts_with("2024 Honda CR-V EX-L EX-L"));
        assert!(title.chars().count() <= 120);
        vehicle.trim = None;
        assert_eq!(vehicle.title().as_deref(), Some("2024 Honda CR-V"));
        assert_eq!(Vehicle::default().title(), None);
    }
}
