//! An XML document, or bytes in an element of a unit: they end with a report. One more cost in every
//! element changes nothing that is published.

#![no_main]

use forecourt_fuzz::{check, keeps_costs_to_itself};
use inventory::feed::{Format, RefusalCode};
use libfuzzer_sys::fuzz_target;
use quick_xml::{Reader, events::Event};

fuzz_target!(|bytes: &[u8]| {
    let unit = b"<cars><car><stock>A1</stock><price>19000</price><comments>";
    let wrapped = [unit, bytes, b"</comments></car></cars>"].concat();
    let report = check(&wrapped);
    let early = report.refused.map(|refusal| refusal.code);
    assert!(report.format == Format::Xml || early == Some(RefusalCode::NotText));
    if bytes.trim_ascii_start().starts_with(b"<") {
        check(bytes);
        plant_costs(bytes);
    }
    plant_costs(&wrapped);
});

fn plant_costs(file: &[u8]) {
    // An escape character may change what the bytes after it mean, in encodings that a document can declare.
    let Ok(text) = std::str::from_utf8(file) else {
        return;
    };
    if text.contains('\u{1B}') {
        return;
    }
    keeps_costs_to_itself(file, |cost, amount| {
        with_element(text, &cost.replace(' ', "_"), amount)
    });
}

/// The document with one more element at the beginning of each that it has.
fn with_element(text: &str, name: &str, value: &str) -> Vec<u8> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().allow_dangling_amp = true;
    let mut document = String::with_capacity(2 * text.len());
    let mut copied = 0;
    let mut depth = 0_u32;
    while let Ok(event) = reader.read_event() {
        let end = reader.buffer_position() as usize;
        document.push_str(&text[copied..end]);
        copied = end;
        match event {
            Event::Start(_) => {
                depth += 1;
                // Elements of the document's own element are units, not values.
                if depth > 1 {
                    document.push_str(&format!("<{name}>{value}</{name}>"));
                }
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::Eof => break,
            _ => {}
        }
    }
    document.push_str(&text[copied..]);
    document.into_bytes()
}
