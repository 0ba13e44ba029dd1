//! Bounces: leads that a mail server took and sent back.
//!
//! [`Bounces`] looks into the mailbox to which they come, by IMAP ([`Imap`]) or in a folder
//! ([`Maildir`]). [`read()`] says what a mail claims, and [`take()`] what becomes of the claim: the
//! delivery counts as bounced, the rooftop's fallback gets the lead, a person hears of it. Whoever
//! hears of bounces in another way hands his word to [`take()`] as well.
//!
//! Start reading at [`Bounces::run`].

mod alarm;
mod imap;
mod maildir;
mod report;
mod status;
mod take;
#[cfg(test)]
mod tests;
mod watch;

pub use imap::{Imap, ImapError, port};
pub use maildir::Maildir;
pub use report::{MOST_BYTES, Report, Verdict, ids_in, read};
pub use status::{NotAStatus, Status};
pub use take::{Claim, Dealers, Taken, Witness, take};
pub use watch::{Bounces, Counts, Settings};
