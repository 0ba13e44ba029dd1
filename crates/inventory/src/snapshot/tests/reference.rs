//! The rules of search and facets once more, one vehicle at a time and without any index.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use aap::inventory::{Filters, Sort, SortField, SortOrder};
use aap::vehicle::{Condition, Vehicle};
use serde_json::{Map, Value, json};

use crate::listing::Listing;

/// Comparison form. The random strings have no letter whose case folding is not its lower case.
fn plain(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

fn value(text: &Option<String>) -> Option<String> {
    text.as_deref().map(plain).filter(|text| !text.is_empty())
}

/// The listings that the filters leave.
pub(super) fn matching<'a>(stock: &'a [Listing], filters: &Filters) -> Vec<&'a Listing> {
    let within = |value: Option<f64>, least: Option<u64>, most: Option<u64>| {
        let free = least.is_none() && most.is_none();
        free || value.is_some_and(|value| {
            least.is_none_or(|least| value >= least as f64)
                && most.is_none_or(|most| value <= most as f64)
        })
    };
    let one_of = |wanted: &[String], text: &Option<String>| {
        wanted.is_empty()
            || value(text).is_some_and(|text| wanted.iter().any(|it| plain(it) == text))
    };
    let color = |wanted: &[String], text: &Option<String>| {
        wanted.is_empty()
            || value(text).is_some_and(|text| {
                wanted
                    .iter()
                    .any(|it| plain(it) == text || contains_phrase(&text, &plain(it)))
            })
    };
    let forgiving = match &filters.query {
        Some(query) => !stock.iter().any(|it| answers(&it.vehicle, query, false)),
        None => false,
    };
    let leaves = |listing: &Listing| {
        let it = &listing.vehicle;
        let number = |number: Option<u64>| number.map(|number| number as f64);
        one_of(&filters.make, &it.make)
            && one_of(&filters.model, &it.model)
            && one_of(&filters.trim, &it.trim)
            && one_of(&filters.fuel, &it.fuel)
            && one_of(&filters.body, &it.body)
            && one_of(&filters.transmission, &it.transmission)
            && one_of(&filters.driveline, &it.driveline)
            && one_of(&filters.charge_port, &it.charge_port)
            && color(&filters.exterior_color, &it.exterior_color)
            && color(&filters.interior_color, &it.interior_color)
            && (filters.condition.is_empty()
                || it
                    .condition
                    .is_some_and(|one| filters.condition.contains(&one)))
            && (filters.vehicle_type.is_empty() || filters.vehicle_type.contains(&it.kind()))
            && (filters.dc_fast_charge != Some(true) || it.dc_fast_charge == Some(true))
            && (filters.rooftops.is_empty()
                || listing
                    .rooftops
                    .iter()
                    .any(|name| filters.rooftops.contains(name)))
            && within(
                it.year.map(f64::from),
                filters.year_min.map(u64::from),
                filters.year_max.map(u64::from),
            )
            && within(number(it.price), filters.price_min, filters.price_max)
            && within(number(it.mileage), None, filters.mileage_max)
            && within(
                number(it.displacement_cc),
                filters.displacement_cc_min,
                filters.displacement_cc_max,
            )
            && within(
                it.electric_range_mi
                    .as_ref()
                    .and_then(serde_json::Number::as_f64),
                filters.electric_range_mi_min,
                filters.electric_range_mi_max,
            )
            && filters
                .vin
                .as_ref()
                .is_none_or(|vin| it.vin.as_deref() == Some(vin))
            && filters
                .stock
                .as_ref()
                .is_none_or(|stock| value(&it.stock) == Some(plain(stock)))
            && filters
                .query
                .as_ref()
                .is_none_or(|query| answers(it, query, forgiving))
    };
    stock.iter().filter(|listing| leaves(listing)).collect()
}

fn contains_phrase(text: &str, phrase: &str) -> bool {
    let (text, phrase) = (words(text), words(phrase));
    !phrase.is_empty() && text.windows(phrase.len()).any(|window| window == phrase)
}

fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in text.chars() {
        match words.last_mut() {
            Some(word) if letter.is_alphanumeric() => word.push(letter),
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// True when every chunk of the query stands in the vehicle's texts.
fn answers(it: &Vehicle, query: &str, forgiving: bool) -> bool {
    let year = it.year.map(|year| year.to_string());
    let texts = [
        &it.make,
        &it.model,
        &it.trim,
        &it.body,
        &it.exterior_color,
        &it.interior_color,
    ]
    .into_iter()
    .chain([&it.description, &it.stock, &year])
    .flatten()
    .chain(&it.features);
    let mut known = Vec::new();
    for text in texts {
        for chunk in plain(text).split(' ') {
            known.extend(words(chunk));
            known.push(words(chunk).concat());
        }
    }
    known.extend(
        it.model
            .as_deref()
            .map(|model| words(&plain(model)).concat()),
    );
    let stands = |word: &String| {
        known.iter().any(|other| {
            let pardon = forgiving && word.chars().count() >= 5;
            let lettered = |text: &str| text.chars().all(char::is_alphabetic);
            other.starts_with(word.as_str())
                || (pardon && lettered(word) && lettered(other) && one_edit_to_a_start(word, other))
        })
    };
    plain(query).split(' ').map(words).all(|chunk| {
        chunk.is_empty() || chunk.iter().all(stands) || (chunk.len() > 1 && stands(&chunk.concat()))
    })
}

fn one_edit_to_a_start(word: &str, other: &str) -> bool {
    let (word, other): (Vec<char>, Vec<char>) = (word.chars().collect(), other.chars().collect());
    (0..=other.len()).any(|end| distance(&word, &other[..end]) <= 1)
}

/// Insertions, deletions, replacements and swaps of neighbours from one word to the other.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
    for row in 0..=left.len() {
        for column in 0..=right.len() {
            table[row][column] = if row == 0 || column == 0 {
                row + column
            } else {
                let differs = usize::from(left[row - 1] != right[column - 1]);
                let mut least = (table[row - 1][column] + 1)
                    .min(table[row][column - 1] + 1)
                    .min(table[row - 1][column - 1] + differs);
                if row > 1
                    && column > 1
                    && left[row - 1] == right[column - 2]
                    && left[row - 2] == right[column - 1]
                {
                    least = least.min(table[row - 2][column - 2] + 1);
                }
                least
            };
        }
    }
    table[left.len()][right.len()]
}

/// Sorts listings; equal ones keep their order, which is that of the stock.
pub(super) fn sort(listings: &mut [&Listing], sort: Sort) {
    listings.sort_by(|left, right| {
        let (left, right) = (&left.vehicle, &right.vehicle);
        field(left, right, sort)
            .then_with(|| text(&left.stock, &right.stock, SortOrder::Asc))
            .then_with(|| text(&left.vin, &right.vin, SortOrder::Asc))
            .then_with(|| text(&left.vehicle_id, &right.vehicle_id, SortOrder::Asc))
            .then_with(|| text(&left.rooftop, &right.rooftop, SortOrder::Asc))
    });
}

fn field(left: &Vehicle, right: &Vehicle, Sort { field, order }: Sort) -> Ordering {
    let time = |it: &Vehicle| {
        it.updated_at
            .as_deref()
            .map(|text| text.parse::<jiff::Timestamp>().unwrap())
    };
    match field {
        SortField::Price => compare(left.price, right.price, order),
        SortField::ListPrice => compare(left.list_price, right.list_price, order),
        SortField::Msrp => compare(left.msrp, right.msrp, order),
        SortField::Mileage => compare(left.mileage, right.mileage, order),
        SortField::Year => compare(left.year, right.year, order),
        SortField::Make => text(&left.make, &right.make, order),
        SortField::Model => text(&left.model, &right.model, order),
        SortField::Stock => text(&left.stock, &right.stock, order),
        SortField::UpdatedAt => compare(time(left), time(right), order),
    }
}

fn text(left: &Option<String>, right: &Option<String>, order: SortOrder) -> Ordering {
    let key = |text: &Option<String>| {
        let folded = value(text)?;
        let cleaned = text
            .as_deref()?
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        Some((folded, cleaned))
    };
    compare(key(left), key(right), order)
}

fn compare<T: Ord>(left: Option<T>, right: Option<T>, order: SortOrder) -> Ordering {
    match (left, right) {
        (None, None) => Ordering::Equal,
        (None, _) => Ordering::Greater,
        (_, None) => Ordering::Less,
        (Some(left), Some(right)) if order == SortOrder::Asc => left.cmp(&right),
        (Some(left), Some(right)) => right.cmp(&left),
    }
}

/// The facets of `matches` as JSON, with spellings taken from the whole stock.
pub(super) fn facets(stock: &[Listing], matches: &[&Listing]) -> Value {
    let mut facets = Map::new();
    let mut term = |name: &str, of: &dyn Fn(&Vehicle) -> Option<String>| {
        let count = |listings: &mut dyn Iterator<Item = &Listing>| {
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for spelling in listings
                .filter_map(|it| of(&it.vehicle))
                .filter(|text| !plain(text).is_empty())
            {
                *counts
                    .entry(spelling.split_whitespace().collect::<Vec<_>>().join(" "))
                    .or_default() += 1;
            }
            counts
        };
        let spellings = count(&mut stock.iter());
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for (spelling, uses) in count(&mut matches.iter().copied()) {
            *counts.entry(plain(&spelling)).or_default() += uses;
        }
        let mut lines: Vec<(u64, String)> = counts
            .into_iter()
            .map(|(value, count)| (count, value))
            .collect();
        lines.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(&right.1)));
        let spelt = |value: &String| {
            let same = spellings
                .iter()
                .filter(|(spelling, _)| plain(spelling) == *value);
            let mut same: Vec<(&String, &u64)> = same.collect();
            same.sort_by(|left, right| right.1.cmp(left.1).then(left.0.cmp(right.0)));
            same[0].0.clone()
        };
        if !lines.is_empty() {
            let lines = lines
                .iter()
                .map(|(count, value)| json!({"value": spelt(value), "count": count}));
            facets.insert(name.to_owned(), lines.collect());
        }
    };
    term("makes", &|it| it.make.clone());
    term("models", &|it| it.model.clone());
    term("trims", &|it| it.trim.clone());
    term("conditions", &|it| {
        it.condition.map(|one| Condition::as_str(one).to_owned())
    });
    term("fuels", &|it| it.fuel.clone());
    term("bodies", &|it| it.body.clone());
    term("transmissions", &|it| it.transmission.clone());
    term("drivelines", &|it| it.driveline.clone());
    term("charge_ports", &|it| it.charge_port.clone());
    term("exterior_colors", &|it| it.exterior_color.clone());
    term("interior_colors", &|it| it.interior_color.clone());
    term("vehicle_types", &|it| Some(it.kind().as_str().to_owned()));
    term("dc_fast_charge", &|it| {
        it.dc_fast_charge.map(|yes| yes.to_string())
    });

    let mut years: BTreeMap<u16, u64> = BTreeMap::new();
    let mut rooftops: BTreeMap<&str, u64> = BTreeMap::new();
    for listing in matches {
        if let Some(year) = listing.vehicle.year {
            *years.entry(year).or_default() += 1;
        }
        for name in &listing.rooftops {
            *rooftops.entry(name).or_default() += 1;
        }
    }
    if !years.is_empty() {
        let lines = years
            .iter()
            .rev()
            .map(|(value, count)| json!({"value": value, "count": count}));
        facets.insert("years".to_owned(), lines.collect());
    }
    if !rooftops.is_empty() {
        let mut lines: Vec<_> = rooftops.into_iter().collect();
        lines.sort_by_key(|&(name, count)| (u64::MAX - count, name.to_lowercase()));
        let lines = lines
            .iter()
            .map(|(value, count)| json!({"value": value, "count": count}));
        facets.insert("rooftops".to_owned(), lines.collect());
    }

    let mut range = |name: &str, of: &dyn Fn(&Vehicle) -> Option<f64>| {
        let values = || matches.iter().filter_map(|it| of(&it.vehicle));
        if let (Some(min), Some(max)) = (values().reduce(f64::min), values().reduce(f64::max)) {
            let number = |value: f64| {
                if value.fract() == 0.0 {
                    json!(value as i64)
                } else {
                    json!(value)
                }
            };
            facets.insert(
                name.to_owned(),
                json!({"min": number(min), "max": number(max)}),
            );
        }
    };
    range("price_range", &|it| it.price.map(|it| it as f64));
    range("mileage_range", &|it| it.mileage.map(|it| it as f64));
    range("year_range", &|it| it.year.map(f64::from));
    range("displacement_cc_range", &|it| {
        it.displacement_cc.map(|it| it as f64)
    });
    range("electric_range_mi_range", &|it| {
        it.electric_range_mi.as_ref()?.as_f64()
    });
    Value::Object(facets)
}
