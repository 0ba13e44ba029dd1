//! What has been there too long.

use super::age::Ages;
use super::capital::Capital;
use super::groups::Group;
use super::price::Prices;
use super::selection::{Item, Selection};
use super::statistics::{mean, median, share};
use super::stock::Stock;
use super::{Asked, Refusal, groups, words};
use crate::finding::{Grid, Sentence, counted, listed, say};
use crate::question::ColumnName;
use crate::{Finding, Role, Value};

/// The first day of each bucket: 0-30, 31-60, 61-90 and above.
const BUCKETS: [(i64, &str); 4] = [
    (0, "0-30 days"),
    (31, "31-60 days"),
    (61, "61-90 days"),
    (91, "over 90 days"),
];

/// Older than this is too long unless the question says otherwise.
const TOO_LONG: i64 = 60;

pub(crate) fn find(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    let table = asked.table();
    let ages = Ages::of_table(table)?;
    let stock = Stock::of_table(table);
    let capital = Capital::of_table(table);
    let available = asked.stock.narrowed(|item| stock.is_available(item));
    let aged = available.narrowed(|item| age(&ages, item).is_some());
    let wants_capital = asked.intent.params.measure.is_some();
    let threshold = match asked.intent.params.days {
        Some(days) => i64::from(days),
        // "How much money is tied up?" is about all units.
        None if wants_capital => -1,
        None => TOO_LONG,
    };
    let old = aged.narrowed(|item| age(&ages, item).is_some_and(|days| days > threshold));
    let headline = headline(&old, &aged, threshold, capital.as_ref());
    let mut finding = if old.is_empty() {
        asked.nothing(headline)
    } else {
        let mut finding = asked.finding();
        finding.headline = headline;
        finding
    };
    if !aged.is_empty() {
        finding.details = buckets(&aged, &ages, capital.as_ref());
    }
    match &asked.intent.params.group_by {
        Some(group) if !aged.is_empty() => {
            let grid = by_group(&aged, &ages, group, threshold, capital.as_ref())?;
            finding.grid = Some(grid);
        }
        _ if old.is_empty() => {}
        _ => finding.grid = Some(listing(&old, &ages)),
    }
    finding.rule.push(ages.rule());
    finding.rule.push(stock.rule());
    if let Some(capital) = &capital {
        finding.rule.push(capital.rule());
    }
    finding.limits.extend(ages.limit());
    let unaged = available.item_count() - aged.item_count();
    if unaged > 0 {
        finding.limits.push(say!(
            Value::Count(unaged),
            " of ",
            counted(available.item_count(), "available unit"),
            " left out: no age is stated, or the date lies after the source's own day."
        ));
    }
    Ok(finding)
}

/// The age of an item; none where it would be negative.
pub(crate) fn age(ages: &Ages<'_>, item: Item<'_, '_>) -> Option<i64> {
    item.rows()
        .find_map(|row| ages.of(row))
        .filter(|&days| days >= 0)
}

fn headline(
    old: &Selection<'_>,
    aged: &Selection<'_>,
    threshold: i64,
    capital: Option<&Capital<'_>>,
) -> Sentence {
    let mut sentence = say!(
        Value::Count(old.item_count()),
        " of ",
        counted(aged.item_count(), "available unit"),
        " with a known age"
    );
    if threshold >= 0 {
        let verb = if old.item_count() == 1 { " is" } else { " are" };
        sentence.add(say!(verb, " older than ", Value::Days(threshold)));
    } else {
        sentence.add(" counted");
    }
    if let Some(capital) = capital
        && !old.is_empty()
    {
        let (sums, known) = capital.of(old);
        if sums.is_empty() {
            sentence.add("; what they tie up is not stated");
        } else {
            sentence.add("; they tie up ");
            sentence.add(listed(sums, 5, " and "));
            sentence.add(if capital.is_cost() {
                " of cost"
            } else {
                " at asking prices"
            });
            if known < old.item_count() {
                sentence.add(say!(", known of ", Value::Count(known), " of them"));
            }
        }
    }
    sentence.add(".");
    sentence
}

fn bucket(days: i64) -> usize {
    BUCKETS
        .iter()
        .rposition(|(from, _)| days >= *from)
        .unwrap_or_default()
}

fn buckets(aged: &Selection<'_>, ages: &Ages<'_>, capital: Option<&Capital<'_>>) -> Vec<Sentence> {
    let all = aged.item_count();
    BUCKETS
        .iter()
        .enumerate()
        .map(|(place, (_, name))| {
            let units = aged.narrowed(|item| age(ages, item).map(bucket) == Some(place));
            let mut sentence = say!(
                *name,
                ": ",
                counted(units.item_count(), "unit"),
                ", ",
                share(units.item_count(), all)
            );
            let sums = capital.map(|capital| capital.of(&units).0);
            if let Some(sums) = sums.filter(|sums| !sums.is_empty()) {
                sentence.add(say!(", ", listed(sums, 5, " and ")));
            }
            sentence.add(".");
            sentence
        })
        .collect()
}

/// The units, the oldest first.
fn listing(old: &Selection<'_>, ages: &Ages<'_>) -> Grid {
    let table = old.table();
    let prices = Prices::of_table(table);
    let has_rooftops = table.column(Role::Rooftop).is_some();
    let mut units: Vec<(i64, Item<'_, '_>)> = old
        .items()
        .filter_map(|item| Some((age(ages, item)?, item)))
        .collect();
    units.sort_by_key(|(days, _)| std::cmp::Reverse(*days));
    let mut columns = vec!["id", "item", "age", "price"];
    if has_rooftops {
        columns.push("rooftop");
    }
    let mut grid = Grid::new(&columns);
    for (days, item) in units {
        let price = prices.as_ref().and_then(|prices| item.price(prices));
        let mut row = vec![
            item.id(),
            item.label(),
            Value::Days(days),
            price.map_or(Value::None, Value::Money),
        ];
        if has_rooftops {
            row.push(item.role(Role::Rooftop).map_or(Value::None, Value::from));
        }
        grid.push(row);
    }
    grid
}

/// How old the units of each group are.
fn by_group(
    aged: &Selection<'_>,
    ages: &Ages<'_>,
    group: &ColumnName,
    threshold: i64,
    capital: Option<&Capital<'_>>,
) -> Result<Grid, Refusal> {
    let header = words::header(aged.table(), group);
    let over = if threshold < 0 {
        "any age".to_owned()
    } else {
        format!("over {threshold} days")
    };
    let tied_up = format!("tied up, {over}");
    let mut grid = Grid::new(&[
        &header,
        "units",
        &over,
        "share",
        "median age",
        "mean age",
        &tied_up,
    ]);
    for Group { name, items } in groups::of(aged, group)? {
        let mut days: Vec<rust_decimal::Decimal> = items
            .items()
            .filter_map(|item| age(ages, item))
            .map(Into::into)
            .collect();
        days.sort_unstable();
        let old = items.narrowed(|item| age(ages, item).is_some_and(|days| days > threshold));
        let (sums, _) = capital.map_or((Vec::new(), 0), |capital| capital.of(&old));
        let mut first = vec![
            name,
            Value::Count(items.item_count()),
            Value::Count(old.item_count()),
            share(old.item_count(), items.item_count()),
            median(&days).map_or(Value::None, Value::Number),
            mean(&days).map_or(Value::None, Value::Number),
        ];
        let mut sums = sums.into_iter();
        first.push(sums.next().unwrap_or(Value::None));
        let name = first[0].clone();
        grid.push(first);
        // Further currencies stand in rows of their own, so that the counts add up.
        for sum in sums {
            let none = || Value::None;
            grid.push(vec![
                name.clone(),
                none(),
                none(),
                none(),
                none(),
                none(),
                sum,
            ]);
        }
    }
    Ok(grid)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, is, own, rows, sentences};
    use super::*;
    use crate::Skill;
    use crate::finding::Outcome;
    use crate::question::Measure;

    const COLUMNS: Columns<'_> = &[
        ("stock", Some(Role::Id)),
        ("make", Some(Role::Make)),
        ("model", Some(Role::Model)),
        ("price", Some(Role::Price)),
        ("cost", Some(Role::Cost)),
        ("in_stock", Some(Role::DateInStock)),
        ("updated", Some(Role::DateUpdated)),
        ("status", Some(Role::Status)),
        ("store", Some(Role::Rooftop)),
    ];

    /// Ages on 2026-06-30: 30, 31, 61, 91, sold, none.
    const LOT: &[&[&str]] = &[
        &[
            "1",
            "Kia",
            "Rio",
            "100 USD",
            "80 USD",
            "2026-05-31",
            "2026-06-30",
            "active",
            "North",
        ],
        &[
            "2",
            "Kia",
            "Rio",
            "200 USD",
            "150.50 USD",
            "2026-05-30",
            "2026-06-29",
            "active",
            "North",
        ],
        &[
            "3",
            "Kia",
            "EV9",
            "300 USD",
            "250 USD",
            "2026-04-30",
            "",
            "active",
            "South",
        ],
        &[
            "4",
            "Kia",
            "EV9",
            "400 USD",
            "",
            "2026-03-31",
            "",
            "active",
            "South",
        ],
        &[
            "5",
            "Kia",
            "EV9",
            "500 USD",
            "400 USD",
            "2026-01-01",
            "",
            "Sold",
            "South",
        ],
        &[
            "6", "Kia", "EV9", "600 USD", "500 USD", "", "", "active", "South",
        ],
    ];

    #[test]
    fn buckets_capital_and_the_oldest_first() {
        let found = intent(Skill::Aging).ask(&own(COLUMNS, LOT));
        assert_eq!(
            headline(&found),
            "2 of 4 available units with a known age are older than 60 days; they tie up 250 USD of cost, known of 1 of them."
        );
        assert_eq!(
            sentences(&found.details),
            [
                "0-30 days: 1 unit, 25 %, 80 USD.",
                "31-60 days: 1 unit, 25 %, 150.50 USD.",
                "61-90 days: 1 unit, 25 %, 250 USD.",
                "over 90 days: 1 unit, 25 %.",
            ]
        );
        assert_eq!(
            rows(&found),
            ["4|Kia EV9|91|400 USD|South", "3|Kia EV9|61|300 USD|South"]
        );
        assert!(sentences(&found.limits)[0].starts_with("1 of 5 available units left out"));
    }

    #[test]
    fn by_store_over_the_days_of_the_question() {
        let found = intent(Skill::Aging)
            .with(|params| {
                params.group_by = Some(ColumnName::Role(Role::Rooftop));
                params.days = Some(30);
            })
            .ask(&own(COLUMNS, LOT));
        assert_eq!(
            rows(&found),
            [
                "North|2|1|50|30.5|30.5|150.50 USD",
                "South|2|2|100|76|76|250 USD"
            ]
        );
    }

    #[test]
    fn money_tied_up_is_of_all_ages_unless_the_question_says_one() {
        let tied_up = |days| {
            let found = intent(Skill::Aging)
                .with(|params| {
                    params.measure = Some(Measure::Sum(ColumnName::Role(Role::Cost)));
                    params.days = days;
                })
                .ask(&own(COLUMNS, LOT));
            headline(&found)
        };
        assert_eq!(
            tied_up(None),
            "4 of 4 available units with a known age counted; they tie up 480.50 USD of cost, known of 3 of them."
        );
        assert_eq!(
            tied_up(Some(90)),
            "1 of 4 available units with a known age is older than 90 days; what they tie up is not stated."
        );
    }

    #[test]
    fn without_costs_prices_are_taken_and_that_is_said() {
        let columns = [COLUMNS[0], COLUMNS[3], COLUMNS[5]];
        let found = intent(Skill::Aging).ask(&own(
            &columns,
            &[
                &["1", "100 EUR", "2026-01-01"],
                &["2", "50 USD", "2026-01-01"],
                &["3", "9 EUR", "2026-06-01"],
            ],
        ));
        assert_eq!(
            headline(&found),
            "2 of 3 available units with a known age are older than 60 days; they tie up 100 EUR and 50 USD at asking prices."
        );
        assert!(sentences(&found.rule)[2].starts_with("No column states costs"));
        assert!(sentences(&found.limits)[0].contains("newest arrival"));
    }

    #[test]
    fn nothing_is_too_old_or_no_date_is_there() {
        let found = intent(Skill::Aging)
            .with(|params| params.days = Some(120))
            .ask(&own(COLUMNS, LOT));
        assert_eq!(found.outcome, Outcome::Nothing { rows: 6 });
        assert_eq!(found.grid, None);
        let found = intent(Skill::Aging)
            .only(is(Role::Make, "kia"))
            .ask(&own(&COLUMNS[..5], &[&["1", "Kia", "Rio", "1", "1"]]));
        assert!(
            matches!(&found.outcome, Outcome::Unanswerable { missing, .. } if missing.contains(&Role::DateInStock))
        );
    }

    #[test]
    fn the_age_that_the_source_counts_is_preferred() {
        let found = intent(Skill::Aging).ask(&own(
            &[("stock", Some(Role::Id)), ("Age", Some(Role::AgeDays))],
            &[&["1", "75"], &["2", "60"], &["3", ""]],
        ));
        assert_eq!(rows(&found), ["1||75|"]);
        assert_eq!(
            headline(&found),
            "1 of 2 available units with a known age is older than 60 days."
        );
    }
}
