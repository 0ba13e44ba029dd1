//! Reading and writing the JSON form of protocol buffers (ProtoJSON, A2A 1.0 §5.5).
//!
//! A document is read in one pass that records every fault with its place instead of stopping at the
//! first: a value of the wrong kind is noted and a blank stands in for it. Callers decide what faults
//! mean: a request is refused, an agent card is used with warnings. Only a syntax error ends a pass.
//!
//! [`Field`] is what a member's type must provide; `macros` makes it for messages, for their
//! alternatives (`oneof`) and for enumerations.

mod enumeration;
mod field;
mod macros;
mod oneof;
mod scalar;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess};

pub(crate) use enumeration::Enumeration;
pub(crate) use field::{Field, Found};
pub(crate) use macros::{
    constant, deserialize, enumeration, first, message, oneof, presence, readable,
};
pub(crate) use oneof::Chosen;
pub(crate) use scalar::{Base64, number_field, write_base64};

use crate::fault::{At, Fault, Faults};

/// What must be said of a member by a peer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// May be left out, and an empty string, `0` or `false` is the same as leaving it out.
    Implicit,
    /// May be left out, and an empty string, `0` or `false` is a value of its own.
    Explicit,
    /// Must be there, but may be an empty list or string.
    Present,
    /// Must be there and must not be empty.
    Required,
}

impl Presence {
    /// Whether a writer leaves the value out.
    pub(crate) fn omits(self, value: &impl Field) -> bool {
        match self {
            Self::Implicit => value.is_blank(),
            Self::Explicit => value.is_unset(),
            Self::Present | Self::Required => false,
        }
    }
}

/// Reads a whole document and hands back the value together with its faults; a value with faults has
/// blanks where they are. `Err` is a document that is not an object at all or not JSON.
pub(crate) fn read_str<T: Field>(text: &str) -> Result<(T, Vec<Fault>), Vec<Fault>> {
    let faults = Faults::default();
    let at = At::root(&faults);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = T::read(&mut deserializer, at);
    let read = read.and_then(|value| deserializer.end().map(|()| value));
    match read {
        Ok(Some(value)) => Ok((value, faults.into_vec())),
        Ok(None) => {
            at.fault(format!("is null, not {}", T::EXPECTED));
            Err(faults.into_vec())
        }
        Err(error) => {
            at.stop(&error);
            Err(faults.into_vec())
        }
    }
}

/// The strict form behind `Deserialize`: any fault is an error that names every place.
pub(crate) fn strict<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Field,
    D: Deserializer<'de>,
{
    let faults = Faults::default();
    let value = T::read(deserializer, At::root(&faults))?;
    let faults = faults.into_vec();
    if !faults.is_empty() {
        return Err(D::Error::custom(in_words(&faults)));
    }
    value.ok_or_else(|| D::Error::custom(format!("null, not {}", T::EXPECTED)))
}

/// Every fault as one sentence.
pub(crate) fn in_words(faults: &[Fault]) -> String {
    let words: Vec<String> = faults.iter().map(Fault::to_string).collect();
    words.join("; ")
}

/// Reads the value of the member that `map` stands at; `None` is null.
pub(crate) fn read_value<'de, T, A>(map: &mut A, at: At<'_>) -> Result<Option<T>, A::Error>
where
    T: Field,
    A: MapAccess<'de>,
{
    map.next_value_seed(Seed::new(at))
        .inspect_err(|error| at.stop(error))
}

/// Reads a member into its slot; null leaves the slot as it is, since null means absent.
pub(crate) fn read_member<'de, T, A>(
    map: &mut A,
    slot: &mut Option<T>,
    presence: Presence,
    at: At<'_>,
) -> Result<(), A::Error>
where
    T: Field,
    A: MapAccess<'de>,
{
    let before = at.count();
    let Some(value) = read_value::<T, A>(map, at)? else {
        return Ok(());
    };
    if slot.is_some() {
        at.fault("is given twice");
    }
    if presence == Presence::Required && value.is_unset() && at.count() == before {
        at.fault("is empty");
    }
    if presence != Presence::Implicit || !value.is_blank() {
        *slot = Some(value);
    }
    Ok(())
}

/// The value of a member after its object ended.
pub(crate) fn finish<T: Field>(slot: Option<T>, presence: Presence, at: At<'_>) -> T {
    slot.unwrap_or_else(|| {
        if matches!(presence, Presence::Present | Presence::Required) {
            at.fault("is missing");
        }
        T::absent()
    })
}

/// Carries the place of a value through serde.
pub(crate) struct Seed<'a, T> {
    at: At<'a>,
    value: std::marker::PhantomData<T>,
}

impl<'a, T> Seed<'a, T> {
    pub(crate) fn new(at: At<'a>) -> Self {
        Self {
            at,
            value: std::marker::PhantomData,
        }
    }
}

impl<'de, T: Field> DeserializeSeed<'de> for Seed<'_, T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        T::read(deserializer, self.at)
    }
}

/// A member's name, borrowed from the document unless it is written with escapes.
pub(crate) struct Key<'de>(std::borrow::Cow<'de, str>);

impl<'de> Key<'de> {
    /// Whether this is the member with the given camelCase or original name; ProtoJSON readers accept
    /// both.
    pub(crate) fn is(&self, json_name: &str, original_name: &str) -> bool {
        self.0 == json_name || self.0 == original_name
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_inner(self) -> std::borrow::Cow<'de, str> {
        self.0
    }
}

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a member name")
            }

            fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(name.into()))
            }

            fn visit_str<E>(self, name: &str) -> Result<Key<'de>, E> {
                Ok(Key(name.to_owned().into()))
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}
