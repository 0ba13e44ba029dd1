//! For tests only: what several crates' tests share.
//!
//! ```
//! if let Some(contract) = testkit::contract::contract() {
//!     let request = serde_json::json!({ "type": "dealer.information.request" });
//!     assert!(contract.accepts("dealer-information-request.schema.json", &request));
//! }
//! ```

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub mod contract;
pub mod mail;
pub mod webhook;
