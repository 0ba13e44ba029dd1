//! Documents: which elements are rows and columns, what is refused, and how far a broken one is read.

use proptest::prelude::*;

use super::*;
use crate::table::Format;

fn document(text: impl AsRef<[u8]>) -> Table {
    Table::read_catalog("feed.xml", text.as_ref(), &Limits::default(), &[]).unwrap()
}

fn refused(text: impl AsRef<[u8]>) -> Unreadable {
    Table::read_catalog("feed.xml", text.as_ref(), &Limits::default(), &[]).unwrap_err()
}

fn headers(table: &Table) -> Vec<&str> {
    table.columns().iter().map(Column::header).collect()
}

fn role_of(table: &Table, role: Role) -> Option<&str> {
    table.column(role).map(Column::header)
}

/// Google's product feed in RSS 2.0: two variants of one product and another product.
const RSS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">
 <channel>
  <title>Garden House</title>
  <link>https://shop.example/</link>
  <lastBuildDate>Tue, 30 Jun 2026 06:00:00 +0000</lastBuildDate>
  <pubDate>Mon, 01 Jun 2026 06:00:00 +0000</pubDate>
  <item>
   <g:id>B-1</g:id>
   <title>Bench &amp; table</title>
   <g:description><![CDATA[<p>Oak, 120 cm</p>]]></g:description>
   <link>https://shop.example/bench</link>
   <g:image_link>https://shop.example/1.jpg</g:image_link>
   <g:additional_image_link>https://shop.example/2.jpg</g:additional_image_link>
   <g:additional_image_link>https://shop.example/3.jpg</g:additional_image_link>
   <g:price>1,299.00 EUR</g:price>
   <g:availability>in stock</g:availability>
   <g:item_group_id>bench</g:item_group_id>
   <g:shipping><g:country>DE</g:country><g:price>4.90 EUR</g:price></g:shipping>
   <g:shipping><g:country>AT</g:country><g:price>9.90 EUR</g:price></g:shipping>
  </item>
  <item>
   <g:id>B-2</g:id>
   <title>Bench</title>
   <g:price>999.00 EUR</g:price>
   <g:availability>out of stock</g:availability>
   <g:item_group_id>bench</g:item_group_id>
  </item>
  <item>
   <g:id>L-1</g:id>
   <title>Lamp</title>
   <g:image_link>https://shop.example/l.jpg</g:image_link>
   <g:price>19.90 EUR</g:price>
   <g:availability>in stock</g:availability>
  </item>
 </channel>
</rss>
"#;

#[test]
fn a_product_feed_in_rss_is_a_table() {
    let table = document(RSS);
    assert_eq!(table.rows(), 3);
    assert_eq!(table.reading().format, Some(Format::Xml));
    assert_eq!(table.reading().remarks, [""; 0]);
    for (role, header) in [
        (Role::Id, "id"),
        (Role::Title, "title"),
        (Role::Description, "description"),
        (Role::Price, "price"),
        (Role::Availability, "availability"),
        (Role::Group, "item_group_id"),
        (Role::Image, "image_link"),
        (Role::PhotoCount, "number of images"),
        (Role::Link, "link"),
        (Role::SnapshotDate, "channel.lastBuildDate"),
    ] {
        assert_eq!(role_of(&table, role), Some(header), "{role:?}");
    }
    assert_eq!(texts(&table, "title")[0], "Bench & table");
    assert_eq!(texts(&table, "description")[0], "<p>Oak, 120 cm</p>");
    assert_eq!(
        money(&table, "price"),
        ["1299.00 EUR", "999.00 EUR", "19.90 EUR"]
    );
    assert_eq!(texts(&table, "number of images"), ["3", "0", "1"]);
    assert_eq!(texts(&table, "shipping.country"), ["DE, AT", "∅", "∅"]);
    assert_eq!(texts(&table, "shipping.price")[0], "4.90 EUR, 9.90 EUR");
    assert_eq!(column(&table, "shipping.price").role(), None);
    assert_eq!(table.items(), Some([vec![0, 1], vec![2]].as_slice()));
    let snapshot = table.column(Role::SnapshotDate).unwrap();
    assert_eq!(snapshot.newest_date(), Some(date(2026, 6, 30)));
}

#[test]
fn a_product_feed_in_atom_is_a_table() {
    let table = document(
        r#"<feed xmlns="http://www.w3.org/2005/Atom" xmlns:x="http://base.google.com/ns/1.0">
        <title>Shop</title><link rel="self" href="https://shop.example/feed"/>
        <updated>2026-06-28T10:00:00Z</updated>
        <entry><id>tag:shop.example,2026:1</id><x:id>S-1</x:id><title type="html">Sofa</title>
        <link rel="enclosure" href="https://shop.example/1.jpg"/><link href="https://shop.example/1"/>
        <content type="xhtml"><div><p>Soft</p><p>and <b>wide</b></p></div></content>
        <x:price>900 GBP</x:price><updated>2026-06-01T00:00:00Z</updated></entry>
        <entry><id>tag:shop.example,2026:2</id><x:id>S-2</x:id><title>Chair</title><x:price>90 GBP</x:price></entry>
        </feed>"#,
    );
    assert_eq!(table.rows(), 2);
    assert_eq!(texts(&table, "id"), ["S-1", "S-2"]);
    assert_eq!(texts(&table, "id (entry)")[1], "tag:shop.example,2026:2");
    assert_eq!(role_of(&table, Role::Id), Some("id"));
    assert_eq!(texts(&table, "link"), ["https://shop.example/1", "∅"]);
    assert_eq!(money(&table, "price"), ["900 GBP", "90 GBP"]);
    assert_eq!(role_of(&table, Role::DateUpdated), Some("updated"));
    assert_eq!(role_of(&table, Role::SnapshotDate), Some("feed.updated"));
}

#[test]
fn markup_among_words_is_plain_text() {
    let table = document(
        "<shop><product><id>1</id><description>Oak <b>and</b><br/>steel &lt;new&gt;</description></product>\
         <product><id>2</id><description><p>Only</p><p>paragraphs</p></description></product></shop>",
    );
    assert_eq!(headers(&table), ["id", "description"]);
    let words: Vec<String> = texts(&table, "description")
        .iter()
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(words, ["Oak and steel <new>", "Only paragraphs"]);
}

#[test]
fn rows_of_other_documents_are_the_list_that_knows_products() {
    for (text, ids) in [
        // Attributes alone, and values in elements of their own.
        (
            "<lot><p sku='A' price='1 EUR'/><p sku='B' price='2 EUR'/></lot>",
            vec!["A", "B"],
        ),
        // A shop's data and its categories stand before the offers.
        (
            "<yml><shop><name>S</name><url>https://s.example</url><categories><category id='1'>x</category>\
             <category id='2' parentId='1'>y</category></categories><offers><offer id='A'><name>a</name>\
             <price>1</price><vendor>v</vendor><categoryId>1</categoryId></offer><offer id='B'><name>b</name>\
             <price>2</price></offer></offers></shop></yml>",
            vec!["A", "B"],
        ),
        // Products in groups, one of them with a product of its own.
        (
            "<shop><group name='x'><product><sku>A</sku><title>a</title><price>1</price></product>\
             <product><sku>B</sku><title>b</title><price>2</price></product></group>\
             <group name='y'><product><sku>C</sku><title>c</title><price>3</price></product></group></shop>",
            vec!["A", "B", "C"],
        ),
        // Variants are of their product.
        (
            "<shop><product><sku>A</sku><title>a</title><brand>m</brand><variants><variant><price>1</price>\
             <color>red</color><size>S</size><ean>4006381333931</ean></variant><variant><price>2</price></variant>\
             </variants></product><product><sku>B</sku><title>b</title></product></shop>",
            vec!["A", "B"],
        ),
        // One product repeats nothing.
        (
            "<shop><products><product><sku>A</sku><title>a</title><price>1</price></product></products></shop>",
            vec!["A"],
        ),
        // RSS 1.0 has its items beside the channel.
        (
            "<rdf:RDF><channel><title>t</title><link>https://s.example</link></channel><item><g:id>A</g:id></item>\
             <item><g:id>B</g:id></item></rdf:RDF>",
            vec!["A", "B"],
        ),
    ] {
        let table = document(text);
        let id = table.column(Role::Id).unwrap_or_else(|| panic!("{text}"));
        let found: Vec<_> = (0..table.rows()).filter_map(|row| id.text(row)).collect();
        assert_eq!(found, ids, "{text}");
    }
}

#[test]
fn values_take_their_units_and_lists_their_names_along() {
    let table = document(
        "<shop><p><sku>A</sku><price currency='GBP'>10</price><images><image>1.jpg</image><image>2.jpg</image></images>\
         <categories><category>Chairs</category></categories></p>\
         <p><sku>B</sku><price currency='EUR'>12,50</price><images/></p></shop>",
    );
    assert_eq!(money(&table, "price"), ["10 GBP", "12.50 EUR"]);
    assert_eq!(texts(&table, "image"), ["1.jpg, 2.jpg", "∅"]);
    assert_eq!(texts(&table, "number of images"), ["2", "0"]);
    assert_eq!(role_of(&table, Role::Category), Some("category"));
}

#[test]
fn several_prices_in_a_row_are_no_price() {
    let table = document(
        "<shop><p><sku>A</sku><price>10 EUR</price><price>12 EUR</price></p><p><sku>B</sku><price>9 EUR</price></p></shop>",
    );
    assert_eq!(money(&table, "price"), ["∅", "9 EUR"]);
    let remarks = table.reading().remarks.join(" ");
    assert!(remarks.contains("several values of “price”"), "{remarks}");
}

#[test]
fn the_seller_states_what_elements_mean() {
    let text = "<liste><zeile><Nr>7</Nr><preise><netto>10</netto></preise></zeile>\
                <zeile><Nr>8</Nr><preise><netto>11</netto></preise></zeile></liste>";
    let stated = [(Role::Id, "Nr"), (Role::Price, "preise.netto")];
    let table = Table::read_catalog("f", text.as_bytes(), &Limits::default(), &stated).unwrap();
    assert_eq!(role_of(&table, Role::Id), Some("Nr"));
    assert_eq!(money(&table, "preise.netto"), ["10 ?", "11 ?"]);
}

#[test]
fn days_of_a_document_are_read_and_never_guessed() {
    let with = |date: &str| {
        format!("<shop {date}><p><sku>A</sku><price>1</price></p><p><sku>B</sku></p></shop>")
    };
    let column = |text: &str| {
        let table = document(text);
        let column = table.column(Role::SnapshotDate)?;
        Some((column.header().to_owned(), column.newest_date()))
    };
    let stated = |header: &str| Some((header.to_owned(), Some(date(2026, 6, 30))));
    assert_eq!(
        column(&with("date='2026-06-30 10:00'")),
        stated("shop.date")
    );
    assert_eq!(
        column(&with("date='2025-01-01' export_date='2026-06-30'")),
        stated("shop.export_date")
    );
    // Nobody can tell which number is the month.
    assert_eq!(
        column(&with("date='05/06/2026'")),
        Some(("shop.date".to_owned(), None))
    );
    for none in ["", "date='soon'", "version='2026-06-30'"] {
        assert_eq!(column(&with(none)), None, "{none}");
    }
    // The rows' own day counts.
    let own = "<shop date='2026-06-30'><p><sku>A</sku><snapshot_date>2026-06-01</snapshot_date></p>\
               <p><sku>B</sku></p></shop>";
    assert_eq!(
        column(own),
        Some(("snapshot_date".to_owned(), Some(date(2026, 6, 1))))
    );
}

#[test]
fn encodings_are_those_that_a_document_declares() {
    let text = |name: &str| {
        format!(
            "<?xml version='1.0' encoding='{name}'?><s><p><sku>A</sku><title>Öl</title></p><p><sku>B</sku></p></s>"
        )
    };
    let (windows, ..) = encoding_rs::WINDOWS_1252.encode("Ö");
    let latin = |text: &str| {
        let parts: Vec<&[u8]> = text.split('Ö').map(str::as_bytes).collect();
        parts.join(&windows[..])
    };
    let cyrillic = encoding_rs::KOI8_R
        .encode(&text("koi8-r").replace("Öl", "ЛАДА"))
        .0
        .into_owned();
    for (bytes, encoding, title) in [
        (text("UTF-8").into_bytes(), "UTF-8", "Öl"),
        (latin(&text("iso-8859-1")), "windows-1252", "Öl"),
        (text("utf-16").into_bytes(), "UTF-8", "Öl"),
        (utf_16(&text("utf-16"), u16::to_le_bytes), "UTF-16LE", "Öl"),
        (cyrillic, "KOI8-R", "ЛАДА"),
    ] {
        let table = document(bytes);
        assert_eq!(table.reading().encoding, Some(encoding));
        assert_eq!(texts(&table, "title")[0], title, "{encoding}");
    }
}

#[test]
fn a_broken_document_is_read_as_far_as_it_is_one() {
    let table = document("<s>\n<p><sku>A</sku></p>\n<p><sku>B</sku></p>\n<p><sku>C</sk></p>\n</s>");
    assert_eq!(texts(&table, "sku"), ["A", "B"]);
    let reading = table.reading();
    assert_eq!(reading.broken_off, Some(4));
    let (line, reason) = &reading.skipped[0];
    assert_eq!((*line, reading.skipped.len()), (4, 1));
    assert!(reason.contains("“</sk>” stands where “</sku>”"), "{reason}");
    let remark = reading.remarks.join(" ");
    assert!(remark.contains("from line 4, column 10 on"), "{remark}");
    assert!(remark.contains("is not read"), "{remark}");

    let table = document(RSS.replace("</channel>\n</rss>", "</channel></rss><rss/>"));
    assert_eq!((table.rows(), table.reading().broken_off), (3, Some(36)));
    assert_eq!(table.reading().skipped, []);
}

#[test]
fn what_is_broken_in_its_first_row_is_refused_with_the_place() {
    let Unreadable::Malformed {
        line,
        column,
        reason,
    } = refused("<s>\n <p><sku>A</sk></p></s>")
    else {
        panic!("it is read");
    };
    assert_eq!((line, column), (2, 11));
    assert!(reason.contains("</sku>"), "{reason}");
    let refusal = refused("<rss><channel><item><g:id>1").to_string();
    assert!(refusal.contains("ends in the middle"), "{refusal}");
}

#[test]
fn what_is_no_list_of_products_is_refused() {
    for (text, words) in [
        ("<!DOCTYPE html><html><p>504</p></html>", "an HTML page"),
        (
            "<?xml version='1.0'?>\n<html><p>504</p></html>",
            "an HTML page",
        ),
        (
            "<error><code>401</code><message>no</message></error>",
            "“error” repeats as rows do, with elements or attributes in it; it has “error”, “code”, “message”",
        ),
        (
            "<rss><channel><title>t</title><link>l</link></channel></rss>",
            "“rss” repeats",
        ),
        ("<products/>", "“products” repeats"),
        (
            "<rss><channel><item/><item><g:id/></item></channel></rss>",
            "repeats",
        ),
        (
            "<Workbook xmlns='urn:schemas-microsoft-com:office:spreadsheet'><Worksheet/></Workbook>",
            "an Excel workbook",
        ),
        ("<a", "no well-formed XML"),
    ] {
        let refusal = refused(text).to_string();
        assert!(refusal.contains(words), "{text}: {refusal}");
    }
}

#[test]
fn csv_is_still_csv() {
    let table = document("<sku>,<price>\nA,10 EUR\nB,20 EUR\n");
    assert_eq!(headers(&table), ["<sku>", "<price>"]);
    assert_eq!(table.reading().format, Some(Format::Csv));
}

#[test]
fn a_file_of_a_question_is_csv_alone() {
    assert_eq!(refusal(RSS), Unreadable::OtherFormat("an XML document"));
}

#[test]
fn documents_that_are_dear_to_read_are_refused() {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE s [\n<!ENTITY a \"aaaaaaaaaa\">\n<!ENTITY b \"&a;&a;&a;&a;\">\n]>\n\
                <s><p><sku>&b;</sku></p><p><sku>B</sku></p></s>";
    assert_eq!(refused(bomb), Unreadable::Entities { line: 2 });
    let file =
        "<!DOCTYPE s [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><s><p><sku>&f;</sku></p></s>";
    assert_eq!(refused(file), Unreadable::Entities { line: 1 });
    // An external document type is not asked for.
    let outside = "<!DOCTYPE s SYSTEM \"https://s.example/s.dtd\"><s><p><sku>&f;&eacute;</sku></p><p><sku>B</sku></p></s>";
    assert_eq!(texts(&document(outside), "sku"), ["&f;é", "B"]);

    let deep = format!("<s>{}</s>", "<a>".repeat(100));
    assert_eq!(refused(deep), Unreadable::TooDeep { limit: 64 });
    let names: String = (0..11_000).map(|at| format!("<n{at}/>")).collect();
    let refusal = refused(format!("<s><p><sku>A</sku>{names}</p></s>"));
    assert_eq!(refusal, Unreadable::TooManyNames { limit: 10_000 });
    let attributes: String = (0..300).map(|at| format!(" n{at}='1'")).collect();
    let refusal = refused(format!("<s>\n<p{attributes}/></s>"));
    assert_eq!(
        refusal,
        Unreadable::TooManyAttributes {
            line: 2,
            limit: 256
        }
    );
    let names: String = (0..501).map(|at| format!("<n{at}>x</n{at}>")).collect();
    let refusal = refused(format!(
        "<s><p><sku>A</sku>{names}</p><p><sku>B</sku></p></s>"
    ));
    assert_eq!(
        refusal,
        Unreadable::TooManyColumns {
            found: 502,
            limit: 500
        }
    );
    let sparse: String = (0..450).map(|at| format!("<p n{at}='1'/>")).collect();
    let rows = "<p a='1'/>".repeat(60_000);
    let refusal = refused(format!("<s>{sparse}{rows}</s>"));
    assert_eq!(refusal, Unreadable::TooSparse { columns: 451 });
}

#[test]
fn limits_of_rows_and_bytes_hold() {
    let mut limits = Limits {
        rows: 3,
        bytes: RSS.len(),
        ..Limits::default()
    };
    let read = |limits: &Limits| Table::read_catalog("f", RSS.as_bytes(), limits, &[]);
    assert_eq!(read(&limits).unwrap().rows(), 3);
    limits.rows = 2;
    assert_eq!(
        read(&limits).unwrap_err(),
        Unreadable::TooManyRows { limit: 2 }
    );
    limits.bytes -= 1;
    assert!(matches!(read(&limits), Err(Unreadable::TooLarge { .. })));
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('"', "&quot;")
}

proptest! {
    #[test]
    fn well_formed_rows_are_all_read_cell_by_cell(
        rows in prop::collection::vec(prop::collection::vec("[a-m<>&;\"' é€,]{0,9}", 3), 2..30),
        in_attributes: bool,
    ) {
        let names = ["sku", "name", "note"];
        let mut text = "<list>".to_owned();
        for row in &rows {
            let cells = names.iter().zip(row).map(|(name, cell)| (name, escaped(cell)));
            let row: String = if in_attributes {
                let cells: String = cells.map(|(name, cell)| format!(" {name}=\"{cell}\"")).collect();
                format!("<row{cells}/>")
            } else {
                let cells: String = cells.map(|(name, cell)| format!("<{name}>{cell}</{name}>")).collect();
                format!("<row>{cells}</row>")
            };
            text.push_str(&row);
        }
        text.push_str("</list>");
        let has_value = |row: &&Vec<String>| row.iter().any(|cell| !cell.trim().is_empty());
        let filled: Vec<&Vec<String>> = rows.iter().filter(has_value).collect();
        match Table::read_catalog("f", text.as_bytes(), &Limits::default(), &[]) {
            Err(reason) => prop_assert!(filled.is_empty(), "{reason}"),
            Ok(table) => {
                prop_assert_eq!(table.rows(), filled.len());
                prop_assert_eq!(table.reading().empty_rows as usize, rows.len() - filled.len());
                for (at, row) in filled.iter().enumerate() {
                    for (name, cell) in names.iter().zip(*row) {
                        let cell = Some(cell.trim()).filter(|cell| !cell.is_empty());
                        prop_assert_eq!(column(&table, name).text(at), cell);
                    }
                }
            }
        }
    }

    #[test]
    fn a_document_that_is_cut_has_its_first_rows_and_says_so(end in 0..RSS.len()) {
        let whole = texts(&document(RSS), "id").join(" ");
        let Some(cut) = RSS.get(..end) else { return Ok(()) };
        match Table::read_catalog("f", cut.as_bytes(), &Limits::default(), &[]) {
            Err(reason) => prop_assert!(!reason.to_string().is_empty()),
            Ok(table) => {
                prop_assert!(whole.starts_with(&texts(&table, "id").join(" ")));
                let is_whole = cut.trim_end().ends_with("</rss>");
                prop_assert_eq!(table.reading().broken_off.is_none(), is_whole);
                prop_assert_eq!(cut.matches("</item>").count(), table.rows());
            }
        }
    }

    #[test]
    fn no_text_makes_reading_panic(text in "(<[a-z/!?]{0,3}[ a-z='\"]{0,6}>?|&[a-z#0-9]{0,3};?|[a-z ]{0,3}){0,40}") {
        let wrapped = format!("<s><p><id>1</id>{text}</p><p><id>2</id></p></s>");
        for text in [&text, &wrapped] {
            let read = Table::read_catalog("f", text.as_bytes(), &Limits::default(), &[]);
            if let Ok(table) = read {
                prop_assert!(table.rows() > 0);
            }
        }
    }
}
