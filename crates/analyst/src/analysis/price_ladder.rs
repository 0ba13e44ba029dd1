//! Price points, how many items stand on each step, and the widest jump between neighbours.

use rust_decimal::Decimal;

use super::groups::{self, Group};
use super::price::{self, Bands, Prices, is_vehicles};
use super::statistics::{Amounts, ratio, share};
use super::{Asked, Refusal, price_range, words};
use crate::finding::{Grid, Sentence, counted, say};
use crate::question::ColumnName;
use crate::{Finding, Value};

const JUMPS: &str = "The widest jump is the highest ratio of a price to the next lower one. Thirds are equal counts of items in the order of their prices.";

pub(crate) fn find(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    if let Some((low, high)) = asked.intent.params.between {
        return price_range::find(asked, low, high);
    }
    let prices = Prices::needed(asked.table())?;
    let found = price::of_items(asked.stock, &prices);
    let items = asked.stock.item_count();
    if found.is_empty() {
        let mut finding = asked.nothing(say!(
            "None of ",
            counted(items, "item"),
            " has a usable price."
        ));
        finding.rule = prices.rule_of_items(asked.table());
        return Ok(finding);
    }
    let vehicles = is_vehicles(asked.table());
    let mut finding = asked.finding();
    let priced = found.iter().map(Amounts::count).sum();
    let points = found
        .iter()
        .map(|amounts| points(amounts).len() as u64)
        .sum();
    finding.headline = say!(
        Value::Count(priced),
        " of ",
        counted(items, "item"),
        if priced == 1 {
            " has a price, at "
        } else {
            " have a price, at "
        },
        counted(points, "price point"),
        "."
    );
    let mut grid = Grid::new(&["from", "below", "items", "share"]);
    for amounts in &found {
        finding.details.push(widest_jump(amounts));
        finding.details.extend(thirds(amounts));
    }
    if let Some(group) = &asked.intent.params.group_by {
        finding.grid = Some(by_group(asked, group, &prices)?);
        finding.rule = prices.rule_of_items(asked.table());
        finding.rule.push(JUMPS.into());
        return Ok(finding);
    }
    for amounts in &found {
        let bands = Bands::over(vehicles, amounts);
        let mut counts = vec![0; bands.count(amounts)];
        for &amount in &amounts.sorted {
            if let Some(count) = counts.get_mut(bands.place(amount)) {
                *count += 1;
            }
        }
        for (step, count) in counts.into_iter().enumerate() {
            let [from, below] = bands.bounds(step, amounts);
            let share = share(count, amounts.count());
            grid.push(vec![from, below, Value::Count(count), share]);
        }
    }
    finding.grid = Some(grid);
    finding.rule = prices.rule_of_items(asked.table());
    finding.rule.push(Bands::rule(vehicles));
    finding.rule.push(JUMPS.into());
    Ok(finding)
}

/// The range of prices in each group.
fn by_group(
    asked: &Asked<'_, '_>,
    group: &ColumnName,
    prices: &Prices<'_>,
) -> Result<Grid, Refusal> {
    let header = words::header(asked.table(), group);
    let mut grid = Grid::new(&[
        &header,
        "items with a price",
        "price points",
        "minimum",
        "median",
        "maximum",
    ]);
    for Group { name, items } in groups::of(asked.stock, group)? {
        for amounts in price::of_items(&items, prices) {
            grid.push(vec![
                name.clone(),
                Value::Count(amounts.count()),
                Value::Count(points(&amounts).len() as u64),
                amounts.minimum(),
                amounts.median(),
                amounts.maximum(),
            ]);
        }
    }
    Ok(grid)
}

fn points(amounts: &Amounts) -> Vec<Decimal> {
    let mut points = amounts.sorted.clone();
    points.dedup();
    points
}

fn widest_jump(amounts: &Amounts) -> Sentence {
    let points = points(amounts);
    let mut widest: Option<(Decimal, [Decimal; 2])> = None;
    for pair in points.windows(2) {
        let [lower, upper] = [pair[0], pair[1]];
        let Some(jump) = upper.checked_div(lower) else {
            continue;
        };
        if widest.is_none_or(|(most, _)| jump > most) {
            widest = Some((jump, [lower, upper]));
        }
    }
    match widest {
        None => say!(
            "All ",
            counted(amounts.count(), "price"),
            if amounts.count() == 1 {
                " is "
            } else {
                " are "
            },
            amounts.minimum(),
            "."
        ),
        Some((_, [lower, upper])) => say!(
            "The widest jump is from ",
            amounts.money(lower),
            " to ",
            amounts.money(upper),
            ", ",
            ratio(upper, lower),
            "."
        ),
    }
}

/// Good, better, best.
fn thirds(amounts: &Amounts) -> Option<Sentence> {
    let count = amounts.sorted.len();
    if count < 3 {
        return None;
    }
    let range = |third: usize| {
        let part = &amounts.sorted[third * count / 3..(third + 1) * count / 3];
        let ends = [part.first(), part.last()];
        let [from, to] = ends.map(|amount| amount.copied().unwrap_or_default());
        say!(amounts.money(from), " to ", amounts.money(to))
    };
    Some(say!(
        "Lower third ",
        range(0),
        ", middle third ",
        range(1),
        ", upper third ",
        range(2),
        "."
    ))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, own, rows, sentences};
    use crate::finding::Outcome;
    use crate::{Role, Skill};

    const COLUMNS: Columns<'_> = &[
        ("sku", Some(Role::Id)),
        ("price", Some(Role::Price)),
        ("make", Some(Role::Make)),
        ("model", Some(Role::Model)),
    ];

    #[test]
    fn steps_jumps_and_thirds() {
        let found = intent(Skill::PriceLadder).ask(&own(
            &COLUMNS[..2],
            &[
                &["1", "4 EUR"],
                &["2", "5 EUR"],
                &["3", "9.99 EUR"],
                &["4", "40 EUR"],
                &["5", "40 EUR"],
                &["6", "0"],
            ],
        ));
        assert_eq!(
            headline(&found),
            "5 of 6 items have a price, at 4 price points."
        );
        assert_eq!(
            sentences(&found.details),
            [
                "The widest jump is from 9.99 EUR to 40 EUR, 4×.",
                "Lower third 4 EUR to 4 EUR, middle third 5 EUR to 9.99 EUR, upper third 40 EUR to 40 EUR.",
            ]
        );
        assert_eq!(
            rows(&found),
            [
                "2 EUR|5 EUR|1|20",
                "5 EUR|10 EUR|2|40",
                "10 EUR|20 EUR|0|0",
                "20 EUR|50 EUR|2|40",
            ]
        );
    }

    #[test]
    fn vehicles_have_their_own_steps_with_open_ends() {
        let found = intent(Skill::PriceLadder).ask(&own(
            COLUMNS,
            &[
                &["1", "9999 USD", "Kia", "Rio"],
                &["2", "10000 USD", "Kia", "Rio"],
                &["3", "50000 USD", "Kia", "EV9"],
                &["4", "75000 USD", "Kia", "EV9"],
                &["5", "20000 EUR", "Kia", "EV9"],
            ],
        ));
        let rows = rows(&found);
        assert_eq!(rows[0], "0 USD|10000 USD|1|25");
        assert_eq!(rows[1], "10000 USD|15000 USD|1|25");
        assert_eq!(rows[7], "50000 USD||2|50");
        assert_eq!(rows[8], "20000 EUR|25000 EUR|1|100");
        assert_eq!(sentences(&found.details)[2], "All 1 price is 20,000 EUR.");
    }

    #[test]
    fn the_same_price_has_no_jump_and_none_is_nothing() {
        let same = own(&COLUMNS[..2], &[&["1", "5"], &["2", "5.00"]]);
        let found = intent(Skill::PriceLadder).ask(&same);
        assert_eq!(sentences(&found.details), ["All 2 prices are 5."]);
        let none = own(&COLUMNS[..2], &[&["1", ""], &["2", "x"]]);
        let found = intent(Skill::PriceLadder).ask(&none);
        assert_eq!(found.outcome, Outcome::Nothing { rows: 2 });
        let found = intent(Skill::PriceLadder).ask(&own(&COLUMNS[..1], &[&["1"]]));
        assert!(matches!(found.outcome, Outcome::Unanswerable { .. }));
    }
}
