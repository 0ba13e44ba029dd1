//! One connection to the server, whose every exchange ends within a bound.

use std::{
    future::poll_fn,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::TryStreamExt as _;
use tokio::{runtime::Runtime, task::JoinHandle, time::timeout};
use tokio_postgres::{AsyncMessage, Client, Row, error::Severity};

use super::{
    error::{Said, is_no_transaction, silent, sort},
    row::Bound,
    target::Target,
};
use crate::{Error, Value};

/// A client that is used from one thread, which waits for each answer.
pub(super) struct Link {
    client: Client,
    driver: JoinHandle<()>,
    warnings: Arc<Warnings>,
    deadline: Duration,
}

/// What the server said beside its last answer.
#[derive(Default)]
struct Warnings {
    no_transaction: AtomicBool,
    other: AtomicBool,
}

impl Link {
    pub(super) fn open(runtime: &Runtime, target: &Target) -> Result<Self, Error> {
        let (client, mut connection) = runtime.block_on(target.connect())?;
        let warnings = Arc::new(Warnings::default());
        let heard = Arc::clone(&warnings);
        let driver = runtime.spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await
            {
                if let AsyncMessage::Notice(notice) = message
                    && notice.parsed_severity() == Some(Severity::Warning)
                {
                    let of = match is_no_transaction(notice.code()) {
                        true => &heard.no_transaction,
                        false => &heard.other,
                    };
                    of.store(true, Ordering::Relaxed);
                }
            }
        });
        Ok(Self {
            client,
            driver,
            warnings,
            deadline: target.deadline(),
        })
    }

    /// False once the server or the network has ended it.
    pub(super) fn is_open(&self) -> bool {
        !self.client.is_closed()
    }

    /// Runs a statement, hands its rows to `each`, and returns how many it changed or found. It leaves
    /// no prepared statement behind, so that a pooler may give the next transaction another session.
    pub(super) fn run(
        &self,
        runtime: &Runtime,
        sql: &str,
        args: &[Value<'_>],
        each: &mut dyn FnMut(&Row) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        self.wait(runtime, self.deadline, async {
            let args = args.iter().map(|value| {
                let bound = Bound(value);
                let kind = bound.kind();
                (bound, kind)
            });
            let rows = self.client.query_typed_raw(sql, args).await.map_err(sort)?;
            let mut rows = pin!(rows);
            let mut outcome = Ok(());
            // The rest is read off after an error of `each`, too: the server has sent it already.
            while let Some(row) = rows.try_next().await.map_err(sort)? {
                if outcome.is_ok() {
                    outcome = each(&row);
                }
            }
            outcome.map(|()| rows.rows_affected().unwrap_or_default())
        })
    }

    /// Runs statements that are sent as one text.
    pub(super) fn batch(&self, runtime: &Runtime, sql: &str) -> Result<(), Error> {
        self.batch_within(runtime, sql, self.deadline)
    }

    /// Like [`Link::batch`], for what is answered sooner by a server that lives.
    pub(super) fn batch_within(
        &self,
        runtime: &Runtime,
        sql: &str,
        deadline: Duration,
    ) -> Result<(), Error> {
        self.wait(runtime, deadline, async {
            self.client.batch_execute(sql).await.map_err(sort)
        })
    }

    /// Like [`Link::batch`], for what may take as long as it needs.
    pub(super) fn batch_without_end(&self, runtime: &Runtime, sql: &str) -> Result<(), Error> {
        runtime
            .block_on(self.client.batch_execute(sql))
            .map_err(sort)
    }

    /// Commits. A server that warns has not done what it was asked: there was nothing to commit, or it gave
    /// up waiting for its standby, so that what is written may be lost with it.
    pub(super) fn commit(&self, runtime: &Runtime) -> Result<(), Error> {
        let Warnings {
            no_transaction,
            other,
        } = &*self.warnings;
        other.store(false, Ordering::Relaxed);
        no_transaction.store(false, Ordering::Relaxed);
        self.batch(runtime, "COMMIT")?;
        if no_transaction.load(Ordering::Relaxed) {
            return Err(Error::statement("the closure ended its transaction"));
        }
        if other.load(Ordering::Relaxed) {
            let said = Said("the server warned at the commit".to_owned());
            return Err(Error::Unavailable {
                path: None,
                source: Arc::new(said),
            });
        }
        Ok(())
    }

    fn wait<T>(
        &self,
        runtime: &Runtime,
        deadline: Duration,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        runtime
            .block_on(async { timeout(deadline, work).await })
            .unwrap_or_else(|_| Err(silent(deadline)))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.driver.abort();
    }
}
