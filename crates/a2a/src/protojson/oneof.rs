//! The bookkeeping of a message that holds exactly one of several members.

use crate::fault::At;

/// Which member of a `oneof` was found.
pub(crate) struct Chosen<T> {
    names: &'static [&'static str],
    found: Option<(&'static str, T)>,
}

impl<T> Chosen<T> {
    /// `names` are the members to choose from.
    pub(crate) fn new(names: &'static [&'static str]) -> Self {
        Self { names, found: None }
    }

    /// Notes a member; `None` is null, which means absent.
    pub(crate) fn set(&mut self, name: &'static str, value: Option<T>, at: At<'_>) {
        let Some(value) = value else {
            return;
        };
        match &self.found {
            None => self.found = Some((name, value)),
            Some((first, _)) if *first == name => at.member(name).fault("is given twice"),
            Some((first, _)) => at.fault(format!("is ambiguous: {first} and {name} are both set")),
        }
    }

    /// The value, when exactly one member or the first of several was set.
    pub(crate) fn finish(self, at: At<'_>) -> Option<T> {
        if self.found.is_none() {
            at.fault(format!(
                "is empty: none of {} is set",
                self.names.join(", ")
            ));
        }
        self.found.map(|(_, value)| value)
    }
}
