//! A file of another system's leads, as it is, within an ADF document, and as the body of a mail: it is read
//! to its end, and every finding about it has a place in it. What was read of a person is text that a document
//! can hold.

#![no_main]

use leads::adf::{check, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for (before, after) in [
        ("", ""),
        ("<adf><prospect>", "</prospect></adf>"),
        (
            "From: a@example.com\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n<adf>",
            "",
        ),
    ] {
        file(&[before.as_bytes(), bytes, after.as_bytes()].concat());
    }
});

fn file(bytes: &[u8]) {
    let lines = 1 + bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
    for finding in check(bytes) {
        assert!(finding.column > 0 && (1..=lines).contains(&finding.line));
    }
    let reading = read(bytes);
    assert!(!reading.prospects.is_empty() || !reading.doubts.is_empty());
    for doubt in &reading.doubts {
        assert!(
            doubt
                .prospect
                .is_none_or(|number| number <= reading.prospects.len())
        );
    }
    for prospect in &reading.prospects {
        let customer = &prospect.customer;
        for name in [&customer.first_name, &customer.last_name] {
            assert!(!name.chars().any(char::is_control), "{name:?}");
        }
    }
}
