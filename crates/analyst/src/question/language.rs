//! The languages that questions come in, and the stems of their words.

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A language that questions are understood in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Language {
    /// English; also what a question is taken for when no word tells.
    #[default]
    English,
    /// German.
    German,
    /// French.
    French,
    /// Spanish.
    Spanish,
    /// Italian.
    Italian,
    /// Dutch.
    Dutch,
}

impl Language {
    pub(super) const ALL: [Self; 6] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Italian,
        Self::Dutch,
    ];

    /// The ISO 639-1 code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Italian => "it",
            Self::Dutch => "nl",
        }
    }

    fn algorithm(self) -> Algorithm {
        match self {
            Self::English => Algorithm::English,
            Self::German => Algorithm::German,
            Self::French => Algorithm::French,
            Self::Spanish => Algorithm::Spanish,
            Self::Italian => Algorithm::Italian,
            Self::Dutch => Algorithm::Dutch,
        }
    }

    /// The stem of a word in lower case, without accents. A word of three letters or with a digit is
    /// only freed of an English plural: what is left of it would stand for too many words.
    pub(super) fn stem(self, word: &str) -> String {
        if word.contains(|letter: char| letter.is_ascii_digit()) {
            return fold(word.strip_suffix('s').unwrap_or(word));
        }
        if word.chars().count() <= 3 {
            return fold(word);
        }
        fold(&Stemmer::create(self.algorithm()).stem(word))
    }
}

/// Compatibility forms made plain, in lower case.
pub(super) fn lower(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).collect()
}

/// A word in lower case without its accents, so that `Menü` and `menu` are one.
pub(super) fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    word.nfkd()
        .filter(|letter| !is_combining_mark(*letter))
        .flat_map(char::to_lowercase)
        .flat_map(|letter| match letter {
            'ß' => "ss".chars().collect::<Vec<_>>(),
            'ø' => vec!['o'],
            'æ' => "ae".chars().collect(),
            'ł' => vec!['l'],
            other => vec![other],
        })
        .collect()
}
