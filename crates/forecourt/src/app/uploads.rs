//! `PUT {base}/api/feeds/{feed}`: a vendor sends a feed file, and gets the report as the answer.

use std::sync::Arc;

use a2a_server::serve::{BodyTimeout, discard};
use axum::{
    Router,
    body::to_bytes,
    extract::{Path, Request, State, rejection::PathRejection},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::put,
};
use dealers::keys::Scope;
use outside::feeds::{Verdict, receive};

use super::{App, routes::unknown_dealer};
use crate::{explain, keys, problem};

/// The paths of uploads, by host or key, and by dealer.
pub(super) fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/api/feeds/{feed}", put(by_host))
        .route("/dealers/{dealer}/api/feeds/{feed}", put(by_path))
}

async fn by_host(
    State(app): State<Arc<App>>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path(feed)) = path else {
        return unknown_feed();
    };
    let named = app.directory.load().by_host(&request);
    let dealer = named.map(|served| served.lot.id().to_string());
    upload(&app, dealer.as_deref(), &feed, request).await
}

async fn by_path(
    State(app): State<Arc<App>>,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let Ok(Path((dealer, feed))) = path else {
        return unknown_feed();
    };
    if app.directory.load().by_id(&dealer).is_none() {
        return unknown_dealer();
    }
    upload(&app, Some(&dealer), &feed, request).await
}

/// The key is judged before a byte of the file is kept.
async fn upload(app: &App, dealer: Option<&str>, feed: &str, request: Request) -> Response {
    let dealer = dealer.and_then(|dealer| dealer.parse().ok());
    let judged = keys::authorise(&app.store, request.headers(), dealer.as_ref(), Scope::Feeds);
    let grant = match judged.await {
        Ok(grant) => grant,
        Err(denied) => return refuse(request, denied.into_response()).await,
    };
    let Some(served) = app.directory.load().by_id(grant.dealer.as_str()) else {
        return refuse(request, unknown_dealer()).await;
    };
    let dealer = served.lot.dealer();
    let Some(settings) = dealer.feeds.get(feed) else {
        return refuse(request, unknown_feed()).await;
    };
    let file_name = file_name(request.headers());
    let most = usize::try_from(settings.max_bytes()).unwrap_or(usize::MAX);
    let bytes = match to_bytes(request.into_body(), most).await {
        Ok(bytes) => bytes,
        Err(error) if BodyTimeout::caused(&error) => {
            return problem::response(
                StatusCode::REQUEST_TIMEOUT,
                "the file did not arrive in time; send it packed (.gz), or over a faster line",
            );
        }
        Err(_) => {
            return problem::response(
                StatusCode::PAYLOAD_TOO_LARGE,
                &format!("the file did not arrive whole, or is larger than {most} bytes"),
            );
        }
    };
    let received = receive(
        &app.store,
        &grant.dealer,
        dealer,
        feed,
        file_name.as_deref(),
        &bytes,
    );
    match received.await {
        Ok(receipt) => {
            tracing::info!(
                dealer = %grant.dealer,
                feed,
                key = grant.key,
                result = receipt.document["result"].as_str(),
                "feed file uploaded"
            );
            let status = match receipt.verdict {
                Verdict::Applied => StatusCode::OK,
                Verdict::KeptLastGood => StatusCode::CONFLICT,
                _ => StatusCode::UNPROCESSABLE_ENTITY,
            };
            let form = [(header::CONTENT_TYPE, "application/json")];
            (status, form, receipt.document.to_string()).into_response()
        }
        Err(error) => {
            tracing::error!(dealer = %grant.dealer, feed, error = %explain(&error), "an upload was not stored");
            problem::response(
                StatusCode::SERVICE_UNAVAILABLE,
                "the file could not be stored; send it again later",
            )
        }
    }
}

/// Refuses a file in such a way that its sender reads why, unless it asks before it sends (RFC 9110
/// §10.1.1).
async fn refuse(request: Request, refusal: Response) -> Response {
    if !request.headers().contains_key(header::EXPECT) {
        discard(request.into_body()).await;
    }
    refusal
}

/// The name that the sender gives the file (RFC 6266), as far as it is a plain one.
fn file_name(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_DISPOSITION)?.to_str().ok()?;
    let (_, name) = value.split_once("filename=")?;
    let name = name.split(';').next()?.trim().trim_matches('"');
    let plain = !name.is_empty() && name.len() <= 255 && !name.contains(['/', '\\']);
    plain.then(|| name.to_owned())
}

fn unknown_feed() -> Response {
    problem::response(
        StatusCode::NOT_FOUND,
        "the dealer has no feed of this name; `forecourt feeds` lists them",
    )
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use axum::body::{Body, Bytes};
    use futures_util::stream;

    use super::*;

    /// A file in ten pieces, which counts how many were taken.
    fn pieces(taken: &Arc<AtomicUsize>) -> Body {
        let taken = Arc::clone(taken);
        Body::from_stream(stream::iter((0..10).map(move |_| {
            taken.fetch_add(1, Ordering::SeqCst);
            Ok::<_, Infallible>(Bytes::from_static(&[b'x'; 1000]))
        })))
    }

    #[tokio::test]
    async fn a_refused_file_is_read_so_that_its_sender_hears_why_unless_the_sender_asked_first() {
        for (expects, taken) in [(false, 10), (true, 0)] {
            let count = Arc::new(AtomicUsize::new(0));
            let mut request = Request::new(pieces(&count));
            if expects {
                let headers = request.headers_mut();
                headers.insert(header::EXPECT, "100-continue".parse().unwrap());
            }
            let refusal = refuse(request, unknown_feed()).await;
            assert_eq!(refusal.status(), StatusCode::NOT_FOUND);
            assert_eq!(count.load(Ordering::SeqCst), taken);
        }
    }
}
