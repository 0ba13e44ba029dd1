//! From the types of the generated code to those of the model and back, member by member.

use std::collections::BTreeMap;

use crate::fault::At;
use crate::model::{HistoryLength, PageSize, Secret};
use crate::protojson::{Enumeration, Field, Found};

/// A type of the model, or of a member of it, that stands as `P` in a message. Faults go to `at`.
pub(super) trait Convert<P>: Sized {
    fn from_wire(value: P, at: At<'_>) -> Self;
    fn into_wire(self, at: At<'_>) -> P;
}

/// The conversions of messages, each a table of members: the name in Rust, which both sides share, the
/// name in JSON, and for one that is required whether it is a scalar or list (`required`) or a message
/// (`needed`).
macro_rules! forms {
    ( $(
        $model:ident = $package:ident :: $message:ident {
            $( $field:ident = $json:literal $($mode:ident)? ),* $(,)?
        }
    )* ) => { $(
        impl $crate::protobuf::convert::Convert<$package::$message> for $model {
            fn from_wire(message: $package::$message, at: $crate::fault::At<'_>) -> Self {
                Self {
                    $( $field: $crate::protobuf::convert::read_member!(
                        $($mode)? message.$field, at.member($json)
                    ), )*
                }
            }

            fn into_wire(self, at: $crate::fault::At<'_>) -> $package::$message {
                $package::$message {
                    $( $field: $crate::protobuf::convert::write_member!(
                        $($mode)? self.$field, at.member($json)
                    ), )*
                }
            }
        }
    )* };
}

macro_rules! read_member {
    (required $value:expr, $at:expr) => {
        $crate::protobuf::convert::required($value, $at)
    };
    (needed $value:expr, $at:expr) => {
        $crate::protobuf::convert::needed($value, $at)
    };
    ($value:expr, $at:expr) => {
        $crate::protobuf::convert::Convert::from_wire($value, $at)
    };
}

macro_rules! write_member {
    (needed $value:expr, $at:expr) => {
        Some($crate::protobuf::convert::Convert::into_wire($value, $at))
    };
    (required $value:expr, $at:expr) => {
        $crate::protobuf::convert::Convert::into_wire($value, $at)
    };
    ($value:expr, $at:expr) => {
        $crate::protobuf::convert::Convert::into_wire($value, $at)
    };
}

/// Messages that callers read and write.
macro_rules! public {
    ( $( $message:ty => $model:ty ),* $(,)? ) => { $(
        impl $crate::protobuf::Form for $message {
            type Model = $model;

            fn read_lenient(self) -> ($model, Vec<$crate::fault::Fault>) {
                $crate::protobuf::read_lenient(self)
            }

            fn write(model: $model) -> Result<Self, Vec<$crate::fault::Fault>> {
                $crate::protobuf::write(model)
            }
        }
    )* };
}

pub(super) use {forms, public, read_member, write_member};

/// A scalar or list that must be there; protocol buffers do not tell an empty one from none.
pub(super) fn required<P: Default + PartialEq, M: Convert<P> + Field>(value: P, at: At<'_>) -> M {
    if value == P::default() {
        at.fault("is missing");
        return M::absent();
    }
    M::from_wire(value, at)
}

/// A message that must be there.
pub(super) fn needed<P, M: Convert<P> + Field>(value: Option<P>, at: At<'_>) -> M {
    match value {
        Some(value) => M::from_wire(value, at),
        None => {
            at.fault("is missing");
            M::absent()
        }
    }
}

macro_rules! same {
    ($($kind:ty),*) => { $(
        impl Convert<$kind> for $kind {
            fn from_wire(value: $kind, _at: At<'_>) -> Self {
                value
            }

            fn into_wire(self, _at: At<'_>) -> $kind {
                self
            }
        }
    )* };
}

same!(String, bool, i32);

/// An empty text is an absent one.
impl Convert<String> for Option<String> {
    fn from_wire(text: String, _at: At<'_>) -> Self {
        Some(text).filter(|text| !text.is_empty())
    }

    fn into_wire(self, _at: At<'_>) -> String {
        self.unwrap_or_default()
    }
}

impl Convert<String> for Option<Secret> {
    fn from_wire(text: String, _at: At<'_>) -> Self {
        Some(text).filter(|text| !text.is_empty()).map(Secret::new)
    }

    fn into_wire(self, _at: At<'_>) -> String {
        self.map(|secret| secret.expose().to_owned())
            .unwrap_or_default()
    }
}

impl<P, M: Convert<P>> Convert<Option<P>> for Option<M> {
    fn from_wire(value: Option<P>, at: At<'_>) -> Self {
        value.map(|value| M::from_wire(value, at))
    }

    fn into_wire(self, at: At<'_>) -> Option<P> {
        self.map(|value| value.into_wire(at))
    }
}

impl<P, M: Convert<P>> Convert<Vec<P>> for Vec<M> {
    fn from_wire(values: Vec<P>, at: At<'_>) -> Self {
        let values = values.into_iter().enumerate();
        values
            .map(|(index, value)| M::from_wire(value, at.index(index)))
            .collect()
    }

    fn into_wire(self, at: At<'_>) -> Vec<P> {
        let values = self.into_iter().enumerate();
        values
            .map(|(index, value)| value.into_wire(at.index(index)))
            .collect()
    }
}

impl<P, M: Convert<P>> Convert<BTreeMap<String, P>> for BTreeMap<String, M> {
    fn from_wire(values: BTreeMap<String, P>, at: At<'_>) -> Self {
        let values = values.into_iter();
        values
            .map(|(name, value)| {
                let value = M::from_wire(value, at.member(&name));
                (name, value)
            })
            .collect()
    }

    fn into_wire(self, at: At<'_>) -> BTreeMap<String, P> {
        let values = self.into_iter();
        values
            .map(|(name, value)| {
                let value = value.into_wire(at.member(&name));
                (name, value)
            })
            .collect()
    }
}

macro_rules! bounded {
    ($($kind:ty),*) => { $(
        impl Convert<i32> for $kind {
            fn from_wire(number: i32, at: At<'_>) -> Self {
                Self::new(number).unwrap_or_else(|| {
                    at.fault(format!("is {number}, not {}", Self::EXPECTED));
                    Self::absent()
                })
            }

            fn into_wire(self, _at: At<'_>) -> i32 {
                i32::try_from(self.get()).unwrap_or(i32::MAX)
            }
        }
    )* };
}

bounded!(HistoryLength, PageSize);

/// An enumeration by its number.
pub(super) fn read_number<E: Enumeration + Field>(number: i32, at: At<'_>) -> E {
    E::read_found(Found::Signed(i64::from(number)), E::absent(), at)
}

/// The number of an enumeration's value.
pub(super) fn number_of<E: Enumeration>(value: E) -> i32 {
    let mut values = E::VALUES.iter();
    let entry = values.find(|(known, _, _)| *known == value);
    entry.map_or(0, |(_, number, _)| i32::try_from(*number).unwrap_or(0))
}
