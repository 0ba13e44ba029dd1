//! The analyst as the program uses it.

mod questions;
