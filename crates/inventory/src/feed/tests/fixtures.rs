//! Files as vendors export them, each with the exact report on it beside it.

use serde_json::Value;

use super::super::{FeedReport, Layout, ReadOptions, read};
use super::options;

/// A test of one file: its layout, and the exact report on it.
macro_rules! fixture {
    ($test:ident, $stem:literal, $extension:literal, $layout:ident, $options:expr) => {
        #[test]
        fn $test() {
            let report = read(
                include_bytes!(concat!("../../../tests/fixtures/feeds/", $stem, $extension)),
                &$options,
            );
            assert_eq!(report.layout, Layout::$layout);
            expect(
                &report,
                include_str!(concat!(
                    "../../../tests/fixtures/feeds/",
                    $stem,
                    ".report.json"
                )),
            );
        }
    };
}

fixture!(
    homenet_in_windows_1252,
    "homenet",
    ".csv",
    HomeNet,
    options()
);
fixture!(
    vauto_of_two_rooftops,
    "vauto",
    ".csv",
    VAuto,
    two_rooftops()
);
fixture!(
    vauto_with_several_prices,
    "vauto_plain",
    ".csv",
    VAuto,
    options()
);
fixture!(
    vauto_for_facebook,
    "vauto_facebook",
    ".csv",
    VAutoFacebook,
    options()
);
fixture!(
    dealer_center_of_two_rooftops,
    "dealer_center",
    ".csv",
    DealerCenter,
    two_rooftops()
);
fixture!(
    auto_funds_all_quoted,
    "auto_funds",
    ".csv",
    AutoFunds,
    options()
);
fixture!(
    frazer_with_blank_padded_prices,
    "frazer",
    ".csv",
    Frazer,
    options()
);
fixture!(
    auto_trader_upload,
    "auto_trader",
    ".csv",
    AutoTrader,
    options()
);
fixture!(
    cars_com_upload_with_unquoted_pipes,
    "cars_com",
    ".txt",
    CarsCom,
    options()
);
fixture!(autoxloo_ax9, "autoxloo", ".csv", Autoxloo, options());
fixture!(fullpath, "fullpath", ".csv", Fullpath, options());
fixture!(
    erepairables_without_a_header,
    "erepairables",
    ".txt",
    ERepairables,
    options()
);
fixture!(
    is_new_and_factory_certified,
    "is_new",
    ".csv",
    IsNew,
    options()
);
fixture!(
    cox_australia_in_dollars_and_kilometers_of_its_own,
    "cox_australia",
    ".csv",
    CoxAustralia,
    options()
);
fixture!(
    dealer_studio,
    "dealer_studio",
    ".csv",
    DealerStudio,
    options()
);
fixture!(
    google_listings_with_tabs_and_inch_marks,
    "listings",
    ".tsv",
    GoogleVehicleListings,
    options()
);
fixture!(
    google_listings_in_quotes,
    "listings_quoted",
    ".csv",
    GoogleVehicleListings,
    options()
);
fixture!(
    meta_vehicles_with_photos_and_addresses_in_json,
    "meta_vehicles",
    ".csv",
    MetaVehicles,
    options()
);
fixture!(
    unknown_vendor_with_pipes,
    "pipe",
    ".txt",
    Aliases,
    options()
);

#[test]
fn a_row_is_the_line_on_which_it_begins_and_a_sold_unit_keeps_its_row() {
    let homenet = include_bytes!("../../../tests/fixtures/feeds/homenet.csv");
    // A quoted line break in row 2 makes the next record begin at line 4.
    assert_eq!(rows(&read(homenet, &options()))[..2], [2, 4]);
    let vauto = include_bytes!("../../../tests/fixtures/feeds/vauto.csv");
    let sold: Vec<_> = read(vauto, &two_rooftops())
        .sold
        .into_iter()
        .map(|unit| (unit.row, unit.stock))
        .collect();
    assert_eq!(sold, [(6, Some("U612".to_owned()))]);
}

fn two_rooftops() -> ReadOptions {
    let mut options = options();
    options.rooftops = [("DCID1", "North Motors"), ("DCID2", "South Motors")]
        .map(|(id, name)| (id.to_owned(), name.to_owned()))
        .to_vec();
    options
}

fn rows(report: &FeedReport) -> Vec<u64> {
    report.vehicles.iter().map(|read| read.row).collect()
}

/// Compares vehicle by vehicle and finding by finding, so that a difference is readable.
pub(super) fn expect(report: &FeedReport, expected: &str) {
    let found = serde_json::to_value(report).expect("a report serialises");
    let expected: Value = serde_json::from_str(expected).expect("the expected report is JSON");
    for key in ["skipped", "warnings", "vehicles", "columns"] {
        let lists = (list(&found, key), list(&expected, key));
        for (found, expected) in lists.0.iter().zip(lists.1) {
            assert_eq!(found, expected, "{key}");
        }
    }
    assert_eq!(found, expected);
}

fn list<'a>(report: &'a Value, key: &str) -> &'a [Value] {
    report[key].as_array().map_or(&[], Vec::as_slice)
}
