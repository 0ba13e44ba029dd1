use super::super::testing::{Columns, headline, intent, is, kept, own, rows, sentences};
use crate::finding::Outcome;
use crate::question::{Change, ColumnName};
use crate::{Role, Skill, Sources};

const COLUMNS: Columns<'_> = &[
    ("sku", Some(Role::Id)),
    ("name", Some(Role::Title)),
    ("type", Some(Role::Category)),
    ("price", Some(Role::Price)),
    ("day", Some(Role::SnapshotDate)),
];

const MONDAY: &[&[&str]] = &[
    &["A", "Mug", "Cups", "10 EUR", "2026-06-01"],
    &["B", "Jar", "Jars", "20 EUR", "2026-06-01"],
    &["C", "Pot", "Pots", "30 EUR", "2026-06-01"],
    &["D", "Jug", "Jars", "40 EUR", "2026-06-01"],
    &["E", "Cup", "Cups", "50 EUR", "2026-06-01"],
];

const TUESDAY: &[&[&str]] = &[
    &["a", "Mug", "Cups", "12.50 EUR", "2026-06-02"],
    &["B", "Jar", "Jars", "18 EUR", "2026-06-02"],
    &["C", "Pot", "Pots", "30.00 EUR", "2026-06-02"],
    &["E", "Cup", "Cups", "50 USD", "2026-06-02"],
    &["F", "Tin", "Jars", "5 EUR", "2026-06-02"],
    &["F", "Tin again", "Jars", "6 EUR", "2026-06-02"],
];

fn two() -> Sources {
    Sources::default()
        .attach("tuesday.csv", COLUMNS, TUESDAY)
        .attach("monday.csv", COLUMNS, MONDAY)
}

#[test]
fn two_files_are_ordered_by_the_day_they_state_and_matched_by_id() {
    let found = intent(Skill::Changes).ask(&two());
    assert_eq!(
        headline(&found),
        "1 new, 1 gone, 1 dearer, 1 cheaper from monday.csv to tuesday.csv; 4 in both."
    );
    assert_eq!(
        rows(&found),
        [
            "new|F|Tin||5 EUR|||",
            "gone|D|Jug|40 EUR||||",
            "dearer|a|Mug|10 EUR|12.50 EUR|2.50 EUR|25|",
            "cheaper|B|Jar|20 EUR|18 EUR|-2 EUR|-10|",
        ]
    );
    assert_eq!(
        sentences(&found.limits),
        [
            "1 row with an id that stands in the same source before or is empty not compared.",
            "1 item with a price in another currency than before not compared.",
        ]
    );
    assert_eq!(
        found
            .evidence
            .iter()
            .map(|source| source.rows_used)
            .collect::<Vec<_>>(),
        [6, 5]
    );
}

#[test]
fn only_the_changes_that_are_asked_for_in_scope_and_by_group() {
    let found = intent(Skill::Changes)
        .with(|params| params.changes = vec![Change::PriceDown])
        .ask(&two());
    assert_eq!(
        headline(&found),
        "1 cheaper from monday.csv to tuesday.csv; 4 in both."
    );
    assert_eq!(rows(&found).len(), 1);
    let found = intent(Skill::Changes)
        .only(is(Role::Category, "Pots"))
        .ask(&two());
    assert_eq!(found.outcome, Outcome::Nothing { rows: 2 });
    let found = intent(Skill::Changes)
        .with(|params| params.group_by = Some(ColumnName::Role(Role::Category)))
        .ask(&two());
    assert_eq!(rows(&found), ["Cups|0|0|1|0", "Jars|1|1|0|1"]);
}

#[test]
fn the_history_is_read_back_from_its_newest_day() {
    let history: Columns<'_> = &[
        ("stock", Some(Role::Id)),
        ("make", Some(Role::Make)),
        ("event", Some(Role::Event)),
        ("on", Some(Role::EventDate)),
        ("old", Some(Role::OldPrice)),
        ("price", Some(Role::Price)),
    ];
    let mut sources = own(&COLUMNS[..1], &[&["1"]]);
    sources.history = Some(kept(
        "Own history",
        history,
        &[
            &["1", "Kia", "came", "2026-06-01", "", "100 USD"],
            &["1", "Kia", "price", "2026-06-20", "100 USD", "90 USD"],
            &["2", "Kia", "went", "2026-06-14", "", "70 USD"],
            &["3", "Ford", "went", "2026-06-13", "", "70 USD"],
            &["4", "Kia", "price", "2026-06-19", "80 USD", "88 USD"],
        ],
    ));
    let found = intent(Skill::Changes).ask(&sources);
    assert_eq!(
        headline(&found),
        "0 new, 1 gone, 1 dearer, 1 cheaper in the 7 days up to 2026-06-20."
    );
    assert_eq!(
        rows(&found),
        [
            "cheaper|1|Kia|100 USD|90 USD|-10 USD|-10|2026-06-20",
            "dearer|4|Kia|80 USD|88 USD|8 USD|10|2026-06-19",
            "gone|2|Kia|70 USD||||2026-06-14",
        ]
    );
    let found = intent(Skill::Changes)
        .with(|params| {
            params.window = Some(30);
            params.changes = vec![Change::New];
        })
        .ask(&sources);
    assert_eq!(headline(&found), "1 new in the 30 days up to 2026-06-20.");
    let found = intent(Skill::Changes)
        .only(is(Role::Title, "x"))
        .ask(&sources);
    assert!(matches!(&found.outcome, Outcome::Unanswerable { seen, .. } if seen.len() == 6));
}

#[test]
fn one_source_alone_has_no_changes() {
    let found = intent(Skill::Changes).ask(&own(COLUMNS, MONDAY));
    assert!(headline(&found).contains("two snapshots"));
    assert!(matches!(found.outcome, Outcome::Unanswerable { .. }));
    let found =
        intent(Skill::Changes).ask(&own(COLUMNS, TUESDAY).attach("older.csv", COLUMNS, MONDAY));
    assert!(headline(&found).ends_with("from older.csv to Own inventory; 4 in both."));
}
