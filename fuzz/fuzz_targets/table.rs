//! A seller's CSV file as it arrives: it ends as a table or with a reason, and every record is accounted for.

#![no_main]

use analyst::Table;
use analyst::table::Limits;
use forecourt_fuzz::table::check;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    match Table::read("file.csv", file, &Limits::default()) {
        Ok(table) => check(&table, file.len()),
        Err(reason) => assert!(!reason.to_string().is_empty()),
    }
});
