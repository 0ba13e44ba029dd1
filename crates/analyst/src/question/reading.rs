//! What a part of a question says: conditions, measures, orders, spans of time.

use rust_decimal::Decimal;

use super::lexicon::{Sense, field};
use super::spans::{Span, What};
use super::vocabulary::{Values, Vocabulary};
use super::words::{Gap, Number};
use super::{Beyond, Change, ColumnName, Filter, Measure, Order, Skill};
use crate::{Currency, Role};

/// Everything that one part of a question says, before it is decided what is asked.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) skills: Vec<(Skill, u8, usize)>,
    pub(super) filters: Vec<Filter>,
    pub(super) lacks: Vec<ColumnName>,
    pub(super) group_by: Option<ColumnName>,
    pub(super) counts: bool,
    pub(super) measure: Option<Measure>,
    pub(super) order: Option<Order>,
    pub(super) top: Option<usize>,
    /// A threshold of age.
    pub(super) age: Option<Bounds>,
    pub(super) window: Option<u32>,
    pub(super) between: Option<(Decimal, Decimal)>,
    pub(super) changes: Vec<Change>,
    pub(super) is_tied_up: bool,
    pub(super) has_arrived: bool,
    pub(super) beyond: Vec<Beyond>,
    pub(super) unknown: Vec<String>,
    pub(super) asks: bool,
    pub(super) has_subject: bool,
    pub(super) follows: bool,
    pub(super) points_back: bool,
    pub(super) matched: Vec<String>,
}

/// A range of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Bounds {
    pub(super) at_least: Option<Decimal>,
    pub(super) at_most: Option<Decimal>,
    pub(super) exclusive: bool,
}

/// A number with what it counts.
#[derive(Debug, Clone, Copy)]
struct Amount {
    number: Number,
    unit: Unit,
    /// The place behind it.
    next: usize,
    /// It was written as a word: "one" is seldom a number.
    is_word: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    None,
    Days(u32),
    Distance,
}

/// Reads a part of a question.
pub(super) fn read(spans: &[Span], vocabularies: &[&Vocabulary]) -> Reading {
    let mut reader = Reader {
        spans,
        vocabularies,
        reading: Reading::default(),
        negates: false,
        lacks_range: false,
        field: None,
        last_values: None,
    };
    let mut at = 0;
    while at < spans.len() {
        at = reader.step(at).max(at + 1);
    }
    reader.reading.has_titles_joined();
    reader.reading
}

impl Reading {
    /// Whether a list or a figure is asked for in so many words.
    pub(super) fn wants_rows_or_figure(&self) -> bool {
        self.measure.is_some() || self.order.is_some() || self.top.is_some()
    }

    fn has_titles_joined(&mut self) {
        let mut joined: Vec<Filter> = Vec::new();
        for filter in self.filters.drain(..) {
            if let (Filter::Titled { words }, Some(Filter::Titled { words: before })) =
                (&filter, joined.last_mut())
            {
                before.extend(words.iter().cloned());
                continue;
            }
            if !joined.contains(&filter) {
                joined.push(filter);
            }
        }
        self.filters = joined;
    }
}

struct Reader<'a> {
    spans: &'a [Span],
    vocabularies: &'a [&'a Vocabulary],
    reading: Reading,
    /// The next values are excluded.
    negates: bool,
    /// The next range is one that nothing lies in.
    lacks_range: bool,
    /// The field that was named last, and where.
    field: Option<(ColumnName, usize)>,
    /// Where the last values stood, and as which filter.
    last_values: Option<(usize, usize)>,
}

impl Reader<'_> {
    /// Reads what stands at a place; the place where it goes on.
    fn step(&mut self, at: usize) -> usize {
        let span = &self.spans[at];
        if span.gap >= Gap::Comma && at > 0 {
            self.negates = false;
        }
        match &span.what {
            What::Sense(sense) => return self.sense(at, *sense),
            What::Number(_) => return self.bare_amount(at),
            What::Values(values) => self.values(at, values.clone()),
            What::Header(column) => self.field = Some((column.clone(), at)),
            What::Title(word) => {
                let word = word.clone();
                self.title(at, word);
            }
            What::Unknown(words) => self.reading.unknown.push(words.clone()),
        }
        at + 1
    }

    fn sense(&mut self, at: usize, sense: Sense) -> usize {
        let text = || self.spans[at].text.clone();
        match sense {
            Sense::Skill(skill, weight) => {
                self.reading.matched.push(text());
                self.reading.skills.push((skill, weight, at));
            }
            Sense::TiedUp => {
                self.reading.matched.push(text());
                self.reading.is_tied_up = true;
                self.reading.skills.push((Skill::Aging, 3, at));
            }
            Sense::Count => self.reading.counts = true,
            Sense::Pieces => match self.has(Role::Quantity) {
                true => self.measure(Measure::Sum(ColumnName::Role(Role::Quantity))),
                false => self.reading.counts = true,
            },
            Sense::Mean => {
                let column = self.measured(at);
                self.measure(Measure::Mean(column));
            }
            Sense::Median => {
                let column = self.measured(at);
                self.measure(Measure::Median(column));
            }
            Sense::Total => {
                let column = self.measured(at);
                self.measure(Measure::Sum(column));
            }
            Sense::Dearest => self.order(ColumnName::Role(self.price()), true),
            Sense::Cheapest => self.order(ColumnName::Role(self.price()), false),
            Sense::Oldest | Sense::Newest => self.by_age(sense == Sense::Oldest),
            Sense::Highest | Sense::Lowest => {
                if let Some((next, column)) = self.field_after(at + 1) {
                    self.order(numeric(column), sense == Sense::Highest);
                    return next;
                }
            }
            Sense::Top => {
                if let Some(amount) = self.amount(at + 1)
                    && amount.unit == Unit::None
                {
                    self.reading.top = count(&amount);
                    return amount.next;
                }
            }
            Sense::Field(roles) => {
                let column = self.resolve(roles);
                self.field = Some((column, at));
            }
            Sense::By => {
                if let Some((next, column)) = self.field_after(at + 1) {
                    self.reading.group_by.get_or_insert(column);
                    return next;
                }
            }
            Sense::Lack => return self.lack(at),
            Sense::With => {
                if let Some((next, column)) = self.field_after(at + 1)
                    && !self.is_comparison(next)
                    && !matches!(
                        self.spans.get(next).map(|span| &span.what),
                        Some(What::Values(_))
                    )
                {
                    self.reading.filters.push(Filter::Lacks {
                        column,
                        negated: true,
                    });
                    return next;
                }
            }
            Sense::Not => self.negates = true,
            Sense::Under
            | Sense::Over
            | Sense::AtMost
            | Sense::AtLeast
            | Sense::OlderThan
            | Sense::NewerThan
            | Sense::CheaperThan
            | Sense::DearerThan
            | Sense::Between => return self.comparison(at, sense),
            Sense::Number(_) => return self.bare_amount(at),
            Sense::Span(days) => {
                self.reading.window.get_or_insert(days);
            }
            Sense::Last => return self.last(at),
            Sense::Available => self.reading.filters.push(Filter::Available),
            Sense::Sold => {
                self.reading.matched.push(text());
                self.reading.skills.push((Skill::Velocity, 2, at));
            }
            Sense::Changed(change) => {
                self.reading.matched.push(text());
                if !self.reading.changes.contains(&change) {
                    self.reading.changes.push(change);
                }
            }
            Sense::Arrived => self.reading.has_arrived = true,
            Sense::Beyond(beyond) => {
                if !self.reading.beyond.contains(&beyond) {
                    self.reading.beyond.push(beyond);
                }
            }
            Sense::Subject => self.reading.has_subject = true,
            Sense::Ask => self.reading.asks = true,
            Sense::FollowUp => self.reading.follows |= at == 0,
            Sense::Those => self.reading.points_back = true,
            Sense::And
            | Sense::Or
            | Sense::To
            | Sense::OrLess
            | Sense::OrMore
            | Sense::Unit(_)
            | Sense::Distance
            | Sense::Money(_)
            | Sense::Question
            | Sense::Filler => {}
        }
        at + 1
    }

    fn has(&self, role: Role) -> bool {
        self.vocabularies
            .first()
            .is_some_and(|vocabulary| vocabulary.has(role))
    }

    fn resolve(&self, roles: &[Role]) -> ColumnName {
        self.vocabularies
            .iter()
            .find(|vocabulary| roles.iter().any(|role| vocabulary.has(*role)))
            .or(self.vocabularies.first())
            .map_or(
                ColumnName::Role(roles.first().copied().unwrap_or(Role::Id)),
                |vocabulary| vocabulary.resolve(roles),
            )
    }

    fn price(&self) -> Role {
        match self.resolve(field::PRICE) {
            ColumnName::Role(role) => role,
            ColumnName::Header(_) => Role::Price,
        }
    }

    fn measure(&mut self, measure: Measure) {
        self.reading.measure.get_or_insert(measure);
    }

    fn order(&mut self, by: ColumnName, descending: bool) {
        self.reading.order.get_or_insert(Order { by, descending });
    }

    /// The age where it is known, else the model year.
    fn by_age(&mut self, oldest: bool) {
        if !self.has(Role::AgeDays) && self.has(Role::Year) {
            self.order(ColumnName::Role(Role::Year), !oldest);
        } else {
            self.order(ColumnName::Role(Role::AgeDays), oldest);
        }
    }

    /// The field that a measure is about: the next one that has numbers and is not what it is grouped
    /// by; the price where none is named.
    fn measured(&self, at: usize) -> ColumnName {
        let mut grouped = false;
        for span in &self.spans[at + 1..] {
            match &span.what {
                What::Sense(Sense::By) => grouped = true,
                What::Sense(Sense::Field(roles)) if !grouped => {
                    let column = numeric(self.resolve(roles));
                    if is_numeric(&column) {
                        return column;
                    }
                }
                What::Header(column) if !grouped => return column.clone(),
                _ => {}
            }
        }
        ColumnName::Role(self.price())
    }

    /// A field behind words that say nothing; the place behind it.
    fn field_after(&self, from: usize) -> Option<(usize, ColumnName)> {
        let at = self.after_filler(from);
        match &self.spans.get(at)?.what {
            What::Sense(Sense::Field(roles)) => Some((at + 1, self.resolve(roles))),
            What::Header(column) => Some((at + 1, column.clone())),
            _ => None,
        }
    }

    fn after_filler(&self, from: usize) -> usize {
        let is_filler = |span: &&Span| {
            matches!(
                span.sense(),
                Some(Sense::Filler | Sense::Ask | Sense::Total | Sense::Those | Sense::Highest)
            )
        };
        from + self.spans[from.min(self.spans.len())..]
            .iter()
            .take_while(is_filler)
            .count()
    }

    fn sense_at(&self, at: usize) -> Option<Sense> {
        self.spans.get(at)?.sense()
    }

    fn is_comparison(&self, at: usize) -> bool {
        matches!(
            self.sense_at(self.after_filler(at)),
            Some(Sense::Under | Sense::Over | Sense::AtMost | Sense::AtLeast | Sense::Between)
        )
    }

    /// "Without", with the fields, values or range that follow, else the field before.
    fn lack(&mut self, at: usize) -> usize {
        let mut next = at + 1;
        let mut found = false;
        while let Some((behind, column)) = self.field_after(next) {
            self.reading.lacks.push(column);
            found = true;
            next = behind;
            if matches!(self.sense_at(next), Some(Sense::And | Sense::Or))
                && self.field_after(next + 1).is_some()
            {
                next += 1;
            }
        }
        if found {
            self.reading.matched.push(self.spans[at].text.clone());
            return next;
        }
        let mut ahead = self.after_filler(at + 1);
        while matches!(
            self.sense_at(ahead),
            Some(Sense::Subject | Sense::Available)
        ) {
            ahead = self.after_filler(ahead + 1);
        }
        if self.sense_at(ahead) == Some(Sense::Between) || self.amount(ahead).is_some() {
            self.lacks_range = true;
            return at + 1;
        }
        if matches!(
            self.spans.get(ahead).map(|span| &span.what),
            Some(What::Values(_))
        ) {
            self.negates = true;
            return at + 1;
        }
        if let Some((column, _)) = self.field.take() {
            self.reading.matched.push(self.spans[at].text.clone());
            self.reading.lacks.push(column);
        } else {
            self.reading.skills.push((Skill::FeedQuality, 1, at));
        }
        at + 1
    }

    fn values(&mut self, at: usize, values: Values) {
        self.reading.matched.push(self.spans[at].text.clone());
        let negated = self.negates;
        // Words of one column side by side narrow each other; with "or", "and" or a comma they add up.
        if let Some((place, filter)) = self.last_values
            && let Some(Filter::Is {
                column,
                values: known,
                negated: is_negated,
            }) = self.reading.filters.get_mut(filter)
            && *column == values.column
            && *is_negated == negated
        {
            let is_beside = place + 1 == at && self.spans[at].gap < Gap::Comma;
            let common: Vec<String> = narrower(known, &values.values);
            if is_beside && !common.is_empty() {
                *known = common;
            } else {
                known.extend(values.values);
                known.sort();
                known.dedup();
            }
            self.last_values = Some((at, filter));
            return;
        }
        self.reading.filters.push(Filter::Is {
            column: values.column,
            values: values.values,
            negated,
        });
        self.last_values = Some((at, self.reading.filters.len() - 1));
        let goes_on = matches!(self.sense_at(at + 1), Some(Sense::And | Sense::Or));
        self.negates = negated && goes_on;
    }

    fn title(&mut self, at: usize, word: String) {
        self.reading.matched.push(self.spans[at].text.clone());
        let titled = Filter::Titled { words: vec![word] };
        let before = at.checked_sub(1).and_then(|before| self.spans.get(before));
        let is_alternative = before
            .and_then(Span::sense)
            .is_some_and(|sense| matches!(sense, Sense::Or | Sense::And));
        match self.reading.filters.last_mut() {
            Some(Filter::AnyOf(filters)) if is_alternative => filters.push(titled),
            Some(last @ Filter::Titled { .. }) if is_alternative => {
                *last = Filter::AnyOf(vec![last.clone(), titled]);
            }
            _ => self.reading.filters.push(titled),
        }
    }

    /// A number, in figures or in words, with its unit.
    fn amount(&self, from: usize) -> Option<Amount> {
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

    fn comparison(&mut self, at: usize, sense: Sense) -> usize {
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
            Sense::Under | Sense::OlderThan | Sense::CheaperThan | Sense::AtMost
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

    fn bare_amount(&mut self, at: usize) -> usize {
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
        let word = super::words::of_question(&self.spans[at].text);
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
                    ColumnName::Role(Role::PhotoCount | Role::Quantity | Role::Odometer)
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
    fn last(&mut self, at: usize) -> usize {
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

/// What two lists of values have in common; of category paths the lower one of two that lie below each
/// other.
fn narrower(known: &[String], others: &[String]) -> Vec<String> {
    let lies_below = |path: &String, above: &String| {
        path == above
            || path
                .strip_prefix(above.as_str())
                .is_some_and(|rest| rest.trim_start().starts_with(['>', '/']))
    };
    let mut common: Vec<String> = known
        .iter()
        .filter(|one| others.iter().any(|other| lies_below(one, other)))
        .chain(
            others
                .iter()
                .filter(|one| known.iter().any(|other| lies_below(one, other))),
        )
        .cloned()
        .collect();
    common.sort();
    common.dedup();
    common
}

/// Of photos, what can be counted is their number.
fn numeric(column: ColumnName) -> ColumnName {
    match column {
        ColumnName::Role(Role::Image) => ColumnName::Role(Role::PhotoCount),
        other => other,
    }
}

fn is_numeric(column: &ColumnName) -> bool {
    matches!(
        column,
        ColumnName::Header(_)
            | ColumnName::Role(
                Role::Price
                    | Role::SalePrice
                    | Role::CompareAtPrice
                    | Role::Msrp
                    | Role::Cost
                    | Role::Quantity
                    | Role::PhotoCount
                    | Role::Odometer
                    | Role::Year
                    | Role::AgeDays
                    | Role::SoldQuantity
                    | Role::LeadCount
            )
    )
}

fn is_year(number: Number) -> bool {
    !number.in_thousands
        && number.value.fract().is_zero()
        && number.value >= 1950.into()
        && number.value <= 2035.into()
}

fn count(amount: &Amount) -> Option<usize> {
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
