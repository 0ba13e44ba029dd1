//! The outbox: leads on their way to where they have to arrive.
//!
//! A delivery is one lead for one destination of a rooftop. A worker looks for [`candidates`], takes
//! some with [`lease()`], which begins an attempt, and ends it with [`settle()`]: sent, once more
//! later, or failed for good, which makes a delivery to the fallback in the same transaction. Whatever
//! happens to the worker in between, the lease runs out and the delivery is due again under the same
//! name, by which a receiver drops repeats. Nothing here sends anything.
//!
//! Several workers share one database: a lease is an `UPDATE` that only one of them wins, and a
//! worker whose lease was taken over cannot settle.

mod attention;
mod backoff;
mod enqueue;
mod error;
mod fallback;
mod hand;
mod lease;
mod list;
mod returned;
mod route;
mod settle;

pub use attention::{RouteStatus, Unreached, routes, unreached};
pub use backoff::{FAILURES, again_after, pause_after};
pub use enqueue::{enqueue, expand, first_deliveries, resend, without_destination};
pub use error::Error;
pub use hand::{pause, resume, retry, retry_failed};
pub use lease::{Candidate, Lease, Leased, Search, candidates, claim, give_back, lease, renew};
pub(crate) use list::Way;
pub use list::{Arrival, Attempt, Delivery, DeliveryFilter, attempts, list, of_lead, page, show};
pub use returned::{CameBack, came_back, note};
pub use route::{PausedBy, Route};
pub use settle::{Bounce, Ending, Outcome, Settled, bounce, settle};
