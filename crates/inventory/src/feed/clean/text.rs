//! Cells as text.

/// A cell without the blanks around it; `None` for an empty one and for the marks that programs
/// write in its place.
pub(in crate::feed) fn cell(raw: &str) -> Option<&str> {
    const MISSING: [&str; 8] = ["nan", "null", "none", "n/a", "#n/a", "-", "--", "undefined"];
    let text = raw.trim_matches(|character: char| {
        character.is_whitespace() || character.is_control() || character == BYTE_ORDER_MARK
    });
    let missing = text.is_empty()
        || (text.len() <= 9 && MISSING.iter().any(|mark| text.eq_ignore_ascii_case(mark)));
    (!missing).then_some(text)
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
