//! What can need a person.

use std::fmt;

use dealers::DealerId;
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

/// The kinds of cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The last file of a feed was refused.
    FeedRefused,
    /// The last file of a feed looked wrong, and the stock before it stays published.
    FeedKeptLastGood,
    /// No good file of a feed came in the time that the dealer expects.
    FeedOverdue,
    /// Stock is hidden because no good file contained it for too long.
    FeedHidden,
    /// The folder or the address of a feed cannot be read.
    FeedSource,
    /// A file of a drop folder cannot be taken, or cannot be moved away.
    FeedFile,
    /// The disk of the data folder is nearly full.
    Disk,
    /// The database cannot be read or written.
    Database,
    /// The server's certificate ends soon, has ended, or cannot be served after a restart.
    Certificate,
    /// The last backup is too old.
    Backup,
    /// Leads of agents whose leads the dealer holds wait for a person.
    LeadsHeld,
    /// The daily made-up lead did not arrive at a destination, or came back.
    TestLeadMissing,
    /// A destination of leads is out of reach, or refuses leads for good.
    DestinationFailing,
    /// Leads are under way for too long, or reached nobody.
    LeadUndelivered,
    /// Leads that were sent to a destination came back.
    Bounce,
    /// The mailbox to which leads come back cannot be read.
    BounceSource,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 16] = [
        Self::FeedRefused,
        Self::FeedKeptLastGood,
        Self::FeedOverdue,
        Self::FeedHidden,
        Self::FeedSource,
        Self::FeedFile,
        Self::Disk,
        Self::Database,
        Self::Certificate,
        Self::Backup,
        Self::LeadsHeld,
        Self::TestLeadMissing,
        Self::DestinationFailing,
        Self::LeadUndelivered,
        Self::Bounce,
        Self::BounceSource,
    ];

    /// The name in the database and in messages to programs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FeedRefused => "feed_refused",
            Self::FeedKeptLastGood => "feed_kept_last_good",
            Self::FeedOverdue => "feed_overdue",
            Self::FeedHidden => "feed_hidden",
            Self::FeedSource => "feed_source",
            Self::FeedFile => "feed_file",
            Self::Disk => "disk",
            Self::Database => "database",
            Self::Certificate => "certificate",
            Self::Backup => "backup",
            Self::LeadsHeld => "leads_held",
            Self::TestLeadMissing => "test_lead_missing",
            Self::DestinationFailing => "destination_failing",
            Self::LeadUndelivered => "lead_undelivered",
            Self::Bounce => "bounce",
            Self::BounceSource => "bounce_source",
        }
    }

    /// The kind of this name; `None` for one that a newer program wrote.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The name in messages to people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::FeedRefused => "feed file refused",
            Self::FeedKeptLastGood => "feed file held back",
            Self::FeedOverdue => "feed overdue",
            Self::FeedHidden => "stock of a feed hidden",
            Self::FeedSource => "feed source not readable",
            Self::FeedFile => "feed file not handled",
            Self::Disk => "disk nearly full",
            Self::Database => "database failing",
            Self::Certificate => "certificate not in order",
            Self::Backup => "backup too old",
            Self::LeadsHeld => "leads held",
            Self::TestLeadMissing => "test lead missing",
            Self::DestinationFailing => "destination failing",
            Self::LeadUndelivered => "leads undelivered",
            Self::Bounce => "leads come back",
            Self::BounceSource => "mailbox of bounces not readable",
        }
    }
}

/// One thing that can need a person. The same cause is told once, however often it is raised,
/// until it is cleared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Cause {
    /// Whose it is; `None` for the server's own.
    pub dealer: Option<DealerId>,
    /// Its kind.
    pub kind: Kind,
    /// What of this kind: the name of a feed, a folder, a host. No personal data.
    pub subject: String,
}

impl Cause {
    /// A cause that concerns one dealer.
    #[must_use]
    pub fn of_dealer(dealer: &DealerId, kind: Kind, subject: impl Into<String>) -> Self {
        Self {
            dealer: Some(dealer.clone()),
            kind,
            subject: subject.into(),
        }
    }

    /// A cause that concerns the server.
    #[must_use]
    pub fn of_server(kind: Kind, subject: impl Into<String>) -> Self {
        Self {
            dealer: None,
            kind,
            subject: subject.into(),
        }
    }

    /// The cause with its words, for a program.
    #[must_use]
    pub fn document(
        &self,
        message: &str,
        raised_at: Timestamp,
        cleared_at: Option<Timestamp>,
    ) -> Value {
        json!({
            "kind": self.kind.as_str(),
            "dealer": self.dealer,
            "subject": self.subject,
            "message": message,
            "raised_at": raised_at,
            "cleared_at": cleared_at,
        })
    }

    /// The dealer as the first key column of the tables.
    pub(super) fn dealer_key(&self) -> &str {
        self.dealer.as_ref().map_or("", DealerId::as_str)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.title(), self.subject)?;
        match &self.dealer {
            Some(dealer) => write!(f, " ({dealer})"),
            None => Ok(()),
        }
    }
}

/// A cause that was raised.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alarm {
    /// What it is about.
    pub cause: Cause,
    /// The time from this raising to its clearing, told apart from earlier ones.
    pub episode: Uuid,
    /// What was found and what to do, in words.
    pub message: String,
    /// When it was raised.
    pub raised_at: Timestamp,
    /// When it was cleared; `None` while it is open.
    pub cleared_at: Option<Timestamp>,
}

impl Alarm {
    /// The alarm, for a program.
    #[must_use]
    pub fn document(&self) -> Value {
        let (raised_at, cleared_at) = (self.raised_at, self.cleared_at);
        self.cause.document(&self.message, raised_at, cleared_at)
    }
}
