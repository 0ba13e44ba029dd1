//! A mail that came to the envelope sender of the leads.

#![no_main]

use libfuzzer_sys::fuzz_target;
use outside::bounces::read;

fuzz_target!(|mail: &[u8]| {
    let report = read(mail);
    assert!(report.about.len() <= 8);
    let reason = report.reason();
    // Our own words, and at most the name of a host.
    assert!(reason.len() < 250, "{reason}");
    assert!(!reason.contains('@'), "{reason}");
});
