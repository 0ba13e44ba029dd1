//! What the store itself needs of a connection, beyond what closures see of it. Each engine
//! implements it; nothing outside this crate names an engine.

use crate::{Claim, Conn, Error, Row, Value, transfer::Table};

/// A connection and its transaction.
pub(crate) trait Session: Conn {
    /// The connection as closures see it.
    fn conn(&mut self) -> &mut dyn Conn;

    /// Starts a transaction for closures with these claims: one that writes waits here for its turn. One
    /// without a claim only looks.
    fn begin(&mut self, claims: &[Claim]) -> Result<(), Error>;

    /// Sets the savepoint to which [`undo`](Session::undo) returns.
    fn savepoint(&mut self) -> Result<(), Error>;

    /// Keeps what was written since the savepoint, as part of the transaction.
    fn keep(&mut self) -> Result<(), Error>;

    /// Undoes what was written since the savepoint and removes the savepoint.
    fn undo(&mut self) -> Result<(), Error>;

    /// Makes the transaction durable: on disk when this returns `Ok`.
    fn commit(&mut self) -> Result<(), Error>;

    /// Undoes the transaction.
    fn rollback(&mut self) -> Result<(), Error>;

    /// False when there is no transaction, also when an error ended it.
    fn in_transaction(&self) -> bool;

    /// Why the transaction failed where that was the doing of others, so that another run of the same
    /// closures may succeed.
    fn conflict(&self) -> Option<Error> {
        None
    }

    /// Runs a statement whose text is put together, as [`Conn::rows`] runs one that is written down.
    fn run(
        &mut self,
        sql: &str,
        args: &[Value<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// The tables of the database.
    fn tables(&mut self) -> Result<Vec<Table>, Error>;

    /// Whether the database has a table of this name with this column.
    fn has_column(&mut self, table: &str, column: &str) -> Result<bool, Error>;

    /// Leaves nothing on disk of what was deleted. Runs outside of transactions.
    fn scrub(&mut self) -> Result<(), Error>;

    /// Runs several statements without arguments.
    fn batch(&mut self, sql: &str) -> Result<(), Error>;
}
