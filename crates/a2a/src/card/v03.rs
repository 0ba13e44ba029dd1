//! Cards of protocol 0.3, read into the form of 1.0.

use std::collections::BTreeMap;

use super::security::{
    ApiKeySecurityScheme, AuthorizationCodeOAuthFlow, ClientCredentialsOAuthFlow,
    HttpAuthSecurityScheme, ImplicitOAuthFlow, MutualTlsSecurityScheme, OAuth2SecurityScheme,
    OAuthFlows, OpenIdConnectSecurityScheme, PasswordOAuthFlow, Scopes, SecurityRequirement,
    SecurityScheme,
};
use super::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface,
    AgentProvider, AgentSkill,
};
use crate::fault::{Fault, Segment, quoted};
use crate::protojson::message;

/// What every interface of a 0.3 card speaks, whatever patch or draft the card names.
const PROTOCOL_VERSION: &str = "0.3";
/// What `preferredTransport` means when it is missing.
const DEFAULT_TRANSPORT: &str = AgentInterface::JSONRPC;

message! {
    /// A card as 0.3 writes it.
    pub(super) struct Card {
        name: String = "name" required,
        description: String = "description" required,
        /// The main interface.
        url: String = "url" required,
        /// The main interface's binding.
        preferred_transport: Option<String> = "preferredTransport",
        /// The other interfaces, sometimes with the main one repeated.
        additional_interfaces: Vec<Interface> = "additionalInterfaces",
        provider: Option<AgentProvider> = "provider",
        version: String = "version" required,
        documentation_url: Option<String> = "documentationUrl" explicit,
        icon_url: Option<String> = "iconUrl" explicit,
        /// Without `extendedAgentCard`.
        capabilities: Capabilities = "capabilities" required,
        /// A capability in 1.0.
        supports_authenticated_extended_card: Option<bool> = "supportsAuthenticatedExtendedCard" explicit,
        /// In the form of OpenAPI.
        security_schemes: BTreeMap<String, Scheme> = "securitySchemes",
        /// Requirements in the form of OpenAPI.
        security: Vec<BTreeMap<String, Vec<String>>> = "security",
        default_input_modes: Vec<String> = "defaultInputModes" required,
        default_output_modes: Vec<String> = "defaultOutputModes" required,
        /// As in 1.0, but for their security.
        skills: Vec<Skill> = "skills" present,
        signatures: Vec<AgentCardSignature> = "signatures",
    }
}

message! {
    /// An interface beside the main one.
    struct Interface {
        /// The address.
        url: String = "url" required,
        /// The binding.
        transport: String = "transport" required,
    }
}

message! {
    /// What the agent can do.
    struct Capabilities {
        streaming: Option<bool> = "streaming" explicit,
        push_notifications: Option<bool> = "pushNotifications" explicit,
        extensions: Vec<AgentExtension> = "extensions",
    }
}

message! {
    /// A skill.
    struct Skill {
        id: String = "id" required,
        name: String = "name" required,
        description: String = "description" required,
        tags: Vec<String> = "tags" required,
        examples: Vec<String> = "examples",
        input_modes: Vec<String> = "inputModes",
        output_modes: Vec<String> = "outputModes",
        /// Requirements in the form of OpenAPI.
        security: Vec<BTreeMap<String, Vec<String>>> = "security",
    }
}

message! {
    /// A security scheme in the form of OpenAPI, told apart by `type`.
    struct Scheme {
        /// `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`.
        kind: String = "type" required,
        description: Option<String> = "description",
        /// Where an API key goes.
        location: String = "in",
        /// The name of an API key's header, parameter or cookie.
        name: String = "name",
        /// The scheme of HTTP authentication.
        scheme: String = "scheme",
        bearer_format: Option<String> = "bearerFormat",
        /// The flows of OAuth 2, possibly several.
        flows: Option<Flows> = "flows",
        oauth2_metadata_url: Option<String> = "oauth2MetadataUrl",
        open_id_connect_url: String = "openIdConnectUrl",
    }
}

message! {
    /// Flows of OAuth 2; a card may offer several.
    struct Flows {
        authorization_code: Option<AuthorizationCodeOAuthFlow> = "authorizationCode",
        client_credentials: Option<ClientCredentialsOAuthFlow> = "clientCredentials",
        implicit: Option<ImplicitOAuthFlow> = "implicit",
        password: Option<PasswordOAuthFlow> = "password",
    }
}

message! {
    /// The 0.3 members that cards of 1.0 carry by mistake, or beside their own for older clients.
    pub(super) struct Leftovers {
        /// Requirements in the form of OpenAPI.
        security: Vec<BTreeMap<String, Vec<String>>> = "security",
        /// Schemes in the form of OpenAPI.
        security_schemes: BTreeMap<String, Scheme> = "securitySchemes",
    }
}

impl Card {
    /// The card in the form of 1.0. What has no place there is noted.
    pub(super) fn into_1_0(self, faults: &mut Vec<Fault>) -> AgentCard {
        AgentCard {
            supported_interfaces: self.interfaces(),
            name: self.name,
            description: self.description,
            provider: self.provider,
            version: self.version,
            documentation_url: self.documentation_url,
            capabilities: AgentCapabilities {
                streaming: self.capabilities.streaming,
                push_notifications: self.capabilities.push_notifications,
                extensions: self.capabilities.extensions,
                extended_agent_card: self.supports_authenticated_extended_card,
            },
            security_schemes: schemes(self.security_schemes, faults),
            security_requirements: requirements(self.security),
            default_input_modes: self.default_input_modes,
            default_output_modes: self.default_output_modes,
            skills: self.skills.into_iter().map(Skill::into_1_0).collect(),
            signatures: self.signatures,
            icon_url: self.icon_url,
        }
    }

    /// The main interface first, then those that do not repeat it.
    fn interfaces(&self) -> Vec<AgentInterface> {
        let interface = |url: &str, binding: &str| AgentInterface {
            url: url.to_owned(),
            protocol_binding: binding.to_owned(),
            tenant: None,
            protocol_version: PROTOCOL_VERSION.to_owned(),
        };
        let binding = self.preferred_transport.as_deref();
        let main = interface(&self.url, binding.unwrap_or(DEFAULT_TRANSPORT));
        let mut interfaces = vec![main];
        for other in &self.additional_interfaces {
            let other = interface(&other.url, &other.transport);
            if !interfaces.contains(&other) {
                interfaces.push(other);
            }
        }
        interfaces
    }
}

impl Leftovers {
    /// Adds to a card of 1.0 what it lacks: a client that overlooks how it must authenticate only gets
    /// refused.
    pub(super) fn add_to(self, card: &mut AgentCard) {
        if card.security_requirements.is_empty() {
            card.security_requirements = requirements(self.security);
        }
        for (name, scheme) in schemes(self.security_schemes, &mut Vec::new()) {
            if let Some(unknown @ SecurityScheme::Unknown) = card.security_schemes.get_mut(&name) {
                *unknown = scheme;
            }
        }
    }
}

impl Skill {
    fn into_1_0(self) -> AgentSkill {
        AgentSkill {
            id: self.id,
            name: self.name,
            description: self.description,
            tags: self.tags,
            examples: self.examples,
            input_modes: self.input_modes,
            output_modes: self.output_modes,
            security_requirements: requirements(self.security),
        }
    }
}

/// Requirements in the form of 1.0.
fn requirements(security: Vec<BTreeMap<String, Vec<String>>>) -> Vec<SecurityRequirement> {
    let requirement = |schemes: BTreeMap<String, Vec<String>>| SecurityRequirement {
        schemes: schemes
            .into_iter()
            .map(|(name, scopes)| (name, Scopes(scopes)))
            .collect(),
    };
    security.into_iter().map(requirement).collect()
}

/// Schemes in the form of 1.0.
fn schemes(
    schemes: BTreeMap<String, Scheme>,
    faults: &mut Vec<Fault>,
) -> BTreeMap<String, SecurityScheme> {
    let mut translated = BTreeMap::new();
    for (name, scheme) in schemes {
        let kind = scheme.kind.clone();
        let scheme = scheme.into_1_0();
        if scheme == SecurityScheme::Unknown && !kind.is_empty() {
            let path = ["securitySchemes", &name, "type"].map(|step| Segment::Member(step.into()));
            let words = format!("is {}, not a known type of security scheme", quoted(&kind));
            faults.push(Fault::new(path.into(), words));
        }
        translated.insert(name, scheme);
    }
    translated
}

impl Scheme {
    fn into_1_0(self) -> SecurityScheme {
        let description = self.description;
        match self.kind.as_str() {
            "apiKey" => SecurityScheme::ApiKey(ApiKeySecurityScheme {
                description,
                location: self.location,
                name: self.name,
            }),
            "http" => SecurityScheme::HttpAuth(HttpAuthSecurityScheme {
                description,
                scheme: self.scheme,
                bearer_format: self.bearer_format,
            }),
            "oauth2" => SecurityScheme::OAuth2(OAuth2SecurityScheme {
                description,
                flows: self.flows.and_then(Flows::into_1_0),
                oauth2_metadata_url: self.oauth2_metadata_url,
            }),
            "openIdConnect" => SecurityScheme::OpenIdConnect(OpenIdConnectSecurityScheme {
                description,
                open_id_connect_url: self.open_id_connect_url,
            }),
            "mutualTLS" => SecurityScheme::MutualTls(MutualTlsSecurityScheme { description }),
            _ => SecurityScheme::Unknown,
        }
    }
}

impl Flows {
    /// 1.0 has room for one: the first in the order that current practice prefers.
    fn into_1_0(self) -> Option<OAuthFlows> {
        let code = self.authorization_code.map(OAuthFlows::AuthorizationCode);
        code.or_else(|| self.client_credentials.map(OAuthFlows::ClientCredentials))
            .or_else(|| self.implicit.map(OAuthFlows::Implicit))
            .or_else(|| self.password.map(OAuthFlows::Password))
    }
}
