//! forecourt
