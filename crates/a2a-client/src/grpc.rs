//! Calls over gRPC, carried by the guarded HTTP client: the messages of an answer, and the status that it
//! ends with.

use std::{error::Error as _, time::Duration};

use a2a::{error::GrpcCode, method::Method, operation::Outcome, protobuf::read_status};
use bytes::{Buf as _, Bytes};
use egress::Incoming;
use http::{HeaderMap, StatusCode};
use tokio::time::Instant;
use tonic::{
    Code, Status,
    codec::{DecodeBuf, Decoder, Streaming},
};
use url::Url;

use crate::{
    client::Opened,
    error::{Error, Excerpt},
    sse::TooLarge,
    wire,
};

/// Reads the whole answer to an operation that answers once.
pub(crate) async fn outcome(opened: Opened, method: Method) -> Result<Outcome, Error> {
    let limit = opened.answer.body_limit();
    let mut messages = Messages::of(opened.answer, limit).await?;
    let message = messages.only().await?;
    let outcome = wire::read_message(opened.interface.version, method, &message);
    outcome.map_err(|why| messages.bad_answer(why, &message))
}

/// The messages of an answer, as they arrive.
#[derive(Debug)]
pub(crate) struct Messages {
    url: Url,
    status: StatusCode,
    headers: HeaderMap,
    deadline: Instant,
    limit: usize,
    messages: Streaming<Bytes>,
}

impl Messages {
    /// Reads the head of an answer, each message of which has at most `limit` bytes.
    pub(crate) async fn of(answer: Incoming, limit: usize) -> Result<Self, Error> {
        let media_type = answer.content_type().unwrap_or_default();
        if !media_type.starts_with("application/grpc") {
            return Err(not_grpc(answer).await);
        }
        // An answer that is only a status has it in the head.
        if let Some(status) = Status::from_header_map(&answer.headers)
            && status.code() != Code::Ok
        {
            return Err(agent_error(&status));
        }
        let (url, status) = (answer.url.clone(), answer.status);
        let (headers, deadline) = (answer.headers.clone(), answer.deadline());
        let messages =
            Streaming::new_response(AsItIs, answer.into_body(), status, None, Some(limit));
        Ok(Self {
            url,
            status,
            headers,
            deadline,
            limit,
            messages,
        })
    }

    /// The next message of a stream; `None` behind the last, when the status is OK. `idle` is the longest
    /// wait for it.
    pub(crate) async fn next_within(&mut self, idle: Duration) -> Result<Option<Bytes>, Error> {
        match tokio::time::timeout(idle, self.next()).await {
            Ok(message) => message,
            Err(_silence) => Err(self.timed_out()),
        }
    }

    async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let message = self.messages.message().await;
        message.map_err(|status| self.failure(&status))
    }

    /// The one message of an answer that is complete in time.
    async fn only(&mut self) -> Result<Bytes, Error> {
        match tokio::time::timeout_at(self.deadline, self.read_only()).await {
            Ok(Err(Error::EventTooLarge(TooLarge { limit }))) => {
                let origin = self.origin();
                Err(Error::Network(egress::Error::TooLarge { origin, limit }))
            }
            Ok(message) => message,
            Err(_elapsed) => Err(self.timed_out()),
        }
    }

    async fn read_only(&mut self) -> Result<Bytes, Error> {
        let Some(message) = self.next().await? else {
            return Err(self.bad_answer("there is no message in it".to_owned(), b""));
        };
        // The status stands behind the message.
        match self.next().await? {
            None => Ok(message),
            Some(_) => Err(self.bad_answer("there are several messages in it".to_owned(), b"")),
        }
    }

    fn timed_out(&self) -> Error {
        Error::Network(egress::Error::TimedOut {
            origin: self.origin(),
        })
    }

    pub(crate) fn bad_answer(&self, why: String, message: &[u8]) -> Error {
        Error::BadAnswer {
            why,
            answer: Excerpt::new(&self.url, self.status, &self.headers, message),
        }
    }

    fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// What the library calls a status is the agent's own, a failure of the network, or a limit of ours.
    fn failure(&self, status: &Status) -> Error {
        if let Some(error) = status.source().and_then(|it| it.downcast_ref()) {
            return Error::Network(egress::Error::clone(error));
        }
        let words = status.message();
        if status.code() == Code::OutOfRange && words.starts_with("Error, decoded message length") {
            return Error::EventTooLarge(TooLarge { limit: self.limit });
        }
        agent_error(status)
    }
}

/// The error with its details, as the other bindings have it.
fn agent_error(status: &Status) -> Error {
    let code = GrpcCode::from_number(status.code() as i32);
    Error::Agent(read_status(code, status.message(), status.details()))
}

/// A proxy's page, or another service.
async fn not_grpc(answer: Incoming) -> Error {
    match answer.collect().await {
        Err(error) => Error::Network(error),
        Ok(response) if response.status.is_success() => Error::BadAnswer {
            why: "it is none of gRPC".to_owned(),
            answer: Excerpt::of(&response),
        },
        Ok(response) => Error::HttpStatus {
            answer: Excerpt::of(&response),
        },
    }
}

/// Leaves a message as it is: what is in it depends on the call.
#[derive(Debug)]
struct AsItIs;

impl Decoder for AsItIs {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, message: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(message.copy_to_bytes(message.remaining())))
    }
}
