//! `PUT /api/feeds/{feed}` and `PUT /api/catalogs/{catalog}`: a vendor sends a file, and gets the report as
//! the answer.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use dealers::{DealerId, keys::Scope};
use outside::feeds::{Target, Verdict, receive};

use super::{
    Params, Refusal, enter,
    entrance::{enter_catalog, turn_away},
    read_body,
};
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
    let most = settings.max_bytes();
    let sent = Sent {
        id: &visitor.dealer,
        key: &visitor.key,
        target: Target::Stock { dealer, feed },
        most,
    };
    sent.take(&app, request).await
}

/// Publishes the file of a catalog.
pub(super) async fn upload_catalog(
    State(app): State<Arc<App>>,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let (grant, request) = enter_catalog(&app, &params, request, Scope::Feeds).await?;
    let config = app.config();
    let Some(catalog) = config.catalogs.get(&grant.dealer) else {
        return Err(turn_away(request, unknown_catalog()).await);
    };
    let sent = Sent {
        id: &grant.dealer,
        key: &grant.key,
        target: Target::Catalog(catalog),
        most: catalog.feed().max_bytes(),
    };
    sent.take(&app, request).await
}

/// A file that somebody may send.
struct Sent<'a> {
    /// The dealer, or the catalog.
    id: &'a DealerId,
    /// Name of the key.
    key: &'a str,
    target: Target<'a>,
    /// Most bytes.
    most: u64,
}

impl Sent<'_> {
    async fn take(&self, app: &App, request: Request) -> Result<Response, Refusal> {
        let file_name = file_name(request.headers());
        let most = usize::try_from(self.most).unwrap_or(usize::MAX);
        let bytes = read_body(request, most).await?;
        let received = receive(
            &app.store,
            self.id,
            self.target,
            file_name.as_deref(),
            &bytes,
        );
        let receipt = received.await.map_err(|error| {
            tracing::error!(dealer = %self.id, error = %explain(&error), "an upload was not stored");
            let detail = "the file could not be stored; send it again later";
            Refusal::new(StatusCode::SERVICE_UNAVAILABLE, detail)
        })?;
        tracing::info!(
            dealer = %self.id,
            feed = receipt.document["feed"].as_str(),
            key = self.key,
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

fn unknown_catalog() -> Refusal {
    let detail = "there is no catalog of this name; `forecourt catalogs` lists them";
    Refusal::new(StatusCode::NOT_FOUND, detail)
}
