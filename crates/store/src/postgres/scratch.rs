//! A database that goes when it is not needed any more, for tests.

use std::{sync::Arc, thread};

use super::{
    session::{Access, Connection},
    target::Target,
    url::PostgresUrl,
};
use crate::{Address, Clock, Error, Options, session::Session as _};

/// A new database on a server, removed when this is dropped.
pub(crate) struct Database {
    server: PostgresUrl,
    name: String,
}

impl Database {
    /// Makes an empty database beside the one that the URL names.
    pub(crate) fn create(server: &str) -> Result<(Address, Self), Error> {
        let server = PostgresUrl::parse(server).map_err(|error| Error::Unavailable {
            path: None,
            source: Arc::new(error),
        })?;
        let name = format!("t_{}", Clock::system().new_id().simple());
        let make = format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'");
        tell(&server, make)?;
        let address = Address::Postgres(server.with_database(&name));
        Ok((address, Self { server, name }))
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let remove = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        if let Err(error) = tell(&self.server, remove) {
            tracing::warn!(%error, "a temporary database stays");
        }
    }
}

/// Runs a statement, also where the caller is a thread that must not wait.
fn tell(server: &PostgresUrl, statement: String) -> Result<(), Error> {
    let options = Options::of(&Address::Postgres(server.clone()));
    let target = Arc::new(Target::new(server, &options)?);
    let told = thread::spawn(move || {
        let mut session = Connection::new(target, Access::Write)?;
        // Outside of a transaction, where databases are made.
        session.connect()?;
        session.batch(&statement)
    });
    told.join().unwrap_or(Err(Error::Panicked))
}
