//! Findings as text, JSON, CSV and A2UI.

pub mod a2ui;
mod format;
mod text;
