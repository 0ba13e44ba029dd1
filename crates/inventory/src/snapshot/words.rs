//! Free text: words and word starts, with one slip of the pen forgiven when nothing matches.
//!
//! A text is case-folded and cut at whitespace into chunks, a chunk at everything that is not a
//! letter or digit into words. A chunk of several words is also indexed as one, so that `CR-V`
//! stands under `cr`, `v` and `crv`, and whoever writes `CRV`, `CR V` or `cr-v` finds it.

use std::collections::HashMap;

use roaring::{MultiOps, RoaringBitmap};

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
    ids: HashMap<Box<str>, usize>,
    /// The rows of each word, ascending.
    rows: Vec<Vec<u32>>,
    /// The words of short texts, many of which occur again and again.
    known: HashMap<&'a str, Vec<usize>>,
    known_joined: HashMap<&'a str, Vec<usize>>,
}

/// Longest text whose words are kept for the next vehicle with the same text.
const SHORT: usize = 48;

impl<'a> WordsBuilder<'a> {
    /// Indexes the words of `text`.
    pub(super) fn add(&mut self, row: u32, text: &'a str) {
        if text.len() > SHORT {
            let words = self.cut(text);
            return self.insert(row, &words);
        }
        let words = self.known.remove(text).unwrap_or_else(|| self.cut(text));
        self.insert(row, &words);
        self.known.insert(text, words);
    }

    /// Indexes all words of `text` as one word, so that `RX 350` is found as `rx350`.
    pub(super) fn add_joined(&mut self, row: u32, text: &'a str) {
        let words = self.known_joined.remove(text).unwrap_or_else(|| {
            let folded = aap::text::fold(text).unwrap_or_default();
            let joined: String = text::words(&folded).collect();
            self.cut(&joined)
        });
        self.insert(row, &words);
        self.known_joined.insert(text, words);
    }

    /// Indexes a number.
    pub(super) fn add_number(&mut self, row: u32, number: u16) {
        let word = self.id(&number.to_string());
        self.insert(row, &[word]);
    }

    fn cut(&mut self, text: &str) -> Vec<usize> {
        let folded = aap::text::fold(text).unwrap_or_default();
        let mut ids = Vec::new();
        for chunk in chunks(&folded) {
            ids.extend(chunk.words.iter().map(|word| self.id(word)));
            if chunk.words.len() > 1 {
                ids.push(self.id(&chunk.joined));
            }
        }
        ids
    }

    fn id(&mut self, word: &str) -> usize {
        if let Some(&id) = self.ids.get(word) {
            return id;
        }
        self.ids.insert(word.into(), self.rows.len());
        self.rows.push(Vec::new());
        self.rows.len() - 1
    }

    fn insert(&mut self, row: u32, words: &[usize]) {
        for &word in words {
            let rows = &mut self.rows[word];
            if rows.last() != Some(&row) {
                rows.push(row);
            }
        }
    }

    /// The index.
    pub(super) fn finish(mut self) -> Words {
        let mut ids: Vec<_> = self.ids.into_iter().collect();
        ids.sort_unstable();
        let words: Vec<(Box<str>, RoaringBitmap)> = ids
            .into_iter()
            .map(|(word, id)| {
                (
                    word,
                    std::mem::take(&mut self.rows[id]).into_iter().collect(),
                )
            })
            .collect();
        let lettered = (0..)
            .zip(&words)
            .filter(|(_, (word, _))| word.chars().all(char::is_alphabetic))
            .map(|(place, _)| place)
            .collect();
        Words { words, lettered }
    }
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
