//! A client of A2A agents: [`discover()`] reads an agent's card, [`Client`] calls the agent over an
//! interface that the card offers: JSON-RPC, HTTP+JSON or gRPC, A2A 1.0, and 0.3 [on request](Choice).
//!
//! Every request goes out through [`egress`], so that a card cannot point the client at addresses
//! that were not opened on purpose. Answers are read leniently where their meaning is clear; what
//! is no answer (a proxy's page, an empty object) becomes a typed error that shows what came. A stream
//! that is lost is [taken up again](Events).
//!
//! What it is not: a judge of the agent's data. Payloads are the caller's, and an agent's own
//! error is handed on with its details as they were sent. Only streams are repeated by themselves;
//! whether an operation may be sent once more is its caller's to know.
//!
//! With the feature `grpc` interfaces of that binding are called, too; without it they are skipped as any
//! unknown one. With the feature `signing`, `Discovered::verify` holds a card against the keys that its
//! reader trusts.
//!
//! Start reading at [`discover()`], then [`Client::send_message`] and [`Client::stream`]. In the source,
//! `client.rs` chooses an interface and sends, `wire` has the forms of bindings and versions, `events.rs`
//! follows streams, which `connection.rs` reads and [`sse`] and `grpc.rs` take apart.
//!
//! ```no_run
//! use a2a::model::{Message, Part, SendMessageRequest};
//! use a2a_client::{CallOptions, Client, discover};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let egress = egress::Egress::new(egress::Options::default())?;
//! let discovered = discover(&egress, "https://agent.example").await?;
//! let client = Client::new(egress, &discovered)?;
//! let message = Message::user("message-1").with_part(Part::text("hello"));
//! let mut events = client
//!     .stream(SendMessageRequest::new(message), &CallOptions::default())
//!     .await?;
//! while let Some(event) = events.next().await? {
//!     println!("{event:?}");
//! }
//! # Ok(())
//! # }
//! ```

mod client;
mod connection;
mod discover;
mod error;
mod events;
#[cfg(feature = "grpc")]
mod grpc;
mod interface;
pub mod sse;
#[cfg(feature = "signing")]
mod verify;
mod wire;

pub use client::{CallOptions, Client};
pub use discover::{Discovered, discover};
pub use error::{Error, Excerpt};
pub use events::Events;
pub use interface::{Binding, Choice, Interface, UnknownBinding};
#[cfg(feature = "signing")]
pub use verify::{KeySet, NotAKeySet, Trust, VerifyError, verify};
