//! Text of data that a renderer may read as Markdown, and in 0.8 as JSON.

/// The text, so that it means itself in Markdown. Renderers that know none show the backslashes, so only
/// what Markdown would interpret gets one: `AB_12` and `1,299.00` stay as they are.
pub(super) fn escape(text: &str) -> String {
    let text = text.trim();
    let mut escaped = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars().peekable();
    let mut in_number_at_start = true;
    while let Some(character) = rest.next() {
        let next = rest.peek().copied();
        let ends = next.is_none_or(char::is_whitespace);
        let interpreted = match character {
            '\\' | '`' | '*' | '[' | ']' | '<' | '&' | '~' | '|' => true,
            '_' => !(is_of_word(before) && is_of_word(next)),
            // The renderer of 0.8 parses values that look like JSON.
            '#' | '>' | '=' | '{' => before.is_none(),
            '+' | '-' => before.is_none() && (ends || next == Some(character)),
            '.' | ')' => in_number_at_start && before.is_some() && ends,
            _ => false,
        };
        in_number_at_start &= character.is_ascii_digit();
        if interpreted {
            escaped.push('\\');
        }
        escaped.push(if character.is_control() {
            ' '
        } else {
            character
        });
        before = Some(character);
    }
    escaped
}

/// True where [`escape`] has put a backslash into some part of the text.
pub(super) fn has_escapes(text: &str) -> bool {
    text.contains('\\')
}

fn is_of_word(character: Option<char>) -> bool {
    character.is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_markdown_interprets_is_escaped() {
        for plain in [
            "AB_12_C",
            "1,299.00 EUR",
            "-5 %",
            "2026-06-30",
            "Sofa (grey), 3-seat",
            "3.5",
        ] {
            assert_eq!(escape(plain), plain);
        }
        for (text, escaped) in [
            ("<b>x", r"\<b>x"),
            ("[a](javascript:x)", r"\[a\](javascript:x)"),
            ("*new*", r"\*new\*"),
            ("_new_", r"\_new\_"),
            ("# x", r"\# x"),
            ("- x", r"\- x"),
            ("--- x", r"\--- x"),
            ("12. x", r"12\. x"),
            (r#"{"a": 1}"#, r#"\{"a": 1}"#),
            ("a\nb", "a b"),
        ] {
            assert_eq!(escape(text), escaped, "{text}");
        }
    }
}
