//! A server in a process of its own, seen from the side that puts load on it.

use std::{
    io::{BufRead, BufReader, Write},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, bail, ensure};

/// A running server, ended when dropped.
#[derive(Debug)]
pub(crate) struct Child {
    process: std::process::Child,
    /// `None` for one that is not asked for its CPU time.
    asks: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    address: SocketAddr,
}

impl Child {
    /// Starts this program as the server that the arguments of `serve-side` name, and waits until
    /// it listens.
    pub(crate) fn start(args: &[&str]) -> anyhow::Result<Self> {
        Self::of(this_program(&[&["serve-side"], args].concat())?)
    }

    /// Starts the agent of `peer/`, where that is built: by default there, or at the path that the
    /// environment names.
    pub(crate) fn start_peer(args: &[&str]) -> anyhow::Result<Option<Self>> {
        let program = std::env::var_os("BENCH_PEER").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("peer/target/release/bench-peer"),
            PathBuf::from,
        );
        if !program.exists() {
            return Ok(None);
        }
        let mut command = Command::new(program);
        command.args(args).stderr(Stdio::null());
        Self::of(command).map(Some)
    }

    /// Starts the program `forecourt` that is built beside this one, which has an allocator of its own.
    pub(crate) fn start_forecourt(args: &[&str]) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?.with_file_name("forecourt");
        ensure!(
            program.exists(),
            "there is no {}; `cargo build --release -p forecourt` makes it",
            program.display()
        );
        let mut child = Self::of(untouched(&program, args))?;
        child.asks = None;
        Ok(child)
    }

    fn of(mut command: Command) -> anyhow::Result<Self> {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(asks), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            bail!("the server has no input or output");
        };
        let mut child = Self {
            process,
            asks: Some(asks),
            answers: BufReader::new(answers),
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
        };
        let line = child.line()?;
        child.address = line
            .strip_prefix("listening on http://")
            .with_context(|| format!("{command:?} began with {line:?}"))?
            .parse()?;
        Ok(child)
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// CPU time of the process so far, user and system, over all its threads.
    pub(crate) fn cpu(&mut self) -> anyhow::Result<Duration> {
        let Some(asks) = &mut self.asks else {
            return cpu(self.process.id());
        };
        writeln!(asks)?;
        Ok(Duration::from_nanos(self.line()?.parse()?))
    }

    /// Bytes of memory that the process holds.
    pub(crate) fn resident(&self) -> anyhow::Result<u64> {
        self.status("VmRSS:")
    }

    /// Bytes of memory that the process held at most so far.
    pub(crate) fn peak(&self) -> anyhow::Result<u64> {
        self.status("VmHWM:")
    }

    /// Files and sockets that the process holds open.
    pub(crate) fn open_files(&self) -> anyhow::Result<usize> {
        Ok(std::fs::read_dir(format!("/proc/{}/fd", self.process.id()))?.count())
    }

    fn status(&self, name: &str) -> anyhow::Result<u64> {
        status(&self.process.id().to_string(), name)
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        let read = self.answers.read_line(&mut line)?;
        ensure!(read > 0, "the server ended");
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Bytes of memory that this process held at most so far.
pub(crate) fn peak_of_this_process() -> anyhow::Result<u64> {
    status("self", "VmHWM:")
}

/// CPU time of another process so far, to a hundredth of a second.
fn cpu(process: u32) -> anyhow::Result<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the program, in parentheses, may hold spaces. After it come the state, which is field 3,
    // and the others: user time is field 14 and system time field 15.
    let (_, fields) = stat.rsplit_once(')').context("no name of a program")?;
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: Vec<u64> = ticks.map(str::parse).collect::<Result<_, _>>()?;
    ensure!(ticks.len() == 2, "no CPU times in {stat:?}");
    let per_second = rustix::param::clock_ticks_per_second();
    Ok(Duration::from_secs_f64(
        ticks.iter().sum::<u64>() as f64 / per_second as f64,
    ))
}

fn status(process: &str, name: &str) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    let kibibytes: u64 = kibibytes.context("no such line in the status")?.parse()?;
    Ok(kibibytes * 1024)
}

/// `forecourt serve` on a data folder, with further flags, where a port is free, in this program.
pub(crate) fn serve(data: &Path, flags: &[&str]) -> anyhow::Result<Child> {
    let data = data.to_string_lossy();
    Child::start(&[&["program", "--"], &*serve_args(&data, flags)].concat())
}

/// The same as [`serve`], as the program that is installed.
pub(crate) fn serve_installed(data: &Path, flags: &[&str]) -> anyhow::Result<Child> {
    let data = data.to_string_lossy();
    Child::start_forecourt(&serve_args(&data, flags))
}

fn serve_args<'a>(data: &'a str, flags: &[&'a str]) -> Vec<&'a str> {
    let listen = ["--listen", "127.0.0.1:0"];
    [&["serve", "--data", data], flags, &listen].concat()
}

/// Runs a command of the `forecourt` program to its end.
pub(crate) fn run_program(args: &[&str]) -> anyhow::Result<()> {
    output_of(&[&["serve-side", "command", "--"], args].concat()).map(drop)
}

/// Runs this program with these arguments to its end, and returns what it wrote.
pub(crate) fn output_of(args: &[&str]) -> anyhow::Result<Vec<u8>> {
    let output = this_program(args)?
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()?;
    ensure!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}

/// This program as one side, away from the surroundings' own configuration. Logs are written as usual, to
/// nowhere.
fn this_program(args: &[&str]) -> anyhow::Result<Command> {
    Ok(untouched(&std::env::current_exe()?, args))
}

/// A command that no setting of the environment changes.
fn untouched(program: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(args)
        .env_remove("FORECOURT_CONFIG")
        .env_remove("FORECOURT_DATA")
        .env_remove("FORECOURT_DEALER")
        .env_remove("FORECOURT_LISTEN")
        .env_remove("FORECOURT_LOG")
        .stderr(Stdio::null());
    command
}

/// A folder beside this program, so that a database in it is on a real disk even where the
/// machine's temporary files are kept in memory.
pub(crate) fn folder() -> anyhow::Result<tempfile::TempDir> {
    let program: PathBuf = std::env::current_exe()?;
    let beside = program.parent().unwrap_or(Path::new("."));
    Ok(tempfile::tempdir_in(beside)?)
}
