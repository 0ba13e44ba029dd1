//! Which column has which meaning: by its name, as far as its values fit.

use std::collections::HashSet;

use super::aliases::{self, Strength};
use super::identifiers::{Checked, check_gtin, check_vin};
use super::number::Parsed;
use super::{Column, Role, currency, date, number, role};

/// Rows that are looked at.
const SAMPLE: usize = 512;

/// A column that could have a meaning.
struct Candidate {
    column: usize,
    role: Role,
    /// Of two, the greater one has it.
    score: usize,
}

/// Some values of a column, from all over the table.
struct Sample<'c> {
    values: Vec<&'c str>,
    rows: usize,
}

/// Gives columns the roles that the seller states for their headers. Returns remarks on headers that are
/// not there.
pub(super) fn state(columns: &mut [Column], stated: &[(Role, &str)]) -> Vec<String> {
    let mut unknown = Vec::new();
    for (role, header) in stated {
        let named = |column: &&mut Column| {
            column.header().trim().to_lowercase() == header.trim().to_lowercase()
        };
        match columns.iter_mut().find(named) {
            Some(column) => column.set_role(*role),
            None => unknown.push(format!(
                "No column is called “{header}”, which is stated to be the {}.",
                role.name()
            )),
        }
    }
    unknown
}

/// Gives at most one column to each role and one role to each column; what has a role keeps it. Returns remarks on columns whose
/// values do not fit their name.
pub(super) fn assign(columns: &mut [Column], rows: usize) -> Vec<String> {
    let samples: Vec<Sample<'_>> = columns
        .iter()
        .map(|column| Sample::take(column, rows))
        .collect();
    let mut candidates = Vec::new();
    let mut remarks = Vec::new();
    for (at, (column, sample)) in columns.iter().zip(&samples).enumerate() {
        let mut meanings = aliases::meanings(column.header());
        if let Some(named) = named_beside(columns, column.header()) {
            meanings = named;
        }
        if meanings.is_empty() {
            meanings = sample.meaning_of_values();
        }
        for (role, strength) in meanings {
            if sample.fits(role, strength) {
                let score = sample.score(strength);
                candidates.push(Candidate {
                    column: at,
                    role,
                    score,
                });
            } else if strength == Strength::Strong {
                remarks.push(format!(
                    "The column “{}” is not read as its name says: fewer than half of its values are {}.",
                    column.header(),
                    expected(role)
                ));
            }
        }
    }
    if is_of_vehicles(&candidates) {
        prefer_vehicles(&mut candidates);
    }
    candidates.sort_by_key(|candidate| (std::cmp::Reverse(candidate.score), candidate.column));
    let mut taken: HashSet<Role> = columns.iter().filter_map(Column::role).collect();
    for Candidate { column, role, .. } in candidates {
        if columns[column].role().is_none() && taken.insert(role) {
            columns[column].set_role(role);
        }
    }
    remarks
}

/// Remarks on columns of single values for which some row had several: what is joined is no number and no day.
pub(super) fn unusable(columns: &[Column], joined: &[usize]) -> Vec<String> {
    let is_single = |role: Role| {
        role::is_amount(role) || role::is_whole(role) || role.is_date() || role == Role::Id
    };
    (joined.iter().map(|at| &columns[*at]))
        .filter(|column| column.role().is_some_and(is_single))
        .map(|column| {
            format!(
                "Some rows have several values of “{}”; they stand together in one cell and are not read as one.",
                column.header()
            )
        })
        .collect()
}

/// What `Option1 Value` or `Attribute 1 value(s)` holds, where `Option1 Name` or `Attribute 1 name` says the
/// same in all rows: Shopify, WooCommerce.
fn named_beside(columns: &[Column], header: &str) -> Option<Vec<(Role, Strength)>> {
    let lower = header.to_lowercase();
    let of = lower
        .strip_suffix("value")
        .or_else(|| lower.strip_suffix("value(s)"))?;
    let names = columns
        .iter()
        .find(|column| column.header().to_lowercase() == format!("{of}name"))?;
    let mut distinct = names.distinct();
    let (only, more) = (distinct.next()?, distinct.next());
    if more.is_some() {
        return None;
    }
    let mut meanings = aliases::meanings(names.symbol_text(only));
    meanings.retain(|(role, _)| matches!(role, Role::Colour | Role::Size | Role::Material));
    Some(meanings)
}

/// True where columns speak of vehicles: a VIN, or a model and two of its marks.
fn is_of_vehicles(candidates: &[Candidate]) -> bool {
    let has = |role: Role| candidates.iter().any(|candidate| candidate.role == role);
    let marks = [
        Role::Odometer,
        Role::Fuel,
        Role::Transmission,
        Role::Body,
        Role::Trim,
        Role::Year,
        Role::Make,
    ];
    let count = marks.into_iter().filter(|role| has(*role)).count();
    has(Role::Vin) || (has(Role::Model) && count >= 2)
}

/// Among vehicles, `manufacturer` is the make, and `stock` the stock number.
fn prefer_vehicles(candidates: &mut [Candidate]) {
    let has_make = candidates
        .iter()
        .any(|candidate| candidate.role == Role::Make);
    for candidate in candidates.iter_mut() {
        match candidate.role {
            Role::Brand if !has_make => candidate.role = Role::Make,
            Role::Id => candidate.score += 1,
            _ => {}
        }
    }
}

/// What values of a role are, for a remark.
fn expected(role: Role) -> &'static str {
    match role {
        Role::Vin => "vehicle identification numbers",
        Role::Gtin => "numbers of 8, 10, 12, 13 or 14 digits",
        Role::Currency => "currencies",
        Role::Year => "years",
        _ if role::is_amount(role) => "amounts",
        _ if role.is_date() => "dates",
        _ => "numbers",
    }
}

impl<'c> Sample<'c> {
    fn take(column: &'c Column, rows: usize) -> Self {
        let looked_at = (0..rows).step_by(rows / SAMPLE + 1);
        Self {
            rows: looked_at.len(),
            values: looked_at.filter_map(|row| column.text(row)).collect(),
        }
    }

    /// A surer name first, then the column with more values; one without any at last.
    fn score(&self, strength: Strength) -> usize {
        const OF_STRENGTH: usize = 10;
        if self.values.is_empty() {
            return 0;
        }
        let filled = self.values.len() * (OF_STRENGTH - 2) / self.rows.max(1);
        (1 + strength as usize) * OF_STRENGTH + filled
    }

    fn fits(&self, role: Role, strength: Strength) -> bool {
        if self.values.is_empty() {
            return strength == Strength::Strong;
        }
        match role {
            Role::Vin => self.most(|value| check_vin(value) != Checked::Malformed),
            Role::Gtin => self.most(|value| check_gtin(value) != Checked::Malformed),
            Role::Currency => self.most(|value| currency::sign(value).is_some()),
            Role::Year => self.most(is_year),
            // The same name also counts photos, or is what a shop calls its kinds of rows.
            Role::Image => !self.most(|value| number::parse(value).is_some()),
            Role::ProductType => !self.most(|value| is_condition(value) || is_kind_of_row(value)),
            Role::Condition if strength == Strength::Weak => self.most(is_condition),
            // A column that counts is no stock number.
            Role::Id if strength == Strength::Weak => !self.most(is_small_count),
            Role::Category if strength == Strength::Weak => self.repeats(),
            _ if role.is_date() => {
                self.most(|value| date::parse(value).is_some() || date::compact(value).is_some())
            }
            _ if role::is_amount(role) => {
                self.most(|value| number::parse(value).is_some_and(|parsed| !parsed.has_unit))
            }
            _ if role::is_whole(role) => self.most(|value| number::parse(value).is_some()),
            _ => true,
        }
    }

    /// What values say by themselves, whatever the column is called: only where nearly all agree.
    fn meaning_of_values(&self) -> Vec<(Role, Strength)> {
        const FEWEST: usize = 3;
        let nearly_all = |fits: fn(&str) -> bool| {
            let fitting = self.values.iter().filter(|value| fits(value)).count();
            self.values.len() >= FEWEST && fitting * 10 >= self.values.len() * 9
        };
        let is_vin = |value: &str| {
            check_vin(value) == Checked::Right
                && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        };
        let is_gtin = |value: &str| value.len() >= 12 && check_gtin(value) == Checked::Right;
        if nearly_all(is_vin) {
            vec![(Role::Vin, Strength::Weak)]
        } else if nearly_all(is_gtin) {
            vec![(Role::Gtin, Strength::Weak)]
        } else {
            Vec::new()
        }
    }

    fn most(&self, fits: impl Fn(&str) -> bool) -> bool {
        let fitting = self.values.iter().filter(|value| fits(value)).count();
        fitting * 2 >= self.values.len()
    }

    fn repeats(&self) -> bool {
        let distinct: HashSet<&&str> = self.values.iter().collect();
        distinct.len() * 2 <= self.values.len()
    }
}

fn is_year(value: &str) -> bool {
    value.len() == 4
        && value
            .parse()
            .is_ok_and(|year: u16| (1886..2200).contains(&year))
}

fn is_small_count(value: &str) -> bool {
    const MOST: i128 = 9_999;
    matches!(
        number::parse(value),
        Some(Parsed {
            mantissa: 0..=MOST,
            scale: 0,
            ..
        })
    )
}

fn is_condition(value: &str) -> bool {
    const CONDITIONS: [&str; 18] = [
        "new",
        "used",
        "certified",
        "cpo",
        "certified pre-owned",
        "refurbished",
        "demo",
        "neu",
        "gebraucht",
        "neuf",
        "occasion",
        "nuevo",
        "usado",
        "nuovo",
        "usato",
        "nieuw",
        "gebruikt",
        "pre-owned",
    ];
    CONDITIONS
        .iter()
        .any(|condition| value.eq_ignore_ascii_case(condition))
}

/// What shop programs call the kinds of their rows.
fn is_kind_of_row(value: &str) -> bool {
    const KINDS: [&str; 11] = [
        "simple",
        "variable",
        "variation",
        "configurable",
        "grouped",
        "virtual",
        "downloadable",
        "bundle",
        "external",
        "booking",
        "subscription",
    ];
    // WooCommerce: `simple, virtual`.
    let first = value.split(',').next().unwrap_or_default().trim();
    KINDS.iter().any(|kind| first.eq_ignore_ascii_case(kind))
}
