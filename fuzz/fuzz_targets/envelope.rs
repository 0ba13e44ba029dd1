//! A request's body on its way to the agent: whatever it holds is answered with an envelope that is JSON,
//! and parameters that are taken mean the same when they are written and read again, those of each
//! operation. The same bytes are also read as a peer's answer.

#![no_main]

use a2a::jsonrpc::{parse_request, read_response, write_error, write_response};
use a2a::method::Method;
use a2a::operation::{Operation, Outcome};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, value::to_raw_value};

fuzz_target!(|body: &[u8]| {
    let answer = match parse_request(body, 64) {
        Err(refusal) => write_error(&refusal.id, &refusal.error),
        Ok(request) => {
            for method in Method::all() {
                if let Ok(operation) = Operation::read(method, request.params) {
                    let written = to_raw_value(&operation).expect("parameters can be written");
                    let again = Operation::read(method, Some(&written));
                    assert_eq!(again.expect("what is written can be read"), operation);
                }
            }
            match Method::from_name(&request.method).map(|it| Operation::read(it, request.params)) {
                Some(Ok(operation)) => write_response(&request.id, &operation),
                Some(Err(error)) => write_error(&request.id, &error),
                None => write_error(
                    &request.id,
                    &a2a::error::Error::method_not_found(&request.method),
                ),
            }
        }
    };
    let answer: Value = serde_json::from_slice(&answer).expect("an answer is JSON");
    assert!(answer["result"].is_object() != answer["error"].is_object());

    // A peer's answer may be anything; its error can be passed on.
    let Ok(response) = read_response(body) else {
        return;
    };
    match (&response.id, &response.outcome) {
        (Some(id), Err(error)) => drop(write_error(id, error)),
        (_, Ok(result)) => {
            for method in Method::all() {
                if let Ok((outcome, _)) = Outcome::read(method, result) {
                    to_raw_value(&outcome).expect("an outcome can be passed on");
                }
            }
        }
        (None, Err(_)) => {}
    }
});
