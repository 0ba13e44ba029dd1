//! Words and numbers as a person reads them.

/// Foreign text on one line, without the characters that drive a terminal or turn the direction
/// of what follows.
pub(crate) fn clean(text: &str) -> String {
    let shown: String = text
        .chars()
        .map(|character| match character {
            '\n' | '\r' | '\t' => ' ',
            other => harmless(other),
        })
        .collect();
    shown.trim().to_owned()
}

/// Text that may hold foreign words, harmless, on as many lines as it has.
pub(crate) fn clean_lines(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' => '\n',
            other => harmless(other),
        })
        .collect()
}

fn harmless(character: char) -> char {
    match character {
        '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        other if other.is_control() => char::REPLACEMENT_CHARACTER,
        other => other,
    }
}

/// An amount in whole US dollars.
pub(crate) fn dollars(amount: u64) -> String {
    format!("${}", grouped(amount))
}

/// The advertised price, else the list price marked as one: only the first is a promise.
pub(crate) fn prices(price: Option<u64>, list_price: Option<u64>) -> String {
    match (price, list_price) {
        (Some(price), _) => dollars(price),
        (None, Some(price)) => format!("{} list", dollars(price)),
        (None, None) => String::new(),
    }
}

/// A time to the minute, in UTC: `2026-05-01 12:00`.
pub(crate) fn minute(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

/// A length of time in its two largest units, down to the minute: `2d 3h`.
pub(crate) fn age(length: jiff::SignedDuration) -> String {
    let minutes = length.as_mins().max(0);
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}m"),
        (0, _) => format!("{hours}h {minutes}m"),
        _ => format!("{days}d {hours}h"),
    }
}

/// Digits in groups of three.
pub(crate) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        for (value, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (123_456, "123,456"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(grouped(value), text);
        }
    }

    #[test]
    fn an_age_is_told_in_its_two_largest_units() {
        for (minutes, text) in [
            (-5, "0m"),
            (0, "0m"),
            (59, "59m"),
            (61, "1h 1m"),
            (1500, "1d 1h"),
        ] {
            assert_eq!(age(jiff::SignedDuration::from_mins(minutes)), text);
        }
    }

    #[test]
    fn foreign_text_is_one_harmless_line() {
        assert_eq!(clean(" a\r\nb\tc "), "a  b c");
        for hostile in ["\u{1b}[2J", "\u{202e}", "\u{7}", "\u{9b}31m", "\u{2066}"] {
            let cleaned = clean(&format!("x{hostile}y"));
            assert!(cleaned.contains(char::REPLACEMENT_CHARACTER), "{hostile:?}");
            assert!(!cleaned.chars().any(char::is_control), "{cleaned:?}");
        }
        assert_eq!(clean("Čeština 🚗"), "Čeština 🚗");
    }
}
