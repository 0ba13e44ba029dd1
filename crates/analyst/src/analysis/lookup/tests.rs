use super::super::testing::{Columns, headline, intent, is, own, rows, sentences};
use super::*;
use crate::finding::Outcome;
use crate::question::Order;
use crate::{Filter, Finding, Role, Skill, Sources};

const COLUMNS: Columns<'_> = &[
    ("sku", Some(Role::Id)),
    ("name", Some(Role::Title)),
    ("group", Some(Role::Category)),
    ("price", Some(Role::Price)),
    ("qty", Some(Role::Quantity)),
    ("added", Some(Role::DateAdded)),
];

fn sofas() -> Sources {
    own(
        COLUMNS,
        &[
            &[
                "A1",
                "Red sofa",
                "Indoor > Sofas",
                "899.50 EUR",
                "3",
                "2026-06-01",
            ],
            &[
                "A2",
                "Blue sofa",
                "Indoor > Sofas",
                "1200 EUR",
                "",
                "2026-05-01",
            ],
            &[
                "A3",
                "Teak table",
                "Outdoor > Tables",
                "450 EUR",
                "7",
                "2026-06-11",
            ],
            &["A4", "Bench", "Outdoor > Benches", "99 USD", "1", ""],
            &["A5", "Mystery", "", "", "", ""],
        ],
    )
}

fn lookup(change: impl FnOnce(&mut crate::question::Params)) -> Finding {
    intent(Skill::Lookup).with(change).ask(&sofas())
}

fn price() -> ColumnName {
    ColumnName::Role(Role::Price)
}

#[test]
fn a_sum_keeps_currencies_apart_and_names_its_denominator() {
    let found = lookup(|params| params.measure = Some(Measure::Sum(price())));
    assert_eq!(
        headline(&found),
        "The sum of price is 2,549.50 EUR, over 3 of 5 rows."
    );
    assert_eq!(
        sentences(&found.details),
        ["The sum of price is 99 USD, over 1 of 5 rows."]
    );
}

#[test]
fn medians_means_and_extremes_are_exact() {
    let said = |measure: Measure| {
        let found = intent(Skill::Lookup)
            .with(|params| params.measure = Some(measure))
            .only(is(Role::Category, "Indoor"))
            .ask(&sofas());
        headline(&found)
    };
    assert_eq!(
        said(Measure::Median(price())),
        "The median of price is 1,049.75 EUR, over 2 of 2 rows."
    );
    assert_eq!(
        said(Measure::Mean(price())),
        "The mean of price is 1,049.75 EUR, over 2 of 2 rows."
    );
    assert_eq!(
        said(Measure::Sum(ColumnName::Role(Role::Quantity))),
        "The sum of qty is 3, over 1 of 2 rows."
    );
    let found = lookup(|params| params.measure = Some(Measure::Minimum(price())));
    assert_eq!(
        headline(&found),
        "The minimum of price is 450 EUR, over 3 of 5 rows."
    );
    assert_eq!(
        rows(&found),
        ["A3|Teak table|450 EUR", "A4|Bench|99 USD"],
        "the items that have it, in each currency"
    );
}

#[test]
fn a_count_by_group_names_the_largest_and_puts_the_unstated_last() {
    let found = lookup(|params| {
        params.group_by = Some(ColumnName::Role(Role::Category));
        params.measure = Some(Measure::Count);
    });
    assert_eq!(
        headline(&found),
        "5 items in 4 groups by group; the most is Indoor > Sofas with 2 of them."
    );
    assert_eq!(
        rows(&found),
        [
            "Indoor > Sofas|2",
            "Outdoor > Benches|1",
            "Outdoor > Tables|1",
            "|1"
        ]
    );
}

#[test]
fn the_dearest_come_first_and_those_without_a_price_last() {
    let order = Order {
        by: price(),
        descending: true,
    };
    let found = lookup(|params| {
        params.order = Some(order);
        params.top = Some(2);
    });
    assert_eq!(
        headline(&found),
        "The 2 items with the highest price, of 5 in scope."
    );
    assert_eq!(
        rows(&found),
        ["A2|Blue sofa|1200 EUR", "A1|Red sofa|899.50 EUR"]
    );
}

#[test]
fn a_list_is_ordered_by_age_counted_from_a_date() {
    let found = lookup(|params| {
        params.order = Some(Order {
            by: ColumnName::Role(Role::AgeDays),
            descending: true,
        });
    });
    assert_eq!(
        rows(&found)[..3],
        [
            "A2|Blue sofa|1200 EUR|41",
            "A1|Red sofa|899.50 EUR|10",
            "A3|Teak table|450 EUR|0"
        ]
    );
    assert!(
        sentences(&found.rule).contains(
            &"The age of a unit is the days from added to 2026-06-11, the newest value of added."
                .to_owned()
        )
    );
}

#[test]
fn a_column_that_is_not_there_is_named() {
    let found = lookup(|params| {
        params.measure = Some(Measure::Sum(ColumnName::Role(Role::Odometer)));
    });
    assert_eq!(
        headline(&found),
        "This cannot be answered: no column states odometer."
    );
    let Outcome::Unanswerable { missing, seen } = &found.outcome else {
        panic!("{:?}", found.outcome);
    };
    assert_eq!(missing, &[Role::Odometer]);
    assert_eq!(seen.len(), 6);
    let found = lookup(|params| {
        params.group_by = Some(ColumnName::Header("Aisle".to_owned()));
    });
    assert_eq!(
        headline(&found),
        "This cannot be answered: there is no column Aisle."
    );
}

#[test]
fn a_column_without_numbers_has_no_sum() {
    let found = intent(Skill::Lookup)
        .with(|params| params.measure = Some(Measure::Sum(price())))
        .only(Filter::Titled {
            words: vec!["mystery".to_owned()],
        })
        .ask(&sofas());
    assert_eq!(found.outcome, Outcome::Nothing { rows: 1 });
    assert_eq!(headline(&found), "None of 1 row has a value of price.");
}
