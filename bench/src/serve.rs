//! The servers that are measured, each as the whole of a process.

mod bare;
mod ours;

use std::{
    io::{BufRead, Write},
    net::TcpListener,
    path::PathBuf,
    process::ExitCode,
};

use a2a_server::serve;
use clap::Subcommand;
use uuid::Uuid;

use crate::turns::process_cpu;

/// Where every server takes its requests over JSON-RPC.
pub(crate) const PATH: &str = "/a2a";
/// Where a server takes messages over HTTP+JSON.
pub(crate) const REST_PATH: &str = "/a2a/message:send";
/// Where a server takes messages over gRPC.
pub(crate) const GRPC_PATH: &str = "/lf.a2a.v1.A2AService/SendMessage";

/// A chunk of an answer that comes in chunks; `peer/` sends the same.
const CHUNK: &str = "The lot has two of them, one silver, one red. ";

/// One side of a comparison.
#[derive(Debug, Subcommand)]
pub(crate) enum Server {
    /// The crates of this workspace, with an agent that answers a message with its parts
    Echo,
    /// Bare axum and tonic that answer a message with its parts
    BareEcho,
    /// The crates of this workspace, with an agent that answers in chunks
    Chunks {
        /// The database of its tasks; none is in memory
        #[arg(long)]
        file: Option<PathBuf>,
        /// About how many tasks it keeps
        #[arg(long, default_value_t = 10_000)]
        keep: usize,
    },
    /// Bare axum that answers with the bytes of a file
    Bare { answer: PathBuf },
    /// `forecourt serve`, with its arguments
    Program { args: Vec<String> },
    /// A command of `forecourt` that ends
    Command { args: Vec<String> },
}

/// Serves until the input is closed; each line of it is answered with the CPU time so far.
pub(crate) fn run(server: Server) -> ExitCode {
    match server {
        Server::Command { args } => return forecourt(args),
        Server::Program { args } => {
            tell_cpu();
            return forecourt(args);
        }
        _ => tell_cpu(),
    }
    match bind_and_serve(server) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Ends the process with its input, so that no server outlives the program that started it.
fn tell_cpu() {
    std::thread::spawn(|| {
        for _ in std::io::stdin().lock().lines().map_while(Result::ok) {
            println!("{}", process_cpu().as_nanos());
        }
        std::process::exit(0);
    });
}

fn forecourt(args: Vec<String>) -> ExitCode {
    let args = std::iter::once("forecourt".to_owned()).chain(args);
    forecourt::cli::run_with(args.map(Into::into))
}

fn bind_and_serve(server: Server) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let (is_ours, app) = match server {
        Server::Echo => (true, ours::echo()),
        Server::Chunks { file, keep } => (true, ours::chunks(file.as_deref(), keep)?),
        Server::BareEcho => (false, bare::echo()),
        Server::Bare { answer } => (false, bare::same(std::fs::read(answer)?.into())),
        Server::Program { .. } | Server::Command { .. } => return Ok(()),
    };
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("listening on http://{}", listener.local_addr()?);
    std::io::stdout().flush()?;
    if is_ours {
        let options = serve::ServeOptions::default();
        let serving = serve::serve(listener, app, options, std::future::pending());
        return Ok(runtime.block_on(serving)?);
    }
    runtime.block_on(async {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        Ok(axum::serve(listener, app).await?)
    })
}

/// An id that is new to both sides alike.
fn new_id() -> String {
    Uuid::from_u128(fastrand::u128(..)).to_string()
}
