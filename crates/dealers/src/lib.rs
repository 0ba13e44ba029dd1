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

mod adf;
mod appointments;
mod dealer;
mod destination;
mod feed;
mod id;
pub mod keys;
mod period;
mod policy;
mod region;

pub use adf::{
    AdfCondition, AdfName, AdfNetwork, AdfPhone, AdfPlaceholder, AdfProvider, AdfSettings,
};
pub use appointments::{AppointmentSettings, WhenFull};
pub use dealer::{Dealer, PageLimits, Rooftop};
pub use destination::Destination;
pub use feed::{FeedSettings, PricePolicy};
pub use id::{DealerId, InvalidDealerId};
pub use period::Period;
pub use policy::{AgentPolicy, LeadSettings, Standing, seen_name};
pub use region::{Regions, UnknownRegion};
