//! What those who run the server ask it: whether it is alive, whether it is ready, what it counts.

use std::{
    collections::BTreeMap,
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
use crate::nodes;

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
    reasons.extend(app.presence.clock_fault());
    match tokio::time::timeout(PATIENCE, schema(app)).await {
        Err(_) => reasons.push("the database does not answer".to_owned()),
        Ok(Err(error)) => reasons.push(error.to_string()),
        Ok(Ok(schema)) => reasons.extend(schema.fault()),
    }
    reasons
}

/// The schema of the database, as it stands at this moment: the migrations, each with the generation of
/// the node that applied it.
struct Schema(BTreeMap<String, i64>);

impl Schema {
    /// Why this node cannot work with it. While nodes are replaced one after the other, the older ones go on
    /// with the schema of the next version, which only adds to theirs.
    fn fault(&self) -> Option<String> {
        let lists = migrations();
        let expected = lists.into_iter().flatten().map(|it| it.name);
        let missing: Vec<&str> = expected.filter(|it| !self.0.contains_key(*it)).collect();
        if !missing.is_empty() {
            let missing = missing.join(", ");
            return Some(format!(
                "the database has the schema of an older version (missing: {missing})"
            ));
        }
        let newest = self.0.values().max().copied().unwrap_or_default();
        (newest > nodes::GENERATION.cast_signed() + 1).then(|| {
            "the database is used by a version that is more than one ahead; replace this node"
                .to_owned()
        })
    }
}

async fn schema(app: &App) -> Result<Schema, store::Error> {
    let read = app.store.read(|conn| {
        let applied = conn.all("SELECT name, generation FROM migration", &[], |row| {
            Ok((row.text(0)?.to_owned(), row.int(1)?))
        })?;
        Ok(Schema(applied.into_iter().collect()))
    });
    read.await
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

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(without: &str, further: &[(&str, u64)]) -> Option<String> {
        let lists = migrations();
        let names = lists.into_iter().flatten().map(|it| it.name);
        let own = names
            .filter(|name| *name != without)
            .map(|it| (it, nodes::GENERATION));
        let applied = own.chain(further.iter().copied());
        let applied = applied.map(|(name, by)| (name.to_owned(), by.cast_signed()));
        Schema(applied.collect()).fault()
    }

    #[test]
    fn a_node_goes_on_beside_the_next_version_and_no_further() {
        let now = nodes::GENERATION;
        assert_eq!(fault("", &[]), None);
        assert_eq!(fault("", &[("leads-99", now + 1)]), None);
        let ahead = fault("", &[("leads-99", now + 2)]).unwrap();
        assert!(ahead.contains("more than one ahead"), "{ahead}");
        let older = fault("forecourt-tasks-1", &[]).unwrap();
        assert!(older.contains("forecourt-tasks-1"), "{older}");
    }
}
