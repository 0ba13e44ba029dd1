//! The Agent2Agent protocol (A2A) 1.0 in its JSON form: data model, agent cards, errors, versions,
//! extensions and the JSON-RPC envelope.
//!
//! This crate turns bytes into types and back. It opens no connection, runs no task and keeps no state:
//! serving an agent and calling one are crates of their own, and both are built on this one.
//!
//! What it takes care of, so that nobody above has to:
//!
//! - JSON numbers inside `data` and `metadata` keep the token that was sent: `23500` stays an integer,
//!   9007199254740993 stays exact.
//! - A faulty request is answered with every fault and its place, in words and as field violations.
//! - A body can be as hostile as it likes: nothing here panics or recurses with it.
//!
//! Start reading at [`jsonrpc`], which opens a request, and [`model`], which reads its parameters;
//! [`card`] and [`error`] stand on their own.
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
mod protojson;
pub mod rest;
pub mod v03;
