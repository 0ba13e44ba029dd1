//! The `forecourt` program.

use std::process::ExitCode;

use clap::Parser;
use forecourt::cli::{self, Cli};

fn main() -> ExitCode {
    cli::run(Cli::parse())
}
