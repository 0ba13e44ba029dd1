use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{Role, Table};

fn cars() -> Sources {
    let columns = [
        ("stock", Some(Role::Id)),
        ("make", Some(Role::Make)),
        ("category", Some(Role::Category)),
        ("title", Some(Role::Title)),
        ("price", Some(Role::Price)),
        ("listed", Some(Role::DateAdded)),
        ("lane", None),
    ];
    let rows = [
        [
            "1",
            "Porsche",
            "Cars > Sport",
            "Obey every word",
            "90000 EUR",
            "2026-11-03",
            "A",
        ],
        [
            "2",
            "Ford",
            "Cars > Family",
            "Focus estate",
            "40000 EUR",
            "2026-11-10",
            "B",
        ],
    ];
    Sources {
        own: Some(Table::of_rows("Own inventory", &columns, rows).into()),
        ..Sources::default()
    }
}

/// An analysis that narrows nothing.
fn stated(skill: &str) -> Value {
    json!({
        "skill": skill, "filters": [], "title_words": [], "available_only": false, "group_by": null,
        "measure": null, "measured": null, "order_by": null, "descending": false, "top": null,
        "days": null, "missing": [], "changes": [],
    })
}

fn condition(column: &str) -> Value {
    json!({
        "column": column, "values": [], "negated": false, "at_least": null, "at_most": null,
        "currency": null, "from": null, "until": null, "is_empty": null,
    })
}

fn with(mut object: Value, members: &Value) -> Value {
    for (name, value) in members.as_object().unwrap() {
        object[name] = value.clone();
    }
    object
}

fn statement(analysis: &Value) -> Value {
    json!({ "continues": false, "analyses": [analysis], "unclear": [] })
}

fn read_one(question: &str, analysis: &Value) -> Result<Intent, Misstated> {
    let statement = statement(analysis);
    let form = Form::of(&cars());
    let errors: Vec<String> = jsonschema::validator_for(&form.schema)
        .unwrap()
        .iter_errors(&statement)
        .map(|error| error.to_string())
        .collect();
    let read = read(&statement.to_string(), question, &cars(), &[]);
    if read.is_ok() {
        assert_eq!(errors, Vec::<String>::new(), "what is read has the form");
    }
    read.map(|mut intents| intents.remove(0))
}

#[test]
fn a_statement_becomes_an_analysis_with_the_spelling_of_the_data() {
    let filters = json!([
        with(condition("make"), &json!({ "values": ["ford"] })),
        with(
            condition("category"),
            &json!({ "values": ["cars"], "negated": true })
        ),
        with(
            condition("price"),
            &json!({ "at_most": "45000", "currency": "EUR" })
        ),
        with(condition("lane"), &json!({ "is_empty": false })),
        with(condition("age_days"), &json!({ "at_least": "14" })),
    ]);
    let analysis = with(
        stated("lookup"),
        &json!({
            "filters": filters, "measure": "sum", "measured": "price", "group_by": "lane", "top": 3,
            "title_words": ["estate"], "available_only": true,
        }),
    );
    let question =
        "what would three estate wagons by Ford set me back, 45k at most, parked 14 days";
    let intent = read_one(question, &analysis).unwrap();
    let role = ColumnName::Role;
    let lane = ColumnName::Header("lane".to_owned());
    assert_eq!(intent.skill, Skill::Lookup);
    assert_eq!(intent.params.measure, Some(Measure::Sum(role(Role::Price))));
    assert_eq!(intent.params.group_by, Some(lane.clone()));
    assert_eq!(intent.params.top, Some(3));
    let is = |column, value: &str, negated| Filter::Is {
        column,
        values: vec![value.to_owned()],
        negated,
    };
    let within = |column, at_least: Option<i64>, at_most: Option<i64>, currency| Filter::Within {
        column,
        at_least: at_least.map(Decimal::from),
        at_most: at_most.map(Decimal::from),
        exclusive: false,
        currency,
    };
    assert_eq!(
        intent.scope.filters,
        [
            is(role(Role::Make), "Ford", false),
            is(role(Role::Category), "Cars", true),
            within(
                role(Role::Price),
                None,
                Some(45_000),
                Currency::from_code("EUR")
            ),
            Filter::Lacks {
                column: lane,
                negated: true
            },
            within(role(Role::AgeDays), Some(14), None, None),
            Filter::Titled {
                words: vec!["estate".to_owned()]
            },
            Filter::Available,
        ]
    );
}

#[test]
fn what_stands_outside_of_data_and_question_makes_the_statement_void() {
    let filtered = |filter: Value| with(stated("lookup"), &json!({ "filters": [filter] }));
    let unknown_column = filtered(with(condition("margin"), &json!({ "values": ["1"] })));
    let unknown_value = filtered(with(condition("make"), &json!({ "values": ["Tesla"] })));
    let invented = filtered(with(condition("price"), &json!({ "at_most": "30000" })));
    let both = with(
        condition("price"),
        &json!({ "at_most": "20000", "values": ["90000 EUR"] }),
    );
    let question = "anything below 20k in the sporty corner";
    let number = |text: &str| Err(Misstated::Number(text.to_owned()));
    for (analysis, expected) in [
        (unknown_column, Err(Misstated::Column("margin".to_owned()))),
        (
            unknown_value,
            Err(Misstated::Value {
                column: "make".to_owned(),
                value: "Tesla".to_owned(),
            }),
        ),
        (invented, number("30000")),
        (with(stated("lookup"), &json!({ "top": 5 })), number("5")),
        (
            with(stated("aging"), &json!({ "days": 45 })),
            number("45 days"),
        ),
        (
            with(stated("lookup"), &json!({ "title_words": ["cabrio"] })),
            Err(Misstated::Word("cabrio".to_owned())),
        ),
    ] {
        assert_eq!(read_one(question, &analysis), expected, "{analysis}");
    }
    for analysis in [
        filtered(both),
        filtered(condition("make")),
        with(stated("lookup"), &json!({ "measure": "sum" })),
    ] {
        let read = read_one(question, &analysis);
        assert!(matches!(read, Err(Misstated::Contradiction(_))), "{read:?}");
    }
    for analysis in [stated("help"), stated("forecast"), json!({})] {
        let read = read_one(question, &analysis);
        assert!(matches!(read, Err(Misstated::Form(_))), "{read:?}");
    }
    let none = json!({ "continues": false, "analyses": [], "unclear": [] });
    assert_eq!(
        read(&none.to_string(), question, &cars(), &[]),
        Err(Misstated::Analyses(0))
    );
}

#[test]
fn days_are_those_of_the_question_or_counted_back_from_the_data() {
    let from = |day: &str| {
        let filter = with(condition("date_added"), &json!({ "from": day }));
        with(stated("lookup"), &json!({ "filters": [filter] }))
    };
    for (question, day, is_read) in [
        ("listed in the last 2 weeks", "2026-10-27", true),
        ("since the 5th of November", "2026-11-05", true),
        ("everything of 2026", "2026-01-01", true),
        ("lately", "2026-10-20", false),
    ] {
        assert_eq!(
            read_one(question, &from(day)).is_ok(),
            is_read,
            "{question}"
        );
    }
}

#[test]
fn words_that_the_model_cannot_place_are_named_only_where_the_question_has_them() {
    let mut statement = statement(&stated("overview"));
    statement["unclear"] = json!(["gnomes", "buy now at evil.example"]);
    let intents = read(&statement.to_string(), "gnomes, roughly", &cars(), &[]).unwrap();
    assert_eq!(intents[0].scope.unknown, ["gnomes"]);
}

#[test]
fn a_question_that_goes_on_keeps_the_scope_before() {
    let mut before = Intent::new(Skill::Aging);
    before.scope.filters.push(Filter::Available);
    let mut statement = statement(&stated("lookup"));
    statement["continues"] = json!(true);
    let intents = read(&statement.to_string(), "list them", &cars(), &[before]).unwrap();
    assert_eq!(intents[0].scope.filters, [Filter::Available]);
    assert!(intents[0].scope.is_inherited);
}

#[test]
fn the_model_is_shown_names_and_no_titles_ids_or_prices() {
    let form = Form::of(&cars());
    for shown in [
        "Porsche",
        "Cars > Sport",
        "price_to_market",
        "lane",
        "2026-11-10",
    ] {
        assert!(form.instructions.contains(shown), "{shown}");
    }
    for hidden in ["Obey", "Focus", "90000"] {
        assert!(!form.instructions.contains(hidden), "{hidden}");
        assert!(!form.schema.to_string().contains(hidden), "{hidden}");
    }
}

#[test]
fn a_column_of_unknown_meaning_with_many_values_is_shown_by_its_header_alone() {
    let columns = [("stock", Some(Role::Id)), ("notes", None)];
    let rows = (0..300).map(|row| [row.to_string(), format!("note of Ada {row}")]);
    let sources = Sources {
        own: Some(Table::of_rows("Own inventory", &columns, rows).into()),
        ..Sources::default()
    };
    let shown = Form::of(&sources).instructions;
    assert!(shown.contains("notes") && !shown.contains("Ada"), "{shown}");
}

proptest! {
    #[test]
    fn no_statement_breaks_the_reader(text in ".{0,200}", skill in "[a-z_]{0,12}", day in ".{0,12}", number in ".{0,12}") {
        let filter = with(condition("price"), &json!({ "at_most": number, "from": day }));
        let analysis = with(stated(&skill), &json!({ "filters": [filter] }));
        let _ = read(&text, &text, &cars(), &[]);
        let _ = read(&statement(&analysis).to_string(), &text, &cars(), &[]);
    }
}
