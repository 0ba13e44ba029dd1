//! Forecourt puts a seller on the agent network: the dealer agent that buyers' agents talk to, and
//! the buyer's client that talks to any dealer agent.
//!
//! This crate is the program. It joins the crates below it: a request comes in through
//! [`app`], is answered by [`agent`] (one file per skill) from the stock of a [`lot`], and every
//! command of the command line is a file of [`cli`].
//!
//! What it is not: the protocols (`a2a`, `aap`), the rules of stock and leads (`inventory`,
//! `leads`) and the database (`store`) are crates of their own.
//!
//! Start reading at [`app`] for a request, at [`cli`] for a command.
//!
//! ```
//! let demo = forecourt::demo::config()?;
//! assert_eq!(demo.dealers[0].rooftops.len(), 2);
//! # Ok::<(), forecourt::config::ConfigError>(())
//! ```

pub mod agent;
mod analyst;
pub mod app;
pub mod backup;
pub mod buyer;
pub mod cli;
pub mod config;
mod data_lock;
pub mod demo;
mod durable;
pub mod errands;
pub mod keys;
mod larder;
pub mod lot;
mod nodes;
mod problem;
pub mod readiness;
pub mod tasks;
mod telemetry;
mod tls;

use outside::explain;
