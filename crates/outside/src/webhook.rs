//! Posting JSON, signed where there is a secret: for alarms and for leads.

use std::time::Duration;

use egress::{Egress, Response};
use http::{HeaderValue, header};
use jiff::Timestamp;
use url::Url;

use crate::signature::{self, Secret};

/// An address that JSON is posted to.
#[derive(Debug)]
pub struct Webhook {
    egress: Egress,
    url: Url,
    secret: Option<Secret>,
}

impl Webhook {
    /// Posts to `url`, signed when there is a secret.
    #[must_use]
    pub const fn new(egress: Egress, url: Url, secret: Option<Secret>) -> Self {
        Self {
            egress,
            url,
            secret,
        }
    }

    /// Posts a document. `id` is the same for every attempt at the same document.
    pub(crate) async fn post(
        &self,
        id: &str,
        document: &serde_json::Value,
        now: Timestamp,
        patience: Duration,
    ) -> Result<Response, egress::Error> {
        let body = document.to_string();
        let mut request = self.egress.post(self.url.as_str(), body.clone()).header(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        if let Some(secret) = &self.secret {
            for (name, value) in signature::headers(secret, id, now, body.as_bytes()) {
                request = request.header(name, value);
            }
        }
        request.timeout(patience).send().await
    }
}
