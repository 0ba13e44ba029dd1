//! Answers as a person reads them.

mod agent;
mod dealership;
mod lead;
mod market;
mod stock;

use aap::{PriceBasis, vehicle::DealerFee};
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};

pub(super) use crate::cli::text::clean;
use crate::cli::{
    outcome::WIDTH,
    text::{dollars, grouped},
};
pub(super) use agent::{agent, agent_document};
pub(super) use dealership::information;
pub(super) use lead::lead;
pub(super) use market::{answers, asked_document, market_search, market_search_document};
pub(super) use stock::{facets, search, vehicle};
pub(crate) use stock::{sold_as, title};

/// What stands where the dealer said nothing.
const NOT_STATED: &str = "not stated";
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
