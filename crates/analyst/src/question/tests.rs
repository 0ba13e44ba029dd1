use proptest::prelude::*;

use super::*;
use crate::{Sources, Table};

fn cars() -> Sources {
    let columns = [
        ("id", Some(Role::Id)),
        ("make", Some(Role::Make)),
        ("model", Some(Role::Model)),
        ("colour", Some(Role::Colour)),
        ("price", Some(Role::Price)),
        ("store", Some(Role::Rooftop)),
    ];
    let rows = [
        ["1", "Porsche", "911", "Black", "90000 EUR", "North"],
        [
            "2",
            "Ford",
            "F-150",
            "Midnight Black",
            "40000 EUR",
            "North Shore",
        ],
        ["3", "BMW", "3 Series", "White", "50000 EUR", "South"],
    ];
    Sources {
        own: Some(Table::of_rows("Own inventory", &columns, rows).into()),
        ..Sources::default()
    }
}

/// The values that a question filters a column by.
fn values(question: &str, role: Role) -> Vec<String> {
    let understood = understand(question, &cars(), &[]);
    let filters = understood
        .intents
        .into_iter()
        .flat_map(|intent| intent.scope.filters);
    filters
        .filter_map(|filter| match filter {
            Filter::Is { column, values, .. } if column == ColumnName::Role(role) => Some(values),
            _ => None,
        })
        .flatten()
        .collect()
}

#[test]
fn models_are_found_however_they_are_spelt() {
    for question in ["list F-150s", "list f150", "list F 150"] {
        assert_eq!(values(question, Role::Model), ["F-150"], "{question}");
    }
    assert_eq!(values("any 911 left?", Role::Model), ["911"]);
    assert_eq!(values("show 3 series", Role::Model), ["3 Series"]);
}

#[test]
fn a_colour_has_shades_and_a_store_does_not() {
    assert_eq!(
        values("black cars", Role::Colour),
        ["Black", "Midnight Black"]
    );
    assert_eq!(
        values("midnight black cars", Role::Colour),
        ["Midnight Black"]
    );
    assert_eq!(
        values("schwarze Autos", Role::Colour),
        ["Black", "Midnight Black"]
    );
    assert_eq!(values("cars at North", Role::Rooftop), ["North"]);
    assert_eq!(
        values("cars at north shore", Role::Rooftop),
        ["North Shore"]
    );
}

#[test]
fn one_wrong_letter_is_forgiven_in_a_long_word_only() {
    assert_eq!(values("list Porshe", Role::Make), ["Porsche"]);
    assert_eq!(values("list Fort", Role::Make), Vec::<String>::new());
}

#[test]
fn without_a_table_a_question_is_still_understood() {
    let understood = understand(
        "What has been on the lot too long?",
        &Sources::default(),
        &[],
    );
    assert_eq!(understood.intents.len(), 1);
    assert_eq!(understood.intents[0].skill, Skill::Aging);
    let nothing = understand("", &Sources::default(), &[]);
    assert_eq!(nothing, Understood::default());
}

#[test]
fn at_most_four_analyses_are_run() {
    let question =
        "Overview? Gaps? What lacks photos? Duplicates? How fresh is the data? Outliers?";
    let understood = understand(question, &cars(), &[]);
    let skills: Vec<Skill> = understood
        .intents
        .iter()
        .map(|intent| intent.skill)
        .collect();
    assert_eq!(
        skills,
        [
            Skill::Overview,
            Skill::Gaps,
            Skill::FeedQuality,
            Skill::Duplicates
        ]
    );
}

#[test]
fn a_very_long_text_costs_no_more_than_a_page() {
    let text = "black cars under 30k and ".repeat(100_000);
    let understood = understand(&text, &cars(), &[]);
    assert!(understood.intents.len() <= 4);
}

proptest! {
    #[test]
    fn no_text_makes_it_fail(text in "\\PC{0,80}") {
        let _ = understand(&text, &cars(), &[]);
    }

    #[test]
    fn no_words_of_questions_make_it_fail(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "between", "and", "under", "over", "30k", "60", "days", "last", "no", "not", "without",
                "photos", "by", "store", "top", "black", "or", "F-150", "to", "-", "?", "911", "or more",
                "what about", "those", "€", "500", "dearest", "most", "which", "need", "thousand",
            ]),
            0..14,
        ),
        after in prop::bool::ANY,
    ) {
        let sources = cars();
        let before = if after {
            understand("black cars under 50k", &sources, &[]).intents
        } else {
            Vec::new()
        };
        let text = words.join(" ");
        let understood = understand(&text, &sources, &before);
        prop_assert!(understood.intents.len() <= 4);
        prop_assert_eq!(understood, understand(&text, &sources, &before));
    }
}
