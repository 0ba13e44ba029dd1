//! A seller's CSV file as it arrives: it ends as a table or with a reason, and every record is accounted for.

#![no_main]

use analyst::Table;
use analyst::table::Limits;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let limits = Limits::default();
    let table = match Table::read("file.csv", file, &limits) {
        Ok(table) => table,
        Err(reason) => {
            assert!(!reason.to_string().is_empty());
            return;
        }
    };
    assert!(table.rows() > 0 && table.rows() <= limits.rows);
    assert!(table.reading().skipped.len() <= table.rows());
    let lines = file.len() as u64 + 1;
    for (line, reason) in &table.reading().skipped {
        assert!((1..=lines).contains(line) && !reason.is_empty());
    }
    for column in table.columns() {
        let role = column.role();
        let same = table.columns().iter().filter(|other| other.role() == role);
        assert!(role.is_none() || same.count() == 1, "{role:?} twice");
        for row in 0..table.rows() {
            let text = column.text(row);
            assert_eq!(column.symbol(row).map(|it| column.symbol_text(it)), text);
            let numbers = (column.number(row), column.money(row), column.date(row));
            assert!(text.is_some() || numbers == (None, None, None));
        }
        assert_eq!(column.text(table.rows()), None);
    }
    if let Some(items) = table.items() {
        let mut rows: Vec<u32> = items.concat();
        rows.sort_unstable();
        assert!(rows.into_iter().eq(0..table.rows() as u32), "each row is in one item");
    }
});
