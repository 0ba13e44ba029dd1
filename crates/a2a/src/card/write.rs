//! Writing a card for agents of both generations.

use serde_json::value::{RawValue, to_raw_value};

use super::AgentCard;
use super::v03;
use crate::model::Metadata;

impl AgentCard {
    /// The card in the form of 0.3, which its clients read: interfaces of 0.3 only, security in the form
    /// of OpenAPI. `None` when no interface speaks 0.3.
    ///
    /// 0.3 has no place for tenants, the OAuth flow of devices and a requirement of PKCE; signatures are
    /// not over this form and are left out.
    #[must_use]
    pub fn in_0_3(&self) -> Option<Box<RawValue>> {
        to_raw_value(&v03::Card::new(self)?).ok()
    }

    /// One card that clients of either generation read: the members of 1.0, and those of 0.3 beside them.
    /// `None` when no interface speaks 0.3.
    ///
    /// The two sets of names meet in two places: a security scheme carries the members of both forms, and
    /// a skill its requirements in both. A signature over the card of 1.0 stays valid, since what 0.3
    /// adds is unknown to 1.0.
    #[must_use]
    pub fn in_both(&self) -> Option<Box<RawValue>> {
        let old = Metadata::new(&v03::Card::new(self)?).ok()?;
        let new = Metadata::new(self).ok()?;
        let schemes = merged_member(&new, &old, "securitySchemes", |new, old| {
            merge_by_name(new, old).ok()
        });
        let skills = merged_member(&new, &old, "skills", |new, old| {
            merge_by_place(new, old).ok()
        });
        let mut both = old.merged(new);
        for (name, value) in [("securitySchemes", schemes), ("skills", skills)] {
            if let Some(value) = value {
                both = both
                    .merged(Metadata::new(&[(name, value)].into_iter().collect::<Members>()).ok()?);
            }
        }
        Some(both.into_raw())
    }
}

type Members = std::collections::BTreeMap<&'static str, Box<RawValue>>;

/// The member of both cards, put together.
fn merged_member(
    new: &Metadata,
    old: &Metadata,
    name: &str,
    merge: impl FnOnce(&RawValue, &RawValue) -> Option<Box<RawValue>>,
) -> Option<Box<RawValue>> {
    merge(new.get(name)?, old.get(name)?)
}

/// Objects of objects, merged name by name.
fn merge_by_name(new: &RawValue, old: &RawValue) -> Result<Box<RawValue>, serde_json::Error> {
    type Objects = std::collections::BTreeMap<String, Metadata>;
    let mut new: Objects = serde_json::from_str(new.get())?;
    let old: Objects = serde_json::from_str(old.get())?;
    for (name, old) in old {
        let merged = match new.remove(&name) {
            Some(new) => new.merged(old),
            None => old,
        };
        new.insert(name, merged);
    }
    to_raw_value(&new)
}

/// Arrays of objects, merged place by place.
fn merge_by_place(new: &RawValue, old: &RawValue) -> Result<Box<RawValue>, serde_json::Error> {
    let new: Vec<Metadata> = serde_json::from_str(new.get())?;
    let old: Vec<Metadata> = serde_json::from_str(old.get())?;
    let merged = new.into_iter().zip(old).map(|(new, old)| new.merged(old));
    to_raw_value(&merged.collect::<Vec<_>>())
}
