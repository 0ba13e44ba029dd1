//! Which columns the values of a document's rows stand in.

use std::collections::{HashMap, HashSet};

use super::outline::{Outline, header};
use crate::table::aliases::{self, Strength};
use crate::table::{Limits, Role, Unreadable};

/// What the count of images is called.
const IMAGES: &str = "number of images";

/// The columns of a document, before any value is read.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) headers: Vec<String>,
    /// The column of each path of the outline.
    pub(super) of_paths: Vec<Option<usize>>,
    /// The columns whose values are addresses of images, where they are counted.
    pub(super) images: HashSet<usize>,
    /// The column of their number.
    pub(super) image_count: Option<usize>,
}

/// A path in a row that has values.
struct Place<'o> {
    path: usize,
    row: usize,
    /// The names below the row as they are written.
    written: Vec<&'o str>,
    is_google: bool,
}

impl Columns {
    /// The columns of the values in these rows. Where two names differ in their prefix alone, Google's has the
    /// plain header.
    ///
    /// # Errors
    /// There are more than the limit.
    pub(super) fn of(
        outline: &Outline,
        rows: &[usize],
        limits: &Limits,
    ) -> Result<Self, Unreadable> {
        let mut places: Vec<Place<'_>> = (1..outline.len())
            .filter_map(|path| Place::of(outline, rows, path))
            .collect();
        places.sort_by_key(|place| !place.is_google);
        let mut columns = Self {
            headers: Vec::new(),
            of_paths: vec![None; outline.len()],
            images: HashSet::new(),
            image_count: None,
        };
        let mut by_name: HashMap<&[&str], usize> = HashMap::new();
        let mut taken: HashSet<String> = HashSet::new();
        let mut repeats = false;
        for place in &places {
            let column = *by_name.entry(place.written.as_slice()).or_insert_with(|| {
                let header = place.header(outline, &taken);
                taken.insert(header.clone());
                columns.headers.push(header);
                columns.headers.len() - 1
            });
            columns.of_paths[place.path] = Some(column);
            if is_of_images(&columns.headers[column]) {
                columns.images.insert(column);
                repeats |= (outline.way_up(place.path))
                    .take_while(|step| *step != place.row)
                    .any(|step| outline.repeats(step));
            }
        }
        let has_count = (columns.headers.iter())
            .flat_map(|header| aliases::meanings(header))
            .any(|meaning| meaning == (Role::PhotoCount, Strength::Strong));
        if !has_count && (repeats || columns.images.len() > 1) {
            columns.image_count = Some(columns.headers.len());
            columns.headers.push(IMAGES.to_owned());
        }
        let found = columns.headers.len();
        if found > limits.columns {
            let limit = limits.columns;
            return Err(Unreadable::TooManyColumns { found, limit });
        }
        Ok(columns)
    }
}

impl<'o> Place<'o> {
    fn of(outline: &'o Outline, rows: &[usize], path: usize) -> Option<Self> {
        let row = outline
            .way_up(path)
            .find(|step| rows.binary_search(step).is_ok())?;
        let below: Vec<usize> = (outline.way_up(path))
            .take_while(|step| *step != row)
            .collect();
        let has_value = if below.is_empty() {
            outline.has_text(path)
        } else {
            has_column(outline, path)
        };
        let is_in_prose = || below.iter().skip(1).any(|step| outline.is_prose(*step));
        if !has_value || is_in_prose() {
            return None;
        }
        let names = below.iter().rev().map(|step| outline.name(*step));
        Some(Self {
            path,
            row,
            written: names.collect(),
            is_google: below.last().is_some_and(|top| outline.is_google(*top)),
        })
    }

    /// `price`, and `price (item)` where that is taken.
    fn header(&self, outline: &Outline, taken: &HashSet<String>) -> String {
        let row = outline.local_name(self.row);
        let header = header(&outline.way(self.path, self.row));
        match header.is_empty() {
            true => row.to_owned(),
            false if taken.contains(&header) => format!("{header} ({row})"),
            false => header,
        }
    }
}

/// True for a path in a row that a column is for.
fn has_column(outline: &Outline, path: usize) -> bool {
    if is_reference(outline, path) || outline.is_prose(path) {
        return true;
    }
    let outer = outline.parent(path);
    let is_told_otherwise = outline.is_attribute(path)
        && (is_reference(outline, outer)
            || (states_unit(outline.name(path)) && outline.has_text(outer)));
    outline.has_value(path) && !is_told_otherwise
}

/// True for Atom's `<link href="…"/>`, whose value is the address.
pub(super) fn is_reference(outline: &Outline, path: usize) -> bool {
    outline.local_name(path) == "link"
        && !outline.has_text(path)
        && outline.child(path, "href").is_some()
}

/// True for attributes that give the number in their element its meaning.
pub(super) fn states_unit(name: &str) -> bool {
    const NAMES: [&str; 7] = [
        "unit",
        "units",
        "uom",
        "unitcode",
        "currency",
        "currencycode",
        "currency_code",
    ];
    NAMES.iter().any(|unit| name.eq_ignore_ascii_case(unit))
}

/// True for a header whose values are addresses of images.
fn is_of_images(header: &str) -> bool {
    const FURTHER: [&str; 4] = [
        "additional_image_link",
        "additional_image",
        "additional_images",
        "additional_image_url",
    ];
    let meanings = aliases::meanings(header);
    let is_image =
        |(role, strength): &(Role, Strength)| *role == Role::Image && *strength > Strength::Weak;
    FURTHER.contains(&header) || meanings.iter().any(is_image)
}
