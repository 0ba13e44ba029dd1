//! The kinds of member that are not messages of their own.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::alphabet;
use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::{Deserializer, MapAccess, SeqAccess};
use serde::ser::SerializeMap;

use super::{Field, Found, Seed, read_value};
use crate::fault::At;

impl Field for String {
    const EXPECTED: &'static str = "a string";

    fn absent() -> Self {
        Self::new()
    }

    fn is_unset(&self) -> bool {
        self.is_empty()
    }

    fn from_scalar(scalar: Found<'_>, _at: At<'_>) -> Option<Self> {
        match scalar {
            Found::Text(text) => Some(text.to_owned()),
            _ => None,
        }
    }
}

impl Field for bool {
    const EXPECTED: &'static str = "true or false";

    fn absent() -> Self {
        false
    }

    fn is_unset(&self) -> bool {
        !self
    }

    fn from_scalar(scalar: Found<'_>, _at: At<'_>) -> Option<Self> {
        match scalar {
            Found::Boolean(value) => Some(value),
            _ => None,
        }
    }
}

impl Field for i32 {
    const EXPECTED: &'static str = "a whole number of 32 bits";

    fn absent() -> Self {
        0
    }

    fn is_unset(&self) -> bool {
        *self == 0
    }

    fn from_scalar(scalar: Found<'_>, at: At<'_>) -> Option<Self> {
        number_field(scalar, at, Some)
    }
}

/// Reads a whole number and makes a field of it; `None` from `make` is a number out of range. ProtoJSON
/// accepts `5`, `"5"`, `5.0` and `5e0`.
pub(crate) fn number_field<T: Field>(
    found: Found<'_>,
    at: At<'_>,
    make: impl FnOnce(i32) -> Option<T>,
) -> Option<T> {
    let number = match found {
        Found::Signed(number) => number.try_into().ok(),
        Found::Unsigned(number) => number.try_into().ok(),
        Found::Float(number) => whole(number),
        Found::Text(text) => {
            let float = || serde_json::from_str(text).ok().and_then(whole);
            text.parse().ok().or_else(float)
        }
        _ => return None,
    };
    Some(number.and_then(make).unwrap_or_else(|| {
        at.fault(format!("is {found}, not {}", T::EXPECTED));
        T::absent()
    }))
}

fn whole(number: f64) -> Option<i32> {
    let fits =
        number.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number);
    fits.then_some(number as i32)
}

impl<T: Field> Field for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn absent() -> Self {
        None
    }

    fn is_unset(&self) -> bool {
        self.is_none()
    }

    fn is_blank(&self) -> bool {
        self.as_ref().is_none_or(T::is_blank)
    }

    fn read<'de, D: Deserializer<'de>>(
        deserializer: D,
        at: At<'_>,
    ) -> Result<Option<Self>, D::Error> {
        Ok(T::read(deserializer, at)?.map(Some))
    }
}

impl<T: Field> Field for Vec<T> {
    const EXPECTED: &'static str = "an array";

    fn absent() -> Self {
        Self::new()
    }

    fn is_unset(&self) -> bool {
        self.is_empty()
    }

    fn from_array<'de, A: SeqAccess<'de>>(mut array: A, at: At<'_>) -> Result<Self, A::Error> {
        let mut elements = Self::new();
        loop {
            let at = at.index(elements.len());
            let element = array
                .next_element_seed(Seed::<T>::new(at))
                .inspect_err(|error| at.stop(error))?;
            match element {
                None => return Ok(elements),
                Some(Some(value)) => elements.push(value),
                Some(None) => {
                    at.fault(format!("is null, not {}", T::EXPECTED));
                    elements.push(T::absent());
                }
            }
        }
    }
}

impl<T: Field> Field for BTreeMap<String, T> {
    const EXPECTED: &'static str = "an object";

    fn absent() -> Self {
        Self::new()
    }

    fn is_unset(&self) -> bool {
        self.is_empty()
    }

    fn from_object<'de, A: MapAccess<'de>>(mut object: A, at: At<'_>) -> Result<Self, A::Error> {
        let mut entries = Self::new();
        while let Some(key) = object.next_key::<String>()? {
            let at = at.member(&key);
            match read_value::<T, A>(&mut object, at)? {
                None => at.fault(format!("is null, not {}", T::EXPECTED)),
                Some(value) => {
                    entries.insert(key, value);
                }
            }
        }
        Ok(entries)
    }
}

/// Bytes, base64 on the wire.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Base64(pub(crate) Vec<u8>);

impl Field for Base64 {
    const EXPECTED: &'static str = "base64 text";

    fn absent() -> Self {
        Self(Vec::new())
    }

    fn from_scalar(scalar: Found<'_>, at: At<'_>) -> Option<Self> {
        let Found::Text(text) = scalar else {
            return None;
        };
        Some(Self(base64_bytes(text).unwrap_or_else(|error| {
            at.fault(format!("is not base64: {error}"));
            Vec::new()
        })))
    }
}

/// Writes bytes with the standard alphabet and padding.
pub(crate) fn write_base64<S: SerializeMap>(
    object: &mut S,
    name: &'static str,
    bytes: &[u8],
) -> Result<(), S::Error> {
    let text = Base64Display::new(bytes, &STANDARD);
    object.serialize_entry(name, &format_args!("{text}"))
}

/// Decodes the standard or the URL-safe alphabet, with or without padding, as ProtoJSON demands.
fn base64_bytes(text: &str) -> Result<Vec<u8>, base64::DecodeError> {
    const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const PLAIN: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
    const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);
    if text.contains(['-', '_']) {
        URL_SAFE.decode(text)
    } else {
        PLAIN.decode(text)
    }
}
