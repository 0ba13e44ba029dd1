//! Leads by rooftop, agent, car and state, and cars without any.

use std::collections::{HashMap, HashSet};

use super::age::{days_between, snapshot};
use super::evidence;
use super::groups::{self, Group};
use super::scope::{self, Scoped};
use super::selection::{Item, Selection};
use super::statistics::share;
use super::stock::Stock;
use super::{Refusal, fields, words};
use crate::finding::{Grid, Outcome, Sentence, Snapshot, counted, say};
use crate::question::ColumnName;
use crate::{Column, Filter, Finding, Intent, Role, Scope, Sources, Table, Value};

pub(crate) fn find(intent: &Intent, sources: &Sources) -> Result<Finding, Refusal> {
    let wants_cars_without = wants_cars_without(intent);
    match (sources.leads.as_deref(), wants_cars_without) {
        (Some(leads), false) => of_leads(intent, sources, leads),
        (_, true) => cars_without(intent, sources),
        (None, false) => counted_by_source(intent, sources),
    }
}

/// Whether the question is about cars that nobody asked for.
fn wants_cars_without(intent: &Intent) -> bool {
    let is_lead = |role: &Role| matches!(role, Role::LeadId | Role::LeadCount);
    let by_filter = intent.scope.filters.iter().any(|filter| {
        matches!(filter, Filter::Lacks { column: ColumnName::Role(role), negated: false } if is_lead(role))
    });
    by_filter || intent.params.missing.iter().any(is_lead)
}

fn no_leads() -> Refusal {
    Refusal {
        because: Some(say!("There are no leads to read in these sources.")),
        ..Refusal::missing_any(&[Role::LeadId, Role::LeadCount])
    }
}

/// The seller's leads in scope.
fn of_leads(intent: &Intent, sources: &Sources, leads: &Table) -> Result<Finding, Refusal> {
    let narrowed = Narrowed::of(intent, sources, leads)?;
    let window = intent.params.window.or(intent.params.days);
    let (selection, span) = within(&narrowed.leads, window);
    let all = leads.rows() as u64;
    let mut finding = Finding::new(intent.skill);
    finding.headline = say!(
        Value::Count(selection.item_count()),
        " of ",
        counted(all, "lead"),
        span,
        "."
    );
    if selection.is_empty() {
        finding.outcome = Outcome::Nothing { rows: all };
    } else {
        finding.details = by_each(&selection, intent.params.group_by.as_ref());
        let group = intent.params.group_by.clone().or_else(|| {
            [Role::Rooftop, Role::LeadAgent, Role::LeadState]
                .into_iter()
                .find(|&role| leads.column(role).is_some())
                .map(ColumnName::Role)
        });
        if let Some(group) = group {
            let grid = by_group(&selection, &group, sources);
            finding.grid = Some(grid.map_err(|refusal| refusal.seen_in(leads))?);
        }
    }
    finding.scope = narrowed.said;
    finding.limits = narrowed.limits;
    finding.rule.push(say!(
        "Every row of ",
        Value::from(leads.name()),
        " is one lead; the window ends on the newest day that its rows state."
    ));
    finding.limits.push(say!(
        "Persons are not part of the data. Enquiries that did not come as leads are not known."
    ));
    let mut read = vec![(leads, selection.row_count())];
    read.extend(narrowed.cars);
    finding.evidence = evidence::of(sources, &read);
    Ok(finding)
}

/// The leads of a window, and how the answer says it.
fn within<'a>(leads: &Selection<'a>, window: Option<u32>) -> (Selection<'a>, Sentence) {
    let column = leads.table().column(Role::EventDate);
    let (Some(window), Some(column), Snapshot::Stated { date: end, .. }) =
        (window, column, snapshot(leads.table()))
    else {
        return (leads.narrowed(|_| true), say!(""));
    };
    let selection = leads.narrowed(|item| {
        item.rows().any(|row| {
            let ago = column
                .date(row.row)
                .and_then(|date| days_between(date, end));
            ago.is_some_and(|days| (0..i64::from(window)).contains(&days))
        })
    });
    let span = say!(" in the ", Value::Days(window.into()), " up to ", end);
    (selection, span)
}

/// The largest group of each column that leads are usually asked by.
fn by_each(leads: &Selection<'_>, shown: Option<&ColumnName>) -> Vec<Sentence> {
    [Role::Rooftop, Role::LeadAgent, Role::LeadState]
        .map(ColumnName::Role)
        .iter()
        .filter(|column| Some(*column) != shown)
        .filter_map(|column| {
            let groups = groups::of(leads, column).ok()?;
            let parts = groups.iter().take(5).map(|group| {
                let name = match &group.name {
                    Value::None => say!("not stated"),
                    name => name.clone().into(),
                };
                say!(name, " ", Value::Count(group.items.item_count()))
            });
            let mut sentence = say!("By ", words::column(leads.table(), column), ": ");
            for (place, part) in parts.enumerate() {
                if place > 0 {
                    sentence.add(", ");
                }
                sentence.add(part);
            }
            if groups.len() > 5 {
                sentence.add(say!(
                    " and ",
                    Value::Count(groups.len() as u64 - 5),
                    " more"
                ));
            }
            Some(say!(sentence, "."))
        })
        .collect()
}

fn by_group(leads: &Selection<'_>, group: &ColumnName, sources: &Sources) -> Result<Grid, Refusal> {
    let header = words::header(leads.table(), group);
    let is_car = matches!(group, ColumnName::Role(Role::Id | Role::Vin));
    let cars = is_car.then(|| labels(sources, group)).flatten();
    let mut columns = vec![header.as_str()];
    if cars.is_some() {
        columns.push("item");
    }
    columns.extend(["leads", "share"]);
    let mut grid = Grid::new(&columns);
    let all = leads.item_count();
    for Group { name, items } in groups::of(leads, group)? {
        let count = items.item_count();
        let mut row = vec![name.clone()];
        if let Some(cars) = &cars {
            let label = match &name {
                Value::Text(id) => cars.get(&folded(id)).cloned(),
                _ => None,
            };
            row.push(label.unwrap_or(Value::None));
        }
        row.extend([Value::Count(count), share(count, all)]);
        grid.push(row);
    }
    Ok(grid)
}

/// What the cars of the own stock are called, by id.
fn labels(sources: &Sources, by: &ColumnName) -> Option<HashMap<String, Value>> {
    let own = sources.own.as_deref()?;
    let column = fields::column(own, by).ok()?;
    let all = Selection::all(own);
    let labels = all
        .items()
        .filter_map(|item| Some((folded(item.text(column)?), item.label())));
    Some(labels.collect())
}

/// Leads that the scope leaves, some of its conditions being about the car.
struct Narrowed<'a> {
    leads: Selection<'a>,
    cars: Option<evidence::Read<'a>>,
    said: Vec<Sentence>,
    limits: Vec<Sentence>,
}

impl<'a> Narrowed<'a> {
    fn of(intent: &Intent, sources: &'a Sources, leads: &'a Table) -> Result<Self, Refusal> {
        let mut of_leads = intent.scope.clone();
        let mut of_cars = Scope::default();
        for filter in std::mem::take(&mut of_leads.filters) {
            let alone = Scope {
                filters: vec![filter.clone()],
                ..Scope::default()
            };
            // A condition that the leads themselves cannot tell is one on the car.
            let is_on_car =
                matches!(filter, Filter::Available) || scope::select(leads, &alone).is_err();
            if is_on_car {
                of_cars.filters.push(filter);
            } else {
                of_leads.filters.push(filter);
            }
        }
        let Scoped {
            selection,
            mut said,
            mut limits,
        } = scope::select(leads, &of_leads)?;
        if of_cars.filters.is_empty() {
            return Ok(Self {
                leads: selection,
                cars: None,
                said,
                limits,
            });
        }
        let own = sources.own.as_deref().ok_or_else(no_leads)?;
        let cars = scope::select(own, &of_cars)?;
        let wanted = Keys::of(&cars.selection);
        said.extend(cars.said);
        limits.extend(cars.limits);
        Ok(Self {
            leads: selection.narrowed(|item| wanted.has(item)),
            cars: Some((own, cars.selection.row_count())),
            said,
            limits,
        })
    }
}

/// What identifies the cars of a selection.
struct Keys {
    ids: HashSet<String>,
    vins: HashSet<String>,
}

impl Keys {
    fn of(selection: &Selection<'_>) -> Self {
        let values = |role| {
            let column: Option<&Column> = selection.table().column(role);
            let texts = column
                .into_iter()
                .flat_map(|column| selection.rows().filter_map(move |row| column.text(row.row)));
            texts.map(folded).collect()
        };
        Self {
            ids: values(Role::Id),
            vins: values(Role::Vin),
        }
    }

    /// Whether the item is one of them: by VIN where both know it, else by id.
    fn has(&self, item: Item<'_, '_>) -> bool {
        let known = |keys: &HashSet<String>, role| {
            item.role(role)
                .is_some_and(|text| keys.contains(&folded(text)))
        };
        known(&self.vins, Role::Vin) || known(&self.ids, Role::Id)
    }
}

fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}

/// Available cars that no lead names.
fn cars_without(intent: &Intent, sources: &Sources) -> Result<Finding, Refusal> {
    let table = sources.subject().ok_or_else(Refusal::no_table)?;
    let mut scope = intent.scope.clone();
    scope.filters.retain(|filter| {
        !matches!(
            filter,
            Filter::Lacks {
                column: ColumnName::Role(Role::LeadId | Role::LeadCount),
                ..
            }
        )
    });
    let cars = scope::select(table, &scope)?;
    let stock = Stock::of_table(table);
    let available = cars.selection.narrowed(|item| stock.is_available(item));
    let mut read = vec![(table, available.row_count())];
    let without = match (sources.leads.as_deref(), table.column(Role::LeadCount)) {
        (Some(leads), _) => {
            let all = Selection::all(leads);
            let named = Keys::of(&all);
            read.push((leads, all.row_count()));
            available.narrowed(|item| !named.has(item))
        }
        (None, Some(column)) => available.narrowed(|item| {
            item.quantity(column)
                .is_none_or(|count| count <= rust_decimal::Decimal::ZERO)
        }),
        (None, None) => return Err(no_leads()),
    };
    let mut finding = Finding::new(intent.skill);
    finding.headline = say!(
        Value::Count(without.item_count()),
        " of ",
        counted(available.item_count(), "available unit"),
        if without.item_count() == 1 {
            " has no lead."
        } else {
            " have no lead."
        }
    );
    if without.is_empty() {
        finding.outcome = Outcome::Nothing {
            rows: available.row_count(),
        };
    } else {
        finding.grid = Some(listing(&without));
    }
    finding.scope = cars.said;
    finding.limits = cars.limits;
    finding.rule.push(say!(
        "A unit has a lead if one names its VIN or its id, whenever it came."
    ));
    finding.rule.push(stock.rule());
    finding.evidence = evidence::of(sources, &read);
    Ok(finding)
}

fn listing(cars: &Selection<'_>) -> Grid {
    let prices = super::price::Prices::of_table(cars.table());
    let mut grid = Grid::new(&["id", "item", "price", "rooftop"]);
    for item in cars.items() {
        let price = prices.as_ref().and_then(|prices| item.price(prices));
        grid.push(vec![
            item.id(),
            item.label(),
            price.map_or(Value::None, Value::Money),
            item.role(Role::Rooftop).map_or(Value::None, Value::from),
        ]);
    }
    grid
}

/// The numbers of leads that the catalog itself has.
fn counted_by_source(intent: &Intent, sources: &Sources) -> Result<Finding, Refusal> {
    let table = sources.subject().ok_or_else(Refusal::no_table)?;
    let column = table.column(Role::LeadCount).ok_or_else(no_leads)?;
    let cars = scope::select(table, &intent.scope)?;
    let mut units: Vec<(rust_decimal::Decimal, Item<'_, '_>)> = cars
        .selection
        .items()
        .filter_map(|item| Some((item.quantity(column)?, item)))
        .collect();
    units.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let numbers: Vec<_> = units.iter().map(|(count, _)| *count).collect();
    let mut finding = Finding::new(intent.skill);
    let sum = super::statistics::sum(&numbers).map_or(Value::None, Value::Number);
    finding.headline = say!(
        sum,
        " leads over ",
        Value::Count(units.len() as u64),
        " of ",
        counted(cars.selection.item_count(), "unit"),
        "."
    );
    if units.is_empty() {
        finding.outcome = Outcome::Nothing {
            rows: cars.selection.row_count(),
        };
    } else {
        let mut grid = Grid::new(&["id", "item", "leads"]);
        for (count, item) in units {
            grid.push(vec![item.id(), item.label(), Value::Number(count)]);
        }
        finding.grid = Some(grid);
    }
    finding.rule.push(say!(
        "Leads are the numbers in ",
        Value::from(column.header()),
        "."
    ));
    finding.scope = cars.said;
    finding.limits = cars.limits;
    finding.limits.push(say!(
        "The source counts leads itself; when and from whom they came is not stated."
    ));
    finding.evidence = evidence::of(sources, &[(table, cars.selection.row_count())]);
    Ok(finding)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, is, kept, own, rows, sentences};
    use super::*;
    use crate::Skill;

    const CARS: Columns<'_> = &[
        ("stock", Some(Role::Id)),
        ("make", Some(Role::Make)),
        ("model", Some(Role::Model)),
        ("price", Some(Role::Price)),
        ("status", Some(Role::Status)),
    ];

    const LEADS: Columns<'_> = &[
        ("lead", Some(Role::LeadId)),
        ("stock", Some(Role::Id)),
        ("rooftop", Some(Role::Rooftop)),
        ("agent", Some(Role::LeadAgent)),
        ("state", Some(Role::LeadState)),
        ("on", Some(Role::EventDate)),
    ];

    fn lot() -> Sources {
        let mut sources = own(
            CARS,
            &[
                &["K1", "Kia", "Rio", "9000 USD", ""],
                &["K2", "Kia", "EV9", "50000 USD", ""],
                &["F1", "Ford", "Focus", "12000 USD", ""],
                &["F2", "Ford", "Fiesta", "8000 USD", "sold"],
            ],
        );
        sources.leads = Some(kept(
            "Own leads",
            LEADS,
            &[
                &["1", "K1", "North", "Helper", "delivered", "2026-06-30"],
                &["2", "k1", "North", "Other", "delivered", "2026-06-20"],
                &["3", "F1", "South", "Helper", "failed", "2026-05-01"],
                &["4", "", "South", "Helper", "delivered", "2026-06-29"],
            ],
        ));
        sources
    }

    #[test]
    fn leads_by_rooftop_agent_and_state() {
        let found = intent(Skill::Leads).ask(&lot());
        assert_eq!(headline(&found), "4 of 4 leads.");
        assert_eq!(rows(&found), ["North|2|50", "South|2|50"]);
        assert_eq!(
            sentences(&found.details),
            [
                "By rooftop: North 2, South 2.",
                "By agent: Helper 3, Other 1.",
                "By state: delivered 3, failed 1.",
            ]
        );
        let found = intent(Skill::Leads)
            .with(|params| params.window = Some(11))
            .ask(&lot());
        assert_eq!(
            headline(&found),
            "3 of 4 leads in the 11 days up to 2026-06-30."
        );
    }

    #[test]
    fn by_car_with_its_name_and_narrowed_by_what_only_the_stock_knows() {
        let by_car = || {
            intent(Skill::Leads).with(|params| params.group_by = Some(ColumnName::Role(Role::Id)))
        };
        let found = by_car().ask(&lot());
        assert_eq!(
            rows(&found),
            [
                "F1|Ford Focus|1|25",
                "K1|Kia Rio|1|25",
                "k1|Kia Rio|1|25",
                "||1|25"
            ]
        );
        let found = by_car().only(is(Role::Make, "Kia")).ask(&lot());
        assert_eq!(headline(&found), "2 of 4 leads.");
        assert_eq!(found.evidence[0].rows_used, 2);
        let found = by_car().only(is(Role::LeadState, "failed")).ask(&lot());
        assert_eq!(headline(&found), "1 of 4 leads.");
    }

    #[test]
    fn available_cars_that_no_lead_names() {
        let without = Filter::Lacks {
            column: ColumnName::Role(Role::LeadId),
            negated: false,
        };
        let found = intent(Skill::Leads).only(without).ask(&lot());
        assert_eq!(headline(&found), "1 of 3 available units has no lead.");
        assert_eq!(rows(&found), ["K2|Kia EV9|50000 USD|"]);
    }

    #[test]
    fn numbers_of_leads_that_the_source_counts() {
        let columns: Columns<'_> = &[("stock", Some(Role::Id)), ("Leads", Some(Role::LeadCount))];
        let sources = own(
            columns,
            &[&["1", "3"], &["2", "0"], &["3", "5"], &["4", ""]],
        );
        let found = intent(Skill::Leads).ask(&sources);
        assert_eq!(headline(&found), "8 leads over 3 of 4 units.");
        assert_eq!(rows(&found), ["3||5", "1||3", "2||0"]);
        let found = intent(Skill::Leads)
            .with(|params| params.missing = vec![Role::LeadId])
            .ask(&sources);
        assert_eq!(headline(&found), "2 of 4 available units have no lead.");
    }

    #[test]
    fn no_leads_at_all() {
        let found = intent(Skill::Leads).ask(&own(CARS, &[&["K1", "Kia", "Rio", "1", ""]]));
        assert_eq!(
            headline(&found),
            "This cannot be answered: no column states lead id or number of leads; one of them would do."
        );
        let found = intent(Skill::Leads)
            .only(is(Role::LeadAgent, "nobody"))
            .ask(&lot());
        assert_eq!(found.outcome, Outcome::Nothing { rows: 4 });
    }
}
