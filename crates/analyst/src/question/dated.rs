//! Which day a period of the question is about: when it was sold, when it came, when it happened.

use super::lexicon::Sense;
use super::reading::Reading;
use super::spans::Span;
use super::{Change, ColumnName, Filter, Skill};
use crate::Role;

/// When a unit came.
const CAME: [Role; 2] = [Role::DateInStock, Role::DateAdded];

/// Whatever else a table says of days, the likeliest first.
const ANY: [Role; 6] = [
    Role::DateInStock,
    Role::DateAdded,
    Role::DateUpdated,
    Role::DateSold,
    Role::EventDate,
    Role::SnapshotDate,
];

/// Makes a condition of the period. What only said which day is meant, as "sold" and "arrived" do, asks for
/// nothing else then.
pub(super) fn narrow(reading: &mut Reading, spans: &[Span], has: impl Fn(Role) -> bool) {
    let Some((period, words)) = reading.period.clone() else {
        return;
    };
    let first_of = |roles: &[Role]| {
        let known = roles.iter().copied().find(|role| has(*role));
        known.unwrap_or(roles[0])
    };
    let is_about = |reading: &Reading, skill: Skill| {
        let mut skills = reading.skills.iter();
        skills.any(|(known, weight, _)| *known == skill && *weight >= 2)
    };
    let has_come = reading.has_arrived || reading.changes.contains(&Change::New);
    let role = if has_come && CAME.iter().any(|role| has(*role)) {
        reading.has_arrived = false;
        reading.changes.retain(|change| *change != Change::New);
        first_of(&CAME)
    } else if has_come || !reading.changes.is_empty() || is_about(reading, Skill::Leads) {
        Role::EventDate
    } else if is_about(reading, Skill::Velocity) {
        // What was not sold in those days has no such day.
        let is_denied = |span: &Span| matches!(span.sense(), Some(Sense::Not | Sense::Lack));
        if spans.iter().any(is_denied) {
            reading.unknown.push(words);
            return;
        }
        reading
            .skills
            .retain(|(skill, ..)| *skill != Skill::Velocity);
        Role::DateSold
    } else if is_about(reading, Skill::Freshness) {
        reading
            .skills
            .retain(|(skill, ..)| *skill != Skill::Freshness);
        Role::DateUpdated
    } else {
        first_of(&ANY)
    };
    reading.filters.push(Filter::Dated {
        column: ColumnName::Role(role),
        from: period.from,
        until: period.until,
    });
}
