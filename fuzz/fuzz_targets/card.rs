//! The document of an agent's card: it is read, judged and looked into for signatures to its end, and what
//! was read can be written for each generation and read again.

#![no_main]

use a2a::card::{check, read, signing};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|document: &[u8]| {
    let Ok(found) = read(document) else {
        assert!(check(document).is_err());
        return;
    };
    for warning in &found.warnings {
        assert!(warning.pointer.is_empty() || warning.pointer.starts_with('/'));
    }
    check(document).expect("what can be read can be judged");
    assert!(
        signing::verify(document, |_| None).is_err(),
        "there is no key"
    );

    let written = serde_json::to_vec(&found.card).expect("a card can be written");
    let again = read(&written).expect("what is written can be read");
    assert_eq!(again.card, found.card);
    for other in [found.card.in_0_3(), found.card.in_both()]
        .into_iter()
        .flatten()
    {
        read(other.get().as_bytes()).expect("a card for 0.3 is a card");
    }
});
