//! A pooler in front of a server of one's own: `PgBouncer`, which lends a connection for one transaction at a
//! time.

use std::{
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use crate::postgres::{Keeper, Postgres};

/// Where Debian puts the program, which is not in everybody's path.
const DEBIAN: &str = "/usr/sbin";
/// How often it is asked whether it is ready, every tenth of a second.
const TRIES: u32 = 300;

/// A running pooler. It ends with the test program.
#[derive(Debug)]
pub struct Pooler {
    port: u16,
    _program: Keeper,
}

impl Pooler {
    /// A pooler that shares out very few connections to a server. `None`, with the reason printed, where
    /// `PgBouncer` is not installed: the test is skipped then.
    ///
    /// # Panics
    /// When it is not installed and the environment has `FORECOURT_REQUIRE_POSTGRES`, or when it does not
    /// start.
    #[must_use]
    pub fn to(server: &Postgres) -> Option<Self> {
        let program = find()?;
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("there is a free port")
            .port();
        let settings = format!(
            "[databases]\n\
             * = host=127.0.0.1 port={} user=postgres\n\
             [pgbouncer]\n\
             listen_addr = 127.0.0.1\n\
             listen_port = {port}\n\
             unix_socket_dir =\n\
             auth_type = any\n\
             pool_mode = transaction\n\
             default_pool_size = 3\n\
             max_client_conn = 200\n",
            server.port()
        );
        let settings = server.file("pgbouncer.ini", &settings);
        let program = program.to_str().expect("is text");
        let program = server.companion(program, &[Path::new("-q"), &settings], "pgbouncer.log");
        for _ in 0..TRIES {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(Self {
                    port,
                    _program: program,
                });
            }
            thread::sleep(Duration::from_millis(100));
        }
        panic!("PgBouncer does not start");
    }

    /// The port that it listens on, at 127.0.0.1.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }
}

fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path).chain([PathBuf::from(DEBIAN)]);
    let found = folders.find_map(|folder| {
        let program = folder.join("pgbouncer");
        program.exists().then_some(program)
    });
    if found.is_none() {
        assert!(
            std::env::var_os("FORECOURT_REQUIRE_POSTGRES").is_none(),
            "PgBouncer is required"
        );
        println!("skipped, PgBouncer is not here");
    }
    found
}
