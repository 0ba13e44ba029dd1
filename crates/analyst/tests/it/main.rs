//! The analyst against questions, files and figures that others made.

mod questions;
mod real_catalogs;
