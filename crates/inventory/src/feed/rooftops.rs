//! Which rooftop a row belongs to.

use std::collections::{HashMap, HashSet};

use aap::text::fold;

use super::ReadOptions;

/// The dealer's rooftops by what feeds call them.
#[derive(Debug)]
pub(super) struct Rooftops<'a> {
    by_feed_id: HashMap<String, &'a str>,
    by_name: HashMap<String, &'a str>,
    /// Ids and names of the rooftops that the feed does not cover.
    elsewhere: HashSet<String>,
    /// Where a row that names no rooftop belongs.
    fallback: Option<&'a str>,
}

/// Where a row belongs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// This rooftop.
    Rooftop(&'a str),
    /// Nothing is known of the dealer's rooftops, and the row names none.
    NotStated,
    /// The dealer has rooftops, and the row is of none of them.
    Unknown,
}

impl<'a> Rooftops<'a> {
    pub(super) fn new(options: &'a ReadOptions) -> Self {
        let rooftops = &options.rooftops;
        let only = match rooftops.as_slice() {
            [(_, name)] => Some(name.as_str()),
            _ => None,
        };
        Self {
            by_feed_id: rooftops
                .iter()
                .filter_map(|(id, name)| Some((fold(id)?, name.as_str())))
                .collect(),
            by_name: rooftops
                .iter()
                .filter_map(|(_, name)| Some((fold(name)?, name.as_str())))
                .collect(),
            elsewhere: options
                .other_rooftops
                .iter()
                .flat_map(|(id, name)| [fold(id), fold(name)])
                .flatten()
                .collect(),
            fallback: options.default_rooftop.as_deref().or(only),
        }
    }

    /// The place of a row with these dealer ids and this dealer name, blank cells left out.
    ///
    /// A row that names a covered rooftop, by its feed id or its name, belongs there, and one that
    /// names another rooftop of the dealer does not belong here. Where feed ids are configured, a
    /// row with an unknown id is another dealer's; so is a row with an unknown name where the feed
    /// covers several rooftops, since guessing one would publish it at the wrong address. What is
    /// left goes to the default rooftop, and without one to the dealer that the row names.
    pub(super) fn place<'r>(&self, ids: &[&'r str], name: Option<&'r str>) -> Place<'r>
    where
        'a: 'r,
    {
        let by_id = |id: &&str| self.by_feed_id.get(&fold(id)?);
        let by_name = |name: &&str| self.by_name.get(&fold(name)?);
        let covered = ids
            .iter()
            .find_map(by_id)
            .or_else(|| ids.iter().chain(&name).find_map(by_name));
        if let Some(rooftop) = covered {
            return Place::Rooftop(rooftop);
        }
        let elsewhere = |text: &&str| fold(text).is_some_and(|text| self.elsewhere.contains(&text));
        let unknown_id = !self.by_feed_id.is_empty() && !ids.is_empty();
        let unknown_name = self.by_name.len() > 1 && name.is_some();
        if ids.iter().chain(&name).any(elsewhere) || unknown_id || unknown_name {
            return Place::Unknown;
        }
        match (self.fallback, name) {
            (Some(fallback), _) => Place::Rooftop(fallback),
            (None, _) if !self.by_name.is_empty() => Place::Unknown,
            (None, Some(name)) => Place::Rooftop(name),
            (None, None) => Place::NotStated,
        }
    }
}
