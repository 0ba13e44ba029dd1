//! Files whose first line is data.

use super::super::{FeedReport, Layout, ReadOptions, RefusalCode, read};
use super::options;

fn positions(columns: &[(&str, &str)]) -> ReadOptions {
    let mut options = options();
    options.columns = columns
        .iter()
        .map(|(field, place)| ((*field).to_owned(), (*place).to_owned()))
        .collect();
    options
}

fn first(report: &FeedReport) -> (u64, Option<&str>, Option<&str>, Option<u64>) {
    assert_eq!(report.refused, None);
    let read = &report.vehicles[0];
    let vehicle = &read.vehicle;
    (
        read.row,
        vehicle.vin.as_deref(),
        vehicle.make.as_deref(),
        vehicle.list_price,
    )
}

const FILE: &str = "A1,1HGCV1F35KA000001,2019,Honda,18950,17001\nA2,,2020,Kia,9000,8001\n";

#[test]
fn columns_are_read_by_the_places_that_the_dealer_gives() {
    let mut options = positions(&[
        ("stock", "#1"),
        ("vin", " #2 "),
        ("year", "#3"),
        ("make", "#4"),
    ]);
    options.price.column = Some("#5".to_owned());
    let report = read(FILE.as_bytes(), &options);
    assert_eq!((report.header, report.layout), (false, Layout::Positions));
    assert_eq!((report.rows, report.published), (2, 2));
    assert_eq!(
        first(&report),
        (1, Some("1HGCV1F35KA000001"), Some("Honda"), Some(18_950))
    );
    let headers: Vec<_> = report
        .columns
        .iter()
        .map(|column| (column.header.as_str(), column.field))
        .collect();
    assert_eq!(headers[1], ("#2", Some("vin")));
    assert_eq!(headers[5], ("#6", None), "what no place names stays unread");
}

#[test]
fn a_first_line_of_words_is_data_where_places_are_named() {
    let options = positions(&[("stock", "#1"), ("make", "#2")]);
    let report = read(b"A1|Honda\nA2|Kia\n", &options);
    assert_eq!(report.published, 2);
    assert_eq!(report.delimiter, Some('|'));

    let options = positions(&[("stock", "#1"), ("make", "#2")]);
    let report = read(b"Nummer|Marke\nA1|Honda\n", &options);
    assert_eq!(
        (report.header, report.published),
        (true, 1),
        "names nobody knows are names"
    );
}

#[test]
fn without_places_the_refusal_shows_how_to_name_them() {
    for (file, words) in [
        (FILE, "`vin = \"#2\"`"),
        ("A1|Honda|Fit|18950\nA2|Kia|Rio|9000\n", "`vin = \"#1\"`"),
        ("A1;https://www.example.com/a1\n", "columns"),
    ] {
        let refusal = read(file.as_bytes(), &options()).refused.expect("refused");
        assert_eq!(refusal.code, RefusalCode::NoHeader);
        assert!(refusal.message.contains(words), "{}", refusal.message);
    }
}

#[test]
fn a_place_names_a_column_under_a_header_too_but_never_a_cost() {
    let report = read(
        b"Stock,Make,Cost\nA1,Honda,17001\n",
        &positions(&[("model", "#2")]),
    );
    assert_eq!(
        report.vehicles[0].vehicle.model.as_deref(),
        Some("Honda"),
        "the dealer says so"
    );
    for (place, code) in [
        ("#3", RefusalCode::ForbiddenColumn),
        ("#4", RefusalCode::MissingColumn),
        ("#0", RefusalCode::MissingColumn),
        ("#-1", RefusalCode::MissingColumn),
    ] {
        let report = read(
            b"Stock,Make,Cost\nA1,Honda,17001\n",
            &positions(&[("notes", place)]),
        );
        assert_eq!(report.refused.expect("refused").code, code, "{place}");
    }
}

#[test]
fn the_list_of_photos_beside_the_vehicles_is_no_feed() {
    let report = read(
        b"DealerId,VehicleId,VersionDate,URL,ImageSequence\n7,A1,2026-04-01,https://p.example.com/1.jpg,1\n",
        &options(),
    );
    let refusal = report.refused.expect("refused");
    assert_eq!(refusal.code, RefusalCode::UnknownFormat);
    assert!(refusal.message.contains("photos"), "{}", refusal.message);
}
