//! One door to the database: a [`Store`] runs closures over a [`Conn`], durable when they return.
//!
//! It is not an object mapper and knows no table: each domain crate holds its own SQL beside the
//! functions that need it, and hands in its [`Migration`]s. SQL is written once, in the words that
//! all engines share: `$n` placeholders, `BIGINT`, `TEXT`, `BYTES`, times as milliseconds since
//! 1970. Time and ids come from the store's [`Clock`].
//!
//! Start reading at [`Store::write`], then the file `worker.rs`, which groups what waits into one
//! commit.
//!
//! ```
//! use store::{Clock, Error, Migration, Store};
//!
//! const MIGRATIONS: &[Migration] = &[Migration {
//!     name: "example-1",
//!     sql: "CREATE TABLE car (dealer TEXT, vin TEXT, body BYTES, PRIMARY KEY (dealer, vin))",
//! }];
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Error> {
//! let store = Store::temporary(&[MIGRATIONS], Clock::system())?;
//! store
//!     .write(|conn| {
//!         conn.execute(
//!             "INSERT INTO car (dealer, vin) VALUES ($1, $2)",
//!             &["demo-motors".into(), "1HGCM82633A004352".into()],
//!         )
//!     })
//!     .await?;
//! let cars = store
//!     .read(|conn| conn.first("SELECT COUNT(*) FROM car", &[], |row| row.int(0)))
//!     .await?;
//! assert_eq!(cars, Some(1));
//! # Ok(())
//! # }
//! ```

mod address;
pub mod backup;
mod claim;
mod clock;
mod conn;
mod error;
mod job;
pub mod lease;
mod migrate;
mod postgres;
mod queue;
mod session;
pub mod signal;
mod sqlite;
mod store;
pub mod transfer;
mod words;
mod worker;

pub use address::{Address, BadAddress};
pub use claim::Claim;
pub use clock::Clock;
pub use conn::{Conn, Row, Value};
pub use error::{Error, Source};
pub use lease::Lease;
pub use migrate::Migration;
pub use postgres::PostgresUrl;
pub use signal::{Heard, OwnedSignal, Signal, Signals};
pub use store::{Options, Store};
