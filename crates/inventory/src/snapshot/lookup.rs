//! Exact lookup by an identifier.

/// Identifiers in ascending order, each with the entry that bears it.
#[derive(Debug)]
pub(super) struct Lookup {
    /// Every identifier, one after the other.
    text: String,
    /// Where each identifier ends in `text`.
    ends: Vec<usize>,
    /// The entry of each identifier.
    entries: Vec<u32>,
}

impl Lookup {
    /// Builds a lookup from the identifier of each entry; entries without one are left out.
    pub(super) fn build(identifiers: impl Iterator<Item = Option<String>>) -> Self {
        let mut pairs: Vec<(String, u32)> = identifiers
            .zip(0..)
            .filter_map(|(identifier, entry)| Some((identifier?, entry)))
            .collect();
        pairs.sort_unstable();
        let mut lookup = Self {
            text: String::with_capacity(pairs.iter().map(|(identifier, _)| identifier.len()).sum()),
            ends: Vec::with_capacity(pairs.len()),
            entries: Vec::with_capacity(pairs.len()),
        };
        for (identifier, entry) in pairs {
            lookup.text.push_str(&identifier);
            lookup.ends.push(lookup.text.len());
            lookup.entries.push(entry);
        }
        lookup
    }

    /// The entries that bear this identifier, ascending.
    pub(super) fn entries(&self, identifier: &str) -> &[u32] {
        let start = self.first(|other| other < identifier);
        let end = self.first(|other| other <= identifier);
        &self.entries[start..end]
    }

    /// The first place whose identifier is not `before`.
    fn first(&self, before: impl Fn(&str) -> bool) -> usize {
        let (mut low, mut high) = (0, self.ends.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if before(self.identifier(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn identifier(&self, place: usize) -> &str {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[place]]
    }
}
