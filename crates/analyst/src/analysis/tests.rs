//! What holds for every analysis, whatever the tables are.

use std::sync::Arc;

use proptest::prelude::*;

use super::testing::intent;
use crate::finding::Outcome;
use crate::question::{Change, ColumnName, Measure, Order};
use crate::{Attachment, Filter, Finding, Intent, Role, Skill, Sources, Table, render};

const SKILLS: [Skill; 15] = [
    Skill::Overview,
    Skill::Gaps,
    Skill::PriceLadder,
    Skill::PriceOutliers,
    Skill::FeedQuality,
    Skill::Duplicates,
    Skill::Availability,
    Skill::Aging,
    Skill::Velocity,
    Skill::PriceToMarket,
    Skill::Markdowns,
    Skill::Freshness,
    Skill::Changes,
    Skill::Lookup,
    Skill::Leads,
];

const ROLES: [Role; 26] = [
    Role::Id,
    Role::Group,
    Role::Vin,
    Role::Gtin,
    Role::Title,
    Role::Category,
    Role::Make,
    Role::Model,
    Role::Year,
    Role::Price,
    Role::SalePrice,
    Role::CompareAtPrice,
    Role::Cost,
    Role::Quantity,
    Role::Availability,
    Role::Image,
    Role::DateInStock,
    Role::DateUpdated,
    Role::DateSold,
    Role::AgeDays,
    Role::Rooftop,
    Role::Event,
    Role::EventDate,
    Role::OldPrice,
    Role::LeadId,
    Role::LeadCount,
];

const CELLS: [&str; 24] = [
    "",
    "1",
    "0",
    "-1",
    "A",
    "a",
    "Kia",
    "2020",
    "2021",
    "100 EUR",
    "100.50 EUR",
    "99 USD",
    "9999",
    "79228162514264337593543950335",
    "79228162514264337593543950335 EUR",
    "0.0000000000000000000000000001 EUR",
    "2026-06-30",
    "2026-05-01",
    "-9999-01-01",
    "9999-12-31",
    "03/04/2026",
    "sold",
    "went",
    "a | b\n=1",
];

fn tables() -> impl Strategy<Value = Table> {
    let columns = proptest::sample::subsequence(&ROLES[..], 0..ROLES.len());
    columns.prop_flat_map(|roles| {
        let row = prop::collection::vec(prop::sample::select(&CELLS[..]), roles.len());
        prop::collection::vec(row, 0..14).prop_map(move |rows| {
            let headers: Vec<String> = roles.iter().map(|role| role.name().to_owned()).collect();
            let columns: Vec<(&str, Option<Role>)> = headers
                .iter()
                .zip(&roles)
                .map(|(header, role)| (header.as_str(), Some(*role)))
                .collect();
            Table::of_rows("table", &columns, rows)
        })
    })
}

fn sources() -> impl Strategy<Value = Sources> {
    let optional = || prop::option::of(tables());
    (
        optional(),
        optional(),
        optional(),
        prop::collection::vec(tables(), 0..3),
    )
        .prop_map(|(own, history, leads, attached)| Sources {
            own: own.map(Arc::new),
            vocabulary: None,
            history: history.map(Arc::new),
            leads: leads.map(Arc::new),
            attached: attached.into_iter().map(Attachment::Table).collect(),
        })
}

fn columns() -> impl Strategy<Value = ColumnName> {
    prop::sample::select(&ROLES[..]).prop_map(ColumnName::Role)
}

fn filters() -> impl Strategy<Value = Filter> {
    prop_oneof![
        Just(Filter::Available),
        columns().prop_map(|column| Filter::Lacks {
            column,
            negated: false
        }),
        columns().prop_map(|column| Filter::Is {
            column,
            values: vec!["a".to_owned()],
            negated: false
        }),
        columns().prop_map(|column| Filter::Within {
            column,
            at_least: Some(1.into()),
            at_most: None,
            exclusive: true,
            currency: None
        }),
    ]
}

fn intents() -> impl Strategy<Value = Intent> {
    let measure = columns().prop_flat_map(|column| {
        prop::sample::select(vec![
            Measure::Count,
            Measure::Sum(column.clone()),
            Measure::Median(column.clone()),
            Measure::Mean(column.clone()),
            Measure::Maximum(column),
        ])
    });
    (
        prop::sample::select(&SKILLS[..]),
        prop::option::of(columns()),
        prop::option::of(measure),
        prop::option::of(columns()),
        prop::option::of(0_usize..3),
        prop::option::of(0_u32..100),
        prop::collection::vec(filters(), 0..2),
        any::<bool>(),
    )
        .prop_map(
            |(skill, group_by, measure, order, top, days, filters, flag)| {
                let mut asked = intent(skill).with(|params| {
                    params.group_by = group_by;
                    params.measure = measure;
                    params.order = order.map(|by| Order {
                        by,
                        descending: flag,
                    });
                    params.top = top;
                    params.days = days;
                    params.window = days;
                    if flag {
                        params.missing = vec![Role::Price];
                        params.between = Some((1.into(), 100.into()));
                        params.changes = vec![Change::New, Change::PriceUp];
                    }
                });
                asked.scope.filters = filters;
                asked
            },
        )
}

fn is_sound(found: &Finding, sources: &Sources) -> Result<(), TestCaseError> {
    prop_assert!(!found.headline.0.is_empty());
    if let Some(grid) = &found.grid {
        for row in &grid.rows {
            prop_assert_eq!(row.len(), grid.columns.len());
        }
    }
    for evidence in &found.evidence {
        prop_assert!(evidence.rows_used <= evidence.rows_read, "{evidence:?}");
    }
    let attached = found.evidence.iter().filter(|source| source.is_attached);
    prop_assert_eq!(attached.count(), sources.attached.len());
    if !matches!(found.outcome, Outcome::Unanswerable { .. }) {
        prop_assert!(!found.rule.is_empty(), "{found:?}");
    }
    let text = render::text(found);
    prop_assert_eq!(text.matches("\nEvidence\n").count(), 1);
    let last = text.lines().last().unwrap_or_default();
    prop_assert!(last.starts_with("Freshness: "), "{last}");
    let rows = found.grid.as_ref().map_or(0, |grid| grid.rows.len());
    prop_assert_eq!(render::csv(found).is_some(), rows > render::TEXT_ROWS);
    prop_assert!(render::finding(found).is_object());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_intent_over_any_tables_gives_a_sound_finding(
        sources in sources(),
        asked in intents(),
    ) {
        is_sound(&asked.ask(&sources), &sources)?;
    }
}
