//! The worker that tells webhooks what happens, off the way of the events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use a2a::model::Timestamp;
use tokio::task::JoinSet;

use super::letter::{Refusal, Writer, send};
use super::{Claim, Claimed, DeadLetter, Progress, Push};
use crate::task::{Change, Entry, StoreError};

/// How many webhooks are told something at the same time.
const MOST_AT_ONCE: usize = 256;
/// How many entries of a log are read at once.
const PAGE: usize = 64;
/// How often the store is asked what is due when nothing says that something is.
const POLL: Duration = Duration::from_secs(1);
/// How long a store is left alone that failed, and between two questions at least.
const REST: Duration = Duration::from_millis(20);

/// How long a notification that is under way may take when the worker ends. One that is cut off is sent
/// once more by the next process.
const LAST_PATIENCE: Duration = Duration::from_secs(5);

/// Tells webhooks what is due until `stop` resolves.
pub(super) async fn run(push: Push, stop: impl Future<Output = ()>) {
    let mut under_way = JoinSet::new();
    let ending = Arc::new(AtomicBool::new(false));
    let mut stop = std::pin::pin!(stop);
    loop {
        let room = MOST_AT_ONCE - under_way.len().min(MOST_AT_ONCE);
        let claimed = if room > 0 {
            push.claim(room).await
        } else {
            Vec::new()
        };
        if !claimed.is_empty() {
            // Registered by another process, or before this one began.
            push.0.tasks.told().registered();
        }
        for claimed in claimed {
            under_way.spawn(tell(push.clone(), claimed, Arc::clone(&ending)));
        }
        let next = async {
            tokio::select! {
                () = push.0.tasks.told().due() => {}
                Some(_) = under_way.join_next() => {}
                () = tokio::time::sleep(POLL) => {}
            }
            // Many events in a row are one reason to ask.
            tokio::time::sleep(REST).await;
        };
        tokio::select! {
            () = next => {}
            () = &mut stop => break,
        }
        while under_way.try_join_next().is_some() {}
    }
    ending.store(true, Ordering::Relaxed);
    let rest = async { while under_way.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(LAST_PATIENCE, rest).await;
    under_way.shutdown().await;
    if let Err(error) = push.0.store.give_back(&push.0.holder).await {
        report("claims could not be given back", &error);
    }
}

impl Push {
    /// Claims what is due.
    async fn claim(&self, most: usize) -> Vec<Claimed> {
        let now = self.now();
        let claim = Claim {
            holder: self.0.holder.clone(),
            now,
            until: later(now, self.0.settings.lease()),
        };
        let claimed = self.0.store.claim(&claim, most).await;
        claimed.unwrap_or_else(|error| {
            report("it is not known which webhooks are due", &error);
            Vec::new()
        })
    }
}

/// Tells one webhook what is due, in order, until there is nothing more or it fails.
async fn tell(push: Push, claimed: Claimed, ending: Arc<AtomicBool>) {
    let mut telling = Telling::new(push, claimed, ending);
    if let Err(error) = telling.go_on().await {
        // The claim runs out, and another try begins.
        report("a webhook cannot be told", &error);
    }
}

/// A webhook that is being told.
struct Telling {
    push: Push,
    claimed: Claimed,
    writer: Writer,
    failures: u32,
    /// The last entry that is dealt with.
    sent: u64,
    /// Whether the task ended with that entry.
    ended: bool,
    /// Whether the worker ends.
    ending: Arc<AtomicBool>,
}

/// Whether to go on with the next entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Entry,
    Nothing,
}

impl Telling {
    fn new(push: Push, claimed: Claimed, ending: Arc<AtomicBool>) -> Self {
        Self {
            writer: Writer::new(claimed.webhook.version),
            failures: claimed.failures,
            sent: claimed.sent,
            ended: false,
            ending,
            push,
            claimed,
        }
    }

    async fn go_on(&mut self) -> Result<(), StoreError> {
        let mut place = if self.writer.reads_everything() {
            0
        } else {
            self.claimed.sent
        };
        'log: loop {
            let store = self.push.0.tasks.store();
            let entries = store.entries(&self.claimed.key, place, PAGE).await?;
            let Some(last) = entries.last() else {
                break;
            };
            place = last.number;
            for entry in &entries {
                if self.ending.load(Ordering::Relaxed) {
                    break 'log;
                }
                if self.entry(entry).await? == Next::Nothing {
                    return Ok(());
                }
            }
        }
        self.settle(self.push.now(), None, None).await?;
        Ok(())
    }

    /// Tells of one entry.
    async fn entry(&mut self, entry: &Arc<Entry>) -> Result<Next, StoreError> {
        let body = self.writer.body(entry);
        if entry.number <= self.claimed.sent {
            return Ok(Next::Entry);
        }
        let body = match body {
            Ok(Some(body)) => body,
            Ok(None) => {
                self.deal_with(entry);
                return Ok(Next::Entry);
            }
            Err(error) => {
                let refusal = Refusal {
                    reason: format!("it cannot be written: {error}"),
                    is_passing: false,
                    wait: None,
                };
                return self.refused(entry, refusal).await;
            }
        };
        let push = &self.push.0;
        let timeout = push.settings.timeout;
        match send(&push.egress, &self.claimed.webhook, body, timeout).await {
            Ok(()) => {
                self.failures = 0;
                self.deal_with(entry);
                self.go_on_holding(None).await
            }
            Err(refusal) => self.refused(entry, refusal).await,
        }
    }

    async fn refused(&mut self, entry: &Arc<Entry>, refusal: Refusal) -> Result<Next, StoreError> {
        let settings = &self.push.0.settings;
        self.failures = self.failures.saturating_add(u32::from(refusal.is_passing));
        let now = self.push.now();
        if refusal.is_passing && self.failures < settings.attempts {
            let wait = settings.backoff(self.failures, refusal.wait);
            self.settle(later(now, wait), None, None).await?;
            return Ok(Next::Nothing);
        }
        let letter = DeadLetter {
            key: self.claimed.key.clone(),
            webhook_id: self.claimed.webhook.id().to_owned(),
            number: entry.number,
            at: now,
            reason: refusal.reason,
        };
        let (task, reason) = (&letter.key.id, &letter.reason);
        tracing::warn!(
            task,
            webhook = letter.webhook_id,
            number = letter.number,
            reason,
            "a push notification was given up"
        );
        self.deal_with(entry);
        self.go_on_holding(Some(letter)).await
    }

    fn deal_with(&mut self, entry: &Entry) {
        self.sent = entry.number;
        if let Change::Event(event) = &entry.change {
            self.ended = event.state().map_or(self.ended, |it| it.is_terminal());
        }
    }

    /// Writes down how far it came and prolongs the claim.
    async fn go_on_holding(&mut self, dead: Option<DeadLetter>) -> Result<Next, StoreError> {
        let now = self.push.now();
        let held_until = later(now, self.push.0.settings.lease());
        let is_ours = self.settle(now, Some(held_until), dead).await?;
        Ok(if is_ours { Next::Entry } else { Next::Nothing })
    }

    async fn settle(
        &self,
        due: Timestamp,
        held_until: Option<Timestamp>,
        dead: Option<DeadLetter>,
    ) -> Result<bool, StoreError> {
        let progress = Progress {
            sent: self.sent,
            failures: self.failures,
            due,
            held_until,
            done: self.ended && held_until.is_none(),
            dead,
        };
        self.push.0.store.settle(&self.claimed, &progress).await
    }
}

/// A time so much later.
fn later(time: Timestamp, wait: Duration) -> Timestamp {
    let later = time.get().checked_add(wait).ok();
    let later = later.and_then(|later| Timestamp::try_from(later).ok());
    later.unwrap_or(time)
}

fn report(what: &str, error: &StoreError) {
    let source = crate::causes(error);
    tracing::error!(%error, source, "{what}");
}
