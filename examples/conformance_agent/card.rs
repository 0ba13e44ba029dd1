//! The card of the conformance agent.

use std::net::SocketAddr;

use a2a::card::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill,
    HttpAuthSecurityScheme, Scopes, SecurityRequirement, SecurityScheme,
};
use a2a::headers::ProtocolVersion;
use a2a_server::card::{CardDocument, Unpublishable};

use crate::Arguments;
use crate::agent::INPUT_MODES;

/// An extension that no client knows.
pub(crate) const REQUIRED_EXTENSION: &str = "urn:a2a:tck:required-extension";

/// The name of the security scheme by which a caller proves that it may see the extended card.
pub(crate) const BEARER: &str = "bearer";

/// The card as it is served.
pub(crate) fn document(
    arguments: &Arguments,
    card: &AgentCard,
) -> Result<CardDocument, Unpublishable> {
    let document = if arguments.union_card {
        CardDocument::of_both(card)
    } else {
        CardDocument::of(card)
    };
    Ok(document?.with_last_modified(crate::now().get()))
}

/// What only callers see who have proven who they are: one skill more.
pub(crate) fn extended(card: &AgentCard) -> AgentCard {
    let mut extended = card.clone();
    extended.skills.push(AgentSkill {
        id: "extended".to_owned(),
        name: "Scripts for callers who are known".to_owned(),
        description: "The same scripts; only callers who are known read of this skill.".to_owned(),
        tags: vec!["conformance".to_owned()],
        ..AgentSkill::default()
    });
    extended
}

/// The card of an agent at an address.
pub(crate) fn card(arguments: &Arguments, address: SocketAddr) -> AgentCard {
    let extension = AgentExtension {
        uri: REQUIRED_EXTENSION.to_owned(),
        description: Some("Every request has to ask for this.".to_owned()),
        required: true,
        ..AgentExtension::default()
    };
    let capabilities = AgentCapabilities {
        streaming: Some(!arguments.no_capabilities),
        push_notifications: Some(arguments.pushes()),
        extended_agent_card: Some(arguments.extended_card.is_some()),
        extensions: arguments
            .required_extension
            .then_some(extension)
            .into_iter()
            .collect(),
    };
    let skill = AgentSkill {
        id: "script".to_owned(),
        name: "Scripts".to_owned(),
        description: "Does what the prefix of a message's id or text selects.".to_owned(),
        tags: vec!["conformance".to_owned()],
        ..AgentSkill::default()
    };
    let mut card = AgentCard {
        name: "Conformance agent".to_owned(),
        description: "Behaves as the conformance kits of A2A ask it to.".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        supported_interfaces: interfaces(arguments, address),
        capabilities,
        default_input_modes: INPUT_MODES.map(str::to_owned).to_vec(),
        default_output_modes: vec!["text/plain".to_owned(), "application/json".to_owned()],
        skills: vec![skill],
        ..AgentCard::default()
    };
    if arguments.extended_card.is_some() {
        let scheme = SecurityScheme::HttpAuth(HttpAuthSecurityScheme {
            scheme: "Bearer".to_owned(),
            ..HttpAuthSecurityScheme::default()
        });
        card.security_schemes.insert(BEARER.to_owned(), scheme);
        let bearer = SecurityRequirement {
            schemes: [(BEARER.to_owned(), Scopes::default())].into(),
        };
        // Either the token, or nothing at all.
        card.security_requirements = vec![bearer, SecurityRequirement::default()];
    }
    card
}

/// 1.0 first; 0.3 where the card is for its clients too.
fn interfaces(arguments: &Arguments, address: SocketAddr) -> Vec<AgentInterface> {
    let versions: &[ProtocolVersion] = if arguments.union_card {
        &[ProtocolVersion::V1_0, ProtocolVersion::V0_3]
    } else {
        &[ProtocolVersion::V1_0]
    };
    let mut interfaces = Vec::new();
    for version in versions {
        let http = format!("http://{address}{}", crate::PATH);
        let grpc = match *version {
            // Clients of 0.3 read the scheme.
            ProtocolVersion::V0_3 => format!("http://{address}"),
            _ => address.to_string(),
        };
        let bindings = [
            (http.clone(), AgentInterface::JSONRPC),
            (http, AgentInterface::HTTP_JSON),
            (grpc, AgentInterface::GRPC),
        ];
        let bindings = bindings.into_iter();
        interfaces
            .extend(bindings.map(|(url, binding)| AgentInterface::new(url, binding, *version)));
    }
    interfaces
}
