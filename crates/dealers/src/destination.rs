//! Where the leads of a rooftop go.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::AdfSettings;

/// Where the leads of a rooftop go: exactly one of `mail`, `post`, `folder` and `webhook`, with
/// what belongs to it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Destination {
    /// Mailbox that reads ADF: the body of the mail is the ADF document and nothing else.
    pub mail: Option<String>,
    /// Mailbox of people, which gets the lead as a second mail that can be read.
    pub copy_to: Option<String>,
    /// Address to which the ADF document is posted.
    pub post: Option<Url>,
    /// File with further headers of the post, one `Name: value` on a line.
    pub headers_file: Option<PathBuf>,
    /// Type of the posted document; see [`content_type`](Self::content_type).
    pub content_type: Option<String>,
    /// Statuses by which the receiver says that it took the lead; 200 to 299 when empty.
    pub success_status: Vec<u16>,
    /// Text that the receiver's answer must hold.
    pub success_body: Option<String>,
    /// Folder in which one file for each lead is put.
    pub folder: Option<PathBuf>,
    /// Address to which the lead is posted as JSON.
    pub webhook: Option<Url>,
    /// File with the secret by which those posts are signed (Standard Webhooks).
    pub secret_file: Option<PathBuf>,
    /// Form of the ADF document; the dealer's when absent.
    pub adf: Option<AdfSettings>,
}

impl Destination {
    /// A mailbox that reads ADF.
    #[must_use]
    pub fn mailbox(mailbox: impl Into<String>) -> Self {
        Self {
            mail: Some(mailbox.into()),
            ..Self::default()
        }
    }

    /// Type of the posted document: `text/xml`, which the oldest receivers know as well.
    #[must_use]
    pub fn content_type(&self) -> &str {
        self.content_type
            .as_deref()
            .unwrap_or("text/xml; charset=utf-8")
    }
}
