//! Bounces: leads that a mail server took and sent back.

mod report;
mod status;

pub use report::{MOST_BYTES, Report, Verdict, read};
pub use status::{NotAStatus, Status};
