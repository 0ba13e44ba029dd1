//! `PUT /api/feeds/{feed}`: a vendor sends a feed file, and gets the report as the answer.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use dealers::keys::Scope;
use outside::feeds::{Verdict, receive};

use super::{Params, Refusal, enter, entrance::turn_away, read_body};
use crate::{app::App, explain};

/// Publishes a file. The key is judged before a byte of it is kept.
pub(super) async fn upload(
    State(app): State<Arc<App>>,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let (visitor, request) = enter(&app, &params, request, Scope::Feeds).await?;
    let dealer = visitor.settings();
    let feed = params.get("feed").unwrap_or_default();
    let Some(settings) = dealer.feeds.get(feed) else {
        return Err(turn_away(request, unknown_feed()).await);
    };
    let file_name = file_name(request.headers());
    let most = usize::try_from(settings.max_bytes()).unwrap_or(usize::MAX);
    let bytes = read_body(request, most).await?;
    let received = receive(
        &app.store,
        &visitor.dealer,
        dealer,
        feed,
        file_name.as_deref(),
        &bytes,
    );
    match received.await {
        Ok(receipt) => {
            tracing::info!(
                dealer = %visitor.dealer,
                feed,
                key = visitor.key,
                result = receipt.document["result"].as_str(),
                "feed file uploaded"
            );
            let status = match receipt.verdict {
                Verdict::Applied => StatusCode::OK,
                Verdict::KeptLastGood => StatusCode::CONFLICT,
                _ => StatusCode::UNPROCESSABLE_ENTITY,
            };
            let form = [(header::CONTENT_TYPE, "application/json")];
            Ok((status, form, receipt.document.to_string()).into_response())
        }
        Err(error) => {
            tracing::error!(dealer = %visitor.dealer, feed, error = %explain(&error), "an upload was not stored");
            let detail = "the file could not be stored; send it again later";
            Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, detail))
        }
    }
}

/// The name that the sender gives the file (RFC 6266), as far as it is a plain one.
fn file_name(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_DISPOSITION)?.to_str().ok()?;
    let (_, name) = value.split_once("filename=")?;
    let name = name.split(';').next()?.trim().trim_matches('"');
    let plain = !name.is_empty() && name.len() <= 255 && !name.contains(['/', '\\']);
    plain.then(|| name.to_owned())
}

fn unknown_feed() -> Refusal {
    let detail = "the dealer has no feed of this name; `forecourt feeds` lists them";
    Refusal::new(StatusCode::NOT_FOUND, detail)
}
