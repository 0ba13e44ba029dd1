//! How old the data is: the dates found in each source, by column.

use jiff::civil::Date;

use super::age::{days_between, snapshot};
use super::{Refusal, evidence};
use crate::finding::{Grid, Sentence, Snapshot, counted, say};
use crate::{Column, Finding, Intent, Role, Sources, Table, Value};

pub(crate) fn find(intent: &Intent, sources: &Sources) -> Result<Finding, Refusal> {
    let own = [&sources.own, &sources.history, &sources.leads];
    let tables: Vec<&Table> = own
        .into_iter()
        .filter_map(|table| table.as_deref())
        .chain(sources.attached_tables())
        .collect();
    if tables.is_empty() {
        return Err(Refusal::no_table());
    }
    let mut grid = Grid::new(&[
        "source",
        "column",
        "meaning",
        "oldest",
        "newest",
        "rows with a date",
        "rows",
    ]);
    let mut finding = Finding::new(intent.skill);
    let mut stated: Vec<(Date, &Table)> = Vec::new();
    for &table in &tables {
        for column in table.columns() {
            if let Some(row) = dates(table, column) {
                grid.push(row);
            }
        }
        let snapshot = snapshot(table);
        if let Snapshot::Stated { date, .. } = snapshot {
            stated.push((date, table));
        }
        finding.details.push(said(table, &snapshot));
    }
    let oldest = stated.iter().min_by_key(|(date, _)| *date);
    let newest = stated.iter().max_by_key(|(date, _)| *date);
    let (Some((oldest, _)), Some((newest, newest_table))) = (oldest, newest) else {
        return Err(Refusal {
            because: finding.details.into_iter().next(),
            ..Refusal::missing_any(&[
                Role::SnapshotDate,
                Role::DateUpdated,
                Role::DateInStock,
                Role::DateAdded,
            ])
        });
    };
    finding.headline = say!(
        Value::Count(stated.len() as u64),
        " of ",
        counted(tables.len() as u64, "source"),
        if stated.len() == 1 {
            " states"
        } else {
            " state"
        },
        " a day; the newest is ",
        *newest,
        " (",
        Value::from(newest_table.name()),
        ")",
        apart(*oldest, *newest),
        "."
    );
    finding.grid = Some(grid);
    finding.rule.push(say!(
        "The day of a source is the newest value of its snapshot column; without one, of its column of last changes; without one, of its dates of events, sales, arrival or creation."
    ));
    finding.limits.push(say!(
        "Only what the data states counts: no file date, no file name, no clock. How old the data is today is not computed."
    ));
    let read: Vec<_> = tables
        .iter()
        .map(|&table| (table, table.rows() as u64))
        .collect();
    finding.evidence = evidence::of(sources, &read);
    Ok(finding)
}

fn apart(oldest: Date, newest: Date) -> Sentence {
    match days_between(oldest, newest) {
        None | Some(0) => say!(""),
        Some(days) => say!("; the oldest source is ", Value::Days(days), " behind"),
    }
}

fn said(table: &Table, snapshot: &Snapshot) -> Sentence {
    let name = Value::from(table.name());
    match snapshot {
        Snapshot::Stated { date, column } => say!(
            name,
            " speaks of ",
            *date,
            ", the newest value of ",
            Value::from(column.as_str()),
            "."
        ),
        Snapshot::Ambiguous { column } => say!(
            name,
            ": dates in ",
            Value::from(column.as_str()),
            " can be read as day/month or month/day, so none is used."
        ),
        Snapshot::NotStated => say!(name, " states no date."),
    }
}

/// The dates of a column; none where it has none.
fn dates(table: &Table, column: &Column) -> Option<Vec<Value>> {
    let mut dated: u64 = 0;
    let mut ends: Option<(Date, Date)> = None;
    for date in (0..table.rows()).filter_map(|row| column.date(row)) {
        dated += 1;
        ends = Some(match ends {
            None => (date, date),
            Some((oldest, newest)) => (oldest.min(date), newest.max(date)),
        });
    }
    let (oldest, newest) = ends?;
    Some(vec![
        Value::from(table.name()),
        Value::from(column.header()),
        column
            .role()
            .map_or(Value::None, |role| Value::from(role.name())),
        Value::Date(oldest),
        Value::Date(newest),
        Value::Count(dated),
        Value::Count(table.rows() as u64),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, own, rows, sentences};
    use super::*;
    use crate::Skill;
    use crate::finding::Outcome;

    const COLUMNS: Columns<'_> = &[
        ("sku", Some(Role::Id)),
        ("added", Some(Role::DateAdded)),
        ("updated", Some(Role::DateUpdated)),
    ];

    #[test]
    fn every_source_and_column_with_dates() {
        let found = intent(Skill::Freshness).ask(
            &own(
                COLUMNS,
                &[
                    &["1", "2026-01-05", "2026-06-30"],
                    &["2", "2026-07-05", ""],
                    &["3", "", "2026-06-01"],
                ],
            )
            .attach("market.csv", &COLUMNS[..2], &[&["9", "2026-06-20"]])
            .attach("bare.csv", &COLUMNS[..1], &[&["9"]]),
        );
        assert_eq!(
            headline(&found),
            "2 of 3 sources state a day; the newest is 2026-06-30 (Own inventory); the oldest source is 10 days behind."
        );
        assert_eq!(
            rows(&found),
            [
                "Own inventory|added|date added|2026-01-05|2026-07-05|2|3",
                "Own inventory|updated|date updated|2026-06-01|2026-06-30|2|3",
                "market.csv|added|date added|2026-06-20|2026-06-20|1|1",
            ]
        );
        assert_eq!(sentences(&found.details)[2], "bare.csv states no date.");
    }

    #[test]
    fn no_date_at_all_cannot_be_answered() {
        let found = intent(Skill::Freshness).ask(&own(&COLUMNS[..1], &[&["1"]]));
        assert!(matches!(found.outcome, Outcome::Unanswerable { .. }));
        assert_eq!(
            sentences(&found.details)[0],
            "Own inventory states no date."
        );
        let found = intent(Skill::Freshness).ask(&own(COLUMNS, &[&["1", "03/04/2026", ""]]));
        assert!(sentences(&found.details)[0].contains("day/month"));
        let found = intent(Skill::Freshness).ask(&Sources::default());
        assert!(headline(&found).starts_with("There is no catalog"));
    }
}
