//! An agent for the conformance kits of A2A: it does what the id or the text of a message selects.
//!
//! It serves A2A 1.0 and 0.3 side by side on one port:
//!
//! ```text
//! cargo run -p a2a-server --example conformance_agent -- --listen 127.0.0.1:9999
//! ```
//!
//! [`script`] lists what can be selected, [`agent`] plays it.

mod agent;
mod card;
mod script;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use a2a::headers::ProtocolVersion;
use a2a::model::Timestamp;
use a2a_server::card::Unpublishable;
use a2a_server::serve::{ServeOptions, serve};
use a2a_server::task::{MemoryStore, Settings, Tasks};
use a2a_server::{Handler, Options, grpc, jsonrpc, rest};
use axum::Router;
use axum::response::IntoResponse as _;
use clap::Parser;
use http::{HeaderMap, StatusCode};

use crate::agent::ConformanceAgent;

/// Where JSON-RPC is served, and below which HTTP+JSON is.
const PATH: &str = "/a2a";

/// An agent for the conformance kits of A2A.
#[derive(Debug, Parser)]
struct Arguments {
    /// The address to listen on.
    #[arg(long, default_value = "127.0.0.1:9999")]
    listen: SocketAddr,
    /// Offer neither streams nor push notifications nor an extended card.
    #[arg(long)]
    no_capabilities: bool,
    /// Require an extension that no client knows.
    #[arg(long)]
    required_extension: bool,
    /// Refuse parts of media types that the card does not name.
    #[arg(long)]
    enforce_modes: bool,
    /// Serve one card for clients of 1.0 and of 0.3.
    #[arg(long)]
    union_card: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt::init();
    let arguments = Arguments::parse();
    let listener = TcpListener::bind(arguments.listen)?;
    let address = listener.local_addr()?;
    let app = app(&arguments, address)?;
    println!("The conformance agent listens on http://{address}");
    let stop = async {
        // Without signals it runs until it is killed.
        let _ = tokio::signal::ctrl_c().await;
    };
    serve(listener, app, ServeOptions::default(), stop).await?;
    Ok(())
}

fn app(arguments: &Arguments, address: SocketAddr) -> Result<Router, Unpublishable> {
    let agent = Arc::new(ConformanceAgent {
        enforces_modes: arguments.enforce_modes,
    });
    let app = a2a_server::card::router("", card::document(arguments, address)?);

    let mut options = Options::default();
    options.supported_versions = vec![ProtocolVersion::V1_0, ProtocolVersion::V0_3];
    if arguments.required_extension {
        options.required_extensions = vec![card::REQUIRED_EXTENSION.to_owned()];
    }
    let handler = handler(arguments);
    let json_rpc = jsonrpc::Endpoint::with_handler(options.clone(), handler.clone());
    let rest = rest::Endpoint::with_handler(options.clone(), handler.clone());
    let grpc = grpc::Endpoint::with_handler(options, handler);
    Ok(app
        .merge(jsonrpc::router_of(PATH, Arc::clone(&agent), json_rpc))
        .merge(rest::router_of(PATH, Arc::clone(&agent), rest))
        .merge(grpc::router_of(agent, grpc))
        .fallback(|headers: HeaderMap| async move {
            let refusal = a2a_server::grpc::unimplemented(&headers);
            refusal.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
        }))
}

fn handler(arguments: &Arguments) -> Handler {
    let mut settings = Settings::default();
    // The kits send different messages under one id.
    settings.answers_repeats = false;
    let tasks = Tasks::new(Arc::new(MemoryStore::new()), now, settings);
    let handler = Handler::with_tasks(tasks);
    if arguments.no_capabilities {
        handler.without_streams()
    } else {
        handler
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program's one place that asks the machine for the time"
)]
fn now() -> Timestamp {
    let now = jiff::Timestamp::now();
    now.try_into().expect("the machine knows the century")
}
