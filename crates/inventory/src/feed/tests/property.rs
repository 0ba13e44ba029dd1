//! What holds for any bytes.

use proptest::prelude::*;

use super::super::{FeedReport, read};
use super::archives::{gzip, zip};
use super::{options, report};

/// A cost that stands in no other cell.
const COST: &str = "8675309";

/// Columns that are never published, as vendors call them.
const COSTS: [&str; 17] = [
    "Invoice",
    "INVOICEAMOUNT",
    "SALESCOST",
    "CostPrice",
    "price_cost",
    "price_wholesale",
    "Wholesale",
    "ACV",
    "BookValue",
    "FLOORPLANAMOUNT",
    "MEMOLINE1",
    "MEMOLINE2",
    "Dealer Discounted",
    "Holdback",
    "Pack",
    "Reserve",
    "Purchase Price",
];

/// Columns of many layouts, some of which tell one.
const HEADERS: [&str; 52] = [
    "Stock",
    "StockNumber",
    "id",
    "vehicle_id",
    "VIN",
    "Year",
    "ManuYear",
    "Make",
    "Model",
    "Trim",
    "Series",
    "Style",
    "Body Style",
    "Type",
    "Car Type",
    "Title",
    "condition",
    "state_of_vehicle",
    "New/Used",
    "IsNew",
    "Certified",
    "Miles",
    "Odometer",
    "mileage.value",
    "mileage.unit",
    "Price",
    "Internet Price",
    "ListPrice",
    "SpecialPrice",
    "sale_price",
    "EGCPrice",
    "DAP Price",
    "MSRP",
    "Photos",
    "Photo URL 2",
    "image",
    "image[0].url",
    "image[0].tag[0]",
    "VDP",
    "url",
    "Description",
    "free_text",
    "Options",
    "Categorized Options",
    "DateInStock",
    "Status",
    "EngineDisplacement",
    "Color 2",
    "Dealer Name",
    "DealerId",
    "DCID",
    "store_code",
];

fn is_cost(header: &str) -> bool {
    COSTS.contains(&header)
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,12}",
        "\\PC{0,8}",
        "(https?|ftp|javascript|data|HTTP)://?[a-z.]{0,8}(/[a-z,;|& \"]{0,6})?",
        "(javascript|data|file|vbscript|mailto):[a-z(),;/:]{0,12}",
        "\\[\\{\"url\":\"(javascript|https|file):[a-z/.]{0,8}\"\\}\\]",
        "[$]?[0-9,.-]{1,10}( (km|CAD|mi))?",
        "[0-9]{1,4}[/-][0-9]{1,2}[/-][0-9]{1,4}",
        "<[a-z/!]{1,4}[ -~]{0,6}>?&[a-z#0-9]{0,5};?",
        "\"?[a-z\n\r,]{0,6}\"?\"?",
        Just("1HGCV1F35KA000001".to_owned()),
        Just("New".to_owned()),
    ]
}

/// A table of known and cost columns, written by the rules.
fn table() -> impl Strategy<Value = String> {
    let all: Vec<&str> = HEADERS.into_iter().chain(COSTS).collect();
    let width = all.len();
    let columns = proptest::sample::subsequence(all, 1..width).prop_shuffle();
    let cells = proptest::collection::vec((cell(), any::<bool>()), width);
    let rows = proptest::collection::vec(cells, 1..4);
    (columns, rows, any::<bool>()).prop_map(|(columns, rows, pipes)| {
        let delimiter = if pipes { "|" } else { "," };
        let mut text = format!("Stock No{delimiter}{}", columns.join(delimiter));
        for (at, row) in rows.into_iter().enumerate() {
            let cells = columns.iter().zip(row).map(|(column, (cell, quoted))| {
                let cell = if is_cost(column) {
                    COST.to_owned()
                } else {
                    cell
                };
                if quoted
                    || cell.contains([',', '|', ';', '\t', '\n', '\r'])
                    || cell.starts_with('"')
                {
                    format!("\"{}\"", cell.replace('"', "\"\""))
                } else {
                    cell
                }
            });
            text.push_str(&format!("\nA{at}"));
            for cell in cells {
                text.push_str(delimiter);
                text.push_str(&cell);
            }
        }
        text
    })
}

/// What holds for every report.
fn check(report: &FeedReport) {
    assert_eq!(report.published, report.vehicles.len() as u64);
    assert_eq!(report.refused.is_some(), report.kept_last_good);
    let skipped = report.skipped.len() as u64;
    assert!(report.refused.is_some() || report.rows == report.published + skipped);
    let mut last = 0;
    for read in &report.vehicles {
        assert!(read.row > last, "rows rise");
        last = read.row;
        let vehicle = &read.vehicle;
        assert!(vehicle.status.is_some());
        assert!(vehicle.vin.is_some() || vehicle.stock.is_some() || vehicle.vehicle_id.is_some());
        assert!(vehicle.vin.as_deref().is_none_or(aap::vehicle::is_vin));
        for address in vehicle.photos.iter().chain(&vehicle.vdp_url) {
            let lower = address.to_lowercase();
            assert!(
                lower.starts_with("http://") || lower.starts_with("https://"),
                "{address}"
            );
        }
    }
    let document = serde_json::to_value(report).expect("a report serialises");
    assert!(document["vehicles"].is_array());
}

/// Pieces of markup and JSON, put together in any order.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            "<car>",
            "</car>",
            "<car ",
            "stock='A1'",
            "vin=\"",
            "/>",
            "<stock>",
            "</stock>",
            "<g:id>",
            "</g:id>",
            "<![CDATA[",
            "]]>",
            "<!--",
            "-->",
            "<?xml ",
            "?>",
            "<!DOCTYPE ",
            "&amp;",
            "&#x41;",
            "&#0;",
            "&lol;",
            "&",
            "<div itemscope itemtype='https://schema.org/Car'>",
            "<b itemprop='sku'>",
            "</b>",
            "</div>",
            "<script type='application/ld+json'>",
            "</script>",
            "{\"@type\":\"Car\",\"sku\":",
            "\"A1\"",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"offers\"",
            "\"@id\"",
            "\"stock\":\"A2\"",
            "\n",
            " ",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,6}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A unit of markup whose values are any, with a cost among them.
fn element() -> impl Strategy<Value = String> {
    let value = (proptest::sample::select(HEADERS.to_vec()), cell());
    proptest::collection::vec(value, 0..12).prop_map(|values| {
        let inner: String = values
            .into_iter()
            .map(|(header, cell)| {
                let name: String = header.chars().filter(char::is_ascii_alphanumeric).collect();
                let cell = if is_cost(header) {
                    COST.to_owned()
                } else {
                    cell
                };
                let text = html_escape::encode_text(&cell).into_owned();
                format!("<{name}>{text}</{name}>")
            })
            .collect();
        format!("<unit><StockNo>A1</StockNo>{inner}</unit>")
    })
}

proptest! {
    // Each case is read in some dozen shells.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_bytes_in_any_shell_end_with_a_report(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for (before, after) in [
            ("<cars><car><stock>A1</stock><make>", "</make></car></cars>"),
            ("<html><body itemscope itemtype='https://schema.org/Car'><p itemprop=sku>", "</p></html>"),
            ("<html><script type='application/ld+json'>", "</script></html>"),
            ("[{\"stock\":\"", "\"}]"),
            ("sep=", "\nStock\nA1"),
        ] {
            let file = [before.as_bytes(), &bytes, after.as_bytes()].concat();
            check(&read(&file, &options()));
            check(&read(&gzip(&file), &options()));
        }
        check(&read(&gzip(&bytes), &options()));
        check(&read(&zip(&[("a.csv", &bytes)]), &options()));
        for magic in ["\u{1F}\u{8B}", "PK\u{3}\u{4}", "PK\u{5}\u{6}"] {
            let magic: Vec<u8> = magic.chars().map(|c| c as u8).collect();
            check(&read(&[&magic[..], &bytes].concat(), &options()));
        }
    }

    #[test]
    fn an_archive_damaged_anywhere_ends_with_a_report(at in 0_usize..400, flip in 1_u8..) {
        let file = b"Stock,Make\nA1,Kia\n".repeat(20);
        for mut packed in [gzip(&file), zip(&[("a.csv", &file)])] {
            let at = at % packed.len();
            packed[at] ^= flip;
            check(&read(&packed, &options()));
            check(&read(&packed[..at], &options()));
        }
    }

    #[test]
    fn any_soup_of_markup_and_json_ends_with_a_report(soup in soup()) {
        check(&report(&soup));
        check(&report(&format!("<cars>{soup}</cars>")));
        check(&report(&format!("<html>{soup}</html>")));
        check(&report(&format!("[{soup}]")));
    }

    #[test]
    fn any_document_keeps_costs_and_other_schemes_to_itself(units in proptest::collection::vec(element(), 1..4)) {
        let report = report(&format!("<units>{}</units>", units.concat()));
        check(&report);
        let document = serde_json::to_value(&report).expect("a report serialises");
        prop_assert!(!document["vehicles"].to_string().contains(COST));
        prop_assert_eq!(report.rows, units.len() as u64);
    }
}

proptest! {
    #[test]
    fn any_bytes_end_with_a_report(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        check(&read(&bytes, &options()));
    }

    #[test]
    fn any_bytes_below_a_header_end_with_a_report(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut file = b"Stock,VIN,Price,Photos,Description,DateInStock\nA1,,".to_vec();
        file.extend(bytes);
        check(&read(&file, &options()));
    }

    #[test]
    fn any_quotes_end_with_a_report(soup in "[\"\",;\r\n aé]{0,300}") {
        check(&report(&format!("Stock,Make,Comments\nA1,Honda,\"ok\"\n{soup}")));
        check(&report(&format!("{soup},Stock,Make\n{soup}")));
    }

    #[test]
    fn any_table_keeps_costs_and_other_schemes_to_itself(text in table()) {
        let report = read(text.as_bytes(), &options());
        check(&report);
        let document = serde_json::to_value(&report).expect("a report serialises");
        prop_assert!(!document["vehicles"].to_string().contains(COST));
        prop_assert_eq!(report.rows, text.matches("\nA").count() as u64);
    }
}
