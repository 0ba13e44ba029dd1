//! What those who run the server ask it: whether it is alive, whether it is ready, what it counts.

use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use axum::{
    Router,
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use serde_json::json;

use super::{App, client::Client, migrations, routes};

/// How long the database may take for an answer before the server counts as not ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// The paths of operations.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/healthz", get(alive))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
}

/// Answers as long as the process can answer anything.
async fn alive() -> &'static str {
    "ok\n"
}

/// 200 when a request would be answered, else 503 with every reason.
async fn ready(State(app): State<Arc<App>>) -> Response {
    let reasons = reasons_against(&app).await;
    let status = if reasons.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let body = json!({ "ready": reasons.is_empty(), "reasons": reasons });
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (status, headers, body.to_string()).into_response()
}

async fn reasons_against(app: &App) -> Vec<String> {
    let mut reasons = Vec::new();
    if app.stopping.load(Ordering::Relaxed) {
        reasons.push("the server is stopping".to_owned());
    }
    match tokio::time::timeout(PATIENCE, applied_migrations(app)).await {
        Err(_) => reasons.push("the database does not answer".to_owned()),
        Ok(Err(error)) => reasons.push(error.to_string()),
        Ok(Ok(applied)) => {
            let expected: BTreeSet<&str> = migrations()
                .into_iter()
                .flatten()
                .map(|it| it.name)
                .collect();
            let applied: BTreeSet<&str> = applied.iter().map(String::as_str).collect();
            if applied != expected {
                reasons.push("the database has the schema of another version".to_owned());
            }
        }
    }
    reasons
}

async fn applied_migrations(app: &App) -> Result<Vec<String>, store::Error> {
    app.store
        .read(|conn| {
            conn.all("SELECT name FROM migration", &[], |row| {
                row.text(0).map(str::to_owned)
            })
        })
        .await
}

/// The metrics, for the networks that may read them.
async fn metrics(State(app): State<Arc<App>>, request: Request) -> Response {
    let directory = app.directory.load_full();
    let client = request.extensions().get::<Client>();
    let may_read = client.is_some_and(|client| {
        let allowed = &directory.config.metrics.allow;
        !client.is_unknown_proxy && allowed.iter().any(|it| it.contains(client.address))
    });
    if !may_read {
        return routes::not_found("nothing here");
    }
    let page = app.metrics.page(&directory, &app.store).await;
    let form = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, form)], page).into_response()
}
