//! Leads on their way out: how each kind of destination is reached.
//!
//! Start reading at [`Courier::send`].

mod courier;
mod mail;
mod words;

pub use courier::{
    Courier, Couriers, DestinationError, Fault, Parcel, Reach, Receipt, SetupError, Unusable,
};
pub use mail::{BounceAddress, MailSettings};
