//! What other processes do to a task that is followed or worked on here.
//!
//! The log in the store is the truth. What others have written to it is taken in before what waits here,
//! which comes behind it as far as it still fits the task.

use std::sync::Arc;

use a2a::fold::{Fold, Misfit};
use a2a::model::{Message, Task};

use super::{MOST_RECENT, Run};
use crate::task::tasks::resume;
use crate::task::{Change, Entry, StoreError};

impl Run {
    /// Takes in what other processes have written to the log meanwhile, if they have.
    pub(in crate::task) async fn catch_up(&self) -> Result<(), StoreError> {
        let _one = self.writing.lock().await;
        let published = *self.published.borrow();
        if published.ended || published.broken {
            return Ok(());
        }
        let taken_in = self.take_in_others().await;
        if let Err(error @ (StoreError::Conflict | StoreError::Gone)) = &taken_in {
            self.lose(error);
        }
        taken_in
    }

    /// The same for whoever is the one that writes. What waits here comes behind what the others wrote,
    /// as far as it still fits the task.
    pub(super) async fn take_in_others(&self) -> Result<(), StoreError> {
        loop {
            let after = self.number();
            let mut others = self.store.entries(&self.key, after, MOST_RECENT).await?;
            let own = self.settle_own(&others);
            if own > 0 {
                others.truncate(own);
                self.publish(after + own as u64, others);
                continue;
            }
            if others.is_empty() {
                return Ok(());
            }
            // Whoever was believed to be gone for good may have lost its task to another process.
            if self.is_worked_on() && !self.store.take(&self.key).await? {
                return Err(StoreError::Conflict);
            }
            if !self.put_before_waiting(&others, None) {
                let stored = self.store.task(&self.key).await?;
                let stored = stored.ok_or(StoreError::Gone)?;
                self.read_until(stored.number, &mut others).await?;
                self.put_before_waiting(&others, Some(stored.task));
            }
            let messages: Vec<Message> = others.iter().filter_map(message_of).collect();
            self.publish(last_of(&others), others);
            for message in messages {
                // Without work that reads it, whoever wrote it begins some.
                self.deliver(message, resume);
            }
            if self.published.borrow().ended {
                self.cancel();
            }
            self.wake.notify_one();
        }
    }

    /// Makes the entries of others end with this one, which is stored.
    async fn read_until(
        &self,
        number: u64,
        others: &mut Vec<Arc<Entry>>,
    ) -> Result<(), StoreError> {
        others.retain(|entry| entry.number <= number);
        while last_of(others) < number {
            let after = last_of(others);
            let more = self.store.entries(&self.key, after, MOST_RECENT).await?;
            if more.is_empty() {
                return Err(StoreError::Gone);
            }
            others.extend(more.into_iter().filter(|entry| entry.number <= number));
        }
        Ok(())
    }

    /// Strikes from what waits what turns out to be stored: a write whose answer was lost. Returns how many.
    fn settle_own(&self, stored: &[Arc<Entry>]) -> usize {
        let mut state = self.state();
        let both = state.pending.iter().zip(stored);
        let own = both.take_while(|(own, stored)| own == stored).count();
        state.pending.drain(..own);
        own
    }

    /// Takes entries of others into the task. `stored` is the task with them and without what waits here;
    /// false when it is needed and missing.
    fn put_before_waiting(&self, others: &[Arc<Entry>], stored: Option<Task>) -> bool {
        let mut state = self.state();
        match stored {
            Some(task) => state.fold = Fold::new(task),
            None if !state.pending.is_empty() => return false,
            None => {
                for entry in others {
                    // What does not fit was refused when it was emitted.
                    let _ = take(&mut state.fold, entry.change.clone());
                }
            }
        }
        state.emitted = last_of(others);
        for entry in std::mem::take(&mut state.pending) {
            // A task that has ended takes nothing more.
            if take(&mut state.fold, entry.change.clone()).is_ok() {
                state.emitted += 1;
                let number = state.emitted;
                let entry = Entry {
                    number,
                    ..Entry::clone(&entry)
                };
                state.pending.push(Arc::new(entry));
            }
        }
        true
    }
}

/// Takes what happened into a task.
fn take(fold: &mut Fold, change: Change) -> Result<(), Misfit> {
    match change {
        Change::Event(event) => fold.apply(event),
        Change::Message(message) => fold.message(message),
    }
}

/// The number of the last of some entries.
fn last_of(entries: &[Arc<Entry>]) -> u64 {
    entries.last().map_or(0, |entry| entry.number)
}

fn message_of(entry: &Arc<Entry>) -> Option<Message> {
    match &entry.change {
        Change::Message(message) => Some(message.clone()),
        Change::Event(_) => None,
    }
}
