//! What holds for every table that was read of a seller's file.

use analyst::Table;

/// Checks a table of a file with so many bytes.
pub fn check(table: &Table, bytes: usize) {
    let limits = analyst::table::Limits::default();
    assert!(table.rows() > 0 && table.rows() <= limits.rows);
    assert!(table.reading().skipped.len() <= table.rows());
    let lines = bytes as u64 + 1;
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
}
