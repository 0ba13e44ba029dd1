//! The analyst against files and figures that others made.

mod real_catalogs;
