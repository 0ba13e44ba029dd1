//! Texts as the snapshot compares and sorts them.

use aap::text::{clean, fold_case};

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
        let folded = fold_case(&cleaned);
        Some(Self { folded, cleaned })
    }

    /// The form in which it is compared, as of [`aap::text::fold`].
    pub(crate) fn folded(&self) -> &str {
        &self.folded
    }

    /// Its spelling, as of [`aap::text::clean`].
    pub(crate) fn cleaned(&self) -> &str {
        &self.cleaned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
