//! The `forecourt` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    forecourt::cli::run()
}
