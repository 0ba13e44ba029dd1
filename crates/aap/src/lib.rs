//! The Auto Agent Protocol (AAP): payload types of the five skills, validation that finds every
//! problem at once, the error vocabulary, versions, and the AAP section of an agent card.
//!
//! It is not a client or a server and does no I/O: the A2A envelope around a payload, its transport
//! and the stock that answers a request are elsewhere. Time and identifiers come in as arguments.
//!
//! Start reading at [`skill`], then follow a request: [`Payload`] reads its text,
//! [`validate`](mod@validate) judges it, [`inventory`] and [`lead`] have its types, [`response`] and [`error`] the answer.
//!
//! ```
//! use aap::{AapError, ErrorCode, validate};
//! use serde_json::json;
//!
//! let now = "2026-05-01T12:00:00Z".parse()?;
//! let payload = json!({
//!     "type": "inventory.search.request",
//!     "filters": { "year_min": "2023", "colour": ["red"] },
//! });
//! let rejection = validate(&payload, now).unwrap_err();
//! assert_eq!(rejection.code, ErrorCode::SchemaValidationFailed);
//! let places: Vec<_> = rejection.problems.iter().map(|it| it.instance_location.as_str()).collect();
//! assert_eq!(places, ["/filters/colour", "/filters/year_min"]);
//!
//! let error = AapError::from_rejection(&rejection, "err_1", now);
//! assert_eq!(error.to_payload()["created_at"], "2026-05-01T12:00:00Z");
//! # Ok::<(), jiff::Error>(())
//! ```

pub mod card;
pub mod dealer;
pub mod error;
pub mod formats;
pub mod inventory;
pub mod lead;
mod number;
mod payload;
pub mod request;
pub mod response;
pub mod skill;
pub mod text;
pub mod validate;
pub mod vehicle;
pub mod version;

pub use error::{AapError, ErrorCode};
pub use payload::Payload;
pub use request::{NotInVersion, Request};
pub use skill::Skill;
pub use validate::{Problem, Rejection, validate};
pub use version::{PriceBasis, Profile, Version};
