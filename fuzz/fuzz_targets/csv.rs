//! A feed file as it arrives, in whatever form: it ends with a report. A column of costs before the others
//! changes nothing that is published.

#![no_main]

use forecourt_fuzz::{check, keeps_costs_to_itself};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    check(file);
    keeps_costs_to_itself(file, |cost, amount| with_column(file, cost, amount));
});

/// The file with one more column, the first. Quotes become apostrophes, so that no quoted cell holds what
/// begins a line.
fn with_column(file: &[u8], header: &str, cell: &str) -> Vec<u8> {
    let mut table = Vec::with_capacity(2 * file.len());
    for (at, line) in file.split(|byte| matches!(byte, b'\r' | b'\n')).enumerate() {
        let first = if at == 0 { header } else { cell };
        table.extend_from_slice(first.as_bytes());
        table.push(b',');
        table.extend(line.iter().map(|byte| match byte {
            b'"' => b'\'',
            other => *other,
        }));
        table.push(b'\n');
    }
    table
}
