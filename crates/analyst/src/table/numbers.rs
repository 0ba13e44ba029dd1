//! The numbers of a column, read once and kept small.

use rust_decimal::Decimal;

use super::currency::{self, Sign};
use super::number::{self, Marks, Parsed};
use super::{Role, role};
use crate::value::Currency;

/// In place of a scale: the cell is no number.
const NO_NUMBER: u8 = u8::MAX;
/// In place of a scale: the number does not fit, and is read again when it is asked for.
const LARGE: u8 = u8::MAX - 1;
/// In place of a scale: the sign in the number can be read in two ways.
const DOUBTFUL_POINT: u8 = u8::MAX - 2;
const DOUBTFUL_COMMA: u8 = u8::MAX - 3;
const DOUBTFUL_DIGITS: u8 = 3;

const NOTHING: u8 = 0;
const UNIT: u8 = 1;
const DOLLAR: u8 = 2;
const KRONE: u8 = 3;
const FIRST_CURRENCY: u8 = 4;

/// The numbers at the places of a column's cells.
#[derive(Default)]
pub(super) struct Numbers {
    mantissas: Vec<i64>,
    scales: Vec<u8>,
    besides: Vec<u8>,
    currencies: Vec<Currency>,
    /// How many cells are numbers, of how many that have a value.
    read: (usize, usize),
    evidence: Evidence,
    kind: Kind,
}

/// What stands beside a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    Nothing,
    Unit,
    Dollar,
    Krone,
    Currency(Currency),
}

/// What a column's numbers are, where the signs within one can be read in two ways.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Kind {
    #[default]
    Any,
    Money,
    Whole,
}

/// What the numbers without doubt say of the signs, for the point and for the comma.
#[derive(Debug, Default, Clone, Copy)]
struct Evidence {
    decimal: [bool; 2],
    /// As a decimal sign before three or more digits.
    fine: [bool; 2],
    group: [bool; 2],
}

impl Numbers {
    pub(super) fn read_all<'c>(cells: impl Iterator<Item = &'c str>, role: Option<Role>) -> Self {
        let kind = match role {
            Some(role) if role::is_amount(role) => Kind::Money,
            Some(role) if role::is_whole(role) => Kind::Whole,
            _ => Kind::Any,
        };
        let mut numbers = Self {
            kind,
            ..Self::default()
        };
        for cell in cells {
            numbers.push(cell);
        }
        numbers.settle_doubts();
        numbers.mantissas.shrink_to_fit();
        numbers.scales.shrink_to_fit();
        numbers.besides.shrink_to_fit();
        numbers
    }

    /// The number at a place, whose text is asked for where the number itself is not kept.
    pub(super) fn number<'c>(
        &self,
        place: usize,
        text: impl FnOnce() -> Option<&'c str>,
    ) -> Option<Decimal> {
        match *self.scales.get(place)? {
            NO_NUMBER => None,
            LARGE => {
                let parsed = number::parse(text()?)?;
                let is_decimal = match parsed.marks {
                    Marks::Doubt(mark) => self.is_decimal(mark),
                    _ => false,
                };
                parsed.value(is_decimal)
            }
            scale => {
                let mantissa = i128::from(self.mantissas[place]);
                Decimal::try_from_i128_with_scale(mantissa, u32::from(scale)).ok()
            }
        }
    }

    /// What stands beside the number at a place; none where there is no number.
    pub(super) fn beside(&self, place: usize) -> Option<Beside> {
        if *self.scales.get(place)? == NO_NUMBER {
            return None;
        }
        Some(match self.besides[place] {
            NOTHING => Beside::Nothing,
            UNIT => Beside::Unit,
            DOLLAR => Beside::Dollar,
            KRONE => Beside::Krone,
            other => Beside::Currency(self.currencies[usize::from(other - FIRST_CURRENCY)]),
        })
    }

    /// True where some cell names a currency that `$` can stand for.
    pub(super) fn names_a_dollar(&self) -> bool {
        self.currencies.iter().copied().any(currency::is_dollar)
    }

    /// How many places hold a number, of how many that hold a value.
    pub(super) fn read(&self) -> (usize, usize) {
        self.read
    }

    fn push(&mut self, cell: &str) {
        let parsed = number::parse(cell).filter(|parsed| parsed.value(true).is_some());
        self.read.1 += usize::from(!cell.is_empty());
        self.read.0 += usize::from(parsed.is_some());
        let (mantissa, scale, beside) = match parsed {
            None => (0, NO_NUMBER, NOTHING),
            Some(parsed) => {
                self.evidence.add(parsed.marks);
                let (mantissa, scale) = match (i64::try_from(parsed.mantissa), parsed.marks) {
                    (Err(_), _) => (0, LARGE),
                    (Ok(mantissa), Marks::Doubt(b'.')) => (mantissa, DOUBTFUL_POINT),
                    (Ok(mantissa), Marks::Doubt(_)) => (mantissa, DOUBTFUL_COMMA),
                    (Ok(mantissa), _) => (mantissa, u8::try_from(parsed.scale).unwrap_or(LARGE)),
                };
                (mantissa, scale, self.beside_of(&parsed))
            }
        };
        self.mantissas.push(mantissa);
        self.scales.push(scale);
        self.besides.push(beside);
    }

    fn beside_of(&mut self, parsed: &Parsed) -> u8 {
        let currency = match parsed.sign {
            _ if parsed.has_unit => return UNIT,
            None => return NOTHING,
            Some(Sign::Dollar) => return DOLLAR,
            Some(Sign::Krone) => return KRONE,
            Some(Sign::Sure(currency)) => currency,
        };
        let known = self.currencies.iter().position(|it| *it == currency);
        let place = known.unwrap_or_else(|| {
            self.currencies.push(currency);
            self.currencies.len() - 1
        });
        // There are fewer currencies than that.
        u8::try_from(place).map_or(NOTHING, |place| place.saturating_add(FIRST_CURRENCY))
    }

    fn settle_doubts(&mut self) {
        let scale = |is_decimal| if is_decimal { DOUBTFUL_DIGITS } else { 0 };
        let point = scale(self.is_decimal(b'.'));
        let comma = scale(self.is_decimal(b','));
        for scale in &mut self.scales {
            match *scale {
                DOUBTFUL_POINT => *scale = point,
                DOUBTFUL_COMMA => *scale = comma,
                _ => {}
            }
        }
    }

    /// Whether a sign before three digits is a decimal sign in this column.
    fn is_decimal(&self, mark: u8) -> bool {
        let this = usize::from(mark == b',');
        let Evidence {
            decimal,
            fine,
            group,
        } = self.evidence;
        match self.kind {
            // Amounts have two decimals or none, unless the column shows more.
            Kind::Money => fine[this] && !group[this],
            Kind::Whole => decimal[this] && !group[this],
            Kind::Any if decimal[this] != group[this] => decimal[this],
            Kind::Any => mark == b'.' && !decimal[1 - this],
        }
    }
}

impl Evidence {
    fn add(&mut self, marks: Marks) {
        let of = |mark: u8| usize::from(mark == b',');
        match marks {
            Marks::None | Marks::Doubt(_) => {}
            Marks::Group(mark) => self.group[of(mark)] = true,
            Marks::Decimal(mark, digits) => {
                self.decimal[of(mark)] = true;
                self.fine[of(mark)] |= digits >= u32::from(DOUBTFUL_DIGITS);
            }
        }
    }
}
