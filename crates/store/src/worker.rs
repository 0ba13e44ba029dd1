//! The loops of the storage threads: grouped writes and single reads.

use std::sync::{Mutex, PoisonError};

use tokio::sync::mpsc::Receiver;

use crate::{
    Error,
    job::{Job, Order, Ran},
    session::Session,
};

/// Most closures that share a commit; without a bound the first would wait for the last.
pub(crate) const GROUP: usize = 64;

/// Serves writes until every sender is gone and the queue is empty.
///
/// A durable commit costs one wait for the disk, whatever its size. So closures that queued up
/// during the last commit share the next one, each in a savepoint of its own.
pub(crate) fn write(session: &mut dyn Session, mut queue: Receiver<Order>) {
    while let Some(first) = queue.blocking_recv() {
        let mut group = Vec::new();
        let mut next = Some(first);
        while let Some(order) = next.take() {
            match order {
                Order::Call(job) => group.push(job),
                Order::Scrub(reply) => {
                    commit_group(session, std::mem::take(&mut group));
                    // A caller that stopped waiting wants no answer.
                    let _ = reply.send(session.scrub());
                }
            }
            if group.len() < GROUP {
                next = queue.try_recv().ok();
            }
        }
        commit_group(session, group);
    }
}

/// Serves reads until every sender is gone and the queue is empty; several threads share a queue.
pub(crate) fn read(session: &mut dyn Session, queue: &Mutex<Receiver<Box<dyn Job>>>) {
    loop {
        let next = queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .blocking_recv();
        let Some(mut job) = next else {
            return;
        };
        let begun = session.begin();
        if begun.is_ok() {
            job.run(session.conn());
        }
        leave(session);
        job.answer(begun);
    }
}

fn commit_group(session: &mut dyn Session, mut group: Vec<Box<dyn Job>>) {
    if group.len() <= 1 {
        return commit_each(session, group);
    }
    if let Err(error) = session.begin() {
        tracing::error!(%error, cause = cause(&error), callers = group.len(), "no transaction");
        return answer(group, &Err(error));
    }
    if run_each(session, &mut group).is_err() {
        leave(session);
        return commit_each(session, group);
    }
    let fate = session.commit();
    if let Err(error) = &fate {
        tracing::error!(%error, cause = cause(error), callers = group.len(), "commit failed");
        leave(session);
    }
    match fate {
        // A deferred constraint: nothing is written, and one closure is to blame for all.
        Err(Error::Constraint { .. }) => commit_each(session, group),
        fate => answer(group, &fate),
    }
}

/// Runs each closure in its savepoint. An error means that the transaction as a whole is lost,
/// as some failures of a single statement end it.
fn run_each(session: &mut dyn Session, group: &mut [Box<dyn Job>]) -> Result<(), Error> {
    for job in group {
        session.savepoint()?;
        match job.run(session.conn()) {
            Ran::Keep => session.keep()?,
            Ran::Undo => session.undo()?,
        }
    }
    Ok(())
}

/// Runs and commits each closure by itself, so that each gets the answer it deserves.
fn commit_each(session: &mut dyn Session, group: Vec<Box<dyn Job>>) {
    for mut job in group {
        let fate = commit_one(session, job.as_mut());
        leave(session);
        job.answer(fate);
    }
}

fn commit_one(session: &mut dyn Session, job: &mut dyn Job) -> Result<(), Error> {
    session.begin()?;
    match job.run(session.conn()) {
        Ran::Keep => session.commit(),
        Ran::Undo => session.rollback(),
    }
}

fn answer(group: Vec<Box<dyn Job>>, fate: &Result<(), Error>) {
    for job in group {
        job.answer(fate.clone());
    }
}

/// Ends the transaction, if there still is one, without keeping anything.
fn leave(session: &mut dyn Session) {
    if session.in_transaction()
        && let Err(error) = session.rollback()
    {
        tracing::error!(%error, cause = cause(&error), "rollback failed");
    }
}

/// The engine's words.
fn cause(error: &Error) -> String {
    std::error::Error::source(error).map_or_else(String::new, ToString::to_string)
}

#[cfg(test)]
mod tests;
