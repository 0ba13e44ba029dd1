//! The dealer's API: feeds, leads, appointments, deliveries and bounces, for programs with a bearer
//! key of the dealer. `docs/api.md` shows each path with an example.
//!
//! A request comes in through [`enter`], which says whose data it may touch. Every answer is JSON, a
//! file, or a problem (RFC 9457), and none is to be kept by caches.

mod appointments;
mod bounces;
mod deliveries;
mod entrance;
mod export;
mod feeds;
mod leads;
mod query;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::{
    Router,
    http::{HeaderValue, StatusCode, header},
    middleware::map_response,
    response::{IntoResponse, Response},
    routing::{get, post, put},
};
use serde::Serialize;

pub(super) use self::entrance::Params;
use self::entrance::{Refusal, Visitor, enter, read_body};
use super::App;

/// The paths of the API, by host or key, and by dealer; those of catalogs name the catalog.
pub(super) fn routes() -> Router<Arc<App>> {
    let api = Router::new()
        .route("/feeds/{feed}", put(feeds::upload))
        .route("/leads", get(leads::list))
        .route("/leads/export", get(export::leads))
        .route("/leads/{lead}", get(leads::show))
        .route("/leads/{lead}/resend", post(leads::resend))
        .route("/appointments", get(appointments::list))
        .route("/appointments.ics", get(appointments::calendar))
        .route("/deliveries", get(deliveries::list))
        .route("/deliveries/{delivery}", get(deliveries::show))
        .route("/deliveries/{delivery}/retry", post(deliveries::retry))
        .route("/bounces", post(bounces::report));
    let catalogs = Router::new().route("/api/catalogs/{catalog}", put(feeds::upload_catalog));
    catalogs
        .nest("/api", api.clone())
        .nest("/dealers/{dealer}/api", api)
        .layer(map_response(private))
}

/// What a dealer's program is answered stays between the two.
async fn private(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// An answer as JSON.
fn json(status: StatusCode, document: &impl Serialize) -> Response {
    match serde_json::to_string(document) {
        Ok(text) => {
            let form = [(header::CONTENT_TYPE, "application/json")];
            (status, form, text).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "an answer could not be written as JSON");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
