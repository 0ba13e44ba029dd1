//! An agent for the conformance kits of A2A: it does what the id or the text of a message selects.
//!
//! It serves A2A 1.0 and 0.3 side by side on one port:
//!
//! ```text
//! cargo run -p a2a-server --example conformance_agent -- --listen 127.0.0.1:9999
//! ```
//!
//! [`script`] lists what can be selected, [`agent`] plays it. Webhooks may lead to this machine, since the
//! kits listen here; everywhere else they are as guarded as those of any other agent.

mod agent;
mod card;
mod script;

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use a2a::card::AgentCard;
use a2a::headers::ProtocolVersion;
use a2a::model::Timestamp;
use a2a_server::auth::{Authentication, Identity, Tokens, Verifier};
use a2a_server::serve::{ServeOptions, serve};
use a2a_server::task::push::{Push, PushSettings};
use a2a_server::task::{MemoryStore, Settings, Tasks};
use a2a_server::{Guard, Handler, Options, grpc, jsonrpc, rest};
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
    /// Offer neither streams nor push notifications.
    #[arg(long)]
    no_capabilities: bool,
    /// Offer no push notifications.
    #[arg(long)]
    no_push: bool,
    /// Require an extension that no client knows.
    #[arg(long)]
    required_extension: bool,
    /// Refuse parts of media types that the card does not name.
    #[arg(long)]
    enforce_modes: bool,
    /// Serve one card for clients of 1.0 and of 0.3.
    #[arg(long)]
    union_card: bool,
    /// Offer an extended card to callers who send this bearer token; all others stay welcome.
    #[arg(long, value_name = "TOKEN")]
    extended_card: Option<String>,
}

impl Arguments {
    const fn pushes(&self) -> bool {
        !self.no_push && !self.no_capabilities
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt::init();
    let arguments = Arguments::parse();
    let listener = TcpListener::bind(arguments.listen)?;
    let address = listener.local_addr()?;
    let store = Arc::new(MemoryStore::new());
    let tasks = tasks(&store);
    let push = Push::new(tasks.clone(), store, egress()?, PushSettings::default());
    let card = card::card(&arguments, address);
    let handler = handler(&arguments, tasks, &push, &card);
    let app = app(&arguments, &card, &handler)?;
    println!("The conformance agent listens on http://{address}");
    let stop = async {
        // Without signals it runs until it is killed.
        let _ = tokio::signal::ctrl_c().await;
    };
    tokio::select! {
        served = serve(listener, app, ServeOptions::default(), stop) => served?,
        () = push.run(std::future::pending()) => {}
    }
    Ok(())
}

fn tasks(store: &Arc<MemoryStore>) -> Tasks {
    let mut settings = Settings::default();
    // The kits send different messages under one id.
    settings.answers_repeats = false;
    Tasks::new(Arc::clone(store) as _, now, settings)
}

/// The way to webhooks, this machine's own among them.
fn egress() -> anyhow::Result<egress::Egress> {
    let mut options = egress::Options::default();
    options.allow = vec!["127.0.0.0/8".parse()?, "::1/128".parse()?];
    options.allow_hosts.insert("localhost".to_owned());
    Ok(egress::Egress::new(options)?)
}

fn handler(arguments: &Arguments, tasks: Tasks, push: &Push, card: &AgentCard) -> Handler {
    let mut handler = Handler::with_tasks(tasks);
    if arguments.no_capabilities {
        handler = handler.without_streams();
    }
    if arguments.pushes() {
        handler = handler.with_push(push.clone());
    }
    if arguments.extended_card.is_some() {
        handler = handler.with_extended_card(Some(card::extended(card)));
    }
    handler
}

fn app(arguments: &Arguments, card: &AgentCard, handler: &Handler) -> anyhow::Result<Router> {
    let agent = Arc::new(ConformanceAgent {
        enforces_modes: arguments.enforce_modes,
    });
    let mut options = Options::default();
    options.supported_versions = vec![ProtocolVersion::V1_0, ProtocolVersion::V0_3];
    if arguments.required_extension {
        options.required_extensions = vec![card::REQUIRED_EXTENSION.to_owned()];
    }
    let guard = guard(arguments, card)?;
    let json_rpc = jsonrpc::Endpoint::with_handler(options.clone(), handler.clone());
    let rest = rest::Endpoint::with_handler(options.clone(), handler.clone());
    let grpc = grpc::Endpoint::with_handler(options, handler.clone());
    let json_rpc = json_rpc.with_guard(guard.clone());
    let (rest, grpc) = (rest.with_guard(guard.clone()), grpc.with_guard(guard));
    Ok(
        a2a_server::card::router("", card::document(arguments, card)?)
            .merge(jsonrpc::router_of(PATH, Arc::clone(&agent), json_rpc))
            .merge(rest::router_of(PATH, Arc::clone(&agent), rest))
            .merge(grpc::router_of(agent, grpc))
            .fallback(|headers: HeaderMap| async move {
                let refusal = a2a_server::grpc::unimplemented(&headers);
                refusal.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
            }),
    )
}

/// Knows the caller who may see the extended card.
fn guard(arguments: &Arguments, card: &AgentCard) -> anyhow::Result<Guard> {
    let Some(token) = &arguments.extended_card else {
        return Ok(Guard::default());
    };
    let tokens = Tokens::default().with_token(token, Identity::new("kit"));
    let tokens: Arc<dyn Verifier> = Arc::new(tokens);
    let verifiers = BTreeMap::from([(card::BEARER.to_owned(), tokens)]);
    let authentication = Authentication::of_card(card, &verifiers)?;
    Ok(Guard::default().authenticating(authentication))
}

#[expect(
    clippy::disallowed_methods,
    reason = "a program's one place that asks the machine for the time"
)]
fn now() -> Timestamp {
    let now = jiff::Timestamp::now();
    now.try_into().expect("the machine knows the century")
}
