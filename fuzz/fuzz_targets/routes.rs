//! A request of the HTTP+JSON binding, 1.0 and 0.3: its first line is verb and target, the rest its body.
//! What is taken means the same when it is written as a request and read again; what is not taken has its
//! answer. The same bytes are also read as the body of a peer's error.

#![no_main]

use a2a::error::Error;
use a2a::headers::ProtocolVersion;
use a2a::operation::Operation;
use a2a::rest::{Outgoing, Route, read_error, write, write_error};
use a2a::v03;
use libfuzzer_sys::fuzz_target;

fn arrived(route: Route, query: &str, body: &[u8]) -> Result<Operation, Error> {
    if route.version == ProtocolVersion::V0_3 {
        v03::rest::read(route, query, body, 64)
    } else {
        route.read(query, body, 64)
    }
}

fn route<'a>(verb: &str, target: &'a str) -> Option<(Route, &'a str)> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Some((Route::find(verb, path).ok()?, query))
}

fuzz_target!(|request: &[u8]| {
    if let Some(error) = read_error(400, request) {
        write_error(&error);
    }
    let end = request
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(request.len());
    let (line, body) = request.split_at(end);
    let body = body.get(1..).unwrap_or_default();
    let line = std::str::from_utf8(line).unwrap_or_default();
    let (verb, target) = line.split_once(' ').unwrap_or(("POST", line));
    let Some((found, query)) = route(verb, target) else {
        return;
    };
    let version = found.version;
    let operation = match arrived(found, query, body) {
        Ok(operation) => operation,
        Err(error) => {
            let (status, _) = write_error(&error);
            assert!((400..600).contains(&status));
            return;
        }
    };
    let written = if version == ProtocolVersion::V0_3 {
        v03::rest::write(&operation).expect("what came by 0.3 is of 0.3")
    } else {
        write(&operation).expect("an operation can be written")
    };
    assert_eq!(again(&written), operation, "{written:?}");
});

fn again(written: &Outgoing) -> Operation {
    let (route, query) = route(written.verb.as_str(), &written.target).expect("it has a route");
    let body = written.body.as_deref().unwrap_or_default();
    arrived(route, query, body).expect("what is written can be read")
}
