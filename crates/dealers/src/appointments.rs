//! When a rooftop takes appointments.

use std::collections::BTreeMap;

use aap::lead::AppointmentType;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::Period;

/// When a rooftop takes appointments, and who says yes to them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AppointmentSettings {
    /// Whether a free time is confirmed at once; otherwise a person does.
    pub confirm: bool,
    /// From one possible beginning to the next, and how long an appointment takes that names no
    /// length.
    pub slot: Period,
    /// How many appointments of a kind may go on at the same time.
    pub capacity: u32,
    /// Least time from the request to the appointment.
    pub notice: Period,
    /// How far ahead appointments are taken.
    pub horizon: Period,
    /// Days on which nothing is taken, in the rooftop's zone.
    pub holidays: Vec<Date>,
    /// What happens when the wished time is not free.
    pub when_full: WhenFull,
    /// The schedule of opening hours that counts for a kind, by its name; the one called like the
    /// kind, then `sales` (for `service`: `service` alone), then the first, when absent.
    pub schedules: BTreeMap<AppointmentType, String>,
}

/// What happens when the wished time is not free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhenFull {
    /// The lead is taken, and the nearest free times are proposed.
    Propose,
    /// The lead is refused with `APPOINTMENT_TIME_UNAVAILABLE`, and nothing is stored.
    Refuse,
}

impl Default for AppointmentSettings {
    fn default() -> Self {
        Self {
            confirm: false,
            slot: Period::minutes(30),
            capacity: 1,
            notice: Period::minutes(120),
            horizon: Period::days(30),
            holidays: Vec::new(),
            when_full: WhenFull::Propose,
            schedules: BTreeMap::new(),
        }
    }
}
