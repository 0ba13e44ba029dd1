//! Finding an agent's card (A2A 1.0 §8).

use a2a::card::{self, AgentCard, CardProblem, CardShape, WELL_KNOWN_PATH};
use bytes::Bytes;
use egress::{Egress, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use url::Url;

use crate::error::{Error, Excerpt};

/// Where agents before A2A 0.3 have their card.
const WELL_KNOWN_PATH_BEFORE: &str = "/.well-known/agent.json";

/// The protocol version that this client speaks, as a header. Agents that have cards of two shapes
/// choose by it.
pub(crate) const VERSION_HEADER: (HeaderName, HeaderValue) = (
    HeaderName::from_static("a2a-version"),
    HeaderValue::from_static("1.0"),
);

/// An agent's card and where it was found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Discovered {
    /// The card in the form of 1.0.
    pub card: AgentCard,
    /// The form in which it was sent.
    pub shape: CardShape,
    /// What is wrong with the card and was read over.
    pub warnings: Vec<CardProblem>,
    /// Where it is.
    pub url: Url,
    /// The card as it was sent; signatures are over these bytes.
    pub raw: Bytes,
}

/// Finds the card of an agent.
///
/// A URL whose path ends in `.json` is the card's own. Below any other URL the well-known path is
/// tried, then the one that agents before 0.3 had if there is nothing (404).
///
/// # Errors
/// [`Error::Network`], [`Error::HttpStatus`] or [`Error::NotACard`].
pub async fn discover(egress: &Egress, url: &str) -> Result<Discovered, Error> {
    let base = Url::parse(url).map_err(|error| egress::Error::InvalidUrl {
        reason: error.to_string(),
    })?;
    if base.path().ends_with(".json") {
        return read(&fetch(egress, &base).await?);
    }
    let response = fetch(egress, &below(&base, WELL_KNOWN_PATH)).await?;
    if response.status == StatusCode::NOT_FOUND {
        let before = fetch(egress, &below(&base, WELL_KNOWN_PATH_BEFORE)).await?;
        if before.status.is_success() {
            return read(&before);
        }
    }
    read(&response)
}

/// `path` below the path of `base`, which may end in a slash or not.
fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}{path}", base.path().trim_end_matches('/')));
    url.set_query(None);
    url.set_fragment(None);
    url
}

async fn fetch(egress: &Egress, url: &Url) -> Result<Response, Error> {
    let (name, value) = VERSION_HEADER;
    let response = egress
        .get(url.as_str())
        .header(header::ACCEPT, HeaderValue::from_static("application/json"))
        .header(name, value)
        .send()
        .await?;
    Ok(response)
}

fn read(response: &Response) -> Result<Discovered, Error> {
    if !response.status.is_success() {
        return Err(Error::HttpStatus {
            answer: Excerpt::of(response),
        });
    }
    let read = card::read(&response.body).map_err(|error| Error::NotACard {
        why: error.to_string(),
        answer: Excerpt::of(response),
    })?;
    Ok(Discovered {
        card: read.card,
        shape: read.shape,
        warnings: read.warnings,
        url: response.url.clone(),
        raw: response.body.clone(),
    })
}
