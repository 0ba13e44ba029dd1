//! Numbers of a question: amounts, ranges, thresholds of age, spans of time.

use rust_decimal::Decimal;

use super::{Bounds, Reader, is_numeric, numeric};
use crate::question::lexicon::Sense;
use crate::question::spans::What;
use crate::question::vocabulary::Values;
use crate::question::words::{self, Gap, Number};
use crate::question::{Change, ColumnName, Filter, Skill};
use crate::{Currency, Role};

/// A number with what it counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Amount {
    pub(super) number: Number,
    pub(super) unit: Unit,
    /// The place behind it.
    pub(super) next: usize,
    /// It was written as a word: "one" is seldom a number.
    is_word: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    None,
    Days(u32),
    Distance,
}

impl Reader<'_> {
    /// A number, in figures or in words, with its unit.
    pub(super) fn amount(&self, from: usize) -> Option<Amount> {
        let at = self.after_filler(from);
        let (mut number, is_word) = match self.spans.get(at)?.what {
            What::Number(number) => (number, false),
            What::Sense(Sense::Number(value)) => {
                let number = Number {
                    value: value.into(),
                    in_thousands: false,
                    or_more: false,
                    currency: None,
                };
                (number, true)
            }
            _ => return None,
        };
        let mut next = at + 1;
        if self.sense_at(next) == Some(Sense::Number(1_000))
            && number.value < 1_000.into()
            && let Some(thousands) = number.value.checked_mul(1_000.into())
        {
            number.value = thousands;
            number.in_thousands = true;
            next += 1;
        }
        if let Some(Sense::Money(code)) = self.sense_at(next) {
            number.currency = Currency::from_code(code);
            next += 1;
        }
        let unit = match self.sense_at(next) {
            Some(Sense::Unit(days)) => Unit::Days(days),
            Some(Sense::Distance) => Unit::Distance,
            _ => Unit::None,
        };
        Some(Amount {
            number,
            unit,
            next: next + usize::from(unit != Unit::None),
            is_word,
        })
    }

    /// Two numbers with "to", "and" or a dash between them.
    fn second(&self, first: &Amount, with_and: bool) -> Option<Amount> {
        let joint = self.sense_at(first.next);
        let is_dash = self
            .spans
            .get(first.next)
            .is_some_and(|span| span.gap == Gap::Hyphen);
        let from = match joint {
            Some(Sense::To) => first.next + 1,
            Some(Sense::And) if with_and => first.next + 1,
            // German says "bis" for "to" and for "at most".
            Some(Sense::AtMost) => first.next + 1,
            _ if is_dash => first.next,
            _ => return None,
        };
        self.amount(from)
    }

    pub(super) fn comparison(&mut self, at: usize, sense: Sense) -> usize {
        let Some(first) = self.amount(at + 1) else {
            match sense {
                Sense::CheaperThan => self.compared(at, Change::PriceDown),
                Sense::DearerThan => self.compared(at, Change::PriceUp),
                _ => {}
            }
            return at + 1;
        };
        if matches!(sense, Sense::Between | Sense::AtLeast)
            && let Some(second) = self.second(&first, sense == Sense::Between)
        {
            self.range(at, &first, &second);
            return second.next;
        }
        let value = Some(first.number.value);
        let bounds = match sense {
            Sense::Under
            | Sense::FewerThan
            | Sense::OlderThan
            | Sense::CheaperThan
            | Sense::AtMost
                if !(sense == Sense::OlderThan && matches!(first.unit, Unit::Days(_))) =>
            {
                Bounds {
                    at_most: value,
                    exclusive: sense != Sense::AtMost,
                    ..Bounds::default()
                }
            }
            Sense::NewerThan if matches!(first.unit, Unit::Days(_)) => Bounds {
                at_most: value,
                exclusive: true,
                ..Bounds::default()
            },
            _ => Bounds {
                at_least: value,
                exclusive: !matches!(sense, Sense::AtLeast | Sense::Between),
                ..Bounds::default()
            },
        };
        self.place(at, bounds, &first);
        first.next
    }

    /// "Cheaper than": than yesterday, or than others.
    fn compared(&mut self, at: usize, change: Change) {
        let is_of_time = self.spans[at..]
            .iter()
            .any(|span| matches!(span.sense(), Some(Sense::Span(_) | Sense::Last)));
        if is_of_time {
            self.reading.changes.push(change);
        } else {
            self.reading.skills.push((Skill::PriceToMarket, 2, at));
        }
    }

    pub(super) fn bare_amount(&mut self, at: usize) -> usize {
        let Some(first) = self.amount(at) else {
            return at + 1;
        };
        if let Some(second) = self.second(&first, false) {
            self.range(at, &first, &second);
            return second.next;
        }
        let value = Some(first.number.value);
        let behind = self.sense_at(first.next);
        if first.number.or_more || behind == Some(Sense::OrMore) {
            let bounds = Bounds {
                at_least: value,
                ..Bounds::default()
            };
            self.place(at, bounds, &first);
            return first.next + usize::from(behind == Some(Sense::OrMore));
        }
        if behind == Some(Sense::OrLess) {
            let bounds = Bounds {
                at_most: value,
                ..Bounds::default()
            };
            self.place(at, bounds, &first);
            return first.next + 1;
        }
        if let Unit::Days(_) = first.unit {
            let days = days(&first);
            if self.is_about(Skill::Velocity) || !self.reading.changes.is_empty() {
                self.reading.window = days;
            } else if let Some(days) = days {
                self.reading.age = Some(Bounds {
                    at_least: Some(days.into()),
                    ..Bounds::default()
                });
            }
            return first.next;
        }
        if first.unit == Unit::None && !self.bare_number(at, &first) && !first.is_word {
            self.reading
                .unknown
                .push(self.spans[at].text.to_lowercase());
        }
        first.next
    }

    /// A number without a comparison: a year, the length of a list, or a value of the data.
    fn bare_number(&mut self, at: usize, amount: &Amount) -> bool {
        let number = amount.number;
        if self.has(Role::Year) && is_year(number) && number.currency.is_none() {
            self.reading.filters.push(Filter::Within {
                column: ColumnName::Role(Role::Year),
                at_least: Some(number.value),
                at_most: Some(number.value),
                exclusive: false,
                currency: None,
            });
            return true;
        }
        if number.currency.is_some() {
            self.reading.filters.push(Filter::Within {
                column: ColumnName::Role(self.price()),
                at_least: Some(number.value),
                at_most: Some(number.value),
                exclusive: false,
                currency: number.currency,
            });
            return true;
        }
        if let Some(values) = self.value_of_number(at) {
            self.values(at, values);
            return true;
        }
        let next = self.after_filler(amount.next);
        let Some(span) = self.spans.get(next) else {
            return false;
        };
        let counts_rows = match &span.what {
            What::Sense(sense) => {
                matches!(
                    sense,
                    Sense::Dearest
                        | Sense::Cheapest
                        | Sense::Oldest
                        | Sense::Newest
                        | Sense::Highest
                        | Sense::Lowest
                ) || *sense == Sense::Subject && !amount.is_word
            }
            What::Values(_) | What::Title(_) => !amount.is_word,
            _ => false,
        };
        if counts_rows || self.is_behind_highest(at) {
            self.reading.top = count(amount);
            return self.reading.top.is_some();
        }
        false
    }

    /// "The 5 highest" may be "the highest 5".
    fn is_behind_highest(&self, at: usize) -> bool {
        at > 0
            && matches!(
                self.sense_at(at - 1),
                Some(Sense::Dearest | Sense::Cheapest | Sense::Oldest | Sense::Newest)
            )
    }

    /// The model 911, the size 42.
    fn value_of_number(&self, at: usize) -> Option<Values> {
        let word = words::of_question(&self.spans[at].text);
        let word = word.first()?;
        let mut columns = vec![ColumnName::Role(Role::Model)];
        if let Some((column, place)) = &self.field
            && place + 1 == at
        {
            columns = vec![column.clone()];
        }
        columns.iter().find_map(|column| {
            self.vocabularies
                .iter()
                .find_map(|vocabulary| vocabulary.exact(column, word))
        })
    }

    fn range(&mut self, at: usize, first: &Amount, second: &Amount) {
        let mut least = first.number.value;
        let most = second.number.value;
        // "20-30k" are twenty thousand.
        if second.number.in_thousands
            && !first.number.in_thousands
            && let Some(thousands) = least.checked_mul(1_000.into())
            && thousands <= most
        {
            least = thousands;
        }
        let mut unit = *second;
        unit.number.currency = second.number.currency.or(first.number.currency);
        let bounds = Bounds {
            at_least: Some(least.min(most)),
            at_most: Some(least.max(most)),
            exclusive: false,
        };
        if self.lacks_range || self.is_about(Skill::Gaps) {
            self.lacks_range = false;
            self.reading.between = bounds.at_least.zip(bounds.at_most);
            self.reading.skills.push((Skill::Gaps, 3, at));
            return;
        }
        self.place(at, bounds, &unit);
    }

    fn is_about(&self, skill: Skill) -> bool {
        self.spans.iter().any(|span| match span.sense() {
            Some(Sense::Skill(other, 2..)) => other == skill,
            Some(Sense::TiedUp) => skill == Skill::Aging,
            Some(Sense::Sold) => skill == Skill::Velocity,
            _ => false,
        })
    }

    /// A range becomes a condition on the column that it speaks of.
    fn place(&mut self, at: usize, bounds: Bounds, amount: &Amount) {
        self.reading.matched.push(self.spans[at].text.clone());
        if let Unit::Days(unit) = amount.unit {
            let times = |value: Decimal| value.checked_mul(unit.into());
            self.reading.age = Some(Bounds {
                at_least: bounds.at_least.and_then(times),
                at_most: bounds.at_most.and_then(times),
                exclusive: bounds.exclusive,
            });
            return;
        }
        let column = self.column_of(at, bounds, amount);
        if column == ColumnName::Role(Role::AgeDays) {
            self.reading.age = Some(bounds);
            return;
        }
        self.reading.filters.push(Filter::Within {
            column,
            at_least: bounds.at_least,
            at_most: bounds.at_most,
            exclusive: bounds.exclusive,
            currency: amount.number.currency,
        });
    }

    fn column_of(&self, at: usize, bounds: Bounds, amount: &Amount) -> ColumnName {
        if amount.unit == Unit::Distance {
            return ColumnName::Role(Role::Odometer);
        }
        let number = amount.number;
        let named = self
            .field_after(amount.next)
            .filter(|(next, _)| *next == amount.next + 1)
            .map(|(_, column)| numeric(column))
            .filter(|column| {
                matches!(
                    column,
                    ColumnName::Role(
                        Role::PhotoCount | Role::Quantity | Role::Odometer | Role::AgeDays
                    )
                )
            })
            .or_else(|| {
                let (column, place) = self.field.as_ref()?;
                (at - place <= 3).then(|| numeric(column.clone()))
            })
            .filter(is_numeric);
        if let Some(column) = named {
            return column;
        }
        if number.currency.is_none() && !number.in_thousands {
            if self.sense_at(at) == Some(Sense::FewerThan) && self.has(Role::Quantity) {
                return ColumnName::Role(Role::Quantity);
            }
            if self.has(Role::Year) && is_year(number) {
                return ColumnName::Role(Role::Year);
            }
            let is_threshold = bounds.at_least.is_some() && bounds.at_most.is_none();
            if is_threshold && self.is_about(Skill::Aging) && number.value <= 730.into() {
                return ColumnName::Role(Role::AgeDays);
            }
        }
        ColumnName::Role(self.price())
    }

    /// "The last two weeks", "the last month".
    pub(super) fn last(&mut self, at: usize) -> usize {
        if let Some(amount) = self.amount(at + 1)
            && let Unit::Days(_) = amount.unit
        {
            self.reading.window = days(&amount);
            return amount.next;
        }
        if let Some(Sense::Unit(days)) = self.sense_at(at + 1) {
            self.reading.window = Some(days);
            return at + 2;
        }
        at + 1
    }
}

fn is_year(number: Number) -> bool {
    !number.in_thousands
        && number.value.fract().is_zero()
        && number.value >= 1950.into()
        && number.value <= 2035.into()
}

pub(super) fn count(amount: &Amount) -> Option<usize> {
    let value: usize = amount.number.value.try_into().ok()?;
    (1..=10_000).contains(&value).then_some(value)
}

fn days(amount: &Amount) -> Option<u32> {
    let Unit::Days(unit) = amount.unit else {
        return None;
    };
    let days = amount.number.value.checked_mul(unit.into())?;
    days.try_into().ok()
}
