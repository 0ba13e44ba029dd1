//! What the document says, before it has the form that a CRM reads.

use aap::{
    formats::instant,
    lead::{AppointmentType, Channel, Customer, SourceAgent},
};
use dealers::{Dealer, Rooftop};
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};

use super::{
    contact::Vendor,
    notes,
    times::{DealerTime, sent_offset},
    vehicle::Car,
};
use crate::{Inquiry, Lead, LeadId, Personal};

/// Why a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Occasion {
    /// The lead came.
    New,
    /// The lead came, and is equivalent to an earlier one.
    Repeat,
    /// A person wants it sent once more.
    Resend,
    /// The lead is made up and tries the way.
    Test,
    /// The person took consent back.
    Revocation,
}

/// Everything that the document says of a lead. The settings of the destination decide its form,
/// not its content.
///
/// Where there is a person, `{:?}` prints nothing of it.
#[derive(Debug, Clone)]
pub struct Prospect {
    pub(super) occasion: Occasion,
    pub(super) lead_id: LeadId,
    pub(super) requested_at: String,
    pub(super) wants_test_drive: bool,
    pub(super) car: Personal<Car>,
    pub(super) trade_in: Personal<Option<Car>>,
    pub(super) customer: Customer,
    /// Whether the person allows text messages.
    pub(super) may_text: bool,
    /// What people should know, one thought on a line.
    pub(super) notes: Personal<Vec<String>>,
    pub(super) vendor: Vendor,
    pub(super) agent: SourceAgent,
}

impl Prospect {
    /// What is to be said of a lead; `None` once its person is erased.
    #[must_use]
    pub fn of(lead: &Lead, dealer: &Dealer, occasion: Occasion) -> Option<Self> {
        let inquiry = lead.request.0.as_ref()?;
        let name = lead.summary.rooftop.as_deref();
        let name = name.or_else(|| dealer.default_rooftop());
        let rooftop = name.and_then(|name| dealer.rooftops.get(name));
        let time = DealerTime::of(dealer, rooftop);
        Some(Self {
            occasion,
            lead_id: lead.summary.lead_id.clone(),
            requested_at: requested_at(lead, inquiry, &time),
            wants_test_drive: wants_test_drive(inquiry),
            car: Personal(Car::wanted(lead, inquiry)),
            trade_in: Personal(inquiry.trade_in.as_ref().map(Car::trade_in)),
            customer: inquiry.customer.clone(),
            may_text: notes::allowed(lead, inquiry).contains(&Channel::Sms),
            notes: Personal(notes::notes(lead, inquiry, &time, occasion)),
            vendor: vendor(dealer, name, rooftop),
            agent: inquiry.source_agent.clone(),
        })
    }
}

fn wants_test_drive(inquiry: &Inquiry) -> bool {
    let appointment = inquiry.appointment.as_ref();
    appointment.is_some_and(|wish| wish.appointment_type == AppointmentType::TestDrive)
}

/// When the agent finished the lead, else when it came. An agent whose clock is ahead does not put a
/// lead into the future.
fn requested_at(lead: &Lead, inquiry: &Inquiry, time: &DealerTime) -> String {
    let received = lead.summary.received_at;
    let sent = inquiry.submitted_at.as_deref();
    let sent = sent.and_then(|text| Some((instant(text)?, sent_offset(text)?)));
    match sent {
        Some((at, offset)) if at <= received => time.stamp(at, offset),
        _ => time.stamp(received, Offset::UTC),
    }
}

fn vendor(dealer: &Dealer, name: Option<&str>, rooftop: Option<&Rooftop>) -> Vendor {
    Vendor::of(dealer, name.unwrap_or(&dealer.name), rooftop)
}
