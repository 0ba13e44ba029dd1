//! Where webhooks are kept.

use a2a::headers::ProtocolVersion;
use a2a::model::{TaskPushNotificationConfig, Timestamp};
use futures_util::future::BoxFuture;

use crate::task::{StoreError, TaskKey};

/// Where webhooks are kept: with the tasks, in the same store as [`TaskStore`](crate::task::TaskStore).
///
/// Each webhook has a place in its task's log, up to which everything was sent. It is *due* when its
/// task's log goes on behind that place, no other process has claimed it, and it does not wait because of
/// failures. Webhooks go with their task.
pub trait PushStore: Send + Sync + 'static {
    /// Keeps a webhook of a task, or replaces the one of its id, which keeps its place. A new one is told
    /// what follows the entry `from`, which is the last one when `None`. False, and nothing is
    /// kept, when the task has `most` others already.
    ///
    /// # Errors
    /// [`StoreError::Gone`] when the owner has no such task.
    fn put<'a>(
        &'a self,
        key: &'a TaskKey,
        webhook: &'a Webhook,
        from: Option<u64>,
        most: usize,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// The webhooks of a task, by id.
    ///
    /// # Errors
    /// [`StoreError::Gone`] when the owner has no such task.
    fn webhooks<'a>(&'a self, key: &'a TaskKey) -> BoxFuture<'a, Result<Vec<Webhook>, StoreError>>;

    /// Removes a webhook, and the letters that it never got. One that is not there is removed already.
    ///
    /// # Errors
    /// [`StoreError::Gone`] when the owner has no such task.
    fn remove<'a>(&'a self, key: &'a TaskKey, id: &'a str)
    -> BoxFuture<'a, Result<(), StoreError>>;

    /// Claims webhooks that are due, at most `most`, those that wait longest first.
    fn claim<'a>(
        &'a self,
        claim: &'a Claim,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Claimed>, StoreError>>;

    /// Writes down how far a claimed webhook has come. False when the claim was lost, or the webhook
    /// removed: then nothing is written.
    fn settle<'a>(
        &'a self,
        claimed: &'a Claimed,
        progress: &'a Progress,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Gives back everything that a holder has claimed.
    fn give_back<'a>(&'a self, holder: &'a str) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Notifications that were given up, the oldest first, at most `most`.
    fn dead_letters(&self, most: usize) -> BoxFuture<'_, Result<Vec<DeadLetter>, StoreError>>;

    /// Forgets a notification that was given up, as it has arrived after all.
    fn forget_dead_letter<'a>(
        &'a self,
        letter: &'a DeadLetter,
    ) -> BoxFuture<'a, Result<(), StoreError>>;
}

/// Where a client wants to be told of a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Webhook {
    /// What the client registered, with its id and its task's.
    pub config: TaskPushNotificationConfig,
    /// The protocol version in which the client registered it, and is told.
    pub version: ProtocolVersion,
}

impl Webhook {
    /// Its id, unique within the task.
    #[must_use]
    pub fn id(&self) -> &str {
        self.config.id.as_deref().unwrap_or_default()
    }
}

/// The terms on which webhooks are claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Who claims, by a name that no other process has.
    pub holder: String,
    /// The time.
    pub now: Timestamp,
    /// Until when nobody else may claim them.
    pub until: Timestamp,
}

/// A webhook that one process has to itself for a while.
#[derive(Debug, Clone, PartialEq)]
pub struct Claimed {
    /// The task.
    pub key: TaskKey,
    /// The webhook.
    pub webhook: Webhook,
    /// The last entry of the log that is dealt with.
    pub sent: u64,
    /// How often it failed in a row.
    pub failures: u32,
    /// Who has it.
    pub holder: String,
}

/// How far a webhook has come.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The last entry of the log that is dealt with.
    pub sent: u64,
    /// How often it failed in a row.
    pub failures: u32,
    /// When it is due again at the earliest.
    pub due: Timestamp,
    /// Until when the claim goes on; `None` gives it up.
    pub held_until: Option<Timestamp>,
    /// Whether the task has ended and everything was sent, so that the webhook is never due again.
    pub done: bool,
    /// A notification that is given up.
    pub dead: Option<DeadLetter>,
}

/// A notification that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The task.
    pub key: TaskKey,
    /// The webhook.
    pub webhook_id: String,
    /// The entry of the task's log.
    pub number: u64,
    /// When it was given up.
    pub at: Timestamp,
    /// Why, in words that hold no secrets.
    pub reason: String,
}
