//! The lead for people: the mail that can be read, and its subject.

use aap::{lead::Customer, vehicle::Vehicle};

use super::{Occasion, Prospect, vehicle::Car, words};

/// The lead as plain text, for the people who answer it. It says what the ADF document says.
#[must_use]
pub fn text(prospect: &Prospect) -> String {
    let customer = &prospect.customer;
    let mut lines = vec![
        format!(
            "{} for {}",
            heading(prospect),
            words::line(&prospect.vendor.name)
        ),
        String::new(),
        format!("Customer: {}", full_name(customer)),
    ];
    lines.extend(labelled("Email", customer.email.as_ref()));
    lines.extend(labelled("Phone", customer.phone.as_ref()));
    lines.extend(address(customer));
    lines.extend(car("Vehicle", &prospect.car.0));
    lines.extend(prospect.trade_in.0.iter().flat_map(trade_in));
    lines.push(format!("Requested: {}", prospect.requested_at));
    lines.push(String::new());
    lines.extend(prospect.notes.0.iter().cloned());
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// What stands in the mail's subject: one line, and nothing of the person, as subjects end up in
/// logs.
#[must_use]
pub fn subject(prospect: &Prospect) -> String {
    let about = match title(&prospect.car.0.vehicle) {
        Some(title) => format!(": {title}"),
        None => String::new(),
    };
    let subject = format!(
        "{}{about} ({})",
        heading(prospect),
        words::line(&prospect.vendor.name)
    );
    words::line(&subject)
}

/// First and last name with one blank between them, as the protocol's ADF mapping has it.
pub(super) fn full_name(customer: &Customer) -> String {
    let name = format!("{} {}", customer.first_name, customer.last_name);
    words::line_or(&name, "Unknown")
}

const fn heading(prospect: &Prospect) -> &'static str {
    match prospect.occasion {
        Occasion::New => "Lead",
        Occasion::Repeat => "Repeated lead",
        Occasion::Resend => "Lead sent again",
        Occasion::Test => "TEST lead",
        Occasion::Revocation => "Consent taken back",
    }
}

fn labelled(label: &str, text: Option<&String>) -> Option<String> {
    words::some_line(text).map(|text| format!("{label}: {text}"))
}

fn address(customer: &Customer) -> Option<String> {
    let address = customer.address.as_ref()?;
    let parts: Vec<String> = address
        .parts()
        .filter_map(|part| words::some_line(Some(part)))
        .collect();
    (!parts.is_empty()).then(|| format!("Address: {}", parts.join(", ")))
}

fn title(vehicle: &Vehicle) -> Option<String> {
    words::some_line(vehicle.title().as_ref())
}

fn car(label: &str, car: &Car) -> Vec<String> {
    let vehicle = &car.vehicle;
    let title = title(vehicle).unwrap_or_else(|| "not named".to_owned());
    let mut lines = vec![match vehicle.condition {
        Some(condition) => format!("{label}: {title} ({})", condition.as_str()),
        None => format!("{label}: {title}"),
    }];
    lines.extend(labelled("  VIN", vehicle.vin.as_ref()));
    lines.extend(labelled("  Stock number", vehicle.stock.as_ref()));
    lines.extend(
        vehicle
            .mileage
            .map(|miles| format!("  Odometer: {miles} mi")),
    );
    lines.extend(vehicle.price.map(|price| format!("  Price: ${price}")));
    lines.extend(labelled("  Exterior", vehicle.exterior_color.as_ref()));
    lines.extend(labelled("  Interior", vehicle.interior_color.as_ref()));
    if !car.remarks.is_empty() {
        lines.push(format!("  Remarks: {}", car.remarks.join("; ")));
    }
    lines
}

fn trade_in(trade_in: &Car) -> Vec<String> {
    car("Trade-in", trade_in)
}
