//! Damaged files: no row is lost without a word.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn skipped(table: &Table, line: u64, words: &str) {
    let found = table.reading().skipped.iter().find(|(at, _)| *at == line);
    let reason = found.map(|(_, reason)| reason.as_str());
    assert!(
        reason.is_some_and(|reason| reason.contains(words)),
        "{:?}",
        table.reading()
    );
}

#[test]
fn short_rows_are_kept_and_long_ones_left_out_with_their_lines() {
    let table = read(
        "sku,name,price\n# exported on Monday\nA1,Chair,10\nA2,Table\nA3,Bench, wide,30\nA4,Stool,40,,\n,,\nA5,Lamp,50\n",
    );
    assert_eq!(texts(&table, "sku"), ["A1", "A2", "A4", "A5"]);
    assert_eq!(texts(&table, "price"), ["10", "∅", "40", "50"]);
    assert_eq!(table.reading().skipped.len(), 1);
    skipped(&table, 5, "4 cells where the header has 3");
    assert_eq!(table.reading().comments, 1);
    assert_eq!(table.reading().empty_rows, 1);
    let remarks = table.reading().remarks.join(" ");
    assert!(
        remarks.contains("1 row is shorter than the header (line 4)"),
        "{remarks}"
    );
    assert!(remarks.contains("1 line is a comment"), "{remarks}");
}

#[test]
fn a_row_that_begins_with_a_hash_is_a_row() {
    let table = read("#,name,price\n#1,Chair,10\n#2,Table,20\n");
    assert_eq!(table.rows(), 2);
}

#[test]
fn rows_that_are_all_longer_than_the_header_keep_their_cells() {
    let table = read("sku,price\nA1,10,red\nA2,20,blue\nA3,30,\n");
    assert_eq!(table.rows(), 3);
    assert_eq!(texts(&table, "column 3"), ["red", "blue", "∅"]);
    assert!(table.reading().remarks[0].contains("The header names 2 columns and rows have 3"));
}

#[test]
fn a_quote_that_is_never_closed_costs_its_line_alone() {
    for (file, line) in [
        (
            "sku,name,price\nA1,Chair,10\nA2,\"Table,20\nA3,Bench,30\nA4,Stool,40\n",
            3,
        ),
        // Here the next quote closes it, in the middle of a cell.
        (
            "sku,name,price\nA1,Chair,10\nA2,\"Table,20\nA3,\"Bench\",30\nA4,Stool,40\n",
            3,
        ),
    ] {
        let table = read(file);
        assert_eq!(texts(&table, "sku"), ["A1", "A3", "A4"]);
        assert_eq!(texts(&table, "name"), ["Chair", "Bench", "Stool"]);
        assert_eq!(table.reading().skipped.len(), 1);
        skipped(&table, line, "a quote that is never closed");
    }
}

#[test]
fn after_an_open_quote_reading_goes_on_at_the_next_whole_row() {
    let table = read("sku,text,price\nA1,x,1\nA2,\"open <b>\nhalf of it\nA3,y,3\r\nA4,z,4\n");
    assert_eq!(texts(&table, "sku"), ["A1", "A3", "A4"]);
    skipped(&table, 3, "never closed");
    skipped(&table, 4, "has 1 cells where rows have 3");
}

#[test]
fn lines_within_quotes_are_one_row_and_lines_are_still_counted() {
    let table =
        read("sku,text,price\r\nA1,\"two\r\nlines, \"\"quoted\"\"\",1\r\nA2,short\r\nA3,x,3");
    assert_eq!(table.rows(), 3);
    assert_eq!(texts(&table, "text")[0], "two\r\nlines, \"quoted\"");
    let remarks = table.reading().remarks.join(" ");
    assert!(remarks.contains("(line 4)"), "{remarks}");
}

#[test]
fn quotes_behind_a_backslash_are_part_of_the_cell() {
    let table =
        read("sku;name;price\nA1;\"Readings \\\"of\\\" a; history\";10\nA2;\"24\\\" wheel\";20\n");
    assert_eq!(
        texts(&table, "name"),
        ["Readings \"of\" a; history", "24\" wheel"]
    );
    // A backslash at the end of a cell escapes nothing.
    let table = read("sku,path,price\nA1,\"C:\\img\\\",10\nA2,\"C:\\img\\\",20\n");
    assert_eq!(texts(&table, "path"), ["C:\\img\\", "C:\\img\\"]);
}

#[test]
fn a_repeated_header_in_the_middle_is_no_row() {
    let table = read("sku,price\nA1,10\nsku,price\nA2,20\n");
    assert_eq!(table.rows(), 2);
    skipped(&table, 3, "repeats the header");
}

#[test]
fn headers_that_stand_twice_are_reported() {
    let table = read("sku,price,price,\nA1,10,12,x\nA2,20,22,y\n");
    assert!(table.reading().remarks[0].contains("“price” stands 2 times, over the columns 2, 3"));
    let roles = table
        .columns()
        .iter()
        .filter(|column| column.role() == Some(Role::Price));
    assert_eq!(roles.count(), 1);
    assert_eq!(texts(&table, "column 4"), ["x", "y"]);
}

#[test]
fn a_file_with_more_damage_than_rows_is_refused() {
    let file = "sku,price\nA1,1\nA2,2\nA,1,2\nA,1,2\nA,1,2,3\nA,1,2,3,4\n";
    let Unreadable::Damaged {
        skipped,
        line,
        reason,
    } = refusal(file)
    else {
        panic!("it is read");
    };
    assert_eq!((skipped, line), (4, 4));
    assert_eq!(reason, "it has 3 cells where the header has 2");
}

#[test]
fn lines_that_each_open_a_quote_do_not_make_reading_slow() {
    // Each line, read by itself, opens a quote that runs to the end of the file.
    let file = format!("sku,name\n{}", "x\"y,\"z\n".repeat(50_000));
    assert!(matches!(refusal(file), Unreadable::Damaged { .. }));
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,8}",
        "[0-9]{1,4}([.,][0-9]{2})?",
        "[,;|\t\"\\\\#'a\n\r€é]{0,5}",
        Just("NULL".to_owned()),
    ]
}

proptest! {
    #[test]
    fn well_formed_rows_are_all_read_cell_by_cell(
        rows in prop::collection::vec(prop::collection::vec(cell(), 4), 1..40),
        delimiter in prop::sample::select(b",;\t|".to_vec()),
    ) {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        writer.write_record(["sku", "name", "price", "category"]).unwrap();
        for row in &rows {
            writer.write_record(row).unwrap();
        }
        let file = writer.into_inner().unwrap();
        // The delimiter of a file of little more than delimiters in quotes is anyone's guess.
        let mut stated = format!("sep={}\n", char::from(delimiter)).into_bytes();
        stated.extend(file);
        match Table::read("f", &stated, &Limits::default()) {
            Ok(table) => {
                let reading = table.reading();
                let counted = table.rows() as u64 + reading.empty_rows + reading.skipped.len() as u64;
                prop_assert_eq!(counted, rows.len() as u64, "{:?}", reading);
                prop_assert!(reading.skipped.is_empty(), "{:?}", reading);
                let kept = rows.iter().filter(|row| row.iter().any(|cell| !cell.trim().is_empty()));
                for (at, row) in kept.enumerate() {
                    for (column, expected) in table.columns().iter().zip(row) {
                        prop_assert_eq!(column.text(at), cells::value(expected));
                    }
                }
            }
            Err(refusal) => {
                let blank = rows.iter().all(|row| row.iter().all(|cell| cell.trim().is_empty()));
                prop_assert!(blank, "{}", refusal);
                prop_assert_eq!(refusal, Unreadable::HeaderOnly);
            }
        }
    }

    /// Whatever lines follow the header, each is in a row, or named, or counted.
    #[test]
    fn no_line_is_lost(lines in prop::collection::vec("[a-c,;\"\\\\#1. ]{0,12}", 1..40)) {
        let file = format!("sku,name,price\nA,b,1\nB,c,2\nC,d,3\nD,e,4\n{}", lines.join("\n"));
        if let Ok(table) = Table::read("f", file.as_bytes(), &Limits::default()) {
            let reading = table.reading();
            let (dialect, _) = dialect::detect(&file);
            let mut records = records::Records::new(&file, dialect);
            let mut record = csv::StringRecord::new();
            let mut covered = 0;
            let (mut entries, mut damaged) = (0, 0);
            while let Some(entry) = records.next(&mut record) {
                entries += 1;
                damaged += u64::from(matches!(entry, records::Entry::Damaged { .. }));
                let raw = records.raw();
                prop_assert_eq!(raw.start, covered);
                covered = raw.end;
            }
            prop_assert!(file[covered..].trim().is_empty());
            let header = u64::from(reading.header_line.is_some());
            let counted = header + table.rows() as u64 + reading.skipped.len() as u64
                + reading.empty_rows + reading.comments + reading.preamble;
            prop_assert_eq!(entries, counted, "{:?}", reading);
            prop_assert!(damaged <= reading.skipped.len() as u64);
            for column in table.columns() {
                prop_assert_eq!(column.symbol(table.rows()), None);
            }
        }
    }

    #[test]
    fn any_bytes_end_in_a_table_or_a_reason(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(table) = Table::read("f", &bytes, &Limits::default()) {
            for column in table.columns() {
                for row in 0..table.rows() {
                    let _ = (column.money(row), column.date(row), column.symbol(row));
                }
            }
        }
    }

    #[test]
    fn any_text_is_read_as_number_and_day_or_not_at_all(cell in "\\PC{0,20}|[0-9.,' €$-]{0,16}") {
        let number = number::parse(&cell).and_then(|parsed| parsed.value(false));
        let _ = date::parse(&cell);
        // A number is never made of cells without digits.
        prop_assert!(number.is_none() || cell.bytes().any(|byte| byte.is_ascii_digit()));
    }
}
