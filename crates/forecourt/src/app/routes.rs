//! The paths below which a dealer answers.
//!
//! A dealer answers below `{base}`, which is empty for the dealer that the `Host` header names (or
//! the only one), or `/dealers/{dealer}`.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Path, Request, State, rejection::PathRejection},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, get},
};

use super::{App, directory::Served};

/// The paths of every dealer, by host and by identifier.
pub(super) fn dealers() -> Router<Arc<App>> {
    Router::new()
        .route("/.well-known/agent-card.json", get(card_by_host))
        .route("/a2a", any(call_by_host))
        .route("/a2a/", any(call_by_host))
        .route(
            "/dealers/{dealer}/.well-known/agent-card.json",
            get(card_by_path),
        )
        .route("/dealers/{dealer}/a2a", any(call_by_path))
        .route("/dealers/{dealer}/a2a/", any(call_by_path))
}

type DealerPath = Result<Path<String>, PathRejection>;

async fn card_by_host(State(app): State<Arc<App>>, request: Request) -> Response {
    card(app.directory.load().by_host(&request), &request)
}

async fn card_by_path(
    State(app): State<Arc<App>>,
    dealer: DealerPath,
    request: Request,
) -> Response {
    card(by_path(&app, dealer), &request)
}

fn card(served: Option<Arc<Served>>, request: &Request) -> Response {
    match served {
        Some(served) => served.card.respond(request.headers()),
        None => unknown_dealer(),
    }
}

async fn call_by_host(State(app): State<Arc<App>>, request: Request<Body>) -> Response {
    let served = app.directory.load().by_host(&request);
    call(&app, served, request).await
}

async fn call_by_path(
    State(app): State<Arc<App>>,
    dealer: DealerPath,
    request: Request<Body>,
) -> Response {
    call(&app, by_path(&app, dealer), request).await
}

async fn call(app: &App, served: Option<Arc<Served>>, request: Request<Body>) -> Response {
    let Some(served) = served else {
        return unknown_dealer();
    };
    // Held until the answer is whole, so that a reload in between changes nothing for it.
    let directory = app.directory.load_full();
    directory.endpoint.handle(&served.agent, request).await
}

/// The dealer that the path names; a path that is no text names none.
fn by_path(app: &App, dealer: DealerPath) -> Option<Arc<Served>> {
    let Path(id) = dealer.ok()?;
    app.directory.load().by_id(&id)
}

fn unknown_dealer() -> Response {
    not_found("no dealer answers under this host or path")
}

pub(super) async fn nothing_here() -> Response {
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
