//! Sums, means and medians in exact decimals. An overflow yields nothing, never a wrong number.

use rust_decimal::{Decimal, RoundingStrategy};

use crate::{Currency, Money, Value};

/// Amounts of one currency, ascending. There is at least one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Amounts {
    pub(crate) currency: Option<Currency>,
    pub(crate) sorted: Vec<Decimal>,
}

impl Amounts {
    fn value(&self, amount: Option<Decimal>) -> Value {
        amount.map_or(Value::None, |amount| self.money(amount))
    }

    pub(crate) fn money(&self, amount: Decimal) -> Value {
        Value::Money(Money {
            amount,
            currency: self.currency,
        })
    }

    pub(crate) fn count(&self) -> u64 {
        self.sorted.len() as u64
    }

    pub(crate) fn sum(&self) -> Value {
        self.value(sum(&self.sorted))
    }

    pub(crate) fn mean(&self) -> Value {
        self.value(mean(&self.sorted))
    }

    pub(crate) fn median(&self) -> Value {
        self.value(median(&self.sorted))
    }

    pub(crate) fn minimum(&self) -> Value {
        self.value(self.sorted.first().copied())
    }

    pub(crate) fn maximum(&self) -> Value {
        self.value(self.sorted.last().copied())
    }
}

/// The amounts of each currency apart, the currency of the most amounts first.
pub(crate) fn by_currency(amounts: impl IntoIterator<Item = Money>) -> Vec<Amounts> {
    let mut found: Vec<Amounts> = Vec::new();
    for money in amounts {
        match found
            .iter_mut()
            .find(|amounts| amounts.currency == money.currency)
        {
            Some(amounts) => amounts.sorted.push(money.amount),
            None => found.push(Amounts {
                currency: money.currency,
                sorted: vec![money.amount],
            }),
        }
    }
    for amounts in &mut found {
        amounts.sorted.sort_unstable();
    }
    found.sort_by(|one, other| {
        let by_count = other.sorted.len().cmp(&one.sorted.len());
        by_count.then(one.currency.cmp(&other.currency))
    });
    found
}

pub(crate) fn sum(numbers: &[Decimal]) -> Option<Decimal> {
    numbers
        .iter()
        .try_fold(Decimal::ZERO, |sum, &number| sum.checked_add(number))
}

/// The arithmetic mean, rounded to two places, half away from zero.
pub(crate) fn mean(numbers: &[Decimal]) -> Option<Decimal> {
    let mean = sum(numbers)?.checked_div(Decimal::from(numbers.len()))?;
    Some(rounded(mean, 2))
}

/// The middle of ascending numbers; of an even count, the exact mean of the two middle ones.
pub(crate) fn median(sorted: &[Decimal]) -> Option<Decimal> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    sorted[sorted.len() / 2 - 1]
        .checked_add(upper)?
        .checked_div(Decimal::TWO)
}

/// `100 × part / whole`, rounded to one place.
pub(crate) fn percent(part: Decimal, whole: Decimal) -> Option<Decimal> {
    let share = part.checked_mul(Decimal::ONE_HUNDRED)?.checked_div(whole)?;
    Some(rounded(share, 1))
}

/// The share of a count in per cent; nothing of nothing has none.
pub(crate) fn share(part: u64, whole: u64) -> Value {
    percent(part.into(), whole.into()).map_or(Value::None, Value::Percent)
}

/// How many times `one` is the other, rounded to two places.
pub(crate) fn ratio(one: Decimal, other: Decimal) -> Value {
    one.checked_div(other)
        .map_or(Value::None, |ratio| Value::Ratio(rounded(ratio, 2)))
}

pub(crate) fn rounded(number: Decimal, places: u32) -> Decimal {
    number.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimals(texts: &[&str]) -> Vec<Decimal> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn the_median_of_an_even_count_is_exact() {
        assert_eq!(
            median(&decimals(&["0.10", "0.15"])),
            Some("0.125".parse().unwrap())
        );
        assert_eq!(
            median(&decimals(&["1", "2", "9"])),
            Some("2".parse().unwrap())
        );
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn a_mean_is_rounded_half_away_from_zero() {
        assert_eq!(
            mean(&decimals(&["0.10", "0.15"])),
            Some("0.13".parse().unwrap())
        );
        assert_eq!(
            mean(&decimals(&["1", "1", "2"])),
            Some("1.33".parse().unwrap())
        );
    }

    #[test]
    fn an_overflow_is_no_number() {
        let huge = [Decimal::MAX, Decimal::MAX];
        assert_eq!(sum(&huge), None);
        assert_eq!(median(&huge), None);
        assert_eq!(percent(Decimal::MAX, Decimal::ONE), None);
        assert_eq!(share(0, 0), Value::None);
    }

    #[test]
    fn amounts_of_two_currencies_stay_apart() {
        let money = |amount: i64, code| Money {
            amount: amount.into(),
            currency: Currency::from_code(code),
        };
        let found = by_currency([
            money(5, "USD"),
            money(3, "EUR"),
            money(1, "EUR"),
            money(7, ""),
        ]);
        let counts: Vec<_> = found
            .iter()
            .map(|amounts| {
                (
                    amounts.currency.map(|code| code.to_string()),
                    amounts.count(),
                )
            })
            .collect();
        assert_eq!(
            counts,
            [
                (Some("EUR".to_owned()), 2),
                (None, 1),
                (Some("USD".to_owned()), 1)
            ]
        );
        assert_eq!(found[0].median(), Value::Money(money(2, "EUR")));
    }
}
