//! Answers as a person reads them.

mod agent;
mod dealership;
mod lead;
mod stock;

use aap::{PriceBasis, vehicle::DealerFee};
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};

pub(super) use agent::{agent, agent_document};
pub(super) use dealership::information;
pub(super) use lead::lead;
pub(super) use stock::{facets, search, vehicle};

/// What stands where the dealer said nothing.
const NOT_STATED: &str = "not stated";
/// Width to which long lists are wrapped.
const WIDTH: u16 = 100;
/// Width to which the names beside them are wrapped.
const NAME_WIDTH: u16 = 28;

/// What `price` means, as it stands over prices. Prices of different bases are never compared.
pub(crate) const fn price_label(basis: PriceBasis) -> &'static str {
    match basis {
        PriceBasis::OutTheDoor => "price (out-the-door)",
        PriceBasis::Advertised => "price (advertised, mandatory fees included)",
    }
}

/// Names and values, wrapped.
fn wrapped_table() -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH)
        .set_constraints([ColumnConstraint::UpperBoundary(Width::Fixed(NAME_WIDTH))]);
    table
}

/// Adds the dealer's words on a line of their own.
fn push_line(text: &mut String, words: Option<&str>) {
    if let Some(words) = words.map(clean).filter(|words| !words.is_empty()) {
        text.push('\n');
        text.push_str(&words);
    }
}

fn fees(fees: &[DealerFee]) -> String {
    if fees.is_empty() {
        return "none".to_owned();
    }
    let lines: Vec<String> = fees
        .iter()
        .map(|fee| format!("{} {}", clean(&fee.name), dollars(fee.amount)))
        .collect();
    lines.join(", ")
}

fn dollars(amount: u64) -> String {
    format!("${}", grouped(amount))
}

/// Digits in groups of three.
fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Foreign text on one line, without the characters that drive a terminal or turn the direction
/// of what follows.
pub(crate) fn clean(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(|character| match character {
            '\n' | '\r' | '\t' => ' ',
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                char::REPLACEMENT_CHARACTER
            }
            other if other.is_control() => char::REPLACEMENT_CHARACTER,
            other => other,
        })
        .collect();
    shown.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        for (value, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (123_456, "123,456"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(grouped(value), text);
        }
    }

    #[test]
    fn foreign_text_is_one_harmless_line() {
        assert_eq!(clean(" a\r\nb\tc "), "a  b c");
        for hostile in ["\u{1b}[2J", "\u{202e}", "\u{7}", "\u{9b}31m", "\u{2066}"] {
            let cleaned = clean(&format!("x{hostile}y"));
            assert!(cleaned.contains(char::REPLACEMENT_CHARACTER), "{hostile:?}");
            assert!(!cleaned.chars().any(char::is_control), "{cleaned:?}");
        }
        assert_eq!(clean("Čeština 🚗"), "Čeština 🚗");
    }
}
