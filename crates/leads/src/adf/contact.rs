//! Names, telephone numbers, mail addresses and postal addresses.

use aap::dealer::{Address, NamedValue};
use dealers::{AdfPhone, Dealer, Rooftop};

use super::{element::Element, words};

/// The rooftop that gets the lead.
#[derive(Debug, Clone)]
pub(super) struct Vendor {
    /// What the feeds call it.
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) url: Option<String>,
    pub(super) email: Option<String>,
    pub(super) phone: Option<String>,
    pub(super) address: Option<Address>,
}

impl Vendor {
    /// A contact needs a mail address or a telephone number: the rooftop's own, else the default
    /// rooftop's, else any of the dealer's, else the mailbox of the CRM itself.
    pub(super) fn of(dealer: &Dealer, name: &str, rooftop: Option<&Rooftop>) -> Self {
        let default = dealer.default_rooftop();
        let default = default.and_then(|name| dealer.rooftops.get(name));
        let places = rooftop
            .into_iter()
            .chain(default)
            .chain(dealer.rooftops.values());
        let reached = places
            .map(|place| (sales(&place.emails), sales(&place.phones)))
            .find(|(email, phone)| email.is_some() || phone.is_some());
        let (email, phone) = reached.unwrap_or_else(|| (rooftop.and_then(mailbox), None));
        Self {
            id: rooftop.and_then(|rooftop| rooftop.feed_id.clone()),
            name: name.to_owned(),
            url: rooftop.and_then(|rooftop| rooftop.website.clone()),
            email,
            phone,
            address: rooftop.and_then(|rooftop| rooftop.address.clone()),
        }
    }
}

/// The one that is called sales, else the first.
fn sales(ways: &[NamedValue]) -> Option<String> {
    let is_sales = |way: &&NamedValue| {
        let name = way.name.as_deref().unwrap_or_default();
        name.to_lowercase().contains("sales")
    };
    let found = ways.iter().find(is_sales).or_else(|| ways.first());
    found.map(|way| way.value.clone())
}

fn mailbox(rooftop: &Rooftop) -> Option<String> {
    let mut destinations = rooftop.destinations().into_values();
    destinations.find_map(|destination| destination.mail)
}

/// `+12125550100`, or `2125550100` where the CRM wants ten digits and the number has them. What is
/// not in E.164 form stays as it is.
pub(super) fn phone(number: &str, form: AdfPhone) -> String {
    let number = words::line(number);
    let national = number
        .strip_prefix("+1")
        .filter(|rest| rest.len() == 10 && rest.bytes().all(|byte| byte.is_ascii_digit()));
    match (form, national) {
        (AdfPhone::TenDigits, Some(ten)) => ten.to_owned(),
        _ => number,
    }
}

/// `None` when nothing of the address is known.
pub(super) fn address(address: &Address) -> Option<Element> {
    let part = |part: &Option<String>| words::some_line(part.as_ref());
    let lines: Vec<String> = [&address.address_line_1, &address.address_line_2]
        .into_iter()
        .filter_map(part)
        .collect();
    let (city, region) = (part(&address.city), part(&address.state));
    let (postal, country) = (part(&address.zip), part(&address.country));
    let known = [&city, &region, &postal, &country];
    if lines.is_empty() && known.iter().all(|part| part.is_none()) {
        return None;
    }
    // The document type asks for a street even where the person named none.
    let lines = if lines.is_empty() {
        vec![String::new()]
    } else {
        lines
    };
    let streets = lines.into_iter().zip(1..).map(|(line, number)| {
        let number: u32 = number;
        Element::leaf("street", line).with("line", number.to_string())
    });
    Some(
        Element::new("address")
            .holding(streets)
            .text("city", city)
            .text("regioncode", region)
            .text("postalcode", postal)
            .text("country", Some(country.unwrap_or_else(|| "US".to_owned()))),
    )
}
