//! Questions that would work on the data at hand.

use super::vocabulary::Vocabulary;
use crate::{Column, Role, Sources, Table};

/// How many questions are suggested.
const MOST: usize = 3;

/// Three questions that the columns at hand can answer, or fewer where there is no table.
pub(super) fn questions(sources: &Sources, vocabulary: Option<&Vocabulary>) -> Vec<String> {
    let (Some(table), Some(vocabulary)) = (sources.subject(), vocabulary) else {
        return Vec::new();
    };
    let mut questions = Vec::new();
    let has = |role| vocabulary.has(role);
    if has(Role::AgeDays) {
        questions.push("What has been in stock too long?".to_owned());
    }
    if has(Role::Price) && sources.market().is_some() && has(Role::Make) {
        questions.push("Are we overpriced against the market?".to_owned());
    }
    if has(Role::Image) || has(Role::PhotoCount) {
        questions.push("What lacks photos?".to_owned());
    }
    if has(Role::Price) {
        questions.push(dearest(table));
    }
    if has(Role::Quantity) {
        questions.push("What is out of stock?".to_owned());
    }
    if let Some(word) = grouping(vocabulary) {
        questions.push(format!("How many do we have by {word}?"));
    }
    questions.push("Give me an overview.".to_owned());
    questions.push("How complete is the data?".to_owned());
    questions.push("Is anything listed twice?".to_owned());
    questions.truncate(MOST);
    questions
}

/// The dearest of a make or brand that the data has.
fn dearest(table: &Table) -> String {
    let value = [Role::Make, Role::Brand]
        .into_iter()
        .find_map(|role| table.column(role))
        .and_then(commonest_early);
    value.map_or_else(
        || "What are the ten dearest items?".to_owned(),
        |value| format!("What are the ten dearest items of {value}?"),
    )
}

/// The first value that a question can name as it is.
fn commonest_early(column: &Column) -> Option<String> {
    column
        .distinct()
        .take(20)
        .map(|symbol| column.symbol_text(symbol))
        .find(|value| {
            (3..=24).contains(&value.chars().count()) && value.chars().all(char::is_alphabetic)
        })
        .map(str::to_owned)
}

fn grouping(vocabulary: &Vocabulary) -> Option<&'static str> {
    [
        (Role::Category, "category"),
        (Role::Make, "make"),
        (Role::Brand, "brand"),
        (Role::Rooftop, "store"),
        (Role::ProductType, "type"),
    ]
    .into_iter()
    .find(|(role, _)| vocabulary.has(*role))
    .map(|(_, word)| word)
}
