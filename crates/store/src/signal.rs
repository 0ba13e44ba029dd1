//! Signals: word to whoever waits that something changed, so that nobody has to look all the time.
//!
//! A signal is a hint and rows are the truth: one that is lost delays, so whoever listens also looks
//! by itself now and then. [`Store::tell`](crate::Store::tell) is called after the write was
//! answered, never inside its closure, as a reader would look before there is something to see.
//!
//! With SQLite signals reach the process that they are told in, with PostgreSQL every node on the
//! database.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{
    Notify,
    broadcast::{self, error::RecvError},
};

/// Signals that wait for a slow listener before it is told that it missed some, and for the way to
/// other nodes.
const WAITING: usize = 4096;
/// The longest dealer or key that is told to other nodes.
const LONGEST: usize = 1000;

/// That something changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal<'a> {
    /// What kind of thing: `stock`, `task`, `due`, `catalog`.
    pub topic: &'static str,
    /// Whose it is; empty for the whole server's.
    pub dealer: &'a str,
    /// Which one; empty where the dealer says it all.
    pub key: &'a str,
}

/// A [`Signal`] as it is heard.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OwnedSignal {
    /// What kind of thing.
    pub topic: String,
    /// Whose it is.
    pub dealer: String,
    /// Which one.
    pub key: String,
}

impl From<Signal<'_>> for OwnedSignal {
    fn from(signal: Signal<'_>) -> Self {
        Self {
            topic: signal.topic.to_owned(),
            dealer: signal.dealer.to_owned(),
            key: signal.key.to_owned(),
        }
    }
}

/// What a listener hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A signal, of this process or another one.
    Signal(OwnedSignal),
    /// Some signals may have been lost: look at everything.
    Missed,
}

/// What is heard from [`Store::listen`](crate::Store::listen) on.
#[derive(Debug)]
pub struct Signals(broadcast::Receiver<Heard>);

impl Signals {
    /// Waits for the next signal; forever, once the store is closed. Dropping the future loses
    /// nothing.
    pub async fn next(&mut self) -> Heard {
        match self.0.recv().await {
            Ok(heard) => heard,
            Err(RecvError::Lagged(_)) => Heard::Missed,
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}

/// The listeners of this node, and the way to those of others.
#[derive(Debug, Clone)]
pub(crate) struct Listeners {
    here: broadcast::Sender<Heard>,
    elsewhere: Option<Arc<Elsewhere>>,
}

/// What other nodes are to be told.
#[derive(Debug, Default)]
struct Elsewhere {
    pending: Mutex<Pending>,
    told: Notify,
    begun: Notify,
    closed: Notify,
}

/// Signals on their way to other nodes, equal ones merged.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    pub(crate) signals: HashSet<OwnedSignal>,
    /// There were too many.
    pub(crate) overflowed: bool,
}

impl Listeners {
    /// There is no other node.
    pub(crate) fn new() -> Self {
        Self {
            here: broadcast::Sender::new(WAITING),
            elsewhere: None,
        }
    }

    /// Whoever takes what is [`pending`](Self::pending) carries it to other nodes.
    pub(crate) fn beyond_this_node() -> Self {
        Self {
            elsewhere: Some(Arc::default()),
            ..Self::new()
        }
    }

    pub(crate) fn listen(&self) -> Signals {
        let signals = Signals(self.here.subscribe());
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.begun.notify_one();
        }
        signals
    }

    /// Hands a signal to the listeners of every node.
    pub(crate) fn tell(&self, signal: OwnedSignal) {
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.add(&signal);
        }
        self.hear(Heard::Signal(signal));
    }

    /// Hands on to the listeners of this node what was heard.
    pub(crate) fn hear(&self, heard: Heard) {
        // Nobody listens: nothing is lost.
        let _ = self.here.send(heard);
    }

    /// What other nodes are to be told; waits for it.
    pub(crate) async fn pending(&self) -> Pending {
        let Some(elsewhere) = &self.elsewhere else {
            return std::future::pending().await;
        };
        loop {
            let pending = std::mem::take(&mut *elsewhere.pending());
            if pending.overflowed || !pending.signals.is_empty() {
                return pending;
            }
            elsewhere.told.notified().await;
        }
    }

    /// Waits until somebody listens for the first time.
    pub(crate) async fn begun(&self) {
        match &self.elsewhere {
            Some(elsewhere) => elsewhere.begun.notified().await,
            None => std::future::pending().await,
        }
    }

    pub(crate) fn close(&self) {
        if let Some(elsewhere) = &self.elsewhere {
            elsewhere.closed.notify_one();
        }
    }

    pub(crate) async fn closed(&self) {
        match &self.elsewhere {
            Some(elsewhere) => elsewhere.closed.notified().await,
            None => std::future::pending().await,
        }
    }
}

impl Elsewhere {
    fn add(&self, signal: &OwnedSignal) {
        let mut pending = self.pending();
        let is_odd = [&signal.dealer, &signal.key]
            .iter()
            .any(|it| it.len() > LONGEST || it.chars().any(char::is_control));
        if is_odd || pending.signals.len() >= WAITING {
            pending.overflowed = true;
            pending.signals.clear();
        } else if !pending.overflowed {
            pending.signals.insert(signal.clone());
        }
        drop(pending);
        self.told.notify_one();
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
