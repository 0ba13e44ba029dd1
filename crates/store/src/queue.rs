//! What waits to be written, and which of it may share a commit.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{Semaphore, oneshot};

use crate::{Claim, Error, job::Job};

/// Closures that wait before callers wait for room.
const ROOM: usize = 1024;
/// Most closures that share a commit; without a bound the first would wait for the last.
pub(crate) const GROUP: usize = 64;

/// What a writing thread is asked to do.
pub(crate) enum Order {
    /// Run a closure in a transaction.
    Write(Write),
    /// Leave nothing on disk of what was deleted.
    Scrub(oneshot::Sender<Result<(), Error>>),
}

/// A closure that writes, and what it needs for itself.
pub(crate) struct Write {
    pub(crate) claim: Claim,
    pub(crate) job: Box<dyn Job>,
}

/// The orders that wait, in the order in which they came.
///
/// What one thread has under way no other takes: closures with the same claim would only wait for each
/// other in the database, so they queue up here and share the next commit.
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    room: Semaphore,
}

struct State {
    waiting: VecDeque<Order>,
    claimed: HashSet<Claim>,
    /// One thread takes everything, so that nothing is gained by keeping large claims apart.
    alone: bool,
    closed: bool,
}

/// What a thread has under way; dropped when it is done.
pub(crate) struct UnderWay<'q> {
    queue: &'q Queue,
    claims: HashSet<Claim>,
}

/// What is to be done together.
pub(crate) enum Work {
    /// Closures that may share a commit.
    Writes(Vec<Write>),
    /// A scrub, with nothing before it left.
    Scrub(oneshot::Sender<Result<(), Error>>),
}

impl Queue {
    /// A queue for so many threads.
    pub(crate) fn new(threads: usize) -> Self {
        Self {
            state: Mutex::new(State {
                waiting: VecDeque::new(),
                claimed: HashSet::new(),
                alone: threads == 1,
                closed: false,
            }),
            changed: Condvar::new(),
            room: Semaphore::new(ROOM),
        }
    }

    /// Waits for room and hands an order in.
    pub(crate) async fn hand_in(&self, order: Order) -> Result<(), Error> {
        let place = self.room.acquire().await.map_err(|_| Error::Closed)?;
        // It is free again when the order is taken.
        place.forget();
        self.put(order);
        Ok(())
    }

    /// Hands an order in, whether there is room or not.
    pub(crate) fn put(&self, order: Order) {
        self.state().waiting.push_back(order);
        self.changed.notify_one();
    }

    /// What may be done next; waits for it. `None` once the queue is closed and empty.
    pub(crate) fn take(&self) -> Option<(Work, UnderWay<'_>)> {
        let mut state = self.state();
        loop {
            if let Some(work) = state.pick() {
                let (claims, places) = match &work {
                    Work::Writes(writes) => (claims(writes), writes.len()),
                    Work::Scrub(_) => (HashSet::new(), 1),
                };
                state.claimed.extend(&claims);
                self.room.add_permits(places);
                let under_way = UnderWay {
                    queue: self,
                    claims,
                };
                return Some((work, under_way));
            }
            if state.closed && state.waiting.is_empty() {
                return None;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes nothing more in. What was handed in is still done.
    pub(crate) fn close(&self) {
        self.room.close();
        self.state().closed = true;
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn claims(writes: &[Write]) -> HashSet<Claim> {
    let claims = writes.iter().map(|write| write.claim);
    claims.filter(|claim| claim.is_exclusive()).collect()
}

impl State {
    fn pick(&mut self) -> Option<Work> {
        let mut group: Vec<Write> = Vec::new();
        let mut passed = Vec::new();
        while group.len() < GROUP {
            match self.waiting.pop_front() {
                Some(Order::Write(write)) if self.may_join(&group, write.claim) => {
                    group.push(write);
                }
                Some(Order::Scrub(reply)) if group.is_empty() && passed.is_empty() => {
                    return Some(Work::Scrub(reply));
                }
                Some(write @ Order::Write(_)) => passed.push(write),
                Some(scrub @ Order::Scrub(_)) => {
                    passed.push(scrub);
                    break;
                }
                None => break,
            }
        }
        for order in passed.into_iter().rev() {
            self.waiting.push_front(order);
        }
        (!group.is_empty()).then_some(Work::Writes(group))
    }

    /// A closure that needs the whole database makes everybody wait, so it does not wait for a group
    /// of others to be done.
    fn may_join(&self, group: &[Write], claim: Claim) -> bool {
        let alike = |first: &Write| first.claim.is_whole() == claim.is_whole();
        !self.claimed.contains(&claim) && (self.alone || group.first().is_none_or(alike))
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        for claim in &self.claims {
            state.claimed.remove(claim);
        }
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests;
