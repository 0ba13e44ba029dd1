//! A question as a row of meanings.

use super::ColumnName;
use super::language::Language;
use super::lexicon::{self, Sense};
use super::titles;
use super::vocabulary::{Values, Vocabulary};
use super::words::{Gap, Number, Word};
use crate::Table;

/// Words of a question that mean one thing.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub(super) what: What,
    /// As it was written.
    pub(super) text: String,
    /// What stands before it.
    pub(super) gap: Gap,
}

/// What words mean.
#[derive(Debug, Clone)]
pub(super) enum What {
    Sense(Sense),
    Number(Number),
    /// Values of the data.
    Values(Values),
    /// A column of unknown meaning, by its header.
    Header(ColumnName),
    /// A word that stands in titles, in lower case.
    Title(String),
    /// A word that nothing knows, in lower case.
    Unknown(String),
}

impl Span {
    pub(super) fn sense(&self) -> Option<Sense> {
        match self.what {
            What::Sense(sense) => Some(sense),
            _ => None,
        }
    }
}

/// The meanings of all words, from left to right. The vocabularies come in the order of their tables'
/// importance; titles are those of the first table.
pub(super) fn of(
    words: &[Word],
    language: Language,
    vocabularies: &[&Vocabulary],
    subject: Option<&Table>,
) -> Vec<Span> {
    let mut meanings = Meanings {
        words,
        language,
        vocabularies,
        found: vec![None; words.len()],
        taken: vec![false; words.len()],
    };
    meanings.phrases_of_data();
    meanings.phrases_of_language();
    meanings.single_words();
    meanings.titles_and_rest(subject);
    meanings.spans()
}

struct Meanings<'a> {
    words: &'a [Word],
    language: Language,
    vocabularies: &'a [&'a Vocabulary],
    /// At the first word of each span: what it means and how many words it has.
    found: Vec<Option<(What, usize)>>,
    taken: Vec<bool>,
}

impl Meanings<'_> {
    fn put(&mut self, from: usize, length: usize, what: What) {
        self.taken[from..from + length].fill(true);
        self.found[from] = Some((what, length));
    }

    /// Values of several words, unless the language has a phrase that is as long for other than such a
    /// value: "in stock" may be a value of a column and means more.
    fn phrases_of_data(&mut self) {
        let phrases = lexicon::find(self.words, self.language, &self.taken);
        let mut from = 0;
        while from < self.words.len() {
            let phrase = self
                .vocabularies
                .iter()
                .find_map(|vocabulary| vocabulary.phrase(&self.words[from..], self.language));
            let Some((values, length)) = phrase else {
                from += 1;
                continue;
            };
            let is_language = phrases.iter().any(|phrase| {
                phrase.from <= from
                    && phrase.until >= from + length
                    && !phrase.sense.yields_to_data()
            });
            if is_language {
                from += 1;
            } else {
                self.put(from, length, What::Values(values));
                from += length;
            }
        }
    }

    fn phrases_of_language(&mut self) {
        for phrase in lexicon::find(self.words, self.language, &self.taken) {
            let length = phrase.until - phrase.from;
            let yields =
                phrase.sense.yields_to_data() || phrase.sense == Sense::Filler && !phrase.is_exact;
            let values = (length == 1 && yields)
                .then(|| self.whole_value(&self.words[phrase.from]))
                .flatten();
            let what = values.map_or(What::Sense(phrase.sense), What::Values);
            self.put(phrase.from, length, what);
        }
    }

    fn whole_value(&self, word: &Word) -> Option<Values> {
        self.vocabularies
            .iter()
            .find_map(|vocabulary| vocabulary.whole(word, self.language))
    }

    fn single_words(&mut self) {
        for from in 0..self.words.len() {
            if self.taken[from] {
                continue;
            }
            let word = &self.words[from];
            let header = self
                .vocabularies
                .iter()
                .find_map(|vocabulary| vocabulary.header(&self.words[from..]))
                .filter(|(_, length)| !self.taken[from..from + length].contains(&true));
            if let Some(number) = word.number {
                self.put(from, 1, What::Number(number));
            } else if let Some((column, length)) = header {
                self.put(from, length, What::Header(column));
            } else if let Some(values) = self.values(word) {
                self.put(from, 1, What::Values(values));
            }
        }
    }

    /// A single letter is a value only where it is written as a capital: the size M.
    fn values(&self, word: &Word) -> Option<Values> {
        if word.raw.chars().count() == 1 && !word.raw.chars().all(char::is_uppercase) {
            return None;
        }
        self.vocabularies
            .iter()
            .find_map(|vocabulary| vocabulary.word_values(word, self.language))
    }

    fn titles_and_rest(&mut self, subject: Option<&Table>) {
        let open: Vec<usize> = (0..self.words.len())
            .filter(|from| !self.taken[*from])
            .collect();
        if open.is_empty() {
            return;
        }
        let words: Vec<Word> = open.iter().map(|from| self.words[*from].clone()).collect();
        let stand = subject.map_or_else(
            || vec![false; words.len()],
            |table| titles::standing(table, &words),
        );
        for ((from, word), stands) in open.into_iter().zip(words).zip(stand) {
            let misspelt = || {
                self.vocabularies
                    .iter()
                    .find_map(|vocabulary| vocabulary.misspelt(&word))
            };
            let what = if stands {
                What::Title(word.lower)
            } else if let Some(values) = misspelt() {
                What::Values(values)
            } else {
                What::Unknown(word.lower)
            };
            self.put(from, 1, what);
        }
    }

    fn spans(self) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for (from, found) in self.found.into_iter().enumerate() {
            let Some((what, length)) = found else {
                continue;
            };
            let text: Vec<&str> = self.words[from..from + length]
                .iter()
                .map(|word| word.raw.as_str())
                .collect();
            let gap = self.words[from].gap;
            let span = Span {
                what,
                text: text.join(" "),
                gap,
            };
            spans.push(span);
        }
        join_unknown(spans)
    }
}

/// A title's word before an unknown one narrows it and is unknown with it: of "garden gnomes" there
/// are none, though there are garden benches.
fn join_unknown(spans: Vec<Span>) -> Vec<Span> {
    let mut joined: Vec<Span> = Vec::new();
    for span in spans {
        if let (What::Unknown(word), Some(before)) = (&span.what, joined.last_mut())
            && span.gap <= Gap::Hyphen
            && let What::Unknown(first) | What::Title(first) = &before.what
        {
            before.what = What::Unknown(format!("{first} {word}"));
            before.text = format!("{} {}", before.text, span.text);
            continue;
        }
        joined.push(span);
    }
    joined
}
