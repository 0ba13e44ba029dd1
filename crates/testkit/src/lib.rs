//! For tests only: what several crates' tests share.
//!
//! [`contract`] judges payloads by AAP's published schemas; [`mail`] and [`webhook`] are servers that
//! keep what they are sent, [`imap`] is a mailbox to be read; [`certificate`] makes TLS certificates;
//! [`postgres`] is a database server of one's own, [`pooler`] what may stand in front of it and [`proxy`] a
//! network that fails on demand. It holds no fixture of one crate alone, and no program depends on it.
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

pub mod certificate;
pub mod contract;
pub mod imap;
mod inbox;
pub mod mail;
pub mod pooler;
pub mod postgres;
pub mod proxy;
pub mod webhook;
