//! Payload of `dealer.information`: the dealership's public profile.

use serde::{Deserialize, Serialize};

use crate::vehicle::DealerFee;

/// Payload `data` of a `dealer.information.response`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DealerInformation {
    /// Name of the dealer or group.
    pub name: String,
    /// Greeting that a buyer's agent may show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub welcome_message: Option<String>,
    /// Locations, at least one.
    pub rooftops: Vec<Rooftop>,
}

/// One location. Only the name is required; vehicles refer to it by this name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Rooftop {
    /// Name that vehicles carry.
    pub name: String,
    /// Registered name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_name: Option<String>,
    /// Website.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub website: Option<String>,
    /// Position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub geo: Option<Geo>,
    /// Mail addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub emails: Vec<NamedValue>,
    /// Telephone numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phones: Vec<NamedValue>,
    /// Postal address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
    /// Opening hours, one list per department.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub schedules: Vec<Schedule>,
    /// IANA zone in which the hours are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Notes for buyers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Default charges. Absent: not disclosed; empty: there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fees: Option<Vec<DealerFee>>,
    /// What the rooftop does: sales, service, parts, financing, trade_in and other tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
}

/// Position in degrees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Geo {
    /// -90 to 90.
    pub latitude: f64,
    /// -180 to 180.
    pub longitude: f64,
}

/// A labelled mail address or telephone number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedValue {
    /// Label, for example `Sales`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The address or number.
    pub value: String,
}

/// Opening hours of one department.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Department.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Hours of the week.
    pub value: Week,
}

/// Hours of a week in the rooftop's local time. A day that is absent is written as closed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Week {
    /// Monday.
    pub monday: Option<Hours>,
    /// Tuesday.
    pub tuesday: Option<Hours>,
    /// Wednesday.
    pub wednesday: Option<Hours>,
    /// Thursday.
    pub thursday: Option<Hours>,
    /// Friday.
    pub friday: Option<Hours>,
    /// Saturday.
    pub saturday: Option<Hours>,
    /// Sunday.
    pub sunday: Option<Hours>,
}

impl Week {
    /// The days from Monday to Sunday.
    #[must_use]
    pub fn days(&self) -> [Option<&Hours>; 7] {
        [
            &self.monday,
            &self.tuesday,
            &self.wednesday,
            &self.thursday,
            &self.friday,
            &self.saturday,
            &self.sunday,
        ]
        .map(Option::as_ref)
    }
}

/// Hours of one day as `HH:MM`, 24 hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hours {
    /// Opening time.
    pub open: String,
    /// Closing time.
    pub close: String,
}

/// Postal address; every part is optional.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Address {
    /// Country code or name; US when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// State or region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// City.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// Street.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_line_1: Option<String>,
    /// Suite, apartment, building.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_line_2: Option<String>,
    /// Postal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zip: Option<String>,
}

impl Address {
    /// The parts that are stated, in the order in which they are written on a letter.
    pub fn parts(&self) -> impl Iterator<Item = &String> {
        [
            &self.address_line_1,
            &self.address_line_2,
            &self.city,
            &self.state,
            &self.zip,
            &self.country,
        ]
        .into_iter()
        .flatten()
    }
}
