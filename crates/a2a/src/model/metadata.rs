//! Free-form objects, kept as they were sent.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::fault::At;
use crate::protojson::{Field, deserialize};

/// A JSON object (`google.protobuf.Struct`) kept as the text that was sent: order, spelling and number
/// tokens survive, so an integer stays an integer, also above 2^53.
#[derive(Clone)]
pub struct Metadata(Box<RawValue>);

/// The value given for a [`Metadata`] is JSON, but no object, or cannot be written as JSON.
#[derive(Debug, thiserror::Error)]
#[error("metadata must be a JSON object")]
pub struct NotAnObject(#[source] Option<serde_json::Error>);

impl Metadata {
    /// An object from anything that serde writes as one.
    ///
    /// # Errors
    ///
    /// [`NotAnObject`] when `value` is written as something else, or cannot be written.
    pub fn new(value: &impl Serialize) -> Result<Self, NotAnObject> {
        let raw =
            serde_json::value::to_raw_value(value).map_err(|error| NotAnObject(Some(error)))?;
        raw.try_into()
    }

    /// The object as text.
    #[must_use]
    pub fn as_raw(&self) -> &RawValue {
        &self.0
    }

    /// The value of a member, the last one if the name is given twice.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        let members = self.members();
        let last = members.into_iter().rev().find(|(key, _)| key == name);
        last.map(|(_, value)| value)
    }

    /// Every member in the order sent.
    #[must_use]
    pub fn members(&self) -> Vec<(Cow<'_, str>, &RawValue)> {
        let members: Result<Members<'_>, _> = serde_json::from_str(self.0.get());
        // The text is a JSON object; only a name that is no valid Unicode can be refused here.
        members.map(|members| members.0).unwrap_or_default()
    }

    /// The members of this object and of a newer one; of those that both have, the newer.
    #[must_use]
    pub fn merged(self, newer: Self) -> Self {
        let mut members = Vec::new();
        let mut places = HashMap::new();
        for (name, value) in self.members().into_iter().chain(newer.members()) {
            let place = *places.entry(name.clone()).or_insert(members.len());
            match members.get_mut(place) {
                Some(known) => *known = (name, value),
                None => members.push((name, value)),
            }
        }
        Self::from_members(&members).unwrap_or(newer)
    }

    /// The object without a member; `None` when it has no other.
    pub(crate) fn without(self, name: &str) -> Option<Self> {
        let mut members = self.members();
        members.retain(|(known, _)| known != name);
        if members.is_empty() {
            return None;
        }
        Self::from_members(&members)
    }

    /// The text itself.
    pub(crate) fn into_raw(self) -> Box<RawValue> {
        self.0
    }

    /// An object of these members.
    fn from_members(members: &[(Cow<'_, str>, &RawValue)]) -> Option<Self> {
        struct Object<'a>(&'a [(Cow<'a, str>, &'a RawValue)]);
        impl Serialize for Object<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
            }
        }
        Self::new(&Object(members)).ok()
    }

    /// Reads the object into a type of the caller's.
    ///
    /// # Errors
    ///
    /// What serde says when the object does not fit.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }
}

impl TryFrom<Box<RawValue>> for Metadata {
    type Error = NotAnObject;

    fn try_from(raw: Box<RawValue>) -> Result<Self, NotAnObject> {
        if raw.get().starts_with('{') {
            Ok(Self(raw))
        } else {
            Err(NotAnObject(None))
        }
    }
}

impl PartialEq for Metadata {
    /// Equal when sent with the same text.
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

/// Says how much there is, not what: Debug ends up in logs.
impl fmt::Debug for Metadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Metadata({} bytes)", self.0.get().len())
    }
}

impl Serialize for Metadata {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Field for Metadata {
    const EXPECTED: &'static str = "an object";

    fn absent() -> Self {
        Self(empty_object())
    }

    fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        at: At<'_>,
    ) -> Result<Option<Self>, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        match raw.get().as_bytes().first() {
            Some(b'{') => Ok(Some(Self(raw))),
            Some(b'n') => Ok(None),
            first => {
                at.fault(format!("is {}, not an object", kind(first.copied())));
                Ok(Some(Self::absent()))
            }
        }
    }
}

deserialize!(Metadata);

fn empty_object() -> Box<RawValue> {
    // Never fails; a default stands in to keep the signature free of errors.
    RawValue::from_string("{}".to_owned()).unwrap_or_default()
}

/// What a JSON value is, by its first byte.
fn kind(first: Option<u8>) -> &'static str {
    match first {
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        _ => "a number",
    }
}

struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(key) = map.next_key::<crate::protojson::Key<'de>>()? {
                    members.push((key.into_inner(), map.next_value()?));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}
