//! The vehicle, feeds in, and the snapshot that answers search and facets.
//!
//! A vendor's file goes through three steps: [`feed::read`] makes vehicles and a report of it,
//! [`stock::apply()`] makes them the stock in the database and writes the history, and
//! [`stock::load()`] hands the published units to [`snapshot::Snapshot::build`], which then answers
//! `inventory.search`, `inventory.facets` and `inventory.vehicle` of the Auto Agent Protocol from
//! memory. [`intake::publish`] joins the first two for a file that has arrived.
//!
//! It opens no file and no socket: bytes, time and identifiers come in as arguments, and the
//! database is behind [`store::Conn`]. Shaping an answer for a caller's profile is the business of
//! `aap`, leads are that of `leads`.
//!
//! Start reading at [`feed::read`], then [`stock::apply()`], then [`snapshot`].
//!
//! ```
//! use dealers::PageLimits;
//! use inventory::{feed, listing::Listing, snapshot::Snapshot};
//!
//! let file = "VIN,Stock,Year,Make,Model\n1HGCV1F30KA000002,A2,2019,Honda,CR-V\n";
//! let today = jiff::civil::date(2026, 5, 1);
//! let report = feed::read(file.as_bytes(), &feed::ReadOptions::new(today));
//!
//! let listings = report.vehicles.into_iter().map(|read| Listing {
//!     vehicle: read.vehicle,
//!     rooftops: vec!["North".to_owned()],
//! });
//! let rooftops = ["North".to_owned()];
//! let snapshot = Snapshot::build(listings.collect(), Vec::new(), &rooftops, 1)?;
//!
//! let request = serde_json::from_str(r#"{"filters": {"query": "honda crv"}}"#)?;
//! let answer = snapshot.search(&request, PageLimits::default());
//! assert_eq!(answer.result.total, 1);
//! # Ok::<(), serde_json::Error>(())
//! ```

pub mod feed;
pub mod intake;
pub mod listing;
pub mod snapshot;
pub mod stock;
mod text;
