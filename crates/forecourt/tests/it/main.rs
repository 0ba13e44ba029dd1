//! Tests of the whole program, in one binary.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails like the test")]

mod a2a;
mod adf;
mod analyst;
mod appointments;
mod bounces;
mod buyer;
mod card;
mod catalogs;
mod cli;
mod cluster;
mod contract;
mod delivery;
mod errands;
mod feeds;
mod house;
mod journey;
mod key;
mod kill;
mod language_model;
mod migrate_store;
mod operations;
mod preview;
mod privacy;
mod profiles;
mod readiness;
mod refusals;
mod schema;
mod serving;
mod support;
mod tasks;
mod trust;
mod webhooks;
