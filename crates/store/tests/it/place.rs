//! Where a test has its database.

use std::thread;

use store::{Error, Migration, Options, Store};
use tempfile::TempDir;
use testkit::postgres::Postgres;

use crate::NAMES;

/// An empty database on one of the engines.
pub(crate) enum Place {
    Sqlite(TempDir),
    Postgres { url: String },
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().expect("a temporary folder"))
    }

    /// `None` where PostgreSQL is not installed.
    pub(crate) fn postgres() -> Option<Self> {
        let url = Postgres::find()?.database();
        Some(Self::Postgres { url })
    }

    /// One writing connection, so that closures share commits on both engines.
    pub(crate) fn options(&self) -> Options {
        match self {
            Self::Sqlite(folder) => Options::sqlite(folder.path().join("store.sqlite")),
            Self::Postgres { url } => Options::postgres(url).expect("is a URL").connections(1),
        }
    }

    pub(crate) fn open(&self, migrations: &[&'static [Migration]]) -> Result<Store, Error> {
        Store::open(self.options().migrations(migrations))
    }

    pub(crate) fn store(&self) -> Store {
        self.open(&[NAMES]).expect("opens")
    }

    /// What is expected here, where the engines differ.
    pub(crate) fn says<T>(&self, on_sqlite: T, on_postgres: T) -> T {
        match self {
            Self::Sqlite(_) => on_sqlite,
            Self::Postgres { .. } => on_postgres,
        }
    }
}

/// Runs work that blocks beside the runtime.
pub(crate) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (told, done) = tokio::sync::oneshot::channel();
    thread::spawn(move || told.send(work()));
    done.await.expect("ends")
}
