//! Which rooftop a row belongs to.

use std::collections::HashMap;

use super::ReadOptions;

/// The dealer's rooftops by what feeds call them.
#[derive(Debug)]
pub(super) struct Rooftops<'a> {
    by_feed_id: HashMap<String, &'a str>,
    by_name: HashMap<String, &'a str>,
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
                .filter(|(id, _)| !id.trim().is_empty())
                .map(|(id, name)| (folded(id), name.as_str()))
                .collect(),
            by_name: rooftops
                .iter()
                .map(|(_, name)| (folded(name), name.as_str()))
                .collect(),
            fallback: options.default_rooftop.as_deref().or(only),
        }
    }

    /// The place of a row with these dealer ids and this dealer name, blank cells left out.
    ///
    /// Where feed ids are configured, a row with another id is another dealer's. Without them, a
    /// row that names a configured rooftop belongs there, any other to the default rooftop, and
    /// without a default to the dealer that the row names.
    pub(super) fn place<'r>(&self, ids: &[&'r str], name: Option<&'r str>) -> Place<'r>
    where
        'a: 'r,
    {
        let configured = ids
            .iter()
            .find_map(|id| self.by_feed_id.get(&folded(id)))
            .or_else(|| {
                ids.iter()
                    .chain(&name)
                    .find_map(|name| self.by_name.get(&folded(name)))
            });
        if let Some(rooftop) = configured {
            return Place::Rooftop(rooftop);
        }
        if !self.by_feed_id.is_empty() && !ids.is_empty() {
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

fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}
