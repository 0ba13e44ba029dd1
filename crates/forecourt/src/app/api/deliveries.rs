//! `/api/deliveries`: leads on their way.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use dealers::keys::Scope;
use leads::{
    Cursor, DeliveryId, DeliveryState,
    outbox::{self, Attempt, Delivery, DeliveryFilter, Error},
};
use serde_json::{Value, json};

use super::{Params, Refusal, Visitor, enter, json, query::Query};
use crate::app::App;

/// The states of a delivery, as a query names them.
pub(super) fn states() -> String {
    DeliveryState::ALL.map(DeliveryState::as_str).join(", ")
}

/// `GET /deliveries`: a page of deliveries, newest first.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let (visitor, request) = enter(&app, &params, request, Scope::Deliveries).await?;
    let mut query = Query::of(request.uri());
    let filter = DeliveryFilter {
        since: query.time("since"),
        until: query.time("until"),
        state: query.word("state", &states()),
        lead_id: query.parsed("lead_id", "the identifier of a lead"),
        destination: query.text("destination"),
        limit: query.limit(),
    };
    let after: Option<Cursor> = query.parsed("cursor", "the `next` of a page before");
    query.finish()?;
    let dealer = visitor.dealer;
    let page = app
        .prompt_store()
        .read(move |conn| outbox::page(conn, &dealer, &filter, after.as_ref()))
        .await
        .map_err(|error| refuse(&error))?;
    let next = page.next.as_ref().map(Cursor::to_string);
    let document = json!({ "deliveries": page.entries, "next": next });
    Ok(json(StatusCode::OK, &document))
}

/// `GET /deliveries/{delivery}`: a delivery with every attempt.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let (visitor, request) = enter(&app, &params, request, Scope::Deliveries).await?;
    let wanted = delivery(&params)?;
    Query::of(request.uri()).finish()?;
    let found = find(&app, &visitor, &wanted).await?;
    Ok(json(StatusCode::OK, &document(&found)))
}

/// `POST /deliveries/{delivery}/retry`: tries a delivery again at once.
pub(super) async fn retry(
    State(app): State<Arc<App>>,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let (visitor, request) = enter(&app, &params, request, Scope::Deliveries).await?;
    let wanted = delivery(&params)?;
    Query::of(request.uri()).finish()?;
    let (dealer, id, now) = (
        visitor.dealer.clone(),
        wanted.clone(),
        app.store.clock().now(),
    );
    app.prompt_store()
        .write_claiming(leads::claim(&visitor.dealer), move |conn| {
            outbox::retry(conn, &dealer, &id, now)
        })
        .await
        .map_err(|error| refuse(&error))?;
    app.wake.wake();
    tracing::info!(
        dealer = %visitor.dealer,
        key = visitor.key,
        delivery = %wanted,
        "a delivery is tried again"
    );
    let found = find(&app, &visitor, &wanted).await?;
    Ok(json(StatusCode::ACCEPTED, &document(&found)))
}

async fn find(
    app: &App,
    visitor: &Visitor,
    wanted: &DeliveryId,
) -> Result<(Delivery, Vec<Attempt>), Refusal> {
    let (dealer, id) = (visitor.dealer.clone(), wanted.clone());
    let found = app
        .prompt_store()
        .read(move |conn| outbox::show(conn, &dealer, &id))
        .await
        .map_err(|error| refuse(&error))?;
    found.ok_or_else(unknown)
}

fn document((delivery, attempts): &(Delivery, Vec<Attempt>)) -> Value {
    let mut document = json!(delivery);
    document["history"] = json!(attempts);
    document
}

/// The delivery that a path names.
fn delivery(params: &Params) -> Result<DeliveryId, Refusal> {
    let id = params.get("delivery").and_then(|it| it.parse().ok());
    id.ok_or_else(unknown)
}

pub(super) fn unknown() -> Refusal {
    let detail = "the dealer has no such delivery; GET /api/deliveries lists them";
    Refusal::new(StatusCode::NOT_FOUND, detail)
}

/// Says why the outbox did not do what it was asked.
pub(super) fn refuse(error: &Error) -> Refusal {
    let status = match error {
        Error::UnknownDelivery(_) | Error::UnknownLead(_) => StatusCode::NOT_FOUND,
        Error::Erased(_) => StatusCode::GONE,
        Error::NotRetried { .. } => StatusCode::CONFLICT,
        Error::UnknownDestination { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        error => return Refusal::unavailable(error),
    };
    Refusal::new(status, &error.to_string())
}
