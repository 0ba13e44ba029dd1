//! The guarded HTTP client: the one door through which Forecourt calls out.
//!
//! An address that a stranger wrote into an agent card, a webhook registration or a feed source
//! may point at the machine itself or into the network behind it. [`Egress`] judges every address
//! twice: a literal host when it reads the URL, and each address that a name resolves to at the
//! moment of connecting, so that a name which changes its answer between check and use gains
//! nothing. It follows no redirect, asks no proxy from the environment, and bounds time and size.
//!
//! What it is not: a general HTTP client. It knows nothing of cookies, compression or caching, and
//! the meaning of a status is the caller's business; only redirects are errors.
//!
//! Start reading at [`Egress`], then [`Options`] for what is opened on purpose, then
//! [`address`] for the rules.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let egress = egress::Egress::new(egress::Options::default()).expect("a TLS provider is built in");
//! let refused = egress.get("http://127.0.0.1:8080/secret").send().await.unwrap_err();
//! assert!(matches!(refused, egress::Error::AddressBlocked { .. }));
//! # }
//! ```

pub mod address;
mod client;
mod error;
mod gate;
mod incoming;

pub use client::{Egress, Options, Request, Response};
pub use error::{Cause, Error};
pub use incoming::{Body, Incoming};
