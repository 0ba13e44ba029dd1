//! JSON: schema.org data in a file of its own, lists of objects, and one object on each line.

use serde_json::{Deserializer, Map, Value};

use super::aliases;
use super::names::Names;
use super::records::Records;
use super::report::{Refusal, RefusalCode};
use super::schema_org;
use super::source::Document;

/// Bytes of JSON that are read: the values take several times as much memory.
const MOST_BYTES: usize = 128 * 1024 * 1024;

/// Reads the units of a JSON text.
///
/// # Errors
/// It is broken or cut off, too large, or holds nothing that tells units apart.
pub(super) fn read<'o>(text: &str, names: Names<'o>) -> Result<Document<'o>, Refusal> {
    if text.len() > MOST_BYTES {
        return Err(Refusal {
            code: RefusalCode::TooLarge,
            message: format!(
                "the JSON has {} bytes; expected at most {MOST_BYTES}; larger feeds are read as CSV or XML",
                text.len()
            ),
        });
    }
    let documents: Vec<Value> = Deserializer::from_str(text)
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|error| unreadable(&error))?;
    if let Some(document) = schema_org::read(&documents, names) {
        return Ok(document);
    }
    let units = units(&documents, names)?;
    let mut records = Records::new(names);
    for unit in units {
        records.begin_next();
        for (name, value) in unit {
            push(&mut records, &mut vec![name], value);
        }
    }
    Ok(Document {
        records,
        layout: None,
        findings: Vec::new(),
    })
}

fn unreadable(error: &serde_json::Error) -> Refusal {
    let (code, what) = if error.is_eof() {
        (
            RefusalCode::CutOff,
            "ends in the middle; its transfer was cut off",
        )
    } else {
        (
            RefusalCode::Malformed,
            "is broken; expected well-formed JSON",
        )
    };
    Refusal {
        code,
        message: format!("the JSON {what} ({error})"),
    }
}

/// The objects that are units: those of the outermost lists of which some object has a member that
/// tells it apart, or one such object by itself.
fn units<'v>(
    documents: &'v [Value],
    names: Names<'_>,
) -> Result<Vec<&'v Map<String, Value>>, Refusal> {
    for least in (0..=2).rev() {
        let mut units = Vec::new();
        find_units(documents, names, least, &mut units);
        if !units.is_empty() {
            return Ok(units);
        }
    }
    let is_empty = documents.iter().all(|document| match document {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.values().any(|it| *it == Value::Array(Vec::new())),
        _ => false,
    });
    Err(match is_empty {
        true => Refusal {
            code: RefusalCode::NoRows,
            message: "the JSON holds no vehicle; the stock is not taken down for it".to_owned(),
        },
        false => Refusal {
            code: RefusalCode::UnknownFormat,
            message: format!(
                "the JSON holds no object with a member known as a VIN, a stock number or a vehicle id{}",
                members_for_people(documents)
            ),
        },
    })
}

fn find_units<'v>(
    items: &'v [Value],
    names: Names<'_>,
    least: u8,
    units: &mut Vec<&'v Map<String, Value>>,
) {
    let objects = || items.iter().filter_map(Value::as_object);
    let is_unit = |object: &Map<String, Value>| {
        object
            .iter()
            .any(|(name, value)| is_scalar(value) && names.identifies(name) >= Some(least))
    };
    if objects().any(is_unit) {
        units.extend(objects());
        return;
    }
    for item in items {
        match item {
            Value::Array(inner) => find_units(inner, names, least, units),
            Value::Object(members) => {
                for value in members.values() {
                    match value {
                        Value::Array(inner) => find_units(inner, names, least, units),
                        Value::Object(_) => {
                            find_units(std::slice::from_ref(value), names, least, units);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Number(_))
}

fn members_for_people(documents: &[Value]) -> String {
    const NAMED: usize = 8;
    let names: Vec<String> = documents
        .iter()
        .filter_map(Value::as_object)
        .flat_map(Map::keys)
        .take(NAMED)
        .map(|name| format!("`{}`", name.escape_debug()))
        .collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("; its members are {}", names.join(", ")),
    }
}

/// Adds a value under the names that lead to it; the values of a list have the same names.
fn push<'v>(records: &mut Records<'_>, path: &mut Vec<&'v str>, value: &'v Value) {
    match value {
        Value::Null => {}
        Value::Array(items) => items.iter().for_each(|item| push(records, path, item)),
        Value::Object(members) => {
            let mark = records.mark();
            for (name, value) in members {
                path.push(name);
                push(records, path, value);
                path.pop();
            }
            let is_cost = |(name, value): (&String, &Value)| {
                value
                    .as_str()
                    .is_some_and(|text| aliases::labels_cost(name, text))
            };
            if !path.is_empty() && members.iter().any(is_cost) {
                records.take_out_money(mark);
            }
        }
        Value::String(text) => push_text(records, path, text),
        Value::Bool(_) | Value::Number(_) => push_text(records, path, &value.to_string()),
    }
}

fn push_text(records: &mut Records<'_>, path: &[&str], text: &str) {
    if let Some(column) = records.column(&path.join("."), |names| names.header(path)) {
        records.push(column, text);
    }
}
