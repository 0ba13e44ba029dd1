//! The door as its callers see it, on both engines where PostgreSQL is installed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

/// Makes two tests of each function: on SQLite and on PostgreSQL.
macro_rules! on_both {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                super::$test(crate::place::Place::sqlite()).await;
            })*
        }
        mod postgres {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                if let Some(place) = crate::place::Place::postgres() {
                    super::$test(place).await;
                }
            })*
        }
    };
}

mod backup;
mod failures;
mod groups;
mod held;
mod opening;
mod place;
mod pooler;
mod postgres;
mod scrub;
mod signals;
mod silence;
mod tls;
mod transfer;
mod values;

use store::{Clock, Conn, Error, Migration, Store};

/// A table of names, and one whose rows refer to it at the commit.
const NAMES: &[Migration] = &[
    Migration {
        name: "names-1",
        sql: "CREATE TABLE name (dealer TEXT, name TEXT, body BYTES, PRIMARY KEY (dealer, name))",
    },
    Migration {
        name: "names-2",
        sql: "CREATE TABLE nickname (
                  dealer TEXT, nickname TEXT, name TEXT NOT NULL, PRIMARY KEY (dealer, nickname),
                  FOREIGN KEY (dealer, name) REFERENCES name (dealer, name)
                      DEFERRABLE INITIALLY DEFERRED
              )",
    },
];

fn store() -> Store {
    Store::temporary(&[NAMES], Clock::system()).expect("opens")
}

fn add(conn: &mut dyn Conn, name: &str) -> Result<u64, Error> {
    conn.execute(
        "INSERT INTO name (dealer, name) VALUES ('demo-motors', $1)",
        &[name.into()],
    )
}

async fn names(store: &Store) -> Vec<String> {
    store
        .read(|conn| {
            conn.all("SELECT name FROM name ORDER BY name", &[], |row| {
                row.text(0).map(str::to_owned)
            })
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"))
}
