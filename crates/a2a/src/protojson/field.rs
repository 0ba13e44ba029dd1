//! What the type of a member must provide, and the visitor that reads it.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::fault::{At, quoted};

/// A type that stands in a message. The defaults refuse every kind of value; a type overrides the
/// kinds that it reads.
pub(crate) trait Field: Sized {
    /// What is expected, with its article: `a string`.
    const EXPECTED: &'static str;

    /// The value of a member that is not there.
    fn absent() -> Self;

    /// Whether the value is what an absent member would be.
    fn is_unset(&self) -> bool {
        false
    }

    /// Whether the value is unset, or is set to the value that protocol buffers do not tell from it.
    fn is_blank(&self) -> bool {
        self.is_unset()
    }

    /// From a boolean, number or string; `None` refuses the kind. A type that reads the kind but not
    /// this value records the fault itself.
    fn from_scalar(_scalar: Found<'_>, _at: At<'_>) -> Option<Self> {
        None
    }

    fn from_array<'de, A: SeqAccess<'de>>(mut array: A, at: At<'_>) -> Result<Self, A::Error> {
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(refuse(&Found::Array, at))
    }

    fn from_object<'de, A: MapAccess<'de>>(mut object: A, at: At<'_>) -> Result<Self, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(refuse(&Found::Object, at))
    }

    /// Reads one value; `None` is null.
    fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        at: At<'_>,
    ) -> Result<Option<Self>, D::Error> {
        deserializer.deserialize_any(FieldVisitor {
            at,
            value: PhantomData,
        })
    }
}

/// Notes that another kind of value was expected, and stands a blank in. The value itself is not
/// repeated: where a kind is wrong, it may be anything, such as a person's data.
fn refuse<T: Field>(found: &Found<'_>, at: At<'_>) -> T {
    at.fault(format!("is {}, not {}", found.kind(), T::EXPECTED));
    T::absent()
}

/// A value as it was found in the document.
#[derive(Clone, Copy)]
pub(crate) enum Found<'a> {
    Boolean(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Text(&'a str),
    Array,
    Object,
}

impl Found<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Boolean(_) => "a boolean",
            Self::Signed(_) | Self::Unsigned(_) | Self::Float(_) => "a number",
            Self::Text(_) => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Signed(number) => write!(f, "{number}"),
            Self::Unsigned(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Array | Self::Object => f.write_str(self.kind()),
        }
    }
}

struct FieldVisitor<'a, T> {
    at: At<'a>,
    value: PhantomData<T>,
}

impl<T: Field> FieldVisitor<'_, T> {
    fn scalar(&self, found: Found<'_>) -> T {
        T::from_scalar(found, self.at).unwrap_or_else(|| refuse(&found, self.at))
    }
}

impl<'de, T: Field> Visitor<'de> for FieldVisitor<'_, T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_unit<E>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Option<T>, E> {
        Ok(Some(self.scalar(Found::Boolean(value))))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Option<T>, E> {
        Ok(Some(self.scalar(Found::Signed(value))))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Option<T>, E> {
        Ok(Some(self.scalar(Found::Unsigned(value))))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Option<T>, E> {
        Ok(Some(self.scalar(Found::Float(value))))
    }

    fn visit_str<E>(self, value: &str) -> Result<Option<T>, E> {
        Ok(Some(self.scalar(Found::Text(value))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, array: A) -> Result<Option<T>, A::Error> {
        T::from_array(array, self.at).map(Some)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Option<T>, A::Error> {
        T::from_object(object, self.at).map(Some)
    }
}
