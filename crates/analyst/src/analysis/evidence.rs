//! What an answer was counted from.

use super::age::snapshot;
use super::price::Prices;
use crate::finding::{Evidence, Snapshot};
use crate::source::Attachment;
use crate::{Currency, Sources, Table};

/// A table that was read, with the number of its rows that the result rests on.
pub(crate) type Read<'a> = (&'a Table, u64);

/// The evidence of an answer: the seller's own sources that were read, and every attached file.
pub(crate) fn of(sources: &Sources, read: &[Read<'_>]) -> Vec<Evidence> {
    let used = |table: &Table| {
        let of_table = read.iter().filter(|(other, _)| std::ptr::eq(*other, table));
        of_table.map(|(_, rows)| *rows).reduce(u64::max)
    };
    let own = [&sources.own, &sources.history, &sources.leads]
        .into_iter()
        .filter_map(|table| table.as_deref())
        .filter_map(|table| Some(of_table(table, false, used(table)?)));
    let attached = sources.attached.iter().map(|attachment| match attachment {
        Attachment::Table(table) => {
            let rows = used(table);
            let mut evidence = of_table(table, true, rows.unwrap_or_default());
            if rows.is_none() {
                evidence.remarks.push("Not used for this answer".to_owned());
            }
            evidence
        }
        Attachment::Unreadable { name, reason } => Evidence {
            source: name.clone(),
            is_attached: true,
            rows_read: 0,
            rows_used: 0,
            rows_skipped: 0,
            rows_priced: None,
            snapshot: Snapshot::NotStated,
            unreadable: Some(reason.to_string()),
            currencies: Vec::new(),
            remarks: Vec::new(),
        },
    });
    own.chain(attached).collect()
}

fn of_table(table: &Table, is_attached: bool, rows_used: u64) -> Evidence {
    let prices = Prices::of_table(table);
    let mut currencies: Vec<Currency> = Vec::new();
    let mut priced = 0;
    for price in (0..table.rows()).filter_map(|row| prices.as_ref()?.at(row)) {
        priced += 1;
        if let Some(currency) = price.currency
            && !currencies.contains(&currency)
        {
            currencies.push(currency);
        }
    }
    currencies.sort_unstable();
    Evidence {
        source: table.name().to_owned(),
        is_attached,
        rows_read: table.rows() as u64,
        rows_used,
        rows_skipped: table.reading().skipped.len() as u64,
        rows_priced: prices.is_some().then_some(priced),
        snapshot: snapshot(table),
        unreadable: None,
        currencies,
        remarks: table.reading().remarks.clone(),
    }
}
