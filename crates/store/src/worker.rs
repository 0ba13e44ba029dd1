//! The loops of the storage threads: grouped writes and single reads.

use std::sync::{Mutex, PoisonError};

use tokio::sync::mpsc::Receiver;

use crate::{
    Claim, Error,
    job::{Job, Ran},
    queue::{Queue, Work, Write},
    session::Session,
};

/// How often a closure is run by itself while others are in its way.
const RUNS: usize = 3;

/// Serves writes until the queue is closed and empty.
///
/// A durable commit costs one wait for the disk, whatever its size. So closures that queued up
/// during the last commit share the next one, each in a savepoint of its own.
pub(crate) fn write(session: &mut dyn Session, queue: &Queue) {
    while let Some((work, _under_way)) = queue.take() {
        match work {
            Work::Writes(group) => commit_group(session, group),
            Work::Scrub(reply) => {
                // A caller that stopped waiting wants no answer.
                let _ = reply.send(session.scrub());
            }
        }
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
        if job.is_abandoned() {
            continue;
        }
        let begun = session.begin(&[]);
        if begun.is_ok() {
            job.run(session.conn());
        }
        leave(session);
        if let Err(error @ Error::Unavailable { .. }) = &begun {
            refuse_waiting(queue, error);
        }
        job.answer(begun);
    }
}

/// Tells a server that is away to everybody who waits for it: one after the other they would learn the
/// same later.
fn refuse_waiting(queue: &Mutex<Receiver<Box<dyn Job>>>, error: &Error) {
    // Whoever holds it waits for work, so that there is none.
    let Ok(mut queue) = queue.try_lock() else {
        return;
    };
    while let Ok(job) = queue.try_recv() {
        job.answer(Err(error.clone()));
    }
}

fn commit_group(session: &mut dyn Session, mut group: Vec<Write>) {
    if group.len() <= 1 {
        return commit_each(session, group);
    }
    let claims: Vec<Claim> = group.iter().map(|write| write.claim).collect();
    match session.begin(&claims) {
        Ok(()) => {}
        // One of them has to wait for long: the others do not.
        Err(Error::Conflict { .. }) => return commit_each(session, group),
        Err(error) => {
            tracing::error!(%error, cause = cause(&error), callers = group.len(), "no transaction");
            return answer(group, &Err(error));
        }
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
        // Nothing is written, and one closure is to blame for all: by a deferred constraint, or by what
        // it needs of others.
        Err(Error::Constraint { .. } | Error::Conflict { .. }) => commit_each(session, group),
        fate => answer(group, &fate),
    }
}

/// Runs each closure in its savepoint. An error means that the transaction as a whole is lost,
/// as some failures of a single statement end it.
fn run_each(session: &mut dyn Session, group: &mut [Write]) -> Result<(), Error> {
    for write in group {
        session.savepoint()?;
        match write.job.run(session.conn()) {
            Ran::Keep => session.keep()?,
            Ran::Undo => session.undo()?,
        }
    }
    Ok(())
}

/// Runs and commits each closure by itself, so that each gets the answer it deserves.
fn commit_each(session: &mut dyn Session, group: Vec<Write>) {
    let mut refused: Vec<(Claim, Error)> = Vec::new();
    for Write { claim, mut job } in group {
        // Whoever holds what this one needs held it a moment ago, too. Where others could not get what
        // they need either, somebody holds everything, and all other reasons hold for everybody.
        let known = refused.iter().find(|(of, error)| {
            *of == claim || refused.len() > 1 || !matches!(error, Error::Conflict { .. })
        });
        if let Some((_, error)) = known {
            job.answer(Err(error.clone()));
            continue;
        }
        let mut fate = commit_one(session, claim, job.as_mut());
        for _ in 1..RUNS {
            if matches!(fate, Ok(Err(Error::Conflict { .. }))) {
                fate = commit_one(session, claim, job.as_mut());
            }
        }
        job.answer(fate.unwrap_or_else(|refusal| {
            refused.push((claim, refusal.clone()));
            Err(refusal)
        }));
    }
}

/// What became of a closure, or why it did not even begin.
fn commit_one(
    session: &mut dyn Session,
    claim: Claim,
    job: &mut dyn Job,
) -> Result<Result<(), Error>, Error> {
    session.begin(&[claim])?;
    let ran = job.run(session.conn());
    let fate = match (session.conflict(), ran) {
        (Some(conflict), _) => Err(conflict),
        (None, Ran::Keep) => session.commit(),
        (None, Ran::Undo) => session.rollback(),
    };
    leave(session);
    Ok(fate)
}

fn answer(group: Vec<Write>, fate: &Result<(), Error>) {
    for Write { job, .. } in group {
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
