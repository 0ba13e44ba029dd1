//! The `forecourt` program.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Stock of thousands of dealers comes into memory and leaves it again, built and dropped on different
/// threads. The system's allocator of Linux keeps as much again as was freed, in pieces.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    forecourt::cli::run()
}
