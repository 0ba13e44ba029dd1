//! Errors in the forms that clients of 0.3 read.

use serde::Serialize;

use super::super::rules;
use crate::error::Error;
use crate::rest::Status;

/// The body of an error that is answered with an HTTP status. In a stream that has begun, it is the data of
/// an event.
///
/// 0.3 gives errors no form over HTTP, and each client reads its own: the code of JSON-RPC and the
/// message, the name of the error and the message, or the `google.rpc.Status` of 1.0 below `error`. The
/// body has all of them.
#[must_use]
pub fn write_error(status: u16, error: &Error) -> Vec<u8> {
    #[derive(Serialize)]
    struct Body<'a> {
        code: i64,
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        name: Option<&'static str>,
        message: &'a str,
        error: Status<'a>,
    }
    let body = Body {
        code: error.kind.json_rpc_code(),
        name: rules::error_name(error.kind),
        message: &error.message,
        error: Status::new(status, error),
    };
    // Only foreign Serialize implementations fail, and there is none in here.
    serde_json::to_vec(&body).unwrap_or_default()
}
