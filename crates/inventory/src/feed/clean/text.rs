//! Cells as text.

/// A cell without the blanks around it; `None` for an empty one and for the marks that programs
/// write in its place.
pub(in crate::feed) fn cell(raw: &str) -> Option<&str> {
    let is_blank = |character: char| {
        character.is_whitespace() || character.is_control() || character == BYTE_ORDER_MARK
    };
    let ends_in_print = |bytes: &[u8]| {
        let ends = (bytes.first(), bytes.last());
        matches!(ends, (Some(b'!'..=b'~'), Some(b'!'..=b'~')))
    };
    // Most cells have nothing to trim.
    let text = if ends_in_print(raw.as_bytes()) {
        raw
    } else {
        raw.trim_matches(is_blank)
    };
    (!text.is_empty() && !is_missing(text)).then_some(text)
}

fn is_missing(text: &str) -> bool {
    const MARKS: [&str; 8] = ["nan", "null", "none", "n/a", "#n/a", "-", "--", "undefined"];
    const LONGEST: usize = 9;
    let begins = matches!(
        text.as_bytes().first(),
        Some(b'n' | b'N' | b'#' | b'-' | b'u' | b'U')
    );
    begins && text.len() <= LONGEST && MARKS.iter().any(|mark| text.eq_ignore_ascii_case(mark))
}

const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// A cell as a phrase: one line, single blanks, no control characters. Spelling and capitals stay.
pub(in crate::feed) fn phrase(cell: &str) -> String {
    if is_tidy(cell) {
        return cell.to_owned();
    }
    let mut phrase = String::with_capacity(cell.len());
    for word in cell.split_whitespace() {
        if !phrase.is_empty() {
            phrase.push(' ');
        }
        phrase.extend(
            word.chars()
                .filter(|c| !c.is_control() && *c != BYTE_ORDER_MARK),
        );
    }
    phrase
}

/// True for printable ASCII with single blanks inside, which most cells are: they are copied as
/// they stand.
fn is_tidy(cell: &str) -> bool {
    let bytes = cell.as_bytes();
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~'))
        && !cell.starts_with(' ')
        && !cell.ends_with(' ')
        && bytes.windows(2).all(|pair| pair != b"  ")
}

/// A cell shortened for a report.
pub(in crate::feed) fn excerpt(cell: &str) -> String {
    const LONGEST: usize = 120;
    if cell.chars().count() <= LONGEST {
        return cell.to_owned();
    }
    let mut short: String = cell.chars().take(LONGEST - 1).collect();
    short.push('…');
    short
}
