//! `/api/appointments`: what buyers want to come for.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use dealers::keys::Scope;
use leads::appointment::{self, Appointment, CalendarForm, Filter};
use serde_json::json;

use super::{Params, Refusal, Visitor, enter, json, query::Query};
use crate::app::App;

/// `GET /appointments`: appointments in the order of their time. `more` says that there are further
/// ones; they begin where the last of these does.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let (visitor, request) = enter(&app, &params, request, Scope::Leads).await?;
    let mut query = Query::of(request.uri());
    let (since, until) = (query.time("since"), query.time("until"));
    let mut filter = Filter {
        since,
        until,
        undated: since.is_none() && until.is_none(),
        rooftop: query.text("rooftop"),
        kind: query.word("kind", "sales, service, test_drive, trade_in"),
        status: query.word("status", "requested, proposed, confirmed, canceled"),
        limit: query.limit(),
    };
    query.finish()?;
    let wanted = filter.limit as usize;
    filter.limit += 1;
    let mut appointments = read(&app, &visitor, filter).await?;
    let more = appointments.len() > wanted;
    appointments.truncate(wanted);
    let document = json!({ "appointments": appointments, "more": more });
    Ok(json(StatusCode::OK, &document))
}

/// `GET /appointments.ics`: the agreed times as an iCalendar document, which names nobody unless
/// `with_names` is true.
pub(super) async fn calendar(
    State(app): State<Arc<App>>,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let (visitor, request) = enter(&app, &params, request, Scope::Leads).await?;
    let mut query = Query::of(request.uri());
    let rooftop = query.text("rooftop");
    let names_persons = query.parsed("with_names", "true or false").unwrap_or(false);
    query.finish()?;
    let dealer = visitor.settings();
    let name = rooftop.clone().unwrap_or_else(|| dealer.name.clone());
    let now = app.store.clock().now();
    let appointments = read(&app, &visitor, Filter::of_calendar(rooftop, now)).await?;
    let form = CalendarForm {
        name: &name,
        names_persons,
        now,
    };
    let document = appointment::calendar(&appointments, &form);
    let kind = [(header::CONTENT_TYPE, "text/calendar; charset=utf-8")];
    Ok((kind, document).into_response())
}

async fn read(app: &App, visitor: &Visitor, filter: Filter) -> Result<Vec<Appointment>, Refusal> {
    let (dealer, vault) = (visitor.dealer.clone(), visitor.vault.clone());
    let appointments = app
        .prompt_store()
        .read(move |conn| appointment::list(conn, &vault, &dealer, &filter))
        .await
        .map_err(|error| Refusal::unavailable(&error))?;
    tracing::info!(
        dealer = %visitor.dealer,
        key = visitor.key,
        appointments = appointments.len(),
        "appointments were read"
    );
    Ok(appointments)
}
