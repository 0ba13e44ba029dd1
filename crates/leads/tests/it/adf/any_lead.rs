//! Leads of any content.

use dealers::{AdfName, AdfPhone, AdfSettings};
use leads::{
    VehicleMatch,
    adf::{self, Occasion, Prospect},
};
use proptest::{option, prelude::*};
use serde_json::{Value, json};

use super::shapes;

/// A word that stays what it is. A comma in a full name stands between last and first.
fn name() -> impl Strategy<Value = String> {
    "[\\PC\u{0}\u{8}\u{1B}\n&&[^,]]{1,20}".prop_filter("a name", |name| !plain(name).is_empty())
}

/// A word that stands for something.
fn word() -> impl Strategy<Value = String> {
    "[A-Z][A-Za-z0-9 &<>'\"\u{E9}\u{1F697}-]{3,20}[a-z]"
        .prop_filter("not one of those for nothing", |word| {
            plain(word).to_lowercase() != "unknown"
        })
}

fn vehicle() -> impl Strategy<Value = Value> {
    let numbers = (
        option::of(1900_u16..2100),
        option::of(0_u64..1_000_000),
        option::of(1_u64..1_000_000),
    );
    let words = (option::of(word()), option::of(word()), option::of(word()));
    let vin = option::of("[A-HJ-NPR-Z0-9]{17}");
    let condition = option::of(prop_oneof!["new", "used", "cpo"]);
    (numbers, words, vin, condition).prop_map(|(numbers, words, vin, condition)| {
        let (year, mileage, price) = numbers;
        let (make, model, color) = words;
        let vehicle = json!({
            "year": year, "mileage": mileage, "price": price, "make": make, "model": model,
            "exterior_color": color, "vin": vin, "condition": condition,
        });
        without_nulls(vehicle)
    })
}

fn request() -> impl Strategy<Value = Value> {
    let person = (name(), name(), "[a-z]{1,12}@[a-z]{1,12}\\.example");
    let phone = option::of("\\+1[2-9][0-9]{9}|\\+49[1-9][0-9]{6,11}");
    let texts = (
        option::of("\\PC{0,200}|[\\x00-\\x7F]{0,200}"),
        "\\PC{1,80}",
        "\\PC{1,30}",
    );
    (person, phone, texts, vehicle()).prop_map(|((first, last, email), phone, texts, vehicle)| {
        let (message, consent, agent) = texts;
        let mut request = json!({
            "type": "lead.submit.request",
            "customer": { "first_name": first, "last_name": last, "email": email, "phone": phone },
            "consent": {
                "granted_at": "2026-05-01T11:59:00Z",
                "allowed_channels": ["email"],
                "consent_text": consent,
                "scope": ["lead_submission"]
            },
            "vehicle_of_interest": vehicle,
            "message": message,
            "source_agent": { "name": agent }
        });
        request["customer"] = without_nulls(request["customer"].take());
        without_nulls(request)
    })
}

fn without_nulls(mut value: Value) -> Value {
    if let Some(members) = value.as_object_mut() {
        members.retain(|_, member| !member.is_null());
    }
    value
}

/// One line without what no document can hold.
fn plain(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|it| it.is_whitespace() || !it.is_control())
        .filter(|it| !"\u{B}\u{C}\u{85}\u{FFFE}\u{FFFF}".contains(*it))
        .collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

proptest! {
    #[test]
    fn any_lead_is_written_well_and_read_back(
        request in request(),
        parts in any::<bool>(),
        ten_digits in any::<bool>(),
    ) {
        let settings = AdfSettings {
            name: if parts { AdfName::Parts } else { AdfName::Full },
            phone: if ten_digits { AdfPhone::TenDigits } else { AdfPhone::E164 },
            ..AdfSettings::default()
        };
        let now = "2026-05-01T12:00:00Z".parse().expect("a time");
        prop_assume!(aap::validate(&request, now).is_ok());
        let lead = shapes::taken(&request, VehicleMatch::Unknown, "North");
        let prospect = Prospect::of(&lead, &shapes::dealer(), Occasion::New);
        let document = adf::write(&prospect.expect("has a person"), &settings);
        prop_assert_eq!(adf::check(&document), [], "{}", document);

        let reading = adf::read(document.as_bytes());
        prop_assert_eq!(reading.prospects.len(), 1);
        let read = &reading.prospects[0];
        let asked = lead.request.0.expect("has a person");
        let name = |first: &str, last: &str| plain(&format!("{first} {last}"));
        prop_assert_eq!(
            name(&read.customer.first_name, &read.customer.last_name),
            name(&asked.customer.first_name, &asked.customer.last_name)
        );
        prop_assert_eq!(&read.customer.email, &asked.customer.email);
        prop_assert_eq!(&read.customer.phone, &asked.customer.phone);
        let wanted = asked.vehicle_of_interest.unwrap_or_default();
        let found = read.vehicle.clone().unwrap_or_default();
        prop_assert_eq!(found.year, wanted.year);
        prop_assert_eq!(found.make, wanted.make.as_deref().map(plain));
        prop_assert_eq!(found.model, wanted.model.as_deref().map(plain));
        prop_assert_eq!(found.vin, wanted.vin);
        prop_assert_eq!(found.mileage, wanted.mileage);
        prop_assert_eq!(found.price, wanted.price);
        prop_assert_eq!(found.exterior_color, wanted.exterior_color.as_deref().map(plain));
    }
}
