//! The same as `envelope` in protocol 0.3: the parameters of each method mean the same when they are written
//! and read again, and what a peer of 0.3 answers, or sends as an event, can be passed on in 1.0 and in 0.3.

#![no_main]

use a2a::jsonrpc::{parse_request, read_response};
use a2a::method::{Method, Method03};
use a2a::v03::jsonrpc::{Answer, Event, read, read_event, read_outcome, write};
use libfuzzer_sys::fuzz_target;
use serde_json::value::to_raw_value;

fuzz_target!(|body: &[u8]| {
    let methods = || Method::all().filter_map(Method03::of);
    if let Ok(request) = parse_request(body, 64) {
        for method in methods() {
            let Ok(operation) = read(method, request.params) else {
                continue;
            };
            let (name, written) = write(&operation).expect("what came by 0.3 is of 0.3");
            let again = read(name, Some(&written)).expect("what is written can be read");
            assert_eq!((name, again), (method, operation));
        }
    }
    let Ok(response) = read_response(body) else {
        return;
    };
    let Ok(result) = &response.outcome else {
        return;
    };
    for method in methods() {
        if let Ok((outcome, _)) = read_outcome(method, result) {
            to_raw_value(&outcome).expect("an outcome can be passed on");
            if let Ok(answer) = Answer::try_from(outcome) {
                to_raw_value(&answer).expect("and also in 0.3");
            }
        }
    }
    if let Ok((event, is_final, _)) = read_event(result) {
        let written =
            to_raw_value(&Event::new(event, is_final)).expect("an event can be passed on");
        read_event(&written).expect("what is written can be read");
    }
});
