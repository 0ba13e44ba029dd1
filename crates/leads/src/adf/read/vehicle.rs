//! A vehicle out of its element.

use aap::vehicle::{Condition, Vehicle, is_vin};

use super::prospect::said;
use crate::adf::{node::Node, words};

/// What systems write where they know nothing.
const PLACEHOLDERS: [&str; 12] = [
    "unknown", "any", "all", "any/all", "none", "n/a", "na", "null", "-", "0", "0000", "other",
];

pub(super) fn of(node: &Node, doubts: &mut Vec<String>) -> Vehicle {
    let known = |name: &str| said(node, name).filter(|text| !is_placeholder(text));
    let year = known("year").and_then(|year| year.parse().ok());
    let (price, msrp) = price(node, doubts);
    let colors = node.child("colorcombination");
    Vehicle {
        vin: known("vin").map(|vin| self::vin(&vin, doubts)),
        stock: known("stock"),
        year: year.filter(|year| (1900..=2100).contains(year)),
        make: known("make"),
        model: known("model"),
        trim: known("trim"),
        condition: condition(node, doubts),
        price,
        msrp,
        mileage: mileage(node, doubts),
        body: known("bodystyle"),
        transmission: known("transmission").map(transmission),
        exterior_color: colors.and_then(|it| said(it, "exteriorcolor")),
        interior_color: colors.and_then(|it| said(it, "interiorcolor")),
        notes: notes(node),
        ..Vehicle::default()
    }
}

fn is_placeholder(text: &str) -> bool {
    PLACEHOLDERS.iter().any(|it| text.eq_ignore_ascii_case(it))
}

fn vin(text: &str, doubts: &mut Vec<String>) -> String {
    let vin = text.to_ascii_uppercase();
    if !is_vin(&vin) {
        doubts.push("the VIN has another form; it is kept as it stands".to_owned());
    }
    vin
}

/// Without the attribute the document type says new, which most of those who leave it out do not
/// mean.
fn condition(node: &Node, doubts: &mut Vec<String>) -> Option<Condition> {
    let worn = said(node, "condition").unwrap_or_default();
    let sold = node.attribute("status").unwrap_or_default();
    let condition = [worn.as_str(), sold].into_iter().find_map(|text| {
        Some(match text.to_ascii_lowercase().as_str() {
            "new" => Condition::New,
            "used" => Condition::Used,
            "cpo" | "certified" => Condition::Cpo,
            "excellent" => Condition::Excellent,
            "good" => Condition::Good,
            "fair" => Condition::Fair,
            "poor" => Condition::Poor,
            _ => return None,
        })
    });
    if condition.is_none() && !(worn.is_empty() && sold.is_empty()) {
        doubts.push("a vehicle's condition is none that is known".to_owned());
    }
    condition
}

/// Miles; kilometres are converted.
fn mileage(node: &Node, doubts: &mut Vec<String>) -> Option<u64> {
    let odometer = node.child("odometer")?;
    let text = words::line(&odometer.whole_text());
    let Some(distance) = number(&text) else {
        if !text.is_empty() {
            doubts.push("an odometer reading is no number".to_owned());
        }
        return None;
    };
    let is_metric = odometer
        .attribute("units")
        .is_some_and(|units| units.to_ascii_lowercase().starts_with("k"));
    if !is_metric {
        return Some(distance);
    }
    doubts.push("an odometer reading in kilometres was converted to miles".to_owned());
    // A mile has 1.609344 kilometres.
    Some((u128::from(distance) * 1_000_000 / 1_609_344) as u64)
}

/// Price and sticker, in whole US dollars.
fn price(node: &Node, doubts: &mut Vec<String>) -> (Option<u64>, Option<u64>) {
    let mut prices = (None, None);
    for element in node.all("price") {
        let currency = element.attribute("currency").unwrap_or("USD");
        let Some(amount) = number(&words::line(&element.whole_text())).filter(|it| *it > 0) else {
            continue;
        };
        if !currency.eq_ignore_ascii_case("USD") && !currency.is_empty() {
            doubts.push("a price in another currency is left out".to_owned());
            continue;
        }
        match element.attribute("type").unwrap_or_default() {
            "msrp" => prices.1 = Some(amount),
            _ => prices.0 = prices.0.or(Some(amount)),
        }
    }
    prices
}

/// A whole number: `$14,900.00`, `98 231`, `64460.0`.
fn number(text: &str) -> Option<u64> {
    let whole = text.split('.').next().unwrap_or_default();
    let digits: String = whole.chars().filter(|it| !"$, ".contains(*it)).collect();
    let digits = digits.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    digits.parse().ok()
}

fn transmission(text: String) -> String {
    match text.as_str() {
        "A" | "a" => "Automatic".to_owned(),
        "M" | "m" => "Manual".to_owned(),
        _ => text,
    }
}

/// Comments, and what has no place of its own here.
fn notes(node: &Node) -> Option<String> {
    let labelled = |label: &str, name: &str| {
        let values = node.all(name).map(|it| words::line(&it.whole_text()));
        let values: Vec<String> = values.filter(|it| !it.is_empty()).collect();
        (!values.is_empty()).then(|| format!("{label}: {}", values.join(", ")))
    };
    let comments = node.all("comments");
    let comments: Vec<String> = comments.map(|it| words::line(&it.whole_text())).collect();
    let comments = Some(comments.join(" ")).filter(|it| !it.trim().is_empty());
    let notes = [
        comments,
        labelled("Options", "option"),
        labelled("Finance", "finance"),
        labelled("Price", "pricecomments"),
    ];
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}
