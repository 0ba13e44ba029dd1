//! From the names that lead to a value, in XML and JSON, to a header as tables have it.

use std::borrow::Cow;

use super::ReadOptions;
use super::aliases::{self, Meaning};
use super::field::Field;

/// What names mean in a file: by the aliases, and by the columns that the configuration names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'o> {
    options: &'o ReadOptions,
}

impl<'o> Names<'o> {
    pub(super) fn new(options: &'o ReadOptions) -> Self {
        Self { options }
    }

    /// The field that a header would feed, were it the only one.
    pub(super) fn field(self, header: &str) -> Option<Field> {
        let normalized = aliases::normalized(header);
        let is_it = |named: &String| named == header || aliases::normalized(named) == normalized;
        if self.options.price.column.as_ref().is_some_and(is_it) {
            return Some(Field::Price);
        }
        let named = self.options.columns.iter().find(|(_, named)| is_it(named));
        if let Some(field) = named.and_then(|(field, _)| Field::from_name(field)) {
            return Some(field);
        }
        match aliases::meaning(&normalized)? {
            Meaning::Sure(field) | Meaning::Weak(field, _) => Some(field),
            Meaning::Price(_) => Some(Field::Price),
            Meaning::Unread => None,
        }
    }

    /// How surely a header tells units apart: `None` when it does not, else the greater the surer.
    pub(super) fn identifies(self, header: &str) -> Option<u8> {
        let is_weak = || {
            let meaning = aliases::meaning(&aliases::normalized(header));
            matches!(meaning, Some(Meaning::Weak(..)))
        };
        match self.field(header)? {
            Field::Vin => Some(2),
            Field::Stock | Field::VehicleId if is_weak() => Some(0),
            Field::Stock | Field::VehicleId => Some(1),
            _ => None,
        }
    }

    /// The header of a value, given the names on the way to it within its record.
    ///
    /// All names, with points between, unless a shorter form has a known meaning and they have
    /// none: documents put fields into groups (`details`), lists into a wrapper (`photos.photo`),
    /// and a value below the name of what it is the value of (`mileage.value`).
    pub(super) fn header(self, path: &[&str]) -> String {
        let full = path.join(".");
        let known = |header: &String| self.field(header).is_some();
        if path.len() < 2 || known(&full) || is_cost(&full) {
            return full;
        }
        let ungrouped = without_groups(path);
        let forms = [
            Cow::Borrowed(&ungrouped[..]),
            Cow::Owned(without_list_names(&ungrouped, Keep::Wrapper)),
            Cow::Owned(without_list_names(&ungrouped, Keep::Entry)),
        ];
        let whole = forms.iter().map(|form| form.join("."));
        let valued = forms
            .iter()
            .filter_map(|form| self.without_value_name(form));
        whole
            .chain(valued)
            .find(|header| known(header) && !is_cost(header))
            .unwrap_or(full)
    }

    /// A path without a last name that only says that here is the value.
    fn without_value_name(self, path: &[&str]) -> Option<String> {
        let (last, rest) = path.split_last()?;
        let header = rest.join(".");
        let field = self.field(&header)?;
        let is_address = matches!(field, Field::Photos | Field::VdpUrl);
        let matches = match aliases::normalized(last).as_str() {
            "value" | "amount" | "text" => true,
            "name" => !is_address,
            "url" | "href" | "src" | "link" => is_address,
            _ => false,
        };
        matches.then_some(header)
    }
}

/// A cost stays one however deep it stands: `cost.value`, `pricing.invoice`.
fn is_cost(header: &str) -> bool {
    aliases::is_never_published(&aliases::normalized(header))
}

/// A path without names that only group others.
fn without_groups<'p>(path: &[&'p str]) -> Vec<&'p str> {
    const GROUPS: [&str; 24] = [
        "identification",
        "identifiers",
        "ids",
        "detail",
        "details",
        "info",
        "information",
        "general",
        "basic",
        "basics",
        "specs",
        "specification",
        "specifications",
        "attributes",
        "fields",
        "data",
        "pricing",
        "media",
        "vehicle",
        "vehicleinfo",
        "vehicledetails",
        "item",
        "unit",
        "car",
    ];
    let last = path.len() - 1;
    path.iter()
        .enumerate()
        .filter(|(at, name)| *at == last || !GROUPS.contains(&aliases::normalized(name).as_str()))
        .map(|(_, name)| *name)
        .collect()
}

/// Which name of a list stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// `photos` of `photos.photo`.
    Wrapper,
    /// `photo` of `photos.photo`.
    Entry,
}

fn without_list_names<'p>(path: &[&'p str], keep: Keep) -> Vec<&'p str> {
    let mut names: Vec<&str> = Vec::with_capacity(path.len());
    for name in path {
        match names.last_mut() {
            Some(wrapper) if is_list_of(wrapper, name) => {
                if keep == Keep::Entry {
                    *wrapper = name;
                }
            }
            _ => names.push(name),
        }
    }
    names
}

/// True for `photos` and `photo`, `image_list` and `image`.
fn is_list_of(wrapper: &str, entry: &str) -> bool {
    let (wrapper, entry) = (aliases::normalized(wrapper), aliases::normalized(entry));
    wrapper
        .strip_prefix(entry.as_str())
        .is_some_and(|rest| matches!(rest, "s" | "es" | "list" | "urls" | "set"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[track_caller]
    fn header(path: &str) -> String {
        let options = ReadOptions::new(date(2026, 5, 1));
        let names: Vec<&str> = path.split('/').collect();
        Names::new(&options).header(&names)
    }

    #[test]
    fn a_known_form_of_a_path_is_its_header() {
        for (path, expected) in [
            ("vin", "vin"),
            ("mileage/value", "mileage.value"),
            ("odometer/amount", "odometer"),
            ("details/make", "make"),
            ("vehicle/identification/vin", "vin"),
            ("make/name", "make"),
            ("photos/photo", "photos"),
            ("images/image/url", "image.url"),
            ("pictures/picture/src", "pictures"),
            ("features/feature/name", "features"),
            ("dealer/id", "dealer.id"),
            ("link/href", "link"),
        ] {
            assert_eq!(header(path), expected, "{path}");
        }
    }

    #[test]
    fn an_unknown_path_keeps_its_names_and_a_cost_stays_a_cost() {
        for path in [
            "location/city",
            "option/price",
            "dealer/url",
            "seller/description",
            "pricing/invoice",
            "cost/price",
            "price/cost/value",
        ] {
            assert_eq!(header(path), path.replace('/', "."), "{path}");
        }
    }
}
