//! Days and months of a question: "sold in October", "since 1 November", "between 3 May and 2026-06-30".

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::Reader;
use crate::question::lexicon::Sense;
use crate::question::spans::What;
use crate::question::words::Gap;

/// Days from the first to the last, both included, open where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in crate::question) struct Period {
    pub(in crate::question) from: Option<Date>,
    pub(in crate::question) until: Option<Date>,
}

/// A day or a month, from its first day to its last. None where the question leaves the year to the data,
/// and the data has no day.
struct Named {
    days: Option<(Date, Date)>,
    /// The place behind it.
    next: usize,
}

impl Reader<'_> {
    /// The period whose words begin at a place, and the place behind them.
    pub(super) fn period(&self, at: usize) -> Option<(Period, usize)> {
        let sense = self.sense_at(at).filter(|sense| leads_to_a_day(*sense));
        let from = if sense.is_some() {
            self.after_filler(at + 1)
        } else {
            at
        };
        let first = self.named_days(from)?;
        let is_range = matches!(sense, None | Some(Sense::Between | Sense::AtLeast));
        if is_range && let Some(last) = self.last_of_range(&first, sense) {
            let from = first.days.map(|(day, _)| day);
            let until = last.days.map(|(_, day)| day);
            return Some((Period { from, until }, last.next));
        }
        let behind = self.sense_at(first.next);
        let next = first.next + usize::from(matches!(behind, Some(Sense::OrMore | Sense::OrLess)));
        let Some((first_day, last_day)) = first.days else {
            return Some((Period::default(), next));
        };
        let period = match sense.or(behind) {
            Some(Sense::AtLeast | Sense::OrMore) => Period {
                from: Some(first_day),
                until: None,
            },
            Some(Sense::NewerThan | Sense::Over) => Period {
                from: last_day.checked_add(1.day()).ok(),
                until: None,
            },
            Some(Sense::OlderThan | Sense::Under) => Period {
                from: None,
                until: first_day.checked_sub(1.day()).ok(),
            },
            Some(Sense::AtMost | Sense::To | Sense::OrLess) => Period {
                from: None,
                until: Some(last_day),
            },
            _ => Period {
                from: Some(first_day),
                until: Some(last_day),
            },
        };
        Some((period, next))
    }

    /// The end of a range behind "to" or a dash; behind "and" where the range began with "between".
    fn last_of_range(&self, first: &Named, sense: Option<Sense>) -> Option<Named> {
        let is_dash = |at: usize| self.spans.get(at).is_some_and(|it| it.gap == Gap::Hyphen);
        match self.sense_at(first.next) {
            // German says "bis" for "to" and for "at most".
            Some(Sense::To | Sense::AtMost) => {}
            Some(Sense::And) if sense == Some(Sense::Between) => {}
            _ if is_dash(first.next) => return self.named_days(first.next),
            _ => return None,
        }
        self.named_days(self.after_filler(first.next + 1))
    }

    /// `1 November 2026`, `November 1`, `November 2026`, `November`, `2026-11-01`, `1.11.2026`.
    fn named_days(&self, at: usize) -> Option<Named> {
        if let Some(day) = self.numeric_day(at) {
            return Some(day);
        }
        if let Some(day) = self.small_number(at) {
            let month_at = self.after_filler(at + 1);
            let month = self.month(month_at, true)?;
            return Some(self.day_of(month, day, month_at + 1));
        }
        let has_number = self.small_number(at + 1).is_some() || self.year(at + 1).is_some();
        let month = self.month(at, has_number)?;
        match self.small_number(at + 1) {
            Some(day) if !self.counts_things(at + 1) => Some(self.day_of(month, day, at + 2)),
            _ => Some(self.whole_month(month, at + 1)),
        }
    }

    fn day_of(&self, month: i8, day: i8, next: usize) -> Named {
        let (year, next) = self.year_or_latest(next, month, day);
        let day = year.and_then(|year| Date::new(year, month, day).ok());
        Named {
            days: day.map(|day| (day, day)),
            next,
        }
    }

    fn whole_month(&self, month: i8, next: usize) -> Named {
        let (year, next) = self.year_or_latest(next, month, 1);
        let first = year.and_then(|year| Date::new(year, month, 1).ok());
        Named {
            days: first.map(|first| (first, first.last_of_month())),
            next,
        }
    }

    /// The year that is named, else the latest in which the day is not behind the newest of the data.
    fn year_or_latest(&self, at: usize, month: i8, day: i8) -> (Option<i16>, usize) {
        if let Some(year) = self.year(at) {
            return (Some(year), at + 1);
        }
        let newest = (self.newest)();
        let year = newest.map(|newest| {
            let is_to_come = (month, day) > (newest.month(), newest.day());
            newest.year() - i16::from(is_to_come)
        });
        (year, at)
    }

    fn year(&self, at: usize) -> Option<i16> {
        let number = self.plain_number(at)?;
        (self.spans[at].gap <= Gap::Comma && (1950..=2035).contains(&number)).then_some(number)
    }

    /// A number that can be the day of a month.
    fn small_number(&self, at: usize) -> Option<i8> {
        let number = self.plain_number(at)?;
        i8::try_from(number)
            .ok()
            .filter(|day| (1..=31).contains(day))
    }

    fn plain_number(&self, at: usize) -> Option<i16> {
        match self.spans.get(at)?.what {
            What::Number(number) if number.currency.is_none() && !number.in_thousands => {
                number.value.try_into().ok()
            }
            _ => None,
        }
    }

    /// "In October 20 cars" has no day.
    fn counts_things(&self, at: usize) -> bool {
        matches!(
            self.sense_at(at + 1),
            Some(Sense::Subject | Sense::Unit(_) | Sense::Distance)
        )
    }

    /// A month by its name. The English "may" is one where a number or a preposition stands before it, or a
    /// number behind it.
    fn month(&self, at: usize, has_number: bool) -> Option<i8> {
        const BEFORE: [&str; 8] = [
            "in", "of", "during", "since", "from", "until", "before", "after",
        ];
        let Some(Sense::Month(month)) = self.sense_at(at) else {
            return None;
        };
        let text = |at: usize| self.spans.get(at).map(|span| span.text.to_lowercase());
        let is_verb = text(at).as_deref() == Some("may")
            && !has_number
            && !at.checked_sub(1).and_then(text).is_some_and(|before| {
                let last = before.rsplit(' ').next().unwrap_or_default();
                BEFORE.contains(&last)
            });
        (!is_verb).then_some(month)
    }

    /// A day in numbers alone: as ISO 8601 has it in three, or with points between them in one word.
    fn numeric_day(&self, at: usize) -> Option<Named> {
        let pointed = || {
            let What::Unknown(text) = &self.spans.get(at)?.what else {
                return None;
            };
            let mut parts = text.split('.').map(|part| part.parse::<i16>().ok());
            let [day, month, year] = [parts.next()??, parts.next()??, parts.next()??];
            Some((year, month, day, at + 1))
        };
        let dashed = || {
            let is_joined = |at: usize| self.spans.get(at).is_some_and(|it| it.gap == Gap::Hyphen);
            let year = self
                .plain_number(at)
                .filter(|_| is_joined(at + 1) && is_joined(at + 2))?;
            Some((
                year,
                self.plain_number(at + 1)?,
                self.plain_number(at + 2)?,
                at + 3,
            ))
        };
        let (year, month, day, next) = pointed().or_else(dashed)?;
        let day = Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
        (year >= 1950).then_some(Named {
            days: Some((day, day)),
            next,
        })
    }
}

fn leads_to_a_day(sense: Sense) -> bool {
    matches!(
        sense,
        Sense::AtLeast
            | Sense::AtMost
            | Sense::NewerThan
            | Sense::OlderThan
            | Sense::Over
            | Sense::Under
            | Sense::Between
            | Sense::To
    )
}
