//! The document of a card: a file, standard input, or what lies at a URL.

use std::{
    fs,
    io::{self, Read},
    path::Path,
};

use a2a::card::CardError;
use a2a_client::discover;
use egress::{Egress, Options};
use http::{HeaderValue, header};
use url::Url;

use crate::{
    cli::{
        a2a::failure,
        outcome::{Exit, Failure},
    },
    explain,
};

/// Where a document is.
#[derive(Debug, Clone)]
pub(super) enum Place {
    Url(Url),
    /// A path; `-` is standard input.
    File(String),
}

impl Place {
    pub(super) fn of(text: &str) -> Result<Self, String> {
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(Self::Url(url)),
            _ => Ok(Self::File(text.to_owned())),
        }
    }

    /// A card as a client of 1.0 gets it.
    pub(super) async fn card(&self) -> Result<Vec<u8>, Failure> {
        match self {
            Self::File(path) => read(path),
            Self::Url(url) => {
                let found = discover(&egress(url)?, url.as_str()).await;
                Ok(found.map_err(failure)?.raw.to_vec())
            }
        }
    }

    /// A card as a client of 0.3 gets it, which names no version.
    pub(super) async fn card_of_0_3(&self) -> Result<Vec<u8>, Failure> {
        let Self::Url(url) = self else {
            return self.card().await;
        };
        let egress = egress(url)?;
        let found = discover(&egress, url.as_str()).await;
        let place = found.map_err(failure)?.url;
        let request = egress
            .get(place.as_str())
            .header(header::ACCEPT, HeaderValue::from_static("application/json"));
        let answer = request.send().await;
        let answer = answer.map_err(|error| failure(error.into()))?;
        Ok(answer.body.to_vec())
    }
}

/// Reads a file, or standard input for `-`.
pub(super) fn read(path: &str) -> Result<Vec<u8>, Failure> {
    let read = if path == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(Path::new(path))
    };
    read.map_err(|error| Failure::usage(format!("{path}: {error}")))
}

/// A client that reaches this URL, as it was meant.
pub(super) fn egress(url: &Url) -> Result<Egress, Failure> {
    let egress = Egress::new(Options::default()).and_then(|egress| egress.opened_for(url));
    egress.map_err(|error| Failure::refused("internal", explain(&error)))
}

/// The document is no card.
pub(super) fn not_a_card(error: &CardError) -> Failure {
    Failure::new(Exit::NotAnAgent, "not_a_card", explain(error))
}
