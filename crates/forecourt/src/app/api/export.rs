//! `GET /api/leads/export`: leads as a file, written while it is sent.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    http::header,
    response::{IntoResponse, Response},
};
use dealers::{DealerId, keys::Scope};
use futures_util::stream::try_unfold;
use leads::{Cursor, ExportFormat, Search, Vault};
use serde::Deserialize;
use store::Store;

use super::{Params, Refusal, enter, leads::search, query::Query};
use crate::{app::App, explain};

/// Leads that are read at once.
const AT_ONCE: u32 = 200;

/// The form as a request names it.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    Csv,
    Ndjson,
}

/// What is still to be sent.
struct Rest {
    store: Store,
    vault: Vault,
    dealer: DealerId,
    search: Search,
    format: ExportFormat,
    /// `None` before the first page.
    after: Option<Cursor>,
    begun: bool,
    ended: bool,
}

pub(super) async fn leads(
    State(app): State<Arc<App>>,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let (visitor, request) = enter(&app, &params, request, Scope::Leads).await?;
    let mut query = Query::of(request.uri());
    let search = search(&mut query);
    let format = query.word("format", "csv, ndjson");
    query.finish()?;
    let (format, kind, name) = match format {
        Some(Format::Csv) => (ExportFormat::Csv, "text/csv; charset=utf-8", "leads.csv"),
        Some(Format::Ndjson) | None => {
            (ExportFormat::Ndjson, "application/x-ndjson", "leads.ndjson")
        }
    };
    tracing::info!(
        dealer = %visitor.dealer,
        key = visitor.key,
        file = name,
        "leads are exported"
    );
    let rest = Rest {
        store: app.store.clone(),
        vault: visitor.vault,
        dealer: visitor.dealer,
        search,
        format,
        after: None,
        begun: false,
        ended: false,
    };
    let disposition = format!("attachment; filename=\"{name}\"");
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, Body::from_stream(try_unfold(rest, Rest::next))).into_response())
}

impl Rest {
    /// The next piece of the file. An error ends the connection, so that its reader does not take a
    /// part for the whole.
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, leads::Error> {
        if self.ended {
            return Ok(None);
        }
        let (vault, dealer) = (self.vault.clone(), self.dealer.clone());
        let (search, after) = (self.search.clone(), self.after.take());
        let page = self.store.read(move |conn| {
            leads::search_whole(conn, &vault, &dealer, &search, after.as_ref(), AT_ONCE)
        });
        let page = page.await.inspect_err(|error| {
            tracing::error!(error = %explain(error), "an export was broken off");
        })?;
        let mut text = if self.begun {
            String::new()
        } else {
            self.format.head()
        };
        for lead in &page.entries {
            text.push_str(&self.format.line(lead));
        }
        self.begun = true;
        self.ended = page.next.is_none();
        self.after = page.next;
        Ok(Some((Bytes::from(text), self)))
    }
}
