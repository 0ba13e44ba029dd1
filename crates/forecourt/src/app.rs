//! The server: every dealer's lot and agent, and the routes by which buyers' agents reach them.
//!
//! A dealer answers below `{base}`, which is empty for the dealer that the `Host` header names (or
//! the only one), or `/dealers/{dealer}`.

use std::{collections::HashMap, net::SocketAddr, sync::Arc, time::Duration};

use a2a::headers::ProtocolVersion;
use a2a_server::{
    card::CardDocument,
    jsonrpc::{Endpoint, Options},
};
use axum::{
    Router,
    body::Body,
    extract::{Path, Request, State, rejection::PathRejection},
    http::{StatusCode, header, uri::Authority},
    response::{IntoResponse, Response},
    routing::get,
};
use dealers::DealerId;
use leads::HashKey;
use store::{Migration, Store};

use crate::{
    agent::{self, DealerAgent},
    config::Config,
    lot::{self, Lot},
};

/// How soon stock that another process imported is served.
const REFRESH_EVERY: Duration = Duration::from_secs(1);

/// The whole schema, in the order in which its parts build on each other.
#[must_use]
pub const fn migrations() -> [&'static [Migration]; 3] {
    [
        agent::CARD_MIGRATIONS,
        inventory::stock::MIGRATIONS,
        leads::MIGRATIONS,
    ]
}

/// A running server.
#[derive(Debug)]
pub struct App {
    dealers: Vec<Arc<Served>>,
    by_id: HashMap<DealerId, usize>,
    by_host: HashMap<String, usize>,
    endpoint: Endpoint,
    store: Store,
}

/// Why a server could not be made ready.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// A dealer's stock cannot be loaded.
    #[error("dealer {dealer}")]
    Stock {
        /// Which dealer.
        dealer: DealerId,
        /// Why.
        source: lot::Error,
    },
    /// The identity of a card cannot be read or stored.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// One dealer with what is served of it.
#[derive(Debug)]
struct Served {
    lot: Arc<Lot>,
    agent: DealerAgent,
    card: CardDocument,
}

impl App {
    /// Loads every dealer of the configuration. `address` stands on cards where the configuration
    /// has no `public_url`.
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn open(
        config: &Config,
        store: Store,
        hash_key: &HashKey,
        address: SocketAddr,
    ) -> Result<Arc<Self>, OpenError> {
        let mut dealers = Vec::new();
        let mut by_id = HashMap::new();
        let mut by_host = HashMap::new();
        for (id, dealer) in &config.dealers {
            let lot = Lot::open(id.clone(), dealer.clone(), &store)
                .await
                .map_err(|source| OpenError::Stock {
                    dealer: id.clone(),
                    source,
                })?;
            let lot = Arc::new(lot);
            let url = agent::endpoint_url(config, id, address);
            let card = agent::render_card(id, dealer, &url, &store, true).await?;
            by_id.insert(id.clone(), dealers.len());
            for host in &dealer.hosts {
                by_host.insert(host.to_ascii_lowercase(), dealers.len());
            }
            let agent = DealerAgent::new(Arc::clone(&lot), store.clone(), hash_key.clone());
            dealers.push(Arc::new(Served { lot, agent, card }));
        }
        Ok(Arc::new(Self {
            dealers,
            by_id,
            by_host,
            endpoint: Endpoint::new(endpoint_options(config)),
            store,
        }))
    }

    /// The routes.
    pub fn router(self: &Arc<Self>) -> Router {
        Router::new()
            .route("/.well-known/agent-card.json", get(card_by_host))
            .route("/a2a", axum::routing::any(call_by_host))
            .route("/a2a/", axum::routing::any(call_by_host))
            .route(
                "/dealers/{dealer}/.well-known/agent-card.json",
                get(card_by_path),
            )
            .route("/dealers/{dealer}/a2a", axum::routing::any(call_by_path))
            .route("/dealers/{dealer}/a2a/", axum::routing::any(call_by_path))
            .fallback(nothing_here)
            .with_state(Arc::clone(self))
    }

    /// Vehicles that are published, over all dealers.
    #[must_use]
    pub fn vehicles(&self) -> usize {
        self.dealers
            .iter()
            .map(|served| served.lot.snapshot().len())
            .sum()
    }

    /// Takes over stock that another process imported, until the future is dropped. A database
    /// that does not answer delays this and loses nothing.
    pub async fn keep_fresh(&self) {
        loop {
            tokio::time::sleep(REFRESH_EVERY).await;
            for served in &self.dealers {
                match served.lot.refresh(&self.store).await {
                    Ok(false) => {}
                    Ok(true) => tracing::info!(
                        dealer = %served.lot.id(),
                        vehicles = served.lot.snapshot().len(),
                        "serving new stock"
                    ),
                    Err(error) => tracing::warn!(
                        dealer = %served.lot.id(),
                        error = %crate::explain(&error),
                        "the stock could not be read again"
                    ),
                }
            }
        }
    }

    /// The dealer that a request without a dealer in its path means: the one whose host it names,
    /// else the only one.
    fn by_host(&self, request: &Request) -> Option<&Served> {
        let named = host(request).and_then(|host| self.by_host.get(&host));
        match (named, self.dealers.as_slice()) {
            (Some(index), dealers) => dealers.get(*index).map(AsRef::as_ref),
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }

    /// The dealer that the path names; a path that is no text names none.
    fn by_path(&self, id: Result<Path<String>, PathRejection>) -> Option<&Served> {
        let Path(id) = id.ok()?;
        let id: DealerId = id.parse().ok()?;
        self.dealers.get(*self.by_id.get(&id)?).map(AsRef::as_ref)
    }
}

fn endpoint_options(config: &Config) -> Options {
    let mut options = Options::default();
    options.body_limit = config.limits.body_bytes;
    options.depth_limit = config.limits.json_depth;
    // AAP 1.3's own examples send no version, so an absent one is served.
    options.absent_version = ProtocolVersion::V1_0;
    options.extensions = vec![aap::version::Version::V1_3.extension_uri().to_owned()];
    options
}

/// The host that a request is for, in lower case: from its target, where HTTP/2 and requests to a
/// proxy have it, else from its header (RFC 9112 §3.2.2). The dot at the end of a full domain name is
/// left out.
fn host(request: &Request) -> Option<String> {
    let target = request.uri().authority().map(Authority::host);
    let header = || {
        let header = request.headers().get(header::HOST)?;
        header.to_str().ok().map(without_port)
    };
    let host = target.or_else(header)?;
    Some(host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase())
}

/// A host header without its port; an IPv6 literal keeps its brackets.
fn without_port(host: &str) -> &str {
    match host.rfind(':') {
        Some(colon) if !host[colon..].contains(']') => &host[..colon],
        _ => host,
    }
}

async fn card_by_host(State(app): State<Arc<App>>, request: Request) -> Response {
    card(app.by_host(&request), &request)
}

async fn card_by_path(
    State(app): State<Arc<App>>,
    dealer: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    card(app.by_path(dealer), &request)
}

fn card(served: Option<&Served>, request: &Request) -> Response {
    match served {
        Some(served) => served.card.respond(request.headers()),
        None => unknown_dealer(),
    }
}

async fn call_by_host(State(app): State<Arc<App>>, request: Request<Body>) -> Response {
    match app.by_host(&request) {
        Some(served) => app.endpoint.handle(&served.agent, request).await,
        None => unknown_dealer(),
    }
}

async fn call_by_path(
    State(app): State<Arc<App>>,
    dealer: Result<Path<String>, PathRejection>,
    request: Request<Body>,
) -> Response {
    match app.by_path(dealer) {
        Some(served) => app.endpoint.handle(&served.agent, request).await,
        None => unknown_dealer(),
    }
}

fn unknown_dealer() -> Response {
    not_found("no dealer answers under this host or path")
}

async fn nothing_here() -> Response {
    not_found(
        "nothing here; a dealer's agent card is at /.well-known/agent-card.json or /dealers/{dealer}/.well-known/agent-card.json",
    )
}

fn not_found(what: &str) -> Response {
    let body =
        serde_json::json!({ "error": { "code": 404, "status": "NOT_FOUND", "message": what } });
    (
        StatusCode::NOT_FOUND,
        [(header::CONTENT_TYPE, "application/json")],
        body.to_string(),
    )
        .into_response()
}
