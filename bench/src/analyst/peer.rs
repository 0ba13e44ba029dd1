//! DuckDB, asked through its Python package.

use std::{
    ffi::OsString,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, ensure};

use super::file::Answer;

const SCRIPT: &str = include_str!("peer.py");
/// How the script says that the package is not there.
const NO_PACKAGE: i32 = 3;

/// The answer of DuckDB; none where no Python with its package is found: `python3`, or the one that the
/// environment names.
pub(super) fn ask(file: &Path) -> anyhow::Result<Option<Answer>> {
    let python = std::env::var_os("BENCH_PYTHON").unwrap_or_else(|| OsString::from("python3"));
    let started = Command::new(&python)
        .arg("-")
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut process) = started else {
        return Ok(None);
    };
    process
        .stdin
        .take()
        .context("the script has no input")?
        .write_all(SCRIPT.as_bytes())?;
    let output = process.wait_with_output()?;
    if output.status.code() == Some(NO_PACKAGE) {
        return Ok(None);
    }
    ensure!(
        output.status.success(),
        "DuckDB: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(Some(serde_json::from_slice(&output.stdout)?))
}
