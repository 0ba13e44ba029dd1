//! XML: RSS and Atom with Google's `g:` elements, CWS listings, and any document that has an
//! element for each unit.
//!
//! The document is walked twice. The first walk makes an outline of its elements, which tells the
//! ones that are units; the second takes the values of those. Nothing outside of the text is ever
//! looked up: a document type is passed over, and an entity that it declares stays as it is
//! written.

mod extract;
mod outline;
mod walk;

use super::names::Names;
use super::records::Records;
use super::report::{Layout, Refusal, RefusalCode};
use super::source::Document;
use extract::Extract;
use outline::{Outline, UnitsError};

/// Reads the units of a document.
///
/// # Errors
/// The document is not well-formed (XML 1.0), is cut off, or holds nothing that tells units apart.
pub(super) fn read<'o>(text: &str, names: Names<'o>) -> Result<Document<'o>, Refusal> {
    let mut outline = Outline::default();
    walk::walk(text, &mut outline)?;
    let units = outline
        .units(names)
        .map_err(|error| no_units(&outline, error))?;
    let mut extract = Extract::new(text, &outline, &units, Records::new(names));
    walk::walk(text, &mut extract)?;
    Ok(Document {
        layout: layout(&outline, &units),
        records: extract.into_records(),
        findings: Vec::new(),
    })
}

/// The layout of the units' elements, where they tell it.
fn layout(outline: &Outline, units: &[usize]) -> Option<Layout> {
    let holds = |name: &str| {
        units
            .iter()
            .any(|unit| outline.child(*unit, name).is_some())
    };
    let is_listing = units
        .iter()
        .all(|unit| outline.local_name(*unit) == "listing");
    if is_listing && (holds("identification-number") || holds("odometer-type")) {
        Some(Layout::Cws)
    } else if units.iter().all(|unit| outline.has_google_elements(*unit)) {
        Some(Layout::GoogleMerchant)
    } else {
        None
    }
}

fn no_units(outline: &Outline, error: UnitsError) -> Refusal {
    let root = outline.root_name();
    match error {
        UnitsError::Empty => Refusal {
            code: RefusalCode::NoRows,
            message: format!(
                "the XML document `{root}` holds no vehicle; the stock is not taken down for it"
            ),
        },
        UnitsError::NoIdentifier => Refusal {
            code: RefusalCode::UnknownFormat,
            message: format!(
                "no element of the XML document `{root}` is known to hold a VIN, a stock number or a vehicle id; found \
                 are {}. Name it in the feed's `columns`, for example `stock = \"unit-no\"`",
                outline.names_for_people()
            ),
        },
    }
}
