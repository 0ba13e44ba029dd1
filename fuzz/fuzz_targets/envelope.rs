//! A request's body on its way to the agent: whatever it holds is answered with an envelope that is JSON,
//! and parameters that are taken mean the same when they are written and read again. The same bytes are
//! also read as a peer's answer.

#![no_main]

use a2a::jsonrpc::{parse_request, read_response, write_error, write_response};
use a2a::model::{SendMessageRequest, read_params};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, value::to_raw_value};

fuzz_target!(|body: &[u8]| {
    let answer = match parse_request(body, 64) {
        Err(refusal) => write_error(&refusal.id, &refusal.error),
        Ok(request) => match read_params::<SendMessageRequest>(request.params) {
            Err(error) => write_error(&request.id, &error),
            Ok(params) => {
                let written = to_raw_value(&params).expect("parameters can be written");
                let again = read_params(Some(&written)).expect("what is written can be read");
                assert_eq!(params, again);
                write_response(&request.id, &params)
            }
        },
    };
    let answer: Value = serde_json::from_slice(&answer).expect("an answer is JSON");
    assert!(answer["result"].is_object() != answer["error"].is_object());

    // A peer's answer may be anything; its error can be passed on.
    if let Ok(response) = read_response(body)
        && let (Some(id), Err(error)) = (&response.id, &response.outcome)
    {
        let _ = write_error(id, error);
    }
});
