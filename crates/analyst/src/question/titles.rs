//! Words that stand in titles.

use super::language::{Language, fold};
use super::words::Word;
use crate::{Role, Table};

/// Compares words with those of titles by their stems, whatever the language.
#[derive(Debug)]
pub(crate) struct TitleWord {
    folded: String,
    stems: Vec<String>,
    /// With what every word of a stem in common begins.
    beginning: String,
}

impl TitleWord {
    /// Of a word in lower case.
    pub(crate) fn new(word: &str) -> Self {
        let mut stems: Vec<String> = Language::ALL
            .into_iter()
            .map(|language| language.stem(word))
            .filter(|stem| stem.chars().count() >= 3)
            .collect();
        stems.sort();
        stems.dedup();
        let folded = fold(word);
        let shortest = stems
            .iter()
            .map(String::len)
            .min()
            .unwrap_or(folded.len())
            .min(folded.len());
        let beginning = folded.chars().take(shortest.min(3)).collect();
        Self {
            folded,
            stems,
            beginning,
        }
    }

    /// Whether the title has a word of the same stem.
    pub(crate) fn stands_in(&self, title: &str) -> bool {
        if title.is_ascii() {
            return self.stands_in_folded(&title.to_ascii_lowercase(), title);
        }
        self.stands_in_folded(&fold(title), title)
    }

    fn stands_in_folded(&self, folded: &str, title: &str) -> bool {
        if !folded.contains(&self.beginning) {
            return false;
        }
        folded
            .split(|letter: char| !letter.is_alphanumeric())
            .zip(title.split(|letter: char| !letter.is_alphanumeric()))
            .filter(|(word, _)| word.starts_with(&self.beginning))
            .any(|(word, original)| {
                word == self.folded || {
                    let original = original.to_lowercase();
                    Language::ALL
                        .into_iter()
                        .any(|language| self.stems.contains(&language.stem(&original)))
                }
            })
    }
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
