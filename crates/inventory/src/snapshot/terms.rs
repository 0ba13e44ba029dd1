//! Columns of words: make, colour, fuel and their like, as a dictionary and one code for each row.

use std::collections::{BTreeMap, HashMap};

use aap::inventory::{TermCount, TermValue};
use roaring::RoaringBitmap;

use super::NONE;
use super::facets::Tally;
use crate::text;

/// A column in which many rows share few values.
#[derive(Debug)]
pub(super) struct Terms {
    /// Distinct values in ascending order of their folded form; a code is a place in this list.
    terms: Vec<Term>,
    /// The code of each row, [`NONE`] where the value is missing.
    codes: Vec<u32>,
}

#[derive(Debug)]
struct Term {
    folded: Box<str>,
    /// The spelling most used on the lot; of equally frequent ones the first by bytes.
    spelling: Box<str>,
    /// The value's words between single spaces, with a space at both ends, so that a phrase of
    /// whole words is a substring.
    phrase: Box<str>,
    rows: RoaringBitmap,
}

impl Terms {
    /// Builds a column from the value of each row; a blank value is a missing one.
    pub(super) fn build<'a>(values: impl Iterator<Item = Option<&'a str>>) -> Self {
        let mut spellings = Spellings::default();
        let rows: Vec<u32> = values.map(|value| spellings.intern(value)).collect();
        let (mut terms, code_of) = spellings.into_terms();
        let codes: Vec<u32> = rows
            .iter()
            .map(|&spelling| code_of.get(spelling as usize).copied().unwrap_or(NONE))
            .collect();
        for (row, &code) in (0..).zip(&codes) {
            if let Some(term) = terms.get_mut(code as usize) {
                term.rows.insert(row);
            }
        }
        Self { terms, codes }
    }

    /// Rows whose value equals one of `values`.
    pub(super) fn any_of<T: AsRef<str>>(&self, values: &[T]) -> RoaringBitmap {
        values
            .iter()
            .filter_map(|value| text::fold(value.as_ref()))
            .filter_map(|folded| self.term(&folded))
            .fold(RoaringBitmap::new(), |rows, term| rows | &term.rows)
    }

    /// Rows whose value equals one of `values`, or contains its words as a phrase.
    pub(super) fn any_with_words_of(&self, values: &[String]) -> RoaringBitmap {
        let mut rows = self.any_of(values);
        for phrase in values
            .iter()
            .filter_map(|value| phrase(&text::fold(value)?))
        {
            for term in self
                .terms
                .iter()
                .filter(|term| term.phrase.contains(&phrase))
            {
                rows |= &term.rows;
            }
        }
        rows
    }

    fn term(&self, folded: &str) -> Option<&Term> {
        self.terms
            .binary_search_by(|term| term.folded.as_ref().cmp(folded))
            .ok()
            .map(|place| &self.terms[place])
    }

    /// How often each value occurs among the rows of `tally`, most frequent first, then ascending.
    pub(super) fn counts(&self, tally: &Tally) -> Vec<TermCount> {
        let totals = self.terms.iter().map(|term| term.rows.len());
        let mut counts: Vec<(&Term, u64)> = self
            .terms
            .iter()
            .zip(tally.count(&self.codes, totals.collect()))
            .filter(|&(_, count)| count > 0)
            .collect();
        // Terms are in ascending order and the sort is stable.
        counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        counts
            .into_iter()
            .map(|(term, count)| TermCount {
                value: TermValue::Text(term.spelling.to_string()),
                count,
            })
            .collect()
    }
}

/// The words of a folded text between single spaces, with a space at both ends; `None` when it
/// has no word.
fn phrase(folded: &str) -> Option<String> {
    let mut phrase = String::from(" ");
    for word in text::words(folded) {
        phrase.push_str(word);
        phrase.push(' ');
    }
    (phrase.len() > 1).then_some(phrase)
}

/// Distinct spellings in order of arrival, with the number of rows that use each.
#[derive(Debug, Default)]
struct Spellings {
    ids: HashMap<String, u32>,
    uses: Vec<u64>,
}

impl Spellings {
    fn intern(&mut self, value: Option<&str>) -> u32 {
        let Some(spelling) = value.and_then(text::clean) else {
            return NONE;
        };
        let next = self.uses.len() as u32;
        let id = *self.ids.entry(spelling).or_insert(next);
        if id == next {
            self.uses.push(0);
        }
        self.uses[id as usize] += 1;
        id
    }

    /// Terms without rows, and the code of each spelling.
    fn into_terms(self) -> (Vec<Term>, Vec<u32>) {
        let mut groups: BTreeMap<String, Vec<(String, u32)>> = BTreeMap::new();
        for (spelling, id) in self.ids {
            if let Some(folded) = text::fold(&spelling) {
                groups.entry(folded).or_default().push((spelling, id));
            }
        }
        let mut code_of = vec![NONE; self.uses.len()];
        let mut terms = Vec::with_capacity(groups.len());
        for (code, (folded, mut spellings)) in (0..).zip(groups) {
            for &(_, id) in &spellings {
                code_of[id as usize] = code;
            }
            spellings.sort_by(|(left, left_id), (right, right_id)| {
                let uses = |id: u32| std::cmp::Reverse(self.uses[id as usize]);
                uses(*left_id).cmp(&uses(*right_id)).then(left.cmp(right))
            });
            let spelling = spellings.swap_remove(0).0;
            terms.push(Term {
                phrase: phrase(&folded).unwrap_or_default().into(),
                folded: folded.into(),
                spelling: spelling.into(),
                rows: RoaringBitmap::new(),
            });
        }
        (terms, code_of)
    }
}
