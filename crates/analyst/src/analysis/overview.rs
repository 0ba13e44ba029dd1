//! What is in the catalog.

use super::fields::Field;
use super::price::{Prices, priced};
use super::statistics::{Amounts, by_currency, share};
use super::stock::Stock;
use super::{Asked, Refusal, words};
use crate::finding::{Grid, Sentence, counted, say};
use crate::question::ColumnName;
use crate::{Finding, Role, Value};

/// Fields that a catalog is expected to fill, where it has the column.
const KEY_FIELDS: [Role; 9] = [
    Role::Id,
    Role::Title,
    Role::Category,
    Role::Brand,
    Role::Make,
    Role::Model,
    Role::Year,
    Role::Price,
    Role::Image,
];

pub(crate) fn find(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    let mut finding = asked.finding();
    let stock = asked.stock;
    let prices = Prices::of_table(asked.table());
    finding.headline = headline(asked, prices.as_ref());
    match &prices {
        Some(prices) => {
            let amounts = by_currency(stock.rows().filter_map(|row| prices.of(row)));
            finding.details.extend(amounts.iter().map(spread));
            finding.rule.push(prices.rule());
            finding.rule.push(say!(
                "Sum, minimum, median and maximum are of the rows with a usable price; the median of an even count is the mean of the two middle prices."
            ));
        }
        None => finding
            .limits
            .push(say!("No column states prices, so none are summed.")),
    }
    let on_offer = Stock::of_table(asked.table());
    if on_offer.is_known() {
        let available = stock.items().filter(|item| on_offer.is_available(*item));
        finding.details.push(say!(
            Value::Count(available.count() as u64),
            " of ",
            counted(stock.item_count(), "item"),
            " available."
        ));
        finding.rule.push(on_offer.rule());
    }
    finding.details.extend(missing_fields(asked));
    let group = asked.group();
    if let Some(group) = group {
        finding.grid = Some(groups(asked, &group, prices.as_ref())?);
    }
    if asked.table().items().is_some() {
        finding.rule.push(say!(
            "Rows that are variants of one product count as one item."
        ));
    }
    Ok(finding)
}

fn headline(asked: &Asked<'_, '_>, prices: Option<&Prices<'_>>) -> Sentence {
    let rows = asked.stock.row_count();
    let mut sentence = say!(counted(rows, "row"));
    if asked.table().items().is_some() {
        sentence.add(say!(" of ", counted(asked.stock.item_count(), "item")));
    }
    if let Some(prices) = prices {
        let usable = asked.stock.rows().filter(|&row| prices.of(row).is_some());
        sentence.add(say!(
            ", ",
            Value::Count(usable.count() as u64),
            " of them with a usable price."
        ));
    } else {
        sentence.add(".");
    }
    sentence
}

/// The prices of one currency.
fn spread(amounts: &Amounts) -> Sentence {
    let name = match amounts.currency {
        Some(currency) => Value::Text(currency.to_string()).into(),
        None => say!("Prices without a currency"),
    };
    say!(
        name,
        ": sum ",
        amounts.sum(),
        ", minimum ",
        amounts.minimum(),
        ", median ",
        amounts.median(),
        ", maximum ",
        amounts.maximum(),
        " over ",
        counted(amounts.count(), "row"),
        "."
    )
}

fn missing_fields(asked: &Asked<'_, '_>) -> Vec<Sentence> {
    let all = asked.stock.item_count();
    KEY_FIELDS
        .into_iter()
        .filter_map(|role| Some((role, Field::of_role(asked.table(), role)?)))
        .filter_map(|(role, field)| {
            let lacking = asked
                .stock
                .items()
                .filter(|item| !field.is_filled_in(*item));
            let lacking = lacking.count() as u64;
            (lacking > 0).then(|| {
                say!(
                    Value::Count(lacking),
                    " of ",
                    counted(all, "item"),
                    if lacking == 1 {
                        " has no "
                    } else {
                        " have no "
                    },
                    role.name(),
                    "."
                )
            })
        })
        .collect()
}

/// Items and prices of each group.
fn groups(
    asked: &Asked<'_, '_>,
    group: &ColumnName,
    prices: Option<&Prices<'_>>,
) -> Result<Grid, Refusal> {
    let groups = super::groups::of(asked.stock, group)?;
    let header = words::header(asked.table(), group);
    let all = asked.stock.item_count();
    let Some(prices) = prices else {
        let mut grid = Grid::new(&[&header, "items", "share"]);
        for group in groups {
            let count = group.items.item_count();
            grid.push(vec![group.name, Value::Count(count), share(count, all)]);
        }
        return Ok(grid);
    };
    let mut grid = Grid::new(&[
        &header, "items", "share", "priced", "minimum", "median", "maximum",
    ]);
    for group in groups {
        let count = group.items.item_count();
        let mut first = [group.name, Value::Count(count), share(count, all)];
        let found = by_currency(priced(&group.items, prices).map(|(_, price)| price));
        if found.is_empty() {
            let none = [Value::Count(0), Value::None, Value::None, Value::None];
            grid.push(first.into_iter().chain(none).collect());
            continue;
        }
        for amounts in found {
            let spread = [
                Value::Count(amounts.count()),
                amounts.minimum(),
                amounts.median(),
                amounts.maximum(),
            ];
            grid.push(first.iter().cloned().chain(spread).collect());
            // The items of a group stand in its first row alone, so that the column adds up.
            first[1] = Value::None;
            first[2] = Value::None;
        }
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
        ("stock", Some(Role::Id)),
        ("make", Some(Role::Make)),
        ("price", Some(Role::Price)),
    ];

    #[test]
    fn prices_are_summed_by_currency_and_groups_add_up() {
        let found = intent(Skill::Overview).ask(&own(
            COLUMNS,
            &[
                &["1", "Honda", "18990 EUR"],
                &["2", "Honda", "21000.50 EUR"],
                &["3", "Honda", "7000 USD"],
                &["4", "Ford", "0 EUR"],
                &["5", "", "-5 EUR"],
                &["6", "Ford", "call"],
                &["7", "Fiat", "9000 EUR"],
            ],
        ));
        assert_eq!(headline(&found), "7 rows, 4 of them with a usable price.");
        assert_eq!(
            sentences(&found.details),
            [
                "EUR: sum 48,990.50 EUR, minimum 9,000 EUR, median 18,990 EUR, maximum 21,000.50 EUR over 3 rows.",
                "USD: sum 7,000 USD, minimum 7,000 USD, median 7,000 USD, maximum 7,000 USD over 1 row.",
                "1 of 7 items has no make.",
                "3 of 7 items have no price.",
            ]
        );
        assert_eq!(
            rows(&found),
            [
                "Honda|3|42.9|2|18990 EUR|19995.25 EUR|21000.50 EUR",
                "Honda|||1|7000 USD|7000 USD|7000 USD",
                "Ford|2|28.6|0|||",
                "Fiat|1|14.3|1|9000 EUR|9000 EUR|9000 EUR",
                "|1|14.3|0|||",
            ]
        );
    }

    #[test]
    fn a_table_without_prices_is_counted_all_the_same() {
        let found = intent(Skill::Overview).ask(&own(&COLUMNS[..2], &[&["1", "Honda"]]));
        assert_eq!(headline(&found), "1 row.");
        assert_eq!(rows(&found), ["Honda|1|100"]);
        assert_eq!(found.evidence[0].rows_priced, None);
    }

    #[test]
    fn no_rows_are_nothing_and_no_source_is_said() {
        let found = intent(Skill::Overview).ask(&own(COLUMNS, &[]));
        assert_eq!(found.outcome, Outcome::Nothing { rows: 0 });
        assert_eq!(headline(&found), "The source has no rows.");
        let found = intent(Skill::Overview).ask(&crate::Sources::default());
        assert!(matches!(found.outcome, Outcome::Unanswerable { .. }));
        assert!(headline(&found).starts_with("There is no catalog to read"));
    }

    #[test]
    fn variants_form_one_item() {
        let columns: Columns<'_> = &[
            ("handle", Some(Role::Group)),
            ("name", Some(Role::Title)),
            ("price", Some(Role::Price)),
        ];
        let found = intent(Skill::Overview).ask(&own(
            columns,
            &[
                &["a", "Mug", "5 EUR"],
                &["a", "", "6 EUR"],
                &["b", "Cup", "7 EUR"],
            ],
        ));
        assert_eq!(
            headline(&found),
            "3 rows of 2 items, 3 of them with a usable price."
        );
    }
}
