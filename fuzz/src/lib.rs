//! What holds for every feed, whatever its bytes. The targets of feeds share it; those of the analyst share
//! [`answer`] and [`table`].

pub mod answer;
pub mod table;

use aap::vehicle::DealerFee;
use dealers::PricePolicy;
use inventory::feed::{Dropped, FeedReport, Format, ReadOptions, read};

/// Columns of a dealer's costs, as vendors call them.
const COSTS: [&str; 10] = [
    "Invoice",
    "SALESCOST",
    "CostPrice",
    "price_wholesale",
    "ACV",
    "BookValue",
    "FLOORPLANAMOUNT",
    "MEMOLINE1",
    "Holdback",
    "Purchase Price",
];

/// Parts of such names, in lower case. None of them is part of the name of a published field.
const COST_WORDS: [&str; 6] = [
    "invoice",
    "cost",
    "wholesale",
    "floorplan",
    "holdback",
    "bookvalue",
];

/// Two amounts for a cost. What is published is the same for both.
const AMOUNTS: [&str; 2] = ["23456", "34567"];

/// A dealer of two rooftops who states that the price is the advertised one.
pub fn options() -> ReadOptions {
    let mut options = ReadOptions::new(jiff::civil::date(2026, 5, 1));
    options.rooftops = [("DCID1", "North Motors"), ("DCID2", "South Motors")]
        .map(|(id, name)| (id.to_owned(), name.to_owned()))
        .to_vec();
    options.default_rooftop = Some("North Motors".to_owned());
    options.price = PricePolicy {
        advertised: true,
        fees: Some(vec![DealerFee {
            name: "Documentation".to_owned(),
            amount: 150,
        }]),
        ..PricePolicy::default()
    };
    options
}

/// Options that place no rooftop, so that a row with any dealer id is published.
fn any_rooftop() -> ReadOptions {
    let mut options = options();
    options.rooftops.clear();
    options.default_rooftop = None;
    options
}

/// Reads a file and checks the report.
pub fn check(file: &[u8]) -> FeedReport {
    let options = options();
    let report = read(file, &options);
    assert_eq!(report.published, report.vehicles.len() as u64);
    assert_eq!(report.refused.is_some(), report.kept_last_good);
    let skipped = report.skipped.len() as u64;
    assert!(report.refused.is_some() || report.rows == report.published + skipped);
    let mut last = 0;
    for published in &report.vehicles {
        assert!(published.row > last, "rows rise");
        last = published.row;
        let vehicle = &published.vehicle;
        assert!(vehicle.status.is_some());
        assert!(vehicle.vin.is_some() || vehicle.stock.is_some() || vehicle.vehicle_id.is_some());
        assert!(vehicle.vin.as_deref().is_none_or(aap::vehicle::is_vin));
        let rooftop = vehicle.rooftop.as_ref();
        assert!(rooftop.is_some_and(|at| options.rooftops.iter().any(|(_, name)| name == at)));
        for address in vehicle.photos.iter().chain(&vehicle.vdp_url) {
            assert!(is_web_address(address), "{address}");
        }
        assert!(vehicle.extra.is_empty(), "members that AAP does not name");
    }
    let never = report.columns.iter().filter(|column| {
        let header = column.header.to_lowercase();
        let is_cost = COST_WORDS.iter().any(|word| header.contains(word));
        assert!(!is_cost || column.field.is_none(), "{column:?}");
        column.dropped == Some(Dropped::NeverPublished)
    });
    assert_eq!(report.never_published, never.count() as u64);
    serde_json::to_value(&report).expect("a report serialises");
    report
}

fn is_web_address(address: &str) -> bool {
    let lower = address.to_lowercase();
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| lower.strip_prefix(scheme));
    rest.is_some_and(|rest| !rest.starts_with(['/', '?', '#']) && !rest.is_empty())
}

/// Checks that what is published of a file does not depend on a cost that is put into it. `plant`
/// makes the file, given the name of a cost and its amount.
pub fn keeps_costs_to_itself(of: &[u8], plant: impl Fn(&str, &str) -> Vec<u8>) {
    let cost = COSTS[of.len() % COSTS.len()];
    let options = any_rooftop();
    let [one, other] = AMOUNTS.map(|amount| read(&plant(cost, amount), &options));
    // Without a header nothing says that a column is a cost.
    if one.format != Format::Delimited || one.header {
        assert_eq!(one.vehicles, other.vehicles, "{cost}");
    }
}
