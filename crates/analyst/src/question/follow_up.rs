//! Questions that go on from the one before.

use super::{ColumnName, Filter, Intent, Measure, Params, Scope, Skill};
use crate::Role;

/// The intents of the question before, with what this one changes. `said` is what the follow-up itself
/// asks for: none where it only narrows.
pub(super) fn go_on(
    previous: &[Intent],
    said: &[Intent],
    scope: &Scope,
    says_skill: bool,
) -> Vec<Intent> {
    let Some(first) = previous.first() else {
        return said.to_vec();
    };
    if says_skill {
        return said
            .iter()
            .map(|intent| Intent {
                scope: merged(&first.scope, &intent.scope),
                ..intent.clone()
            })
            .collect();
    }
    previous
        .iter()
        .map(|intent| {
            let params = said
                .first()
                .map_or_else(Params::default, |said| said.params.clone());
            Intent {
                scope: merged(&intent.scope, scope),
                params: overlaid(intent.skill, &intent.params, params),
                ..intent.clone()
            }
        })
        .collect()
}

/// The scope before, with the new conditions in the place of those on the same column.
pub(super) fn merged(before: &Scope, now: &Scope) -> Scope {
    let mut filters: Vec<Filter> = before
        .filters
        .iter()
        .filter(|old| !now.filters.iter().any(|new| replaces(new, old)))
        .cloned()
        .collect();
    let is_inherited = !filters.is_empty();
    for filter in &now.filters {
        if !filters.contains(filter) {
            filters.push(filter.clone());
        }
    }
    Scope {
        filters,
        unknown: now.unknown.clone(),
        is_inherited,
    }
}

fn replaces(new: &Filter, old: &Filter) -> bool {
    match (new, old) {
        (
            Filter::Is {
                column, negated, ..
            },
            Filter::Is {
                column: other,
                negated: was_negated,
                ..
            },
        ) => negated == was_negated && (column == other || !negated && narrows(other, column)),
        (Filter::Within { column, .. }, Filter::Within { column: other, .. })
        | (Filter::Dated { column, .. }, Filter::Dated { column: other, .. })
        | (Filter::Lacks { column, .. }, Filter::Lacks { column: other, .. }) => column == other,
        (Filter::Titled { .. } | Filter::AnyOf(_), Filter::Titled { .. } | Filter::AnyOf(_)) => {
            true
        }
        _ => false,
    }
}

/// A model belongs to a make: another make makes it meaningless.
fn narrows(lower: &ColumnName, upper: &ColumnName) -> bool {
    use ColumnName::Role as Named;
    matches!(
        (lower, upper),
        (Named(Role::Model | Role::Trim), Named(Role::Make))
            | (Named(Role::Trim), Named(Role::Model))
            | (Named(Role::Make), Named(Role::Model))
    )
}

/// The parameters before, with those that are named anew.
fn overlaid(skill: Skill, before: &Params, now: Params) -> Params {
    let figure_is_new = now.measure.is_some();
    let keeps_list = !(skill == Skill::Lookup && figure_is_new && before.measure.is_none());
    let measure = match (&before.measure, now.measure) {
        // "By brand" after "the average price" is the average price by brand.
        (Some(old), Some(Measure::Count)) if now.group_by.is_some() => Some(old.clone()),
        (old, new) => new.or_else(|| old.clone()),
    };
    Params {
        group_by: now.group_by.or_else(|| before.group_by.clone()),
        measure,
        order: now
            .order
            .or_else(|| before.order.clone().filter(|_| keeps_list)),
        top: now.top.or(before.top.filter(|_| keeps_list)),
        missing: if now.missing.is_empty() {
            before.missing.clone()
        } else {
            now.missing
        },
        days: now.days.or(before.days),
        window: now.window.or(before.window),
        between: now.between.or(before.between),
        changes: if now.changes.is_empty() {
            before.changes.clone()
        } else {
            now.changes
        },
    }
}
