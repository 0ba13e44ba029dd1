//! A caller's closure on its way to a storage thread and back.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::oneshot;

use crate::{Conn, Error};

/// Whether what a closure wrote stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ran {
    /// It returned `Ok`.
    Keep,
    /// It returned an error or panicked.
    Undo,
}

/// A closure with the place where its answer goes, whatever their types.
pub(crate) trait Job: Send {
    /// Whether nobody waits for the answer any more.
    fn is_abandoned(&self) -> bool;

    /// Runs the closure; a second run replaces the outcome of the first.
    fn run(&mut self, conn: &mut dyn Conn) -> Ran;

    /// Tells the caller: the closure's outcome when `fate` is `Ok` or the closure failed by
    /// itself, else the error that undid it.
    fn answer(self: Box<Self>, fate: Result<(), Error>);
}

/// The one implementation of [`Job`], over the closure's types.
pub(crate) struct Call<F, T, E> {
    work: F,
    outcome: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Call<F, T, E> {
    pub(crate) fn new(work: F) -> (Box<Self>, oneshot::Receiver<Result<T, E>>) {
        let (reply, answer) = oneshot::channel();
        let call = Self {
            work,
            outcome: None,
            reply,
        };
        (Box::new(call), answer)
    }
}

impl<F, T, E> Job for Call<F, T, E>
where
    F: Fn(&mut dyn Conn) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn run(&mut self, conn: &mut dyn Conn) -> Ran {
        // A closure cannot leave anything half done behind: what it wrote is undone, and it owns
        // or merely reads everything else it touches.
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.work)(conn)))
            .unwrap_or_else(|_| Err(Error::Panicked.into()));
        let ran = match &outcome {
            Ok(_) => Ran::Keep,
            Err(_) => Ran::Undo,
        };
        self.outcome = Some(outcome);
        ran
    }

    fn answer(self: Box<Self>, fate: Result<(), Error>) {
        let answer = match (self.outcome, fate) {
            (Some(Err(own)), _) => Err(own),
            (_, Err(error)) => Err(error.into()),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(Error::Closed.into()),
        };
        // A caller that stopped waiting wants no answer.
        let _ = self.reply.send(answer);
    }
}
