//! What an analysis found: typed numbers, the rule that counted them, and the evidence.

use jiff::civil::Date;

use crate::{Currency, Role, Skill, Value};

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

/// A table of results.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Grid {
    /// The headers.
    pub columns: Vec<String>,
    /// The rows, each as long as the headers.
    pub rows: Vec<Vec<Value>>,
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
