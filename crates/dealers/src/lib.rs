//! The seller: dealer, rooftops, feeds and price policy, as the configuration states them, and the
//! keys by which its programs use the server.
//!
//! A dealer is read from the configuration's `[dealers.ID]` table; nothing here reads a file.
//! Start reading at [`Dealer`]; keys and their SQL are in [`keys`].
//!
//! ```
//! let dealer: dealers::Dealer = toml::from_str(
//!     r#"
//!     name = "Group Motors"
//!     [rooftops.North]
//!     timezone = "America/Chicago"
//!     "#,
//! )?;
//! assert_eq!(dealer.information().rooftops[0].name, "North");
//! # Ok::<(), toml::de::Error>(())
//! ```

mod dealer;
mod feed;
mod id;
pub mod keys;
mod period;

pub use dealer::{Dealer, PageLimits, Rooftop};
pub use feed::{FeedSettings, PricePolicy};
pub use id::{DealerId, InvalidDealerId};
pub use period::Period;
