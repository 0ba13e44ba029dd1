//! Days' supply and turn.

use std::collections::HashMap;

use jiff::civil::Date;
use rust_decimal::Decimal;

use super::age::{days_between, snapshot};
use super::selection::{Item, Selection};
use super::statistics::rounded;
use super::stock::Stock;
use super::{Asked, Refusal, fields, scope, words};
use crate::finding::{Grid, Sentence, Snapshot, counted, say};
use crate::question::ColumnName;
use crate::{Column, Filter, Finding, Role, Scope, Table, Value};

/// Days of sales that are looked at unless the question says otherwise.
const WINDOW: u32 = 30;

pub(crate) fn find(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    let table = asked.table();
    // A sold unit is never available, and the sold ones are counted here too.
    let mut scope = asked.intent.scope.clone();
    scope.filters.retain(|filter| *filter != Filter::Available);
    let sales = Sales::of(asked, &scope)?;
    let window = asked.intent.params.window.unwrap_or(WINDOW).max(1);
    let stock = Stock::of_table(table);
    let available = asked.stock.narrowed(|item| stock.is_available(item));
    let sold = sales.within(window);
    let group = asked.group();
    let whole = Rate {
        available: available.item_count(),
        sold: sold.item_count(),
        window,
    };
    let mut finding = asked.finding();
    finding.headline = whole.sentence(sales.end);
    if whole.sold == 0 {
        let headline = std::mem::take(&mut finding.headline);
        finding = asked.nothing(headline);
    } else if let Some(group) = &group {
        finding.grid = by_group(&available, &sold, group, window)?;
    }
    finding.rule.push(say!(
        "Days' supply is the available units × ",
        Value::Days(window.into()),
        " / the units sold in them; turn is 365 / days' supply. The days end on ",
        sales.end,
        ", the newest day that the source of the sales states."
    ));
    finding.rule.push(sales.rule());
    finding.rule.push(stock.rule());
    finding
        .limits
        .push(say!("This is the rate of past sales; it is no forecast."));
    if sales.are_departures {
        finding.limits.push(say!(
            "A unit that left the stock counts as sold; it may have been withdrawn or moved."
        ));
    }
    finding.evidence = asked.evidence(&[(sales.selection.table(), sold.row_count())]);
    Ok(finding)
}

/// Units that were sold, with the day.
struct Sales<'a> {
    selection: Selection<'a>,
    column: &'a Column,
    end: Date,
    are_departures: bool,
}

impl<'a> Sales<'a> {
    /// From the table's own dates of sale, else from the history of the stock.
    fn of(asked: &Asked<'_, 'a>, scope: &Scope) -> Result<Self, Refusal> {
        if let Some(column) = asked.table().column(Role::DateSold) {
            return Self::dated(asked.table(), column, scope, false);
        }
        if let Some(history) = asked.sources.history.as_deref()
            && asked.sources.own.is_some()
            && let Some(column) = history.column(Role::EventDate)
        {
            return Self::dated(history, column, scope, true);
        }
        Err(Refusal {
            because: Some(say!(
                "Days' supply needs the days on which units were sold, or a history of the own stock."
            )),
            ..Refusal::missing(&[Role::DateSold])
        })
    }

    fn dated(
        table: &'a Table,
        column: &'a Column,
        scope: &Scope,
        are_departures: bool,
    ) -> Result<Self, Refusal> {
        let Snapshot::Stated { date: end, .. } = snapshot(table) else {
            return Err(Refusal::missing(&[Role::DateSold]).seen_in(table));
        };
        let selection = scope::select(table, scope)
            .map_err(|refusal| refusal.seen_in(table))?
            .selection;
        let event = table.column(Role::Event);
        let selection = selection.narrowed(|item| {
            !are_departures
                || event
                    .and_then(|event| item.text(event))
                    .is_some_and(|event| event.eq_ignore_ascii_case("went"))
        });
        Ok(Self {
            selection,
            column,
            end,
            are_departures,
        })
    }

    /// The units sold in the days up to the end.
    fn within(&self, window: u32) -> Selection<'a> {
        self.selection.narrowed(|item: Item<'_, '_>| {
            item.rows().any(|row| {
                let date = self.column.date(row.of(self.column));
                let ago = date.and_then(|date| days_between(date, self.end));
                ago.is_some_and(|days| (0..i64::from(window)).contains(&days))
            })
        })
    }

    fn rule(&self) -> Sentence {
        if self.are_departures {
            say!(
                "Sold are the units that went, by ",
                Value::from(self.column.header()),
                " of ",
                Value::from(self.selection.table().name()),
                "."
            )
        } else {
            say!(
                "Sold are the rows with a date in ",
                Value::from(self.column.header()),
                "."
            )
        }
    }
}

/// Stock beside sales.
struct Rate {
    available: u64,
    sold: u64,
    window: u32,
}

impl Rate {
    fn supply(&self) -> Option<Decimal> {
        let stock = Decimal::from(self.available).checked_mul(self.window.into())?;
        Some(rounded(stock.checked_div(self.sold.into())?, 1))
    }

    fn turn(&self) -> Option<Decimal> {
        let stock = Decimal::from(self.available).checked_mul(self.window.into())?;
        let sold = Decimal::from(self.sold).checked_mul(365.into())?;
        Some(rounded(sold.checked_div(stock)?, 2))
    }

    fn sentence(&self, end: Date) -> Sentence {
        let facts = say!(
            counted(self.available, "unit"),
            " available, ",
            Value::Count(self.sold),
            " sold in the ",
            Value::Days(self.window.into()),
            " up to ",
            end
        );
        match (self.sold, self.supply()) {
            (0, _) | (_, None) => say!("No sales in the window: ", facts, "."),
            (_, Some(supply)) => {
                let mut sentence = say!(Value::Number(supply), " days' supply: ", facts);
                if let Some(turn) = self.turn() {
                    sentence.add(say!("; a turn of ", Value::Number(turn), " a year"));
                }
                say!(sentence, ".")
            }
        }
    }
}

/// Stock and sales of each group. None where the sales do not have the column.
fn by_group(
    available: &Selection<'_>,
    sold: &Selection<'_>,
    group: &ColumnName,
    window: u32,
) -> Result<Option<Grid>, Refusal> {
    let column = fields::column(available.table(), group)?;
    let Ok(sold_column) = fields::column(sold.table(), group) else {
        return Ok(None);
    };
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut rates: Vec<(Value, Rate)> = Vec::new();
    let mut count = |text: Option<&str>, change: &dyn Fn(&mut Rate)| {
        let folded = text.map_or_else(String::new, str::to_lowercase);
        let place = *places.entry(folded).or_insert_with(|| {
            let rate = Rate {
                available: 0,
                sold: 0,
                window,
            };
            rates.push((text.map_or(Value::None, Value::from), rate));
            rates.len() - 1
        });
        if let Some((_, rate)) = rates.get_mut(place) {
            change(rate);
        }
    };
    for item in available.items() {
        count(item.text(column), &|rate| rate.available += 1);
    }
    for item in sold.items() {
        count(item.text(sold_column), &|rate| rate.sold += 1);
    }
    // The slowest first: what has no sales at all, then by days' supply.
    rates.sort_by(|(_, one), (_, other)| {
        let key = |rate: &Rate| (rate.sold == 0, rate.supply(), rate.available);
        key(other).cmp(&key(one))
    });
    let header = words::header(available.table(), group);
    let mut grid = Grid::new(&[&header, "available", "sold", "days' supply", "turn"]);
    for (name, rate) in rates {
        let supply = if rate.sold == 0 {
            Value::from("no sales in the window")
        } else {
            rate.supply().map_or(Value::None, Value::Number)
        };
        grid.push(vec![
            name,
            Value::Count(rate.available),
            Value::Count(rate.sold),
            supply,
            rate.turn()
                .filter(|_| rate.sold > 0)
                .map_or(Value::None, Value::Number),
        ]);
    }
    Ok(Some(grid))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, is, kept, own, rows, sentences};
    use super::*;
    use crate::Skill;
    use crate::finding::Outcome;

    const COLUMNS: Columns<'_> = &[
        ("stock", Some(Role::Id)),
        ("make", Some(Role::Make)),
        ("sold", Some(Role::DateSold)),
        ("snapshot", Some(Role::SnapshotDate)),
    ];

    const LOT: &[&[&str]] = &[
        &["1", "Kia", "", "2026-06-30"],
        &["2", "Kia", "", "2026-06-30"],
        &["3", "Kia", "2026-06-30", "2026-06-30"],
        &["4", "Kia", "2026-06-01", "2026-06-30"],
        &["5", "Kia", "2026-05-31", "2026-06-30"],
        &["6", "Ford", "", "2026-06-30"],
        &["7", "Ford", "2026-01-01", "2026-06-30"],
        &["8", "Seat", "2026-06-15", "2026-06-30"],
    ];

    #[test]
    fn supply_and_turn_over_thirty_days() {
        let found = intent(Skill::Velocity).ask(&own(COLUMNS, LOT));
        // 3 × 30 / 3 = 30; 365 / 30 = 12.17.
        assert_eq!(
            headline(&found),
            "30 days' supply: 3 units available, 3 sold in the 30 days up to 2026-06-30; a turn of 12.17 a year."
        );
        assert_eq!(
            rows(&found),
            [
                "Ford|1|0|no sales in the window|",
                "Kia|2|2|30|12.17",
                "Seat|0|1|0|",
            ]
        );
    }

    #[test]
    fn the_window_of_the_question_and_unsold_units_alone_in_scope() {
        let found = intent(Skill::Velocity)
            .with(|params| params.window = Some(31))
            .only(Filter::Available)
            .only(is(Role::Make, "Kia"))
            .ask(&own(COLUMNS, LOT));
        // 2 × 31 / 3 = 20.67.
        assert!(headline(&found).starts_with("20.7 days' supply: 2 units available, 3 sold"));
    }

    #[test]
    fn the_history_tells_what_went() {
        let mut sources = own(&COLUMNS[..2], &[&["1", "Kia"], &["2", "Kia"]]);
        sources.history = Some(kept(
            "Own history",
            &[
                ("stock", Some(Role::Id)),
                ("make", Some(Role::Make)),
                ("event", Some(Role::Event)),
                ("on", Some(Role::EventDate)),
            ],
            &[
                &["7", "Kia", "went", "2026-06-10"],
                &["8", "Kia", "came", "2026-06-20"],
                &["9", "Kia", "went", "2026-04-20"],
            ],
        ));
        let found = intent(Skill::Velocity).ask(&sources);
        assert!(headline(&found).starts_with("60 days' supply: 2 units available, 1 sold"));
        assert_eq!(found.evidence[1].rows_used, 1);
        assert!(sentences(&found.limits)[1].starts_with("A unit that left"));
    }

    #[test]
    fn no_sales_and_no_dates_of_sale() {
        let found = intent(Skill::Velocity)
            .only(is(Role::Make, "Ford"))
            .ask(&own(COLUMNS, LOT));
        assert_eq!(found.outcome, Outcome::Nothing { rows: 2 });
        assert!(headline(&found).starts_with("No sales in the window: 1 unit available, 0 sold"));
        let found = intent(Skill::Velocity).ask(&own(&COLUMNS[..2], &[&["1", "Kia"]]));
        assert!(
            matches!(&found.outcome, Outcome::Unanswerable { missing, .. } if missing == &[Role::DateSold])
        );
    }
}
