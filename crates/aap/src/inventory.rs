//! Payloads of `inventory.search`, `inventory.facets` and `inventory.vehicle`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::vehicle::{Condition, VehicleType};

/// The flat filter block of a search and of facets. Values inside one filter are alternatives,
/// several filters must all match. Absent and empty are no constraint.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filters {
    /// Makes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub make: Vec<String>,
    /// Models.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub model: Vec<String>,
    /// Trims.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trim: Vec<String>,
    /// Sale conditions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub condition: Vec<Condition>,
    /// Kinds of unit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vehicle_type: Vec<VehicleType>,
    /// Transmissions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transmission: Vec<String>,
    /// Fuels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fuel: Vec<String>,
    /// Least electric range in miles.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub electric_range_mi_min: Option<u64>,
    /// Greatest electric range in miles.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub electric_range_mi_max: Option<u64>,
    /// `true`: only units with fast charging; `false`: no constraint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dc_fast_charge: Option<bool>,
    /// Charging connectors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub charge_port: Vec<String>,
    /// Drivetrain layouts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub driveline: Vec<String>,
    /// Body styles and segments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<String>,
    /// Least displacement in cubic centimetres.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub displacement_cc_min: Option<u64>,
    /// Greatest displacement in cubic centimetres.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub displacement_cc_max: Option<u64>,
    /// Exterior colours; a colour matches as whole words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exterior_color: Vec<String>,
    /// Interior colours; a colour matches as whole words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interior_color: Vec<String>,
    /// Rooftop names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rooftops: Vec<String>,
    /// First model year.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub year_min: Option<u16>,
    /// Last model year.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub year_max: Option<u16>,
    /// Least advertised price in whole US dollars.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub price_min: Option<u64>,
    /// Greatest advertised price in whole US dollars.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub price_max: Option<u64>,
    /// Greatest odometer reading in miles.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub mileage_max: Option<u64>,
    /// VIN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vin: Option<String>,
    /// Stock number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stock: Option<String>,
    /// Free text, at most 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

/// What a result is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SortField {
    /// Advertised price.
    Price,
    /// List price.
    ListPrice,
    /// Manufacturer's sticker.
    Msrp,
    /// Odometer.
    Mileage,
    /// Model year.
    Year,
    /// Make.
    Make,
    /// Model.
    Model,
    /// Stock number.
    Stock,
    /// Freshness.
    UpdatedAt,
}

/// Direction of a sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SortOrder {
    /// Ascending.
    Asc,
    /// Descending.
    Desc,
}

/// Result ordering; both members are required when a sort is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sort {
    /// Field.
    pub field: SortField,
    /// Direction.
    pub order: SortOrder,
}

/// Paging by skip and limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Pagination {
    /// How many matches to leave out from the start.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub skip: Option<u64>,
    /// How many to return, 1 to 1000; the dealer may return fewer.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub limit: Option<u64>,
}

/// Privacy hints of the buyer's agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Privacy {
    /// True when the request tells nothing about a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anonymous: Option<bool>,
}

/// Payload of an `inventory.search.request`, without its `type`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchRequest {
    /// What to search for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<Filters>,
    /// Which page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pagination: Option<Pagination>,
    /// In which order; the dealer's own when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<Sort>,
    /// Privacy hints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub privacy: Option<Privacy>,
}

/// Payload of an `inventory.facets.request`, without its `type`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FacetsRequest {
    /// Which part of the stock to count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filters: Option<Filters>,
}

/// Payload of an `inventory.vehicle.request`, without its `type`. At least one member is set;
/// the first in this order that names a vehicle wins.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VehicleRequest {
    /// VIN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vin: Option<String>,
    /// Stock number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stock: Option<String>,
    /// Dealer's own identifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vehicle_id: Option<String>,
}

/// Payload `data` of an `inventory.search.response`. Vehicles are JSON rendered beforehand.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SearchResult<V = Box<RawValue>> {
    /// Matches over all pages.
    #[serde(deserialize_with = "crate::number::integer")]
    pub total: u64,
    /// How many were left out from the start, as asked.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub skip: Option<u64>,
    /// The limit that was applied.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::number::optional_integer"
    )]
    pub limit: Option<u64>,
    /// This page.
    pub vehicles: Vec<V>,
    /// Facets over the whole matching set, when the dealer adds them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facets: Option<Facets>,
}

/// A value that a term facet counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TermValue {
    /// A year.
    Integer(#[serde(deserialize_with = "crate::number::signed_integer")] i64),
    /// A word, as most used on the lot.
    Text(String),
}

/// One line of a term facet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermCount {
    /// Value.
    pub value: TermValue,
    /// Vehicles with it.
    #[serde(deserialize_with = "crate::number::integer")]
    pub count: u64,
}

/// Ends of a range facet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// Lowest value among the matches.
    pub min: serde_json::Number,
    /// Highest value among the matches.
    pub max: serde_json::Number,
}

/// Payload `data` of an `inventory.facets.response`. A facet without a value is absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Facets {
    /// Makes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub makes: Vec<TermCount>,
    /// Models.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<TermCount>,
    /// Trims.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trims: Vec<TermCount>,
    /// Model years, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub years: Vec<TermCount>,
    /// Conditions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<TermCount>,
    /// Transmissions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transmissions: Vec<TermCount>,
    /// Fuels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fuels: Vec<TermCount>,
    /// Fast charging, as the strings `true` and `false`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dc_fast_charge: Vec<TermCount>,
    /// Charging connectors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub charge_ports: Vec<TermCount>,
    /// Drivetrain layouts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drivelines: Vec<TermCount>,
    /// Body styles and segments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<TermCount>,
    /// Kinds of unit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vehicle_types: Vec<TermCount>,
    /// Exterior colours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exterior_colors: Vec<TermCount>,
    /// Interior colours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interior_colors: Vec<TermCount>,
    /// Rooftops; a vehicle at several counts once at each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rooftops: Vec<TermCount>,
    /// Availability.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<TermCount>,
    /// Advertised prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_range: Option<Range>,
    /// Odometers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mileage_range: Option<Range>,
    /// Model years.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year_range: Option<Range>,
    /// Displacements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub displacement_cc_range: Option<Range>,
    /// Electric ranges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub electric_range_mi_range: Option<Range>,
}
