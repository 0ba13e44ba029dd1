//! The vehicle, feeds in, and the snapshot that answers search and facets.

pub mod feed;
pub mod listing;
pub mod snapshot;
pub mod stock;
mod text;
