//! Cards of protocol 0.3, read into the form of 1.0 and written from it.

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
use crate::protojson::{Field as _, message};

/// What every interface of a 0.3 card speaks, whatever patch or draft the card names.
const PROTOCOL_VERSION: &str = "0.3";
/// What `preferredTransport` means when it is missing.
const DEFAULT_TRANSPORT: &str = AgentInterface::JSONRPC;

message! {
    /// A card as 0.3 writes it.
    pub(crate) struct Card {
        pub(super) protocol_version: Option<String> = "protocolVersion",
        pub(super) name: String = "name" required,
        pub(super) description: String = "description" required,
        /// The main interface.
        pub(super) url: String = "url" required,
        /// The main interface's binding.
        pub(super) preferred_transport: Option<String> = "preferredTransport",
        /// The other interfaces, sometimes with the main one repeated.
        pub(super) additional_interfaces: Vec<Interface> = "additionalInterfaces",
        pub(super) provider: Option<AgentProvider> = "provider",
        pub(super) version: String = "version" required,
        pub(super) documentation_url: Option<String> = "documentationUrl" explicit,
        pub(super) icon_url: Option<String> = "iconUrl" explicit,
        /// Without `extendedAgentCard`.
        pub(super) capabilities: Capabilities = "capabilities" required,
        /// A capability in 1.0.
        pub(super) supports_authenticated_extended_card: Option<bool> = "supportsAuthenticatedExtendedCard" explicit,
        /// In the form of OpenAPI.
        pub(super) security_schemes: BTreeMap<String, Scheme> = "securitySchemes",
        /// Requirements in the form of OpenAPI.
        pub(super) security: Vec<BTreeMap<String, Vec<String>>> = "security",
        pub(super) default_input_modes: Vec<String> = "defaultInputModes" required,
        pub(super) default_output_modes: Vec<String> = "defaultOutputModes" required,
        /// As in 1.0, but for their security.
        pub(super) skills: Vec<Skill> = "skills" present,
        pub(super) signatures: Vec<AgentCardSignature> = "signatures",
    }
}

message! {
    /// An interface beside the main one.
    pub(super) struct Interface {
        /// The address.
        pub(super) url: String = "url" required,
        /// The binding.
        pub(super) transport: String = "transport" required,
    }
}

message! {
    /// What the agent can do.
    pub(super) struct Capabilities {
        pub(super) streaming: Option<bool> = "streaming" explicit,
        pub(super) push_notifications: Option<bool> = "pushNotifications" explicit,
        pub(super) extensions: Vec<AgentExtension> = "extensions",
    }
}

message! {
    /// A skill.
    pub(super) struct Skill {
        pub(super) id: String = "id" required,
        pub(super) name: String = "name" required,
        pub(super) description: String = "description" required,
        pub(super) tags: Vec<String> = "tags" required,
        pub(super) examples: Vec<String> = "examples",
        pub(super) input_modes: Vec<String> = "inputModes",
        pub(super) output_modes: Vec<String> = "outputModes",
        /// Requirements in the form of OpenAPI.
        pub(super) security: Vec<BTreeMap<String, Vec<String>>> = "security",
    }
}

message! {
    /// A security scheme in the form of OpenAPI, told apart by `type`.
    pub(super) struct Scheme {
        /// `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`.
        pub(super) kind: String = "type" required,
        pub(super) description: Option<String> = "description",
        /// Where an API key goes.
        pub(super) location: String = "in",
        /// The name of an API key's header, parameter or cookie.
        pub(super) name: String = "name",
        /// The scheme of HTTP authentication.
        pub(super) scheme: String = "scheme",
        pub(super) bearer_format: Option<String> = "bearerFormat",
        /// The flows of OAuth 2, possibly several.
        pub(super) flows: Option<Flows> = "flows",
        pub(super) oauth2_metadata_url: Option<String> = "oauth2MetadataUrl",
        pub(super) open_id_connect_url: String = "openIdConnectUrl",
    }
}

message! {
    /// Flows of OAuth 2; a card may offer several.
    pub(super) struct Flows {
        pub(super) authorization_code: Option<AuthorizationCodeOAuthFlow> = "authorizationCode",
        pub(super) client_credentials: Option<ClientCredentialsOAuthFlow> = "clientCredentials",
        pub(super) implicit: Option<ImplicitOAuthFlow> = "implicit",
        pub(super) password: Option<PasswordOAuthFlow> = "password",
    }
}

message! {
    /// The 0.3 members that cards of 1.0 carry by mistake, or beside their own for older clients.
    pub(super) struct Leftovers {
        /// Requirements in the form of OpenAPI.
        pub(super) security: Vec<BTreeMap<String, Vec<String>>> = "security",
        /// Schemes in the form of OpenAPI.
        pub(super) security_schemes: BTreeMap<String, Scheme> = "securitySchemes",
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

impl Card {
    /// The card in the form of 0.3; `None` when no interface speaks 0.3. Signatures are left out, since
    /// they are not over this form.
    pub(crate) fn new(card: &AgentCard) -> Option<Self> {
        let interfaces = card.supported_interfaces.iter();
        let interfaces: Vec<_> = interfaces
            .filter(|interface| interface.speaks_0_3())
            .collect();
        let main = interfaces.first()?;
        // The main one is repeated among several, as 0.3 recommends.
        let listed = if interfaces.len() > 1 {
            interfaces.as_slice()
        } else {
            &[]
        };
        let listed = listed.iter().map(|interface| Interface {
            url: interface.url.clone(),
            transport: interface.protocol_binding.clone(),
        });
        let schemes = card.security_schemes.iter();
        Some(Self {
            // Cards of 0.3 name the patch, too (A2A 0.3 §5.5).
            protocol_version: Some(format!("{PROTOCOL_VERSION}.0")),
            name: card.name.clone(),
            description: card.description.clone(),
            url: main.url.clone(),
            preferred_transport: Some(main.protocol_binding.clone()),
            additional_interfaces: listed.collect(),
            provider: card.provider.clone(),
            version: card.version.clone(),
            documentation_url: card.documentation_url.clone(),
            icon_url: card.icon_url.clone(),
            capabilities: Capabilities {
                streaming: card.capabilities.streaming,
                push_notifications: card.capabilities.push_notifications,
                extensions: card.capabilities.extensions.clone(),
            },
            supports_authenticated_extended_card: card.capabilities.extended_agent_card,
            security_schemes: schemes
                .filter_map(|(name, scheme)| Some((name.clone(), Scheme::new(scheme)?)))
                .collect(),
            security: security(&card.security_requirements),
            default_input_modes: card.default_input_modes.clone(),
            default_output_modes: card.default_output_modes.clone(),
            skills: card.skills.iter().map(Skill::new).collect(),
            signatures: Vec::new(),
        })
    }
}

impl Skill {
    fn new(skill: &AgentSkill) -> Self {
        Self {
            id: skill.id.clone(),
            name: skill.name.clone(),
            description: skill.description.clone(),
            tags: skill.tags.clone(),
            examples: skill.examples.clone(),
            input_modes: skill.input_modes.clone(),
            output_modes: skill.output_modes.clone(),
            security: security(&skill.security_requirements),
        }
    }
}

/// Requirements in the form of 0.3.
fn security(requirements: &[SecurityRequirement]) -> Vec<BTreeMap<String, Vec<String>>> {
    let requirement = |requirement: &SecurityRequirement| {
        let schemes = requirement.schemes.iter();
        schemes
            .map(|(name, scopes)| (name.clone(), scopes.0.clone()))
            .collect()
    };
    requirements.iter().map(requirement).collect()
}

impl Scheme {
    /// The scheme in the form of 0.3; `None` for one that has none.
    fn new(scheme: &SecurityScheme) -> Option<Self> {
        let mut old = Self::absent();
        match scheme.clone() {
            SecurityScheme::ApiKey(scheme) => {
                old.kind = "apiKey".to_owned();
                old.description = scheme.description;
                old.location = scheme.location;
                old.name = scheme.name;
            }
            SecurityScheme::HttpAuth(scheme) => {
                old.kind = "http".to_owned();
                old.description = scheme.description;
                old.scheme = scheme.scheme;
                old.bearer_format = scheme.bearer_format;
            }
            SecurityScheme::OAuth2(scheme) => {
                old.kind = "oauth2".to_owned();
                old.description = scheme.description;
                old.flows = Some(Flows::new(scheme.flows));
                old.oauth2_metadata_url = scheme.oauth2_metadata_url;
            }
            SecurityScheme::OpenIdConnect(scheme) => {
                old.kind = "openIdConnect".to_owned();
                old.description = scheme.description;
                old.open_id_connect_url = scheme.open_id_connect_url;
            }
            SecurityScheme::MutualTls(scheme) => {
                old.kind = "mutualTLS".to_owned();
                old.description = scheme.description;
            }
            SecurityScheme::Unknown => return None,
        }
        Some(old)
    }
}

impl Flows {
    /// 0.3 knows neither the flow of devices nor a requirement of PKCE.
    fn new(flows: Option<OAuthFlows>) -> Self {
        let mut old = Self::absent();
        match flows {
            Some(OAuthFlows::AuthorizationCode(flow)) => {
                old.authorization_code = Some(AuthorizationCodeOAuthFlow {
                    pkce_required: false,
                    ..flow
                });
            }
            Some(OAuthFlows::ClientCredentials(flow)) => old.client_credentials = Some(flow),
            Some(OAuthFlows::Implicit(flow)) => old.implicit = Some(flow),
            Some(OAuthFlows::Password(flow)) => old.password = Some(flow),
            Some(OAuthFlows::DeviceCode(_) | OAuthFlows::Unknown) | None => {}
        }
        old
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
