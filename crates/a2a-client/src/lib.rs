//! A client of A2A agents: [`discover()`] reads an agent's card, [`Client`] calls the agent over an
//! interface that the card offers.
//!
//! Every request goes out through [`egress`], so that a card cannot point the client at addresses
//! that were not opened on purpose. Answers are read leniently where their meaning is clear; what
//! is no answer (a proxy's page, an empty object) becomes a typed error that shows what came.
//!
//! What it is not: a judge of the agent's data. Payloads are the caller's, and an agent's own
//! error is handed on with its details as they were sent.
//!
//! Start reading at [`discover()`], then [`Client::send_message`].
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
//! let answer = client
//!     .send_message(SendMessageRequest::new(message), &CallOptions::default())
//!     .await?;
//! println!("{answer:?}");
//! # Ok(())
//! # }
//! ```

mod client;
mod discover;
mod error;
pub mod sse;

pub use client::{CallOptions, Client};
pub use discover::{Discovered, discover};
pub use error::{Error, Excerpt};
