//! A product file in XML, or bytes in an item of Google's product feed: it ends as a table or with a reason. Of
//! a document that breaks off, the rows before are those of the whole one.

#![no_main]

use analyst::table::{Format, Limits};
use analyst::{Table, Unreadable};
use forecourt_fuzz::table::check;
use libfuzzer_sys::fuzz_target;

const BEFORE: &str = "<rss xmlns:g='http://base.google.com/ns/1.0'><channel><item><g:id>1</g:id>\
                      <g:price>9 EUR</g:price></item><item><g:id>2</g:id><g:description>";
const AFTER: &str = "</g:description></item></channel></rss>";

fuzz_target!(|bytes: &[u8]| {
    if bytes.trim_ascii_start().starts_with(b"<") {
        let _ = read(bytes);
    }
    // What an encoding makes of the item must not reach the one before.
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let feed = [BEFORE, text, AFTER].concat();
    if let Ok(table) = read(feed.as_bytes()) {
        assert_eq!(table.reading().format, Some(Format::Xml));
        let id = table.columns().iter().find(|column| column.header() == "id");
        assert_eq!(id.and_then(|id| id.text(0)), Some("1"));
    }
});

fn read(file: &[u8]) -> Result<Table, Unreadable> {
    let read = Table::read_catalog("file.xml", file, &Limits::default(), &[]);
    match &read {
        Ok(table) => check(table, file.len()),
        Err(reason) => assert!(!reason.to_string().is_empty()),
    }
    read
}
