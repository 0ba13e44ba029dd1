//! The paths below which the analyst of a dealer or catalog answers, and gRPC.
//!
//! One handler carries out the operations of all analysts. The tenant of a request is the dealer that its
//! path or host names, or the catalog of its path; over gRPC the one that the call itself names.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use a2a::{
    card::{AgentCard, OLD_WELL_KNOWN_PATH, WELL_KNOWN_PATH},
    error::{Error, ErrorKind},
    headers::ProtocolVersion,
    model::Timestamp,
};
use a2a_server::{
    Agent, Answer, Guard, Handler, Options, Tenant, Turn,
    auth::{Authentication, Uncheckable, Verifier},
    grpc, jsonrpc, rest,
    task::{
        Settings, Tasks,
        push::{Push, PushSettings},
    },
};
use analyst::render::a2ui;
use axum::{
    Router,
    extract::{Request, State},
    middleware::{Next, from_fn_with_state},
    response::Response,
    routing::{any, get},
};
use egress::Egress;
use leads::Vault;
use store::Store;

use super::{
    App,
    api::Params,
    client::Client,
    directory::{Analysed, Directory},
    routes::{credential, not_found, unknown_dealer},
};
use crate::{
    analyst::{self as seller, Analyst, KeptTables, Keys},
    config::Config,
    nodes::Presence,
    problem,
    tasks::{self, TenantTasks},
};

/// The longest request: files of 32 MiB in base64, and what stands around them.
const BODY_LIMIT: usize = 46 << 20;

/// What serves the analysts of all sellers, as long as the program lives.
#[derive(Debug)]
pub(super) struct Analysts {
    json_rpc: jsonrpc::Endpoint,
    rest: rest::Endpoint,
    grpc: grpc::Endpoint,
    tasks: Arc<TenantTasks>,
    tables: Arc<KeptTables>,
    running: Tasks,
    push: Push,
    store: Store,
}

/// How often tasks that are too old are looked for.
const TIDY_EVERY: Duration = Duration::from_hours(1);
/// How often tasks of nodes that are gone are looked for.
const RECOVER_EVERY: Duration = Duration::from_secs(3);

/// The analysts' tasks in `store`, and their webhooks, which are called through `egress`.
pub(crate) fn notifications(
    store: &Store,
    vault: Vault,
    egress: Egress,
) -> (Arc<TenantTasks>, Tasks, Push) {
    let kept = Arc::new(TenantTasks::new(store.clone(), vault));
    let clock = store.clock().clone();
    // No clock shows a year before the first.
    let now = move || clock.now().try_into().unwrap_or(Timestamp::UNIX_EPOCH);
    let running = Tasks::new(kept.clone(), now, Settings::default());
    let settings = PushSettings::default();
    let push = Push::new(running.clone(), kept.clone(), egress, settings);
    (kept, running, push)
}

impl Analysts {
    /// Serves what is kept in `store`; webhooks are called through `egress`.
    pub(super) fn new(
        config: &Config,
        store: &Store,
        vault: Vault,
        egress: Egress,
    ) -> Result<Self, Uncheckable> {
        let clock = store.clock().clone();
        let (kept, running, push) = notifications(store, vault, egress);
        let handler = Handler::with_tasks(running.clone())
            .with_push(push.clone())
            .saying(seller::FAILED);
        let options = options(config);
        let guard = guard(config, store)?;
        let depth = options.depth_limit;
        let json_rpc = jsonrpc::Endpoint::with_handler(options.clone(), handler.clone())
            .with_guard(guard.clone())
            .rewriting(move |body| seller::complete(body, depth, || clock.new_id().to_string()));
        let rest = rest::Endpoint::with_handler(options.clone(), handler.clone());
        let grpc = grpc::Endpoint::with_handler(options, handler);
        Ok(Self {
            json_rpc,
            rest: rest.with_guard(guard.clone()),
            grpc: grpc.with_guard(guard),
            tasks: kept,
            tables: Arc::new(KeptTables::new(store.clone())),
            running,
            push,
            store: store.clone(),
        })
    }

    /// Fails the tasks of nodes that are gone, sends push notifications, sees what other nodes do to tasks
    /// and forgets old ones for as long as it is polled. What goes wrong is in the log, and is tried again.
    pub(super) async fn keep(&self, presence: &Presence) {
        let tidy = async {
            loop {
                tokio::time::sleep(TIDY_EVERY).await;
                let _ = self.running.tidy().await;
            }
        };
        tokio::select! {
            () = self.push.run(std::future::pending()) => {}
            () = tasks::keep_up(&self.store, &self.running) => {}
            () = self.keep_recovering(presence) => {}
            () = tidy => {}
        }
    }

    async fn keep_recovering(&self, presence: &Presence) {
        loop {
            if presence.can_judge() {
                let left = self.running.recover().await.unwrap_or_default();
                if left > 0 {
                    tracing::warn!(
                        tasks = left,
                        "questions were being answered when a node ended"
                    );
                }
            }
            tokio::time::sleep(RECOVER_EVERY).await;
        }
    }

    /// Waits for what is being answered, and fails what takes longer.
    pub(super) async fn close(&self, patience: Duration) {
        self.running.close(patience).await;
    }
}

fn options(config: &Config) -> Options {
    let mut options = Options::default();
    options.body_limit = BODY_LIMIT;
    options.depth_limit = config.limits.json_depth;
    options.supported_versions = vec![ProtocolVersion::V1_0, ProtocolVersion::V0_3];
    options.extensions = a2ui::Version::ALL
        .map(|it| it.extension().to_owned())
        .into();
    options
}

/// Lets only callers in whose key has the scope, unless everybody may ask.
fn guard(config: &Config, store: &Store) -> Result<Guard, Uncheckable> {
    if config.analyst.open {
        return Ok(Guard::default());
    }
    let (security_schemes, security_requirements) = seller::security();
    let card = AgentCard {
        security_schemes,
        security_requirements,
        ..AgentCard::default()
    };
    let keys = Arc::new(Keys::new(store.clone())) as Arc<dyn Verifier>;
    let verifiers = BTreeMap::from([(seller::KEY.to_owned(), keys)]);
    Ok(Guard::default().authenticating(Authentication::of_card(&card, &verifiers)?))
}

/// The paths of every analyst, by host, by identifier and by the name of a catalog, and the services of gRPC.
pub(super) fn routes(app: &Arc<App>) -> Router<Arc<App>> {
    let agent = Arc::new(ForSellers(Arc::clone(app)));
    let services = grpc::router_of(agent, app.analysts.grpc.clone())
        .layer(from_fn_with_state(Arc::clone(app), name_dealer))
        .with_state(());
    Router::new()
        .merge(below(""))
        .merge(below("/dealers/{dealer}"))
        .merge(below("/catalogs/{catalog}"))
        .merge(services)
}

/// Calls of 0.3 name no tenant: theirs is the dealer of the host, as over the other bindings.
async fn name_dealer(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    if request.uri().path().starts_with("/a2a.v1.")
        && let Some(served) = app.directory.load().by_host(&request)
    {
        let tenant = Tenant(served.lot.id().to_string());
        request.extensions_mut().insert(tenant);
    }
    next.run(request).await
}

fn below(base: &str) -> Router<Arc<App>> {
    let at = |path: &str| format!("{base}{}{path}", seller::PATH);
    let card = get(
        async move |State(app): State<Arc<App>>, params: Params, request: Request| match find(
            &app.directory.load(),
            &params,
            &request,
        ) {
            Ok(analysed) => analysed.card.respond(request.headers()),
            Err(response) => *response,
        },
    );
    let call = any(
        async move |State(app): State<Arc<App>>, params: Params, request: Request| {
            let directory = app.directory.load_full();
            match find(&directory, &params, &request) {
                Ok(analysed) => call(&app, &directory, &analysed, &params, request).await,
                Err(response) => *response,
            }
        },
    );
    Router::new()
        .route(&at(WELL_KNOWN_PATH), card.clone())
        .route(&at(OLD_WELL_KNOWN_PATH), card)
        .route(&at(""), call.clone())
        .route(&at("/"), call.clone())
        .route(&at("/{*below}"), call)
}

/// The catalog or dealer that the path names, else the dealer of the host; the answer where there is none.
fn find(
    directory: &Directory,
    params: &Params,
    request: &Request,
) -> Result<Arc<Analysed>, Box<Response>> {
    if let Some(name) = params.get("catalog") {
        let unknown = || not_found("no catalog answers under this path");
        return directory.catalog(name).ok_or_else(|| unknown().into());
    }
    let served = match params.get("dealer") {
        Some(id) => directory.by_id(id),
        None => directory.by_host(request),
    };
    let served = served.ok_or_else(|| Box::new(unknown_dealer()))?;
    let analysed = served.analysed.clone();
    analysed.ok_or_else(|| no_analyst().into())
}

fn no_analyst() -> Response {
    not_found("no analyst answers here")
}

/// Answers a call over JSON-RPC, or over HTTP+JSON where the path goes on.
async fn call(
    app: &Arc<App>,
    directory: &Directory,
    analysed: &Analysed,
    params: &Params,
    mut request: Request,
) -> Response {
    let client = request.extensions().get::<Client>().copied();
    let admitted = client.map_or(Ok(()), |client| {
        let limits = &directory.limits;
        limits.admit(client, credential(request.headers()))
    });
    if let Err(wait) = admitted {
        return problem::too_many_requests(wait);
    }
    let tenant = analysed.seller.id().to_string();
    request.extensions_mut().insert(Tenant(tenant));
    let agent = ForSellers(Arc::clone(app));
    match params.get("below") {
        None => app.analysts.json_rpc.handle(&agent, request).await,
        Some(_) => {
            let is_named = ["dealer", "catalog"].map(|name| params.get(name).is_some());
            let path = below_analyst(request.uri().path(), is_named.contains(&true)).to_owned();
            app.analysts.rest.handle(&agent, &path, request).await
        }
    }
}

/// What of a path stands behind the analyst's own, as it was sent: the names of tasks may be
/// percent-encoded. Where the path names the seller, two segments stand before the analyst's.
fn below_analyst(path: &str, is_named: bool) -> &str {
    let mut slashes = path.match_indices('/').map(|(at, _)| at);
    let base = if is_named { slashes.nth(2) } else { Some(0) };
    let own = base.and_then(|base| path.get(base..));
    own.and_then(|own| own.strip_prefix(seller::PATH))
        .unwrap_or(path)
}

/// The analysts of all sellers as one agent, which looks at the tenant.
struct ForSellers(Arc<App>);

impl Agent for ForSellers {
    async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
        let app = &self.0;
        let directory = app.directory.load_full();
        let Some(analysed) = directory.analysed(turn.call.tenant()) else {
            let words =
                "no analyst answers for this tenant; send the tenant that the agent card names";
            return Err(Error::new(ErrorKind::InvalidParams, words));
        };
        let analyst = Analyst {
            seller: analysed.seller.clone(),
            tables: Arc::clone(&app.analysts.tables),
            store: app.store.clone(),
            tasks: Arc::clone(&app.analysts.tasks),
            settings: directory.config.analyst.clone(),
            model: directory.model.clone(),
        };
        analyst.answer(turn).await
    }
}

#[cfg(test)]
mod tests {
    use super::below_analyst;

    #[test]
    fn a_sellers_name_may_be_that_of_the_path() {
        for (path, is_named, below) in [
            ("/analyst/message:send", false, "/message:send"),
            (
                "/dealers/analyst/analyst/v1/tasks/a%2Fb",
                true,
                "/v1/tasks/a%2Fb",
            ),
            ("/catalogs/analyst-2/analyst/tasks", true, "/tasks"),
        ] {
            assert_eq!(below_analyst(path, is_named), below);
        }
    }
}
