//! For tests only: what several crates' tests share.
//!
//! [`contract`] judges payloads by AAP's published schemas; [`mail`] and [`webhook`] are servers that
//! keep what they are sent. It holds no fixture of one crate alone, and no program depends on it.
//!
//! Start reading at [`contract::contract`].
//!
//! ```
//! if let Some(contract) = testkit::contract::contract() {
//!     let request = serde_json::json!({ "type": "dealer.information.request" });
//!     assert!(contract.accepts("dealer-information-request.schema.json", &request));
//! }
//! ```

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub mod contract;
mod inbox;
pub mod mail;
pub mod webhook;
