//! Free text: words and word starts, with one slip of the pen forgiven when nothing matches.
//!
//! A text is case-folded and cut at whitespace into chunks, a chunk at everything that is not a
//! letter or digit into words. A chunk of several words is also indexed as one, so that `CR-V`
//! stands under `cr`, `v` and `crv`, and whoever writes `CRV`, `CR V` or `cr-v` finds it.

use std::ops::Range;

use roaring::{MultiOps, RoaringBitmap};

use super::Map;
use crate::text;

/// Every word of the stock with the rows in which it stands.
#[derive(Debug)]
pub(super) struct Words {
    /// In ascending order of the word, so that the words with a common start are neighbours.
    words: Vec<(Box<str>, RoaringBitmap)>,
    /// Places of the words that consist of letters only: a slip of the pen never leads to another
    /// stock number or model number.
    lettered: Vec<u32>,
}

/// Words with fewer letters are too short to be recognised with a letter wrong.
const LEAST_LETTERS: usize = 5;

/// Collects the words of the stock. Rows come in ascending order.
#[derive(Debug, Default)]
pub(super) struct WordsBuilder<'a> {
    dictionary: Dictionary,
    /// The words of short texts, many of which occur again and again, as places in `cuts`.
    known: Map<&'a str, Range<usize>>,
    known_joined: Map<&'a str, u32>,
    cuts: Vec<u32>,
    /// The words of one long text.
    cut: Vec<u32>,
}

/// Longest text whose words are kept for the next vehicle with the same text.
const SHORT: usize = 48;

impl<'a> WordsBuilder<'a> {
    /// Indexes the words of `text`.
    pub(super) fn add(&mut self, row: u32, text: &'a str) {
        if text.len() > SHORT {
            self.cut.clear();
            self.dictionary.cut(text, &mut self.cut);
            return self.dictionary.insert(row, &self.cut);
        }
        let words = match self.known.get(text) {
            Some(words) => words.clone(),
            None => {
                let start = self.cuts.len();
                self.dictionary.cut(text, &mut self.cuts);
                let words = start..self.cuts.len();
                self.known.insert(text, words.clone());
                words
            }
        };
        self.dictionary.insert(row, &self.cuts[words]);
    }

    /// Indexes all words of `text` as one word, so that `RX 350` is found as `rx350`.
    pub(super) fn add_joined(&mut self, row: u32, text: &'a str) {
        let word = *self.known_joined.entry(text).or_insert_with(|| {
            let folded = aap::text::fold_case(text);
            let joined: String = text::words(&folded).collect();
            self.dictionary.id(&joined)
        });
        self.dictionary.insert(row, &[word]);
    }

    /// Indexes a number.
    pub(super) fn add_number(&mut self, row: u32, number: u16) {
        let word = self.dictionary.id(&number.to_string());
        self.dictionary.insert(row, &[word]);
    }

    /// The index.
    pub(super) fn finish(self) -> Words {
        let Dictionary { ids, mut rows } = self.dictionary;
        let mut ids: Vec<_> = ids
            .into_iter()
            .filter(|(word, _)| !word.is_empty())
            .collect();
        ids.sort_unstable();
        let words: Vec<(Box<str>, RoaringBitmap)> = ids
            .into_iter()
            .map(|(word, id)| (word, set_of(std::mem::take(&mut rows[id as usize]))))
            .collect();
        let lettered = (0..)
            .zip(&words)
            .filter(|(_, (word, _))| word.chars().all(char::is_alphabetic))
            .map(|(place, _)| place)
            .collect();
        Words { words, lettered }
    }
}

/// Every word with a number and with the rows in which it stands.
#[derive(Debug, Default)]
struct Dictionary {
    ids: Map<Box<str>, u32>,
    /// The rows of each word, ascending.
    rows: Vec<Vec<u32>>,
}

impl Dictionary {
    /// Writes the numbers of the words of `text` to the end of `ids`.
    fn cut(&mut self, text: &str, ids: &mut Vec<u32>) {
        let folded = aap::text::fold_case(text);
        let mut joined = String::new();
        for chunk in folded.split_whitespace() {
            let mut words = text::words(chunk);
            let Some(first) = words.next() else { continue };
            ids.push(self.id(first));
            joined.clear();
            for word in words {
                ids.push(self.id(word));
                if joined.is_empty() {
                    joined.push_str(first);
                }
                joined.push_str(word);
            }
            if !joined.is_empty() {
                ids.push(self.id(&joined));
            }
        }
    }

    fn id(&mut self, word: &str) -> u32 {
        if let Some(&id) = self.ids.get(word) {
            return id;
        }
        let id = self.rows.len() as u32;
        self.ids.insert(word.into(), id);
        self.rows.push(Vec::new());
        id
    }

    fn insert(&mut self, row: u32, words: &[u32]) {
        for &word in words {
            let rows = &mut self.rows[word as usize];
            if rows.last() != Some(&row) {
                rows.push(row);
            }
        }
    }
}

/// Rows in ascending order as a set.
fn set_of(rows: Vec<u32>) -> RoaringBitmap {
    RoaringBitmap::from_sorted_iter(rows.iter().copied())
        .unwrap_or_else(|_| rows.into_iter().collect())
}

impl Words {
    /// Rows in which every word of `query` stands, as a word or as the start of one; `None` when
    /// the query has no word, which is no constraint.
    ///
    /// When no row of the whole stock has them all, each word of five letters or more, and without
    /// a digit, may differ by one letter inserted, left out, replaced, or swapped with its
    /// neighbour.
    pub(super) fn matching(&self, query: &str) -> Option<RoaringBitmap> {
        let folded = aap::text::fold(query)?;
        let mut chunks: Vec<Chunk<'_>> = chunks(&folded).collect();
        chunks.sort_unstable();
        chunks.dedup();
        if chunks.is_empty() {
            return None;
        }
        let exact = self.all(&chunks, |word| self.starting_with(word));
        Some(if exact.is_empty() {
            self.all(&chunks, |word| self.nearly_starting_with(word))
        } else {
            exact
        })
    }

    /// Rows that have every chunk, whole or word by word.
    fn all(&self, chunks: &[Chunk<'_>], rows_of: impl Fn(&str) -> RoaringBitmap) -> RoaringBitmap {
        let rows_of_chunk = |chunk: &Chunk<'_>| {
            let mut rows = chunk.words.iter().map(|word| rows_of(word)).intersection();
            if chunk.words.len() > 1 {
                rows |= rows_of(&chunk.joined);
            }
            rows
        };
        let mut found: Option<RoaringBitmap> = None;
        for chunk in chunks {
            let rows = match found {
                None => rows_of_chunk(chunk),
                Some(found) if found.is_empty() => return found,
                Some(found) => found & rows_of_chunk(chunk),
            };
            found = Some(rows);
        }
        found.unwrap_or_default()
    }

    /// Rows with a word that begins with `start`.
    fn starting_with(&self, start: &str) -> RoaringBitmap {
        let first = self
            .words
            .partition_point(|(word, _)| word.as_ref() < start);
        self.words[first..]
            .iter()
            .take_while(|(word, _)| word.starts_with(start))
            .map(|(_, rows)| rows)
            .union()
    }

    /// Rows with a word that begins with `start` or with something one edit away from it.
    fn nearly_starting_with(&self, start: &str) -> RoaringBitmap {
        let mut rows = self.starting_with(start);
        let letters: Vec<char> = start.chars().collect();
        if letters.len() < LEAST_LETTERS || !letters.iter().all(|letter| letter.is_alphabetic()) {
            return rows;
        }
        let mut word_letters = Vec::new();
        for &place in &self.lettered {
            let (word, more) = &self.words[place as usize];
            word_letters.clear();
            word_letters.extend(word.chars());
            if begins_within_one_edit(&word_letters, &letters) {
                rows |= more;
            }
        }
        rows
    }
}

/// A piece of text between whitespace that has at least one word.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Chunk<'a> {
    words: Vec<&'a str>,
    joined: String,
}

fn chunks(folded: &str) -> impl Iterator<Item = Chunk<'_>> {
    folded.split_whitespace().filter_map(|chunk| {
        let words: Vec<&str> = text::words(chunk).collect();
        let joined = words.concat();
        (!words.is_empty()).then_some(Chunk { words, joined })
    })
}

/// True when some start of `word` becomes `start` by at most one edit.
///
/// Only the first difference matters: an edit at an earlier place either leaves the letters as
/// they are or shifts a run of equal letters, which the same edit at the difference does too.
fn begins_within_one_edit(word: &[char], start: &[char]) -> bool {
    let same = word
        .iter()
        .zip(start)
        .take_while(|(left, right)| left == right)
        .count();
    let (word, start) = (&word[same..], &start[same..]);
    let Some((&letter, start_rest)) = start.split_first() else {
        return true;
    };
    let extra_in_start = word.starts_with(start_rest);
    let Some((&other, word_rest)) = word.split_first() else {
        return extra_in_start;
    };
    let missing_in_start = word_rest.starts_with(start);
    let replaced = word_rest.starts_with(start_rest);
    let swapped = match (word_rest, start_rest) {
        ([word_next, word_tail @ ..], [start_next, start_tail @ ..]) => {
            *word_next == letter && *start_next == other && word_tail.starts_with(start_tail)
        }
        _ => false,
    };
    extra_in_start || missing_in_start || replaced || swapped
}
