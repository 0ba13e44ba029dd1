//! XML: Google's product feeds in RSS and Atom, and any document that has an element for each row.
//!
//! A document is walked through twice. The first walk makes an outline of its elements, which tells the ones
//! that are rows; the second takes the values of those. Names lose their prefixes and become headers; what
//! stands in an element of a row is called by both (`shipping.price`), and values that a row has several of
//! stand in one cell with commas between. Nothing outside of the text is ever looked up, and a document that
//! declares entities is refused.
//!
//! Where a document is not well-formed any more, it ends: the rows before are kept, and
//! [`Reading::broken_off`](super::Reading) says so.

mod columns;
mod extract;
mod outline;
mod walk;

use self::extract::Extract;
use self::outline::Outline;
use self::walk::{Break, line_and_column, line_of, named, walk};
use super::read::Raw;
use super::reading::Format;
use super::{Column, Limits, Reading, Unreadable, header};

/// True where a text is an XML document. CSV whose first header stands in such brackets is none.
pub(super) fn is_document(text: &str) -> bool {
    let start =
        text.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\u{FEFF}');
    let Some(tag) = start.strip_prefix('<') else {
        return false;
    };
    let is_element = tag.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    let behind = tag.split_once('>').map(|(_, behind)| behind.trim_start());
    let goes_on = behind.is_none_or(|behind| behind.is_empty() || behind.starts_with('<'));
    tag.starts_with(['?', '!']) || (is_element && goes_on)
}

/// Reads a document.
///
/// # Errors
/// It holds no row before it breaks off, or is beyond a limit.
pub(super) fn read(text: &str, limits: &Limits, mut reading: Reading) -> Result<Raw, Unreadable> {
    let mut outline = Outline::default();
    let broken = walk(text, &mut outline)?;
    refuse_other_documents(&outline)?;
    let no_rows = || match &broken {
        Some(broken) => malformed(text, broken),
        None => Unreadable::NoRows {
            root: named(outline.root()),
            found: outline.names_for_people(),
        },
    };
    let rows = outline.rows();
    if rows.is_empty() {
        return Err(no_rows());
    }
    let mut extract = Extract::new(&outline, &rows, limits, text.len())?;
    walk(text, &mut extract)?;
    let (columns, found) = extract.into_parts();
    if found.rows == 0 {
        return Err(no_rows());
    }
    reading.format = Some(Format::Xml);
    reading.empty_rows = found.empty_rows;
    match found.empty_rows {
        0 => {}
        1 => reading.remarks.push("1 row has no value.".to_owned()),
        rows => reading.remarks.push(format!("{rows} rows have no value.")),
    }
    let headers: Vec<String> = columns.iter().map(|it| it.header().to_owned()).collect();
    reading.remarks.extend(header::repeated(&headers));
    if let Some(broken) = &broken {
        note(&mut reading, text, broken, found.open_at);
    }
    let snapshot = found.stated.map(|stated| {
        let mut column = Column::new(&stated.header, None);
        for _ in 0..found.rows {
            column.push(&stated.value);
        }
        column.finish();
        column
    });
    let joined = found.joined.iter().enumerate();
    Ok(Raw {
        columns,
        rows: found.rows,
        reading,
        snapshot,
        joined: joined.filter(|(_, is)| **is).map(|(at, _)| at).collect(),
    })
}

/// Notes where a document broke off, and the row that it broke off in.
fn note(reading: &mut Reading, text: &str, broken: &Break, open_at: Option<usize>) {
    let (line, column) = line_and_column(text, broken.byte);
    let reason = &broken.reason;
    reading.broken_off = Some(line);
    reading.remarks.push(format!(
        "The file is no well-formed XML from line {line}, column {column} on ({reason}); what stands there is not read."
    ));
    if let Some(byte) = open_at {
        let line = line_of(text, byte);
        reading
            .skipped
            .push((line, format!("the file breaks off in it: {reason}")));
    }
}

fn malformed(text: &str, broken: &Break) -> Unreadable {
    let (line, column) = line_and_column(text, broken.byte);
    Unreadable::Malformed {
        line,
        column,
        reason: broken.reason.clone(),
    }
}

/// Refuses what is written in XML and is no list of products.
fn refuse_other_documents(outline: &Outline) -> Result<(), Unreadable> {
    match outline.root() {
        "html" => Err(Unreadable::OtherFormat("an HTML page")),
        "Workbook" => Err(Unreadable::Workbook("an Excel workbook (XML spreadsheet)")),
        "office:document" | "office:document-content" => Err(Unreadable::Workbook(
            "an OpenDocument spreadsheet (flat XML)",
        )),
        _ => Ok(()),
    }
}
