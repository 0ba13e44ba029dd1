//! The paths below which a dealer answers.
//!
//! A dealer answers below `{base}`, which is empty for the dealer that the `Host` header names (or
//! the only one), or `/dealers/{dealer}`.

use std::{sync::Arc, time::Instant};

use a2a::card::WELL_KNOWN_PATH;
use aap::Profile;
use axum::{
    Router,
    extract::{Path, Request, State, rejection::PathRejection},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, get},
};

use super::{
    App,
    client::Client,
    directory::{Directory, Served},
};
use crate::{
    agent::{self, Count, Counted, Visit},
    problem,
};

/// The paths of every dealer, by host and by identifier.
pub(super) fn dealers() -> Router<Arc<App>> {
    profile(Profile::V1_3).merge(profile(Profile::Draft2))
}

/// The same below the folder of a profile.
fn profile(profile: Profile) -> Router<Arc<App>> {
    let folder = agent::folder(profile);
    let at = |base: &str, path: &str| format!("{base}{folder}{path}");
    let card_by_host = get(async move |State(app): State<Arc<App>>, request: Request| {
        card(app.directory.load().by_host(&request), profile, &request)
    });
    let card_by_path = get(
        async move |State(app): State<Arc<App>>, dealer: DealerPath, request: Request| {
            card(by_path(&app.directory.load(), dealer), profile, &request)
        },
    );
    let call_by_host = any(async move |State(app): State<Arc<App>>, request: Request| {
        let directory = app.directory.load_full();
        let served = directory.by_host(&request);
        call(&app, &directory, served, profile, request).await
    });
    let call_by_path = any(
        async move |State(app): State<Arc<App>>, dealer: DealerPath, request: Request| {
            let directory = app.directory.load_full();
            let served = by_path(&directory, dealer);
            call(&app, &directory, served, profile, request).await
        },
    );
    let by_id = "/dealers/{dealer}";
    Router::new()
        .route(&at("", WELL_KNOWN_PATH), card_by_host)
        .route(&at("", "/a2a"), call_by_host.clone())
        .route(&at("", "/a2a/"), call_by_host)
        .route(&at(by_id, WELL_KNOWN_PATH), card_by_path)
        .route(&at(by_id, "/a2a"), call_by_path.clone())
        .route(&at(by_id, "/a2a/"), call_by_path)
}

pub(super) type DealerPath = Result<Path<String>, PathRejection>;

fn card(served: Option<Arc<Served>>, profile: Profile, request: &Request) -> Response {
    let Some(served) = served else {
        return unknown_dealer();
    };
    match served.offer().interface(profile) {
        Some(interface) => interface.card.respond(request.headers()),
        None => no_preview(),
    }
}

/// Answers a call. What it began with holds until the answer is whole, so that a reload in between
/// changes nothing for it.
async fn call(
    app: &App,
    directory: &Directory,
    served: Option<Arc<Served>>,
    profile: Profile,
    request: Request,
) -> Response {
    let Some(served) = served else {
        return unknown_dealer();
    };
    let offer = served.offer();
    let Some(interface) = offer.interface(profile) else {
        return no_preview();
    };
    let begun = Instant::now();
    let client = request.extensions().get::<Client>().copied();
    let limits = &directory.limits;
    let admitted = client.map_or(Ok(()), |client| {
        limits.admit(client, credential(request.headers()))
    });
    let counted = client.filter(|client| !limits.is_exempt(*client));
    let count = counted.map(|client| {
        let dealer = served.lot.id();
        move |lead: &Counted<'_>| limits.admit_lead(client, dealer, lead)
    });
    let count = count.as_ref().map(|count| count as &Count<'_>);
    let visit = Visit::new(&interface.agent, admitted, count);
    let endpoint = directory.endpoint(profile);
    let mut response = endpoint.handle(&visit, request).await;
    let noted = visit.noted();
    app.metrics.request(noted, begun.elapsed());
    if noted.took_lead() {
        app.wake.wake();
    }
    if let Some(wait) = noted.retry_after {
        let seconds = HeaderValue::from(problem::retry_after(wait));
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    response
}

/// What the sender shows of itself; it is counted by, not believed.
pub(super) fn credential(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::AUTHORIZATION)?.to_str().ok()
}

/// The dealer that the path names; a path that is no text names none.
fn by_path(directory: &Directory, dealer: DealerPath) -> Option<Arc<Served>> {
    let Path(id) = dealer.ok()?;
    directory.by_id(&id)
}

fn no_preview() -> Response {
    not_found("no preview of another version is served here; the agent card names what is")
}

pub(super) fn unknown_dealer() -> Response {
    not_found("no dealer answers under this host or path")
}

pub(super) async fn nothing_here(headers: HeaderMap) -> Response {
    if let Some(response) = a2a_server::grpc::unimplemented(&headers) {
        return response;
    }
    not_found(
        "nothing here; a dealer's agent card is at /.well-known/agent-card.json or /dealers/{dealer}/.well-known/agent-card.json",
    )
}

pub(super) fn not_found(what: &str) -> Response {
    let body =
        serde_json::json!({ "error": { "code": 404, "status": "NOT_FOUND", "message": what } });
    (
        StatusCode::NOT_FOUND,
        [(header::CONTENT_TYPE, "application/json")],
        body.to_string(),
    )
        .into_response()
}
