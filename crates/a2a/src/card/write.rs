//! Writing a card for agents of both generations.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::{AgentCard, v03};
use crate::model::{Metadata, NotAnObject};

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
        let both = self.with_members_of(&v03::Card::new(self)?).ok()?;
        Some(both.into_raw())
    }

    fn with_members_of(&self, old: &v03::Card) -> Result<Metadata, NotAnObject> {
        /// The members that have the same name and not the same form.
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Shared {
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            security_schemes: BTreeMap<String, Metadata>,
            skills: Vec<Metadata>,
        }
        let mut shared = Shared {
            security_schemes: BTreeMap::new(),
            skills: Vec::new(),
        };
        for (name, scheme) in &self.security_schemes {
            let scheme = match old.security_schemes.get(name) {
                Some(old) => both(scheme, old)?,
                None => Metadata::new(scheme)?,
            };
            shared.security_schemes.insert(name.clone(), scheme);
        }
        for (skill, old) in self.skills.iter().zip(&old.skills) {
            shared.skills.push(both(skill, old)?);
        }
        Ok(both(old, self)?.merged(Metadata::new(&shared)?))
    }
}

/// The members of both; of those that both have, the second's.
fn both(first: &impl Serialize, second: &impl Serialize) -> Result<Metadata, NotAnObject> {
    Ok(Metadata::new(first)?.merged(Metadata::new(second)?))
}
