//! What those who run the server ask it: whether it is alive.

use std::sync::Arc;

use axum::{Router, routing::get};

use super::App;

/// The paths of operations.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new().route("/healthz", get(alive))
}

/// Answers as long as the process can answer anything.
async fn alive() -> &'static str {
    "ok\n"
}
