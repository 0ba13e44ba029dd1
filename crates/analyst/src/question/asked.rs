//! Which analyses a part of a question asks for, with their parameters.

use super::dated;
use super::lexicon::Sense;
use super::reading::{Bounds, Reading};
use super::spans::Span;
use super::vocabulary::Vocabulary;
use super::{Change, ColumnName, Filter, Intent, Measure, Params, Scope, Skill};
use crate::Role;

/// A second analysis in the same part is meant only where the phrase hardly means anything else.
const SURE: u8 = 3;

/// The intents of a part of a question; none where it asks for nothing that is known.
pub(super) fn intents(
    reading: &mut Reading,
    spans: &[Span],
    vocabulary: Option<&Vocabulary>,
    has_second_snapshot: bool,
) -> Vec<Intent> {
    let has = |role| vocabulary.is_some_and(|vocabulary| vocabulary.has(role));
    // Without a second snapshot, what is gone is what is sold out.
    if reading.changes == [Change::Gone]
        && reading.window.is_none()
        && !has_second_snapshot
        && (has(Role::Quantity) || has(Role::Availability))
    {
        reading.changes.clear();
        reading.skills.push((Skill::Availability, 3, 0));
    }
    dated::narrow(reading, spans, has);
    derive_skills(reading, has(Role::AgeDays), has_second_snapshot);
    let skills = choose(reading, spans);
    let scope = Scope {
        filters: reading.filters.clone(),
        unknown: reading.unknown.clone(),
        is_inherited: false,
    };
    skills
        .into_iter()
        .map(|skill| intent(skill, reading, scope.clone()))
        .collect()
}

/// What conditions and spans of time ask for without naming an analysis.
fn derive_skills(reading: &mut Reading, has_age: bool, has_second_snapshot: bool) {
    let end = usize::MAX;
    let says_it = |reading: &Reading, skill: Skill| {
        reading
            .skills
            .iter()
            .any(|(known, weight, _)| *known == skill && *weight >= 2)
    };
    if !reading.lacks.is_empty() {
        if reading.wants_rows_or_figure() {
            let lacks = std::mem::take(&mut reading.lacks);
            reading
                .filters
                .extend(lacks.into_iter().map(|column| Filter::Lacks {
                    column,
                    negated: false,
                }));
        } else {
            reading.skills.push((Skill::FeedQuality, 4, 0));
        }
    }
    figure_of_groups(reading);
    if asks_whether_filled(reading) {
        reading.skills.push((Skill::FeedQuality, 2, 0));
    }
    if reading.has_arrived {
        if !has_second_snapshot && has_age && reading.window.is_some() {
            let days = reading.window.take();
            reading.age = Some(Bounds {
                at_most: days.map(Into::into),
                ..Bounds::default()
            });
        } else {
            reading.changes.push(Change::New);
        }
    }
    if !reading.changes.is_empty() {
        reading.skills.push((Skill::Changes, 3, end));
    }
    let Some(age) = reading.age else {
        return;
    };
    let is_threshold = age.at_least.is_some() && age.at_most.is_none();
    if says_it(reading, Skill::Aging) && is_threshold {
        return;
    }
    if is_threshold && !reading.wants_rows_or_figure() {
        let is_other = [Skill::Markdowns, Skill::Velocity, Skill::PriceToMarket]
            .into_iter()
            .any(|skill| says_it(reading, skill));
        if !is_other {
            reading.skills.push((Skill::Aging, 3, end));
        }
        return;
    }
    reading.age = None;
    reading.filters.push(Filter::Within {
        column: ColumnName::Role(Role::AgeDays),
        at_least: age.at_least,
        at_most: age.at_most,
        exclusive: age.exclusive,
        currency: None,
    });
}

/// "Stock by category" is its total, "mileage by make" the middle one.
fn figure_of_groups(reading: &mut Reading) {
    if reading.group_by.is_none() || reading.wants_rows_or_figure() || reading.counts {
        return;
    }
    let Some(ColumnName::Role(role)) = reading.field else {
        return;
    };
    let column = ColumnName::Role(role);
    reading.measure = match role {
        Role::Quantity | Role::Cost => Some(Measure::Sum(column)),
        Role::Odometer => Some(Measure::Median(column)),
        _ => return,
    };
}

/// "Do the sofas have pictures?" names a field that nothing else is said of.
fn asks_whether_filled(reading: &Reading) -> bool {
    let Some(field) = &reading.field else {
        return false;
    };
    let is_of_listing = matches!(
        field,
        ColumnName::Role(
            Role::Image
                | Role::PhotoCount
                | Role::Gtin
                | Role::Vin
                | Role::Description
                | Role::Link
        )
    );
    let is_said_of = reading.filters.iter().any(|filter| match filter {
        Filter::Within { column, .. } => *column == ColumnName::Role(Role::PhotoCount),
        Filter::Lacks { column, .. } => column == field,
        _ => false,
    });
    is_of_listing
        && !is_said_of
        && !reading.wants_rows_or_figure()
        && !reading.counts
        && reading.skills.is_empty()
}

/// The surest analysis, and others that are as good as certain and stand beside it with "and".
fn choose(reading: &Reading, spans: &[Span]) -> Vec<Skill> {
    let lookup = lookup_weight(reading);
    let best = reading
        .skills
        .iter()
        .max_by_key(|(_, weight, at)| (*weight, std::cmp::Reverse(*at)));
    let Some(&(best, weight, place)) = best else {
        return match lookup {
            0 => Vec::new(),
            _ => vec![Skill::Lookup],
        };
    };
    if lookup > weight || lookup == weight && weight < SURE {
        return vec![Skill::Lookup];
    }
    let mut chosen = vec![(place, best)];
    for &(skill, weight, at) in &reading.skills {
        let is_known = chosen.iter().any(|(_, known)| *known == skill);
        let beside = |(other, _): &(usize, Skill)| {
            let between = (*other).min(at)..(*other).max(at);
            spans.get(between).is_some_and(|spans| {
                spans.iter().any(|span| {
                    matches!(span.sense(), Some(Sense::And)) || span.gap == super::words::Gap::Comma
                })
            })
        };
        if weight >= SURE && !is_known && chosen.iter().all(beside) {
            chosen.push((at, skill));
        }
    }
    chosen.sort_by_key(|(at, _)| *at);
    chosen.into_iter().map(|(_, skill)| skill).collect()
}

/// How surely rows or a figure are asked for.
fn lookup_weight(reading: &Reading) -> u8 {
    let has_scope = !reading.filters.is_empty() || reading.group_by.is_some();
    if reading.wants_rows_or_figure() || reading.counts {
        2
    } else if has_scope || reading.asks && (reading.has_subject || !reading.unknown.is_empty()) {
        1
    } else {
        0
    }
}

fn intent(skill: Skill, reading: &Reading, scope: Scope) -> Intent {
    let mut params = Params {
        group_by: reading.group_by.clone(),
        order: reading.order.clone(),
        top: reading.top,
        ..Params::default()
    };
    let days = || {
        let age = reading.age?;
        age.at_least?.trunc().try_into().ok()
    };
    match skill {
        Skill::Lookup => {
            params.measure = reading
                .measure
                .clone()
                .or(reading.counts.then_some(Measure::Count));
            extreme_of_groups(&mut params);
        }
        Skill::Aging => {
            params.days = days();
            if reading.is_tied_up {
                params.measure = Some(Measure::Sum(ColumnName::Role(Role::Cost)));
            }
        }
        Skill::Markdowns => params.days = days(),
        Skill::FeedQuality => {
            let named = match reading.lacks.as_slice() {
                [] => reading.field.as_slice(),
                lacks => lacks,
            };
            params.missing = named
                .iter()
                .filter_map(|column| match column {
                    ColumnName::Role(role) => Some(*role),
                    ColumnName::Header(_) => None,
                })
                .collect();
        }
        Skill::Gaps => params.between = reading.between,
        Skill::Changes => {
            params.changes.clone_from(&reading.changes);
            params.window = reading.window;
        }
        Skill::Velocity | Skill::Leads => params.window = reading.window,
        _ => {}
    }
    Intent {
        skill,
        params,
        scope,
        matched: reading.matched.clone(),
    }
}

/// "The dearest of each category" is the greatest price of each group.
fn extreme_of_groups(params: &mut Params) {
    if params.group_by.is_none() || params.measure.is_some() || params.top.is_some() {
        return;
    }
    if let Some(order) = params.order.take() {
        params.measure = Some(if order.descending {
            Measure::Maximum(order.by)
        } else {
            Measure::Minimum(order.by)
        });
    }
}
