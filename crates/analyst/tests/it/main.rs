//! The analyst against files, questions and figures that others made.

mod questions;
mod real_catalogs;
