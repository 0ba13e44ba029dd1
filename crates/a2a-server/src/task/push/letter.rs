//! One notification, as it goes over the wire (A2A 1.0 §4.3.3).

use std::time::Duration;

use a2a::fold::Fold;
use a2a::headers::ProtocolVersion;
use a2a::model::{StreamResponse, TaskPushNotificationConfig};
use a2a::v03;
use bytes::Bytes;
use egress::{Egress, Request};
use http::{HeaderName, HeaderValue, StatusCode, header};

use super::Webhook;
use crate::task::{Change, Entry};

/// What is written of the entries of a log for one webhook.
///
/// A webhook of 1.0 is sent every event. One of 0.3 is sent the task as it stands whenever its status
/// changes, so the chunks of artifacts are gathered here on the way.
pub(super) enum Writer {
    Events,
    Tasks(Option<Box<Fold>>),
}

impl Writer {
    pub(super) fn new(version: ProtocolVersion) -> Self {
        if version == ProtocolVersion::V0_3 {
            Self::Tasks(None)
        } else {
            Self::Events
        }
    }

    /// Whether it has to see the log from its beginning.
    pub(super) const fn reads_everything(&self) -> bool {
        matches!(self, Self::Tasks(_))
    }

    /// The body that an entry is told with; `None` when nothing is said about it.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub(super) fn body(&mut self, entry: &Entry) -> Result<Option<Bytes>, serde_json::Error> {
        let written = match self {
            Self::Events => match &entry.change {
                Change::Event(event) => serde_json::to_vec(event)?,
                Change::Message(_) => return Ok(None),
            },
            Self::Tasks(fold) => {
                let Some(event) = take_in(fold, entry) else {
                    return Ok(None);
                };
                serde_json::to_vec(&event)?
            }
        };
        Ok(Some(written.into()))
    }
}

/// The task as it stands, when the entry is about its status.
fn take_in(fold: &mut Option<Box<Fold>>, entry: &Entry) -> Option<v03::jsonrpc::Event> {
    match (&mut *fold, &entry.change) {
        (None, Change::Event(StreamResponse::Task(task))) => {
            *fold = Some(Box::new(Fold::new(task.clone())));
        }
        // What does not fit was refused when it was emitted.
        (Some(fold), Change::Event(event)) => drop(fold.apply(event.clone())),
        (Some(fold), Change::Message(message)) => drop(fold.message(message.clone())),
        (None, _) => {}
    }
    let Change::Event(event) = &entry.change else {
        return None;
    };
    let state = event.state()?;
    let task = fold.as_ref()?.task().clone();
    let task = StreamResponse::Task(task);
    Some(v03::jsonrpc::Event::new(task, state.is_terminal()))
}

/// Why a notification was not taken.
#[derive(Debug)]
pub(super) struct Refusal {
    /// In words that hold no secrets.
    pub(super) reason: String,
    /// Whether the same notification may be taken later.
    pub(super) is_passing: bool,
    /// How long the receiver wants to be left alone.
    pub(super) wait: Option<Duration>,
}

/// Sends one notification.
pub(super) async fn send(
    egress: &Egress,
    webhook: &Webhook,
    body: Bytes,
    timeout: Duration,
) -> Result<(), Refusal> {
    let config = &webhook.config;
    let media_type = if webhook.version == ProtocolVersion::V0_3 {
        "application/json"
    } else {
        "application/a2a+json"
    };
    let request = egress
        .post(&config.url, body)
        .timeout(timeout)
        // What a receiver says is not read; a little lets its connection be used again.
        .body_limit(64 * 1024)
        .header(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    let request = with_credentials(request, config).map_err(|reason| Refusal {
        reason,
        is_passing: false,
        wait: None,
    })?;
    match request.send().await {
        Ok(answer) => judge(answer.status, &answer.headers),
        // The receiver has taken it, and says more than is read.
        Err(egress::Error::TooLarge { .. }) => Ok(()),
        Err(error) => Err(Refusal {
            is_passing: error.is_retryable() || matches!(error, egress::Error::Tls { .. }),
            reason: error.to_string(),
            wait: None,
        }),
    }
}

fn judge(status: StatusCode, headers: &http::HeaderMap) -> Result<(), Refusal> {
    if status.is_success() {
        return Ok(());
    }
    let is_passing = status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429);
    let wait = headers.get(header::RETRY_AFTER);
    let wait = wait.and_then(|value| value.to_str().ok()?.trim().parse().ok());
    Err(Refusal {
        reason: format!("the receiver answered {}", status.as_u16()),
        is_passing,
        wait: wait.map(Duration::from_secs),
    })
}

/// The header of the token has two names, by what its readers were written for.
const TOKENS: [&str; 2] = ["x-a2a-notification-token", "a2a-notification-token"];

fn with_credentials<'a>(
    mut request: Request<'a>,
    config: &TaskPushNotificationConfig,
) -> Result<Request<'a>, String> {
    // What cannot be a header was refused when it was registered.
    let value = |text: &str| {
        let value = HeaderValue::from_str(text);
        let mut value = value.map_err(|_| "a secret cannot be sent in a header".to_owned())?;
        value.set_sensitive(true);
        Ok::<_, String>(value)
    };
    if let Some(token) = &config.token {
        for name in TOKENS {
            request = request.header(HeaderName::from_static(name), value(token.expose())?);
        }
    }
    if let Some(authentication) = &config.authentication {
        let credentials = authentication.credentials.as_ref();
        let text = match credentials.map(a2a::model::Secret::expose) {
            Some(credentials) => format!("{} {credentials}", authentication.scheme),
            None => return Ok(request),
        };
        request = request.header(header::AUTHORIZATION, value(&text)?);
    }
    Ok(request)
}
