//! Which fields are missing or wrong.

use super::fields::Field;
use super::groups::{self, Group};
use super::price::{Prices, is_vehicles};
use super::selection::Item;
use super::statistics::share;
use super::{Asked, Refusal, words};
use crate::finding::{Grid, Sentence, counted, listed, say};
use crate::question::ColumnName;
use crate::table::{Checked, check_gtin, check_vin};
use crate::{Column, Finding, Role, Table, Value};

/// What Google's product feed asks of every product, as far as one column says it.
const PRODUCT: [Role; 8] = [
    Role::Id,
    Role::Title,
    Role::Description,
    Role::Link,
    Role::Image,
    Role::Availability,
    Role::Price,
    Role::Brand,
];

/// What Google's vehicle feed asks of every vehicle.
const VEHICLE: [Role; 10] = [
    Role::Vin,
    Role::Rooftop,
    Role::Image,
    Role::Link,
    Role::Price,
    Role::Condition,
    Role::Make,
    Role::Model,
    Role::Year,
    Role::Odometer,
];

/// Google cuts a title beyond this many characters.
const TITLE_AT_MOST: usize = 150;

/// How many ids of faulty items stand beside a field.
const EXAMPLES: usize = 3;

pub(crate) fn find(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    if asked.intent.params.missing.is_empty() {
        Ok(whole(asked))
    } else {
        lacking(asked)
    }
}

/// The items without the fields that the question names.
fn lacking(asked: &Asked<'_, '_>) -> Result<Finding, Refusal> {
    let table = asked.table();
    let roles = &asked.intent.params.missing;
    let absent: Vec<Role> = roles
        .iter()
        .copied()
        .filter(|&role| Field::of_role(table, role).is_none())
        .collect();
    if !absent.is_empty() {
        return Err(Refusal::missing(&absent));
    }
    let fields: Vec<(Role, Field<'_>)> = roles
        .iter()
        .filter_map(|&role| Some((role, Field::of_role(table, role)?)))
        .collect();
    let prices = Prices::of_table(table);
    let mut grid = Grid::new(&["id", "item", "price", "missing"]);
    let mut counts = vec![0; fields.len()];
    for item in asked.stock.items() {
        let mut names = Vec::new();
        for ((role, field), count) in fields.iter().zip(&mut counts) {
            if !field.is_filled_in(item) {
                *count += 1;
                names.push(words::lacked(*role));
            }
        }
        if !names.is_empty() {
            let price = prices.as_ref().and_then(|prices| item.price(prices));
            grid.push(vec![
                item.id(),
                item.label(),
                price.map_or(Value::None, Value::Money),
                Value::Text(names.join(", ")),
            ]);
        }
    }
    let all = asked.stock.item_count();
    let names = fields
        .iter()
        .map(|(role, _)| Value::from(words::lacked(*role)))
        .collect();
    let names = listed(names, 8, " or ");
    let mut headline = say!(
        Value::Count(grid.total()),
        " of ",
        counted(all, "item"),
        if grid.total() == 1 {
            " has no "
        } else {
            " have no "
        },
        names.clone(),
        "."
    );
    if grid.total() == 0 {
        headline = say!("None of ", counted(all, "item"), " lacks ", names, ".");
    }
    let mut finding = if grid.total() == 0 {
        asked.nothing(headline)
    } else {
        let mut finding = asked.finding();
        finding.headline = headline;
        if fields.len() > 1 {
            for ((role, _), count) in fields.iter().zip(counts) {
                let words = if count == 1 {
                    " item has no "
                } else {
                    " items have no "
                };
                finding
                    .details
                    .push(say!(Value::Count(count), words, words::lacked(*role), "."));
            }
        }
        finding.grid = Some(match &asked.intent.params.group_by {
            Some(group) => lacking_by_group(asked, group, &fields)?,
            None => grid,
        });
        finding
    };
    for (role, field) in &fields {
        finding.rule.push(match field {
            Field::Price(prices) => prices.rule(),
            Field::Photos(..) => say!(
                "Photos are missing where ",
                field.header(),
                " is empty and no count of photos is above zero."
            ),
            Field::Text(_) => say!("The ", role.name(), " is read from ", field.header(), "."),
        });
    }
    add_items_rule(&mut finding, table);
    Ok(finding)
}

/// How many items of each group lack one of the fields, most first.
fn lacking_by_group(
    asked: &Asked<'_, '_>,
    group: &ColumnName,
    fields: &[(Role, Field<'_>)],
) -> Result<Grid, Refusal> {
    let header = words::header(asked.table(), group);
    let mut lines: Vec<(u64, Vec<Value>)> = Vec::new();
    for Group { name, items } in groups::of(asked.stock, group)? {
        let lacking = items
            .items()
            .filter(|item| fields.iter().any(|(_, field)| !field.is_filled_in(*item)))
            .count() as u64;
        let all = items.item_count();
        let line = vec![
            name,
            Value::Count(all),
            Value::Count(lacking),
            share(lacking, all),
        ];
        lines.push((lacking, line));
    }
    lines.sort_by_key(|(lacking, _)| std::cmp::Reverse(*lacking));
    let mut grid = Grid::new(&[&header, "items", "missing", "share missing"]);
    lines.into_iter().for_each(|(_, line)| grid.push(line));
    Ok(grid)
}

/// Every field of the feed.
fn whole(asked: &Asked<'_, '_>) -> Finding {
    let table = asked.table();
    let vehicles = is_vehicles(table);
    let required: &[Role] = if vehicles { &VEHICLE } else { &PRODUCT };
    let all = asked.stock.item_count();
    let present: Vec<Field<'_>> = required
        .iter()
        .filter_map(|&role| Field::of_role(table, role))
        .collect();
    let complete = asked
        .stock
        .items()
        .filter(|item| present.iter().all(|field| field.is_filled_in(*item)));
    let incomplete = all - complete.count() as u64;
    let absent: Vec<Value> = required
        .iter()
        .filter(|&&role| Field::of_role(table, role).is_none())
        .map(|role| Value::from(role.name()))
        .collect();
    let lines: Vec<Line> = roles(table, required)
        .into_iter()
        .map(|role| Line::of(asked, role, required.contains(&role)))
        .collect();
    let wrong: u64 = lines.iter().map(|line| line.wrong).sum();
    let headline = say!(
        Value::Count(incomplete),
        " of ",
        counted(all, "item"),
        if incomplete == 1 { " lacks" } else { " lack" },
        " a value in a required column; ",
        counted(wrong, "value"),
        if wrong == 1 {
            " is wrong."
        } else {
            " are wrong."
        }
    );
    let mut finding = if incomplete == 0 && wrong == 0 && absent.is_empty() {
        asked.nothing(headline)
    } else {
        let mut finding = asked.finding();
        finding.headline = headline;
        finding
    };
    if !absent.is_empty() {
        finding.details.push(say!(
            "No column states ",
            listed(absent, required.len(), " or "),
            ", which ",
            if vehicles {
                "a Google vehicle feed"
            } else {
                "a Google product feed"
            },
            " requires."
        ));
    }
    finding.details.extend(lines.iter().filter_map(Line::fault));
    let mut grid = Grid::new(&[
        "field",
        "column",
        "required",
        "filled",
        "missing",
        "share filled",
        "wrong",
        "missing in",
    ]);
    lines.into_iter().for_each(|line| grid.push(line.row(all)));
    finding.grid = Some(grid);
    finding.rule = rules(vehicles);
    add_items_rule(&mut finding, table);
    finding
}

fn rules(vehicles: bool) -> Vec<Sentence> {
    let required = if vehicles {
        say!(
            "Required is what a Google vehicle feed asks for: VIN, store, image, link, price, condition, make, model, year, odometer."
        )
    } else {
        say!(
            "Required is what a Google product feed asks for: id, title, description, link, image, availability, price, brand."
        )
    };
    vec![
        required,
        say!(
            "Wrong are VINs that are not 17 letters and digits without I, O and Q, or, where they begin with 1 to 5, whose check digit is wrong; GTINs that are not 8, 12, 13 or 14 digits (10 for an ISBN) or whose check digit is wrong; titles of more than 150 characters; prices of zero or less."
        ),
    ]
}

fn add_items_rule(finding: &mut Finding, table: &Table) {
    if table.items().is_some() {
        finding.rule.push(say!(
            "A product with variants lacks a field only where none of its rows has it."
        ));
    }
}

/// The required fields, then every other column whose meaning is known.
fn roles(table: &Table, required: &[Role]) -> Vec<Role> {
    let mut roles = required.to_vec();
    for role in table.columns().iter().filter_map(Column::role) {
        let is_said = roles.contains(&role)
            || (role == Role::PhotoCount && roles.contains(&Role::Image))
            || matches!(role, Role::Group);
        if !is_said {
            roles.push(role);
        }
    }
    roles
}

fn fault(checked: Checked) -> Option<&'static str> {
    match checked {
        Checked::Malformed => Some("malformed"),
        Checked::Wrong => Some("a wrong check digit"),
        Checked::Right => None,
    }
}

/// How one field is filled.
struct Line {
    role: Role,
    header: Value,
    is_required: bool,
    filled: u64,
    wrong: u64,
    /// Ids of items without a value.
    missing_in: Vec<Value>,
    /// The first wrong value and what is wrong with it.
    first_wrong: Option<(Value, &'static str)>,
}

impl Line {
    fn of(asked: &Asked<'_, '_>, role: Role, is_required: bool) -> Self {
        let table = asked.table();
        let field = Field::of_role(table, role);
        let mut line = Self {
            role,
            header: field.as_ref().map_or(Value::None, Field::header),
            is_required,
            filled: 0,
            wrong: 0,
            missing_in: Vec::new(),
            first_wrong: None,
        };
        let Some(field) = field else {
            return line;
        };
        for item in asked.stock.items() {
            if field.is_filled_in(item) {
                line.filled += 1;
            } else if line.missing_in.len() < EXAMPLES {
                line.missing_in.push(item.id());
            }
            line.judge(item);
        }
        line
    }

    /// Counts what is wrong in the rows of an item.
    fn judge<'a>(&mut self, item: Item<'a, '_>) {
        let Some(column) = item.table.column(self.role) else {
            return;
        };
        for row in item.rows() {
            let Some(text) = column.text(row.row) else {
                continue;
            };
            let is_negative = || {
                let price = column.money(row.row);
                price.is_some_and(|price| price.amount <= rust_decimal::Decimal::ZERO)
            };
            let fault = match self.role {
                Role::Vin => fault(check_vin(text)),
                Role::Gtin => fault(check_gtin(text)),
                Role::Title if text.chars().count() > TITLE_AT_MOST => {
                    Some("more than 150 characters")
                }
                Role::Price if is_negative() => Some("zero or less"),
                _ => None,
            };
            if let Some(fault) = fault {
                self.wrong += 1;
                self.first_wrong.get_or_insert((item.id(), fault));
            }
        }
    }

    fn fault(&self) -> Option<Sentence> {
        let (id, fault) = self.first_wrong.as_ref()?;
        Some(say!(
            self.role.name(),
            ": ",
            counted(self.wrong, "wrong value"),
            ", the first in ",
            id.clone(),
            " (",
            *fault,
            ")."
        ))
    }

    fn row(self, all: u64) -> Vec<Value> {
        let missing_in: Vec<String> = self
            .missing_in
            .iter()
            .map(crate::render::format::words)
            .collect();
        vec![
            Value::from(self.role.name()),
            self.header.clone(),
            Value::from(if self.is_required { "yes" } else { "no" }),
            Value::Count(self.filled),
            Value::Count(all - self.filled),
            share(self.filled, all),
            Value::Count(self.wrong),
            if self.header == Value::None {
                Value::from("no column")
            } else if missing_in.is_empty() {
                Value::None
            } else {
                Value::Text(missing_in.join(", "))
            },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Columns, headline, intent, own, rows, sentences};
    use super::*;
    use crate::Skill;
    use crate::finding::Outcome;

    const CARS: Columns<'_> = &[
        ("stock", Some(Role::Id)),
        ("vin", Some(Role::Vin)),
        ("make", Some(Role::Make)),
        ("model", Some(Role::Model)),
        ("price", Some(Role::Price)),
        ("photos", Some(Role::PhotoCount)),
    ];

    const LOT: &[&[&str]] = &[
        &["1", "1M8GDM9AXKP042788", "MCI", "102", "9000 USD", "12"],
        &["2", "1M8GDM9A1KP042788", "MCI", "102", "0 USD", "0"],
        &["3", "", "Kia", "", "9000 USD", ""],
    ];

    #[test]
    fn a_vehicle_feed_is_measured_against_what_google_requires() {
        let found = intent(Skill::FeedQuality).ask(&own(CARS, LOT));
        assert_eq!(
            headline(&found),
            "2 of 3 items lack a value in a required column; 2 values are wrong."
        );
        assert_eq!(
            sentences(&found.details),
            [
                "No column states rooftop, link, condition, year or odometer, which a Google vehicle feed requires.",
                "VIN: 1 wrong value, the first in 2 (a wrong check digit).",
                "price: 1 wrong value, the first in 2 (zero or less).",
            ]
        );
        let rows = rows(&found);
        assert_eq!(rows[0], "VIN|vin|yes|2|1|66.7|1|3");
        assert_eq!(rows[1], "rooftop||yes|0|3|0|0|no column");
        assert_eq!(rows[2], "image|photos|yes|1|2|33.3|0|2, 3");
        assert_eq!(rows[10], "id|stock|no|3|0|100|0|");
        assert_eq!(rows.len(), 11);
    }

    #[test]
    fn what_lacks_photos_is_listed_with_ids() {
        let found = intent(Skill::FeedQuality)
            .with(|params| params.missing = vec![Role::Image])
            .ask(&own(CARS, LOT));
        assert_eq!(headline(&found), "2 of 3 items have no image.");
        assert_eq!(rows(&found), ["2|MCI 102||image", "3|Kia|9000 USD|image"]);
        let found = intent(Skill::FeedQuality)
            .with(|params| params.missing = vec![Role::Vin, Role::Price])
            .ask(&own(CARS, LOT));
        assert_eq!(headline(&found), "2 of 3 items have no VIN or price.");
        assert_eq!(
            sentences(&found.details),
            ["1 item has no VIN.", "1 item has no price."]
        );
        let found = intent(Skill::FeedQuality)
            .with(|params| {
                params.missing = vec![Role::Image];
                params.group_by = Some(ColumnName::Role(Role::Make));
            })
            .ask(&own(CARS, LOT));
        assert_eq!(rows(&found), ["MCI|2|1|50", "Kia|1|1|100"]);
        let found = intent(Skill::FeedQuality)
            .with(|params| params.missing = vec![Role::Make])
            .ask(&own(CARS, LOT));
        assert_eq!(found.outcome, Outcome::Nothing { rows: 3 });
        let found = intent(Skill::FeedQuality)
            .with(|params| params.missing = vec![Role::Make, Role::Description])
            .ask(&own(CARS, LOT));
        assert!(
            matches!(&found.outcome, Outcome::Unanswerable { missing, .. } if missing == &[Role::Description])
        );
    }

    #[test]
    fn a_variant_without_a_title_lacks_nothing() {
        let columns: Columns<'_> = &[
            ("id", Some(Role::Id)),
            ("handle", Some(Role::Group)),
            ("title", Some(Role::Title)),
            ("description", Some(Role::Description)),
            ("link", Some(Role::Link)),
            ("image", Some(Role::Image)),
            ("availability", Some(Role::Availability)),
            ("price", Some(Role::Price)),
            ("brand", Some(Role::Brand)),
            ("gtin", Some(Role::Gtin)),
        ];
        let lead: &[&str] = &[
            "1", "mug", "Mug", "A mug", "l", "i", "in stock", "5", "B", "96385074",
        ];
        let variant: &[&str] = &["2", "mug", "", "", "", "", "", "6", "", "96385075"];
        let found = intent(Skill::FeedQuality).ask(&own(columns, &[lead, variant]));
        assert_eq!(
            headline(&found),
            "0 of 1 item lack a value in a required column; 1 value is wrong."
        );
        let found = intent(Skill::FeedQuality).ask(&own(columns, &[lead]));
        assert_eq!(found.outcome, Outcome::Nothing { rows: 1 });
    }
}
