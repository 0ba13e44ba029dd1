//! Archives: a file packed as `.gz` or `.zip`, unpacked in memory.

use std::io::{Cursor, ErrorKind, Read};

use flate2::read::MultiGzDecoder;
use zip::ZipArchive;
use zip::result::ZipError;

use super::report::{Container, Refusal, RefusalCode};

/// Bytes that a file may have when it is unpacked.
const MOST_BYTES: u64 = 512 * 1024 * 1024;

/// How many times its packed size a file may have. Text of vehicles stays far below it; only a
/// file made to fill the memory comes near the thousand that the method can give.
const MOST_RATIO: u64 = 250;

/// A file of this size is taken whatever its ratio.
const ALWAYS_BYTES: u64 = 16 * 1024 * 1024;

/// Entries that an archive may list.
const MOST_ENTRIES: usize = 1_000;

/// What a file is packed in, by its first bytes.
pub(super) fn of(bytes: &[u8]) -> Option<Container> {
    if bytes.starts_with(b"\x1F\x8B") {
        Some(Container::Gzip)
    } else if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        Some(Container::Zip)
    } else {
        None
    }
}

/// The one file in an archive.
///
/// # Errors
/// The archive is broken, does not hold exactly one feed file, or unpacks to more than a feed has.
pub(super) fn unpack(container: Container, bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
    let content = match container {
        Container::Gzip => gunzip(bytes),
        Container::Zip => unzip(bytes),
    }?;
    if of(&content).is_some() || is_tar(&content) {
        return Err(archive(
            "the file in the archive is an archive itself; expected one text file, packed once",
        ));
    }
    Ok(content)
}

/// Refuses files of programs that a vendor may send by mistake, by name.
pub(super) fn refuse_programs_files(bytes: &[u8]) -> Result<(), Refusal> {
    const OLD_OFFICE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
    const OTHERS: [(&[u8], &str); 6] = [
        (b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive"),
        (b"Rar!\x1A\x07", "a RAR archive"),
        (b"\xFD7zXZ\0", "an xz archive"),
        (b"\x28\xB5\x2F\xFD", "a Zstandard archive"),
        (b"BZh", "a bzip2 archive"),
        (b"%PDF-", "a PDF document"),
    ];
    if bytes.starts_with(OLD_OFFICE) {
        return Err(spreadsheet());
    }
    let known = OTHERS.iter().find(|(magic, _)| bytes.starts_with(magic));
    // A text may begin with these letters.
    match known {
        Some((_, name)) if std::str::from_utf8(bytes).is_err() => Err(Refusal {
            code: RefusalCode::NotText,
            message: format!(
                "the file is {name}; expected text, or `.gz` or `.zip` with one text file"
            ),
        }),
        _ => Ok(()),
    }
}

fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
    read_within(MultiGzDecoder::new(bytes), bytes.len(), "gzip")
}

fn unzip(bytes: &[u8]) -> Result<Vec<u8>, Refusal> {
    let broken = |error: &ZipError| {
        malformed(format!(
            "the zip archive cannot be read ({error}), it may be cut off; expected a whole one"
        ))
    };
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    let entry = only_entry(&mut archive)?;
    match archive.by_index(entry) {
        Ok(file) => read_within(file, bytes.len(), "zip"),
        Err(ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_)) => {
            Err(self::archive(
                "the file in the archive is packed by a method that is not read; expected the common one (deflate)",
            ))
        }
        Err(error) => Err(broken(&error)),
    }
}

/// The place of the only file in a zip archive.
fn only_entry(archive: &mut ZipArchive<Cursor<&[u8]>>) -> Result<usize, Refusal> {
    if archive.len() > MOST_ENTRIES {
        return Err(several(archive.len(), &[]));
    }
    let mut files = Vec::new();
    let mut encrypted = false;
    for place in 0..archive.len() {
        let Ok(entry) = archive.by_index_raw(place) else {
            return Err(malformed(format!(
                "entry {} of the zip archive cannot be read; expected a whole archive",
                place + 1
            )));
        };
        let name = entry.name().map(String::from).unwrap_or_default();
        if entry.is_dir() || is_companion(&name) {
            continue;
        }
        encrypted |= entry.encrypted();
        files.push((place, name));
    }
    if files.iter().any(|(_, name)| is_part_of_workbook(name)) {
        return Err(spreadsheet());
    }
    match files.as_slice() {
        [] => Err(self::archive(
            "the zip archive holds no file; expected exactly one feed file",
        )),
        [_] if encrypted => Err(self::archive(
            "the file in the zip archive is encrypted; expected one without a password",
        )),
        [(place, _)] => Ok(*place),
        _ => Err(several(files.len(), &files)),
    }
}

/// True for what a Mac or a Windows desktop adds to an archive beside the files.
fn is_companion(name: &str) -> bool {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    name.split(['/', '\\']).any(|part| part == "__MACOSX")
        || last.starts_with("._")
        || [".DS_Store", "Thumbs.db", "desktop.ini"].contains(&last)
}

/// True for the files that Excel (`[Content_Types].xml`, `xl/`) and OpenDocument programs
/// (`META-INF/manifest.xml`) put into theirs.
fn is_part_of_workbook(name: &str) -> bool {
    ["[Content_Types].xml", "META-INF/manifest.xml"].contains(&name)
}

fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

/// Reads all of a file while it stays within the limits.
fn read_within(file: impl Read, packed: usize, kind: &str) -> Result<Vec<u8>, Refusal> {
    let limit = (packed as u64)
        .saturating_mul(MOST_RATIO)
        .clamp(ALWAYS_BYTES, MOST_BYTES);
    let mut content = Vec::new();
    match file.take(limit + 1).read_to_end(&mut content) {
        Ok(read) if read as u64 > limit => Err(Refusal {
            code: RefusalCode::TooLarge,
            message: format!(
                "the {kind} archive of {packed} bytes unpacks to more than {limit} bytes, which no feed does"
            ),
        }),
        Ok(_) => Ok(content),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(Refusal {
            code: RefusalCode::CutOff,
            message: format!("the {kind} archive ends in the middle; its transfer was cut off"),
        }),
        Err(error) => Err(malformed(format!(
            "the {kind} archive is broken ({error}); expected a whole one"
        ))),
    }
}

fn several(count: usize, files: &[(usize, String)]) -> Refusal {
    const NAMED: usize = 5;
    let named: Vec<String> = files
        .iter()
        .take(NAMED)
        .map(|(_, name)| format!("`{}`", name.escape_debug()))
        .collect();
    let found = if named.is_empty() {
        String::new()
    } else {
        let more = if count > NAMED { ", …" } else { "" };
        format!(" ({}{more})", named.join(", "))
    };
    archive(&format!(
        "the zip archive holds {count} files{found}; expected exactly one feed file"
    ))
}

fn archive(message: &str) -> Refusal {
    Refusal {
        code: RefusalCode::Archive,
        message: message.to_owned(),
    }
}

fn malformed(message: String) -> Refusal {
    Refusal {
        code: RefusalCode::Malformed,
        message,
    }
}

fn spreadsheet() -> Refusal {
    Refusal {
        code: RefusalCode::Spreadsheet,
        message: "the file is a spreadsheet, such as an Excel workbook; save it as CSV (UTF-8) and send that"
            .to_owned(),
    }
}
