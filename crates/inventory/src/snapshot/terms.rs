//! Columns of words: make, colour, fuel and their like, as a dictionary with the rows of each
//! value.

use std::cmp::Reverse;

use aap::inventory::{TermCount, TermValue};
use roaring::RoaringBitmap;

use super::{NONE, ranking::Ranking};
use crate::text::{self, Sortable};

/// A column in which many rows share few values.
#[derive(Debug)]
pub(super) struct Terms {
    /// Distinct values in ascending order of their folded form; a code is a place in this list.
    terms: Vec<Term>,
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
    /// Builds the dictionary of a column, and returns the code of each row; [`NONE`] where the
    /// value is missing.
    pub(super) fn build(spellings: &Ranking<Sortable>) -> (Self, Vec<u32>) {
        let mut uses = vec![0_u64; spellings.values.len()];
        for &rank in &spellings.ranks {
            if let Some(uses) = uses.get_mut(rank as usize) {
                *uses += 1;
            }
        }
        let mut terms: Vec<Term> = Vec::new();
        let mut code_of = Vec::with_capacity(uses.len());
        let used: Vec<(&Sortable, u64)> = spellings.values.iter().zip(uses).collect();
        // Spellings of one value are neighbours.
        for spellings in used.chunk_by(|(left, _), (right, _)| left.folded() == right.folded()) {
            code_of.extend(spellings.iter().map(|_| terms.len() as u32));
            terms.extend(Term::new(spellings));
        }
        let code = |&rank: &u32| code_of.get(rank as usize).copied().unwrap_or(NONE);
        let codes: Vec<u32> = spellings.ranks.iter().map(code).collect();
        for (row, &code) in (0..).zip(&codes) {
            if let Some(term) = terms.get_mut(code as usize) {
                // Rows come in ascending order, so nothing is refused.
                let _ = term.rows.try_push(row);
            }
        }
        (Self { terms }, codes)
    }

    /// Rows whose value equals one of `values`.
    pub(super) fn any_of<T: AsRef<str>>(&self, values: &[T]) -> RoaringBitmap {
        values
            .iter()
            .filter_map(|value| aap::text::fold(value.as_ref()))
            .filter_map(|folded| self.term(&folded))
            .fold(RoaringBitmap::new(), |rows, term| rows | &term.rows)
    }

    /// Rows whose value equals one of `values`, or contains its words as a phrase.
    pub(super) fn any_with_words_of(&self, values: &[String]) -> RoaringBitmap {
        let mut rows = self.any_of(values);
        for phrase in values
            .iter()
            .filter_map(|value| phrase(&aap::text::fold(value)?))
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
        let place = self
            .terms
            .binary_search_by(|term| term.folded.as_ref().cmp(folded));
        place.ok().map(|place| &self.terms[place])
    }

    /// A facet from the count of each code: most frequent first, then ascending.
    pub(super) fn facet(&self, counts: Vec<u64>) -> Vec<TermCount> {
        let mut lines: Vec<(&Term, u64)> = self.terms.iter().zip(counts).collect();
        lines.retain(|&(_, count)| count > 0);
        // Terms are in ascending order and the sort is stable.
        lines.sort_by_key(|&(_, count)| Reverse(count));
        let line = |(term, count): (&Term, u64)| TermCount {
            value: TermValue::Text(term.spelling.to_string()),
            count,
        };
        lines.into_iter().map(line).collect()
    }
}

impl Term {
    /// The value that these spellings, with the number of their uses, have in common.
    fn new(spellings: &[(&Sortable, u64)]) -> Option<Self> {
        // They are in ascending order, and the first of equal keys is taken.
        let (most_used, _) = spellings.iter().min_by_key(|&&(_, uses)| Reverse(uses))?;
        Some(Self {
            folded: most_used.folded().into(),
            spelling: most_used.cleaned().into(),
            phrase: phrase(most_used.folded()).unwrap_or_default().into(),
            rows: RoaringBitmap::new(),
        })
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
