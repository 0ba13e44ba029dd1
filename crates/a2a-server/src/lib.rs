//! Serve any [`Agent`] over the Agent2Agent protocol (A2A) 1.0.
//!
//! An agent is a type with one method for each operation it offers. [`jsonrpc`] puts it on the network:
//! it reads the envelope, checks version and extensions, and hands a sound request to the agent. The
//! path of a direct answer touches no task, no queue and no spawn. [`card`] serves an agent's card,
//! [`serve`] runs a listener with timeouts, limits and a graceful end, over [`tls`] where it is given a
//! certificate.
//!
//! What is not here: what an agent says, who may ask it, and where its tasks are kept.
//!
//! Start reading at [`Agent`], then follow a request through [`jsonrpc::Endpoint::handle`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use a2a::error::Error;
//! use a2a::model::{Message, SendMessageRequest, SendMessageResponse};
//! use a2a_server::{Agent, Call, jsonrpc, serve};
//!
//! struct Echo;
//!
//! impl Agent for Echo {
//!     async fn send_message(
//!         &self,
//!         request: SendMessageRequest,
//!         _call: Call,
//!     ) -> Result<SendMessageResponse, Error> {
//!         let mut answer = Message::agent(format!("re:{}", request.message.message_id));
//!         answer.parts = request.message.parts;
//!         Ok(SendMessageResponse::Message(answer))
//!     }
//! }
//!
//! # let runtime = tokio::runtime::Runtime::new().unwrap();
//! # runtime.block_on(async {
//! let app = jsonrpc::router("/a2a", Arc::new(Echo), jsonrpc::Options::default());
//! let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
//! let stop = async { /* a signal, in a real program */ };
//! serve::serve(listener, app, serve::ServeOptions::default(), stop).await.unwrap();
//! # });
//! ```

mod agent;
pub mod card;
pub mod jsonrpc;
pub mod serve;
pub mod tls;

pub use agent::{Agent, Call, bearer};
