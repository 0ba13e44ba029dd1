//! Records, their lines, and rows that do not fit the header.

use super::super::FindingCode;
use super::{places, report, stocks};

#[test]
fn rows_count_as_a_text_editor_counts_lines() {
    let text = "Stock,Comments,Year\n\nA1,\"two\nlines\",2019\nA2,one,20x9\n\n\nA3,\"three\r\n\r\nlines\",20x9\nA4,,20x9\n";
    let found = report(text);
    let rows: Vec<u64> = found.vehicles.iter().map(|read| read.row).collect();
    assert_eq!(rows, [3, 5, 8, 11]);
    let bad_years: Vec<u64> = found.warnings.iter().map(|warning| warning.row).collect();
    assert_eq!(bad_years, [5, 8, 11]);
    assert_eq!(found.rows, 4);
    assert_eq!(
        found.vehicles[2].vehicle.description.as_deref(),
        Some("three\n\nlines")
    );

    for ending in ["\r\n", "\r"] {
        let text = "Stock,Year\nA1,2019\nA2,20x9\n".replace('\n', ending);
        assert_eq!(
            places(&report(&text).warnings),
            [(3, Some("Year"), FindingCode::BadYear)],
            "{ending:?}"
        );
    }
}

#[test]
fn a_carriage_return_inside_a_cell_ends_no_row() {
    let found = report("Stock,Comments,Make\r\nA1,nice\rcar,\"Honda\"\r\nA2,\"ok\",Kia\r\n");
    assert_eq!(stocks(&found), ["A1", "A2"]);
    assert_eq!(found.warnings, []);
    let first = &found.vehicles[0].vehicle;
    assert_eq!(first.description.as_deref(), Some("nice\ncar"));
    assert_eq!(first.make.as_deref(), Some("Honda"));
}

#[test]
fn a_row_with_missing_cells_is_not_shifted_but_skipped() {
    let found = report(
        "Stock,VIN,Make,Model,Price\nA1,,Honda,Accord,18950\nA2,,Honda 18950\nA3,,Kia,Rio,9000\n",
    );
    assert_eq!(stocks(&found), ["A1", "A3"]);
    assert_eq!(
        places(&found.skipped),
        [(3, Some("Model"), FindingCode::TooFewFields)]
    );
    assert!(
        found.skipped[0].message.contains("3 cells, the header 5"),
        "{}",
        found.skipped[0].message
    );
}

#[test]
fn a_row_with_surplus_cells_is_not_shifted_but_skipped() {
    let found =
        report("Stock,Comments,Price\nA1,nice, clean,18950\nA2,nice,9000,\nA3,nice,9000, ,,\n");
    assert_eq!(
        stocks(&found),
        ["A2", "A3"],
        "blank cells beyond the header lose nothing"
    );
    assert_eq!(
        places(&found.skipped),
        [(2, None, FindingCode::TooManyFields)]
    );
    assert!(
        found.skipped[0].message.contains("4 cells, the header 3"),
        "{}",
        found.skipped[0].message
    );
}

#[test]
fn a_header_that_ends_with_a_delimiter_names_nothing_behind_it() {
    let found = report("Stock,VIN,Make,\nA1,,Honda,\nA2,,Kia\nA3,,Ford,x\nA4,\n");
    assert_eq!(stocks(&found), ["A1", "A2", "A3"]);
    assert_eq!(
        places(&found.skipped),
        [(5, Some("Make"), FindingCode::TooFewFields)]
    );
}

#[test]
fn a_header_between_the_rows_is_no_unit() {
    let found = report("Stock,VIN,Make\nA1,,Honda\n Stock,VIN,Make\nA2,,Kia\n");
    assert_eq!(stocks(&found), ["A1", "A2"]);
    assert_eq!((found.rows, found.warnings.len()), (2, 0));
}

#[test]
fn a_file_whose_lines_end_with_carriage_returns_may_have_line_feeds_in_its_cells() {
    let found = report("Stock,Comments,Year\rA1,\"one\ntwo\",2019\rA2,x,20x9\r");
    assert_eq!(stocks(&found), ["A1", "A2"]);
    assert_eq!(
        places(&found.warnings),
        [(4, Some("Year"), FindingCode::BadYear)]
    );
}

#[test]
fn blank_rows_are_no_rows() {
    let found = report("Stock,Make,Model\nA1,Honda,Fit\n,,\n , ,\n\n");
    assert_eq!((found.rows, found.skipped.len()), (1, 0));
}

#[test]
fn inch_marks_do_not_eat_the_file() {
    let found = report(
        "Stock,Trim,Comments,Make\n\
         A1,XL 5'7\" Box,16\" wheels,Ford\n\
         A2,\"5'7\" Box, long\",\"clean\",Ford\n\
         A3,\"Loaded\" truck,clean,Ford\n\
         A4,\"Loaded truck,clean,Ford\n\
         A5,XL,\"clean\",Ford\n\
         A6,XL,\"the 16\"\" kind, and\n20\" too\",Ford\n\
         A7,XL,\"a\nb\",Ford\n",
    );
    assert_eq!(found.skipped, []);
    let cells: Vec<_> = found
        .vehicles
        .iter()
        .map(|read| {
            let vehicle = &read.vehicle;
            (
                read.row,
                vehicle.trim.as_deref().unwrap_or_default(),
                vehicle.description.as_deref().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(
        cells,
        [
            (2, "XL 5'7\" Box", "16\" wheels"),
            (3, "5'7\" Box, long", "clean"),
            (4, "\"Loaded\" truck", "clean"),
            (5, "\"Loaded truck", "clean"),
            (6, "XL", "clean"),
            (7, "XL", "the 16\" kind, and\n20\" too"),
            (9, "XL", "a\nb"),
        ]
    );
    let mended: Vec<u64> = found.warnings.iter().map(|warning| warning.row).collect();
    assert_eq!(mended, [3, 4, 5, 7]);
    assert!(
        found
            .warnings
            .iter()
            .all(|warning| warning.code == FindingCode::StrayQuote)
    );
}

#[test]
fn a_quote_that_is_never_closed_costs_one_row_at_most() {
    let found = report("Stock,Comments,Make\nA1,\"oops\nA2,ok,Ford\nA3,ok,Kia\n");
    assert_eq!(stocks(&found), ["A2", "A3"]);
    assert_eq!(
        places(&found.skipped),
        [(2, Some("Make"), FindingCode::TooFewFields)]
    );

    // A quote further down closes it, and the joined rows have the right number of cells.
    let found =
        report("Stock,Comments,Make\nA1,\"oops,Ford\nA2,\"ok\",Ford\nA3,\"first\nsecond\",Kia\n");
    assert_eq!(stocks(&found), ["A1", "A2", "A3"]);
    assert_eq!(
        found.vehicles[2].vehicle.description.as_deref(),
        Some("first\nsecond")
    );
}

#[test]
fn files_of_stray_quotes_take_no_longer_than_their_length() {
    let text = format!("Stock,Make\n{}", "\"a\"b\n".repeat(50_000));
    assert_eq!(report(&text).rows, 50_000);
}

#[test]
fn warnings_beyond_what_a_person_reads_are_counted() {
    let text = format!(
        "Stock,Year\n{}",
        (0..10_500)
            .map(|at| format!("A{at},soon\n"))
            .collect::<String>()
    );
    let found = report(&text);
    assert_eq!(found.published, 10_500);
    assert_eq!(found.warnings.len(), 10_001);
    let last = found.warnings.last().expect("a warning");
    assert_eq!(last.code, FindingCode::MoreWarnings);
    assert!(last.message.contains("500 more"), "{}", last.message);
}

#[test]
fn skipped_rows_beyond_what_a_person_reads_are_counted() {
    let text = format!("Stock,Make\nA1,Ford\n{}", "A\n".repeat(10_500));
    let found = report(&text);
    assert_eq!((found.published, found.rows_skipped), (1, 10_500));
    assert_eq!(found.skipped.len(), 10_001);
    let last = found.skipped.last().expect("a finding");
    assert_eq!(last.code, FindingCode::MoreRows);
    assert!(last.message.contains("500 more rows"), "{}", last.message);
}

#[test]
fn a_line_that_ends_otherwise_than_the_others_is_called_that() {
    let found = report("Stock,Make,Model\nA1,Ford,Focus\rA2,Ford,Fiesta\nA3,Ford,Edge\n");
    assert_eq!(stocks(&found), ["A3"]);
    assert!(
        found.skipped[0].message.contains("carriage return alone"),
        "{}",
        found.skipped[0].message
    );
}
