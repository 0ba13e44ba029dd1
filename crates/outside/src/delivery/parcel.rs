//! A lead made ready to send, in every form that a destination may ask for.

use dealers::{AdfSettings, Dealer};
use jiff::Timestamp;
use leads::{
    Lead, Purpose,
    adf::{self, Occasion, Prospect},
    outbox::{Leased, Route},
};
use serde_json::{Value, json};

use super::courier::Parcel;

/// The parcel of a delivery; `None` once the person of the lead is erased.
pub(super) fn pack(
    lead: &Lead,
    dealer: &Dealer,
    leased: &Leased,
    sent_at: Timestamp,
) -> Option<Parcel> {
    let occasion = occasion(leased);
    let prospect = Prospect::of(lead, dealer, occasion)?;
    Some(Parcel {
        dealer: leased.dealer().clone(),
        lead_id: leased.lead_id.clone(),
        delivery_id: leased.delivery_id.clone(),
        rooftop: leased.route.rooftop.clone(),
        destination: leased.route.destination.clone(),
        purpose: leased.purpose,
        attempt: u64::try_from(leased.attempt).unwrap_or_default(),
        subject: adf::subject(&prospect),
        adf: adf::write(&prospect, settings(dealer, &leased.route)),
        text: adf::text(&prospect),
        document: document(lead, occasion),
        sent_at,
    })
}

/// The lead for programs, without what only this server needs.
fn document(lead: &Lead, occasion: Occasion) -> Value {
    let mut lead = json!(lead);
    if let Some(members) = lead.as_object_mut() {
        for internal in ["arrival", "deliveries", "deliveries_due"] {
            members.remove(internal);
        }
    }
    json!({ "type": "forecourt.lead", "occasion": occasion, "lead": lead })
}

/// What the document says it is written for.
fn occasion(leased: &Leased) -> Occasion {
    match leased.occasion {
        Purpose::Resend => Occasion::Resend,
        Purpose::Revocation => Occasion::Revocation,
        Purpose::Test => Occasion::Test,
        _ if leased.is_repeat => Occasion::Repeat,
        _ => Occasion::New,
    }
}

/// The form in which a destination reads ADF: its own, else the dealer's.
fn settings<'a>(dealer: &'a Dealer, route: &Route) -> &'a AdfSettings {
    let rooftop = dealer.rooftops.get(&route.rooftop);
    let destination = rooftop.and_then(|it| it.destinations.get(&route.destination));
    let own = destination.and_then(|it| it.adf.as_ref());
    own.unwrap_or(&dealer.adf)
}
