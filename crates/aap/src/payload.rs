//! A payload as it came over the wire: its text read into a JSON value.

use std::fmt;

use jiff::Timestamp;
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value, value::RawValue};

use crate::{
    Skill,
    request::Request,
    validate::{self, MAX_PROBLEMS, Problem, Rejection},
};

/// How deeply a payload may nest where it cannot be read as a whole. The JSON reader has the same
/// limit.
const DEEPEST: usize = 128;

/// The member name by which the JSON reader carries raw text between its own types. Whoever sent it
/// would have a string read as JSON, past every check of the text around it.
const RESERVED: &str = "$serde_json::private::RawValue";

/// A request payload read from its text.
///
/// JSON texts can hold what JSON values cannot: numbers beyond every range (`1e400`) and halves of
/// surrogate pairs (`"\ud800"`). Such a value reads as null and is a problem at its place; the rest
/// of the payload is judged with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Payload {
    value: Value,
    unreadable: Vec<Problem>,
}

impl Payload {
    /// Reads a payload. Of a member that is given twice the last one counts.
    ///
    /// # Errors
    ///
    /// When the text is no JSON.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        if let Ok(Plain(value)) = serde_json::from_str(text) {
            return Ok(Self {
                value,
                unreadable: Vec::new(),
            });
        }
        let raw: &RawValue = serde_json::from_str(text)?;
        let mut salvage = Salvage::default();
        let value = salvage.value(raw, 0);
        Ok(Self {
            value,
            unreadable: salvage.problems,
        })
    }

    /// The payload, with null for what cannot be read.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What cannot be read, at most [`MAX_PROBLEMS`].
    #[must_use]
    pub fn unreadable(&self) -> &[Problem] {
        &self.unreadable
    }

    /// The skill that the payload asks for; see [`validate::requested_skill`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn skill(&self, served: &[Skill]) -> Result<Skill, Rejection> {
        validate::requested_skill(&self.value, served)
    }

    /// Checks the payload and reads it into its type; see [`validate`](validate::validate).
    ///
    /// # Errors
    ///
    /// A [`Rejection`] with every problem, unreadable values included.
    pub fn validate(&self, now: Timestamp) -> Result<Request, Rejection> {
        validate::judge(&self.value, self.unreadable.clone(), now)
    }
}

/// A JSON value in which no member name has a meaning of its own.
struct Plain(Value);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PlainVisitor).map(Self)
    }
}

struct PlainVisitor;

impl<'de> Visitor<'de> for PlainVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("not a finite number"))?;
        Ok(Value::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Plain(item)) = array.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = object.next_key::<String>()? {
            if name == RESERVED {
                return Err(A::Error::custom("a reserved member name"));
            }
            let Plain(value) = object.next_value()?;
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

/// Reads what can be read of a text that is JSON, and notes the rest.
#[derive(Default)]
struct Salvage {
    place: String,
    problems: Vec<Problem>,
}

impl Salvage {
    fn value(&mut self, raw: &RawValue, depth: usize) -> Value {
        let is_nested = raw.get().starts_with(['{', '[']);
        if is_nested && depth == DEEPEST {
            self.note(
                "type",
                format!("nests more than {DEEPEST} levels deep; send it flatter"),
            );
            return Value::Null;
        }
        if let Ok(Members(members)) = serde_json::from_str(raw.get()) {
            return Value::Object(self.members(members, depth));
        }
        if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) {
            let read = |(index, item): (usize, &RawValue)| {
                self.at(&index.to_string(), |it| it.value(item, depth + 1))
            };
            return Value::Array(items.into_iter().enumerate().map(read).collect());
        }
        serde_json::from_str(raw.get()).unwrap_or_else(|_| {
            let error = match raw.get().starts_with('"') {
                true => "half of a surrogate pair is no text; send both halves, or the character",
                false => "the number is too large to be read; send one within ±1.8e308",
            };
            self.note("type", error.to_owned());
            Value::Null
        })
    }

    fn members(
        &mut self,
        members: Vec<(&RawValue, &RawValue)>,
        depth: usize,
    ) -> Map<String, Value> {
        let mut read = Map::new();
        for (name, value) in members {
            match serde_json::from_str::<String>(name.get()) {
                Ok(name) if name != RESERVED => {
                    let step = name.replace('~', "~0").replace('/', "~1");
                    let value = self.at(&step, |it| it.value(value, depth + 1));
                    read.insert(name, value);
                }
                Ok(_) => self.note(
                    "propertyNames",
                    format!("the member name {RESERVED} is reserved; leave it out"),
                ),
                Err(_) => self.note(
                    "propertyNames",
                    "a member name with half of a surrogate pair is no text; leave it out"
                        .to_owned(),
                ),
            }
        }
        read
    }

    fn at<T>(&mut self, step: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.place.len();
        self.place.push('/');
        self.place.push_str(step);
        let value = read(self);
        self.place.truncate(length);
        value
    }

    fn note(&mut self, keyword: &'static str, error: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem {
                instance_location: self.place.clone(),
                keyword,
                error,
            });
        }
    }
}

/// The members of an object in the order sent, names and values as text.
struct Members<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = object.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}
