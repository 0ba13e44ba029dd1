//! What came, went, or changed its price: from the history of the own stock, or between two files.

use std::collections::{HashMap, HashSet};

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::age::{days_between, snapshot};
use super::evidence::{self, Read};
use super::price::Prices;
use super::scope::{self, Scoped};
use super::selection::{Item, Selection};
use super::statistics::percent;
use super::{Refusal, fields};
use crate::finding::{Grid, Outcome, Sentence, Snapshot, counted, say};
use crate::question::{Change, ColumnName};
use crate::{Column, Filter, Finding, Intent, Money, Role, Sources, Table, Value};

/// Days of the history that are looked at unless the question says otherwise.
const WINDOW: u32 = 7;

pub(crate) fn find(intent: &Intent, sources: &Sources) -> Result<Finding, Refusal> {
    let attached: Vec<&Table> = sources.attached_tables().collect();
    match (
        attached.as_slice(),
        sources.history.as_deref(),
        sources.own.as_deref(),
    ) {
        ([one, other, ..], _, _) => between(intent, sources, [one, other]),
        (_, Some(history), _) => over_time(intent, sources, history),
        ([one], None, Some(own)) => between(intent, sources, [one, own]),
        _ => Err(nothing_to_compare(sources)),
    }
}

fn nothing_to_compare(sources: &Sources) -> Refusal {
    if sources.subject().is_none() {
        return Refusal::no_table();
    }
    Refusal::because(say!(
        "This cannot be answered: changes need a history of the own stock, or two snapshots of it. Attach two CSV files with the same ids."
    ))
}

/// One change of one item.
struct Changed<'a> {
    change: Change,
    id: Value,
    label: Value,
    old: Option<Money>,
    new: Option<Money>,
    on: Option<Date>,
    /// The row of the table that the grouping reads.
    group: Option<&'a str>,
}

impl Changed<'_> {
    fn name(&self) -> &'static str {
        match self.change {
            Change::New => "new",
            Change::Gone => "gone",
            Change::PriceUp => "dearer",
            Change::PriceDown => "cheaper",
        }
    }

    /// The new price minus the old one.
    fn difference(&self) -> Option<Decimal> {
        let (old, new) = (self.old?, self.new?);
        (old.currency == new.currency).then(|| new.amount.checked_sub(old.amount))?
    }

    fn row(self) -> Vec<Value> {
        let difference = self.difference();
        let relative = difference.and_then(|difference| percent(difference, self.old?.amount));
        let currency = self.new.and_then(|new| new.currency);
        let money = |amount| Value::Money(Money { amount, currency });
        vec![
            Value::from(self.name()),
            self.id,
            self.label,
            self.old.map_or(Value::None, Value::Money),
            self.new.map_or(Value::None, Value::Money),
            difference.map_or(Value::None, money),
            relative.map_or(Value::None, Value::Percent),
            self.on.map_or(Value::None, Value::Date),
        ]
    }
}

/// Dearer or cheaper; none where the prices are equal or cannot be compared.
fn repriced(old: Option<Money>, new: Option<Money>) -> Option<Change> {
    let (old, new) = (old?, new?);
    if old.currency != new.currency {
        return None;
    }
    match new.amount.cmp(&old.amount) {
        std::cmp::Ordering::Less => Some(Change::PriceDown),
        std::cmp::Ordering::Greater => Some(Change::PriceUp),
        std::cmp::Ordering::Equal => None,
    }
}

/// The finding of all changes that the question asks for.
fn told(intent: &Intent, mut found: Vec<Changed<'_>>, whole: Sentence, rows: u64) -> Finding {
    let wanted = &intent.params.changes;
    found.retain(|changed| wanted.is_empty() || wanted.contains(&changed.change));
    let mut finding = Finding::new(intent.skill);
    let mut counts = Sentence::default();
    let all = [
        Change::New,
        Change::Gone,
        Change::PriceUp,
        Change::PriceDown,
    ];
    let shown: Vec<Change> = all
        .into_iter()
        .filter(|change| wanted.is_empty() || wanted.contains(change))
        .collect();
    for (place, change) in shown.iter().enumerate() {
        let count = found
            .iter()
            .filter(|changed| changed.change == *change)
            .count();
        let words = match change {
            Change::New => " new",
            Change::Gone => " gone",
            Change::PriceUp => " dearer",
            Change::PriceDown => " cheaper",
        };
        if place > 0 {
            counts.add(", ");
        }
        counts.add(say!(Value::Count(count as u64), words));
    }
    finding.headline = say!(counts, whole, ".");
    if found.is_empty() {
        finding.outcome = Outcome::Nothing { rows };
        return finding;
    }
    finding.grid = Some(match &intent.params.group_by {
        Some(group) => by_group(&found, &shown, group),
        None => listing(found),
    });
    finding
}

fn listing(found: Vec<Changed<'_>>) -> Grid {
    let mut grid = Grid::new(&[
        "change",
        "id",
        "item",
        "old price",
        "new price",
        "difference",
        "in per cent",
        "on",
    ]);
    for changed in found {
        grid.push(changed.row());
    }
    grid
}

fn by_group(found: &[Changed<'_>], shown: &[Change], group: &ColumnName) -> Grid {
    let header = match group {
        ColumnName::Role(role) => role.name().to_owned(),
        ColumnName::Header(header) => header.clone(),
    };
    let names = shown.iter().map(|change| match change {
        Change::New => "new",
        Change::Gone => "gone",
        Change::PriceUp => "dearer",
        Change::PriceDown => "cheaper",
    });
    let columns: Vec<&str> = std::iter::once(header.as_str()).chain(names).collect();
    let mut grid = Grid::new(&columns);
    let mut groups: Vec<Option<&str>> = found.iter().map(|changed| changed.group).collect();
    groups.sort_unstable_by_key(|group| (group.is_none(), *group));
    groups.dedup();
    for name in groups {
        let count = |change: &Change| {
            let those = found
                .iter()
                .filter(|changed| changed.group == name && changed.change == *change);
            Value::Count(those.count() as u64)
        };
        let mut row = vec![name.map_or(Value::None, Value::from)];
        row.extend(shown.iter().map(count));
        grid.push(row);
    }
    grid
}

/// From the events of the history.
fn over_time(intent: &Intent, sources: &Sources, history: &Table) -> Result<Finding, Refusal> {
    let columns = [Role::Event, Role::EventDate].map(|role| history.column(role));
    let [Some(event), Some(on)] = columns else {
        return Err(Refusal::missing(&[Role::Event, Role::EventDate]).seen_in(history));
    };
    let Snapshot::Stated { date: end, .. } = snapshot(history) else {
        let mut finding = Finding::new(intent.skill);
        finding.headline = say!("The history has no events yet.");
        finding
            .rule
            .push(say!("The history is read by the days of its events."));
        finding.outcome = Outcome::Nothing {
            rows: history.rows() as u64,
        };
        finding.evidence = evidence::of(sources, &[(history, 0)]);
        return Ok(finding);
    };
    let Scoped {
        selection,
        said,
        limits,
    } = scope::select(history, &intent.scope).map_err(|refusal| refusal.seen_in(history))?;
    let group = group_column(history, intent)?;
    let window = intent.params.window.or(intent.params.days);
    // Days of the question's own say what is looked at.
    let is_dated = |filter: &Filter| matches!(filter, Filter::Dated { .. });
    let window = match intent.scope.filters.iter().any(is_dated) {
        true => window,
        false => window.or(Some(WINDOW)),
    };
    let prices = history.column(Role::Price);
    let old_prices = history.column(Role::OldPrice);
    let mut found: Vec<Changed<'_>> = Vec::new();
    for item in selection.items() {
        for row in item.rows() {
            let date = on.date(row.row);
            let ago = date.and_then(|date| days_between(date, end));
            let is_within =
                |days| window.is_none_or(|window| (0..i64::from(window)).contains(&days));
            if !ago.is_some_and(is_within) {
                continue;
            }
            let money = |column: Option<&Column>| column.and_then(|column| column.money(row.row));
            let (mut old, mut new) = (money(old_prices), money(prices));
            let change = match event.text(row.row).map(str::to_lowercase).as_deref() {
                Some("came") => Change::New,
                Some("went") => Change::Gone,
                _ => match repriced(old, new) {
                    Some(change) => change,
                    None => continue,
                },
            };
            match change {
                Change::New => old = None,
                Change::Gone => (old, new) = (old.or(new), None),
                Change::PriceUp | Change::PriceDown => {}
            }
            found.push(Changed {
                change,
                id: item.id(),
                label: item.label(),
                old,
                new,
                on: date,
                group: group.and_then(|column| column.text(row.row)),
            });
        }
    }
    found.sort_by_key(|changed| std::cmp::Reverse(changed.on));
    let used = found.len() as u64;
    let whole = match window {
        Some(window) => say!(" in the ", Value::Days(window.into()), " up to ", end),
        None => say!(" in these days"),
    };
    let mut finding = told(intent, found, whole, selection.row_count());
    finding.scope = said;
    finding.limits = limits;
    finding.rule.push(say!(
        "Events of ",
        Value::from(history.name()),
        " by ",
        Value::from(on.header()),
        ", up to its newest day. A price that changed twice counts twice."
    ));
    finding.limits.push(say!(
        "What went may have been sold, withdrawn or moved; the history does not say."
    ));
    finding.evidence = evidence::of(sources, &[(history, used)]);
    Ok(finding)
}

fn group_column<'a>(table: &'a Table, intent: &Intent) -> Result<Option<&'a Column>, Refusal> {
    let group = intent.params.group_by.as_ref();
    group
        .map(|group| fields::column(table, group).map_err(|refusal| refusal.seen_in(table)))
        .transpose()
}

/// From two snapshots, matched by id.
fn between<'a>(
    intent: &Intent,
    sources: &'a Sources,
    tables: [&'a Table; 2],
) -> Result<Finding, Refusal> {
    let order = Order::of(tables);
    let [older, newer] = order.tables;
    let Some(role) = [Role::Id, Role::Vin, Role::Gtin]
        .into_iter()
        .find(|&role| older.column(role).is_some() && newer.column(role).is_some())
    else {
        return Err(Refusal::missing(&[Role::Id]).seen_in(older));
    };
    let before = Snapshots::of(older, role, intent)?;
    let after = Snapshots::of(newer, role, intent)?;
    let mut found: Vec<Changed<'a>> = Vec::new();
    for (key, item) in after.items() {
        if !before.all.contains(&key) {
            found.push(after.changed(Change::New, item, None, after.price(item)));
        }
    }
    for (key, item) in before.items() {
        if !after.all.contains(&key) {
            found.push(before.changed(Change::Gone, item, before.price(item), None));
        }
    }
    let old_items: HashMap<String, Item<'a, '_>> = before.all_items().collect();
    let mut other_currency = 0;
    let mut both = 0;
    for (key, item) in after.items() {
        let Some(old) = old_items.get(&key) else {
            continue;
        };
        both += 1;
        let (old, new) = (before.price(*old), after.price(item));
        if let Some(change) = repriced(old, new) {
            found.push(after.changed(change, item, old, new));
        } else if let (Some(old), Some(new)) = (old, new)
            && old.currency != new.currency
        {
            other_currency += 1;
        }
    }
    let whole = say!(
        " from ",
        Value::from(older.name()),
        " to ",
        Value::from(newer.name()),
        "; ",
        Value::Count(both),
        " in both"
    );
    let rows = before.scoped.selection.row_count() + after.scoped.selection.row_count();
    let mut finding = told(intent, found, whole, rows);
    finding.rule.push(say!(
        "Items are matched by ",
        role.name(),
        ", capitals and spaces aside; prices are compared within one currency."
    ));
    finding.rule.push(order.why);
    let repeated = before.repeated + after.repeated;
    if repeated > 0 {
        finding.limits.push(say!(
            counted(repeated, "row"),
            " with an id that stands in the same source before or is empty not compared."
        ));
    }
    if other_currency > 0 {
        finding.limits.push(say!(
            counted(other_currency, "item"),
            " with a price in another currency than before not compared."
        ));
    }
    let read: [Read<'_>; 2] = [
        (older, before.scoped.selection.row_count()),
        (newer, after.scoped.selection.row_count()),
    ];
    finding.scope = after.scoped.said;
    finding.limits.extend(after.scoped.limits);
    finding.evidence = evidence::of(sources, &read);
    Ok(finding)
}

/// Which of two snapshots is the older one, and why.
struct Order<'a> {
    tables: [&'a Table; 2],
    why: Sentence,
}

impl<'a> Order<'a> {
    fn of([one, other]: [&'a Table; 2]) -> Self {
        if let (Snapshot::Stated { date, .. }, Snapshot::Stated { date: later, .. }) =
            (snapshot(one), snapshot(other))
            && date != later
        {
            return Self {
                tables: if date < later {
                    [one, other]
                } else {
                    [other, one]
                },
                why: say!(
                    "The older source is the one that states the earlier day, ",
                    date.min(later),
                    "; the newer one states ",
                    date.max(later),
                    "."
                ),
            };
        }
        Self {
            tables: [one, other],
            why: say!(
                "The sources do not state two different days, so ",
                Value::from(one.name()),
                " is taken to be the older one."
            ),
        }
    }
}

/// One side of the comparison.
struct Snapshots<'a> {
    role: Role,
    scoped: Scoped<'a>,
    whole: Selection<'a>,
    /// Every id of the source, in scope or not: what left the scope has not gone.
    all: HashSet<String>,
    repeated: u64,
    prices: Option<Prices<'a>>,
    group: Option<&'a Column>,
}

impl<'a> Snapshots<'a> {
    fn of(table: &'a Table, role: Role, intent: &Intent) -> Result<Self, Refusal> {
        let whole = Selection::all(table);
        let mut all = HashSet::new();
        let mut repeated = 0;
        for item in whole.items() {
            let is_new = item.folded(role).is_some_and(|key| all.insert(key));
            repeated += u64::from(!is_new);
        }
        Ok(Self {
            role,
            scoped: scope::select(table, &intent.scope)
                .map_err(|refusal| refusal.seen_in(table))?,
            whole,
            all,
            repeated,
            prices: Prices::of_table(table),
            group: group_column(table, intent)?,
        })
    }

    /// The items in scope by id, each id once.
    fn items(&self) -> impl Iterator<Item = (String, Item<'a, '_>)> {
        once_each(&self.scoped.selection, self.role)
    }

    fn all_items(&self) -> impl Iterator<Item = (String, Item<'a, '_>)> {
        once_each(&self.whole, self.role)
    }

    fn price(&self, item: Item<'a, '_>) -> Option<Money> {
        item.price(self.prices.as_ref()?)
    }

    fn changed(
        &self,
        change: Change,
        item: Item<'a, '_>,
        old: Option<Money>,
        new: Option<Money>,
    ) -> Changed<'a> {
        Changed {
            change,
            id: item.id(),
            label: item.label(),
            old,
            new,
            on: None,
            group: self.group.and_then(|column| item.text(column)),
        }
    }
}

fn once_each<'a, 's>(
    selection: &'s Selection<'a>,
    role: Role,
) -> impl Iterator<Item = (String, Item<'a, 's>)> {
    let mut seen = HashSet::new();
    selection
        .items()
        .filter_map(move |item| Some((item.folded(role)?, item)))
        .filter(move |(key, _)| seen.insert(key.clone()))
}

#[cfg(test)]
mod tests;
