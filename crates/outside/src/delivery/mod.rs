//! Leads on their way out: the worker that drains the outbox.
//!
//! Start reading at [`Deliveries`].

mod alarms;
mod courier;
mod parcel;
mod worker;

pub use alarms::causes;
pub use courier::{Courier, Couriers, Fault, Parcel, Reach, Receipt};
pub use worker::{Deliveries, Settings, Wake};
