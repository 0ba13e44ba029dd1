//! Which agent, how to speak with it, and how its failures end the command.

use std::{path::PathBuf, time::Duration};

use a2a::{error::ErrorData, headers::ProtocolVersion};
use a2a_client::{Binding, CallOptions, Choice, Client, Discovered, discover};
use clap::Args;
use egress::{Egress, Options};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use serde_json::{Value, json};
use url::Url;

use crate::{buyer, cli::outcome::Failure, explain, keys::as_bearer};

/// The agent, and how to speak with it.
#[derive(Debug, Args)]
pub(crate) struct Whom {
    /// The agent's base URL, or the URL of its card
    #[arg(value_name = "URL")]
    url: String,
    /// Binding to use: JSONRPC, HTTP+JSON or GRPC [default: the first on the card that can be called]
    #[arg(long, value_name = "NAME", help_heading = "Agent")]
    binding: Option<Binding>,
    /// Protocol version to speak, 1.0 or 0.3; repeat it for one to fall back to
    #[arg(
        long,
        value_name = "VERSION",
        help_heading = "Agent",
        default_value = "1.0",
        value_parser = version
    )]
    protocol: Vec<ProtocolVersion>,
    /// Extension to ask for; may be repeated
    #[arg(long, value_name = "URI", help_heading = "Agent")]
    extension: Vec<String>,
    /// Header to send, such as "X-API-Key: secret"; may be repeated
    #[arg(long, value_name = "HEADER", help_heading = "Agent", value_parser = header_line)]
    header: Vec<(HeaderName, HeaderValue)>,
    /// File that holds a bearer token
    #[arg(long, value_name = "FILE", help_heading = "Agent")]
    bearer_file: Option<PathBuf>,
    /// Longest wait for an answer, in seconds; a stream may take longer
    #[arg(long, value_name = "SECONDS", help_heading = "Agent", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Call also what the card does not declare
    #[arg(long, help_heading = "Agent")]
    undeclared: bool,
}

impl Whom {
    /// The agent at an address, called as flags that are not given say.
    pub(in crate::cli) fn at(url: String, bearer_file: Option<PathBuf>) -> Self {
        Self {
            url,
            binding: None,
            protocol: vec![ProtocolVersion::V1_0],
            extension: Vec::new(),
            header: Vec::new(),
            bearer_file,
            timeout: 60,
            undeclared: false,
        }
    }

    pub(super) async fn discover(&self) -> Result<Discovered, Failure> {
        discover(&self.egress()?, &self.url).await.map_err(failure)
    }

    /// The client, and what goes with each call.
    pub(in crate::cli) async fn client(&self) -> Result<(Client, CallOptions), Failure> {
        let options = self.options()?;
        let egress = self.egress()?;
        let discovered = discover(&egress, &self.url).await.map_err(failure)?;
        let mut choice = Choice::default();
        choice.versions.clone_from(&self.protocol);
        choice.binding = self.binding;
        let client = Client::with_choice(egress, &discovered, &choice).map_err(failure)?;
        Ok((client, options))
    }

    fn egress(&self) -> Result<Egress, Failure> {
        let url = Url::parse(&self.url).map_err(|error| {
            Failure::usage(format!(
                "{:?} is no URL ({error}); write for example https://agent.example",
                self.url
            ))
        })?;
        let mut options = Options::default();
        options.timeout = Duration::from_secs(self.timeout);
        options.connect_timeout = options.connect_timeout.min(options.timeout);
        let egress = Egress::new(options).and_then(|egress| egress.opened_for(&url));
        egress.map_err(|error| Failure::refused("internal", explain(&error)))
    }

    fn options(&self) -> Result<CallOptions, Failure> {
        let mut headers: HeaderMap = self.header.iter().cloned().collect();
        if let Some(path) = &self.bearer_file {
            let token = std::fs::read_to_string(path)
                .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
            let value = as_bearer(&token)
                .ok_or_else(|| Failure::usage(format!("{} holds no token", path.display())))?;
            headers.insert(header::AUTHORIZATION, value);
        }
        let mut options = CallOptions::default();
        options.extensions.clone_from(&self.extension);
        options.headers = headers;
        options.undeclared = self.undeclared;
        Ok(options)
    }
}

fn version(text: &str) -> Result<ProtocolVersion, String> {
    match text.parse() {
        Ok(version @ (ProtocolVersion::V1_0 | ProtocolVersion::V0_3)) => Ok(version),
        _ => Err("neither 1.0 nor 0.3".to_owned()),
    }
}

fn header_line(text: &str) -> Result<(HeaderName, HeaderValue), String> {
    let (name, value) = text
        .split_once(':')
        .ok_or("there is no colon behind its name")?;
    let name = HeaderName::from_bytes(name.trim().as_bytes())
        .map_err(|_| "its name has characters that no header has")?;
    let mut value = HeaderValue::from_str(value.trim())
        .map_err(|_| "its value has characters that no header has")?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// How a failed call ends the command: 3 unreachable, 4 not a valid agent, 1 refused.
pub(in crate::cli) fn failure(error: a2a_client::Error) -> Failure {
    let refusal = match &error {
        a2a_client::Error::Agent(error) => Some(document(error)),
        _ => None,
    };
    let failure = buyer::command::failure(buyer::Error::Agent(error));
    match refusal {
        Some(document) => failure.with_document(document),
        None => failure,
    }
}

/// The agent's error as JSON-RPC has it, whatever the binding.
fn document(error: &a2a::error::Error) -> Value {
    let raw = |value: &str| serde_json::from_str(value).unwrap_or(Value::Null);
    let data = match &error.data {
        ErrorData::None => Value::Null,
        ErrorData::Details(details) => details.iter().map(|detail| raw(detail.get())).collect(),
        ErrorData::Raw(value) => raw(value.get()),
    };
    json!({ "error": {
        "code": "agent_error",
        "message": error.message,
        "agent": {
            "code": error.kind.json_rpc_code(),
            "reason": error.kind.reason(),
            "data": data,
        },
    } })
}
