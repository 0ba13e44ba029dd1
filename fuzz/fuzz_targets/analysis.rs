//! A question and the files that come with it: the question in the first line, a CSV file below it, and behind a
//! record separator a second one.

#![no_main]

use analyst::table::Limits;
use analyst::{Attachment, Sources, Table};
use forecourt_fuzz::answer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|message: &[u8]| {
    let mut parts = message.splitn(2, |byte| *byte == b'\n');
    let question = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let files = parts.next().unwrap_or_default().splitn(2, |byte| *byte == 0x1E);
    let mut sources = Sources::default();
    for (place, file) in files.enumerate() {
        let name = format!("{place}.csv");
        let attachment = match Table::read(&name, file, &Limits::default()) {
            Ok(table) => Attachment::Table(table),
            Err(reason) => Attachment::Unreadable { name, reason },
        };
        sources.attached.push(attachment);
    }
    answer::check(&question, &sources);
});
