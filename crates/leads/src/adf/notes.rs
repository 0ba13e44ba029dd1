//! What the people at the dealership should know of a lead, one thought on a line.
//!
//! What a person or an agent wrote cannot pass for a line of ours: its further lines begin with `> `.

use aap::lead::{Channel, PreferredContact};

use super::{Occasion, times::DealerTime, words};
use crate::{
    AppointmentStatus, AppointmentSummary, Inquiry, Lead, Origin,
    appointment::kind_name,
    revoke::{CHANNELS, remaining},
};

pub(super) fn notes(
    lead: &Lead,
    inquiry: &Inquiry,
    time: &DealerTime,
    occasion: Occasion,
) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(why(occasion).map(str::to_owned));
    notes.extend(revoked(lead, time));
    notes.extend(repeat(lead, time));
    notes.extend(
        inquiry
            .message
            .as_deref()
            .and_then(|text| quoted("Message", text)),
    );
    notes.extend(appointment(lead, inquiry, time));
    notes.extend(inquiry.customer.preferred_contact.map(preferred));
    notes.extend(consent(lead, inquiry, time));
    notes.extend(sender(lead, inquiry, time));
    notes
}

/// The channels that the person allows and has not taken back.
pub(super) fn allowed(lead: &Lead, inquiry: &Inquiry) -> Vec<Channel> {
    let consent = inquiry.consent.as_ref();
    let granted = consent.map_or(&[][..], |it| &it.allowed_channels);
    remaining(granted, &lead.revocations)
}

fn why(occasion: Occasion) -> Option<&'static str> {
    match occasion {
        Occasion::New | Occasion::Repeat => None,
        Occasion::Resend => Some("Sent again on request: this lead was sent before."),
        Occasion::Test => {
            Some("TEST LEAD: made up to try the way to this system. Nobody waits for an answer.")
        }
        Occasion::Revocation => {
            Some("CONSENT TAKEN BACK: this lead was sent before; mind what may no longer be done.")
        }
    }
}

fn revoked(lead: &Lead, time: &DealerTime) -> Vec<String> {
    let told = lead.revocations.iter().map(|revocation| {
        let channels = if revocation.channels.is_empty() {
            "in any way".to_owned()
        } else {
            format!("by {}", listed(&revocation.channels))
        };
        format!(
            "Consent taken back: do not contact {channels}, since {}.",
            time.moment(revocation.revoked_at)
        )
    });
    told.collect()
}

fn repeat(lead: &Lead, time: &DealerTime) -> Option<String> {
    let first = lead.summary.repeat_of.as_ref()?;
    let came = match lead.first_received_at {
        Some(at) => format!(", which came {}", time.moment(at)),
        None => String::new(),
    };
    Some(format!(
        "REPEAT of lead {first}{came}: same person, same vehicle, same wished time."
    ))
}

fn appointment(lead: &Lead, inquiry: &Inquiry, time: &DealerTime) -> Vec<String> {
    let (Some(wish), Some(answer)) = (&inquiry.appointment, &lead.summary.appointment) else {
        return Vec::new();
    };
    let kind = kind_name(answer.kind);
    let mut lines = vec![match wish.appointment_at.as_deref() {
        None => format!("Requested {kind}: no time named."),
        Some(text) => {
            let sent = words::line(text);
            match time.text(text) {
                Some(told) => format!("Requested {kind}: {told}; sent as {sent}."),
                None => format!("Requested {kind}: {sent}."),
            }
        }
    }];
    lines.push(status(answer, time));
    if let Some(minutes) = wish.duration_minutes {
        lines.push(format!("Wished length: {minutes} minutes."));
    }
    let note = wish.notes.as_deref();
    lines.extend(note.and_then(|note| quoted("Note on the appointment", note)));
    lines
}

fn status(answer: &AppointmentSummary, time: &DealerTime) -> String {
    let told = |times: &[String]| {
        let times: Vec<String> = times
            .iter()
            .map(|text| time.text(text).unwrap_or_else(|| words::line(text)))
            .collect();
        times.join("; ")
    };
    match answer.status {
        AppointmentStatus::Requested => {
            let held = match answer.starts_at {
                Some(at) => format!("; {} is held", time.moment(at)),
                None => String::new(),
            };
            format!(
                "Appointment status: requested, not confirmed{held}; please answer the customer."
            )
        }
        AppointmentStatus::Confirmed => match answer.starts_at {
            Some(at) => format!("Appointment status: CONFIRMED for {}.", time.moment(at)),
            None => "Appointment status: CONFIRMED.".to_owned(),
        },
        AppointmentStatus::Proposed => format!(
            "Appointment status: the wished time is not free; offered: {}.",
            told(&answer.proposed)
        ),
        AppointmentStatus::Canceled => "Appointment status: CANCELED.".to_owned(),
    }
}

fn preferred(way: PreferredContact) -> String {
    let way = match way.channel() {
        Some(channel) => channel_name(channel),
        None => "any allowed way",
    };
    format!("Preferred contact: {way}.")
}

fn consent(lead: &Lead, inquiry: &Inquiry, time: &DealerTime) -> Vec<String> {
    let Some(consent) = &inquiry.consent else {
        return vec!["Consent: none on record. Check before you contact this person.".to_owned()];
    };
    let told = |text: &str| time.text(text).unwrap_or_else(|| words::line(text));
    let allowed = allowed(lead, inquiry);
    let refused: Vec<Channel> = CHANNELS
        .into_iter()
        .filter(|channel| !allowed.contains(channel))
        .collect();
    let mut lines = Vec::new();
    lines.push(match (allowed.is_empty(), refused.is_empty()) {
        (true, _) => "May not be contacted.".to_owned(),
        (false, true) => format!("May be contacted by {}.", listed(&allowed)),
        (false, false) => format!(
            "May be contacted by {}; not by {}.",
            listed(&allowed),
            listed(&refused)
        ),
    });
    lines.push(format!(
        "Consent given: {}; received {}.",
        told(&consent.granted_at),
        time.moment(lead.summary.received_at)
    ));
    if let Some(end) = consent.expires_at.as_deref() {
        lines.push(format!("Consent ends: {}.", told(end)));
    }
    lines.extend(quoted("Consent text", &consent.consent_text));
    lines
}

fn sender(lead: &Lead, inquiry: &Inquiry, time: &DealerTime) -> Vec<String> {
    let name = words::line_or(&inquiry.source_agent.name, "without a name");
    let mut lines = vec![match (lead.origin, lead.verified) {
        (Origin::Import, _) => format!(
            "Taken over from {name}, where it came {}.",
            time.moment(lead.summary.received_at)
        ),
        (Origin::Test, _) => format!("Made by {name}."),
        (Origin::Agent, true) => format!("Sent by AI agent {name} (proved its name)."),
        (Origin::Agent, false) => {
            format!("Sent by AI agent {name} (NOT VERIFIED: it did not prove its name).")
        }
    }];
    if lead.masked {
        lines.push(
            "Something that looked like a card or social security number was removed from the text."
                .to_owned(),
        );
    }
    let protocol = match lead.origin {
        Origin::Agent | Origin::Test => "AAP lead id",
        Origin::Import => "Lead id",
    };
    lines.push(format!("{protocol}: {}", lead.summary.lead_id));
    lines
}

/// A foreign text under its label. Only its first line stands on a line of ours.
fn quoted(label: &str, text: &str) -> Option<String> {
    let text = words::lines(text);
    (!text.is_empty()).then(|| format!("{label}: {}", text.replace('\n', "\n> ")))
}

fn listed(channels: &[Channel]) -> String {
    let names: Vec<&str> = channels.iter().copied().map(channel_name).collect();
    names.join(", ")
}

const fn channel_name(channel: Channel) -> &'static str {
    match channel {
        Channel::Email => "email",
        Channel::Phone => "phone call",
        Channel::Sms => "text message",
    }
}
