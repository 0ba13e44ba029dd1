//! The document as a CRM reads it: ADF 1.0, elements in the order of its document type.

use aap::lead::{Channel, PreferredContact};
use dealers::{AdfCondition, AdfName, AdfPlaceholder, AdfProvider, AdfSettings};

use super::{
    Occasion, Prospect,
    contact::{self, Vendor},
    element::{Element, document},
    vehicle::Car,
    words,
};

/// Stands where a strict CRM refuses nothing.
const UNKNOWN: &str = "Unknown";

/// The ADF document of a lead: UTF-8 without byte order mark, `<?xml?>` first unless the settings
/// leave it out, then `<?adf version="1.0"?>`, and one prospect whose elements stand in the order of
/// the document type. Nothing that XML 1.0 forbids is in it, whatever the lead holds.
#[must_use]
pub fn write(prospect: &Prospect, settings: &AdfSettings) -> String {
    let root = Element::new("adf").holding([self::prospect(prospect, settings)]);
    document(&root, settings.declaration)
}

fn prospect(prospect: &Prospect, settings: &AdfSettings) -> Element {
    let status = match prospect.occasion {
        Occasion::New | Occasion::Repeat | Occasion::Test => "new",
        // The receiver has this lead already.
        Occasion::Resend | Occasion::Revocation => "resend",
    };
    let id = |sequence: &str, source: &str| {
        Element::leaf("id", prospect.lead_id.as_str())
            .with("sequence", sequence)
            .with("source", source)
    };
    let interest = if prospect.wants_test_drive {
        "test-drive"
    } else {
        "buy"
    };
    let trade_in = prospect.trade_in.0.as_ref();
    Element::new("prospect")
        .with("status", status)
        .holding([id("1", "AAP"), id("2", "Forecourt")])
        .holding([Element::leaf("requestdate", &prospect.requested_at)])
        .holding([wanted(&prospect.car.0, interest, &settings.placeholder)])
        .holding(trade_in.map(|car| self::trade_in(car, settings)))
        .holding([customer(prospect, settings)])
        .holding([vendor(&prospect.vendor, settings)])
        .holding([provider(prospect, settings)])
}

fn wanted(car: &Car, interest: &str, placeholder: &AdfPlaceholder) -> Element {
    let element = Element::new("vehicle").with("interest", interest);
    let element = match car.status() {
        Some(status) => element.with("status", status),
        None => element,
    };
    vehicle(element, car, placeholder, None, &car.remarks)
}

fn trade_in(car: &Car, settings: &AdfSettings) -> Element {
    let element = Element::new("vehicle")
        .with("interest", "trade-in")
        .with("status", "used");
    let mut remarks = car.remarks.clone();
    let mut condition = None;
    match settings.trade_in_condition {
        AdfCondition::Element => condition = car.wear(),
        AdfCondition::Comments => {
            let wear = car.wear().map(|wear| format!("Condition: {wear}"));
            remarks.splice(0..0, wear);
        }
    }
    vehicle(element, car, &settings.placeholder, condition, &remarks)
}

fn vehicle(
    element: Element,
    car: &Car,
    placeholder: &AdfPlaceholder,
    condition: Option<&str>,
    remarks: &[String],
) -> Element {
    let about = &car.vehicle;
    let or = |text: &Option<String>, otherwise: &str| {
        let known = words::some_line(text.as_ref());
        Some(known.unwrap_or_else(|| words::line_or(otherwise, UNKNOWN)))
    };
    let year = about.year.map(|year| year.to_string());
    let optional = |text: &Option<String>| words::some_line(text.as_ref());
    let remarks = (!remarks.is_empty()).then(|| remarks.join("; "));
    element
        .text("year", or(&year, &placeholder.year))
        .text("make", or(&about.make, &placeholder.make))
        .text("model", or(&about.model, &placeholder.model))
        .text("vin", optional(&about.vin))
        .text("stock", optional(&about.stock))
        .text("trim", optional(&about.trim))
        .text("bodystyle", optional(&about.body))
        .text("transmission", car.transmission().map(str::to_owned))
        .holding(
            about
                .mileage
                .map(|miles| Element::leaf("odometer", miles.to_string()).with("units", "mi")),
        )
        .text("condition", condition.map(str::to_owned))
        .holding(colors(car))
        .holding(about.price.map(|price| {
            Element::leaf("price", price.to_string())
                .with("type", "quote")
                .with("currency", "USD")
        }))
        .text("comments", remarks)
}

/// The document type asks for a preference with the colours; this is the one there is.
fn colors(car: &Car) -> Option<Element> {
    let interior = words::some_line(car.vehicle.interior_color.as_ref());
    let exterior = words::some_line(car.vehicle.exterior_color.as_ref());
    if interior.is_none() && exterior.is_none() {
        return None;
    }
    let colors = Element::new("colorcombination")
        .text("interiorcolor", interior)
        .text("exteriorcolor", exterior);
    Some(colors.text("preference", Some("1".to_owned())))
}

fn customer(prospect: &Prospect, settings: &AdfSettings) -> Element {
    let customer = &prospect.customer;
    let preferred = customer
        .preferred_contact
        .and_then(PreferredContact::channel);
    let preference = |element: Element, is_preferred: bool| match is_preferred {
        true => element.with("preferredcontact", "1"),
        false => element,
    };
    let email = words::some_line(customer.email.as_ref()).map(|email| {
        preference(
            Element::leaf("email", email),
            preferred == Some(Channel::Email),
        )
    });
    // A number that is called a mobile one gets text messages, so it is called one only where the
    // person allows them.
    let kind = if prospect.may_text {
        "cellphone"
    } else {
        "voice"
    };
    let phone = words::some_line(customer.phone.as_ref()).map(|number| {
        let number = contact::phone(&number, settings.phone);
        preference(
            Element::leaf("phone", number).with("type", kind),
            matches!(preferred, Some(Channel::Phone | Channel::Sms)),
        )
    });
    let address = customer.address.as_ref().and_then(contact::address);
    let contact = Element::new("contact")
        .holding(names(prospect, settings.name))
        .holding(email)
        .holding(phone)
        .holding(address);
    Element::new("customer")
        .holding([contact])
        .text("comments", Some(prospect.notes.0.join("\n")))
}

fn names(prospect: &Prospect, form: AdfName) -> Vec<Element> {
    let customer = &prospect.customer;
    let name = |part: &str, text: String| {
        Element::leaf("name", text)
            .with("part", part)
            .with("type", "individual")
    };
    let first = words::line(&customer.first_name);
    let last = words::line(&customer.last_name);
    match form {
        AdfName::Full => vec![name("full", super::text::full_name(customer))],
        AdfName::Parts => {
            let parts = [("first", first), ("last", last)];
            let known = parts.into_iter().filter(|(_, text)| !text.is_empty());
            let known: Vec<Element> = known.map(|(part, text)| name(part, text)).collect();
            if known.is_empty() {
                vec![name("full", super::text::full_name(customer))]
            } else {
                known
            }
        }
    }
}

fn vendor(vendor: &Vendor, settings: &AdfSettings) -> Element {
    let name = words::line_or(&vendor.name, UNKNOWN);
    let id = words::some_line(vendor.id.as_ref()).map(|id| {
        Element::leaf("id", id)
            .with("sequence", "1")
            .with("source", "Forecourt")
    });
    let email = words::some_line(vendor.email.as_ref());
    let phone = words::some_line(vendor.phone.as_ref());
    // The document type asks for one of them; an empty one says that there is none.
    let phone = match (&email, phone) {
        (None, None) => Some(String::new()),
        (_, phone) => phone.map(|number| contact::phone(&number, settings.phone)),
    };
    let contact = Element::new("contact")
        .holding([Element::leaf("name", &name)
            .with("part", "full")
            .with("type", "business")])
        .text("email", email)
        .holding(phone.map(|number| Element::leaf("phone", number).with("type", "voice")))
        .holding(vendor.address.as_ref().and_then(contact::address));
    Element::new("vendor")
        .holding(id)
        .text("vendorname", Some(name))
        .text("url", words::some_line(vendor.url.as_ref()))
        .holding([contact])
}

fn provider(prospect: &Prospect, settings: &AdfSettings) -> Element {
    let agent = &prospect.agent;
    let name = |name: &str| {
        Element::leaf("name", words::line_or(name, UNKNOWN))
            .with("part", "full")
            .with("type", "business")
    };
    match (settings.provider, &settings.network) {
        (AdfProvider::Network, Some(network)) => Element::new("provider")
            .holding([name(&network.name)])
            .text("service", words::some_line(Some(&agent.name)))
            .text(
                "url",
                words::some_line(network.url.as_ref().or(agent.url.as_ref())),
            )
            .text("email", words::some_line(network.email.as_ref()))
            .text("phone", words::some_line(network.phone.as_ref())),
        _ => Element::new("provider")
            .holding([name(&agent.name)])
            .text("url", words::some_line(agent.url.as_ref())),
    }
}
