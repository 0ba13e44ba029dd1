use jiff::civil::date;
use rust_decimal::Decimal;

use super::*;
use crate::value::{Currency, Money};

mod damage;
mod meaning;
mod xml;

fn read(bytes: impl AsRef<[u8]>) -> Table {
    Table::read("file.csv", bytes.as_ref(), &Limits::default()).unwrap()
}

fn refusal(bytes: impl AsRef<[u8]>) -> Unreadable {
    Table::read("file.csv", bytes.as_ref(), &Limits::default()).unwrap_err()
}

#[track_caller]
fn column<'t>(table: &'t Table, header: &str) -> &'t Column {
    let columns = table.columns().iter();
    let found = columns.clone().find(|column| column.header() == header);
    let headers: Vec<_> = columns.map(Column::header).collect();
    found.unwrap_or_else(|| panic!("no {header} in {headers:?}"))
}

fn texts<'t>(table: &'t Table, header: &str) -> Vec<&'t str> {
    let column = column(table, header);
    (0..table.rows())
        .map(|row| column.text(row).unwrap_or("∅"))
        .collect()
}

fn money(table: &Table, header: &str) -> Vec<String> {
    let column = column(table, header);
    (0..table.rows())
        .map(|row| match column.money(row) {
            None => "∅".to_owned(),
            Some(Money { amount, currency }) => {
                format!(
                    "{amount} {}",
                    currency.map_or("?".to_owned(), |it| it.to_string())
                )
            }
        })
        .collect()
}

const SHOP: &str =
    "sku;Bezeichnung;Größe;Preis\nA1;Tisch „Öland“;groß;1.299,00 €\nA2;Café-Stuhl;klein;89,90 €\n";

fn utf_16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to_bytes).collect()
}

#[test]
fn every_encoding_gives_the_same_table() {
    let utf_8 = SHOP.as_bytes().to_vec();
    let with_mark = [b"\xEF\xBB\xBF".as_slice(), SHOP.as_bytes()].concat();
    let (windows, _, unmappable) = encoding_rs::WINDOWS_1252.encode(SHOP);
    assert!(!unmappable);
    let marked = format!("\u{FEFF}{SHOP}");
    for (bytes, encoding) in [
        (utf_8, "UTF-8"),
        (with_mark, "UTF-8"),
        (windows.into_owned(), "windows-1252"),
        (utf_16(&marked, u16::to_le_bytes), "UTF-16LE"),
        (utf_16(&marked, u16::to_be_bytes), "UTF-16BE"),
        (utf_16(SHOP, u16::to_le_bytes), "UTF-16LE"),
        (utf_16(SHOP, u16::to_be_bytes), "UTF-16BE"),
    ] {
        let table = read(bytes);
        assert_eq!(table.reading().encoding, Some(encoding));
        assert_eq!(
            texts(&table, "Bezeichnung"),
            ["Tisch „Öland“", "Café-Stuhl"],
            "{encoding}"
        );
        assert_eq!(
            money(&table, "Preis"),
            ["1299.00 EUR", "89.90 EUR"],
            "{encoding}"
        );
        assert_eq!(table.reading().remarks, [""; 0]);
    }
}

#[test]
fn a_japanese_file_is_read_in_its_encoding() {
    let text =
        "sku,商品名,price\nA1,木製の椅子と机のセット,12800\nA2,庭のためのベンチ,9800\n".repeat(3);
    let (bytes, _, unmappable) = encoding_rs::SHIFT_JIS.encode(&text);
    assert!(!unmappable);
    let table = read(bytes);
    assert_eq!(table.reading().encoding, Some("Shift_JIS"));
    assert_eq!(texts(&table, "商品名")[1], "庭のためのベンチ");
}

#[test]
fn every_delimiter_is_found() {
    for delimiter in [",", ";", "\t", "|"] {
        for line_end in ["\n", "\r\n", "\r"] {
            let file = [
                "sku|name|price",
                "A1|\"Chair|\n wide\"|12.50",
                "A2|Table|100",
            ]
            .join("\n")
            .replace('|', delimiter)
            .replace('\n', line_end);
            let table = read(&file);
            assert_eq!(
                table.reading().delimiter,
                delimiter.chars().next(),
                "{file:?}"
            );
            assert_eq!(table.rows(), 2, "{file:?}");
            assert_eq!(money(&table, "price"), ["12.50 ?", "100 ?"]);
            assert_eq!(table.reading().header_line, Some(1));
        }
    }
}

#[test]
fn a_semicolon_file_with_decimal_commas_is_no_comma_file() {
    let table = read("varenr;navn;pris\n1;Stol, rød;1 299,50\n2;Bord, hvit;899,00\n3;Benk;12,5\n");
    assert_eq!(table.rows(), 3);
    let prices = column(&table, "pris");
    let sum: Decimal = (0..3).filter_map(|row| prices.number(row)).sum();
    assert_eq!(sum.to_string(), "2211.00");
}

#[test]
fn a_separator_line_states_the_delimiter() {
    let table = read("sep=;\r\nsku;a,b\r\nX;1,2\r\n");
    assert_eq!(table.rows(), 1);
    assert_eq!(table.reading().header_line, Some(2));
    assert_eq!(texts(&table, "a,b"), ["1,2"]);
    assert_eq!(
        read("\"sep=^\"\nsku^price\nX^1\n").reading().delimiter,
        Some('^')
    );
}

#[test]
fn a_file_without_a_header_loses_no_row() {
    let rows = "9780115531446,Prepare for Your Test,10.32\n9780955337819,Better Photography,8.21\n";
    let table = read(rows.repeat(20));
    assert_eq!(table.rows(), 40);
    assert_eq!(table.reading().header_line, None);
    assert_eq!(texts(&table, "column 2")[0], "Prepare for Your Test");
    assert!(table.reading().remarks[0].contains("no header"));
    // What a column is, its values may say; its place says nothing.
    assert_eq!(column(&table, "column 1").role(), Some(Role::Gtin));
    assert_eq!(table.unknown().count(), 2);
}

#[test]
fn the_lines_above_a_header_are_no_rows() {
    let table =
        read("Inventory report\nNorth Motors;;\n\nStock #;Make;Price\nA1;Kia;9000\nA2;Kia;9500\n");
    assert_eq!(table.rows(), 2);
    assert_eq!(table.reading().header_line, Some(4));
    assert_eq!(table.reading().preamble, 2);
    assert_eq!(column(&table, "Price").role(), Some(Role::Price));
}

#[test]
fn what_is_no_table_is_refused_by_name() {
    for (bytes, words) in [
        (b"".as_slice(), "empty"),
        (b"\xEF\xBB\xBF", "empty"),
        (b"\r\n \r\n\t\n", "empty"),
        (b"sku,price\n", "header and no rows"),
        (b"%PDF-1.7\n", "PDF"),
        (b"\x1F\x8B\x08\0", "gzip"),
        (b"\x89PNG\r\n\x1A\n\0", "PNG"),
        (b"\xFF\xD8\xFF\xE0", "JPEG"),
        (b"PK\x03\x04....readme.txt", "zip"),
        (
            b"PK\x03\x04....[Content_Types].xml....xl/workbook.xml",
            "xlsx",
        ),
        (b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "xls"),
        (b"sku,price\nA,1\nB,\0\n", "NUL character in line 3"),
        (b"\x01\x02\x03\x04,\x05\n", "binary"),
        (b"<!DOCTYPE html><p>a,b", "HTML"),
        (b"  <HTML>\n<body>", "HTML"),
        (b"<?xml version='1.0'?>", "XML"),
        (b"[ {\"sku\": 1, \"price\": 2}]", "JSON"),
        (
            b"Dear all\nplease find the list attached\nBest\n",
            "not divided",
        ),
    ] {
        let refusal = refusal(bytes).to_string();
        assert!(refusal.contains(words), "{refusal}");
    }
}

#[test]
fn limits_refuse_with_the_figure() {
    let mut limits = Limits::default();
    let file = "sku,price,name\nA,1,x\nB,2,y\n";
    limits.rows = 2;
    limits.columns = 3;
    limits.bytes = file.len();
    assert_eq!(
        Table::read("f", file.as_bytes(), &limits).unwrap().rows(),
        2
    );
    limits.rows = 1;
    let refused = |limits: &Limits| Table::read("f", file.as_bytes(), limits).unwrap_err();
    assert_eq!(refused(&limits), Unreadable::TooManyRows { limit: 1 });
    limits.columns = 2;
    assert_eq!(
        refused(&limits),
        Unreadable::TooManyColumns { found: 3, limit: 2 }
    );
    limits.bytes = 26;
    assert_eq!(
        refused(&limits),
        Unreadable::TooLarge {
            found: 27,
            limit: 26
        }
    );
}

#[test]
fn own_rows_are_read_like_those_of_a_file() {
    let table = Table::of_rows(
        "Own inventory",
        &[
            ("stock", Some(Role::Id)),
            ("price", Some(Role::Price)),
            ("since", Some(Role::DateInStock)),
        ],
        [["A1", "18990 EUR", "2026-04-30"], ["A2", "", "N/A"]],
    );
    assert_eq!(table.rows(), 2);
    assert_eq!(money(&table, "price"), ["18990 EUR", "∅"]);
    let since = table.column(Role::DateInStock).unwrap();
    assert_eq!(
        (since.date(0), since.date(1)),
        (Some(date(2026, 4, 30)), None)
    );
    assert_eq!(table.items(), None);
}

#[test]
fn what_the_seller_states_of_a_column_counts_more_than_its_name() {
    let file = "code,id,what,cost of it\nA,9,Sofa,10 EUR\nB,9,Bench,20 EUR\n";
    let stated = [
        (Role::Id, "Code"),
        (Role::Price, "cost of it"),
        (Role::Brand, "maker"),
    ];
    let table =
        Table::read_catalog("f", file.as_bytes(), &Limits::default(), &stated).expect("a table");
    assert_eq!(table.column(Role::Id).map(Column::header), Some("code"));
    assert_eq!(money(&table, "cost of it"), ["10 EUR", "20 EUR"]);
    let remarks = &table.reading().remarks;
    assert!(
        remarks.iter().any(|remark| remark.contains("maker")),
        "{remarks:?}"
    );
}

#[test]
fn a_column_beside_those_of_the_file_has_a_cell_for_each_row() {
    let table = Table::read("f", b"id,title\n1,Sofa\n2,Bench\n", &Limits::default());
    let table = table.expect("a table").with_column(
        "first seen",
        Role::DateAdded,
        ["2026-05-01", "", "2026-05-03"],
    );
    let seen = table.column(Role::DateAdded).expect("the added column");
    assert_eq!(
        (seen.date(0), seen.date(1), seen.date(2)),
        (Some(date(2026, 5, 1)), None, None)
    );
}
