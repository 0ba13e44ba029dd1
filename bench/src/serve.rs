//! The servers that are measured, each as the whole of a process.

use std::{
    hint::black_box,
    io::{BufRead, Write},
    net::TcpListener,
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

use a2a::{error::Error, model::Message};
use a2a_server::{Agent, Answer, Turn, jsonrpc, serve};
use axum::{Router, http::header, response::IntoResponse, routing::post};
use bytes::Bytes;
use clap::Subcommand;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::turns::process_cpu;

/// Where every server takes its requests.
pub(crate) const PATH: &str = "/a2a";

/// One side of a comparison.
#[derive(Debug, Subcommand)]
pub(crate) enum Server {
    /// The crates of this workspace, with an agent that answers a message with its parts
    Echo,
    /// Bare axum that answers a message with its parts
    BareEcho,
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
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("listening on http://{}", listener.local_addr()?);
    std::io::stdout().flush()?;
    runtime.block_on(async {
        match server {
            Server::Echo => {
                let mut options = jsonrpc::Options::default();
                options.absent_version = a2a::headers::ProtocolVersion::V1_0;
                let app = jsonrpc::router(PATH, Arc::new(Echo), options);
                let options = serve::ServeOptions::default();
                serve::serve(listener, app, options, std::future::pending()).await?;
            }
            Server::BareEcho => bare(listener, post(bare_echo)).await?,
            Server::Bare { answer } => {
                let answer = Bytes::from(std::fs::read(answer)?);
                bare(listener, post(move |body| same_bytes(body, answer.clone()))).await?;
            }
            Server::Program { .. } | Server::Command { .. } => {}
        }
        Ok(())
    })
}

async fn bare(listener: TcpListener, method: axum::routing::MethodRouter) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    axum::serve(listener, Router::new().route(PATH, method)).await
}

/// Answers a message with its own parts.
struct Echo;

impl Agent for Echo {
    async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
        let mut reply = Message::agent(new_id());
        reply.context_id = turn.message.context_id;
        reply.parts = turn.message.parts;
        Ok(Answer::Message(reply))
    }
}

/// The least that a server does for the same reply, without a check of any kind.
async fn bare_echo(body: Bytes) -> impl IntoResponse {
    let mut request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let mut message = request["params"]["message"].take();
    let reply = json!({
        "jsonrpc": "2.0",
        "id": request["id"].take(),
        "result": { "message": {
            "messageId": new_id(),
            "contextId": message["contextId"].take(),
            "role": "ROLE_AGENT",
            "parts": message["parts"].take(),
        } },
    });
    (
        [(header::CONTENT_TYPE, "application/json")],
        reply.to_string(),
    )
}

async fn same_bytes(body: Bytes, answer: Bytes) -> impl IntoResponse {
    black_box(serde_json::from_slice::<Value>(&body).ok());
    ([(header::CONTENT_TYPE, "application/json")], answer)
}

/// An id that is new to both sides alike.
fn new_id() -> String {
    Uuid::from_u128(fastrand::u128(..)).to_string()
}
