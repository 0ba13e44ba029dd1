//! The worker that drains the outbox.

use std::{sync::Arc, time::Duration};

use dealers::{Dealer, DealerId};
use leads::{
    Vault,
    outbox::{Lease, Leased, Outcome},
};
use store::Store;
use tokio::{
    sync::Notify,
    task::JoinSet,
    time::{Instant, sleep, timeout_at},
};

use super::{
    courier::Couriers,
    desk::{Desk, Round},
};

/// Wakes the worker of this process, so that a lead that was just taken need not wait for its next
/// look. Cheap to clone. A lead of which nobody tells is found all the same.
#[derive(Debug, Clone, Default)]
pub struct Wake(Arc<Notify>);

impl Wake {
    /// There is a lead to deliver.
    pub fn wake(&self) {
        self.0.notify_one();
    }
}

/// How the worker goes about it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Settings {
    /// Most deliveries that are sent at the same time.
    pub at_once: usize,
    /// Most of them over one way to a destination.
    pub per_route: usize,
    /// How often the outbox is looked at when nobody wakes the worker.
    pub look_every: Duration,
    /// How long a delivery is a worker's own; it is prolonged while the delivery is being sent. So
    /// long a lead waits that was being sent when its process was killed.
    pub lease: Duration,
    /// How long a receiver may take.
    pub longest_sending: Duration,
    /// How long a server that stops waits for what is being sent.
    pub grace: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            at_once: 16,
            per_route: 4,
            look_every: Duration::from_secs(1),
            lease: Duration::from_secs(30),
            longest_sending: Duration::from_secs(180),
            grace: Duration::from_secs(10),
        }
    }
}

/// The worker that sends what is due, a few deliveries at a time, and writes down what came of each.
///
/// What is being sent does not end with the future of [`run`](Self::run): a configuration that is
/// read again stops the search for more, not a mail half sent. [`release`](Self::release) waits for it.
#[derive(Debug)]
pub struct Deliveries {
    desk: Arc<Desk>,
    wake: Wake,
    sending: tokio::sync::Mutex<JoinSet<()>>,
}

impl Deliveries {
    /// Prepares the worker; nothing is sent before [`run`](Self::run). It leaves the leads of other
    /// dealers alone.
    #[must_use]
    pub fn new(
        store: Store,
        vault: Vault,
        dealers: impl IntoIterator<Item = (DealerId, Arc<Dealer>)>,
        couriers: Couriers,
        settings: Settings,
    ) -> Self {
        Self {
            desk: Arc::new(Desk::new(store, vault, dealers, couriers, settings)),
            wake: Wake::default(),
            sending: tokio::sync::Mutex::default(),
        }
    }

    /// Lets itself be woken by this too.
    #[must_use]
    pub fn woken_by(mut self, wake: Wake) -> Self {
        self.wake = wake;
        self
    }

    /// Sends what is due until the future is dropped.
    pub async fn run(&self) {
        tokio::join!(self.keep_sending(), self.desk.keep_watch());
    }

    async fn keep_sending(&self) {
        let mut sending = self.sending.lock().await;
        // What was taken for a future that was dropped meanwhile is nobody's.
        self.desk.give_back().await;
        let mut round = Round::default();
        loop {
            reap(&mut sending);
            let room = self.desk.settings.at_once.saturating_sub(sending.len());
            for leased in self.desk.take(room, &mut round).await {
                self.start(&mut sending, leased);
            }
            let has_room = sending.len() < self.desk.settings.at_once;
            tokio::select! {
                Some(ended) = sending.join_next() => note_panic(ended),
                () = self.wake.0.notified(), if has_room => {}
                () = sleep(self.desk.settings.look_every), if has_room => {}
            }
        }
    }

    fn start(&self, sending: &mut JoinSet<()>, leased: Leased) {
        let (desk, under_way) = (Arc::clone(&self.desk), self.desk.note(&leased));
        sending.spawn(async move {
            Box::pin(desk.deliver(&leased)).await;
            drop(under_way);
        });
    }

    /// The terms on which this worker takes deliveries, for [`try_once`](Self::try_once).
    #[must_use]
    pub fn terms(&self) -> Lease {
        self.desk.terms(self.desk.now())
    }

    /// Sends a delivery at once and only once, and writes down what came of it. `None` when nothing can
    /// be said of it: the lease was lost, or the database failed. For a person who waits for the answer.
    pub async fn try_once(&self, leased: &Leased) -> Option<Outcome> {
        let outcome = match Box::pin(self.desk.attempt(leased)).await? {
            Outcome::Temporary { detail, .. } | Outcome::Unreachable { detail, .. } => {
                Outcome::Permanent { detail }
            }
            other => other,
        };
        self.desk.settle(leased, &outcome).await;
        Some(outcome)
    }

    /// Waits for what is being sent, not too long, and lets another process have the rest at once. For
    /// a server that stops.
    pub async fn release(&self) {
        let mut sending = self.sending.lock().await;
        let deadline = Instant::now() + self.desk.settings.grace;
        while let Ok(Some(ended)) = timeout_at(deadline, sending.join_next()).await {
            note_panic(ended);
        }
        sending.shutdown().await;
        self.desk.give_back().await;
    }
}

/// Forgets what has ended.
fn reap(sending: &mut JoinSet<()>) {
    while let Some(ended) = sending.try_join_next() {
        note_panic(ended);
    }
}

fn note_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!("a delivery panicked; it is due again when its lease ends");
    }
}
