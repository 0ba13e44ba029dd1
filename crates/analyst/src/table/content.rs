//! What a file is by its first bytes, where it is no CSV file.

use memchr::memmem;

use super::Unreadable;

/// First bytes of formats that people attach in place of a CSV file.
const MAGIC: &[(&[u8], &str)] = &[
    (b"%PDF-", "a PDF document"),
    (b"\x1F\x8B", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xFD7zXZ\0", "an xz archive"),
    (b"\x28\xB5\x2F\xFD", "a Zstandard archive"),
    (b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive"),
    (b"Rar!\x1A\x07", "a RAR archive"),
    (b"\x89PNG\r\n\x1A\n", "a PNG image"),
    (b"\xFF\xD8\xFF", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"{\\rtf", "an RTF document"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x7FELF", "a program"),
];

/// Refuses what its first bytes show to be another format.
pub(super) fn refuse_other_formats(bytes: &[u8]) -> Result<(), Unreadable> {
    if let Some((_, name)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(Unreadable::OtherFormat(name));
    }
    if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        return Err(Unreadable::OtherFormat("a WebP image"));
    }
    if bytes.starts_with(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1") {
        return Err(Unreadable::Workbook("an Excel 97 workbook (xls)"));
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return Err(zip(bytes));
    }
    Ok(())
}

/// Names of members stand in a zip archive uncompressed, the first near its beginning.
fn zip(bytes: &[u8]) -> Unreadable {
    const BEGINNING: usize = 8 * 1024;
    let beginning = &bytes[..bytes.len().min(BEGINNING)];
    let names = |member: &[u8]| memmem::find(beginning, member).is_some();
    if names(b"xl/") {
        Unreadable::Workbook("an Excel workbook (xlsx)")
    } else if names(b"opendocument.spreadsheet") {
        Unreadable::Workbook("an OpenDocument spreadsheet (ods)")
    } else if names(b"[Content_Types].xml") {
        Unreadable::Workbook("an Office document")
    } else {
        Unreadable::OtherFormat("a zip archive")
    }
}

/// Refuses a page of the web, such as a server's error page.
pub(super) fn refuse_pages(text: &str) -> Result<(), Unreadable> {
    const OPENINGS: [&str; 4] = ["<!doctype html", "<html", "<head", "<table"];
    let opening = opening(text);
    let is_page = OPENINGS.iter().any(|start| {
        let behind = opening.strip_prefix(start);
        behind.is_some_and(|behind| !behind.starts_with(|next: char| next.is_alphanumeric()))
    });
    match is_page {
        true => Err(Unreadable::OtherFormat("an HTML page")),
        false => Ok(()),
    }
}

/// Refuses text that is written in another language than CSV.
pub(super) fn refuse_other_languages(text: &str) -> Result<(), Unreadable> {
    const OPENINGS: &[(&str, &str)] = &[
        ("<?xml", "an XML document"),
        ("<rss", "an XML document"),
        ("<!doctype", "an XML document"),
        ("{\"", "JSON"),
        ("[{", "JSON"),
        ("[\"", "JSON"),
    ];
    refuse_pages(text)?;
    let opening = opening(text);
    // `{ "` and `[ {` likewise.
    let json: String = opening.split_whitespace().collect();
    let format = OPENINGS.iter().find(|(start, _)| {
        opening.starts_with(start) || (!start.starts_with('<') && json.starts_with(start))
    });
    match format {
        Some((_, name)) => Err(Unreadable::OtherFormat(name)),
        None => Ok(()),
    }
}

/// The first letters of a text, as small ones.
fn opening(text: &str) -> String {
    const LONGEST: usize = 16;
    text.trim_start()
        .chars()
        .take(LONGEST)
        .flat_map(char::to_lowercase)
        .collect()
}

/// Refuses text with NUL, and text with more control characters than a damaged file has.
pub(super) fn refuse_binary(text: &str) -> Result<(), Unreadable> {
    const SAMPLE: usize = 64 * 1024;
    const PER_CENT: usize = 2;
    let bytes = text.as_bytes();
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let controls = sample
        .iter()
        .filter(|byte| matches!(byte, 1..=8 | 14..=31 | 127))
        .count();
    if controls * 100 > sample.len() * PER_CENT {
        return Err(Unreadable::Binary);
    }
    match memchr::memchr(0, bytes) {
        Some(at) => Err(Unreadable::Nul {
            line: 1 + lines(&bytes[..at]),
        }),
        None => Ok(()),
    }
}

/// How many lines end in these bytes.
pub(super) fn lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}
