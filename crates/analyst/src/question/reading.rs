//! What a part of a question says: conditions, measures, orders, spans of time.

mod dates;
mod numbers;

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::lexicon::{Sense, field};
use super::spans::{Span, What};
use super::vocabulary::{Values, Vocabulary};
use super::words::Gap;
use super::{Beyond, Change, ColumnName, Filter, Measure, Order, Skill};
use crate::Role;
pub(super) use dates::Period;
use numbers::{Unit, count};

/// Everything that one part of a question says, before it is decided what is asked.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) skills: Vec<(Skill, u8, usize)>,
    pub(super) filters: Vec<Filter>,
    pub(super) lacks: Vec<ColumnName>,
    /// The field that was named last.
    pub(super) field: Option<ColumnName>,
    pub(super) group_by: Option<ColumnName>,
    pub(super) counts: bool,
    pub(super) measure: Option<Measure>,
    pub(super) order: Option<Order>,
    pub(super) top: Option<usize>,
    /// A threshold of age.
    pub(super) age: Option<Bounds>,
    pub(super) window: Option<u32>,
    /// Days that the question names, and its words for them.
    pub(super) period: Option<(Period, String)>,
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

/// Reads a part of a question. `newest` is the newest day of the data, in whose year, or the one before, a day
/// without a year is.
pub(super) fn read(
    spans: &[Span],
    vocabularies: &[&Vocabulary],
    newest: &dyn Fn() -> Option<Date>,
) -> Reading {
    let mut reader = Reader {
        spans,
        vocabularies,
        newest,
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
    newest: &'a dyn Fn() -> Option<Date>,
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
        if let Some((period, next)) = self.period(at) {
            let words: Vec<&str> = self.spans[at..next].iter().map(|it| &*it.text).collect();
            let words = words.join(" ");
            self.reading.matched.push(words.clone());
            self.reading
                .period
                .get_or_insert((period, words.to_lowercase()));
            return next;
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
                self.most(at);
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
                self.reading.field = Some(column.clone());
                self.field = Some((column, at));
            }
            Sense::By => {
                if let Some((next, column)) = self.field_after(at + 1) {
                    self.reading.group_by.get_or_insert(column);
                    return next;
                }
            }
            Sense::Lack => return self.lack(at, false),
            Sense::Missing => return self.lack(at, true),
            Sense::Need => return self.need(at),
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
            | Sense::FewerThan
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
            Sense::Repriced => {
                self.reading.matched.push(text());
                self.reading
                    .changes
                    .extend([Change::PriceUp, Change::PriceDown]);
            }
            Sense::Arrived => self.reading.has_arrived = true,
            Sense::Beyond(beyond) => {
                if !self.reading.beyond.contains(&beyond) {
                    self.reading.beyond.push(beyond);
                }
            }
            Sense::Subject => self.reading.has_subject = true,
            Sense::Ask => {
                self.reading.asks = true;
                self.asks_for_groups(at);
            }
            Sense::Question => self.asks_for_groups(at),
            Sense::FollowUp => self.reading.follows |= at == 0,
            Sense::Those => self.reading.points_back = true,
            // "And above 1000?" goes on from a number of the question before.
            Sense::OrLess | Sense::OrMore => {
                if self.amount(at + 1).is_some() {
                    self.reading.follows |= at == 0;
                    let over = sense == Sense::OrMore;
                    return self.comparison(at, if over { Sense::Over } else { Sense::Under });
                }
            }
            Sense::And
            | Sense::Or
            | Sense::To
            | Sense::Unit(_)
            | Sense::Month(_)
            | Sense::Distance
            | Sense::Money(_)
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
            Some(
                Sense::Under
                    | Sense::FewerThan
                    | Sense::Over
                    | Sense::AtMost
                    | Sense::AtLeast
                    | Sense::Between
            )
        )
    }

    /// "Without", with the fields, values or range that follow, else the field before.
    fn lack(&mut self, at: usize, is_missing: bool) -> usize {
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
            if is_missing {
                self.reading.matched.push(self.spans[at].text.clone());
                self.reading.skills.push((Skill::Gaps, 3, at));
            } else {
                self.negates = true;
            }
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

    /// "Need photos", "photos: which need them".
    fn need(&mut self, at: usize) -> usize {
        if self.field_after(at + 1).is_some() {
            return self.lack(at, true);
        }
        let points_back = self.sense_at(at + 1) == Some(Sense::Those);
        if points_back && let Some((column, _)) = self.field.take() {
            self.reading.lacks.push(column);
        }
        at + 1
    }

    /// "Which brands": the answer is by brand.
    fn asks_for_groups(&mut self, at: usize) {
        if let Some((next, column)) = self.field_after(at + 1)
            && next == at + 2
            && is_grouping(&column)
            && matches!(column, ColumnName::Role(role) if self.has(role))
        {
            self.reading.group_by.get_or_insert(column);
        }
    }

    /// "The brand with the most products".
    fn most(&mut self, at: usize) {
        let counts = matches!(
            self.spans.get(at + 1).map(|span| &span.what),
            Some(What::Sense(Sense::Subject) | What::Values(_) | What::Title(_))
        );
        if !counts {
            return;
        }
        if self.reading.group_by.is_none()
            && let Some((column, _)) = &self.field
            && is_grouping(column)
        {
            self.reading.group_by = Some(column.clone());
        }
        self.reading.counts |= self.reading.group_by.is_some();
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

/// Whether rows are likely to be grouped by the column.
fn is_grouping(column: &ColumnName) -> bool {
    matches!(
        column,
        ColumnName::Role(
            Role::Category
                | Role::ProductType
                | Role::Brand
                | Role::Make
                | Role::Model
                | Role::Trim
                | Role::Body
                | Role::Fuel
                | Role::Colour
                | Role::Size
                | Role::Material
                | Role::Condition
                | Role::Rooftop
                | Role::LeadAgent
        )
    )
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
