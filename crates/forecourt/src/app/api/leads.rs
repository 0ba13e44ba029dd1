//! `/api/leads`: what buyers' agents sent.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use dealers::keys::Scope;
use leads::{Cursor, LeadId, Search, outbox};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Params, Refusal, Visitor,
    deliveries::{refuse, states},
    enter, json,
    query::Query,
    read_body,
};
use crate::app::App;

/// Most bytes of a request that names a destination.
const MOST_BYTES: usize = 64 * 1024;

/// `GET /leads`: a page of leads, newest first.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let (visitor, request) = enter(&app, &params, request, Scope::Leads).await?;
    let mut query = Query::of(request.uri());
    let search = search(&mut query);
    let limit = query.limit();
    let after: Option<Cursor> = query.parsed("cursor", "the `next` of a page before");
    query.finish()?;
    let (dealer, vault) = (visitor.dealer.clone(), visitor.vault.clone());
    let page = app
        .prompt_store()
        .read(move |conn| leads::search(conn, &vault, &dealer, &search, after.as_ref(), limit))
        .await
        .map_err(|error| Refusal::unavailable(&error))?;
    tracing::info!(
        dealer = %visitor.dealer,
        key = visitor.key,
        leads = page.entries.len(),
        "leads were listed"
    );
    let next = page.next.as_ref().map(Cursor::to_string);
    let document = json!({ "leads": page.entries, "next": next });
    Ok(json(StatusCode::OK, &document))
}

/// The limits of a search, as list and export know them.
pub(super) fn search(query: &mut Query) -> Search {
    Search {
        tests: false,
        since: query.time("since"),
        until: query.time("until"),
        state: query.word("state", &states()),
        agent: query.text("agent"),
        rooftop: query.text("rooftop"),
    }
}

/// `GET /leads/{lead}`: everything that is kept of a lead, with every attempt to deliver it.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let (visitor, request) = enter(&app, &params, request, Scope::Leads).await?;
    let lead_id = lead(&params)?;
    Query::of(request.uri()).finish()?;
    let (dealer, vault, wanted) = (
        visitor.dealer.clone(),
        visitor.vault.clone(),
        lead_id.clone(),
    );
    let found = app
        .prompt_store()
        .read(move |conn| {
            let Some(lead) = leads::show(conn, &vault, &dealer, &wanted)? else {
                return Ok(None);
            };
            let histories = lead
                .summary
                .deliveries
                .iter()
                .map(|it| outbox::attempts(conn, &dealer, &it.delivery_id))
                .collect::<Result<Vec<_>, _>>()?;
            Ok::<_, leads::Error>(Some((lead, histories)))
        })
        .await
        .map_err(|error| Refusal::unavailable(&error))?;
    let Some((lead, histories)) = found else {
        return Err(unknown());
    };
    noted(&visitor, &lead_id, "a lead was read");
    let mut document = json!(lead);
    let deliveries = document["deliveries"].as_array_mut();
    for (delivery, history) in deliveries.into_iter().flatten().zip(histories) {
        delivery["history"] = json!(history);
    }
    Ok(json(StatusCode::OK, &document))
}

/// What a resend may name.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Resend {
    /// One destination of the rooftop, or its fallback; all that get leads when absent.
    destination: Option<String>,
}

/// `POST /leads/{lead}/resend`: sends a lead once more.
pub(super) async fn resend(
    State(app): State<Arc<App>>,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let (visitor, request) = enter(&app, &params, request, Scope::Deliveries).await?;
    let lead_id = lead(&params)?;
    Query::of(request.uri()).finish()?;
    let body = read_body(request, MOST_BYTES).await?;
    let wish: Resend = if body.is_empty() {
        Resend::default()
    } else {
        serde_json::from_slice(&body).map_err(|error| {
            let detail = format!("the body is not {{\"destination\": NAME}}: {error}");
            Refusal::new(StatusCode::BAD_REQUEST, &detail)
        })?
    };
    let (id, dealer) = (visitor.dealer.clone(), visitor.settings().clone());
    let (wanted, clock) = (lead_id.clone(), app.store.clock().clone());
    let added = app
        .prompt_store()
        .write_claiming(leads::claim(&visitor.dealer), move |conn| {
            let destination = wish.destination.as_deref();
            let new_id = || clock.new_id().into();
            outbox::resend(
                conn,
                &id,
                &dealer,
                &wanted,
                destination,
                &new_id,
                clock.now(),
            )
        })
        .await
        .map_err(|error| refuse(&error))?;
    app.wake.wake();
    noted(&visitor, &lead_id, "a lead is sent once more");
    let deliveries: Vec<Value> = added
        .iter()
        .map(|it| json!({ "delivery_id": it.delivery_id, "destination": it.destination }))
        .collect();
    let document = json!({ "lead_id": lead_id, "deliveries": deliveries });
    Ok(json(StatusCode::ACCEPTED, &document))
}

/// The lead that a path names.
fn lead(params: &Params) -> Result<LeadId, Refusal> {
    let id = params.get("lead").and_then(|it| it.parse().ok());
    id.ok_or_else(unknown)
}

fn unknown() -> Refusal {
    let detail = "the dealer has no such lead; GET /api/leads lists them";
    Refusal::new(StatusCode::NOT_FOUND, detail)
}

/// Who touched personal data, by names that tell nothing about a person.
fn noted(visitor: &Visitor, lead: &LeadId, what: &str) {
    tracing::info!(dealer = %visitor.dealer, key = visitor.key, %lead, "{what}");
}
