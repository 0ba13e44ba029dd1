//! What an analysis found: typed numbers, the rule that counted them, and the evidence.

use jiff::civil::Date;

use crate::{Currency, Money, Role, Skill, Value};

/// How many rows a [`Grid`] keeps. A list of more than that is no answer that anybody reads.
pub const GRID_ROWS: usize = 10_000;

/// The result of one analysis, before any rendering.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// Which analysis.
    pub skill: Skill,
    /// How it went.
    pub outcome: Outcome,
    /// The one sentence that answers, with its number and what that is a part of.
    pub headline: Sentence,
    /// The scope as it was understood, one sentence for each condition.
    pub scope: Vec<Sentence>,
    /// Further sentences of the answer.
    pub details: Vec<Sentence>,
    /// The whole result; renderings cut it.
    pub grid: Option<Grid>,
    /// The rule that was used: how it was counted.
    pub rule: Vec<Sentence>,
    /// What it cannot tell.
    pub limits: Vec<Sentence>,
    /// What was read.
    pub evidence: Vec<Evidence>,
}

impl Finding {
    pub(crate) fn new(skill: Skill) -> Self {
        Self {
            skill,
            outcome: Outcome::Found,
            headline: Sentence::default(),
            scope: Vec::new(),
            details: Vec::new(),
            grid: None,
            rule: Vec::new(),
            limits: Vec::new(),
            evidence: Vec::new(),
        }
    }
}

/// How an analysis went.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// There is something to report.
    Found,
    /// All is well, or nothing matches, over so many rows.
    Nothing {
        /// The rows looked at.
        rows: u64,
    },
    /// The data cannot answer it.
    Unanswerable {
        /// The meanings that no column has.
        missing: Vec<Role>,
        /// The headers that were seen.
        seen: Vec<String>,
    },
}

/// Words and values in turn, so that each rendering formats the values its way.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sentence(pub Vec<Piece>);

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Our words, with the spaces that they need.
    Words(String),
    /// A value.
    Value(Value),
}

impl Sentence {
    pub(crate) fn add(&mut self, part: impl Into<Self>) {
        self.0.extend(part.into().0);
    }
}

impl From<&'static str> for Sentence {
    fn from(words: &'static str) -> Self {
        Self(vec![Piece::Words(words.to_owned())])
    }
}

impl From<Value> for Sentence {
    fn from(value: Value) -> Self {
        Self(vec![Piece::Value(value)])
    }
}

impl From<Money> for Sentence {
    fn from(money: Money) -> Self {
        Value::Money(money).into()
    }
}

impl From<Date> for Sentence {
    fn from(date: Date) -> Self {
        Value::Date(date).into()
    }
}

/// A sentence of words, which are ours, and of values, which may be the data's.
macro_rules! say {
    ($($part:expr),+ $(,)?) => {{
        let mut sentence = $crate::finding::Sentence::default();
        $(sentence.add($part);)+
        sentence
    }};
}
pub(crate) use say;

/// `1 row`, `2 rows`.
pub(crate) fn counted(count: u64, noun: &'static str) -> Sentence {
    let mut words = format!(" {noun}");
    if count != 1 {
        match words.strip_suffix('y') {
            Some(stem) => words = format!("{stem}ies"),
            None => words.push('s'),
        }
    }
    Sentence(vec![Piece::Value(Value::Count(count)), Piece::Words(words)])
}

/// `A, B or C`; beyond `most` of them, how many there are besides.
pub(crate) fn listed(values: Vec<Value>, most: usize, last: &'static str) -> Sentence {
    let count = values.len();
    let mut sentence = Sentence::default();
    for (place, value) in values.into_iter().take(most).enumerate() {
        if place > 0 {
            let is_last = place + 1 == count;
            sentence.add(if is_last { last } else { ", " });
        }
        sentence.add(value);
    }
    if count > most {
        sentence.add(say!(" and ", Value::Count((count - most) as u64), " more"));
    }
    sentence
}

/// A table of results.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Grid {
    /// The headers.
    pub columns: Vec<String>,
    /// The rows, each as long as the headers; at most [`GRID_ROWS`].
    pub rows: Vec<Vec<Value>>,
    /// How many rows there are beyond those kept.
    pub left_out: u64,
}

impl Grid {
    pub(crate) fn new(columns: &[&str]) -> Self {
        Self {
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
            ..Self::default()
        }
    }

    pub(crate) fn push(&mut self, row: Vec<Value>) {
        if self.rows.len() < GRID_ROWS {
            self.rows.push(row);
        } else {
            self.left_out += 1;
        }
    }

    /// Keeps the first rows alone, as the question asks.
    pub(crate) fn cut(&mut self, top: usize) {
        self.rows.truncate(top);
        let kept = self.rows.len() as u64;
        self.left_out = self.left_out.min((top as u64).saturating_sub(kept));
    }

    /// How many rows there are, those left out among them.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.rows.len() as u64 + self.left_out
    }
}

/// What was read of one source.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Evidence {
    /// The source's name.
    pub source: String,
    /// Whether it came with the question.
    pub is_attached: bool,
    /// How many rows were read.
    pub rows_read: u64,
    /// How many rows the result rests on.
    pub rows_used: u64,
    /// How many rows were left out as damaged.
    pub rows_skipped: u64,
    /// How many of the rows read have a usable price, where the source has prices.
    pub rows_priced: Option<u64>,
    /// The day that the data itself states, and the column that says it.
    pub snapshot: Snapshot,
    /// Why it was not read at all.
    pub unreadable: Option<String>,
    /// The currencies of its amounts.
    pub currencies: Vec<Currency>,
    /// What else a reader should know of it.
    pub remarks: Vec<String>,
}

/// Which day a source speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Snapshot {
    /// The data states no date.
    NotStated,
    /// Dates of this column can be read as day/month or as month/day, so none is used.
    Ambiguous {
        /// The header.
        column: String,
    },
    /// The newest date of a column.
    Stated {
        /// The day.
        date: Date,
        /// The header.
        column: String,
    },
}
