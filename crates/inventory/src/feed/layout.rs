//! Recognising a vendor's layout by its header.

use super::field::Field;
use super::report::Layout;

/// The layout of a header, given normalised.
///
/// Exports leave columns out and add others, so a layout is told by the columns without which it
/// never comes and a few of its own words.
pub(super) fn recognize(headers: &[String]) -> Layout {
    let has = |name: &&str| headers.iter().any(|header| header == name);
    let matches = |always: &[&str], telling: &[&str]| {
        always.iter().all(has) && telling.iter().filter(|name| has(name)).count() >= 2
    };
    if matches(&HOMENET_ALWAYS, &HOMENET_TELLING) {
        Layout::HomeNet
    } else if matches(&VAUTO_ALWAYS, &VAUTO_TELLING) {
        Layout::VAuto
    } else {
        Layout::Aliases
    }
}

/// What a header means in a layout, where the layout settles what the word alone does not.
pub(super) fn settled(layout: Layout, normalized: &str) -> Option<Field> {
    match (layout, normalized) {
        // HomeNet's `Type` is New or Used.
        (Layout::HomeNet, "type") => Some(Field::Condition),
        (Layout::SchemaOrg, "seller") => Some(Field::DealerName),
        _ => None,
    }
}

const HOMENET_ALWAYS: [&str; 4] = ["type", "stock", "vin", "miles"];
const HOMENET_TELLING: [&str; 12] = [
    "modelnumber",
    "enginecylinders",
    "enginedisplacement",
    "sellingprice",
    "internetprice",
    "dateinstock",
    "categorizedoptions",
    "styledescription",
    "extcolorgeneric",
    "epaclassification",
    "factorycodes",
    "imagelist",
];

const VAUTO_ALWAYS: [&str; 3] = ["stock", "vin", "newused"];
const VAUTO_TELLING: [&str; 12] = [
    "series",
    "seriesdetail",
    "odometer",
    "doorcount",
    "bodydoorct",
    "enginecylinderct",
    "drivetraindesc",
    "colour",
    "inventorydate",
    "photocount",
    "photourllist",
    "photoslastmodifieddate",
];
