//! Cells as vendors write them, read into values.
//!
//! Every function here takes the text of one cell and says what it is; none invents a value.

pub(super) mod date;
pub(super) mod html;
pub(super) mod list;
pub(super) mod number;
pub(super) mod text;
pub(super) mod url;
pub(super) mod words;

#[cfg(test)]
mod tests;
