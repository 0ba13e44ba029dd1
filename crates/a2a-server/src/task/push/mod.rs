//! Push notifications (A2A 1.0 §4.3): webhooks that are told what happens to a task.

mod store;

pub use store::{Claim, Claimed, DeadLetter, Progress, PushStore, Webhook};
