//! Web pages and JSON.

use super::super::{FindingCode, Format, Layout, RefusalCode, read};
use super::{options, refused, report, stocks};

fn page(script: &str) -> String {
    format!(
        "<!DOCTYPE html><html><head><script type=\"application/ld+json\">{script}</script></head><body></body></html>"
    )
}

#[test]
fn a_page_without_a_vehicle_is_an_error_page() {
    refused(
        &page(r#"{"@type":"WebSite","name":"x"}"#),
        RefusalCode::HtmlPage,
        &["log-in page"],
    );
    refused(
        &page(r#"{"@type":"Car","sku":"A1""#),
        RefusalCode::HtmlPage,
        &["script 1", "EOF"],
    );
}

#[test]
fn a_page_that_ends_in_the_middle_is_refused() {
    let whole = page(r#"{"@type":"Car","sku":"A1"}"#);
    assert_eq!(report(&whole).refused, None);
    refused(
        whole.trim_end_matches("</body></html>"),
        RefusalCode::CutOff,
        &["</html>"],
    );
}

#[test]
fn a_page_larger_than_any_of_a_dealer_is_refused() {
    let tags = "<b>".repeat(100_001);
    refused(
        &format!("<html>{tags}</html>"),
        RefusalCode::TooLarge,
        &["tags"],
    );
}

#[test]
fn prices_with_signs_and_empty_names_are_read() {
    let found = report(&page(
        r#"{"@context":"http://schema.org","@type":"Car","sku":"A1","vehicleEngine":{"@type":"EngineSpecification","name":""},
           "brand":{"@type":"Brand","name":" "},"manufacturer":"Kia","offers":{"@type":"Offer","price":"$1,495"}}"#,
    ));
    let vehicle = &found.vehicles[0].vehicle;
    assert_eq!(vehicle.list_price, Some(1_495));
    assert_eq!(
        (vehicle.engine.as_deref(), vehicle.make.as_deref()),
        (None, Some("Kia"))
    );
    assert_eq!(found.warnings, []);
}

#[test]
fn scripts_in_comments_sections_and_with_line_breaks_are_read() {
    for script in [
        "<!-- {\"@type\":\"Car\",\"sku\":\"A1\"} -->",
        "//<![CDATA[\n{\"@type\":\"Car\",\"sku\":\"A1\"}\n//]]>",
        "/*<![CDATA[*/ {\"@type\":\"Car\",\"sku\":\"A1\"}; /*]]>*/",
        "{\"@type\":\"Car\",\"sku\":\"A1\",\"description\":\"two\nlines\"}",
        "[{\"@type\":[\"Product\",\"http://schema.org/Vehicle\"],\"sku\":\"A1\"}]",
    ] {
        assert_eq!(stocks(&report(&page(script))), ["A1"], "{script}");
    }
}

#[test]
fn offers_are_found_around_and_beside_their_vehicle() {
    let found = report(&page(
        r##"{"@graph":[
            {"@type":"Offer","price":1000,"itemOffered":{"@type":"Car","sku":"A1"}},
            {"@type":"Car","@id":"#a2","sku":"A2"},
            {"@type":"Offer","price":2000,"itemOffered":{"@id":"#a2"}},
            {"@type":"Car","sku":"A3","offers":{"@id":"#o3"}},
            {"@type":"Offer","@id":"#o3","priceSpecification":{"price":"3000","priceCurrency":"USD"}},
            {"@type":"Car","sku":"A4","offers":[{"@type":"Offer","price":4000,"priceCurrency":"EUR"}]}
        ]}"##,
    ));
    let prices: Vec<_> = found
        .vehicles
        .iter()
        .map(|read| read.vehicle.list_price)
        .collect();
    assert_eq!(stocks(&found), ["A1", "A2", "A3", "A4"]);
    assert_eq!(prices, [Some(1_000), Some(2_000), Some(3_000), None]);
    assert_eq!(found.warnings[0].code, FindingCode::Currency);
}

#[test]
fn what_the_dealer_pays_is_no_price_of_an_offer() {
    let found = report(&page(
        r#"[{"@type":"Car","sku":"A1","offers":{"priceSpecification":[
              {"priceType":"https://schema.org/InvoicePrice","price":17001},
              {"priceType":"https://schema.org/ListPrice","price":19000}]}},
            {"@type":"Car","sku":"A2","offers":{"priceSpecification":{"name":"Dealer Cost","price":17001}}},
            {"@type":"Car","sku":"A3","offers":[{"priceType":"InvoicePrice","price":17001},{"price":18000}]},
            {"@type":"Car","sku":"A4","offers":{"name":"2020 Lincoln MKZ Reserve","price":16000}}]"#,
    ));
    let prices: Vec<_> = found
        .vehicles
        .iter()
        .map(|read| read.vehicle.list_price)
        .collect();
    assert_eq!(stocks(&found), ["A1", "A2", "A3", "A4"]);
    assert_eq!(prices, [Some(19_000), None, Some(18_000), Some(16_000)]);
}

#[test]
fn a_cost_by_its_type_is_no_price_in_json() {
    for prices in [
        r#""price":[{"type":"invoice","amount":17001},{"type":"retail","amount":19000}]"#,
        r#""price":[{"amount":19000,"type":"retail"},{"amount":17001,"type":"Dealer Cost"}]"#,
        r#""pricing":{"prices":[{"price":17001,"priceType":"Invoice"},{"price":19000}]}"#,
    ] {
        let found = report(&format!(r#"[{{"stock":"A1",{prices}}}]"#));
        assert_eq!(
            found.vehicles[0].vehicle.list_price,
            Some(19_000),
            "{prices}"
        );
    }
}

#[test]
fn availability_decides_whether_a_unit_is_on_the_lot() {
    for (word, published, sold) in [
        ("https://schema.org/InStock", 1, 0),
        ("http://schema.org/LimitedAvailability", 1, 0),
        ("OutOfStock", 0, 1),
        ("https://schema.org/SoldOut", 0, 1),
    ] {
        let found = report(&page(&format!(
            r#"{{"@type":"Car","sku":"A1","offers":{{"@type":"Offer","availability":"{word}"}}}}"#
        )));
        assert_eq!(
            (found.vehicles.len(), found.sold.len()),
            (published, sold),
            "{word}"
        );
    }
}

#[test]
fn json_ld_in_a_file_of_its_own_is_read() {
    let found = report(
        r#"{"@context":"https://schema.org","@type":"ItemList","itemListElement":[{"@type":"Car","sku":"A1"}]}"#,
    );
    assert_eq!(
        (found.format, found.layout),
        (Format::Json, Layout::SchemaOrg)
    );
    assert_eq!(stocks(&found), ["A1"]);
}

#[test]
fn json_is_a_list_of_objects_or_one_on_each_line() {
    for text in [
        r#"[{"stock":"A1","year":2019},{"stock":"A2"}]"#,
        "{\"stock\":\"A1\"}\n{\"stock\":\"A2\"}\n",
        r#"{"data":{"new":[{"stock":"A1","features":[{"id":"7"}]}],"used":[{"stock":"A2"}]}}"#,
    ] {
        let found = report(text);
        assert_eq!(found.refused, None, "{text}");
        assert_eq!(stocks(&found), ["A1", "A2"], "{text}");
    }
    assert_eq!(report("[Stock],[Make]\nA1,Kia\n").format, Format::Delimited);
}

#[test]
fn json_that_is_no_feed_is_refused() {
    refused(r#"[{"stock":"A1"},{"sto"#, RefusalCode::CutOff, &["line 1"]);
    refused(
        r#"[{"stock":"A1",}]"#,
        RefusalCode::Malformed,
        &["line 1 column"],
    );
    refused(
        r#"{"error":"unauthorized"}"#,
        RefusalCode::UnknownFormat,
        &["`error`"],
    );
    refused(r#"{"vehicles":[]}"#, RefusalCode::NoRows, &["no vehicle"]);
    refused("[]", RefusalCode::NoRows, &["no vehicle"]);
    refused(&"[".repeat(1_000), RefusalCode::Malformed, &["recursion"]);
}

#[test]
fn excel_states_the_delimiter_and_utf_16_needs_no_mark() {
    let found = report("sep=;\r\nStock;Comments;Year\r\nA1;a,b,c,d;2019\r\nA2;x;soon\r\n");
    assert_eq!(
        (found.delimiter, stocks(&found)),
        (Some(';'), vec!["A1", "A2"])
    );
    let rows: Vec<u64> = found.vehicles.iter().map(|read| read.row).collect();
    assert_eq!(rows, [3, 4]);
    assert_eq!(found.warnings[0].row, 4);
    assert_eq!(
        stocks(&report("\"sep=^\"\nStock^Make\nA1^Kia, Ford\n")),
        ["A1"]
    );

    let text = "Stock\tMake\r\nA1\tCitroën\r\n";
    for (bytes, encoding) in [
        (
            text.encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<u8>>(),
            "utf-16le",
        ),
        (
            text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            "utf-16be",
        ),
    ] {
        let report = read(&bytes, &options());
        assert_eq!(
            (report.encoding.as_str(), stocks(&report)),
            (encoding, vec!["A1"])
        );
        assert_eq!(report.vehicles[0].vehicle.make.as_deref(), Some("Citroën"));
    }
}
