//! Files of which nothing is taken.

use super::super::{FeedReport, ReadOptions, RefusalCode, read};
use super::options;

#[track_caller]
fn refused(bytes: &[u8], code: RefusalCode, words: &str) -> FeedReport {
    refused_with(bytes, &options(), code, words)
}

#[track_caller]
fn refused_with(bytes: &[u8], options: &ReadOptions, code: RefusalCode, words: &str) -> FeedReport {
    let report = read(bytes, options);
    let refusal = report.refused.clone().expect("the file is refused");
    assert_eq!(refusal.code, code, "{}", refusal.message);
    assert!(refusal.message.contains(words), "{}", refusal.message);
    assert!(report.kept_last_good);
    assert_eq!((report.published, report.vehicles.len()), (0, 0));
    report
}

#[test]
fn nothing_is_no_feed() {
    refused(b"", RefusalCode::Empty, "empty");
    refused(b"\xEF\xBB\xBF \r\n\t", RefusalCode::Empty, "empty");
}

#[test]
fn a_header_alone_does_not_take_the_stock_down() {
    let report = refused(b"Stock,VIN,Make\r\n\r\n", RefusalCode::NoRows, "no rows");
    assert!(report.header);
    refused(
        b"Stock,VIN,Make\n,,\n , -,\n",
        RefusalCode::NoRows,
        "no rows",
    );
}

#[test]
fn an_error_page_is_named_as_one() {
    refused(
        b"<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>",
        RefusalCode::HtmlPage,
        "web page",
    );
    refused(
        b"\n  <HTML lang=\"en\"><head>",
        RefusalCode::HtmlPage,
        "web page",
    );
    refused(
        b"<?xml version=\"1.0\"?><html xmlns=\"x\">",
        RefusalCode::HtmlPage,
        "web page",
    );
    refused(
        b"<h1>Service Unavailable</h1>",
        RefusalCode::HtmlPage,
        "web page",
    );
}

#[test]
fn programs_data_is_no_text() {
    refused(
        b"Stock,VIN\nA\0,1\n",
        RefusalCode::NotText,
        "zero bytes, as an archive or a program's own file does, the first in line 2",
    );
    refused(
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0",
        RefusalCode::Spreadsheet,
        "save it as CSV",
    );
    refused(b"7z\xBC\xAF\x27\x1C\0\x04", RefusalCode::NotText, "7-Zip");
    refused(
        b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n",
        RefusalCode::NotText,
        "PDF",
    );
}

#[test]
fn a_file_without_a_header_is_told_by_its_first_line() {
    refused(
        b"A1,1HGCV1F35KA000001,2019,Honda\n",
        RefusalCode::NoHeader,
        "1HGCV1F35KA000001",
    );
    let report = refused(b"404 Not Found\n", RefusalCode::NoHeader, "404 Not Found");
    assert!(!report.header);
    refused(
        format!("{}\n", "x,".repeat(3_000)).as_bytes(),
        RefusalCode::NoHeader,
        "3001 cells",
    );
}

#[test]
fn a_table_must_tell_its_units_apart() {
    let report = refused(
        b"Year,Make,Model\n2019,Honda,Accord\n",
        RefusalCode::NoIdentifierColumn,
        "VIN",
    );
    assert!(report.header);
    assert_eq!(report.columns.len(), 3);
}

#[test]
fn a_file_that_ends_within_a_row_is_cut_off() {
    refused(
        b"Stock,VIN,Make\nA1,,Honda\nA2,,Ho\nA3,1HG",
        RefusalCode::CutOff,
        "line 4",
    );
    refused(
        b"Stock,Make,Comments\nA1,Honda,\"ok\"\nA2,Honda,\"One ow",
        RefusalCode::CutOff,
        "line 3",
    );
    refused(
        b"Stock,Make,Comments\nA1,Honda,\"ok\"\nA2,Honda,\"One\nowner, no",
        RefusalCode::CutOff,
        "line",
    );
    // The line break at the end is one within the cell.
    refused(
        b"Stock,Make,Comments\r\nA1,Honda,\"ok\"\r\nA2,Honda,\"One owner,\r\n",
        RefusalCode::CutOff,
        "line 3",
    );
    refused(
        b"Stock,Comments,Make\nA1,\"ok\",Kia\nA2,\"One\nowner\n",
        RefusalCode::CutOff,
        "line",
    );
    assert_eq!(
        read(b"Stock,Comments,Make\nA1,\"One owner,Honda\n", &options()).refused,
        None,
        "a whole row, its quote is text"
    );
    // A last line without a line break is whole when it has all its cells, and a vendor that
    // leaves cells out does so elsewhere too.
    assert_eq!(read(b"Stock,Make\nA1,Honda", &options()).refused, None);
    assert_eq!(
        read(b"Stock,Make\nA1\nA2,Honda\nA3", &options()).refused,
        None
    );
}

#[test]
fn rows_of_which_none_is_published_do_not_take_the_stock_down() {
    let report = refused(
        b"Stock,Make\n,Honda\n",
        RefusalCode::NothingToPublish,
        "skipped",
    );
    assert_eq!(report.skipped.len(), 1);
    let mut elsewhere = options();
    elsewhere.rooftops = vec![("N1".to_owned(), "North".to_owned())];
    refused_with(
        b"DealerID,Stock\nX9,A1\n",
        &elsewhere,
        RefusalCode::NothingToPublish,
        "none of the 1 rows",
    );
}

#[test]
fn a_feed_that_calls_every_unit_sold_means_it() {
    let report = read(b"Stock,Status\nA1,Sold\nA2,Sold\n", &options());
    assert_eq!(report.refused, None);
    assert_eq!((report.published, report.sold.len()), (0, 2));
}

#[test]
fn the_configuration_must_name_what_is_there() {
    let mut named = options();
    for (field, header) in [
        ("trim", "Series Detail"),
        ("colour", "Color"),
        ("notes", "Invoice"),
    ] {
        named.columns.insert(field.to_owned(), header.to_owned());
    }
    named.price.column = Some("Our Price".to_owned());
    let report = refused_with(
        b"Stock,Color,Invoice\nA1,Red,9000\n",
        &named,
        RefusalCode::UnknownField,
        "`colour`",
    );
    let message = report.refused.expect("refused").message;
    for part in [
        "exterior_color",
        "`Series Detail`",
        "`Our Price`",
        "`Invoice`, which is never published",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn cost_columns_cannot_be_named_as_the_price() {
    for header in [
        "Invoice",
        "SALESCOST",
        "price_wholesale",
        "ACV",
        "Cost Price",
        "Floor Plan Amount",
    ] {
        let mut named = options();
        named.price.column = Some(header.to_owned());
        named.price.advertised = true;
        let file = format!("Stock,{header}\nA1,9000\n");
        refused_with(
            file.as_bytes(),
            &named,
            RefusalCode::ForbiddenColumn,
            header,
        );
    }
}

#[test]
fn a_file_of_more_rows_than_a_feed_has_is_too_large() {
    let file = format!("Stock,Make\n{}", "A\n".repeat(2_000_001));
    let report = refused(file.as_bytes(), RefusalCode::TooLarge, "2000000 rows");
    assert_eq!(report.skipped.len(), 10_001);
}

#[test]
fn a_named_column_that_is_missing_is_told_beside_those_that_are_there() {
    let mut options = options();
    options.price.column = Some("Internet Price".to_owned());
    refused_with(
        b"Access denied,code 7\n",
        &options,
        RefusalCode::MissingColumn,
        "`Internet Price`, which the file does not have; its columns are `Access denied`, `code 7`",
    );
}

#[test]
fn a_named_column_that_stands_twice_is_not_guessed() {
    let file = b"Stock,Price,Price\nA1,20000,21000\n";
    let mut options = options();
    options.price.advertised = true;
    options.price.column = Some("Price".to_owned());
    refused_with(
        file,
        &options,
        RefusalCode::AmbiguousColumn,
        "columns 2 and 3 of the file are called so; name it by its place, for example `#2`",
    );
    options.price.column = Some("#3".to_owned());
    let report = read(file, &options);
    assert_eq!(report.vehicles[0].vehicle.price, Some(21_000));
}
