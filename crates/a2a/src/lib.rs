//! The Agent2Agent protocol (A2A): data model, agent cards, errors, versions and extensions, in 1.0 and
//! 0.3, for its three bindings.
//!
//! This crate turns bytes into types and back. It opens no connection, runs no task and keeps no state:
//! serving an agent and calling one are crates of their own, and both are built on this one.
//!
//! What it takes care of, so that nobody above has to:
//!
//! - There is one model, that of 1.0. What a peer of 0.3 sends is translated into it, and what it is sent
//!   out of it.
//! - JSON numbers inside `data` and `metadata` keep the token that was sent: `23500` stays an integer,
//!   9007199254740993 stays exact.
//! - A faulty request is answered with every fault and its place, in words and as field violations, in
//!   the same words on every binding.
//! - A body can be as hostile as it likes: nothing here panics or recurses with it.
//!
//! | binding | 1.0 | 0.3 |
//! |---|---|---|
//! | JSON-RPC | [`jsonrpc`], [`operation`] | [`v03::jsonrpc`] |
//! | HTTP+JSON | [`rest`] | [`v03::rest`] |
//! | gRPC, feature `protobuf` | `protobuf::v1` | `protobuf::v0_3` |
//!
//! Start reading at [`operation`], which is what every binding reads and answers, and [`model`], which has
//! its types; [`fold`] makes a task of its events; [`card`] and [`error`] stand on their own.
//!
//! # Features
//!
//! Both are off by default.
//!
//! - `protobuf`: the protocol buffers of both versions and their translation.
//! - `signing`: signing cards and verifying their signatures.
//!
//! # An answer over JSON-RPC
//!
//! ```
//! use a2a::jsonrpc::{parse_request, write_error, write_response};
//! use a2a::model::{Message, Part, SendMessageRequest, SendMessageResponse, read_params};
//!
//! let body = br#"{"jsonrpc":"2.0","id":"q-1","method":"SendMessage","params":{"message":
//!     {"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"Is it still there?"}]}}}"#;
//! let request = parse_request(body, 64).unwrap();
//!
//! let answer = match read_params::<SendMessageRequest>(request.params) {
//!     Ok(params) => {
//!         let question = params.message.message_id;
//!         let text = format!("This answers {question}.");
//!         let message = Message::agent("m-2").with_part(Part::text(text));
//!         write_response(&request.id, &SendMessageResponse::Message(message))
//!     }
//!     Err(error) => write_error(&request.id, &error),
//! };
//! assert_eq!(
//!     String::from_utf8(answer).unwrap(),
//!     concat!(
//!         r#"{"jsonrpc":"2.0","id":"q-1","result":{"message":{"messageId":"m-2","#,
//!         r#""role":"ROLE_AGENT","parts":[{"text":"This answers m-1."}]}}}"#,
//!     )
//! );
//! ```

pub mod card;
pub mod error;
pub mod fault;
pub mod fold;
pub mod headers;
pub mod jsonrpc;
pub mod method;
pub mod model;
pub mod operation;
#[cfg(feature = "protobuf")]
pub mod protobuf;
mod protojson;
pub mod rest;
pub mod v03;

/// The examples of the README, which are tested like the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
