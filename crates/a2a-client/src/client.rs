//! Calling an agent over an interface that its card offers.

use std::time::Duration;

use a2a::{
    card::AgentInterface,
    fault::Fault,
    headers::{A2A_EXTENSIONS, ProtocolVersion},
    jsonrpc::{Id, read_response, write_request},
    method::Method,
    model::{SendMessageRequest, SendMessageResponse, read_lenient},
};
use bytes::Bytes;
use egress::{Egress, Response};
use http::{HeaderName, HeaderValue, header};
use serde::Serialize;
use url::Url;

use crate::{
    discover::{Discovered, VERSION_HEADER},
    error::{Error, Excerpt},
};

/// A client of one agent, bound to the first interface on its card that it can call: JSON-RPC of
/// A2A 1.0 (A2A 1.0 §8.3.2). Cheap to clone.
#[derive(Debug, Clone)]
pub struct Client {
    egress: Egress,
    url: Url,
    tenant: Option<String>,
}

/// What may differ from call to call.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CallOptions {
    /// URIs of the extensions to activate (A2A 1.0 §4.6).
    pub extensions: Vec<String>,
    /// Longest wait for the complete answer; that of the [`Egress`] when absent.
    pub timeout: Option<Duration>,
}

impl Client {
    /// A client of a discovered agent.
    ///
    /// # Errors
    /// [`Error::NoSupportedInterface`].
    pub fn new(egress: Egress, discovered: &Discovered) -> Result<Self, Error> {
        let interfaces = &discovered.card.supported_interfaces;
        // A relative URL breaks the specification and still says where the agent is.
        let callable = interfaces
            .iter()
            .filter(|it| is_callable(it))
            .find_map(|it| {
                let url = discovered.url.join(&it.url).ok()?;
                Some((url, it.tenant.clone()))
            });
        let Some((url, tenant)) = callable else {
            return Err(Error::NoSupportedInterface {
                offered: interfaces.iter().map(in_words).collect(),
            });
        };
        Ok(Self {
            egress,
            url,
            tenant,
        })
    }

    /// The URL that calls go to.
    #[must_use]
    pub const fn interface_url(&self) -> &Url {
        &self.url
    }

    /// Sends a message and waits for the agent's answer, a task or a message (A2A 1.0 §3.1.1). The
    /// interface's tenant is filled in.
    ///
    /// # Errors
    /// Every [`Error`] but those of discovery.
    pub async fn send_message(
        &self,
        mut request: SendMessageRequest,
        options: &CallOptions,
    ) -> Result<SendMessageResponse, Error> {
        request.tenant.clone_from(&self.tenant);
        let id = Id::from(request.message.message_id.as_str());
        let response = self
            .exchange(&id, Method::SendMessage, &request, options)
            .await?;
        read_answer(&id, &response)
    }

    /// Makes one JSON-RPC call and returns the HTTP answer unread, for those who debug an agent.
    /// The interface's tenant is not filled in.
    ///
    /// # Errors
    /// [`Error::Network`] and [`Error::Unwritable`].
    pub async fn exchange(
        &self,
        id: &Id,
        method: Method,
        params: &impl Serialize,
        options: &CallOptions,
    ) -> Result<Response, Error> {
        let body = write_request(id, method, params).map_err(|error| Error::Unwritable {
            why: error.to_string(),
        })?;
        let json = HeaderValue::from_static("application/json");
        let (version_name, version) = VERSION_HEADER;
        let mut request = self
            .egress
            .post(self.url.as_str(), Bytes::from(body))
            .header(header::CONTENT_TYPE, json.clone())
            .header(header::ACCEPT, json)
            .header(version_name, version);
        if let Some((name, value)) = extensions_header(&options.extensions)? {
            request = request.header(name, value);
        }
        if let Some(timeout) = options.timeout {
            request = request.timeout(timeout);
        }
        Ok(request.send().await?)
    }
}

fn is_callable(interface: &AgentInterface) -> bool {
    interface.protocol_binding == AgentInterface::JSONRPC
        && interface.protocol_version.parse() == Ok(ProtocolVersion::V1_0)
}

fn in_words(interface: &AgentInterface) -> String {
    format!(
        "{} {} at {}",
        interface.protocol_binding, interface.protocol_version, interface.url
    )
}

fn extensions_header(uris: &[String]) -> Result<Option<(HeaderName, HeaderValue)>, Error> {
    if uris.is_empty() {
        return Ok(None);
    }
    let value = HeaderValue::from_str(&uris.join(", ")).map_err(|_| Error::Unwritable {
        why: format!("an extension's URI does not fit into {A2A_EXTENSIONS}"),
    })?;
    Ok(Some((HeaderName::from_static("a2a-extensions"), value)))
}

fn read_answer(id: &Id, response: &Response) -> Result<SendMessageResponse, Error> {
    let answer = match read_response(&response.body) {
        Ok(answer) => answer,
        // A status that speaks for itself is told as such; otherwise the body is at fault.
        Err(_) if !response.status.is_success() => {
            return Err(Error::HttpStatus {
                answer: Excerpt::of(response),
            });
        }
        Err(bad) => return Err(bad_answer(response, bad.to_string())),
    };
    let result = answer.outcome.map_err(Error::Rpc)?;
    if answer.id.as_ref() != Some(id) {
        return Err(bad_answer(
            response,
            "it answers another request".to_owned(),
        ));
    }
    match read_lenient(&result) {
        Ok((value, faults)) if faults.is_empty() || is_usable(&value) => Ok(value),
        Ok((_, faults)) | Err(faults) => Err(bad_answer(response, listed(&faults))),
    }
}

/// Whether an answer with faults still says what the agent means.
fn is_usable(answer: &SendMessageResponse) -> bool {
    match answer {
        SendMessageResponse::Message(message) => !message.parts.is_empty(),
        SendMessageResponse::Task(task) => !task.id.is_empty(),
    }
}

fn listed(faults: &[Fault]) -> String {
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    faults.join("; ")
}

fn bad_answer(response: &Response, why: String) -> Error {
    Error::BadAnswer {
        why,
        answer: Excerpt::of(response),
    }
}
