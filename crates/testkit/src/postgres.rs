//! A PostgreSQL server of one's own: made by `initdb` in a temporary folder, gone with the test
//! program whatever ends it.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use tempfile::TempDir;

use crate::certificate::Certificate;

/// Where Debian's packages put the programs, below a folder for each version.
const DEBIAN: &str = "/usr/lib/postgresql";
/// How often a server is asked whether it is ready, every tenth of a second.
const TRIES: u32 = 600;

/// Whether a crash of the machine may cost data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    None,
    Full,
}

/// A running server.
///
/// Its databases sort text as people do, so that whatever relies on the order of bytes has to say so.
#[derive(Debug)]
pub struct Postgres {
    programs: Programs,
    folder: PathBuf,
    port: u16,
    durability: Durability,
    has_tls: bool,
    server: Option<Keeper>,
    /// Removes the folder, last of all.
    _janitor: Keeper,
}

/// The programs of an installation, and the user who runs them.
#[derive(Debug, Clone)]
struct Programs {
    folder: PathBuf,
    /// User and group to become, as the server refuses to run as root.
    user: Option<(u32, u32)>,
}

impl Postgres {
    /// The server that the tests of this program share. `None`, with the reason printed, where PostgreSQL is
    /// not installed: the test is skipped then.
    ///
    /// # Panics
    /// When it is not installed and the environment has `FORECOURT_REQUIRE_POSTGRES`, or when the
    /// server does not start.
    #[must_use]
    pub fn find() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Postgres>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// A server of one's own, fast and not durable. `None` as [`Postgres::find`].
    ///
    /// # Panics
    /// As [`Postgres::find`].
    #[must_use]
    pub fn start() -> Option<Self> {
        Some(Self::make(Programs::find()?, Durability::None))
    }

    /// A server of one's own that waits for the disk. `None` as [`Postgres::find`].
    ///
    /// # Panics
    /// As [`Postgres::find`].
    #[must_use]
    pub fn crash_safe() -> Option<Self> {
        Some(Self::make(Programs::find()?, Durability::Full))
    }

    /// A server of one's own that shows this certificate to whoever wants TLS. `None` as
    /// [`Postgres::find`].
    ///
    /// # Panics
    /// As [`Postgres::find`].
    #[must_use]
    pub fn with_certificate(certificate: &Certificate) -> Option<Self> {
        let mut made = Self::initialised(Programs::find()?, Durability::None);
        for (name, text) in [
            ("server.crt", certificate.pem()),
            ("server.key", certificate.key_pem()),
        ] {
            let path = made.data().join(name);
            fs::write(&path, text).expect("the folder is ours");
            made.programs.hand_over(&path);
        }
        made.has_tls = true;
        made.restart();
        Some(made)
    }

    fn make(programs: Programs, durability: Durability) -> Self {
        let mut made = Self::initialised(programs, durability);
        made.restart();
        made
    }

    /// A server that was not started yet.
    fn initialised(programs: Programs, durability: Durability) -> Self {
        let made = Self::prepared(programs, durability);
        let mut initdb = made.programs.command("initdb", &made.folder);
        initdb.args(["--username=postgres", "--auth=trust", "--encoding=UTF8"]);
        initdb.args(["--locale=C.UTF-8", "--no-sync", "--no-instructions"]);
        if made.programs.version() >= 15 {
            initdb.args(["--locale-provider=icu", "--icu-locale=en-US"]);
        }
        finished(initdb.arg("-D").arg(made.data()));
        made
    }

    /// A folder for a server, and a port.
    fn prepared(programs: Programs, durability: Durability) -> Self {
        let folder = TempDir::with_prefix("forecourt-postgres-").expect("a temporary folder");
        programs.hand_over(folder.path());
        let folder = folder.keep();
        let mut janitor = Command::new("sh");
        janitor.args(["-c", "trap '' INT TERM; read _; sleep 1; rm -rf \"$0\""]);
        let janitor = Keeper::of(janitor.arg(&folder));
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("there is a free port")
            .port();
        Self {
            programs,
            folder,
            port,
            durability,
            has_tls: false,
            server: None,
            _janitor: janitor,
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Starts the server, after it was stopped, on the same port.
    ///
    /// # Panics
    /// When it does not start.
    pub fn restart(&mut self) {
        let mut postgres = self.programs.command("postgres", &self.folder);
        postgres.arg("-D").arg(self.data());
        let port = format!("port={}", self.port);
        let sockets = format!("unix_socket_directories={}", self.folder.display());
        let mut settings = vec![
            port.as_str(),
            &sockets,
            "listen_addresses=127.0.0.1",
            "max_connections=300",
            "shared_buffers=64MB",
            "logging_collector=off",
            "deadlock_timeout=200ms",
        ];
        if self.durability == Durability::None {
            settings.extend([
                "fsync=off",
                "synchronous_commit=off",
                "full_page_writes=off",
            ]);
        }
        if self.has_tls {
            settings.push("ssl=on");
        }
        for setting in settings {
            postgres.args(["-c", setting]);
        }
        let log = self.folder.join("log");
        self.server = Some(Keeper::of(&mut kept_alive(&postgres, &log, "QUIT")));
        for _ in 0..TRIES {
            let mut asked = self.programs.command("pg_isready", &self.folder);
            asked.args(["-q", "-h", "127.0.0.1", "-U", "postgres", "-p"]);
            if asked
                .arg(self.port.to_string())
                .status()
                .is_ok_and(|it| it.success())
            {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
        let log = fs::read_to_string(log).unwrap_or_default();
        panic!("PostgreSQL does not start: {log}");
    }

    /// The port that it listens on, at 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of the database that every server has.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    /// One of the programs around it, which runs as its user.
    pub(crate) fn companion(&self, program: &str, args: &[&Path], log: &str) -> Keeper {
        let mut command = self.programs.command(program, &self.folder);
        let log = self.folder.join(log);
        Keeper::of(&mut kept_alive(command.args(args), &log, "TERM"))
    }

    /// A file in its folder, which its user can read.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        fs::write(&path, text).expect("the folder is ours");
        self.programs.hand_over(&path);
        path
    }

    fn url_of(&self, database: &str) -> String {
        let port = self.port;
        format!("postgres://postgres@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    /// Makes an empty database and returns its URL.
    ///
    /// # Panics
    /// When the server refuses.
    #[must_use]
    pub fn database(&self) -> String {
        static NUMBER: AtomicU64 = AtomicU64::new(1);
        let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.run(&format!("CREATE DATABASE {name} TEMPLATE template0"));
        self.url_of(&name)
    }

    /// Runs a statement in the database that every server has, and returns what it prints.
    ///
    /// # Panics
    /// When the server refuses.
    pub fn run(&self, statement: &str) -> String {
        self.run_in(&self.url(), statement)
    }

    /// Runs a statement in the database of this URL, and returns what it prints.
    ///
    /// # Panics
    /// When the server refuses.
    pub fn run_in(&self, database: &str, statement: &str) -> String {
        let mut psql = self.psql(database);
        let output = finished(psql.args(["-c", statement]));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn psql(&self, database: &str) -> Command {
        let mut psql = self.programs.command("psql", &self.folder);
        psql.args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-d", database]);
        psql
    }

    /// Runs statements in the database of this URL, in a transaction that stays open, with the locks that they
    /// took, until what is returned is dropped.
    ///
    /// # Panics
    /// When the server refuses.
    #[must_use]
    pub fn hold(&self, database: &str, statements: &str) -> Held {
        let mut psql = self.psql(database);
        psql.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut psql = psql.spawn().expect("psql starts");
        let input = psql.stdin.as_mut().expect("it is piped");
        writeln!(input, "BEGIN; {statements};\n\\echo they are held").expect("psql reads");
        let output = psql.stdout.as_mut().expect("it is piped");
        let mut lines = BufReader::new(output).lines();
        let held = lines.any(|line| line.is_ok_and(|line| line == "they are held"));
        assert!(held, "the server refuses: {statements}");
        Held(psql)
    }

    /// Ends the server as a power cut does: every process of it at once.
    ///
    /// # Panics
    /// When it does not run.
    pub fn stop_hard(&mut self) {
        let running = fs::read_to_string(self.data().join("postmaster.pid"));
        let running = running.expect("the server runs");
        let first = running.lines().next().unwrap_or_default().to_owned();
        // Stopped before its children are looked up, so that it makes no more.
        finished(Command::new("kill").args(["-STOP", &first]));
        let children = Command::new("ps")
            .args(["-o", "pid=", "--ppid", &first])
            .output();
        let children = children.map(|it| it.stdout).unwrap_or_default();
        let children = String::from_utf8_lossy(&children).into_owned();
        let mut kill = Command::new("kill");
        kill.arg("-KILL")
            .arg(&first)
            .args(children.split_whitespace());
        // One that has ended meanwhile is not there to be killed.
        let _ = kill.stderr(Stdio::null()).status();
        self.server = None;
        fs::remove_file(self.data().join("postmaster.pid")).expect("it is there");
    }

    /// A standby that has every commit before the commit is acknowledged.
    ///
    /// # Panics
    /// When it cannot be made.
    #[must_use]
    pub fn standby(&self) -> Self {
        let mut standby = Self::prepared(self.programs.clone(), self.durability);
        let mut copy = self.programs.command("pg_basebackup", &standby.folder);
        copy.args(["-h", "127.0.0.1", "-U", "postgres", "-R", "-X", "stream"]);
        copy.args([
            "-c",
            "fast",
            "--no-sync",
            "-p",
            &self.port.to_string(),
            "-D",
        ]);
        finished(copy.arg(standby.data()));
        standby.restart();
        self.run("ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.run("SELECT pg_reload_conf()");
        for _ in 0..TRIES {
            let replicating = "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
            if self.run(replicating) == "1" {
                return standby;
            }
            thread::sleep(Duration::from_millis(100));
        }
        panic!("the standby does not follow");
    }

    /// Makes a standby the primary.
    ///
    /// # Panics
    /// When it is none.
    pub fn promote(&self) {
        let mut promote = self.programs.command("pg_ctl", &self.folder);
        finished(promote.args(["promote", "-w", "-s", "-D"]).arg(self.data()));
    }
}

impl Programs {
    fn find() -> Option<Self> {
        let found = Self::look();
        if let Err(reason) = &found {
            assert!(
                std::env::var_os("FORECOURT_REQUIRE_POSTGRES").is_none(),
                "PostgreSQL is required: {reason}"
            );
            println!("skipped, PostgreSQL is not here: {reason}");
        }
        found.ok()
    }

    fn look() -> Result<Self, String> {
        let mut folders: Vec<PathBuf> = fs::read_dir(DEBIAN)
            .into_iter()
            .flatten()
            .filter_map(|version| Some(version.ok()?.path().join("bin")))
            .collect();
        folders.sort();
        folders.reverse();
        let path = std::env::var_os("PATH").unwrap_or_default();
        folders.extend(std::env::split_paths(&path));
        let folder = folders
            .into_iter()
            .find(|folder| {
                ["initdb", "postgres", "psql"]
                    .iter()
                    .all(|it| folder.join(it).exists())
            })
            .ok_or("no folder has initdb, postgres and psql")?;
        let user = match id(&["-u"])? {
            0 => Some((id(&["-u", "postgres"])?, id(&["-g", "postgres"])?)),
            _ => None,
        };
        Ok(Self { folder, user })
    }

    fn version(&self) -> u32 {
        let output = finished(Command::new(self.folder.join("postgres")).arg("--version"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let number = text.split_whitespace().nth(2).unwrap_or_default();
        let digits = number.split(|it: char| !it.is_ascii_digit()).next();
        digits.and_then(|it| it.parse().ok()).unwrap_or_default()
    }

    /// Gives a file or folder to the user who runs the programs, and to nobody else.
    fn hand_over(&self, path: &Path) {
        #[cfg(unix)]
        if let Some((user, group)) = self.user {
            std::os::unix::fs::chown(path, Some(user), Some(group)).expect("it is ours");
        }
        #[cfg(unix)]
        if path.is_file() {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            fs::set_permissions(path, mode).expect("it is ours");
        }
    }

    /// One of the programs, run in a folder by the right user. One with a path lies elsewhere.
    fn command(&self, name: &str, folder: &Path) -> Command {
        let program = self.folder.join(name);
        let mut command = match self.user {
            None => Command::new(program),
            Some((user, group)) => {
                let mut command = Command::new("setpriv");
                command
                    .arg(format!("--reuid={user}"))
                    .arg(format!("--regid={group}"));
                command.arg("--clear-groups").arg(program);
                command
            }
        };
        command.current_dir(folder).stdin(Stdio::null());
        command
    }
}

fn id(args: &[&str]) -> Result<u32, String> {
    let output = Command::new("id").args(args).output();
    let output = output.map_err(|error| format!("id: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim()
        .parse()
        .map_err(|_| "root needs a user postgres to run it".to_owned())
}

/// The command under a shell that ends it by this signal when the test program is gone.
fn kept_alive(command: &Command, log: &Path, signal: &str) -> Command {
    let script = "trap '' INT TERM; log=$0; signal=$1; shift
        \"$@\" >>\"$log\" 2>&1 </dev/null & server=$!
        read _; kill -$signal $server 2>/dev/null; wait $server";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(log).arg(signal);
    shell.arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        shell.current_dir(folder);
    }
    shell
}

/// A transaction of somebody else, which is undone when this is dropped.
#[derive(Debug)]
pub struct Held(Child);

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// A process that waits for the end of its input, which comes when this is dropped or the whole
/// program ends, and does its work then.
#[derive(Debug)]
pub(crate) struct Keeper(Child);

impl Keeper {
    fn of(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::null());
        Self(command.spawn().expect("a shell starts"))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(mut input) = self.0.stdin.take() {
            let _ = input.flush();
        }
        let _ = self.0.wait();
    }
}

/// Runs a command to its end, which has to be a good one.
fn finished(command: &mut Command) -> Output {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    output
}
