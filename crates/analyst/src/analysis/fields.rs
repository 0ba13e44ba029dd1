//! Columns that a question names: whether they are filled, and the numbers in them.

use rust_decimal::Decimal;

use super::Refusal;
use super::age::Ages;
use super::price::Prices;
use super::selection::{Item, Row};
use crate::question::ColumnName;
use crate::{Column, Currency, Money, Role, Table, Value};

/// The column of a name.
///
/// # Errors
/// The table has none.
pub(crate) fn column<'a>(table: &'a Table, name: &ColumnName) -> Result<&'a Column, Refusal> {
    match name {
        ColumnName::Role(role) => table
            .column(*role)
            .ok_or_else(|| Refusal::missing(&[*role])),
        ColumnName::Header(header) => table
            .columns()
            .iter()
            .find(|column| column.header() == header)
            .ok_or_else(|| Refusal::no_header(header)),
    }
}

/// A field that an item has or lacks.
#[derive(Debug)]
pub(crate) enum Field<'a> {
    /// Filled if there is a usable price.
    Price(Prices<'a>),
    /// Filled if there is an address of an image, or a number of photos above zero.
    Photos(Option<&'a Column>, Option<&'a Column>),
    /// Filled if the cell has a value.
    Text(&'a Column),
}

impl<'a> Field<'a> {
    /// # Errors
    /// The table has no such column.
    pub(crate) fn named(table: &'a Table, name: &ColumnName) -> Result<Self, Refusal> {
        match name {
            ColumnName::Role(role) => {
                Self::of_role(table, *role).ok_or_else(|| Refusal::missing(&[*role]))
            }
            ColumnName::Header(_) => column(table, name).map(Self::Text),
        }
    }

    pub(crate) fn of_role(table: &'a Table, role: Role) -> Option<Self> {
        match role {
            Role::Price => Prices::of_table(table).map(Self::Price),
            Role::Image | Role::PhotoCount => {
                let columns = [Role::Image, Role::PhotoCount].map(|role| table.column(role));
                let [image, count] = columns;
                (image.is_some() || count.is_some()).then_some(Self::Photos(image, count))
            }
            role => table.column(role).map(Self::Text),
        }
    }

    pub(crate) fn is_filled(&self, row: Row) -> bool {
        let has_text = |column: &Column| column.text(row.of(column)).is_some();
        match self {
            Self::Price(prices) => prices.of(row).is_some(),
            Self::Photos(image, count) => {
                let counted = |column: &Column| {
                    let photos = column.number(row.of(column));
                    photos.is_some_and(|photos| photos > Decimal::ZERO)
                };
                image.is_some_and(has_text) || count.is_some_and(counted)
            }
            Self::Text(column) => has_text(column),
        }
    }

    /// Whether any row of the item has it.
    pub(crate) fn is_filled_in(&self, item: Item<'_, '_>) -> bool {
        item.rows().any(|row| self.is_filled(row))
    }

    /// The header, as the answer names the field.
    pub(crate) fn header(&self) -> Value {
        match self {
            Self::Price(prices) => prices.header(),
            Self::Photos(Some(column), _)
            | Self::Photos(None, Some(column))
            | Self::Text(column) => Value::from(column.header()),
            Self::Photos(None, None) => Value::None,
        }
    }
}

/// A column of numbers, and what kind of number it has.
#[derive(Debug)]
pub(crate) enum Numbers<'a> {
    /// Usable prices.
    Price(Prices<'a>),
    /// Amounts.
    Money(&'a Column),
    /// Ages in days.
    Age(Box<Ages<'a>>),
    /// Years: numbers without a separator of thousands.
    Year(&'a Column),
    /// Anything else.
    Plain(&'a Column),
}

impl<'a> Numbers<'a> {
    /// # Errors
    /// The table has no such column.
    pub(crate) fn named(table: &'a Table, name: &ColumnName) -> Result<Self, Refusal> {
        match name {
            ColumnName::Role(Role::Price) => Prices::needed(table).map(Self::Price),
            ColumnName::Role(Role::AgeDays) => {
                Ages::of_table(table).map(|ages| Self::Age(Box::new(ages)))
            }
            ColumnName::Role(Role::Year) => column(table, name).map(Self::Year),
            ColumnName::Role(role) if is_money(*role) => column(table, name).map(Self::Money),
            ColumnName::Role(_) => column(table, name).map(Self::Plain),
            ColumnName::Header(_) => column(table, name).map(|column| {
                let is_money = (0..table.rows())
                    .filter_map(|row| column.money(row))
                    .any(|money| money.currency.is_some());
                if is_money || column.role().is_some_and(self::is_money) {
                    Self::Money(column)
                } else {
                    Self::Plain(column)
                }
            }),
        }
    }

    /// The number of a row, and its currency if it is an amount.
    pub(crate) fn of(&self, row: Row) -> Option<Money> {
        let plain = |amount| Money {
            amount,
            currency: None,
        };
        match self {
            Self::Price(prices) => prices.of(row),
            Self::Money(column) => column.money(row.of(column)),
            Self::Age(ages) => ages.of(row).map(|days| plain(days.into())),
            Self::Year(column) | Self::Plain(column) => column.number(row.of(column)).map(plain),
        }
    }

    /// The number of an item: its lowest price, else the first that any of its rows has.
    pub(crate) fn of_item(&self, item: Item<'_, '_>) -> Option<Money> {
        match self {
            Self::Price(prices) => item.price(prices),
            _ => item.rows().find_map(|row| self.of(row)),
        }
    }

    /// A number of this kind as an answer shows it.
    pub(crate) fn value(&self, number: Decimal, currency: Option<Currency>) -> Value {
        match self {
            Self::Price(_) | Self::Money(_) => Value::Money(Money {
                amount: number,
                currency,
            }),
            Self::Age(_) if number.is_integer() => {
                i64::try_from(number).map_or(Value::Number(number), Value::Days)
            }
            Self::Year(_) => Value::Text(number.normalize().to_string()),
            Self::Age(_) | Self::Plain(_) => Value::Number(number),
        }
    }
}

fn is_money(role: Role) -> bool {
    matches!(
        role,
        Role::Price
            | Role::SalePrice
            | Role::CompareAtPrice
            | Role::Msrp
            | Role::Cost
            | Role::OldPrice
    )
}

/// The column that the items are grouped by unless the question names another.
pub(crate) fn usual_group(table: &Table) -> Option<ColumnName> {
    [
        Role::Category,
        Role::ProductType,
        Role::Make,
        Role::Body,
        Role::Brand,
        Role::Rooftop,
    ]
    .into_iter()
    .find(|&role| table.column(role).is_some())
    .map(ColumnName::Role)
}
