//! Appointments: when one is possible, who has which time, and what people make of them.
//!
//! [`Calendar`] knows a rooftop's hours and no database. `slot` counts who takes which piece of
//! time, so that none is given away twice. `arrange` is what a lead's wish becomes while the lead
//! is accepted. Afterwards people [`confirm()`] or [`cancel()`] what they find by [`list()`], and
//! [`announce()`] tells the destinations that have the lead.

mod announce;
pub(crate) mod arrange;
mod calendar;
mod change;
mod ics;
mod query;
pub(crate) mod slot;

use aap::lead::AppointmentType;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::{
    announce::announce,
    calendar::Calendar,
    change::{ChangeError, Decided, Decision, cancel, confirm},
    ics::{CalendarForm, calendar},
    query::{Appointment, CancelReason, Filter, Wanted, free, list, show},
};
use crate::AppointmentId;

/// How far an appointment is. AAP has no word for one that was canceled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AppointmentStatus {
    /// A person has to answer. Its time is held where it has one.
    Requested,
    /// The wished time is not free, and other times were offered.
    Proposed,
    /// Agreed on.
    Confirmed,
    /// Called off; its time is free again.
    Canceled,
}

impl AppointmentStatus {
    /// The word of the column.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Proposed => "proposed",
            Self::Confirmed => "confirmed",
            Self::Canceled => "canceled",
        }
    }

    /// What a buyer's agent is told (AAP 1.3, lead-submit-response schema).
    pub(crate) const fn told(self) -> aap::lead::AppointmentStatus {
        use aap::lead::AppointmentStatus as Told;
        match self {
            Self::Requested => Told::Requested,
            Self::Proposed => Told::Proposed,
            Self::Confirmed => Told::Confirmed,
            Self::Canceled => Told::Rejected,
        }
    }
}

/// What people call a kind of appointment.
pub(crate) const fn kind_name(kind: AppointmentType) -> &'static str {
    match kind {
        AppointmentType::Sales => "sales appointment",
        AppointmentType::Service => "service appointment",
        AppointmentType::TestDrive => "test drive",
        AppointmentType::TradeIn => "trade-in appraisal",
    }
}

/// From when to when an appointment goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) starts_at: Timestamp,
    pub(crate) ends_at: Timestamp,
}

/// An appointment that stands: requested or confirmed, and no repeat of another.
#[derive(Debug, Clone)]
pub(crate) struct Existing {
    pub(crate) appointment_id: AppointmentId,
    pub(crate) status: AppointmentStatus,
    /// The time that it holds, if any.
    pub(crate) span: Option<Span>,
}
