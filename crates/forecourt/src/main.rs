//! The `forecourt` program.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Stock of thousands of dealers comes into memory and leaves it again, built and dropped on different
/// threads. With the system's allocator of Linux what was freed stays with the process, in pieces: about as
/// much again as the stock takes.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    forecourt::cli::run()
}
