//! What is out of stock or low.

use rust_decimal::Decimal;

use super::groups::Group;
use super::selection::Item;
use super::statistics::share;
use super::stock::Stock;
use super::{Asked, Refusal, fields, groups, words};
use crate::finding::{Grid, Sentence, counted, say};
use crate::question::ColumnName;
use crate::{Column, Finding, Role, Value};

/// At most this many left is low.
const LOW: i64 = 3;

pub(crate) fn find(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    let table = asked.table();
    let stock = Stock::of_table(table);
    if !stock.is_known() {
        return Err(Refusal::missing_any(&[
            Role::Quantity,
            Role::Availability,
            Role::Status,
        ]));
    }
    let quantity = table.column(Role::Quantity);
    let state = |item: Item<'_, '_>| State::of(item, &stock, quantity);
    let all = asked.stock.item_count();
    let count = |wanted: State| {
        asked
            .stock
            .items()
            .filter(|item| state(*item) == wanted)
            .count() as u64
    };
    let (out, low) = (count(State::Out), count(State::Low));
    let headline = say!(
        Value::Count(out),
        " of ",
        counted(all, "item"),
        if out == 1 {
            " is out of stock"
        } else {
            " are out of stock"
        },
        low_words(quantity, low),
        "."
    );
    let mut finding = if out + low == 0 {
        asked.nothing(headline)
    } else {
        let mut finding = asked.finding();
        finding.headline = headline;
        finding
    };
    let group = asked.intent.params.group_by.clone();
    if let Some(group) = group {
        finding.grid = Some(by_group(asked, &group, state)?);
    } else if out + low > 0 {
        finding.grid = Some(listing(asked, quantity, state));
        if let Some(group) = fields::usual_group(table) {
            finding.details = worst_groups(asked, &group, state)?;
        }
    }
    finding.rule.push(stock.rule());
    if let Some(quantity) = quantity {
        finding.rule.push(say!(
            "Low is a total of 1 to 3 in ",
            Value::from(quantity.header()),
            "; an item with variants is out of stock only when all of them are."
        ));
    } else {
        finding.limits.push(say!(
            "No column states quantities, so nothing is known to be low."
        ));
    }
    Ok(finding)
}

fn low_words(quantity: Option<&Column>, low: u64) -> Sentence {
    match quantity {
        None => say!(""),
        Some(_) => say!(", ", Value::Count(low), " low"),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Out,
    Low,
    In,
}

impl State {
    fn of(item: Item<'_, '_>, stock: &Stock<'_>, quantity: Option<&Column>) -> Self {
        if !stock.is_available(item) {
            return Self::Out;
        }
        match quantity.and_then(|column| item.quantity(column)) {
            Some(left) if left <= Decimal::from(LOW) => Self::Low,
            _ => Self::In,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Out => "out of stock",
            Self::Low => "low",
            Self::In => "in stock",
        }
    }
}

/// The items that are out of stock or low, in this order.
fn listing<'a>(
    asked: &Asked<'_, 'a>,
    quantity: Option<&Column>,
    state: impl Fn(Item<'a, '_>) -> State,
) -> Grid {
    let mut grid = Grid::new(&["id", "item", "state", "quantity"]);
    for wanted in [State::Out, State::Low] {
        for item in asked.stock.items().filter(|item| state(*item) == wanted) {
            let left = quantity.and_then(|column| item.quantity(column));
            grid.push(vec![
                item.id(),
                item.label(),
                Value::from(wanted.name()),
                left.map_or(Value::None, Value::Number),
            ]);
        }
    }
    grid
}

/// The groups with the most items out of stock.
fn worst_groups<'a>(
    asked: &Asked<'_, 'a>,
    group: &ColumnName,
    state: impl Fn(Item<'a, '_>) -> State,
) -> Result<Vec<Sentence>, Refusal> {
    let mut counted_groups: Vec<(u64, u64, Value)> = Vec::new();
    for Group { name, items } in groups::of(asked.stock, group)? {
        let out = items.items().filter(|item| state(*item) == State::Out);
        counted_groups.push((out.count() as u64, items.item_count(), name));
    }
    counted_groups.retain(|(out, _, _)| *out > 0);
    counted_groups.sort_by_key(|(out, _, _)| std::cmp::Reverse(*out));
    let said = counted_groups.into_iter().take(5);
    Ok(said
        .map(|(out, all, name)| {
            say!(
                name,
                ": ",
                Value::Count(out),
                " of ",
                counted(all, "item"),
                " out of stock."
            )
        })
        .collect())
}

fn by_group<'a>(
    asked: &Asked<'_, 'a>,
    group: &ColumnName,
    state: impl Fn(Item<'a, '_>) -> State,
) -> Result<Grid, Refusal> {
    let header = words::header(asked.table(), group);
    let mut grid = Grid::new(&[&header, "items", "out of stock", "low", "share out"]);
    for Group { name, items } in groups::of(asked.stock, group)? {
        let count =
            |wanted: State| items.items().filter(|item| state(*item) == wanted).count() as u64;
        let out = count(State::Out);
        grid.push(vec![
            name,
            Value::Count(items.item_count()),
            Value::Count(out),
            Value::Count(count(State::Low)),
            share(out, items.item_count()),
        ]);
    }
    Ok(grid)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, own, rows, sentences};
    use super::*;
    use crate::Skill;
    use crate::finding::Outcome;

    const COLUMNS: Columns<'_> = &[
        ("sku", Some(Role::Id)),
        ("handle", Some(Role::Group)),
        ("title", Some(Role::Title)),
        ("type", Some(Role::Category)),
        ("qty", Some(Role::Quantity)),
        ("availability", Some(Role::Availability)),
    ];

    const SHOP: &[&[&str]] = &[
        &["1", "mug", "Mug", "Cups", "0", ""],
        &["2", "mug", "", "", "2", ""],
        &["3", "cup", "Cup", "Cups", "0", ""],
        &["4", "jar", "Jar", "Jars", "9", "out of stock"],
        &["5", "jug", "Jug", "Jars", "4", "in stock"],
        &[
            "6",
            "pot",
            "Pot",
            "Jars",
            "",
            "https://schema.org/OutOfStock",
        ],
    ];

    #[test]
    fn out_and_low_are_listed_and_the_worst_groups_named() {
        let found = intent(Skill::Availability).ask(&own(COLUMNS, SHOP));
        assert_eq!(headline(&found), "3 of 5 items are out of stock, 1 low.");
        assert_eq!(
            rows(&found),
            [
                "3|Cup|out of stock|0",
                "4|Jar|out of stock|9",
                "6|Pot|out of stock|",
                "mug|Mug|low|2",
            ]
        );
        assert_eq!(
            sentences(&found.details),
            [
                "Jars: 2 of 3 items out of stock.",
                "Cups: 1 of 2 items out of stock."
            ]
        );
    }

    #[test]
    fn by_group() {
        let found = intent(Skill::Availability)
            .with(|params| params.group_by = Some(ColumnName::Role(Role::Category)))
            .ask(&own(COLUMNS, SHOP));
        assert_eq!(rows(&found), ["Jars|3|2|0|66.7", "Cups|2|1|1|50"]);
    }

    #[test]
    fn all_in_stock_and_no_column() {
        let found = intent(Skill::Availability).ask(&own(COLUMNS, &[SHOP[4]]));
        assert_eq!(found.outcome, Outcome::Nothing { rows: 1 });
        let found = intent(Skill::Availability).ask(&own(&COLUMNS[..4], &[&["1", "", "a", "b"]]));
        assert_eq!(
            headline(&found),
            "This cannot be answered: no column states quantity, availability or status; one of them would do."
        );
    }
}
