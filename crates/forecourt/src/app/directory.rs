//! The dealers that are served, and which of them a request means.

use std::{collections::HashMap, net::SocketAddr, sync::Arc};

use a2a::headers::ProtocolVersion;
use a2a_server::{
    card::CardDocument,
    jsonrpc::{Endpoint, Options},
};
use aap::Profile;
use arc_swap::ArcSwap;
use axum::{
    extract::Request,
    http::{header, uri::Authority},
};
use dealers::{Dealer, DealerId};
use futures_util::future::try_join_all;
use leads::{HashKey, Vault, readiness::Lack};
use store::{Conn, Store};
use url::Url;

use super::{OpenError, limits::RateLimits};
use crate::{
    agent::{self, CardContent, DealerAgent},
    analyst::{self, Model, Seller},
    config::Config,
    larder::Larder,
    lot::Lot,
    readiness::{self, Digests},
};

/// How many dealers are loaded at the same time.
const AT_ONCE: usize = 16;

/// One dealer with what is served of it.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) lot: Arc<Lot>,
    offer: ArcSwap<Offer>,
    /// Where the dealer has an analyst.
    pub(super) analysed: Option<Arc<Analysed>>,
}

/// A seller whose questions are answered.
#[derive(Debug)]
pub(super) struct Analysed {
    pub(super) seller: Seller,
    pub(super) card: CardDocument,
}

/// What a dealer offers to buyers' agents.
#[derive(Debug)]
pub(super) struct Offer {
    /// What keeps it from taking leads.
    pub(super) lacks: Vec<Lack>,
    released: Interface,
    /// Where the configuration names it.
    preview: Option<Interface>,
}

/// A dealer under one profile.
#[derive(Debug)]
pub(super) struct Interface {
    pub(super) agent: DealerAgent,
    pub(super) card: CardDocument,
}

impl Served {
    /// What is offered at this moment.
    pub(super) fn offer(&self) -> Arc<Offer> {
        self.offer.load_full()
    }

    /// Offers something else from here on. Requests under way finish with what they began with.
    pub(super) fn renew(&self, offer: Offer) {
        self.offer.store(Arc::new(offer));
    }
}

impl Offer {
    /// What is served under a profile.
    pub(super) fn interface(&self, profile: Profile) -> Option<&Interface> {
        match profile {
            Profile::Draft2 => self.preview.as_ref(),
            Profile::V1_3 => Some(&self.released),
        }
    }
}

/// What a configuration says is served.
#[derive(Debug)]
pub(super) struct Directory {
    dealers: Vec<Arc<Served>>,
    by_id: HashMap<DealerId, usize>,
    by_host: HashMap<String, usize>,
    /// Where there are analysts.
    catalogs: HashMap<DealerId, Arc<Analysed>>,
    /// Judges the envelope of AAP 1.3 requests by the configured limits.
    released: Endpoint,
    /// The same for requests of the 2.0 draft.
    preview: Endpoint,
    pub(super) limits: Arc<RateLimits>,
    /// The keys of the personal data.
    pub(super) vault: Vault,
    /// The language model that helps the analysts, where there is one.
    pub(super) model: Option<Arc<Model>>,
    /// The settings that all of this comes from.
    pub(super) config: Arc<Config>,
    /// Tell whether a destination was tested under its settings.
    digests: Digests,
    /// Where the stock in memory is bounded.
    pub(super) larder: Option<Larder>,
}

/// What stays the same however often the configuration is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site<'a> {
    pub(super) store: &'a Store,
    pub(super) hash_key: &'a HashKey,
    /// Where the server listens, which stands on cards where the configuration has no `public_url`.
    pub(super) address: SocketAddr,
}

impl Directory {
    /// Loads every dealer of the configuration. What `before` already holds of a dealer with the
    /// same settings is kept.
    pub(super) async fn load(
        config: &Config,
        digests: &Digests,
        site: Site<'_>,
        before: Option<&Self>,
    ) -> Result<Self, OpenError> {
        let store = site.store;
        if let Some(fault) = agent::preview_fault(config, site.address) {
            return Err(OpenError::Preview(fault));
        }
        let mut directory = Self {
            dealers: Vec::new(),
            by_id: HashMap::new(),
            by_host: HashMap::new(),
            catalogs: HashMap::new(),
            released: Endpoint::new(endpoint_options(config, Profile::V1_3)),
            preview: Endpoint::new(endpoint_options(config, Profile::Draft2)),
            limits: limits(config, store, before),
            vault: vault(config, store).await?,
            model: Model::of(config)?,
            config: Arc::new(config.clone()),
            digests: digests.clone(),
            larder: config.limits.stock_bytes().map(Larder::new),
        };
        let dealers: Vec<_> = config.dealers.iter().collect();
        for some in dealers.chunks(AT_ONCE) {
            let served = some
                .iter()
                .map(|(id, dealer)| directory.serve(id, dealer, site, before));
            for served in try_join_all(served).await? {
                directory.add(served);
            }
        }
        for (id, catalog) in &config.catalogs {
            let base = catalog_url(config, id, site.address);
            let seller = Seller::catalog(id.clone(), Arc::new(catalog.clone()));
            let analysed = analysed(config, seller, &base)?;
            let analysed = analysed.map(|analysed| (id.clone(), analysed));
            directory.catalogs.extend(analysed);
        }
        Ok(directory)
    }

    fn add(&mut self, served: Served) {
        let index = self.dealers.len();
        self.by_id.insert(served.lot.id().clone(), index);
        for host in &served.lot.dealer().hosts {
            self.by_host.insert(host.to_ascii_lowercase(), index);
        }
        self.dealers.push(Arc::new(served));
    }

    /// Loads a dealer. Where memory is bounded, its stock waits until somebody asks for it.
    async fn serve(
        &self,
        id: &DealerId,
        dealer: &Dealer,
        site: Site<'_>,
        before: Option<&Self>,
    ) -> Result<Served, OpenError> {
        let lot = lot(id, dealer, before);
        if self.larder.is_none() {
            let loaded = lot.stock(site.store).await;
            loaded.map_err(|source| OpenError::Stock {
                dealer: id.clone(),
                source,
            })?;
        }
        let lacks = self.lacks(&lot, site).await?;
        let offer = self.offer(&lot, lacks, site).await?;
        let base = agent::base_url(&self.config, id, site.address);
        let seller = Seller::dealer(id.clone(), Arc::clone(lot.dealer()));
        Ok(Served {
            lot,
            offer: ArcSwap::from_pointee(offer),
            analysed: analysed(&self.config, seller, &base)?,
        })
    }

    /// What keeps a dealer from taking leads, as the database shows it.
    pub(super) async fn lacks(
        &self,
        lot: &Arc<Lot>,
        site: Site<'_>,
    ) -> Result<Vec<Lack>, store::Error> {
        let (lot, digests) = (Arc::clone(lot), self.digests.clone());
        let read =
            move |conn: &mut dyn Conn| readiness::lacks(conn, lot.id(), lot.dealer(), &digests);
        site.store.read(read).await
    }

    /// What a dealer offers while these things are missing. Its cards are published.
    pub(super) async fn offer(
        &self,
        lot: &Arc<Lot>,
        lacks: Vec<Lack>,
        site: Site<'_>,
    ) -> Result<Offer, store::Error> {
        let skills = readiness::offered(lot.dealer(), &lacks);
        let open = async |profile| -> Result<Interface, store::Error> {
            let content = CardContent {
                profile,
                dealer: lot.dealer(),
                skills: &skills,
                url: &agent::endpoint_url(&self.config, lot.id(), site.address, profile),
            };
            let card = agent::publish_card(content, lot.id(), site.store).await?;
            let (lot, store) = (Arc::clone(lot), site.store.clone());
            let (hash_key, vault) = (site.hash_key.clone(), self.vault.clone());
            let agent = DealerAgent::new(profile, lot, store, hash_key, vault);
            let agent = agent.offering(skills.clone());
            Ok(Interface { agent, card })
        };
        let released = open(Profile::V1_3).await?;
        let preview = match self.config.aap.preview {
            Some(preview) => Some(open(preview.profile()).await?),
            None => None,
        };
        Ok(Offer {
            lacks,
            released,
            preview,
        })
    }

    /// Judges the envelope of a profile's requests.
    pub(super) fn endpoint(&self, profile: Profile) -> &Endpoint {
        match profile {
            Profile::Draft2 => &self.preview,
            Profile::V1_3 => &self.released,
        }
    }

    /// The dealers in the order of the configuration.
    pub(super) fn dealers(&self) -> impl ExactSizeIterator<Item = &Arc<Served>> {
        self.dealers.iter()
    }

    /// The dealer that a request without a dealer in its path means: the one whose host it names,
    /// else the only one.
    pub(super) fn by_host<B>(&self, request: &Request<B>) -> Option<Arc<Served>> {
        let named = host(request).and_then(|host| self.by_host.get(&host));
        match named {
            Some(index) => self.dealers.get(*index).cloned(),
            None => self.only(),
        }
    }

    /// The one dealer, where there is no other.
    pub(super) fn only(&self) -> Option<Arc<Served>> {
        match self.dealers.as_slice() {
            [only] => Some(Arc::clone(only)),
            _ => None,
        }
    }

    /// The dealer of this identifier.
    pub(super) fn by_id(&self, id: &str) -> Option<Arc<Served>> {
        let id: DealerId = id.parse().ok()?;
        self.dealers.get(*self.by_id.get(&id)?).cloned()
    }

    /// The catalog of this name, where there are analysts.
    pub(super) fn catalog(&self, name: &str) -> Option<Arc<Analysed>> {
        let name: DealerId = name.parse().ok()?;
        self.catalogs.get(&name).cloned()
    }

    /// Whose analyst a tenant names; without one, that of the only dealer.
    pub(super) fn analysed(&self, tenant: Option<&str>) -> Option<Arc<Analysed>> {
        let served = match tenant {
            Some(tenant) => self.by_id(tenant),
            None => self.only(),
        };
        match served {
            Some(served) => served.analysed.clone(),
            None => self.catalog(tenant?),
        }
    }
}

/// Where everything of a catalog is.
fn catalog_url(config: &Config, id: &DealerId, listening: SocketAddr) -> String {
    let server = agent::server_url(config, listening);
    format!("{server}/catalogs/{id}")
}

/// A seller with its analyst, which answers below `base`; none where the configuration switches analysts
/// off.
fn analysed(
    config: &Config,
    seller: Seller,
    base: &str,
) -> Result<Option<Arc<Analysed>>, OpenError> {
    if !config.analyst.enabled {
        return Ok(None);
    }
    let card = analyst::document(analyst::CardContent {
        name: seller.name(),
        tenant: seller.id().as_str(),
        url: &format!("{base}{}", analyst::PATH),
        origin: &origin(base),
        is_of_host: seller.is_dealer(),
        is_open: config.analyst.open,
    })?;
    Ok(Some(Arc::new(Analysed { seller, card })))
}

/// Scheme, host and port of a URL, the port also where it is the scheme's usual one.
fn origin(url: &str) -> String {
    let parsed = Url::parse(url).ok();
    let origin = parsed.as_ref().and_then(|url| {
        let (host, port) = (url.host_str()?, url.port_or_known_default()?);
        Some(format!("{}://{host}:{port}", url.scheme()))
    });
    origin.unwrap_or_else(|| url.to_owned())
}

/// The keys of the personal data and of webhooks: every key with which some are encrypted.
async fn vault(config: &Config, store: &Store) -> Result<Vault, OpenError> {
    let vault = config.privacy.vault()?;
    let in_use = store.read(|conn| {
        let mut keys = leads::keys_in_use(conn)?;
        keys.extend(crate::tasks::keys_in_use(conn)?);
        Ok::<_, store::Error>(keys)
    });
    let mut missing = in_use.await?;
    missing.retain(|key| !vault.has(key));
    if missing.is_empty() {
        Ok(vault)
    } else {
        Err(OpenError::KeysMissing(missing.into_iter().collect()))
    }
}

/// The lot of a dealer with the same settings as before, else a new one.
fn lot(id: &DealerId, dealer: &Dealer, before: Option<&Directory>) -> Arc<Lot> {
    let known = before.and_then(|directory| directory.by_id(id.as_str()));
    match known {
        Some(served) if **served.lot.dealer() == *dealer => Arc::clone(&served.lot),
        _ => Arc::new(Lot::unloaded(id.clone(), dealer.clone())),
    }
}

/// The limits of the configuration. Where they are the same as before, what was counted still counts.
fn limits(config: &Config, store: &Store, before: Option<&Directory>) -> Arc<RateLimits> {
    let settings = config.limits.rate;
    match before.map(|directory| &directory.limits) {
        Some(limits) if limits.settings() == settings => Arc::clone(limits),
        _ => Arc::new(RateLimits::new(settings, store.clock())),
    }
}

fn endpoint_options(config: &Config, profile: Profile) -> Options {
    let mut options = Options::default();
    options.body_limit = config.limits.body_bytes;
    options.depth_limit = config.limits.json_depth;
    let extensions = vec![profile.version().extension_uri().to_owned()];
    match profile {
        Profile::Draft2 => {
            options.exact_headers = true;
            options.required_extensions = extensions;
        }
        // AAP 1.3's own examples send neither header, so an absent version is served.
        Profile::V1_3 => {
            options.absent_version = ProtocolVersion::V1_0;
            options.extensions = extensions;
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_the_port_that_grpc_needs() {
        for (url, expected) in [
            ("https://dealer.example/base", "https://dealer.example:443"),
            ("http://dealer.example", "http://dealer.example:80"),
            ("http://[::1]:8080/dealers/main", "http://[::1]:8080"),
        ] {
            assert_eq!(origin(url), expected);
        }
    }
}
