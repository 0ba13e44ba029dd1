//! Whether a card may be published.

mod document;
mod signature;
pub(super) mod v03;
mod values;

use std::collections::HashSet;

use fluent_uri::Uri;

use super::security::{OAuthFlows, SecurityRequirement, SecurityScheme};
use super::{AgentCard, AgentInterface, CardProblem};
use crate::fault::{At, Faults, quoted};
use crate::headers::ProtocolVersion;
use crate::protojson::read_str;
use signature::check_signature;
use values::{check_grpc_address, check_grpc_url, check_modes, check_tags, check_url};

pub use document::{CardReport, check};

impl AgentCard {
    /// Everything that is wrong with the card: what A2A 1.0 requires and is not there, addresses that
    /// are no addresses, names that lead nowhere or are given twice. Empty for a card that may be
    /// published.
    #[must_use]
    pub fn check(&self) -> Vec<CardProblem> {
        let mut problems = self.missing();
        let faults = Faults::default();
        self.check_values(At::root(&faults));
        problems.extend(faults.into_vec().iter().map(CardProblem::from));
        problems
    }

    /// What is required is known to the reader, so the card is read as a client would read it.
    fn missing(&self) -> Vec<CardProblem> {
        let text = match serde_json::to_string(self) {
            Ok(text) => text,
            Err(error) => {
                return vec![CardProblem {
                    pointer: String::new(),
                    words: format!("cannot be written: {error}"),
                }];
            }
        };
        let faults = match read_str::<Self>(&text) {
            Ok((_, faults)) | Err(faults) => faults,
        };
        faults.iter().map(CardProblem::from).collect()
    }

    pub(super) fn check_values(&self, card: At<'_>) {
        let interfaces = card.member("supportedInterfaces");
        for (index, interface) in self.supported_interfaces.iter().enumerate() {
            check_interface(interface, interfaces.index(index));
        }
        if let Some(provider) = &self.provider {
            check_url(&provider.url, card.member("provider").member("url"));
        }
        if let Some(url) = &self.documentation_url {
            check_url(url, card.member("documentationUrl"));
        }
        if let Some(url) = &self.icon_url {
            check_url(url, card.member("iconUrl"));
        }
        self.check_extensions(card.member("capabilities").member("extensions"));
        let schemes = card.member("securitySchemes");
        for (name, scheme) in &self.security_schemes {
            check_scheme(scheme, schemes.member(name));
        }
        self.check_requirements(&self.security_requirements, card);
        check_modes(&self.default_input_modes, card.member("defaultInputModes"));
        check_modes(
            &self.default_output_modes,
            card.member("defaultOutputModes"),
        );
        self.check_skills(card.member("skills"));
        let signatures = card.member("signatures");
        for (index, signature) in self.signatures.iter().enumerate() {
            check_signature(signature, signatures.index(index));
        }
    }

    fn check_extensions(&self, extensions: At<'_>) {
        let mut seen = HashSet::new();
        for (index, extension) in self.capabilities.extensions.iter().enumerate() {
            let at = extensions.index(index);
            let uri = at.member("uri");
            if extension.uri.is_empty() {
                uri.fault("is missing");
            } else if Uri::parse(extension.uri.as_str()).is_err() {
                uri.fault(format!("is {}, not a URI", quoted(&extension.uri)));
            } else if !seen.insert(extension.uri.as_str()) {
                uri.fault("is declared twice");
            }
        }
    }

    fn check_skills(&self, skills: At<'_>) {
        let mut seen = HashSet::new();
        for (index, skill) in self.skills.iter().enumerate() {
            let at = skills.index(index);
            if !skill.id.is_empty() && !seen.insert(skill.id.as_str()) {
                at.member("id").fault("is the id of an earlier skill");
            }
            check_tags(&skill.tags, at.member("tags"));
            check_modes(&skill.input_modes, at.member("inputModes"));
            check_modes(&skill.output_modes, at.member("outputModes"));
            self.check_requirements(&skill.security_requirements, at);
        }
    }

    fn check_requirements(&self, requirements: &[SecurityRequirement], owner: At<'_>) {
        let all = owner.member("securityRequirements");
        for (index, requirement) in requirements.iter().enumerate() {
            let at = all.index(index);
            let schemes = at.member("schemes");
            for name in requirement.schemes.keys() {
                if !self.security_schemes.contains_key(name) {
                    schemes
                        .member(name)
                        .fault("names no scheme of securitySchemes");
                }
            }
        }
    }
}

fn check_interface(interface: &AgentInterface, at: At<'_>) {
    let binding = interface.protocol_binding.as_str();
    let url = at.member("url");
    match binding {
        "" => {}
        AgentInterface::JSONRPC | AgentInterface::HTTP_JSON => check_url(&interface.url, url),
        AgentInterface::GRPC if interface.speaks_0_3() => check_grpc_url(&interface.url, url),
        AgentInterface::GRPC => check_grpc_address(&interface.url, url),
        custom if Uri::parse(custom).is_ok() => {}
        other => at.member("protocolBinding").fault(format!(
            "is {}, not JSONRPC, GRPC, HTTP+JSON or a URI",
            quoted(other)
        )),
    }
    let version = interface.protocol_version.as_str();
    if !version.is_empty() && version.parse::<ProtocolVersion>().is_err() {
        let words = format!("is {}, not a version such as 1.0", quoted(version));
        at.member("protocolVersion").fault(words);
    }
}

fn check_scheme(scheme: &SecurityScheme, at: At<'_>) {
    match scheme {
        SecurityScheme::ApiKey(scheme) => {
            let location = scheme.location.as_str();
            if !matches!(location, "" | "header" | "query" | "cookie") {
                let words = format!("is {}, not header, query or cookie", quoted(location));
                at.member("apiKeySecurityScheme")
                    .member("location")
                    .fault(words);
            }
        }
        SecurityScheme::OpenIdConnect(scheme) => {
            let at = at.member("openIdConnectSecurityScheme");
            check_url(&scheme.open_id_connect_url, at.member("openIdConnectUrl"));
        }
        SecurityScheme::OAuth2(scheme) => {
            let at = at.member("oauth2SecurityScheme");
            if let Some(url) = &scheme.oauth2_metadata_url {
                check_url(url, at.member("oauth2MetadataUrl"));
            }
            if let Some(flows) = &scheme.flows {
                check_flows(flows, at.member("flows"));
            }
        }
        SecurityScheme::HttpAuth(_) | SecurityScheme::MutualTls(_) | SecurityScheme::Unknown => {}
    }
}

fn check_flows(flows: &OAuthFlows, at: At<'_>) {
    match flows {
        OAuthFlows::AuthorizationCode(flow) => {
            let at = at.member("authorizationCode");
            check_url(&flow.authorization_url, at.member("authorizationUrl"));
            check_url(&flow.token_url, at.member("tokenUrl"));
        }
        OAuthFlows::ClientCredentials(flow) => {
            check_url(
                &flow.token_url,
                at.member("clientCredentials").member("tokenUrl"),
            );
        }
        OAuthFlows::DeviceCode(flow) => {
            let at = at.member("deviceCode");
            check_url(
                &flow.device_authorization_url,
                at.member("deviceAuthorizationUrl"),
            );
            check_url(&flow.token_url, at.member("tokenUrl"));
        }
        OAuthFlows::Implicit(_) | OAuthFlows::Password(_) | OAuthFlows::Unknown => {}
    }
}
