//! What of a question a statement may use: its words, numbers and days.

use std::collections::BTreeSet;

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::Misstated;
use crate::question::lexicon::{self, Sense};
use crate::question::spans::{self, What};
use crate::question::words;

/// Weeks, months and years in days, and the one day of "today".
const SPANS_OF_DAYS: [i64; 5] = [1, 7, 30, 31, 365];

/// What the words of a question offer: its words, and the numbers that may be used.
pub(super) struct Asked {
    words: BTreeSet<String>,
    numbers: Vec<Decimal>,
    newest: Option<Date>,
}

impl Asked {
    pub(super) fn of(question: &str, newest: Option<Date>) -> Self {
        let words = words::of_question(question);
        let language = lexicon::language_of(&words);
        let spans = spans::of(&words, language, &[], None);
        let spelled = spans.iter().filter_map(|span| match span.what {
            What::Sense(Sense::Number(number)) => Some(Decimal::from(number)),
            _ => None,
        });
        let written = words.iter().filter_map(|word| word.number);
        let numbers = written.map(|number| number.value).chain(spelled).collect();
        Self {
            words: words.into_iter().map(|word| word.folded).collect(),
            numbers,
            newest,
        }
    }

    pub(super) fn has_words(&self, text: &str) -> bool {
        let words = words::of_value(text);
        !words.is_empty() && words.iter().all(|word| self.words.contains(word))
    }

    /// A number of the question, also of "30 thousand" and "1.5 million".
    pub(super) fn number(&self, number: Decimal) -> Result<Decimal, Misstated> {
        let scales = [1, 1_000, 1_000_000].map(Decimal::from);
        let is_asked = self.numbers.iter().any(|asked| {
            scales
                .iter()
                .any(|scale| asked.checked_mul(*scale) == Some(number))
        });
        if is_asked {
            Ok(number)
        } else {
            Err(Misstated::Number(number.to_string()))
        }
    }

    /// A span of time: a number of the question, of days, weeks, months or years.
    pub(super) fn days(&self, days: u32) -> Result<u32, Misstated> {
        let number = Decimal::from(days);
        let is_span = SPANS_OF_DAYS.contains(&days.into());
        let is_asked = self.numbers.iter().any(|asked| {
            SPANS_OF_DAYS
                .iter()
                .any(|span| asked.checked_mul((*span).into()) == Some(number))
        });
        if is_span || is_asked {
            Ok(days)
        } else {
            Err(Misstated::Number(format!("{days} days")))
        }
    }

    /// A day that the question may mean: its year and day of the month are numbers of it, or it lies a
    /// span of the question before the newest day of the data.
    pub(super) fn day(&self, day: Date) -> Result<Date, Misstated> {
        let has = |number: i64| self.numbers.contains(&number.into());
        let is_edge = day.day() == 1 || day.day() == day.days_in_month();
        let is_written = has(day.day().into()) || is_edge && has(day.year().into());
        let is_counted = self.newest.is_some_and(|newest| {
            let before = newest
                .since(day)
                .map_or(-1, |span| i64::from(span.get_days()));
            before == 0 || u32::try_from(before).is_ok_and(|days| self.days(days).is_ok())
        });
        if is_written || is_counted {
            Ok(day)
        } else {
            Err(Misstated::Number(day.to_string()))
        }
    }
}
