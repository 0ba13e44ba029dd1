//! Where the catalog has holes: against a market file, or against its own grid.

use std::collections::BTreeMap;

use rust_decimal::Decimal;

use super::price::{Bands, Prices, is_vehicles, priced};
use super::selection::{Item, Selection};
use super::statistics::{Amounts, by_currency};
use super::{Asked, Refusal, fields, price_range, scope, words};
use crate::finding::{Grid, counted, say};
use crate::question::ColumnName;
use crate::{Currency, Finding, Money, Role, Table, Value};

/// Offers of the market from which on a step without own items is a gap.
const MARKET_AT_LEAST: u64 = 3;

pub(crate) fn find(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    let table = asked.table();
    let prices = Prices::needed(table)?;
    if let Some((low, high)) = asked.intent.params.between {
        return price_range::find(asked, low, high);
    }
    let group = asked
        .group()
        .ok_or_else(|| Refusal::missing(&[Role::Category]))?;
    let own = Priced::of(asked.stock, &prices, &group)?;
    let Some(market) = asked.sources.market() else {
        return Ok(alone(asked, &own, &group));
    };
    let offers = Prices::needed(market)
        .and_then(|prices| Ok((scope::select(market, &asked.intent.scope)?, prices)))
        .and_then(|(scoped, prices)| Priced::of(&scoped.selection, &prices, &group));
    match offers {
        Ok(offers) if !offers.is_empty() => Ok(beside(asked, &own, market, &offers, &group)),
        Ok(_) => {
            let mut finding = alone(asked, &own, &group);
            finding.limits.push(say!(
                "No row of ",
                Value::from(market.name()),
                " is in scope with a price, so nothing is compared with it."
            ));
            Ok(finding)
        }
        Err(_) => {
            let mut finding = alone(asked, &own, &group);
            finding.limits.push(say!(
                Value::from(market.name()),
                " has no column for the price, the ",
                words::column(table, &group),
                " or a condition of the scope, so nothing is compared with it."
            ));
            Ok(finding)
        }
    }
}

/// Prices by group and currency.
struct Priced {
    /// By group, folded, and as the data spells it.
    names: BTreeMap<String, String>,
    prices: Vec<(String, Money)>,
    rows: u64,
    ungrouped: u64,
}

impl Priced {
    fn of<'a>(
        selection: &Selection<'a>,
        prices: &Prices<'a>,
        group: &ColumnName,
    ) -> Result<Self, Refusal> {
        let column = fields::column(selection.table(), group)?;
        let mut found = Self {
            names: BTreeMap::new(),
            prices: Vec::new(),
            rows: selection.row_count(),
            ungrouped: 0,
        };
        for (item, price) in priced(selection, prices) {
            let item: Item<'a, '_> = item;
            let Some(name) = item.text(column) else {
                found.ungrouped += 1;
                continue;
            };
            let folded = name.to_lowercase();
            found
                .names
                .entry(folded.clone())
                .or_insert_with(|| name.to_owned());
            found.prices.push((folded, price));
        }
        Ok(found)
    }

    fn is_empty(&self) -> bool {
        self.prices.is_empty()
    }

    fn amounts(&self) -> Vec<Amounts> {
        by_currency(self.prices.iter().map(|(_, price)| *price))
    }

    /// How many items each group has on each step.
    fn cells(&self, currency: Option<Currency>, bands: &Bands) -> BTreeMap<(&str, usize), u64> {
        let mut cells = BTreeMap::new();
        for (group, price) in &self.prices {
            if price.currency == currency {
                let cell = (group.as_str(), bands.place(price.amount));
                *cells.entry(cell).or_default() += 1;
            }
        }
        cells
    }
}

/// A group on a price step.
struct Cell {
    name: Value,
    bounds: [Value; 2],
    own: u64,
    market: u64,
    verdict: &'static str,
    /// Large is worse.
    weight: Decimal,
}

fn beside<'a>(
    asked: &Asked<'_, 'a>,
    own: &Priced,
    market: &'a Table,
    offers: &Priced,
    group: &ColumnName,
) -> Finding {
    let mut finding = asked.finding();
    let mut found: Vec<Cell> = Vec::new();
    let mut compared = 0;
    let vehicles = is_vehicles(asked.table());
    let own_amounts = own.amounts();
    for amounts in offers.amounts() {
        let here = own_amounts
            .iter()
            .find(|own| own.currency == amounts.currency);
        let Some(here) = here else {
            finding.limits.push(say!(
                counted(amounts.count(), "row"),
                " of ",
                Value::from(market.name()),
                " in a currency that the own prices do not have are not compared."
            ));
            continue;
        };
        let both = by_currency(
            here.sorted
                .iter()
                .chain(&amounts.sorted)
                .map(|&amount| Money {
                    amount,
                    currency: amounts.currency,
                }),
        );
        let Some(both) = both.first() else { continue };
        let bands = Bands::over(vehicles, both);
        let own_cells = own.cells(amounts.currency, &bands);
        let cells = offers.cells(amounts.currency, &bands);
        compared += cells.len() as u64;
        for ((name, step), market) in cells {
            let own_count = own_cells.get(&(name, step)).copied().unwrap_or_default();
            let Some((verdict, weight)) = verdict(own_count, here.count(), market, amounts.count())
            else {
                continue;
            };
            let spelled = own.names.get(name).or_else(|| offers.names.get(name));
            found.push(Cell {
                name: spelled.map_or(Value::None, |name| Value::from(name.as_str())),
                bounds: bands.bounds(step, both),
                own: own_count,
                market,
                verdict,
                weight,
            });
        }
    }
    found.sort_by(|one, other| {
        one.verdict
            .cmp(other.verdict)
            .then(other.weight.cmp(&one.weight))
    });
    let gaps = found.iter().filter(|cell| cell.verdict == "gap").count() as u64;
    let thin = found.len() as u64 - gaps;
    finding.headline = say!(
        counted(gaps, "gap"),
        " and ",
        counted(thin, "thin spot"),
        " among ",
        Value::Count(compared),
        " combinations of ",
        words::column(asked.table(), group),
        " and price step that ",
        Value::from(market.name()),
        " has."
    );
    if found.is_empty() {
        let limits = std::mem::take(&mut finding.limits);
        finding = asked.nothing(finding.headline);
        finding.limits = limits;
    } else {
        let header = words::header(asked.table(), group);
        let mut grid = Grid::new(&[&header, "from", "below", "own", "market", "verdict"]);
        for cell in found {
            let [from, below] = cell.bounds;
            grid.push(vec![
                cell.name,
                from,
                below,
                Value::Count(cell.own),
                Value::Count(cell.market),
                Value::from(cell.verdict),
            ]);
        }
        finding.grid = Some(grid);
    }
    finding.rule.push(say!(
        "A gap has no own item where the market has at least 3; a spot is thin where the share of the own items is below half of the market's share."
    ));
    finding.rule.push(Bands::rule(vehicles));
    add_ungrouped(&mut finding, own);
    finding.limits.push(say!(
        "Groups of both sources are compared by their spelling alone."
    ));
    finding.evidence = asked.evidence(&[(market, offers.rows)]);
    finding
}

/// Whether a cell is a gap or thin, and how much it matters.
fn verdict(
    own: u64,
    own_all: u64,
    market: u64,
    market_all: u64,
) -> Option<(&'static str, Decimal)> {
    if own == 0 {
        return (market >= MARKET_AT_LEAST).then(|| ("gap", market.into()));
    }
    // own / own_all < 0.5 × market / market_all, without a division.
    let own_side = Decimal::from(own) * Decimal::from(market_all) * Decimal::TWO;
    let market_side = Decimal::from(market) * Decimal::from(own_all);
    (own_side < market_side).then(|| ("thin", market.into()))
}

fn alone(asked: &Asked<'_, '_>, own: &Priced, group: &ColumnName) -> Finding {
    let vehicles = is_vehicles(asked.table());
    let mut found: Vec<(u64, Vec<Value>)> = Vec::new();
    let mut all = 0;
    for amounts in own.amounts() {
        let bands = Bands::over(vehicles, &amounts);
        let cells = own.cells(amounts.currency, &bands);
        let names: Vec<&str> = own
            .names
            .keys()
            .map(String::as_str)
            .filter(|name| {
                (0..bands.count(&amounts)).any(|step| cells.contains_key(&(*name, step)))
            })
            .collect();
        for name in names {
            for step in 0..bands.count(&amounts) {
                all += 1;
                let count = cells.get(&(name, step)).copied().unwrap_or_default();
                if count <= 1 {
                    let [from, below] = bands.bounds(step, &amounts);
                    let spelled = Value::from(own.names[name].as_str());
                    found.push((count, vec![spelled, from, below, Value::Count(count)]));
                }
            }
        }
    }
    let empty = found.iter().filter(|(count, _)| *count == 0).count() as u64;
    let single = found.len() as u64 - empty;
    let headline = say!(
        Value::Count(empty),
        " of ",
        Value::Count(all),
        " combinations of ",
        words::column(asked.table(), group),
        " and price step are empty, ",
        Value::Count(single),
        " have a single item."
    );
    let mut finding = if found.is_empty() {
        asked.nothing(headline)
    } else {
        let mut finding = asked.finding();
        finding.headline = headline;
        found.sort_by_key(|(count, _)| *count);
        let header = words::header(asked.table(), group);
        let mut grid = Grid::new(&[&header, "from", "below", "items"]);
        found.into_iter().for_each(|(_, row)| grid.push(row));
        finding.grid = Some(grid);
        finding
    };
    finding.rule.push(say!(
        "Every group is looked at on every price step between the lowest and the highest own price of the same currency."
    ));
    finding.rule.push(Bands::rule(vehicles));
    add_ungrouped(&mut finding, own);
    finding.limits.push(say!(
        "No market file is compared, so no demand is known: an empty combination may be empty for a good reason."
    ));
    finding
}

fn add_ungrouped(finding: &mut Finding, own: &Priced) {
    if own.ungrouped > 0 {
        finding.limits.push(say!(
            counted(own.ungrouped, "priced item"),
            " without a group left out."
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, own, rows, sentences};
    use super::*;
    use crate::Skill;
    use crate::finding::Outcome;

    const COLUMNS: Columns<'_> = &[
        ("sku", Some(Role::Id)),
        ("type", Some(Role::Category)),
        ("price", Some(Role::Price)),
    ];

    const OWN: &[&[&str]] = &[
        &["1", "Chairs", "12 EUR"],
        &["2", "Chairs", "15 EUR"],
        &["3", "Chairs", "70 EUR"],
        &["4", "Tables", "30 EUR"],
        &["5", "", "30 EUR"],
        &["6", "Tables", ""],
    ];

    #[test]
    fn empty_and_single_cells_of_the_own_grid() {
        let found = intent(Skill::Gaps).ask(&own(COLUMNS, OWN));
        // Steps 10, 20, 50: chairs 2, 0, 1; tables 0, 1, 0.
        assert_eq!(
            headline(&found),
            "3 of 6 combinations of type and price step are empty, 2 have a single item."
        );
        assert_eq!(
            rows(&found),
            [
                "Chairs|20 EUR|50 EUR|0",
                "Tables|10 EUR|20 EUR|0",
                "Tables|50 EUR|100 EUR|0",
                "Chairs|50 EUR|100 EUR|1",
                "Tables|20 EUR|50 EUR|1",
            ]
        );
        assert!(sentences(&found.limits)[0].starts_with("1 priced item without a group"));
        assert!(sentences(&found.limits)[1].starts_with("No market file"));
    }

    #[test]
    fn against_a_market_gaps_need_three_offers_and_thin_half_of_the_share() {
        let market: &[&[&str]] = &[
            &["a", "chairs", "25 EUR"],
            &["b", "Chairs", "26 EUR"],
            &["c", "Chairs", "27 EUR"],
            &["d", "Tables", "12 EUR"],
            &["e", "Tables", "13 EUR"],
            &["f", "Chairs", "75 EUR"],
            &["g", "Tables", "30 USD"],
            &["h", "Chairs", "11 EUR"],
        ];
        let found =
            intent(Skill::Gaps).ask(&own(COLUMNS, OWN).attach("market.csv", COLUMNS, market));
        // Chairs 20-50: 0 of ours, 3 of theirs. Tables 10-20: only 2 of theirs.
        assert_eq!(rows(&found), ["Chairs|20 EUR|50 EUR|0|3|gap"]);
        assert_eq!(
            headline(&found),
            "1 gap and 0 thin spots among 4 combinations of type and price step that market.csv has."
        );
        assert_eq!(found.evidence[1].rows_used, 8);
        assert!(sentences(&found.limits)[0].contains("currency that the own prices do not have"));
        let thin: &[&[&str]] = &[
            &["a", "Chairs", "55 EUR"],
            &["b", "Chairs", "60 EUR"],
            &["c", "Chairs", "80 EUR"],
            &["d", "Chairs", "90 EUR"],
        ];
        // Ours: 1 of 4 priced with a group; theirs: 4 of 4. 0.25 is below 0.5.
        let found = intent(Skill::Gaps).ask(&own(COLUMNS, OWN).attach("market.csv", COLUMNS, thin));
        assert_eq!(rows(&found), ["Chairs|50 EUR|100 EUR|1|4|thin"]);
    }

    #[test]
    fn a_full_grid_has_no_gap_and_no_price_cannot_be_answered() {
        let full: &[&[&str]] = &[&["1", "Chairs", "12 EUR"], &["2", "Chairs", "12 EUR"]];
        let found = intent(Skill::Gaps).ask(&own(COLUMNS, full));
        assert_eq!(found.outcome, Outcome::Nothing { rows: 2 });
        let found = intent(Skill::Gaps).ask(&own(&COLUMNS[..2], full));
        assert!(
            matches!(&found.outcome, Outcome::Unanswerable { missing, .. } if missing == &[Role::Price])
        );
        let no_group = [COLUMNS[0], COLUMNS[2]];
        let found = intent(Skill::Gaps).ask(&own(&no_group, &[&["1", "5"]]));
        assert!(
            matches!(&found.outcome, Outcome::Unanswerable { missing, .. } if missing == &[Role::Category])
        );
    }
}
