//! Words that stand in titles.

use super::language::{Language, fold, lower};
use super::words::Word;
use crate::{Role, Table};

/// What forms of one word end in, in the languages that questions come in.
const ENDINGS: [&str; 6] = ["s", "es", "e", "n", "en", "x"];
/// What is left of a word without its ending has at least so many letters.
const LEAST_REST: usize = 4;

/// Finds a word, or another form of it, in titles. Neither says its language, so that forms are
/// compared by their English stems and by the commonest endings of plurals.
#[derive(Debug)]
pub(crate) struct TitleWord {
    forms: Vec<String>,
    stem: String,
    /// With what every form begins.
    beginning: String,
}

impl TitleWord {
    /// Of a word in lower case.
    pub(crate) fn new(word: &str) -> Self {
        let folded = fold(word);
        Self {
            stem: Language::English.stem(word),
            beginning: folded.chars().take(3).collect(),
            forms: forms(&folded).map(str::to_owned).collect(),
        }
    }

    /// Whether the title has the word in some form.
    pub(crate) fn stands_in(&self, title: &str) -> bool {
        let title = if title.is_ascii() {
            title.to_ascii_lowercase()
        } else {
            lower(title)
        };
        title
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .any(|word| self.is(word))
    }

    fn is(&self, word: &str) -> bool {
        if word.is_ascii() {
            return self.is_folded(word, word);
        }
        self.is_folded(&fold(word), word)
    }

    fn is_folded(&self, folded: &str, word: &str) -> bool {
        folded.starts_with(&self.beginning)
            && (forms(folded).any(|form| self.forms.iter().any(|own| own == form))
                || Language::English.stem(word) == self.stem)
    }
}

/// A word, and what is left of it without each ending that it has.
fn forms(word: &str) -> impl Iterator<Item = &str> {
    let shorter = ENDINGS
        .into_iter()
        .filter_map(|ending| word.strip_suffix(ending))
        .filter(|rest| rest.chars().count() >= LEAST_REST);
    std::iter::once(word).chain(shorter)
}

/// Which of the words stand in a title of the table; one pass over the titles, ended as soon as each
/// word was seen.
pub(super) fn standing(table: &Table, words: &[Word]) -> Vec<bool> {
    let mut stand = vec![false; words.len()];
    let Some(titles) = table.column(Role::Title) else {
        return stand;
    };
    let mut wanted: Vec<(usize, TitleWord)> = words
        .iter()
        .enumerate()
        .map(|(place, word)| (place, TitleWord::new(&word.lower)))
        .collect();
    for title in (0..table.rows()).filter_map(|row| titles.text(row)) {
        if wanted.is_empty() {
            break;
        }
        wanted.retain(|(place, word)| {
            stand[*place] = word.stands_in(title);
            !stand[*place]
        });
    }
    stand
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_found_and_other_words_are_not() {
        for (word, title) in [
            ("sofas", "Three-seat sofa Oslo"),
            ("sofa", "Sofas set"),
            ("zangen", "Zange Kombi"),
            ("stühle", "STUHL Eiche"),
            ("berries", "Berry bowl"),
        ] {
            assert!(TitleWord::new(word).stands_in(title), "{word}, {title}");
        }
        for (word, title) in [
            ("loungers", "Lounge chair"),
            ("table", "Tablet stand"),
            ("sofa", "Sofabed"),
        ] {
            assert!(!TitleWord::new(word).stands_in(title), "{word}, {title}");
        }
    }
}
