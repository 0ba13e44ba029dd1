//! Agent cards (A2A 1.0 §4.4, §8): who an agent is, what it can do, and where to call it.
//!
//! An agent builds an [`AgentCard`], [checks](AgentCard::check) it and publishes it: as serde writes it, or
//! [for clients of 0.3 too](AgentCard::in_both). A client [reads](read()) the card of any agent, also of
//! 0.3 and with faults, and gets the faults as warnings. [`check()`] judges a document for both.

mod check;
mod read;
mod security;
#[cfg(feature = "signing")]
pub mod signing;
mod v03;
mod write;

use crate::fault::Fault;
use crate::headers::ProtocolVersion;
use crate::model::Metadata;
use crate::protojson::message;

pub use check::{CardReport, check};
pub use read::{CardError, CardShape, ReadCard, read};
pub use security::{
    ApiKeySecurityScheme, AuthorizationCodeOAuthFlow, ClientCredentialsOAuthFlow,
    DeviceCodeOAuthFlow, HttpAuthSecurityScheme, ImplicitOAuthFlow, MutualTlsSecurityScheme,
    OAuth2SecurityScheme, OAuthFlows, OpenIdConnectSecurityScheme, PasswordOAuthFlow, Scopes,
    SecurityRequirement, SecurityScheme,
};

pub(crate) use v03::Card as Card03;

/// Where an agent's card lies, relative to its base URL (A2A 1.0 §8.2).
pub const WELL_KNOWN_PATH: &str = "/.well-known/agent-card.json";
/// Where clients of early 0.3 look for it.
pub const OLD_WELL_KNOWN_PATH: &str = "/.well-known/agent.json";

message! {
    /// The card of an agent.
    #[derive(Default)]
    pub struct AgentCard {
        /// A name for people.
        pub name: String = "name" required,
        /// What the agent is for, for people and for agents that choose.
        pub description: String = "description" required,
        /// Where and how to call the agent, the preferred way first.
        pub supported_interfaces: Vec<AgentInterface> = "supportedInterfaces" required,
        /// Who runs the agent.
        pub provider: Option<AgentProvider> = "provider",
        /// The agent's own version.
        pub version: String = "version" required,
        /// Where people read more.
        pub documentation_url: Option<String> = "documentationUrl" explicit,
        /// What the agent can do beyond answering messages.
        pub capabilities: AgentCapabilities = "capabilities" required,
        /// The ways to authenticate, by a name of the card's choosing.
        pub security_schemes: std::collections::BTreeMap<String, SecurityScheme> = "securitySchemes",
        /// Which schemes a caller must use: all of any one requirement.
        pub security_requirements: Vec<SecurityRequirement> = "securityRequirements",
        /// Media types that every skill reads unless it says otherwise.
        pub default_input_modes: Vec<String> = "defaultInputModes" required,
        /// Media types that every skill writes unless it says otherwise.
        pub default_output_modes: Vec<String> = "defaultOutputModes" required,
        /// What the agent can be asked for.
        pub skills: Vec<AgentSkill> = "skills" present,
        /// Signatures over the card.
        pub signatures: Vec<AgentCardSignature> = "signatures",
        /// A picture for the agent.
        pub icon_url: Option<String> = "iconUrl" explicit,
    }
}

impl AgentCard {
    /// The declared extension of exactly this URI.
    #[must_use]
    pub fn extension(&self, uri: &str) -> Option<&AgentExtension> {
        let mut extensions = self.capabilities.extensions.iter();
        extensions.find(|extension| extension.uri == uri)
    }
}

message! {
    /// One address of an agent.
    #[derive(Default)]
    pub struct AgentInterface {
        /// The address; for gRPC `host:port`.
        pub url: String = "url" required,
        /// `JSONRPC`, `GRPC`, `HTTP+JSON` or the URI of a custom binding.
        pub protocol_binding: String = "protocolBinding" required,
        /// What a client must send as `tenant`.
        pub tenant: Option<String> = "tenant",
        /// The version of A2A spoken there, such as `1.0`.
        pub protocol_version: String = "protocolVersion" required,
    }
}

impl AgentInterface {
    /// The interface at an address.
    #[must_use]
    pub fn new(
        url: impl Into<String>,
        protocol_binding: impl Into<String>,
        version: ProtocolVersion,
    ) -> Self {
        Self {
            url: url.into(),
            protocol_binding: protocol_binding.into(),
            tenant: None,
            protocol_version: version.to_string(),
        }
    }

    /// The version that the interface speaks, when it can be read.
    #[must_use]
    pub fn version(&self) -> Option<ProtocolVersion> {
        self.protocol_version.parse().ok()
    }

    pub(crate) fn speaks_0_3(&self) -> bool {
        self.version() == Some(ProtocolVersion::V0_3)
    }

    /// The JSON-RPC binding.
    pub const JSONRPC: &'static str = "JSONRPC";
    /// The gRPC binding.
    pub const GRPC: &'static str = "GRPC";
    /// The HTTP+JSON binding.
    pub const HTTP_JSON: &'static str = "HTTP+JSON";
}

message! {
    /// Who runs an agent.
    #[derive(Default)]
    pub struct AgentProvider {
        /// Their website.
        pub url: String = "url" required,
        /// Their name.
        pub organization: String = "organization" required,
    }
}

message! {
    /// What an agent can do beyond answering messages; what is not declared must not be called.
    #[derive(Default)]
    pub struct AgentCapabilities {
        /// Streams and subscriptions.
        pub streaming: Option<bool> = "streaming" explicit,
        /// Push notifications.
        pub push_notifications: Option<bool> = "pushNotifications" explicit,
        /// Extensions of the protocol.
        pub extensions: Vec<AgentExtension> = "extensions",
        /// A second card for authenticated callers.
        pub extended_agent_card: Option<bool> = "extendedAgentCard" explicit,
    }
}

message! {
    /// An extension of the protocol that an agent offers.
    #[derive(Default)]
    pub struct AgentExtension {
        /// Names the extension and its version.
        pub uri: String = "uri",
        /// How the agent uses it.
        pub description: Option<String> = "description",
        /// Whether every request must ask for it.
        pub required: bool = "required",
        /// What the extension defines.
        pub params: Option<Metadata> = "params",
    }
}

message! {
    /// Something that an agent can be asked for.
    #[derive(Default)]
    pub struct AgentSkill {
        /// Unique within the card.
        pub id: String = "id" required,
        /// A name for people.
        pub name: String = "name" required,
        /// What it does.
        pub description: String = "description" required,
        /// Keywords.
        pub tags: Vec<String> = "tags" required,
        /// Sample requests.
        pub examples: Vec<String> = "examples",
        /// Media types that it reads, instead of the card's.
        pub input_modes: Vec<String> = "inputModes",
        /// Media types that it writes, instead of the card's.
        pub output_modes: Vec<String> = "outputModes",
        /// Which schemes a caller of this skill must use.
        pub security_requirements: Vec<SecurityRequirement> = "securityRequirements",
    }
}

message! {
    /// A signature over a card, in the form of RFC 7515 (JWS) with the payload left out.
    #[derive(Default)]
    pub struct AgentCardSignature {
        /// The protected header, base64url.
        pub protected: String = "protected" required,
        /// The signature, base64url.
        pub signature: String = "signature" required,
        /// The unprotected header.
        pub header: Option<Metadata> = "header",
    }
}

/// Something that is wrong with a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardProblem {
    /// Where, as a JSON Pointer (RFC 6901); empty for the whole card.
    pub pointer: String,
    /// What, as the predicate of a sentence: `is missing`.
    pub words: String,
}

impl std::fmt::Display for CardProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.pointer.as_str() {
            "" => write!(f, "the card {}", self.words),
            pointer => write!(f, "{pointer} {}", self.words),
        }
    }
}

impl From<&Fault> for CardProblem {
    fn from(fault: &Fault) -> Self {
        Self {
            pointer: fault.pointer(),
            words: fault.words().to_owned(),
        }
    }
}
