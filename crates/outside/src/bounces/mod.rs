//! Bounces: leads that a mail server took and sent back.

mod imap;
mod maildir;
mod report;
mod status;

pub use imap::{Imap, ImapError, Login, port};
pub use maildir::Maildir;
pub use report::{MOST_BYTES, Report, Verdict, read};
pub use status::{NotAStatus, Status};
