//! What a cell can mean, and what an answer can say.

use std::fmt;

use jiff::civil::Date;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// An ISO 4217 code of three capital letters, such as `EUR`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Currency([u8; 3]);

impl Currency {
    /// The currency of a code of three ASCII letters, in either case; none of anything else.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        let code: [u8; 3] = code.as_bytes().try_into().ok()?;
        code.iter()
            .all(u8::is_ascii_alphabetic)
            .then(|| Self(code.map(|letter| letter.to_ascii_uppercase())))
    }

    /// The three letters.
    #[must_use]
    pub fn code(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl TryFrom<String> for Currency {
    type Error = String;

    fn try_from(code: String) -> Result<Self, String> {
        Self::from_code(&code).ok_or_else(|| format!("{code:?} is no currency code"))
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> Self {
        currency.code().to_owned()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

/// An amount as the data states it. Without a currency where neither the cell nor the header nor
/// another column names one: amounts of two currencies, or of one and none, are never added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    /// In units of the currency, not in cents; exact.
    pub amount: Decimal,
    /// The currency, where the data names one.
    pub currency: Option<Currency>,
}

/// One typed value of an answer. Renderings format it, and only they: one way for each kind.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Nothing is known: an empty cell.
    None,
    /// Words of the data, verbatim. Untrusted: markup in it stays text.
    Text(String),
    /// What identifies a row: stock number, SKU, VIN, or `row 17`.
    Id(String),
    /// A number of rows, items, leads.
    Count(u64),
    /// A plain number.
    Number(Decimal),
    /// An amount.
    Money(Money),
    /// A share in per cent: `12.5` is 12.5 %.
    Percent(Decimal),
    /// How many times one is the other: `1.25`.
    Ratio(Decimal),
    /// A span in days.
    Days(i64),
    /// A day.
    Date(Date),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Money> for Value {
    fn from(money: Money) -> Self {
        Self::Money(money)
    }
}

impl From<Date> for Value {
    fn from(date: Date) -> Self {
        Self::Date(date)
    }
}
