//! Operations over the wire, written and read as a client does.

use std::net::SocketAddr;

use a2a::error::Error;
use a2a::headers::ProtocolVersion;
use a2a::jsonrpc::{Id, read_response, write_request};
use a2a::method::Method03;
use a2a::model::{StreamResponse, read_lenient};
use a2a::operation::{Operation, Outcome};
use a2a::{rest, v03};
use serde_json::value::RawValue;

use crate::client::{Connection, Reply, exchange};
use crate::grpc::Peer;

/// A binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    JsonRpc,
    HttpJson,
    Grpc,
}

/// A way to an agent.
#[derive(Debug, Clone)]
pub(crate) struct Wire {
    address: SocketAddr,
    pub(crate) binding: Binding,
    pub(crate) version: ProtocolVersion,
    /// Sent with every request.
    headers: Vec<String>,
}

impl Wire {
    pub(crate) fn new(address: SocketAddr, binding: Binding, version: ProtocolVersion) -> Self {
        Self {
            address,
            binding,
            version,
            headers: vec![format!("A2A-Version: {version}")],
        }
    }

    pub(crate) fn with_header(mut self, line: &str) -> Self {
        self.headers.push(line.to_owned());
        self
    }

    pub(crate) fn is_old(&self) -> bool {
        self.version == ProtocolVersion::V0_3
    }

    /// One result.
    pub(crate) async fn call(&self, operation: &Operation) -> Result<Outcome, Error> {
        if self.binding == Binding::Grpc {
            return self.peer().call(operation).await;
        }
        let reply = exchange(self.address, &self.request(operation, "HTTP/1.1")).await;
        let result = self.result(&reply)?;
        let method = operation.method();
        let read = match (self.binding, self.is_old()) {
            (_, false) => Outcome::read(method, &result),
            (Binding::JsonRpc, true) => {
                v03::jsonrpc::read_outcome(Method03::of(method).unwrap(), &result)
            }
            (Binding::HttpJson, true) => v03::rest::read_outcome(method, &result),
            (Binding::Grpc, true) => panic!("gRPC has no JSON"),
        };
        let (outcome, faults) = read.unwrap_or_else(|faults| panic!("{faults:?} in {reply:?}"));
        assert!(faults.is_empty(), "{faults:?} in {reply:?}");
        Ok(outcome)
    }

    /// Every event of a stream.
    pub(crate) async fn follow(&self, operation: &Operation) -> Result<Vec<StreamResponse>, Error> {
        if self.binding == Binding::Grpc {
            return self.peer().follow(operation).await;
        }
        let mut connection = Connection::open(self.address).await;
        // The answer to a client of HTTP/1.0 has no chunks and ends with the connection.
        connection.send(self.request(operation, "HTTP/1.0")).await;
        let reply = Reply::parse(&connection.rest().await);
        if reply.header("content-type") != Some("text/event-stream") {
            let result = self.result(&reply)?;
            panic!("one result instead of a stream: {result}");
        }
        let data = reply
            .body
            .lines()
            .filter_map(|it| it.strip_prefix("data: "));
        let events = data.map(|data| self.event(data));
        Ok(events.collect())
    }

    /// The same way over gRPC.
    fn peer(&self) -> Peer {
        let lines = self.headers.iter().filter_map(|line| line.split_once(':'));
        let peer = Peer::silent(self.address, self.version);
        lines.fold(peer, |peer, (name, value)| {
            peer.with(&name.to_ascii_lowercase(), value.trim())
        })
    }

    fn request(&self, operation: &Operation, protocol: &str) -> String {
        let (verb, target, body) = self.written(operation);
        let mut request = format!("{verb} /a2a{target} {protocol}\r\nHost: agent.example\r\n");
        for line in &self.headers {
            request.push_str(&format!("{line}\r\n"));
        }
        if let Some(body) = body {
            let length = body.len();
            request.push_str("Content-Type: application/json\r\n");
            request.push_str(&format!("Content-Length: {length}\r\n\r\n{body}"));
        } else {
            request.push_str("\r\n");
        }
        request
    }

    /// Verb, what follows the interface's address, and body.
    fn written(&self, operation: &Operation) -> (&'static str, String, Option<String>) {
        let text = |body: Vec<u8>| String::from_utf8(body).unwrap();
        let outgoing = match (self.binding, self.is_old()) {
            (Binding::JsonRpc, false) => {
                let body = write_request(&Id::from(7), operation.method(), operation).unwrap();
                return ("POST", String::new(), Some(text(body)));
            }
            (Binding::JsonRpc, true) => {
                let (method, params) = v03::jsonrpc::write(operation).unwrap();
                let body = write_request(&Id::from(7), method, &params).unwrap();
                return ("POST", String::new(), Some(text(body)));
            }
            (Binding::HttpJson, false) => rest::write(operation).unwrap(),
            (Binding::HttpJson, true) => v03::rest::write(operation).unwrap(),
            (Binding::Grpc, _) => panic!("gRPC has no JSON"),
        };
        let body = outgoing.body.map(text);
        (outgoing.verb.as_str(), outgoing.target, body)
    }

    fn result(&self, reply: &Reply) -> Result<Box<RawValue>, Error> {
        match self.binding {
            Binding::JsonRpc => {
                let response = read_response(reply.body.as_bytes()).unwrap();
                assert_eq!(response.id, Some(Id::from(7)), "{reply:?}");
                response.outcome
            }
            Binding::HttpJson if reply.status == 200 => {
                Ok(serde_json::from_str(&reply.body).unwrap())
            }
            Binding::HttpJson | Binding::Grpc => {
                let error = rest::read_error(reply.status, reply.body.as_bytes());
                Err(error.unwrap_or_else(|| panic!("no error: {reply:?}")))
            }
        }
    }

    fn event(&self, data: &str) -> StreamResponse {
        let result = match self.binding {
            Binding::JsonRpc => read_response(data.as_bytes()).unwrap().outcome.unwrap(),
            _ => serde_json::from_str(data).unwrap(),
        };
        let (event, faults) = match (self.binding, self.is_old()) {
            (_, false) => read_lenient(&result).unwrap(),
            (Binding::JsonRpc, true) => {
                let (event, _, faults) = v03::jsonrpc::read_event(&result).unwrap();
                (event, faults)
            }
            (_, true) => {
                let (event, _, faults) = v03::rest::read_event(&result).unwrap();
                (event, faults)
            }
        };
        assert!(faults.is_empty(), "{faults:?} in {data}");
        event
    }
}
