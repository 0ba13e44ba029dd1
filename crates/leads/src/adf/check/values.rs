//! What stands in the elements.

use aap::{
    formats::{is_date_time, is_email},
    vehicle::is_vin,
};

use super::Findings;
use crate::adf::{loose::Loose, node::Node};

/// Elements that are worth nothing when they are empty.
const FILLED: [&str; 6] = ["year", "make", "model", "name", "vendorname", "requestdate"];

pub(super) fn check(node: &Node, path: &str, findings: &mut Findings<'_>) {
    let text = node.text.trim();
    if text.is_empty() {
        empty(node, path, findings);
        return;
    }
    let mut doubt = |expected: &str| {
        let found = format!("a `<{}>` of another form", node.name);
        findings.doubt(node.at, path, found, expected);
    };
    match node.name.as_str() {
        "requestdate" => request_date(node, text, path, findings),
        "email" if !is_email(text) => doubt("one mail address"),
        "phone" if !is_phone(text) => doubt("a telephone number of 7 to 15 digits"),
        "vin" if !is_vin(text) => doubt("17 letters and digits, upper case, without I, O and Q"),
        "odometer" | "doors" if !is_number(text) => doubt("a number"),
        // A price type `call` stands for a price on request.
        "price" if !is_number(text) && node.attribute("type") != Some("call") => doubt("a number"),
        "transmission" if !matches!(text, "A" | "M") => doubt("A or M"),
        _ => {}
    }
}

fn empty(node: &Node, path: &str, findings: &mut Findings<'_>) {
    let found = format!("an empty `<{}>`", node.name);
    if FILLED.contains(&node.name.as_str()) {
        findings.refuse(node.at, path, found, "text in it");
    } else if matches!(node.name.as_str(), "email" | "phone" | "vin") {
        findings.doubt(node.at, path, found, "text in it, or no such element");
    }
}

fn request_date(node: &Node, text: &str, path: &str, findings: &mut Findings<'_>) {
    if is_date_time(text) {
        return;
    }
    let expected = "a time with an offset, as in 2026-05-01T08:00:00-04:00";
    if Loose::parse(text).is_some_and(|time| time.is_iso) {
        let found = "a `<requestdate>` without seconds or without a whole offset";
        findings.doubt(node.at, path, found, expected);
    } else {
        let found = "a `<requestdate>` of another form";
        findings.refuse(node.at, path, found, expected);
    }
}

fn is_phone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    (7..=15).contains(&digits)
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite)
}
