//! The analyses: each a pure function from tables to a finding.
//!
//! [`run`] narrows the table to the scope and hands it to the skill, one file each. What
//! several skills need lies beside them: `selection` has the items and rows that are counted,
//! `price` which price an item has, `age` which day a table speaks of, `stock` what can be
//! sold, `fields` what counts as filled, `statistics` the arithmetic.

mod age;
mod aging;
mod availability;
mod capital;
mod changes;
mod duplicates;
mod evidence;
mod feed_quality;
mod fields;
mod freshness;
mod gaps;
mod groups;
mod leads;
mod lookup;
mod markdowns;
mod overview;
mod price;
mod price_ladder;
mod price_outliers;
mod price_range;
mod price_to_market;
mod scope;
mod selection;
mod statistics;
mod stock;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod velocity;
mod words;

use evidence::Read;
use scope::Scoped;
use selection::Selection;

use crate::finding::{Outcome, Sentence, listed, say};
use crate::question::ColumnName;
use crate::{Finding, Intent, Role, Skill, Sources, Table, Value};

/// Runs one analysis.
#[must_use]
pub fn run(intent: &Intent, sources: &Sources) -> Finding {
    let answered = match intent.skill {
        Skill::Changes => changes::find(intent, sources),
        Skill::Freshness => freshness::find(intent, sources),
        Skill::Leads => leads::find(intent, sources),
        _ => of_subject(intent, sources),
    };
    let mut finding = answered.unwrap_or_else(|refusal| refusal.finding(intent, sources));
    if !intent.scope.unknown.is_empty() {
        scope::name_unknown(&mut finding, intent);
    }
    if let (Some(top), Some(grid)) = (intent.params.top, &mut finding.grid) {
        grid.cut(top);
    }
    finding
}

/// What an answer rests on that no analysis counted: the subject, and the files that came with it.
pub(crate) fn evidence(sources: &Sources) -> Vec<crate::finding::Evidence> {
    let subject = sources.subject().map(|table| (table, table.rows() as u64));
    evidence::of(sources, &subject.into_iter().collect::<Vec<_>>())
}

/// An analysis of the one table that the question is about.
fn of_subject(intent: &Intent, sources: &Sources) -> Result<Finding, Refusal> {
    let table = sources.subject().ok_or_else(Refusal::no_table)?;
    let scoped = scope::select(table, &intent.scope)?;
    let asked = Asked {
        intent,
        sources,
        stock: &scoped.selection,
    };
    let mut finding = if scoped.selection.is_empty() {
        nothing_in_scope(&asked)
    } else {
        match intent.skill {
            Skill::Overview => overview::find(&asked)?,
            Skill::FeedQuality => feed_quality::find(&asked)?,
            Skill::Duplicates => duplicates::find(&asked)?,
            Skill::Availability => availability::find(&asked)?,
            Skill::Aging => aging::find(&asked)?,
            Skill::Velocity => velocity::find(&asked)?,
            Skill::PriceToMarket => price_to_market::find(&asked)?,
            Skill::Markdowns => markdowns::find(&asked)?,
            Skill::Gaps => gaps::find(&asked)?,
            Skill::PriceLadder => price_ladder::find(&asked)?,
            Skill::PriceOutliers => price_outliers::find(&asked)?,
            _ => lookup::find(&asked)?,
        }
    };
    let Scoped {
        mut said,
        mut limits,
        ..
    } = scoped;
    if let (Skill::Duplicates, Some(group)) = (intent.skill, &intent.params.group_by) {
        said.push(say!(
            "Sets of duplicates are not divided by ",
            words::column(table, group),
            ", because one may lie in several."
        ));
    }
    finding.scope = said;
    limits.append(&mut finding.limits);
    finding.limits = limits;
    if finding.evidence.is_empty() {
        finding.evidence = asked.evidence(&[]);
    }
    if finding.rule.is_empty() {
        finding
            .rule
            .push(say!("Every row in scope counts, each as one item."));
    }
    Ok(finding)
}

/// What a skill reads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'q, 'a> {
    pub(crate) intent: &'q Intent,
    pub(crate) sources: &'a Sources,
    /// The items of the subject that are in scope; never empty.
    pub(crate) stock: &'q Selection<'a>,
}

impl<'a> Asked<'_, 'a> {
    pub(crate) fn table(&self) -> &'a Table {
        self.stock.table()
    }

    /// The column that the question groups by, else the usual one.
    pub(crate) fn group(&self) -> Option<ColumnName> {
        let asked = self.intent.params.group_by.clone();
        asked.or_else(|| fields::usual_group(self.table()))
    }

    pub(crate) fn finding(&self) -> Finding {
        Finding::new(self.intent.skill)
    }

    /// A finding that all is well, or that nothing matches.
    pub(crate) fn nothing(&self, headline: Sentence) -> Finding {
        let mut finding = self.finding();
        finding.outcome = Outcome::Nothing {
            rows: self.stock.row_count(),
        };
        finding.headline = headline;
        finding
    }

    /// The evidence of an answer from the subject and from `others`.
    pub(crate) fn evidence(&self, others: &[Read<'a>]) -> Vec<crate::finding::Evidence> {
        let mut read = vec![(self.table(), self.stock.row_count())];
        read.extend_from_slice(others);
        evidence::of(self.sources, &read)
    }
}

fn nothing_in_scope(asked: &Asked<'_, '_>) -> Finding {
    let rows = asked.table().rows() as u64;
    let mut finding = asked.nothing(if rows == 0 {
        say!("The source has no rows.")
    } else {
        say!(
            "None of ",
            crate::finding::counted(rows, "row"),
            " is in the scope of the question."
        )
    });
    finding.outcome = Outcome::Nothing { rows };
    finding.rule.push(say!(
        "A row without a value does not fulfil a condition on it."
    ));
    finding
}

/// Why the data cannot answer.
#[derive(Debug, Default)]
pub(crate) struct Refusal {
    missing: Vec<Role>,
    /// One of the missing meanings would be enough.
    any_of: bool,
    /// The header of the question that no table has.
    header: Option<String>,
    /// What is said instead of, or besides, the names of what is missing.
    because: Option<Sentence>,
    /// The table that was looked at, where it is not the subject.
    seen: Option<Vec<String>>,
}

impl Refusal {
    /// All of these are missing.
    pub(crate) fn missing(roles: &[Role]) -> Self {
        Self {
            missing: roles.to_vec(),
            ..Self::default()
        }
    }

    /// One of these would be enough.
    pub(crate) fn missing_any(roles: &[Role]) -> Self {
        Self {
            any_of: true,
            ..Self::missing(roles)
        }
    }

    pub(crate) fn because(sentence: Sentence) -> Self {
        Self {
            because: Some(sentence),
            ..Self::default()
        }
    }

    pub(crate) fn no_header(header: &str) -> Self {
        Self {
            header: Some(header.to_owned()),
            ..Self::default()
        }
    }

    fn no_table() -> Self {
        Self::because(say!(
            "There is no catalog to read: attach a CSV file with one row for each product or vehicle."
        ))
    }

    /// The headers that were looked at, where they are not those of the subject.
    pub(crate) fn seen_in(mut self, table: &Table) -> Self {
        self.seen = Some(headers(table));
        self
    }

    fn finding(self, intent: &Intent, sources: &Sources) -> Finding {
        let mut finding = Finding::new(intent.skill);
        finding.headline = self.headline();
        if self.headline_says_because() {
            self.because
                .clone()
                .into_iter()
                .for_each(|because| finding.details.push(because));
        }
        let subject = sources.subject();
        let seen = self
            .seen
            .or_else(|| subject.map(headers))
            .unwrap_or_default();
        if !seen.is_empty() {
            let values = seen
                .iter()
                .map(|header| Value::from(header.as_str()))
                .collect();
            finding
                .details
                .push(say!("Columns seen: ", listed(values, 60, " and "), "."));
        }
        finding.outcome = Outcome::Unanswerable {
            missing: self.missing,
            seen,
        };
        let read: Vec<Read<'_>> = subject.map(|table| (table, 0)).into_iter().collect();
        finding.evidence = evidence::of(sources, &read);
        finding
    }

    fn headline_says_because(&self) -> bool {
        !self.missing.is_empty() || self.header.is_some()
    }

    fn headline(&self) -> Sentence {
        if let Some(header) = &self.header {
            return say!(
                "This cannot be answered: there is no column ",
                Value::from(header.as_str()),
                "."
            );
        }
        if self.missing.is_empty() {
            return self.because.clone().unwrap_or_default();
        }
        let mut names = Sentence::default();
        for (place, &role) in self.missing.iter().enumerate() {
            if place > 0 {
                let is_last = place + 1 == self.missing.len();
                names.add(if is_last { " or " } else { ", " });
            }
            names.add(role.name());
        }
        let enough = if self.any_of && self.missing.len() > 1 {
            "; one of them would do."
        } else {
            "."
        };
        say!("This cannot be answered: no column states ", names, enough)
    }
}

fn headers(table: &Table) -> Vec<String> {
    let headers = table.columns().iter();
    headers.map(|column| column.header().to_owned()).collect()
}
