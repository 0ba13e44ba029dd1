//! What is asked: which analyses, and of which rows.
//!
//! No language model is needed. [`understand()`] goes through these steps, a file each:
//!
//! 1. `words`: the text as words and numbers, `language`: which of six languages it is in.
//! 2. `spans`: what each word means. `lexicon` knows the phrases of the languages, [`Vocabulary`] the
//!    values and headers of the data, `titles` the words that stand in titles. What none of them knows
//!    is unknown, and the answer names it.
//! 3. `reading`: what each part of the question says: conditions, measures, orders, spans of time.
//! 4. `asked`: which analyses that asks for, `dated`: of which column a day is; `follow_up`: what it takes over from the question before.
//! 5. `suggest`: what can be asked, where nothing was recognised.
//!
//! Where words are left that none of these knows, [`stated`] reads what a language model says of them.

mod asked;
mod dated;
mod follow_up;
mod language;
mod lexicon;
mod reading;
mod skill;
mod spans;
pub mod stated;
mod suggest;
mod titles;
mod understand;
mod vocabulary;
mod words;

pub use language::Language;
pub use understand::{Understood, understand, understand_with};
pub use vocabulary::Vocabulary;

pub(crate) use titles::TitleWord;

use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::{Currency, Role};

/// One kind of analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "snake_case")]
pub enum Skill {
    /// What is in the catalog.
    Overview,
    /// Where the catalog has holes, against a market file or against itself.
    Gaps,
    /// Price points, and the widest jumps between them.
    PriceLadder,
    /// Prices that cannot be right.
    PriceOutliers,
    /// Which fields are missing or wrong.
    FeedQuality,
    /// The same thing listed twice.
    Duplicates,
    /// What is out of stock or low.
    Availability,
    /// What has been there too long.
    Aging,
    /// Days' supply and turn.
    Velocity,
    /// Prices beside comparable ones.
    PriceToMarket,
    /// What to reduce.
    Markdowns,
    /// How old the data is.
    Freshness,
    /// What came, went or changed its price.
    Changes,
    /// Filter, group, count, sum, list.
    Lookup,
    /// Leads by rooftop, agent, car and state, and cars without any.
    Leads,
    /// What can be asked: the answer to a question that was not understood.
    Help,
}

/// One analysis to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Intent {
    /// Which analysis.
    pub skill: Skill,
    /// Its parameters.
    pub params: Params,
    /// Which rows it is about.
    pub scope: Scope,
    /// The words of the question that led to it, for the answer to show.
    pub matched: Vec<String>,
}

impl Intent {
    /// An analysis of all rows, without anything that narrows it.
    #[must_use]
    pub fn new(skill: Skill) -> Self {
        Self {
            skill,
            params: Params::default(),
            scope: Scope::default(),
            matched: Vec::new(),
        }
    }
}

/// What a question says beyond the skill; each skill reads the few that concern it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(default)]
pub struct Params {
    /// Which column the rows are grouped by.
    pub group_by: Option<ColumnName>,
    /// What is computed of each group or of all rows; without it a lookup lists rows.
    pub measure: Option<Measure>,
    /// What the list is ordered by, and in which direction.
    pub order: Option<Order>,
    /// How many rows the list has at most.
    pub top: Option<usize>,
    /// The fields that a question about missing ones names; empty means all.
    pub missing: Vec<Role>,
    /// A threshold in days: "over 60 days".
    pub days: Option<u32>,
    /// The window of a count over time, in days: "sold in the last 45 days".
    pub window: Option<u32>,
    /// The range of a gap that the question itself names: "nothing between 500 and 900".
    pub between: Option<(Decimal, Decimal)>,
    /// Which changes are asked for; empty means all.
    pub changes: Vec<Change>,
}

/// A column by its meaning, or by its header where it has none that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnName {
    /// By meaning.
    Role(Role),
    /// By header, as the file spells it.
    Header(String),
}

/// What is computed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// How many.
    Count,
    /// The total of a column.
    Sum(ColumnName),
    /// The middle of a column.
    Median(ColumnName),
    /// The arithmetic mean of a column.
    Mean(ColumnName),
    /// The least of a column.
    Minimum(ColumnName),
    /// The greatest of a column.
    Maximum(ColumnName),
}

/// The order of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// By which column; by `Role::AgeDays` also where the age is counted from a date.
    pub by: ColumnName,
    /// The greatest first.
    pub descending: bool,
}

/// What can happen to a unit between two days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It came.
    New,
    /// It went.
    Gone,
    /// It became dearer.
    PriceUp,
    /// It became cheaper.
    PriceDown,
}

/// What some questions ask for that no catalog tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Beyond {
    /// What will be.
    Future,
    /// Profit, margin, revenue.
    Profit,
    /// Views and clicks.
    Visits,
    /// Who bought, who asked.
    Person,
}

/// Which rows a question is about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(default)]
pub struct Scope {
    /// All of them hold for a row.
    pub filters: Vec<Filter>,
    /// Words that narrow the question and that no column, category or title knows; the answer names them.
    pub unknown: Vec<String>,
    /// Whether filters come from an earlier question of the same context.
    pub is_inherited: bool,
}

/// One condition on a row. A row without the value does not fulfil it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// The cell is one of these values, as the data spells them. Of a category path: is it, or lies below it.
    Is {
        /// Of which column.
        column: ColumnName,
        /// The values, any of which will do.
        values: Vec<String>,
        /// The cell is none of them.
        negated: bool,
    },
    /// A number or amount within bounds, both included unless said otherwise.
    Within {
        /// Of which column.
        column: ColumnName,
        /// The least.
        at_least: Option<Decimal>,
        /// The most.
        at_most: Option<Decimal>,
        /// Neither bound itself fulfils it: "under 20k", "over 60".
        exclusive: bool,
        /// The currency that the question names.
        currency: Option<Currency>,
    },
    /// A day within bounds, both included.
    Dated {
        /// Of which column.
        column: ColumnName,
        /// The first day.
        from: Option<Date>,
        /// The last day.
        until: Option<Date>,
    },
    /// All of these words, or a word of the same stem, stand in the title.
    Titled {
        /// In lower case.
        words: Vec<String>,
    },
    /// One of these holds: "armchairs and loungers".
    AnyOf(Vec<Filter>),
    /// It can be sold: not sold, not withdrawn, not out of stock.
    Available,
    /// A field is empty, or is filled.
    Lacks {
        /// Which.
        column: ColumnName,
        /// Whether the field must be filled instead.
        negated: bool,
    },
}

#[cfg(test)]
mod tests;
