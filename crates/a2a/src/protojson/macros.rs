//! Tables that become wire types.

/// A message: a struct whose members are listed with their JSON names. The original (snake_case) name
/// that readers accept as well is the Rust name. The word after it is the member's `Presence`.
macro_rules! message {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $( $(#[$doc:meta])* $field_vis:vis $field:ident: $type:ty = $json:literal $($presence:ident)?, )*
        }
    ) => {
        $crate::protojson::readable! {
            $(#[$meta])*
            $vis struct $name {
                $( $(#[$doc])* $field_vis $field: $type = $json $($presence)?, )*
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                use $crate::protojson::presence;
                let mut object = serializer.serialize_map(None)?;
                $( if !presence!($($presence)?).omits(&self.$field) {
                    object.serialize_entry($json, &self.$field)?;
                } )*
                object.end()
            }
        }

        $crate::protojson::deserialize!($name);
    };
}

/// The half of a `message` that reads.
macro_rules! readable {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $( $(#[$doc:meta])* $field_vis:vis $field:ident: $type:ty = $json:literal $($presence:ident)?, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        $vis struct $name {
            $( $(#[$doc])* $field_vis $field: $type, )*
        }

        impl $crate::protojson::Field for $name {
            const EXPECTED: &'static str = "an object";

            fn absent() -> Self {
                Self { $( $field: <$type as $crate::protojson::Field>::absent(), )* }
            }

            fn from_object<'de, A: serde::de::MapAccess<'de>>(
                mut object: A,
                at: $crate::fault::At<'_>,
            ) -> Result<Self, A::Error> {
                use $crate::protojson::{Key, finish, presence, read_member};
                $( let mut $field: Option<$type> = None; )*
                while let Some(key) = object.next_key::<Key<'de>>()? {
                    $( if key.is($json, stringify!($field)) {
                        let at = at.member($json);
                        read_member(&mut object, &mut $field, presence!($($presence)?), at)?;
                    } else )* {
                        object.next_value::<serde::de::IgnoredAny>()?;
                    }
                }
                Ok(Self { $( $field: finish($field, presence!($($presence)?), at.member($json)), )* })
            }
        }
    };
}

macro_rules! presence {
    () => {
        $crate::protojson::Presence::Implicit
    };
    (explicit) => {
        $crate::protojson::Presence::Explicit
    };
    (present) => {
        $crate::protojson::Presence::Present
    };
    (required) => {
        $crate::protojson::Presence::Required
    };
}

/// A member that always holds the same text, by which 0.3 tells objects apart. One that is missing is
/// forgiven where the place says what the object is.
macro_rules! constant {
    ($name:ident = $text:literal) => {
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(crate) struct $name;

        impl $crate::protojson::Field for $name {
            const EXPECTED: &'static str = concat!("\"", $text, "\"");

            fn absent() -> Self {
                Self
            }

            fn from_scalar(
                scalar: $crate::protojson::Found<'_>,
                at: $crate::fault::At<'_>,
            ) -> Option<Self> {
                if !matches!(scalar, $crate::protojson::Found::Text($text)) {
                    at.fault(format!("is {scalar}, not {}", Self::EXPECTED));
                }
                Some(Self)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($text)
            }
        }
    };
}

/// A message that holds exactly one of several members. The variant after `else` stands for a
/// message that holds none of them; without one, the first member stands in, empty.
macro_rules! oneof {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident $( else { $(#[$else_doc:meta])* $unknown:ident } )? {
            $( $(#[$doc:meta])* $variant:ident($type:ty) = $json:literal | $original:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        $vis enum $name {
            $( $(#[$doc])* $variant($type), )*
            $( $(#[$else_doc])* $unknown, )?
        }

        impl $crate::protojson::Field for $name {
            const EXPECTED: &'static str = "an object";

            fn absent() -> Self {
                $crate::protojson::first!(
                    $( Self::$unknown, )?
                    $( Self::$variant(<$type as $crate::protojson::Field>::absent()), )*
                )
            }

            fn from_object<'de, A: serde::de::MapAccess<'de>>(
                mut object: A,
                at: $crate::fault::At<'_>,
            ) -> Result<Self, A::Error> {
                use $crate::protojson::{Chosen, Key, read_value};
                let mut chosen = Chosen::new(&[$($json),*]);
                while let Some(key) = object.next_key::<Key<'de>>()? {
                    $( if key.is($json, $original) {
                        let value = read_value::<$type, A>(&mut object, at.member($json))?;
                        chosen.set($json, value.map(Self::$variant), at);
                    } else )* {
                        object.next_value::<serde::de::IgnoredAny>()?;
                    }
                }
                Ok(chosen.finish(at).unwrap_or_else(Self::absent))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                let mut object = serializer.serialize_map(None)?;
                match self {
                    $( Self::$variant(value) => object.serialize_entry($json, value)?, )*
                    $( Self::$unknown => {} )?
                }
                object.end()
            }
        }

        $crate::protojson::deserialize!($name);
    };
}

macro_rules! first {
    ($first:expr, $($rest:tt)*) => {
        $first
    };
}

/// An enumeration with its numbers and wire names. The value after `absent` stands for a missing one.
macro_rules! enumeration {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident, absent $absent:ident {
            $( $(#[$doc:meta])* $variant:ident = $number:literal $wire:literal, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $vis enum $name {
            $( $(#[$doc])* $variant, )*
        }

        impl $name {
            /// The name on the wire.
            #[must_use]
            $vis fn as_str(self) -> &'static str {
                $crate::protojson::Enumeration::name(self)
            }
        }

        impl $crate::protojson::Enumeration for $name {
            const VALUES: &'static [(Self, i64, &'static str)] =
                &[$( (Self::$variant, $number, $wire), )*];
        }

        impl $crate::protojson::Field for $name {
            const EXPECTED: &'static str = "the name of an enumeration's value";

            fn absent() -> Self {
                Self::$absent
            }

            fn is_unset(&self) -> bool {
                const ZERO: i64 = 0;
                <Self as $crate::protojson::Enumeration>::VALUES
                    .iter()
                    .any(|entry| entry.0 == *self && entry.1 == ZERO)
            }

            fn from_scalar(
                scalar: $crate::protojson::Found<'_>,
                at: $crate::fault::At<'_>,
            ) -> Option<Self> {
                Some($crate::protojson::Enumeration::read_found(scalar, Self::$absent, at))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        $crate::protojson::deserialize!($name);
    };
}

/// The strict `Deserialize` of a type that is a `Field`.
macro_rules! deserialize {
    ($name:ident) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::protojson::strict(deserializer)
            }
        }
    };
}

pub(crate) use {constant, deserialize, enumeration, first, message, oneof, presence, readable};
