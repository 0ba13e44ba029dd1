//! Cards in both packages.

use super::convert::{Convert, forms, public};
use super::{v0_3, v1};
use crate::card::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface,
    AgentProvider, AgentSkill, ApiKeySecurityScheme, AuthorizationCodeOAuthFlow,
    ClientCredentialsOAuthFlow, DeviceCodeOAuthFlow, HttpAuthSecurityScheme, ImplicitOAuthFlow,
    MutualTlsSecurityScheme, OAuth2SecurityScheme, OAuthFlows, OpenIdConnectSecurityScheme,
    PasswordOAuthFlow, Scopes, SecurityRequirement, SecurityScheme,
};
use crate::fault::At;
use crate::headers::ProtocolVersion;

forms! {
    AgentCard = v1::AgentCard {
        name = "name" required,
        description = "description" required,
        supported_interfaces = "supportedInterfaces" required,
        provider = "provider",
        version = "version" required,
        documentation_url = "documentationUrl",
        capabilities = "capabilities" needed,
        security_schemes = "securitySchemes",
        security_requirements = "securityRequirements",
        default_input_modes = "defaultInputModes" required,
        default_output_modes = "defaultOutputModes" required,
        skills = "skills",
        signatures = "signatures",
        icon_url = "iconUrl",
    }
    AgentInterface = v1::AgentInterface {
        url = "url" required,
        protocol_binding = "protocolBinding" required,
        tenant = "tenant",
        protocol_version = "protocolVersion" required,
    }
    AgentCapabilities = v1::AgentCapabilities {
        streaming = "streaming",
        push_notifications = "pushNotifications",
        extensions = "extensions",
        extended_agent_card = "extendedAgentCard",
    }
    AgentSkill = v1::AgentSkill {
        id = "id" required,
        name = "name" required,
        description = "description" required,
        tags = "tags" required,
        examples = "examples",
        input_modes = "inputModes",
        output_modes = "outputModes",
        security_requirements = "securityRequirements",
    }
    SecurityRequirement = v1::SecurityRequirement {
        schemes = "schemes",
    }
    SecurityRequirement = v0_3::Security {
        schemes = "schemes",
    }
    AuthorizationCodeOAuthFlow = v1::AuthorizationCodeOAuthFlow {
        authorization_url = "authorizationUrl" required,
        token_url = "tokenUrl" required,
        refresh_url = "refreshUrl",
        scopes = "scopes",
        pkce_required = "pkceRequired",
    }
    DeviceCodeOAuthFlow = v1::DeviceCodeOAuthFlow {
        device_authorization_url = "deviceAuthorizationUrl" required,
        token_url = "tokenUrl" required,
        refresh_url = "refreshUrl",
        scopes = "scopes",
    }
}

public!(v1::AgentCard => AgentCard, v0_3::AgentCard => AgentCard);

/// The messages that are the same in both packages.
macro_rules! shared {
    ($package:ident) => {
        forms! {
            AgentProvider = $package::AgentProvider {
                url = "url" required,
                organization = "organization" required,
            }
            AgentExtension = $package::AgentExtension {
                uri = "uri",
                description = "description",
                required = "required",
                params = "params",
            }
            AgentCardSignature = $package::AgentCardSignature {
                protected = "protected" required,
                signature = "signature" required,
                header = "header",
            }
            ApiKeySecurityScheme = $package::ApiKeySecurityScheme {
                description = "description",
                location = "location" required,
                name = "name" required,
            }
            HttpAuthSecurityScheme = $package::HttpAuthSecurityScheme {
                description = "description",
                scheme = "scheme" required,
                bearer_format = "bearerFormat",
            }
            OpenIdConnectSecurityScheme = $package::OpenIdConnectSecurityScheme {
                description = "description",
                open_id_connect_url = "openIdConnectUrl" required,
            }
            MutualTlsSecurityScheme = $package::MutualTlsSecurityScheme {
                description = "description",
            }
            OAuth2SecurityScheme = $package::OAuth2SecurityScheme {
                description = "description",
                flows = "flows",
                oauth2_metadata_url = "oauth2MetadataUrl",
            }
            ClientCredentialsOAuthFlow = $package::ClientCredentialsOAuthFlow {
                token_url = "tokenUrl" required,
                refresh_url = "refreshUrl",
                scopes = "scopes",
            }
            ImplicitOAuthFlow = $package::ImplicitOAuthFlow {
                authorization_url = "authorizationUrl",
                refresh_url = "refreshUrl",
                scopes = "scopes",
            }
            PasswordOAuthFlow = $package::PasswordOAuthFlow {
                token_url = "tokenUrl",
                refresh_url = "refreshUrl",
                scopes = "scopes",
            }
        }

        impl Convert<$package::StringList> for Scopes {
            fn from_wire(list: $package::StringList, _at: At<'_>) -> Self {
                Self(list.list)
            }

            fn into_wire(self, _at: At<'_>) -> $package::StringList {
                $package::StringList { list: self.0 }
            }
        }

        impl Convert<$package::SecurityScheme> for SecurityScheme {
            fn from_wire(scheme: $package::SecurityScheme, at: At<'_>) -> Self {
                use $package::security_scheme::Scheme;
                match scheme.scheme {
                    Some(Scheme::ApiKeySecurityScheme(scheme)) => Self::ApiKey(Convert::from_wire(
                        scheme,
                        at.member("apiKeySecurityScheme"),
                    )),
                    Some(Scheme::HttpAuthSecurityScheme(scheme)) => Self::HttpAuth(
                        Convert::from_wire(scheme, at.member("httpAuthSecurityScheme")),
                    ),
                    Some(Scheme::Oauth2SecurityScheme(scheme)) => Self::OAuth2(Convert::from_wire(
                        scheme,
                        at.member("oauth2SecurityScheme"),
                    )),
                    Some(Scheme::OpenIdConnectSecurityScheme(scheme)) => {
                        let at = at.member("openIdConnectSecurityScheme");
                        Self::OpenIdConnect(Convert::from_wire(scheme, at))
                    }
                    Some(Scheme::MtlsSecurityScheme(scheme)) => {
                        Self::MutualTls(Convert::from_wire(scheme, at.member("mtlsSecurityScheme")))
                    }
                    None => {
                        at.fault("is of no kind that is known");
                        Self::Unknown
                    }
                }
            }

            fn into_wire(self, at: At<'_>) -> $package::SecurityScheme {
                use $package::security_scheme::Scheme;
                let scheme = match self {
                    Self::ApiKey(scheme) => {
                        Some(Scheme::ApiKeySecurityScheme(scheme.into_wire(at)))
                    }
                    Self::HttpAuth(scheme) => {
                        Some(Scheme::HttpAuthSecurityScheme(scheme.into_wire(at)))
                    }
                    Self::OAuth2(scheme) => {
                        Some(Scheme::Oauth2SecurityScheme(scheme.into_wire(at)))
                    }
                    Self::OpenIdConnect(scheme) => {
                        Some(Scheme::OpenIdConnectSecurityScheme(scheme.into_wire(at)))
                    }
                    Self::MutualTls(scheme) => {
                        Some(Scheme::MtlsSecurityScheme(scheme.into_wire(at)))
                    }
                    Self::Unknown => None,
                };
                $package::SecurityScheme { scheme }
            }
        }
    };
}

shared!(v1);
shared!(v0_3);

impl Convert<v1::OAuthFlows> for OAuthFlows {
    fn from_wire(flows: v1::OAuthFlows, at: At<'_>) -> Self {
        use v1::o_auth_flows::Flow;
        match flows.flow {
            Some(Flow::AuthorizationCode(flow)) => {
                Self::AuthorizationCode(Convert::from_wire(flow, at.member("authorizationCode")))
            }
            Some(Flow::ClientCredentials(flow)) => {
                Self::ClientCredentials(Convert::from_wire(flow, at.member("clientCredentials")))
            }
            Some(Flow::Implicit(flow)) => {
                Self::Implicit(Convert::from_wire(flow, at.member("implicit")))
            }
            Some(Flow::Password(flow)) => {
                Self::Password(Convert::from_wire(flow, at.member("password")))
            }
            Some(Flow::DeviceCode(flow)) => {
                Self::DeviceCode(Convert::from_wire(flow, at.member("deviceCode")))
            }
            None => Self::Unknown,
        }
    }

    fn into_wire(self, at: At<'_>) -> v1::OAuthFlows {
        use v1::o_auth_flows::Flow;
        let flow = match self {
            Self::AuthorizationCode(flow) => Some(Flow::AuthorizationCode(flow.into_wire(at))),
            Self::ClientCredentials(flow) => Some(Flow::ClientCredentials(flow.into_wire(at))),
            Self::Implicit(flow) => Some(Flow::Implicit(flow.into_wire(at))),
            Self::Password(flow) => Some(Flow::Password(flow.into_wire(at))),
            Self::DeviceCode(flow) => Some(Flow::DeviceCode(flow.into_wire(at))),
            Self::Unknown => None,
        };
        v1::OAuthFlows { flow }
    }
}

/// 0.3 knows neither the flow of devices nor a requirement of PKCE.
impl Convert<v0_3::OAuthFlows> for OAuthFlows {
    fn from_wire(flows: v0_3::OAuthFlows, at: At<'_>) -> Self {
        use v0_3::o_auth_flows::Flow;
        match flows.flow {
            Some(Flow::AuthorizationCode(flow)) => {
                Self::AuthorizationCode(AuthorizationCodeOAuthFlow {
                    authorization_url: flow.authorization_url,
                    token_url: flow.token_url,
                    refresh_url: Convert::from_wire(flow.refresh_url, at),
                    scopes: flow.scopes,
                    pkce_required: false,
                })
            }
            Some(Flow::ClientCredentials(flow)) => {
                Self::ClientCredentials(Convert::from_wire(flow, at.member("clientCredentials")))
            }
            Some(Flow::Implicit(flow)) => {
                Self::Implicit(Convert::from_wire(flow, at.member("implicit")))
            }
            Some(Flow::Password(flow)) => {
                Self::Password(Convert::from_wire(flow, at.member("password")))
            }
            None => Self::Unknown,
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::OAuthFlows {
        use v0_3::o_auth_flows::Flow;
        let flow = match self {
            Self::AuthorizationCode(flow) => {
                Some(Flow::AuthorizationCode(v0_3::AuthorizationCodeOAuthFlow {
                    authorization_url: flow.authorization_url,
                    token_url: flow.token_url,
                    refresh_url: flow.refresh_url.unwrap_or_default(),
                    scopes: flow.scopes,
                }))
            }
            Self::ClientCredentials(flow) => Some(Flow::ClientCredentials(flow.into_wire(at))),
            Self::Implicit(flow) => Some(Flow::Implicit(flow.into_wire(at))),
            Self::Password(flow) => Some(Flow::Password(flow.into_wire(at))),
            Self::DeviceCode(_) | Self::Unknown => None,
        };
        v0_3::OAuthFlows { flow }
    }
}

impl Convert<v0_3::AgentSkill> for AgentSkill {
    fn from_wire(skill: v0_3::AgentSkill, at: At<'_>) -> Self {
        Self {
            id: skill.id,
            name: skill.name,
            description: skill.description,
            tags: skill.tags,
            examples: skill.examples,
            input_modes: skill.input_modes,
            output_modes: skill.output_modes,
            security_requirements: Convert::from_wire(skill.security, at.member("security")),
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::AgentSkill {
        v0_3::AgentSkill {
            id: self.id,
            name: self.name,
            description: self.description,
            tags: self.tags,
            examples: self.examples,
            input_modes: self.input_modes,
            output_modes: self.output_modes,
            security: self.security_requirements.into_wire(at.member("security")),
        }
    }
}

/// The main interface is the first of 0.3; all of them are listed where there are several.
impl Convert<v0_3::AgentCard> for AgentCard {
    fn from_wire(card: v0_3::AgentCard, at: At<'_>) -> Self {
        let interface = |url: String, transport: String| {
            AgentInterface::new(url, transport, ProtocolVersion::V0_3)
        };
        let transport = match card.preferred_transport.as_str() {
            "" => AgentInterface::JSONRPC.to_owned(),
            transport => transport.to_owned(),
        };
        let mut interfaces = vec![interface(card.url, transport)];
        for other in card.additional_interfaces {
            let other = interface(other.url, other.transport);
            if !interfaces.contains(&other) {
                interfaces.push(other);
            }
        }
        let capabilities = card.capabilities.unwrap_or_default();
        let in_capabilities = at.member("capabilities");
        Self {
            name: card.name,
            description: card.description,
            supported_interfaces: interfaces,
            provider: Convert::from_wire(card.provider, at.member("provider")),
            version: card.version,
            documentation_url: Convert::from_wire(card.documentation_url, at),
            capabilities: AgentCapabilities {
                streaming: Some(capabilities.streaming),
                push_notifications: Some(capabilities.push_notifications),
                extensions: Convert::from_wire(
                    capabilities.extensions,
                    in_capabilities.member("extensions"),
                ),
                extended_agent_card: Some(card.supports_authenticated_extended_card),
            },
            security_schemes: Convert::from_wire(
                card.security_schemes,
                at.member("securitySchemes"),
            ),
            security_requirements: Convert::from_wire(card.security, at.member("security")),
            default_input_modes: card.default_input_modes,
            default_output_modes: card.default_output_modes,
            skills: Convert::from_wire(card.skills, at.member("skills")),
            signatures: Convert::from_wire(card.signatures, at.member("signatures")),
            icon_url: Convert::from_wire(card.icon_url, at),
        }
    }

    fn into_wire(self, at: At<'_>) -> v0_3::AgentCard {
        let interfaces = self.supported_interfaces.into_iter();
        let interfaces: Vec<v0_3::AgentInterface> = interfaces
            .filter(AgentInterface::speaks_0_3)
            .map(|interface| v0_3::AgentInterface {
                url: interface.url,
                transport: interface.protocol_binding,
            })
            .collect();
        let main = interfaces.first().cloned().unwrap_or_else(|| {
            at.member("supportedInterfaces")
                .fault("has no interface of 0.3");
            v0_3::AgentInterface::default()
        });
        let extended = self.capabilities.extended_agent_card.unwrap_or_default();
        v0_3::AgentCard {
            protocol_version: ProtocolVersion::V0_3.to_string(),
            name: self.name,
            description: self.description,
            url: main.url,
            preferred_transport: main.transport,
            additional_interfaces: if interfaces.len() > 1 {
                interfaces
            } else {
                Vec::new()
            },
            provider: self.provider.into_wire(at.member("provider")),
            version: self.version,
            documentation_url: self.documentation_url.unwrap_or_default(),
            capabilities: Some(v0_3::AgentCapabilities {
                streaming: self.capabilities.streaming.unwrap_or_default(),
                push_notifications: self.capabilities.push_notifications.unwrap_or_default(),
                extensions: self
                    .capabilities
                    .extensions
                    .into_wire(at.member("capabilities")),
            }),
            security_schemes: self
                .security_schemes
                .into_wire(at.member("securitySchemes")),
            security: self.security_requirements.into_wire(at.member("security")),
            default_input_modes: self.default_input_modes,
            default_output_modes: self.default_output_modes,
            skills: self.skills.into_wire(at.member("skills")),
            supports_authenticated_extended_card: extended,
            // They are over the form of 1.0.
            signatures: Vec::new(),
            icon_url: self.icon_url.unwrap_or_default(),
        }
    }
}
