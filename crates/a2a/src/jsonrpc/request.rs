//! Reading and writing requests.

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Id, depth};
use crate::error::Error;
use crate::fault::quoted;
use crate::protojson::Key;

/// A request whose envelope is sound. Method and parameters are the caller's to judge.
pub struct Request<'a> {
    /// Echoed in the answer.
    pub id: Id,
    /// The method's name, known or not.
    pub method: String,
    /// The parameters, any JSON value; `None` when absent or null.
    pub params: Option<&'a RawValue>,
}

/// Says how long the parameters are, not what they hold: Debug ends up in logs.
impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("id", &self.id)
            .field("method", &self.method)
            .field(
                "params_bytes",
                &self.params.map(|params| params.get().len()),
            )
            .finish()
    }
}

/// A body that is no request, with the id that answers it: its own where that can be read, else null.
#[derive(Debug)]
pub struct Refusal<'a> {
    /// The id to answer with.
    pub id: Id,
    /// What is wrong.
    pub error: Error,
    /// Where nothing is wrong but that the id is missing: the request as one with the id null.
    pub notification: Option<Box<Request<'a>>>,
}

impl Refusal<'_> {
    fn without_id(error: Error) -> Self {
        Self {
            id: Id::null(),
            error,
            notification: None,
        }
    }
}

/// Reads the envelope of a request. Nothing is copied but id and method.
///
/// # Errors
///
/// A parse error (-32700) for a body that is not UTF-8, nests deeper than `max_depth` or is not JSON;
/// an invalid request (-32600) for a batch, a notification and any other envelope that JSON-RPC 2.0
/// does not allow.
pub fn parse_request(body: &[u8], max_depth: usize) -> Result<Request<'_>, Refusal<'_>> {
    let text = text_of(body, max_depth).map_err(Refusal::without_id)?;
    let body: Body<'_> =
        serde_json::from_str(text).map_err(|error| Refusal::without_id(not_json(&error)))?;
    match body {
        Body::Object(envelope) => envelope.check(),
        Body::Array => Err(refused("the body is a batch; send one request")),
        Body::Other => Err(refused("the body is not an object")),
    }
}

/// Reads a body that is no envelope but the parameters themselves; `None` when it is empty.
///
/// # Errors
///
/// A parse error for a body that is not UTF-8, nests deeper than `max_depth` or is not JSON.
pub(crate) fn read_body(body: &[u8], max_depth: usize) -> Result<Option<&RawValue>, Error> {
    if body.trim_ascii().is_empty() {
        return Ok(None);
    }
    let text = text_of(body, max_depth)?;
    serde_json::from_str(text)
        .map(Some)
        .map_err(|error| not_json(&error))
}

/// A body that is safe to parse.
fn text_of(body: &[u8], max_depth: usize) -> Result<&str, Error> {
    let text = std::str::from_utf8(body).map_err(|error| {
        let message = format!("the body is not UTF-8, from byte {}", error.valid_up_to());
        Error::parse(message)
    })?;
    if depth::exceeds(body, max_depth) {
        let message = format!("the body nests more than {max_depth} levels deep");
        return Err(Error::parse(message));
    }
    Ok(text)
}

fn not_json(error: &serde_json::Error) -> Error {
    Error::parse(format!("the body is not JSON: {error}"))
}

fn refused(message: &str) -> Refusal<'static> {
    Refusal::without_id(Error::invalid_request(message))
}

/// Writes a request, for clients. `method` is a [`Method`](crate::method::Method) of 1.0 or a
/// [`Method03`](crate::method::Method03) of 0.3.
///
/// # Errors
///
/// What serde says when `params` cannot be written.
pub fn write_request(
    id: &Id,
    method: impl AsRef<str>,
    params: &impl Serialize,
) -> Result<Vec<u8>, serde_json::Error> {
    #[derive(Serialize)]
    struct Envelope<'a, T> {
        jsonrpc: &'static str,
        id: &'a Id,
        method: &'a str,
        params: &'a T,
    }
    serde_json::to_vec(&Envelope {
        jsonrpc: "2.0",
        id,
        method: method.as_ref(),
        params,
    })
}

/// A body that is JSON.
enum Body<'a> {
    Object(Envelope<'a>),
    Array,
    Other,
}

/// The envelope's members as they were sent.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    /// A member that is given twice.
    repeated: Option<&'static str>,
}

impl<'a> Envelope<'a> {
    fn check(self) -> Result<Request<'a>, Refusal<'a>> {
        let id = self.id.map(Id::from_raw);
        let refuse = |message: String| Refusal {
            id: match &id {
                Some(Ok(id)) if self.repeated != Some("id") => id.clone(),
                _ => Id::null(),
            },
            error: Error::invalid_request(message),
            notification: None,
        };
        if let Some(name) = self.repeated {
            return Err(refuse(format!("{name} is given twice")));
        }
        match self.jsonrpc.map(RawValue::get) {
            Some(found) if text(found).as_deref() == Some("2.0") => {}
            Some(found) => {
                return Err(refuse(format!("jsonrpc is {}, not \"2.0\"", shown(found))));
            }
            None => return Err(refuse("jsonrpc is missing; it must be \"2.0\"".to_owned())),
        }
        let method = match self.method.map(RawValue::get) {
            None | Some("null") => return Err(refuse("method is missing".to_owned())),
            Some(found) => text(found)
                .ok_or_else(|| refuse(format!("method is {}, not a string", shown(found))))?,
        };
        let params = self.params.filter(|params| params.get() != "null");
        let request = |id| Request { id, method, params };
        match id {
            None => Err(Refusal {
                notification: Some(Box::new(request(Id::null()))),
                ..refused("id is missing; notifications are not served")
            }),
            Some(Err(error)) => Err(refuse(error.to_string())),
            Some(Ok(id)) => Ok(request(id)),
        }
    }
}

/// The string that a JSON text is, whatever escapes it is written with.
fn text(json: &str) -> Option<String> {
    serde_json::from_str(json).ok()
}

/// A foreign JSON value in an error: a number as such, so that `2.0` differs from `"2.0"`.
fn shown(json: &str) -> String {
    const LONGEST: usize = 40;
    match text(json) {
        Some(text) => quoted(&text),
        None if json.chars().count() > LONGEST => {
            format!("{}…", json.chars().take(LONGEST).collect::<String>())
        }
        None => json.to_owned(),
    }
}

impl<'de> Deserialize<'de> for Body<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BodyVisitor)
    }
}

struct BodyVisitor;

impl<'de> Visitor<'de> for BodyVisitor {
    type Value = Body<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC request")
    }

    fn visit_unit<E>(self) -> Result<Body<'de>, E> {
        Ok(Body::Other)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Body<'de>, E> {
        Ok(Body::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Body<'de>, E> {
        Ok(Body::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Body<'de>, E> {
        Ok(Body::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Body<'de>, E> {
        Ok(Body::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<Body<'de>, E> {
        Ok(Body::Other)
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut array: A) -> Result<Body<'de>, A::Error> {
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Body::Array)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Body<'de>, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(key) = object.next_key::<Key<'de>>()? {
            let (name, slot) = match key.as_str() {
                "jsonrpc" => ("jsonrpc", &mut envelope.jsonrpc),
                "id" => ("id", &mut envelope.id),
                "method" => ("method", &mut envelope.method),
                "params" => ("params", &mut envelope.params),
                _ => {
                    object.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            if slot.replace(object.next_value()?).is_some() {
                envelope.repeated = Some(name);
            }
        }
        Ok(Body::Object(envelope))
    }
}
