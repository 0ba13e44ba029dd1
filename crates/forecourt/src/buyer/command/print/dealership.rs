//! The dealership's profile.

use std::fmt::Write as _;

use aap::dealer::{Address, DealerInformation, Rooftop, Week};
use comfy_table::Table;

use super::{clean, fees, push_line, wrapped_table};
use crate::buyer::Answer;

/// The dealership's public profile.
pub(crate) fn information(answer: &Answer<DealerInformation>) -> String {
    let dealer = &answer.data;
    let mut text = clean(&dealer.name);
    push_line(&mut text, dealer.welcome_message.as_deref());
    push_line(&mut text, answer.message.as_deref());
    for rooftop in &dealer.rooftops {
        let _ = write!(text, "\n\n{}", rooftop_table(rooftop));
    }
    text
}

fn rooftop_table(rooftop: &Rooftop) -> Table {
    let mut table = wrapped_table();
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            table.add_row([name, value.as_str()]);
        }
    };
    let text_of = |value: &Option<String>| value.as_deref().map(clean);
    row("rooftop", Some(clean(&rooftop.name)));
    row("legal name", text_of(&rooftop.legal_name));
    row("address", rooftop.address.as_ref().map(address));
    row("website", text_of(&rooftop.website));
    for contact in rooftop.phones.iter().chain(&rooftop.emails) {
        let name = contact.name.as_deref().unwrap_or("contact");
        row(&clean(name), Some(clean(&contact.value)));
    }
    for schedule in &rooftop.schedules {
        let name = schedule.name.as_deref().unwrap_or("hours");
        row(
            &format!("{} hours", clean(name)),
            Some(hours(&schedule.value)),
        );
    }
    row("time zone", text_of(&rooftop.timezone));
    row("usual fees", rooftop.fees.as_deref().map(fees));
    row("does", Some(clean(&rooftop.capabilities.join(", "))));
    row("notes", text_of(&rooftop.notes));
    table
}

fn address(address: &Address) -> String {
    let stated: Vec<String> = address.parts().map(|part| clean(part)).collect();
    stated.join(", ")
}

/// The days with hours. A day that the dealer left out is not the same as a closed one, so that
/// neither is named.
fn hours(week: &Week) -> String {
    const NAMES: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let open: Vec<String> = NAMES
        .into_iter()
        .zip(week.days())
        .filter_map(|(day, hours)| {
            let hours = hours?;
            Some(format!(
                "{day} {}-{}",
                clean(&hours.open),
                clean(&hours.close)
            ))
        })
        .collect();
    open.join(", ")
}
