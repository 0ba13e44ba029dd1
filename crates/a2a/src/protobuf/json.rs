//! Free-form data and points in time.

use std::collections::BTreeMap;
use std::fmt;

use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::convert::Convert;
use crate::fault::At;
use crate::model::{Metadata, Timestamp};
use crate::protojson::Field as _;

/// The largest whole number up to which doubles have every one.
const EXACT: f64 = 9_007_199_254_740_992.0;
const EXACT_INTEGER: u64 = 1 << 53;

impl Convert<Struct> for Metadata {
    fn from_wire(object: Struct, at: At<'_>) -> Self {
        let read = Self::new(&Written { value: &object, at });
        read.unwrap_or_else(|_| Self::absent())
    }

    fn into_wire(self, at: At<'_>) -> Struct {
        match parse(self.as_raw(), at).kind {
            Some(Kind::StructValue(object)) => object,
            // A text that cannot be parsed, which is a fault by now.
            _ => Struct::default(),
        }
    }
}

impl Convert<Value> for Box<RawValue> {
    fn from_wire(value: Value, at: At<'_>) -> Self {
        to_raw_value(&Written { value: &value, at }).unwrap_or_default()
    }

    fn into_wire(self, at: At<'_>) -> Value {
        parse(&self, at)
    }
}

/// A value of protocol buffers as JSON is written from it.
struct Written<'a, T> {
    value: &'a T,
    at: At<'a>,
}

impl<'a, T> Written<'a, T> {
    fn inner<U>(&self, value: &'a U) -> Written<'a, U> {
        Written { value, at: self.at }
    }
}

impl Serialize for Written<'_, Struct> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.value.fields.iter();
        serializer.collect_map(fields.map(|(name, value)| (name, self.inner(value))))
    }
}

impl Serialize for Written<'_, Value> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value.kind {
            None | Some(Kind::NullValue(_)) => serializer.serialize_unit(),
            Some(Kind::BoolValue(value)) => serializer.serialize_bool(*value),
            Some(Kind::StringValue(text)) => serializer.serialize_str(text),
            Some(Kind::StructValue(object)) => self.inner(object).serialize(serializer),
            Some(Kind::ListValue(list)) => {
                serializer.collect_seq(list.values.iter().map(|value| self.inner(value)))
            }
            Some(Kind::NumberValue(number)) => {
                if !number.is_finite() {
                    self.at.fault("holds a number that JSON has not");
                    serializer.serialize_unit()
                } else if number.fract() == 0.0
                    && number.abs() <= EXACT
                    && !(*number == 0.0 && number.is_sign_negative())
                {
                    serializer.serialize_i64(*number as i64)
                } else {
                    serializer.serialize_f64(*number)
                }
            }
        }
    }
}

/// JSON text as a value of protocol buffers.
fn parse(text: &RawValue, at: At<'_>) -> Value {
    let mut deserializer = serde_json::Deserializer::from_str(text.get());
    let parsed = Parse { at }.deserialize(&mut deserializer);
    parsed.unwrap_or_else(|error| {
        at.fault(format!("is unreadable: {error}"));
        Value::default()
    })
}

struct Parse<'a> {
    at: At<'a>,
}

impl Parse<'_> {
    fn integer(&self, magnitude: u64, shown: &dyn fmt::Display) {
        if magnitude > EXACT_INTEGER {
            self.at.fault(format!(
                "holds {shown}, which gRPC cannot carry exactly; send it as a string"
            ));
        }
    }
}

impl<'de> DeserializeSeed<'de> for Parse<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

fn value<E>(kind: Kind) -> Result<Value, E> {
    Ok(Value { kind: Some(kind) })
}

impl<'de> Visitor<'de> for Parse<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        value(Kind::NullValue(0))
    }

    fn visit_bool<E>(self, found: bool) -> Result<Value, E> {
        value(Kind::BoolValue(found))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        self.integer(number.unsigned_abs(), &number);
        value(Kind::NumberValue(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        self.integer(number, &number);
        value(Kind::NumberValue(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        value(Kind::NumberValue(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        value(Kind::StringValue(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(element) = array.next_element_seed(Parse { at: self.at })? {
            values.push(element);
        }
        value(Kind::ListValue(ListValue { values }))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = BTreeMap::new();
        while let Some(name) = object.next_key::<String>()? {
            fields.insert(name, object.next_value_seed(Parse { at: self.at })?);
        }
        value(Kind::StructValue(Struct { fields }))
    }
}

impl Convert<prost_types::Timestamp> for Timestamp {
    fn from_wire(timestamp: prost_types::Timestamp, at: At<'_>) -> Self {
        let found = jiff::Timestamp::new(timestamp.seconds, timestamp.nanos).ok();
        let found = found.filter(|_| (0..1_000_000_000).contains(&timestamp.nanos));
        found
            .and_then(|found| Self::try_from(found).ok())
            .unwrap_or_else(|| {
                at.fault("is not a time of the years 1 to 9999");
                Self::absent()
            })
    }

    fn into_wire(self, _at: At<'_>) -> prost_types::Timestamp {
        let found = self.get();
        // Protocol buffers count nanoseconds forward, also before 1970.
        let (seconds, nanos) = (found.as_second(), found.subsec_nanosecond());
        let (seconds, nanos) = if nanos < 0 {
            (seconds - 1, nanos + 1_000_000_000)
        } else {
            (seconds, nanos)
        };
        prost_types::Timestamp { seconds, nanos }
    }
}
