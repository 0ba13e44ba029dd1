//! The dealers that are served, and which of them a request means.

use std::{collections::HashMap, net::SocketAddr, sync::Arc};

use a2a::headers::ProtocolVersion;
use a2a_server::{
    card::CardDocument,
    jsonrpc::{Endpoint, Options},
};
use axum::{
    extract::Request,
    http::{header, uri::Authority},
};
use dealers::{Dealer, DealerId};
use leads::HashKey;
use store::Store;

use super::OpenError;
use crate::{
    agent::{self, DealerAgent},
    config::Config,
    lot::Lot,
};

/// One dealer with what is served of it.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) lot: Arc<Lot>,
    pub(super) agent: DealerAgent,
    pub(super) card: CardDocument,
}

/// What a configuration says is served.
#[derive(Debug)]
pub(super) struct Directory {
    dealers: Vec<Arc<Served>>,
    by_id: HashMap<DealerId, usize>,
    by_host: HashMap<String, usize>,
    /// Judges the envelope of AAP 1.3 requests by the configured limits.
    pub(super) endpoint: Endpoint,
}

impl Directory {
    /// Loads every dealer of the configuration. What `before` already holds of a dealer with the
    /// same settings is kept.
    pub(super) async fn load(
        config: &Config,
        store: &Store,
        hash_key: &HashKey,
        address: SocketAddr,
        before: Option<&Self>,
    ) -> Result<Self, OpenError> {
        let mut directory = Self {
            dealers: Vec::new(),
            by_id: HashMap::new(),
            by_host: HashMap::new(),
            endpoint: Endpoint::new(endpoint_options(config)),
        };
        for (id, dealer) in &config.dealers {
            let lot = lot(id, dealer, store, before).await?;
            let url = agent::endpoint_url(config, id, address);
            let card = agent::render_card(id, dealer, &url, store, true).await?;
            let agent = DealerAgent::new(Arc::clone(&lot), store.clone(), hash_key.clone());
            let index = directory.dealers.len();
            directory.by_id.insert(id.clone(), index);
            for host in &dealer.hosts {
                directory.by_host.insert(host.to_ascii_lowercase(), index);
            }
            directory
                .dealers
                .push(Arc::new(Served { lot, agent, card }));
        }
        Ok(directory)
    }

    /// The dealers in the order of the configuration.
    pub(super) fn dealers(&self) -> impl ExactSizeIterator<Item = &Arc<Served>> {
        self.dealers.iter()
    }

    /// The dealer that a request without a dealer in its path means: the one whose host it names,
    /// else the only one.
    pub(super) fn by_host<B>(&self, request: &Request<B>) -> Option<Arc<Served>> {
        let named = host(request).and_then(|host| self.by_host.get(&host));
        match (named, self.dealers.as_slice()) {
            (Some(index), dealers) => dealers.get(*index).cloned(),
            (None, [only]) => Some(Arc::clone(only)),
            (None, _) => None,
        }
    }

    /// The dealer of this identifier.
    pub(super) fn by_id(&self, id: &str) -> Option<Arc<Served>> {
        let id: DealerId = id.parse().ok()?;
        self.dealers.get(*self.by_id.get(&id)?).cloned()
    }
}

async fn lot(
    id: &DealerId,
    dealer: &Dealer,
    store: &Store,
    before: Option<&Directory>,
) -> Result<Arc<Lot>, OpenError> {
    let known = before.and_then(|directory| directory.by_id(id.as_str()));
    if let Some(served) = known
        && served.lot.dealer() == dealer
    {
        return Ok(Arc::clone(&served.lot));
    }
    let lot = Lot::open(id.clone(), dealer.clone(), store).await;
    lot.map(Arc::new).map_err(|source| OpenError::Stock {
        dealer: id.clone(),
        source,
    })
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
fn host<B>(request: &Request<B>) -> Option<String> {
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
