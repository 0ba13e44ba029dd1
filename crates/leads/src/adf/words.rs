//! Foreign words as a document can hold them.

/// Whether XML 1.0 (§2.2) allows the character, and nobody would rather do without it: the C1
/// controls are allowed, yet they are never meant, and what turns the direction of the text makes a
/// reader see other words than the buyer wrote.
pub(super) fn is_plain(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => true,
        '\u{FFFE}' | '\u{FFFF}' => false,
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => false,
        other => !other.is_control(),
    }
}

/// Text of several lines, with `\n` between them and without what XML forbids.
pub(super) fn lines(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text: String = text.chars().filter(|it| is_plain(*it)).collect();
    text.trim().to_owned()
}

/// One line: white space of any kind becomes one blank.
pub(super) fn line(text: &str) -> String {
    let plain: String = text.chars().filter(|it| is_plain(*it)).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ")
}

/// One line, unless there is nothing on it.
pub(super) fn some_line(text: Option<&String>) -> Option<String> {
    text.map(|text| line(text)).filter(|text| !text.is_empty())
}

/// One line, or another where there is nothing on it.
pub(super) fn line_or(text: &str, otherwise: &str) -> String {
    let line = line(text);
    if line.is_empty() {
        otherwise.to_owned()
    } else {
        line
    }
}

#[cfg(test)]
mod tests {
    use super::{line, lines};

    #[test]
    fn what_xml_forbids_is_left_out() {
        assert_eq!(
            lines("a\u{0}b\u{8}\r\nc\u{FFFE}\rd\u{85}\u{1F697}"),
            "ab\nc\nd\u{1F697}"
        );
        assert_eq!(line("Ada \u{202E}erutxiF\u{2069}"), "Ada erutxiF");
        assert_eq!(line("  Ada\t\u{1B}[1m\n Fixture "), "Ada [1m Fixture");
    }
}
