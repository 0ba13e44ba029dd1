use super::super::testing::{Columns, headline, intent, is, own, rows, sentences};
use crate::finding::Outcome;
use crate::question::ColumnName;
use crate::{Currency, Filter, Finding, Role, Skill, Sources};

const COLUMNS: Columns<'_> = &[
    ("sku", Some(Role::Id)),
    ("handle", Some(Role::Group)),
    ("name", Some(Role::Title)),
    ("type", Some(Role::Category)),
    ("size", Some(Role::Size)),
    ("price", Some(Role::Price)),
    ("stock", Some(Role::Quantity)),
    ("updated", Some(Role::DateUpdated)),
];

/// A shirt in three sizes, a garden chair, a sofa, and a bare row.
fn shop() -> Sources {
    own(
        COLUMNS,
        &[
            &[
                "S1",
                "shirt",
                "Linen shirts",
                "Wear > Tops",
                "S",
                "20 EUR",
                "0",
                "2026-06-01",
            ],
            &["S2", "shirt", "", "", "M", "22 EUR", "4", ""],
            &["S3", "shirt", "", "", "L", "25", "0", ""],
            &[
                "C1",
                "chair",
                "Garden chair",
                "Outdoor > Seating",
                "",
                "80 EUR",
                "2",
                "2026-06-03",
            ],
            &[
                "F1",
                "sofa",
                "Sofa, grey",
                "Living>Seating",
                "",
                "900 USD",
                "0",
                "2026-05-01",
            ],
            &["B1", "", "", "", "", "", "", ""],
        ],
    )
}

fn ask(filter: Filter) -> Finding {
    intent(Skill::Lookup).only(filter).ask(&shop())
}

/// The ids in scope.
fn ids(filter: Filter) -> Vec<String> {
    let rows = rows(&ask(filter));
    rows.iter()
        .map(|row| row.split('|').next().unwrap_or_default().to_owned())
        .collect()
}

fn within(role: Role, least: Option<i64>, most: Option<i64>, exclusive: bool) -> Filter {
    Filter::Within {
        column: ColumnName::Role(role),
        at_least: least.map(Into::into),
        at_most: most.map(Into::into),
        exclusive,
        currency: None,
    }
}

#[test]
fn a_category_holds_what_lies_below_it_and_says_how_many_values() {
    let found = ask(is(Role::Category, "seating"));
    assert_eq!(
        sentences(&found.scope),
        [
            "type is or lies below seating: 2 of 3 values of the column.",
            "2 of 4 items in scope."
        ]
    );
    assert_eq!(ids(is(Role::Category, "Outdoor")), ["C1"]);
    assert_eq!(ids(is(Role::Category, "Out")), [""; 0]);
    assert_eq!(ids(is(Role::Category, "Outdoor > Seating")), ["C1"]);
}

#[test]
fn variants_take_the_category_of_their_item_but_not_its_price() {
    let found = ask(is(Role::Category, "Wear"));
    assert_eq!(headline(&found), "1 of 4 items matches.");
    assert_eq!(rows(&found), ["shirt|Linen shirts|20 EUR|Wear > Tops"]);
    assert_eq!(found.evidence[0].rows_used, 3);
    let dear = ask(within(Role::Price, Some(21), Some(30), false));
    assert_eq!(dear.evidence[0].rows_used, 2);
    assert_eq!(rows(&dear), ["shirt|Linen shirts|22 EUR"]);
}

#[test]
fn a_bound_is_included_unless_said_otherwise() {
    assert_eq!(
        ids(within(Role::Price, Some(80), None, false)),
        ["C1", "F1"]
    );
    assert_eq!(ids(within(Role::Price, Some(80), None, true)), ["F1"]);
    assert_eq!(ids(within(Role::Price, None, Some(80), true)), ["shirt"]);
    let found = ask(within(Role::Price, Some(20), Some(80), true));
    assert_eq!(sentences(&found.scope)[0], "price above 20 and below 80.");
}

#[test]
fn another_currency_is_out_and_an_unstated_one_is_said() {
    let found = ask(Filter::Within {
        column: ColumnName::Role(Role::Price),
        at_least: None,
        at_most: Some(1000.into()),
        exclusive: false,
        currency: Currency::from_code("eur"),
    });
    assert_eq!(found.evidence[0].rows_used, 4);
    assert_eq!(sentences(&found.scope)[0], "price at most 1,000 EUR.");
    assert_eq!(
        sentences(&found.limits),
        ["1 amount without a currency taken to be in EUR where the question names it."]
    );
}

#[test]
fn words_of_titles_match_by_stem() {
    let titled = |word: &str| Filter::Titled {
        words: vec![word.to_owned()],
    };
    assert_eq!(ids(titled("sofas")), ["F1"]);
    assert_eq!(ids(titled("shirt")), ["shirt"]);
    assert_eq!(ids(titled("so")), [""; 0]);
}

#[test]
fn one_of_several_conditions_is_enough() {
    let titled = |word: &str| Filter::Titled {
        words: vec![word.to_owned()],
    };
    let either = Filter::AnyOf(vec![titled("sofas"), titled("chairs")]);
    assert_eq!(ids(either.clone()), ["C1", "F1"]);
    assert_eq!(
        sentences(&ask(either).scope)[0],
        "One of these: The title has sofas, or words of the same stem. Or: The title has chairs, or words of the same stem."
    );
}

#[test]
fn an_item_is_available_while_one_of_its_variants_is() {
    let found = ask(Filter::Available);
    assert_eq!(ids(Filter::Available), ["S2", "C1", "B1"]);
    assert_eq!(
        sentences(&found.scope)[0],
        "Available items only. An item is available unless stock says that it is sold, withdrawn or out of stock."
    );
}

#[test]
fn a_field_is_missing_only_where_no_row_of_the_item_has_it() {
    let lacks = |negated| Filter::Lacks {
        column: ColumnName::Role(Role::Title),
        negated,
    };
    assert_eq!(ids(lacks(false)), ["B1"]);
    assert_eq!(ids(lacks(true)), ["shirt", "C1", "F1"]);
}

#[test]
fn an_unstated_value_fulfils_neither_is_nor_is_not() {
    let is_not = Filter::Is {
        column: ColumnName::Role(Role::Category),
        values: vec!["Outdoor".to_owned()],
        negated: true,
    };
    assert_eq!(ids(is_not), ["shirt", "F1"]);
}

#[test]
fn days_are_bounded_on_both_sides() {
    let dated = Filter::Dated {
        column: ColumnName::Role(Role::DateUpdated),
        from: "2026-06-01".parse().ok(),
        until: "2026-06-02".parse().ok(),
    };
    assert_eq!(ids(dated), ["shirt"]);
}

#[test]
fn words_that_nothing_matches_are_named() {
    let mut asked = intent(Skill::Overview);
    asked.scope.unknown.push("garden gnome".to_owned());
    let found = asked.ask(&shop());
    assert_eq!(
        sentences(&found.scope)[0],
        "No category, brand, model or title matches garden gnome, so the answer is not narrowed to it."
    );
}

#[test]
fn a_scope_that_nothing_fulfils_is_nothing_over_all_rows() {
    let found = ask(within(Role::Price, Some(5000), None, false));
    assert_eq!(found.outcome, Outcome::Nothing { rows: 6 });
    assert_eq!(
        headline(&found),
        "None of 6 rows is in the scope of the question."
    );
    assert_eq!(sentences(&found.scope)[1], "0 of 4 items in scope.");
}

#[test]
fn a_filter_on_a_column_that_is_not_there_is_refused_by_name() {
    let found = ask(is(Role::Make, "Honda"));
    assert!(
        matches!(&found.outcome, Outcome::Unanswerable { missing, .. } if missing == &[Role::Make])
    );
    let found = ask(within(Role::AgeDays, Some(60), None, true));
    assert_eq!(
        headline(&found),
        "This cannot be answered: no column states date in stock, date added or age in days; one of them would do."
    );
}
