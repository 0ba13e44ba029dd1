//! A connection that finds its server again, and its transaction.

use std::{sync::Arc, time::Duration};

use tokio::runtime::Runtime;

use super::{
    dialect::typed,
    error::{Said, is_silence},
    link::Link,
    row::Columns,
    target::Target,
};
use crate::{Claim, Conn, Error, Row, Value, session::Session, transfer::Table};

/// What a connection may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// The advisory lock that stands for the whole database. Whoever claims less shares it.
const WHOLE: i64 = 0x464f_5245_434f_5552;

pub(super) struct Connection {
    target: Arc<Target>,
    access: Access,
    /// Runs on this thread alone. Outlives each link.
    runtime: Runtime,
    /// `None` while the server is not there.
    link: Option<Link>,
    open: bool,
    /// The first error of the transaction, since its savepoint: the server refuses what comes after.
    failed: Option<Error>,
}

impl Connection {
    /// Connects when it is first used.
    pub(super) fn new(target: Arc<Target>, access: Access) -> Result<Self, Error> {
        Ok(Self {
            target,
            access,
            runtime: super::runtime()?,
            link: None,
            open: false,
            failed: None,
        })
    }

    /// Connects, where nothing has been asked yet.
    pub(super) fn connect(&mut self) -> Result<(), Error> {
        self.link = Some(Link::open(&self.runtime, &self.target)?);
        Ok(())
    }

    /// The statements that begin a transaction. Everything that they set ends with it, as a pooler gives
    /// the next one another session.
    fn opening(&self, claims: &[Claim]) -> String {
        let isolation = match self.access {
            Access::Read => "REPEATABLE READ, READ ONLY",
            Access::Write => "READ COMMITTED",
        };
        let timeout = self.target.statement_timeout.as_millis();
        let mut text = format!(
            "BEGIN TRANSACTION ISOLATION LEVEL {isolation}; SET LOCAL statement_timeout = {timeout}"
        );
        if self.access == Access::Read {
            return text;
        }
        let patience = self.target.patience.as_millis().max(1);
        text.push_str(&format!("; SET LOCAL lock_timeout = {patience}"));
        if claims.is_empty() {
            return text;
        }
        if claims.contains(&Claim::WHOLE) {
            text.push_str(&format!("; SELECT pg_advisory_xact_lock({WHOLE})"));
            return text;
        }
        text.push_str(&format!("; SELECT pg_advisory_xact_lock_shared({WHOLE})"));
        let mut keys: Vec<i64> = claims.iter().filter_map(|it| it.part_key()).collect();
        // In one order everywhere, so that no two wait for each other.
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            text.push_str(&format!("; SELECT pg_advisory_xact_lock({key})"));
        }
        text
    }

    fn begin_on_link(&mut self, text: &str, deadline: Duration) -> Result<(), Error> {
        if !self.link.as_ref().is_some_and(Link::is_open) {
            self.connect()?;
        }
        let begun = self.control_within(text, deadline);
        if begun.is_err() && self.link.is_some() {
            // It may have begun before it failed.
            let _ = self.control("ROLLBACK");
        }
        begun
    }

    /// What costs the server nothing.
    fn control(&mut self, text: &str) -> Result<(), Error> {
        self.control_within(text, self.target.short_deadline())
    }

    fn control_within(&mut self, text: &str, deadline: Duration) -> Result<(), Error> {
        let link = self.link.as_ref().ok_or_else(lost)?;
        let done = link.batch_within(&self.runtime, text, deadline);
        self.checked(done)
    }

    /// Notes an error: whether it is the end of the link, and that the transaction has one.
    fn checked<T>(&mut self, outcome: Result<T, Error>) -> Result<T, Error> {
        let outcome = outcome.map_err(|error| match error {
            // The host became a standby: another one is the primary.
            Error::ReadOnly { source } if self.access == Access::Write => {
                Error::Unavailable { path: None, source }
            }
            other => other,
        });
        if let Err(error) = &outcome {
            if matches!(error, Error::Unavailable { .. }) {
                self.link = None;
            }
            self.failed.get_or_insert_with(|| error.clone());
        }
        outcome
    }

    fn statement(
        &mut self,
        sql: &str,
        args: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        let link = self.link.as_ref().ok_or_else(lost)?;
        let mut stopped = None;
        let ran = link.run(&self.runtime, sql, args, &mut |row| {
            each(&Columns(row)).inspect_err(|error| stopped = Some(error.clone()))
        });
        match stopped {
            // The server knows nothing of it.
            Some(error) => Err(error),
            None => self.checked(ran),
        }
    }
}

fn lost() -> Error {
    Error::Unavailable {
        path: None,
        source: Arc::new(Said("the connection was lost".to_owned())),
    }
}

impl Conn for Connection {
    fn execute(&mut self, sql: &'static str, args: &[Value<'_>]) -> Result<u64, Error> {
        self.statement(sql, args, &mut |_| Ok(()))
    }

    fn rows(
        &mut self,
        sql: &'static str,
        args: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.statement(sql, args, each).map(|_| ())
    }
}

impl Session for Connection {
    fn conn(&mut self) -> &mut dyn Conn {
        self
    }

    fn begin(&mut self, claims: &[Claim]) -> Result<(), Error> {
        let text = self.opening(claims);
        let deadline = match self.access {
            Access::Read => self.target.short_deadline(),
            Access::Write => self.target.waiting_deadline(),
        };
        let was_open = self.link.as_ref().is_some_and(Link::is_open);
        self.failed = None;
        let mut begun = self.begin_on_link(&text, deadline);
        // A link that broke while nobody used it says nothing about the server; silence does.
        let is_broken = was_open && self.link.is_none();
        if is_broken && !begun.as_ref().is_err_and(is_silence) {
            self.failed = None;
            begun = self.begin_on_link(&text, deadline);
        }
        self.open = begun.is_ok();
        begun
    }

    fn savepoint(&mut self) -> Result<(), Error> {
        self.control("SAVEPOINT closure")
    }

    fn keep(&mut self) -> Result<(), Error> {
        match self.failed.clone() {
            Some(error) => Err(error),
            None => self.control("RELEASE closure"),
        }
    }

    fn undo(&mut self) -> Result<(), Error> {
        // What others did would be in the way of the next closure, too.
        if let Some(conflict) = self.conflict() {
            return Err(conflict);
        }
        self.control("ROLLBACK TO closure; RELEASE closure")?;
        self.failed = None;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), Error> {
        // The server would take this for a rollback, and say that all is well.
        if let Some(error) = self.failed.clone() {
            return Err(error);
        }
        let link = self.link.as_ref().ok_or_else(lost)?;
        let done = link.commit(&self.runtime);
        self.open = false;
        self.checked(done)
    }

    fn rollback(&mut self) -> Result<(), Error> {
        self.open = false;
        // With the link the server has given the transaction up.
        if self.link.is_none() {
            return Ok(());
        }
        self.control("ROLLBACK").inspect_err(|_| self.link = None)
    }

    fn in_transaction(&self) -> bool {
        self.open
    }

    fn conflict(&self) -> Option<Error> {
        self.failed
            .clone()
            .filter(|error| matches!(error, Error::Conflict { .. }))
    }

    fn run(
        &mut self,
        sql: &str,
        args: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.statement(sql, args, each).map(|_| ())
    }

    fn tables(&mut self) -> Result<Vec<Table>, Error> {
        super::catalog::tables(self)
    }

    fn has_column(&mut self, table: &str, column: &str) -> Result<bool, Error> {
        let found = self.conn().first(
            "SELECT 1 FROM information_schema.columns
             WHERE table_schema = current_schema() AND table_name = $1 AND column_name = $2",
            &[table.into(), column.into()],
            |_| Ok(()),
        )?;
        Ok(found.is_some())
    }

    fn scrub(&mut self) -> Result<(), Error> {
        if self.access == Access::Read {
            let said = Said("it was opened for reading alone".to_owned());
            let source = Arc::new(said);
            return Err(Error::ReadOnly { source });
        }
        self.begin(&[])?;
        let tables = self.conn().all(
            "SELECT quote_ident(table_name) FROM information_schema.tables
             WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'",
            &[],
            |row| row.text(0).map(str::to_owned),
        );
        self.rollback()?;
        for table in tables? {
            let link = self.link.as_ref().ok_or_else(lost)?;
            let done = link.batch_without_end(&self.runtime, &format!("VACUUM {table}"));
            self.checked(done)?;
        }
        Ok(())
    }

    fn batch(&mut self, sql: &str) -> Result<(), Error> {
        let link = self.link.as_ref().ok_or_else(lost)?;
        let done = link.batch(&self.runtime, &typed(sql));
        self.checked(done)
    }
}
