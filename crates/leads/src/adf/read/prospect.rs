//! A lead out of its element.

use aap::{
    dealer::Address,
    formats::is_e164,
    lead::{Customer, PreferredContact},
    vehicle::{Vehicle, is_vin},
};

use super::{ReadId, ReadProspect, tree::gather, vehicle};
use crate::adf::{loose::Loose, node::Node, words};

pub(super) fn of(node: &Node, doubts: &mut Vec<String>) -> ReadProspect {
    let customer = node.child("customer").unwrap_or(node);
    let mut notes = notes(node, customer);
    let mut wanted = Vec::new();
    let mut trade_in = None;
    let mut wants_test_drive = false;
    let mut elements = Vec::new();
    gather(node, "vehicle", &mut elements);
    for element in elements {
        let interest = element.attribute("interest").unwrap_or_default();
        let interest = interest.to_ascii_lowercase().replace(['_', ' '], "-");
        let vehicle = vehicle::of(element, doubts);
        match interest.as_str() {
            "trade-in" | "tradein" | "sell" if trade_in.is_none() => trade_in = Some(vehicle),
            "trade-in" | "tradein" | "sell" => notes.extend(named("Further trade-in", &vehicle)),
            _ => {
                wants_test_drive |= interest == "test-drive";
                wanted.push(vehicle);
            }
        }
    }
    let mut wanted = wanted.into_iter();
    let mut vehicle = wanted.next();
    notes.extend(wanted.filter_map(|further| named("Further vehicle", &further)));
    let message = some(notes.join("\n"));
    vin_in_words(&mut vehicle, message.as_deref(), doubts);
    let requestdate = said(node, "requestdate");
    request_date(requestdate.as_deref(), doubts);
    let vendor = node.child("vendor");
    let provider = node.child("provider");
    ReadProspect {
        is_resend: node
            .attribute("status")
            .is_some_and(|it| it.eq_ignore_ascii_case("resend")),
        ids: node.all("id").filter_map(id).collect(),
        requestdate,
        customer: self::customer(customer, doubts),
        vehicle: vehicle.filter(|vehicle| *vehicle != Vehicle::default()),
        trade_in: trade_in.filter(|vehicle| *vehicle != Vehicle::default()),
        wants_test_drive,
        message,
        vendor: vendor.and_then(|it| said(it, "vendorname")),
        provider: provider.and_then(|it| said(it, "name").or_else(|| said(it, "service"))),
        provider_url: provider.and_then(|it| said(it, "url")),
    }
}

/// The text of a child, on one line.
pub(super) fn said(node: &Node, name: &str) -> Option<String> {
    let text = node.child(name)?.whole_text();
    some(words::line(&text))
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

fn id(node: &Node) -> Option<ReadId> {
    Some(ReadId {
        source: node.attribute("source").map(words::line).and_then(some),
        value: some(words::line(&node.whole_text()))?,
    })
}

/// What people wrote, and what has no place of its own here.
fn notes(node: &Node, customer: &Node) -> Vec<String> {
    let mut notes = Vec::new();
    let mut comments: Vec<&Node> = customer.all("comments").collect();
    if !std::ptr::eq(node, customer) {
        comments.extend(node.all("comments"));
    }
    for comment in comments {
        notes.extend(some(words::lines(&comment.whole_text())));
    }
    let vendor = node.child("vendor");
    let provider = node.child("provider");
    for (label, text) in [
        ("Time frame", said(customer, "timeframe")),
        ("Lead type", said(node, "leadtype")),
        ("Lead type", provider.and_then(|it| said(it, "leadtype"))),
        ("Service", provider.and_then(|it| said(it, "service"))),
        ("Salesperson", vendor.and_then(|it| said(it, "salesperson"))),
    ] {
        notes.extend(text.map(|text| format!("{label}: {text}")));
    }
    notes
}

fn named(label: &str, vehicle: &Vehicle) -> Option<String> {
    let words = [vehicle.title(), vehicle.vin.clone(), vehicle.stock.clone()];
    let words: Vec<String> = words.into_iter().flatten().collect();
    (!words.is_empty()).then(|| format!("{label}: {}", words.join(", ")))
}

/// Some systems have the VIN in their comments alone.
fn vin_in_words(vehicle: &mut Option<Vehicle>, message: Option<&str>, doubts: &mut Vec<String>) {
    let known = vehicle.as_ref();
    if known.is_some_and(|it| it.vin.is_some()) {
        return;
    }
    let comments = known.and_then(|it| it.notes.as_deref());
    let Some(vin) = [comments, message].into_iter().flatten().find_map(vin_in) else {
        return;
    };
    doubts.push("the VIN was taken out of the comments".to_owned());
    vehicle.get_or_insert_default().vin = Some(vin);
}

fn vin_in(text: &str) -> Option<String> {
    let words = text.split(|it: char| !it.is_ascii_alphanumeric());
    let mut vins = words.map(str::to_ascii_uppercase).filter(|word| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        is_vin(word) && (3..17).contains(&digits)
    });
    let vin = vins.next()?;
    // Of several nobody can say which is meant.
    vins.all(|other| other == vin).then_some(vin)
}

fn request_date(text: Option<&str>, doubts: &mut Vec<String>) {
    doubts.extend(
        match text.map(Loose::parse) {
            None => Some("it has no requestdate"),
            Some(None) => Some("its requestdate cannot be read"),
            Some(Some(Loose { offset: None, .. })) => {
                Some("its requestdate has no offset; the rooftop's zone is meant")
            }
            Some(Some(_)) => None,
        }
        .map(str::to_owned),
    );
}

fn customer(node: &Node, doubts: &mut Vec<String>) -> Customer {
    let contact = node.child("contact").unwrap_or(node);
    let (first_name, last_name) = name(contact);
    if first_name.is_empty() && last_name.is_empty() {
        doubts.push("the customer has no name".to_owned());
    }
    let email = preferred(contact, &["email"]);
    let phone = preferred(contact, &["phone", "cellphone", "mobile", "telephone"]);
    if email.is_none() && phone.is_none() {
        doubts.push("the customer has neither e-mail nor telephone".to_owned());
    }
    let preferred_contact = match (&email, &phone) {
        (_, Some((_, true))) => Some(PreferredContact::Phone),
        (Some((_, true)), _) => Some(PreferredContact::Email),
        _ => None,
    };
    Customer {
        first_name,
        last_name,
        email: email.map(|(email, _)| email),
        phone: phone.map(|(phone, _)| e164(&phone, doubts)),
        preferred_contact,
        address: contact.child("address").and_then(address),
    }
}

/// First and last name. A full one is split before its last word, or at the comma of `Fixture, Ada`.
fn name(contact: &Node) -> (String, String) {
    let part = |wanted: &[&str]| {
        let found = contact.all("name").filter(|name| {
            let part = name.attribute("part").unwrap_or("full");
            wanted.iter().any(|it| part.eq_ignore_ascii_case(it))
        });
        let found: Vec<String> = found.map(|name| words::line(&name.whole_text())).collect();
        words::line(&found.join(" "))
    };
    let (first, last) = (
        part(&["first", "middle"]),
        part(&["last", "surname", "suffix"]),
    );
    if !first.is_empty() || !last.is_empty() {
        return (first, last);
    }
    let full = contact
        .all("name")
        .map(|name| words::line(&name.whole_text()));
    let full = full
        .into_iter()
        .find(|it| !it.is_empty())
        .unwrap_or_default();
    let (first, last) = match full.split_once(", ") {
        Some((last, first)) if !last.contains(' ') => (first, last),
        _ => full.rsplit_once(' ').unwrap_or((full.as_str(), "")),
    };
    (first.to_owned(), last.to_owned())
}

/// The one that is preferred, else the first; and whether it is preferred.
fn preferred(contact: &Node, names: &[&str]) -> Option<(String, bool)> {
    let ways = contact.children.iter();
    let ways = ways.filter(|way| names.contains(&way.name.as_str()));
    let ways: Vec<(String, bool)> = ways
        .map(|way| {
            let is_preferred = way.attribute("preferredcontact") == Some("1");
            (words::line(&way.whole_text()), is_preferred)
        })
        .filter(|(text, _)| !text.is_empty())
        .collect();
    let first = ways.first().cloned();
    ways.into_iter()
        .find(|(_, is_preferred)| *is_preferred)
        .or(first)
}

/// An American number in any form becomes `+1…`; another without a plus sign stays as it is.
fn e164(number: &str, doubts: &mut Vec<String>) -> String {
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let candidate = match (number.trim_start().starts_with('+'), digits.len()) {
        (true, _) => format!("+{digits}"),
        (false, 10) => format!("+1{digits}"),
        (false, 11) if digits.starts_with('1') => format!("+{digits}"),
        _ => String::new(),
    };
    let has_words = number.chars().any(char::is_alphabetic);
    if is_e164(&candidate) && !has_words {
        return candidate;
    }
    doubts.push("the telephone number has no known form; it is kept as it stands".to_owned());
    number.to_owned()
}

fn address(node: &Node) -> Option<Address> {
    let mut streets: Vec<(u8, String)> = node
        .all("street")
        .map(|street| {
            let line = street.attribute("line").and_then(|it| it.parse().ok());
            (line.unwrap_or(u8::MAX), words::line(&street.whole_text()))
        })
        .filter(|(_, street)| !street.is_empty())
        .collect();
    streets.sort_by_key(|(line, _)| *line);
    let mut streets = streets.into_iter().map(|(_, street)| street);
    let first = streets.next();
    let further: Vec<String> = streets.chain(said(node, "apartment")).collect();
    let address = Address {
        country: said(node, "country"),
        state: said(node, "regioncode"),
        city: said(node, "city"),
        address_line_1: first,
        address_line_2: some(further.join(", ")),
        zip: said(node, "postalcode"),
    };
    (address != Address::default()).then_some(address)
}
