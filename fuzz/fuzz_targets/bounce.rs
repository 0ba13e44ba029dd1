//! A mail that came to the envelope sender of the leads.

#![no_main]

use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use outside::bounces::read;

/// A panic that `read` catches is none; one that leaves it still ends the run.
static QUIET: Once = Once::new();

fuzz_target!(|mail: &[u8]| {
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let report = read(mail);
    assert!(report.about.len() <= 8);
    let reason = report.reason();
    // Our own words, and at most the name of a host.
    assert!(reason.len() < 250, "{reason}");
    assert!(!reason.contains('@'), "{reason}");
});
