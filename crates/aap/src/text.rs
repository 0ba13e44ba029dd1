//! How texts are compared: trimmed, inner whitespace collapsed, Unicode case-folded.
//!
//! AAP leaves the comparison of makes, models, rooftops and stock numbers to the dealer's agent;
//! every part of one agent has to compare them alike.

use unicase::UniCase;

/// `text` without outer whitespace and with single spaces inside; `None` when nothing is left.
#[must_use]
pub fn clean(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let mut cleaned = String::with_capacity(text.len());
    cleaned.push_str(first);
    for word in words {
        cleaned.push(' ');
        cleaned.push_str(word);
    }
    Some(cleaned)
}

/// The form in which two texts are equal; `None` for a blank text, which equals nothing.
///
/// ```
/// assert_eq!(aap::text::fold("  Grand \t CHEROKEE ").as_deref(), Some("grand cherokee"));
/// assert_eq!(aap::text::fold(" "), None);
/// ```
#[must_use]
pub fn fold(text: &str) -> Option<String> {
    clean(text).map(|cleaned| fold_case(&cleaned))
}

/// The case folding of [`fold`] alone; blanks stay as they are.
#[must_use]
pub fn fold_case(cleaned: &str) -> String {
    UniCase::new(cleaned).to_folded_case()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_equal_whatever_their_case_and_spacing() {
        assert_eq!(
            fold("  Grand \t Cherokee ").as_deref(),
            Some("grand cherokee")
        );
        assert_eq!(fold("ŠKODA"), fold("škoda"));
        assert_eq!(fold("GROẞ"), fold("gross"));
        assert_eq!(fold(" \u{a0} "), None);
    }
}
