//! What the server sends and fetches of its own accord: leads, feeds from folders and addresses, alarms.
//!
//! [`delivery::Deliveries`] drains the outbox of the leads; [`feeds::Feeds`] watches the sources that
//! the configuration names and publishes what they bring; [`alarm::Alarms`] tells a person when
//! something is wrong; [`rounds::Rounds`] looks after leads that wait. All are futures that the program
//! awaits beside its server. What a file means is `inventory`'s to say, what an ADF document says is
//! `leads`'s, and how an address is called safely is `egress`'s.
//!
//! Start reading at [`delivery`], [`feeds`] and [`alarm`].
//!
//! ```
//! use outside::alarm::{self, Cause, Kind};
//! use store::{Clock, Store};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), store::Error> {
//! let store = Store::temporary(&[outside::MIGRATIONS], Clock::system())?;
//! let backup = Cause::of_server(Kind::Backup, "/srv/backup");
//! alarm::set(&store, &backup, Some("the last backup is 9 days old".to_owned())).await?;
//! assert_eq!(store.read(alarm::open).await?.len(), 1);
//! alarm::set(&store, &backup, None).await?;
//! assert!(store.read(alarm::open).await?.is_empty());
//! # Ok(())
//! # }
//! ```

pub mod alarm;
pub mod bounces;
pub mod delivery;
pub mod disk;
pub mod feeds;
mod headers_file;
pub mod mail;
pub mod rounds;
mod schema;
mod signature;
mod trouble;
mod webhook;

pub use schema::MIGRATIONS;
pub use signature::Secret;
pub use webhook::Webhook;

/// An error with its causes, in one line; what an outer one says already is not repeated.
#[must_use]
pub fn explain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        cause = inner.source();
    }
    text
}
