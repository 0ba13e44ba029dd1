//! Leads on their way out: the worker that drains the outbox, and how each kind of destination is
//! reached.
//!
//! Start reading at [`Deliveries::run`] and [`Courier::send`].

mod alarms;
mod answer;
mod courier;
mod desk;
mod folder;
mod mail;
mod parcel;
mod post;
#[cfg(test)]
mod tests;
mod webhook;
mod words;
mod worker;

pub use alarms::causes;
pub use courier::{
    Courier, Couriers, DestinationError, Fault, Parcel, Reach, Receipt, SetupError, Unusable,
};
pub use mail::{BounceAddress, MailSettings};
pub use worker::{Deliveries, Settings, Wake};
