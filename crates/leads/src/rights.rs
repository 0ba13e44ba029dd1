//! What may still be done with a lead.

use aap::lead::Channel;
use jiff::Timestamp;
use serde::Serialize;
use store::Row;

use crate::{Revocation, revoke::remaining, wire::read_words};

/// What may still be done with a lead.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Rights {
    /// Ways by which the person may be contacted: those of the consent that were not taken back.
    pub allowed_channels: Vec<Channel>,
    /// Ways for which consent was taken back.
    pub revoked_channels: Vec<Channel>,
    /// Whether it may not be erased.
    pub on_legal_hold: bool,
    /// When its person was erased.
    pub erased_at: Option<Timestamp>,
}

impl Rights {
    /// Out of four columns: the granted channels, every channel that was taken back, each list
    /// separated by commas, the legal hold, and the time of the erasure.
    pub(crate) fn read(row: &dyn Row, first: usize) -> Result<Self, store::Error> {
        let granted: Vec<Channel> = read_words(row, first)?;
        let mut revoked: Vec<Channel> = match row.optional_text(first + 1)? {
            Some(_) => read_words(row, first + 1)?,
            None => Vec::new(),
        };
        revoked.sort_unstable();
        revoked.dedup();
        let allowed = match revoked.as_slice() {
            [] => granted,
            _ => remaining(
                &granted,
                &[Revocation::new(Timestamp::MIN, revoked.clone())],
            ),
        };
        Ok(Self {
            allowed_channels: allowed,
            revoked_channels: revoked,
            on_legal_hold: row.optional_text(first + 2)?.is_some(),
            erased_at: row.optional_time(first + 3)?,
        })
    }
}
