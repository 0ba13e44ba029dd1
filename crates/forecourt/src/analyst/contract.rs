//! What clients of the analyst may leave out, or put elsewhere than A2A has it.
//!
//! A message needs no `messageId`, `role` and `kind`; the conversation may stand beside the message, and
//! so may `catalog_context`; a file whose bytes cannot be read is answered with the rest instead of
//! refused. A request is rewritten to the letter of A2A before the endpoint reads it; one that needs
//! nothing stays as it was sent, byte for byte.

use std::{borrow::Cow, collections::BTreeMap};

use a2a::{
    error::Error,
    fault::{Fault, Segment},
    jsonrpc::{Request, parse_request, write_error},
};
use axum::body::Bytes;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

/// The member of a request's metadata in which its `catalog_context` goes on.
pub(super) const CATALOG_CONTEXT: &str = "catalog_context";
/// The member of a part's metadata that says that its bytes could not be read.
pub(super) const UNDECODABLE: &str = "undecodable";

/// A JSON-RPC request to the letter of A2A. `new_id` makes the id of a message that has none.
///
/// # Errors
/// The answer to a request that contradicts itself.
pub(crate) fn complete(
    body: Bytes,
    depth_limit: usize,
    new_id: impl FnOnce() -> String,
) -> Result<Bytes, Bytes> {
    // What cannot be read here is told by the endpoint, with its place.
    let completed = match parse_request(&body, depth_limit) {
        Ok(request) => match completed(&request, new_id) {
            Ok(completed) => completed,
            Err(error) => return Err(write_error(&request.id, &error).into()),
        },
        Err(_) => None,
    };
    Ok(completed.map_or(body, Bytes::from))
}

/// The members of an object. Those that are not touched stay where they are: files are long.
type Members<'a> = BTreeMap<String, Cow<'a, RawValue>>;

fn members(json: &str) -> Option<Members<'_>> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).ok()?;
    let borrowed = members
        .into_iter()
        .map(|(name, value)| (name, Cow::Borrowed(value)));
    Some(borrowed.collect())
}

fn raw(value: &impl serde::Serialize) -> Cow<'static, RawValue> {
    Cow::Owned(serde_json::value::to_raw_value(value).unwrap_or_default())
}

/// `None` where nothing is to be completed.
fn completed(
    request: &Request<'_>,
    new_id: impl FnOnce() -> String,
) -> Result<Option<String>, Error> {
    let is_old = match &*request.method {
        "message/send" | "message/stream" => true,
        "SendMessage" | "SendStreamingMessage" => false,
        _ => return Ok(None),
    };
    let Some(mut params) = request.params.and_then(|params| members(params.get())) else {
        return Ok(None);
    };
    let sent = params.remove("message");
    let Some(mut message) = sent.as_ref().and_then(|message| members(message.get())) else {
        return Ok(None);
    };
    let moved = move_context(&mut params, &mut message)?;
    let filled = fill_in(&mut message, is_old, new_id);
    let marked = mark_undecodable(&mut message, is_old);
    let told = move_catalog_context(&mut params);
    if !(moved || filled || marked || told) {
        return Ok(None);
    }
    Ok(Some(written(request, &params, &message)))
}

/// The request with these members. A file in it is copied once.
fn written(request: &Request<'_>, params: &Members<'_>, message: &Members<'_>) -> String {
    let all = || params.iter().chain(message);
    let long: usize = all()
        .map(|(name, value)| name.len() + value.get().len() + 8)
        .sum();
    let mut body = String::with_capacity(long + 256);
    body.push_str(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"method":{},"params":{{"message":"#,
        request.id.as_json(),
        json!(request.method),
    ));
    body.push('{');
    write_members(&mut body, message, true);
    body.push('}');
    write_members(&mut body, params, false);
    body.push_str("}}");
    body
}

/// Adds members to an object that is being written, and a comma before the first unless it is the object's.
fn write_members(body: &mut String, members: &Members<'_>, mut is_first: bool) {
    for (name, value) in members {
        if !std::mem::take(&mut is_first) {
            body.push(',');
        }
        body.push_str(&json!(name).to_string());
        body.push(':');
        body.push_str(value.get());
    }
}

/// `params.contextId` is the message's, unless the message has another one.
fn move_context(params: &mut Members<'_>, message: &mut Members<'_>) -> Result<bool, Error> {
    let Some(beside) = params.remove("contextId") else {
        return Ok(false);
    };
    if beside.get() == "null" {
        return Ok(true);
    }
    match message.get("contextId") {
        Some(own) if own.get() != "null" => {
            if text(own) == text(&beside) {
                return Ok(true);
            }
            let words = "differs from message.contextId; send it once, or the same twice";
            let place = vec![Segment::Member("contextId".to_owned())];
            Err(Error::invalid_params(&[Fault::new(place, words)]))
        }
        _ => {
            message.insert("contextId".to_owned(), Cow::Owned(beside.into_owned()));
            Ok(true)
        }
    }
}

/// A text, copied only where it has escapes.
fn text(json: &RawValue) -> Option<Cow<'_, str>> {
    let borrowed = serde_json::from_str::<&str>(json.get()).map(Cow::Borrowed);
    borrowed
        .or_else(|_| serde_json::from_str(json.get()).map(Cow::Owned))
        .ok()
}

/// Whoever says nothing else is the user, and the message a new one.
fn fill_in(message: &mut Members<'_>, is_old: bool, new_id: impl FnOnce() -> String) -> bool {
    let before = message.len();
    let mut default = |name: &str, value: Value| {
        let member = message.entry(name.to_owned());
        member.or_insert_with(|| raw(&value));
    };
    if is_old {
        default("kind", "message".into());
        default("role", "user".into());
    } else {
        default("role", "ROLE_USER".into());
    }
    if !message.contains_key("messageId") {
        message.insert("messageId".to_owned(), raw(&new_id()));
    }
    message.len() > before
}

/// Replaces files that are not base64 by a note with their names.
fn mark_undecodable(message: &mut Members<'_>, is_old: bool) -> bool {
    let Some(parts) = message.get("parts") else {
        return false;
    };
    if all_decodable(parts, is_old) {
        return false;
    }
    let Ok(parts) = serde_json::from_str::<Vec<&RawValue>>(parts.get()) else {
        return false;
    };
    let mut parts: Vec<Cow<'_, RawValue>> = parts.into_iter().map(Cow::Borrowed).collect();
    let mut marked = false;
    for part in &mut parts {
        let name = members(part.get()).and_then(|part| undecodable(&part, is_old));
        if let Some(name) = name {
            let mut note = json!({ "data": { "name": name }, "metadata": { UNDECODABLE: true } });
            if is_old {
                note["kind"] = "data".into();
            }
            *part = raw(&note);
            marked = true;
        }
    }
    if marked {
        let parts = raw(&parts);
        message.insert("parts".to_owned(), parts);
    }
    marked
}

/// What says of a part whether it is a file whose bytes are base64.
#[derive(Deserialize)]
struct Files<'a> {
    #[serde(borrow, default)]
    file: Option<FileBytes<'a>>,
    #[serde(borrow, default)]
    raw: Option<&'a str>,
}

#[derive(Deserialize)]
struct FileBytes<'a> {
    #[serde(borrow, default)]
    bytes: Option<&'a str>,
}

/// Whether all files of a message are base64, seen in one pass over them. False also where another look is
/// needed.
fn all_decodable(parts: &RawValue, is_old: bool) -> bool {
    let parts = serde_json::from_str::<Vec<Files<'_>>>(parts.get());
    parts.is_ok_and(|parts| {
        parts.iter().all(|part| {
            let bytes = if is_old {
                part.file.as_ref().and_then(|file| file.bytes)
            } else {
                part.raw
            };
            bytes.is_none_or(is_base64)
        })
    })
}

/// The name of a file, empty where it has none, whose bytes are no base64.
fn undecodable(part: &Members<'_>, is_old: bool) -> Option<String> {
    let file;
    let (holder, bytes, name) = if is_old {
        file = members(part.get("file")?.get())?;
        (&file, "bytes", "name")
    } else {
        (part, "raw", "filename")
    };
    let bytes = text(holder.get(bytes)?)?;
    if is_base64(&bytes) {
        return None;
    }
    let name = holder.get(name).and_then(|name| text(name));
    Some(name.unwrap_or_default().into_owned())
}

/// Either alphabet, padded or not (RFC 4648 §4, §5).
fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let of_alphabet =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    // A block is looked at without a branch for each byte: files are long.
    let is_block = |block: &[u8]| block.iter().fold(true, |is, byte| is & of_alphabet(byte));
    text.len() - digits.len() <= 2
        && digits.len() % 4 != 1
        && digits.as_bytes().chunks(1 << 10).all(is_block)
}

/// What A2A has no place for goes on as metadata of the request.
fn move_catalog_context(params: &mut Members<'_>) -> bool {
    let Some(context) = params.remove(CATALOG_CONTEXT) else {
        return false;
    };
    let metadata = params.get("metadata").and_then(|it| members(it.get()));
    let mut metadata: Members<'static> = metadata
        .unwrap_or_default()
        .into_iter()
        .map(|(name, value)| (name, Cow::Owned(value.into_owned())))
        .collect();
    metadata.insert(CATALOG_CONTEXT.to_owned(), Cow::Owned(context.into_owned()));
    params.insert("metadata".to_owned(), raw(&metadata));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(request: &str) -> Value {
        let body = complete(Bytes::copy_from_slice(request.as_bytes()), 64, || {
            "m-1".to_owned()
        });
        serde_json::from_slice(&body.unwrap()).unwrap()
    }

    #[test]
    fn a_message_of_parts_alone_becomes_one_of_a2a() {
        let request = r#"{"jsonrpc":"2.0","id":7,"method":"message/send","params":{
            "message":{"parts":[{"kind":"text","text":"Where are the gaps?"}]},
            "contextId":"c-1","catalog_context":{"currency":"EUR"},"metadata":{"a":1}}}"#;
        assert_eq!(
            rewritten(request),
            json!({"jsonrpc":"2.0","id":7,"method":"message/send","params":{
                "message":{"kind":"message","role":"user","messageId":"m-1","contextId":"c-1",
                    "parts":[{"kind":"text","text":"Where are the gaps?"}]},
                "metadata":{"a":1,"catalog_context":{"currency":"EUR"}}}})
        );
    }

    #[test]
    fn what_is_complete_or_not_ours_stays_as_it_was_sent() {
        for request in [
            r#"{"jsonrpc":"2.0", "id":1,"method":"message/send","params":{"message":{"kind":"message","role":"user","messageId":"a","parts":[]}}}"#,
            r#"{"jsonrpc":"2.0", "id":1,"method":"tasks/get","params":{"id":"t"}}"#,
            r#"{"jsonrpc":"2.0", "id":1,"method":"message/send","params":{}}"#,
            r#"{"jsonrpc":"2.0", "id":1,"method":"message/send"}"#,
            "{",
        ] {
            let body = Bytes::copy_from_slice(request.as_bytes());
            assert_eq!(complete(body.clone(), 64, || unreachable!()), Ok(body));
        }
    }

    #[test]
    fn two_conversations_are_refused_with_the_requests_id() {
        let request = r#"{"jsonrpc":"2.0","id":"x","method":"message/send","params":{
            "message":{"parts":[],"contextId":"c-2"},"contextId":"c-1"}}"#;
        let refused = complete(Bytes::copy_from_slice(request.as_bytes()), 64, String::new);
        let refused: Value = serde_json::from_slice(&refused.unwrap_err()).unwrap();
        assert_eq!(
            (&refused["id"], &refused["error"]["code"]),
            (&json!("x"), &json!(-32602))
        );
    }

    #[test]
    fn a_file_that_is_no_base64_keeps_its_name() {
        let request = r#"{"jsonrpc":"2.0","id":7,"method":"message/send","params":{"message":{"parts":[
            {"kind":"file","file":{"name":"a.csv","bytes":"%%%"}},
            {"kind":"file","file":{"name":"b.csv","bytes":"aWQ="}}]}}}"#;
        let parts = &rewritten(request)["params"]["message"]["parts"];
        assert_eq!(parts[0]["data"]["name"], "a.csv");
        assert_eq!(parts[0]["metadata"][UNDECODABLE], true);
        assert_eq!(parts[1]["file"]["bytes"], "aWQ=");
    }
}
