//! From the text of a question to what it asks.

use std::sync::Arc;

use jiff::civil::Date;

use super::language::Language;
use super::lexicon::{self, Sense};
use super::reading::{self, Reading};
use super::spans::{self, Span, What};
use super::vocabulary::Vocabulary;
use super::words::{self, Gap};
use super::{Beyond, Filter, Intent, Scope, asked, follow_up, suggest};
use crate::{Column, Role, Sources, Table};

/// More answers than these in one nobody reads.
pub(super) const MOST_INTENTS: usize = 4;

/// What was understood of a question.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Understood {
    /// What to run, at most four, in the order of the question. None where nothing that can be asked
    /// was recognised.
    pub intents: Vec<Intent>,
    /// The language that the question is in.
    pub language: Language,
    /// What it asks for that no catalog tells; the answer says so by name.
    pub beyond: Vec<Beyond>,
    /// Words that nothing knows, where no intent carries them in its scope.
    pub unknown: Vec<String>,
    /// Where there is nothing to run: up to three questions that would work on this data.
    pub suggestions: Vec<String>,
}

/// Understands a question about these sources.
///
/// `previous` are the intents of the question before in the same context, empty where it is the first:
/// "and in blue?" asks the same of fewer rows. The vocabulary of the own catalog is the one that
/// the sources keep; [`understand_with`] takes another.
#[must_use]
pub fn understand(text: &str, sources: &Sources, previous: &[Intent]) -> Understood {
    let own = own_vocabulary(sources);
    understand_with(text, sources, own.as_deref(), previous)
}

/// As [`understand`], with the [`Vocabulary`] of the own catalog.
#[must_use]
pub fn understand_with(
    text: &str,
    sources: &Sources,
    own: Option<&Vocabulary>,
    previous: &[Intent],
) -> Understood {
    let others = other_vocabularies(sources);
    let vocabularies: Vec<&Vocabulary> = own.into_iter().chain(&others).collect();
    let words = words::of_question(text);
    let language = lexicon::language_of(&words);
    let spans = spans::of(&words, language, &vocabularies, sources.subject());
    let has_second_snapshot = sources.history.is_some() || sources.market().is_some();
    let newest = || newest_day(sources);

    let mut understood = Understood {
        language,
        ..Understood::default()
    };
    let mut before: Vec<Intent> = Vec::new();
    for (place, part) in parts(&spans).into_iter().enumerate() {
        let mut reading = reading::read(part, &vocabularies, &newest);
        if !reading.beyond.is_empty() {
            for beyond in &reading.beyond {
                if !understood.beyond.contains(beyond) {
                    understood.beyond.push(*beyond);
                }
            }
            continue;
        }
        let own_skill = says_skill(&reading);
        let mut said = asked::intents(
            &mut reading,
            part,
            vocabularies.first().copied(),
            has_second_snapshot,
        );
        let context: &[Intent] = if before.is_empty() { previous } else { &before };
        let goes_on = !context.is_empty() && goes_on(&reading, part, place);
        if goes_on {
            let scope = Scope {
                filters: reading.filters.clone(),
                unknown: reading.unknown.clone(),
                is_inherited: false,
            };
            said = follow_up::go_on(context, &said, &scope, own_skill);
            if !before.is_empty() && !own_skill {
                // The same intents, narrowed by a further sentence.
                understood.intents.clone_from(&said);
                before = said;
                continue;
            }
        }
        if said.is_empty() {
            understood.unknown.append(&mut reading.unknown);
            continue;
        }
        before.clone_from(&said);
        understood.intents.append(&mut said);
    }
    understood.intents.truncate(MOST_INTENTS);
    if understood.intents.is_empty() {
        understood.suggestions = suggest::questions(sources, vocabularies.first().copied());
    }
    understood
}

/// The words of the own catalog: those that are kept, else gathered.
pub(super) fn own_vocabulary(sources: &Sources) -> Option<Arc<Vocabulary>> {
    let gathered = || {
        let own = sources.own.as_deref();
        own.map(|own| Vocabulary::of(own).into())
    };
    sources.vocabulary.clone().or_else(gathered)
}

/// The words of the other tables, in the order of their importance.
pub(super) fn other_vocabularies(sources: &Sources) -> Vec<Vocabulary> {
    let tables = sources.attached_tables().chain(sources.leads.as_deref());
    tables.map(Vocabulary::of).collect()
}

/// The newest day that any of the tables states.
pub(super) fn newest_day(sources: &Sources) -> Option<Date> {
    let own = [&sources.own, &sources.history, &sources.leads];
    let own = own.into_iter().filter_map(|table| table.as_deref());
    let tables = own.chain(sources.attached_tables());
    let dated = |column: &&Column| column.role().is_some_and(Role::is_date);
    let columns = tables.flat_map(Table::columns).filter(dated);
    columns.filter_map(Column::newest_date).max()
}

/// Whether a part names what it wants: an analysis, or a figure.
fn says_skill(reading: &Reading) -> bool {
    reading.skills.iter().any(|(_, weight, _)| *weight >= 2)
        || reading.wants_rows_or_figure()
        || reading.counts
        || !reading.lacks.is_empty()
        || !reading.changes.is_empty()
        || reading.age.is_some()
        || reading.period.is_some() && !reading.skills.is_empty()
}

/// Whether a part goes on from what was asked before: it says so, or points back, or is too short to
/// stand alone.
fn goes_on(reading: &Reading, part: &[Span], place: usize) -> bool {
    if reading.follows {
        return true;
    }
    let has_own_scope = reading
        .filters
        .iter()
        .any(|filter| !matches!(filter, Filter::Available));
    if reading.points_back && !reading.has_subject {
        return true;
    }
    let asks_of_the_same = place > 0
        && !has_own_scope
        && !reading.has_subject
        && part
            .iter()
            .find(|span| span.sense() != Some(Sense::And))
            .is_some_and(|span| span.sense() == Some(Sense::Ask));
    let is_figure_only = reading.skills.is_empty()
        && (reading.counts || reading.wants_rows_or_figure())
        && reading.filters.is_empty()
        && reading.group_by.is_none()
        && reading.unknown.is_empty()
        && !reading.has_subject;
    let is_fragment = !says_skill(reading)
        && !reading.asks
        && !reading.has_subject
        && (has_own_scope || reading.group_by.is_some())
        && part.len() <= 4;
    asks_of_the_same || is_figure_only || is_fragment
}

/// Sentences, and what begins with "and" and a word that asks.
fn parts(spans: &[Span]) -> Vec<&[Span]> {
    let mut parts = Vec::new();
    let mut start = 0;
    for at in 1..spans.len() {
        let joins = |span: &Span| span.sense() == Some(Sense::And);
        let asks = |span: &Span| matches!(span.sense(), Some(Sense::Question | Sense::Ask));
        let begins = spans[at].gap == Gap::Stop
            || joins(&spans[at]) && spans.get(at + 1).is_some_and(asks)
            || spans[at].gap == Gap::Comma
                && spans[at].sense() == Some(Sense::Question)
                && start < at;
        let is_word = matches!(spans[at - 1].what, What::Number(_)) && spans[at].gap != Gap::Stop;
        if begins && !is_word {
            parts.push(&spans[start..at]);
            start = at;
        }
    }
    if start < spans.len() {
        parts.push(&spans[start..]);
    }
    parts
}

impl Beyond {
    /// What is missing, as an answer says it.
    #[must_use]
    pub fn missing(self) -> &'static str {
        match self {
            Self::Future => "The data says nothing of the future, and no forecast is made from it.",
            Self::Profit => {
                "Profit, margin and revenue need the amounts that were taken and all costs, which a catalog does not have."
            }
            Self::Visits => "How often something was seen or clicked on is not in a catalog.",
            Self::Person => "Who bought or asked for something is not in a catalog.",
        }
    }
}
