//! How strings are compared: trimmed, inner whitespace collapsed, Unicode case-folded.

use unicase::UniCase;

/// `text` without outer whitespace and with single spaces inside; `None` when nothing is left.
pub(crate) fn clean(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let mut cleaned = words.next()?.to_owned();
    for word in words {
        cleaned.push(' ');
        cleaned.push_str(word);
    }
    Some(cleaned)
}

/// The form in which two strings are equal; `None` for a blank string, which equals nothing.
pub(crate) fn fold(text: &str) -> Option<String> {
    clean(text).map(|cleaned| UniCase::new(cleaned).to_folded_case())
}

/// The runs of letters and digits in `folded`.
pub(crate) fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// A string in the order of a sort: case-folded first, then by bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sortable {
    folded: String,
    cleaned: String,
}

impl Sortable {
    /// `None` for a blank string.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let cleaned = clean(text)?;
        let folded = UniCase::new(cleaned.as_str()).to_folded_case();
        Some(Self { folded, cleaned })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_equal_whatever_their_case_and_spacing() {
        assert_eq!(
            fold("  Grand \t Cherokee ").as_deref(),
            Some("grand cherokee")
        );
        assert_eq!(fold("ŠKODA"), fold("škoda"));
        assert_eq!(fold("GROẞ"), fold("gross"));
        assert_eq!(fold(" \u{a0} "), None);
    }

    #[test]
    fn strings_sort_folded_and_then_by_bytes() {
        let mut texts = ["audi", "BMW", "Audi", "bmw", "AUDI"];
        texts.sort_by_key(|text| Sortable::new(text));
        assert_eq!(texts, ["AUDI", "Audi", "audi", "BMW", "bmw"]);
    }

    #[test]
    fn words_end_at_everything_but_letters_and_digits() {
        let found: Vec<_> = words("3.5l v6 — black/étoile, 4-door").collect();
        assert_eq!(found, ["3", "5l", "v6", "black", "étoile", "4", "door"]);
    }
}
