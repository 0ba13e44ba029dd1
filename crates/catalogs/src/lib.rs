//! Named catalogs of sellers without cars: a merchant's product file as the analyst's own table.
//!
//! A catalog is one file, CSV or XML, that arrives again and again, by the ways of a feed. [`publish`] reads it, compares
//! it with the last good one, and keeps it with what came, went and changed its price; a file that cannot be
//! right changes nothing but the list of runs, and [`accept`] applies it after all. [`load`] gives the
//! tables from which questions are answered, and [`attention()`] says when a catalog needs a person.
//!
//! It answers no question itself, which is `analyst`'s to do, and knows no vehicles, which are
//! `inventory`'s. Runs of files are written down where those of vehicles are. In every table, and wherever
//! else a dealer's identifier stands, a catalog's name stands in its place; no dealer is called so.
//!
//! Start reading at [`publish`], then the file `compare.rs`.
//!
//! ```
//! use catalogs::{Arrival, Catalog};
//! use store::{Clock, Store};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let lists = [inventory::stock::MIGRATIONS, catalogs::MIGRATIONS];
//! let store = Store::temporary(&lists, Clock::system())?;
//! let garden: Catalog = toml::from_str(r#"name = "Garden House""#)?;
//! let id = "garden".parse()?;
//!
//! for file in ["id,title,price\n1,Bench,90 EUR\n", "id,title,price\n1,Bench,80 EUR\n2,Sofa,900 EUR\n"] {
//!     let arrival = Arrival { file_name: None, bytes: file.as_bytes() };
//!     catalogs::publish(&store, &id, &garden, arrival).await?;
//! }
//! let tables = catalogs::load(&store, &id, &garden).await?;
//! assert_eq!(tables.own.map(|own| own.rows()), Some(2));
//! assert_eq!(tables.history.map(|history| history.rows()), Some(2), "one came, one is cheaper");
//! # Ok(())
//! # }
//! ```

mod attention;
mod compare;
mod intake;
mod kept;
mod prune;
mod read;
mod schema;
mod settings;
mod tables;
#[cfg(test)]
mod tests;

pub use attention::{attention, expect, overview};
pub use intake::{AcceptError, Arrival, accept, publish, run_document};
pub use prune::prune;
pub use read::{Report, read};
pub use schema::MIGRATIONS;
pub use settings::Catalog;
pub use tables::{Tables, load};

/// What the one feed of a catalog is called in the list of runs.
pub const FEED: &str = "catalog";
