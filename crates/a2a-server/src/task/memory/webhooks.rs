//! Webhooks in memory.

use std::collections::BTreeMap;

use a2a::model::Timestamp;
use futures_util::future::{BoxFuture, ready};

use super::{Kept, MemoryStore};
use crate::task::push::{Claim, Claimed, DeadLetter, Progress, PushStore, Webhook};
use crate::task::{StoreError, TaskKey};

/// A webhook and how far it has come.
#[derive(Debug)]
pub(super) struct Hook {
    webhook: Webhook,
    sent: u64,
    failures: u32,
    due: Option<Timestamp>,
    holder: Option<(String, Timestamp)>,
}

impl Hook {
    fn is_due(&self, now: Timestamp, last: u64) -> bool {
        self.sent < last
            && self.due.is_none_or(|due| due <= now)
            && self.holder.as_ref().is_none_or(|(_, until)| *until <= now)
    }

    fn is_held_by(&self, holder: &str) -> bool {
        self.holder.as_ref().is_some_and(|(name, _)| name == holder)
    }
}

/// What was given up, by task, webhook and entry.
#[derive(Debug, Default)]
pub(super) struct Letters(BTreeMap<(TaskKey, String, u64), DeadLetter>);

impl Letters {
    pub(super) fn forget_task(&mut self, key: &TaskKey) {
        self.0.retain(|(task, _, _), _| task != key);
    }
}

impl MemoryStore {
    fn put_now(
        &self,
        key: &TaskKey,
        webhook: &Webhook,
        from: Option<u64>,
        most: usize,
    ) -> Result<bool, StoreError> {
        let mut state = self.state();
        let kept = state.kept_mut(key).ok_or(StoreError::Gone)?;
        let id = webhook.id().to_owned();
        if let Some(known) = kept.hooks.get_mut(&id) {
            known.webhook = webhook.clone();
            return Ok(true);
        }
        if kept.hooks.len() >= most {
            return Ok(false);
        }
        let last = kept.last();
        let hook = Hook {
            webhook: webhook.clone(),
            sent: from.unwrap_or(last),
            failures: 0,
            due: None,
            holder: None,
        };
        let is_open = hook.sent < last || !kept.state.is_terminal();
        kept.hooks.insert(id.clone(), hook);
        if is_open {
            state.open.insert((key.clone(), id));
        }
        Ok(true)
    }

    fn remove_now(&self, key: &TaskKey, id: &str) -> Result<(), StoreError> {
        let mut state = self.state();
        let kept = state.kept_mut(key).ok_or(StoreError::Gone)?;
        kept.hooks.remove(id);
        state.open.remove(&(key.clone(), id.to_owned()));
        let is_other = |task: &TaskKey, hook: &str| task != key || hook != id;
        state
            .dead
            .0
            .retain(|(task, hook, _), _| is_other(task, hook));
        Ok(())
    }

    fn claim_now(&self, claim: &Claim, most: usize) -> Vec<Claimed> {
        let mut state = self.state();
        let due = state.open.iter().filter_map(|place| {
            let kept = state.kept(&place.0)?;
            let hook = kept.hooks.get(&place.1)?;
            let is_due = hook.is_due(claim.now, kept.last());
            is_due.then(|| (hook.due, place.clone()))
        });
        let mut due: Vec<_> = due.collect();
        due.sort();
        due.truncate(most);
        let claimed = due.into_iter().filter_map(|(_, (key, id))| {
            let hook = state.kept_mut(&key)?.hooks.get_mut(&id)?;
            hook.holder = Some((claim.holder.clone(), claim.until));
            Some(Claimed {
                key,
                webhook: hook.webhook.clone(),
                sent: hook.sent,
                failures: hook.failures,
                holder: claim.holder.clone(),
            })
        });
        claimed.collect()
    }

    fn settle_now(&self, claimed: &Claimed, progress: &Progress) -> bool {
        let mut state = self.state();
        let id = claimed.webhook.id();
        let hook = state.kept_mut(&claimed.key);
        let hook = hook.and_then(|kept| kept.hooks.get_mut(id));
        let Some(hook) = hook.filter(|hook| hook.is_held_by(&claimed.holder)) else {
            return false;
        };
        hook.sent = progress.sent;
        hook.failures = progress.failures;
        hook.due = Some(progress.due);
        let held = progress.held_until;
        hook.holder = held.map(|until| (claimed.holder.clone(), until));
        if progress.done {
            state.open.remove(&(claimed.key.clone(), id.to_owned()));
        }
        if let Some(letter) = &progress.dead {
            let place = (letter.key.clone(), id.to_owned(), letter.number);
            state.dead.0.insert(place, letter.clone());
        }
        true
    }

    fn give_back_now(&self, holder: &str) {
        let mut state = self.state();
        let open: Vec<_> = state.open.iter().cloned().collect();
        for (key, id) in open {
            let hook = state.kept_mut(&key).and_then(|it| it.hooks.get_mut(&id));
            if let Some(hook) = hook.filter(|hook| hook.is_held_by(holder)) {
                hook.holder = None;
            }
        }
    }

    fn dead_letters_now(&self, most: usize) -> Vec<DeadLetter> {
        let state = self.state();
        let mut letters: Vec<_> = state.dead.0.values().collect();
        letters.sort_by_key(|letter| (letter.at, letter.number));
        letters.into_iter().take(most).cloned().collect()
    }
}

impl Kept {
    /// The last entry of the log.
    fn last(&self) -> u64 {
        self.log.len() as u64
    }
}

impl PushStore for MemoryStore {
    fn put<'a>(
        &'a self,
        key: &'a TaskKey,
        webhook: &'a Webhook,
        from: Option<u64>,
        most: usize,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(ready(self.put_now(key, webhook, from, most)))
    }

    fn webhooks<'a>(&'a self, key: &'a TaskKey) -> BoxFuture<'a, Result<Vec<Webhook>, StoreError>> {
        let state = self.state();
        let found = state.kept(key).ok_or(StoreError::Gone).map(|kept| {
            let hooks = kept.hooks.values();
            hooks.map(|hook| hook.webhook.clone()).collect()
        });
        Box::pin(ready(found))
    }

    fn remove<'a>(
        &'a self,
        key: &'a TaskKey,
        id: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(ready(self.remove_now(key, id)))
    }

    fn claim<'a>(
        &'a self,
        claim: &'a Claim,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Claimed>, StoreError>> {
        Box::pin(ready(Ok(self.claim_now(claim, most))))
    }

    fn settle<'a>(
        &'a self,
        claimed: &'a Claimed,
        progress: &'a Progress,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(ready(Ok(self.settle_now(claimed, progress))))
    }

    fn give_back<'a>(&'a self, holder: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        self.give_back_now(holder);
        Box::pin(ready(Ok(())))
    }

    fn dead_letters(&self, most: usize) -> BoxFuture<'_, Result<Vec<DeadLetter>, StoreError>> {
        Box::pin(ready(Ok(self.dead_letters_now(most))))
    }

    fn forget_dead_letter<'a>(
        &'a self,
        letter: &'a DeadLetter,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let place = (letter.key.clone(), letter.webhook_id.clone(), letter.number);
        self.state().dead.0.remove(&place);
        Box::pin(ready(Ok(())))
    }
}
