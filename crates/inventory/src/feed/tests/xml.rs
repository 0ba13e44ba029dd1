//! XML: what is a unit, what is a value, and which documents are refused.

use super::super::{FindingCode, Format, Layout, RefusalCode, RowsBy, read};
use super::{options, places, refused, report, stocks};

#[test]
fn a_broken_document_is_refused_with_its_place() {
    refused(
        "<cars>\n <car><stock>A1</stock></cra>\n</cars>",
        RefusalCode::Malformed,
        &["line 2, column 24", "</cra>", "</car>"],
    );
    refused(
        "<cars><car a=1 a=2></car></cars>",
        RefusalCode::Malformed,
        &["line 1"],
    );
    refused(
        "<cars><car><stock>A1</stock></car></cars>\n<cars/>",
        RefusalCode::Malformed,
        &["line 2, column 1", "second element"],
    );
    refused(
        "<cars><car><stock>A1</stock></car></cars> 504 Gateway Timeout",
        RefusalCode::Malformed,
        &["outside"],
    );
}

#[test]
fn a_document_that_ends_in_the_middle_is_refused_wherever_it_ends() {
    let whole =
        "<cars>\n<car><stock>A1</stock><comments><![CDATA[a > b]]></comments></car>\n</cars>";
    assert_eq!(report(whole).refused, None);
    for end in 8..whole.len() {
        let report = report(&whole[..end]);
        let refusal = report.refused.expect("the file is refused");
        assert_eq!(
            refusal.code,
            RefusalCode::CutOff,
            "{end}: {}",
            refusal.message
        );
        assert!(refusal.message.contains("line "), "{}", refusal.message);
    }
    refused(
        "<cars>\n<car><stock>A1</stock></car>\n<car><sto",
        RefusalCode::CutOff,
        &["line 3, column"],
    );
}

#[test]
fn a_document_without_a_unit_does_not_take_the_stock_down() {
    refused(
        "<?xml version=\"1.0\"?><listings/>",
        RefusalCode::NoRows,
        &["`listings`"],
    );
    refused(
        "<rss><channel><title>Our cars</title><link>https://a.example/</link></channel></rss>",
        RefusalCode::NoRows,
        &["`rss`"],
    );
    refused(
        "<error><code>401</code><message>Unauthorized</message></error>",
        RefusalCode::UnknownFormat,
        &["`error`", "`code`, `message`"],
    );
}

#[test]
fn entities_of_a_document_type_are_never_expanded() {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE cars [\n<!ENTITY a \"aaaaaaaaaa\">\n\
                <!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">\n<!ENTITY file SYSTEM \"file:///etc/passwd\">\n]>\n\
                <cars><car><stock>A1</stock><trim>&b;&amp;&#x41;</trim><comments>&file;</comments></car></cars>";
    let found = report(bomb);
    assert_eq!(found.refused, None);
    let vehicle = &found.vehicles[0].vehicle;
    assert_eq!(vehicle.trim.as_deref(), Some("&b;&A"));
    assert_eq!(vehicle.description.as_deref(), Some("&file;"));
}

#[test]
fn limits_hold() {
    refused(
        &format!("{}<stock>A1</stock>", "<a>".repeat(100)),
        RefusalCode::Malformed,
        &["deeper than 64"],
    );
    let names: String = (0..11_000).map(|at| format!("<n{at}/>")).collect();
    refused(
        &format!("<cars><car><stock>A1</stock>{names}</car></cars>"),
        RefusalCode::TooLarge,
        &["too many different elements"],
    );
    // Were they compared with one another, it would take minutes.
    let attributes: String = (0..200_000).map(|at| format!(" n{at}='1'")).collect();
    refused(
        &format!("<cars>\n<car{attributes}/></cars>"),
        RefusalCode::Malformed,
        &["line 2", "more than 256 attributes"],
    );
    let names: String = (0..2_500).map(|at| format!("<n{at}>x</n{at}>")).collect();
    refused(
        &format!("<cars><car><stock>A1</stock>{names}</car></cars>"),
        RefusalCode::TooLarge,
        &["2000 different names"],
    );
}

#[test]
fn rows_are_lines_or_where_units_share_one_records() {
    let lines = "<cars>\n<car>\n<stock>A1</stock></car>\n<car><stock>A2</stock><year>soon</year></car>\n</cars>";
    let found = report(lines);
    assert_eq!(found.rows_by, RowsBy::Line);
    let rows: Vec<u64> = found.vehicles.iter().map(|read| read.row).collect();
    assert_eq!(rows, [2, 4]);
    assert_eq!(
        places(&found.warnings),
        [(4, Some("year"), FindingCode::BadYear)]
    );

    let found = report(&lines.replace('\n', ""));
    assert_eq!(found.rows_by, RowsBy::Record);
    let rows: Vec<u64> = found.vehicles.iter().map(|read| read.row).collect();
    assert_eq!(rows, [1, 2]);
    assert_eq!(
        places(&found.warnings),
        [(2, Some("year"), FindingCode::BadYear)]
    );
}

#[test]
fn a_unit_is_the_element_that_repeats_around_its_identifier() {
    for (text, expected) in [
        // One unit, with and without a frame around it.
        (
            "<car><vin>1HGCV1F35KA000001</vin><stock>A1</stock></car>",
            vec!["A1"],
        ),
        (
            "<rss><channel><title>t</title><item><stock>A1</stock><make>Kia</make></item></channel></rss>",
            vec!["A1"],
        ),
        // Values in attributes alone.
        (
            "<cars><car stock='A1' make='Kia'/><car stock='A2'/></cars>",
            vec!["A1", "A2"],
        ),
        // Lists of several kinds side by side.
        (
            "<lot><cars><car><stock>A1</stock></car><car><stock>A2</stock></car></cars>\
             <bikes><bike><stock>B1</stock></bike><bike><stock>B2</stock></bike></bikes></lot>",
            vec!["A1", "A2", "B1", "B2"],
        ),
        // An id around the units, and one within them.
        (
            "<dealers><dealer><id>7</id><car><vin>1HGCV1F35KA000001</vin><stock>A1</stock>\
             <options><option><id>9</id></option><option><id>8</id></option></options></car></dealer>\
             <dealer><id>8</id><car><vin>1HGCV1F35KA000002</vin><stock>A2</stock></car>\
             <car><vin>1HGCV1F35KA000003</vin><stock>A3</stock></car></dealer></dealers>",
            vec!["A1", "A2", "A3"],
        ),
        // A count of the stock is no unit.
        (
            "<lot><stock>2</stock><car><vin>1HGCV1F35KA000001</vin><stock>A1</stock></car>\
             <car><vin>1HGCV1F35KA000002</vin><stock>A2</stock></car></lot>",
            vec!["A1", "A2"],
        ),
    ] {
        let found = report(text);
        assert_eq!(found.refused, None, "{text}");
        assert_eq!(stocks(&found), expected, "{text}");
    }
}

#[test]
fn the_configuration_names_elements_too() {
    let mut named = options();
    named
        .columns
        .insert("stock".to_owned(), "unit.no".to_owned());
    named
        .columns
        .insert("trim".to_owned(), "Ausstattung".to_owned());
    named.price.column = Some("prices.net".to_owned());
    named.price.advertised = true;
    let text = "<lot><car><unit><no>A1</no></unit><Ausstattung>GT</Ausstattung>\
                <prices><net>18950</net><gross>20000</gross></prices></car></lot>";
    let report = read(text.as_bytes(), &named);
    assert_eq!(report.refused, None);
    let vehicle = &report.vehicles[0].vehicle;
    assert_eq!(vehicle.stock.as_deref(), Some("A1"));
    assert_eq!(vehicle.trim.as_deref(), Some("GT"));
    assert_eq!(vehicle.price, Some(18_950));
}

#[test]
fn encodings_by_mark_declaration_and_zero_bytes() {
    let text = |name: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"{name}\"?><cars><car><stock>A1</stock><make>Citroën</make></car></cars>"
        )
    };
    let latin = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    let utf_16 = |text: &str| {
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    let marked = [b"\xFF\xFE".to_vec(), utf_16(&text("utf-16"))].concat();
    for (bytes, encoding) in [
        (text("UTF-8").into_bytes(), "utf-8"),
        (latin(&text("iso-8859-1")), "windows-1252"),
        (latin(&text("Windows-1252")), "windows-1252"),
        // Programs declare what they do not write.
        (latin(&text("UTF-8")), "windows-1252"),
        (text("utf-16").into_bytes(), "utf-8"),
        (utf_16(&text("utf-16")), "utf-16le"),
        (marked, "utf-16le"),
    ] {
        let report = read(&bytes, &options());
        assert_eq!(report.encoding, encoding);
        assert_eq!(report.refused, None, "{encoding}");
        assert_eq!(report.vehicles[0].vehicle.make.as_deref(), Some("Citroën"));
    }
    let mut cyrillic =
        b"<?xml version='1.0' encoding='koi8-r'?><a><car><stock>A1</stock><make>".to_vec();
    cyrillic.extend(b"\xEC\xE1\xE4\xE1</make></car></a>");
    let report = read(&cyrillic, &options());
    assert_eq!(report.vehicles[0].vehicle.make.as_deref(), Some("ЛАДА"));
}

#[test]
fn elements_named_like_those_of_html_make_no_page() {
    let found = report(
        "<listings><listing><head>x</head><stock>A1</stock><body>Sedan</body></listing></listings>",
    );
    assert_eq!((found.format, found.refused), (Format::Xml, None));
    assert_eq!(found.vehicles[0].vehicle.body.as_deref(), Some("Sedan"));
}

#[test]
fn the_same_name_of_two_namespaces_is_two_columns() {
    let found = report(
        "<rss xmlns:x='http://base.google.com/ns/1.0'><channel><item><x:id>A1</x:id><link>https://a.example/1</link>\
         <x:link>https://a.example/2</x:link><x:price>1495 USD</x:price></item></channel></rss>",
    );
    assert_eq!(found.layout, Layout::GoogleMerchant);
    assert_eq!(found.warnings, []);
    let vehicle = &found.vehicles[0].vehicle;
    assert_eq!(vehicle.vdp_url.as_deref(), Some("https://a.example/1"));
    assert_eq!(vehicle.list_price, Some(1_495));
}

#[test]
fn costs_in_a_document_are_never_published() {
    let found = report(
        "<lot><car><stock>A1</stock><prices><invoice>8675309</invoice><price><cost>8675309</cost></price></prices>\
         <Cost><value>8675309</value></Cost><dealerCost>8675309</dealerCost>\
         <comments>One <Holdback>8675309 <b>8675309</b></Holdback><b>owner</b></comments></car></lot>",
    );
    let vehicle = &found.vehicles[0].vehicle;
    assert_eq!(vehicle.description.as_deref(), Some("One owner"));
    let document = serde_json::to_value(&found).expect("a report serialises");
    assert_eq!(found.published, 1);
    assert!(!document.to_string().contains("8675309"), "{document}");
    let dropped = found
        .columns
        .iter()
        .filter(|column| column.dropped.is_some());
    assert_eq!(dropped.count(), 4);
}

#[test]
fn a_cost_by_its_type_is_no_price() {
    for prices in [
        "<price type='Invoice'>17001</price><price type='Retail'>19000</price>",
        "<prices><price kind='dealer cost'>17001</price><price>19000</price></prices>",
        "<price><type>Invoice</type><amount>17001</amount></price><price><amount>19000</amount></price>",
        "<price><amount>17001</amount><type>Invoice</type></price><price><amount>19000</amount></price>",
    ] {
        let found = report(&format!("<lot><car><stock>A1</stock>{prices}</car></lot>"));
        assert_eq!(
            found.vehicles[0].vehicle.list_price,
            Some(19_000),
            "{prices}"
        );
    }
}

#[test]
fn an_amount_beside_another_currency_is_no_price_in_dollars() {
    for price in [
        "<price currency='CAD'>18950</price>",
        "<price><amount>18950</amount><currency>CAD</currency></price>",
        "<price>18950</price><currency>CAD</currency>",
        "<price>18950 CAD</price>",
    ] {
        let found = report(&format!("<lot><car><stock>A1</stock>{price}</car></lot>"));
        assert_eq!(found.vehicles[0].vehicle.list_price, None, "{price}");
        assert_eq!(found.warnings[0].code, FindingCode::Currency, "{price}");
        let found = report(&format!(
            "<lot><car><stock>A1</stock>{}</car></lot>",
            price.replace("CAD", "USD")
        ));
        assert_eq!(
            found.vehicles[0].vehicle.list_price,
            Some(18_950),
            "{price}"
        );
    }
}
