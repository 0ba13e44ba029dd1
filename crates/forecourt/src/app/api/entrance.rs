//! The way into the API: how often somebody asks, whose data is meant, and whether the key opens it.

use std::{convert::Infallible, sync::Arc};

use a2a_server::serve::{BodyTimeout, discard};
use axum::{
    body::{Bytes, to_bytes},
    extract::{FromRequestParts, RawPathParams, Request},
    http::{StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use dealers::{Dealer, DealerId, keys::Scope};
use leads::Vault;

use super::super::{
    App,
    client::Client,
    directory::{Directory, Served},
    routes::{credential, unknown_dealer},
};
use crate::{
    explain,
    keys::{self, Grant},
    problem,
};

/// Somebody with a key, and the dealer whose data it opens.
pub(super) struct Visitor {
    /// Whose data.
    pub(super) dealer: DealerId,
    /// Name of the key, which may stand in a log.
    pub(super) key: String,
    served: Arc<Served>,
    /// The keys of the personal data.
    pub(super) vault: Vault,
}

impl Visitor {
    /// The dealer's settings.
    pub(super) fn settings(&self) -> &Dealer {
        self.served.lot.dealer()
    }
}

/// An answer to a request that cannot be served.
#[derive(Debug)]
pub(super) struct Refusal(Box<Response>);

impl Refusal {
    /// A problem (RFC 9457).
    pub(super) fn new(status: StatusCode, detail: &str) -> Self {
        problem::response(status, detail).into()
    }

    /// The database does not do what it should.
    pub(super) fn unavailable(error: &dyn std::error::Error) -> Self {
        tracing::error!(error = %explain(error), "a request to the API could not be served");
        let detail = "this cannot be answered at the moment; try again later";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail)
    }
}

impl From<Response> for Refusal {
    fn from(response: Response) -> Self {
        Self(Box::new(response))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        *self.0
    }
}

/// The variable parts of a path; `None` when they are no text.
pub(in crate::app) struct Params(Option<Vec<(String, String)>>);

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let params = RawPathParams::from_request_parts(parts, state).await;
        let text = |params: RawPathParams| {
            let all = params.iter();
            all.map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect()
        };
        Ok(Self(params.ok().map(text)))
    }
}

impl Params {
    /// The part of this name.
    pub(in crate::app) fn get(&self, name: &str) -> Option<&str> {
        let mut all = self.0.iter().flatten();
        all.find(|(it, _)| it == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Lets a request in that carries a key with this scope. One that is turned away is read to its end,
/// so that its sender hears why, unless it asks before it sends (RFC 9110 §10.1.1).
pub(super) async fn enter(
    app: &App,
    params: &Params,
    request: Request,
    scope: Scope,
) -> Result<(Visitor, Request), Refusal> {
    let judge = async |head: &Request<()>| judge(app, params, head, scope).await;
    judge_first(request, judge).await
}

/// Judges the head of a request before a byte of its body is read.
async fn judge_first<V>(
    request: Request,
    judge: impl AsyncFnOnce(&Request<()>) -> Result<V, Refusal>,
) -> Result<(V, Request), Refusal> {
    let (parts, body) = request.into_parts();
    let head = Request::from_parts(parts, ());
    let judged = judge(&head).await;
    let request = head.map(|()| body);
    match judged {
        Ok(visitor) => Ok((visitor, request)),
        Err(refusal) => Err(turn_away(request, refusal).await),
    }
}

/// Reads a refused request to its end.
pub(super) async fn turn_away(request: Request, refusal: Refusal) -> Refusal {
    if !request.headers().contains_key(header::EXPECT) {
        discard(request.into_body()).await;
    }
    refusal
}

async fn judge(
    app: &App,
    params: &Params,
    request: &Request<()>,
    scope: Scope,
) -> Result<Visitor, Refusal> {
    let directory = app.directory.load_full();
    admit(&directory, request)?;
    let named = match (&params.0, params.get("dealer")) {
        (None, _) => return Err(unknown_dealer().into()),
        (_, Some(id)) => Some(directory.by_id(id).ok_or_else(unknown_dealer)?),
        (_, None) => directory.by_host(request),
    };
    let named = named.map(|served| served.lot.id().clone());
    let grant = keys::authorise(&app.store, request.headers(), named.as_ref(), scope)
        .await
        .map_err(IntoResponse::into_response)?;
    let served = directory.by_id(grant.dealer.as_str());
    Ok(Visitor {
        served: served.ok_or_else(unknown_dealer)?,
        dealer: grant.dealer,
        key: grant.key,
        vault: directory.vault.clone(),
    })
}

/// Lets a request in whose path names a catalog and which carries a key of it with this scope.
pub(super) async fn enter_catalog(
    app: &App,
    params: &Params,
    request: Request,
    scope: Scope,
) -> Result<(Grant, Request), Refusal> {
    let judge = async |head: &Request<()>| judge_catalog(app, params, head, scope).await;
    judge_first(request, judge).await
}

async fn judge_catalog(
    app: &App,
    params: &Params,
    request: &Request<()>,
    scope: Scope,
) -> Result<Grant, Refusal> {
    admit(&app.directory.load(), request)?;
    let id = params.get("catalog").and_then(|name| name.parse().ok());
    let id: DealerId = id.ok_or_else(|| {
        let detail = "a catalog's name has lower-case letters, digits and inner hyphens";
        Refusal::new(StatusCode::NOT_FOUND, detail)
    })?;
    let grant = keys::authorise(&app.store, request.headers(), Some(&id), scope).await;
    Ok(grant.map_err(IntoResponse::into_response)?)
}

/// Whoever asks too often is told when to come back.
fn admit(directory: &Directory, request: &Request<()>) -> Result<(), Refusal> {
    let Some(client) = request.extensions().get::<Client>() else {
        return Ok(());
    };
    let admitted = directory
        .limits
        .admit(*client, credential(request.headers()));
    Ok(admitted.map_err(problem::too_many_requests)?)
}

/// The body of a request, of at most so many bytes.
pub(super) async fn read_body(request: Request, most: usize) -> Result<Bytes, Refusal> {
    to_bytes(request.into_body(), most).await.map_err(|error| {
        if BodyTimeout::caused(&error) {
            Refusal::new(
                StatusCode::REQUEST_TIMEOUT,
                "the body did not arrive in time; send it over a faster line, a feed file packed (.gz)",
            )
        } else {
            Refusal::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                &format!("the body did not arrive whole, or is larger than {most} bytes"),
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        sync::atomic::{AtomicUsize, Ordering},
    };

    use axum::body::Body;
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
    async fn a_refused_request_is_read_so_that_its_sender_hears_why_unless_the_sender_asked_first()
    {
        for (expects, taken) in [(false, 10), (true, 0)] {
            let count = Arc::new(AtomicUsize::new(0));
            let mut request = Request::new(pieces(&count));
            if expects {
                let headers = request.headers_mut();
                headers.insert(header::EXPECT, "100-continue".parse().unwrap());
            }
            let refusal = turn_away(request, Refusal::new(StatusCode::NOT_FOUND, "no")).await;
            assert_eq!(refusal.into_response().status(), StatusCode::NOT_FOUND);
            assert_eq!(count.load(Ordering::SeqCst), taken);
        }
    }
}
