//! The card of the conformance agent.

use std::net::SocketAddr;

use a2a::card::{AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill};
use a2a::headers::ProtocolVersion;
use a2a_server::card::{CardDocument, Unpublishable};

use crate::Arguments;
use crate::agent::INPUT_MODES;

/// An extension that no client knows.
pub(crate) const REQUIRED_EXTENSION: &str = "urn:a2a:tck:required-extension";

/// The card of an agent at an address.
pub(crate) fn document(
    arguments: &Arguments,
    address: SocketAddr,
) -> Result<CardDocument, Unpublishable> {
    let card = card(arguments, address);
    let document = if arguments.union_card {
        CardDocument::of_both(&card)
    } else {
        CardDocument::of(&card)
    };
    Ok(document?.with_last_modified(crate::now().get()))
}

fn card(arguments: &Arguments, address: SocketAddr) -> AgentCard {
    let extension = AgentExtension {
        uri: REQUIRED_EXTENSION.to_owned(),
        description: Some("Every request has to ask for this.".to_owned()),
        required: true,
        ..AgentExtension::default()
    };
    let capabilities = AgentCapabilities {
        streaming: Some(!arguments.no_capabilities),
        push_notifications: Some(false),
        extended_agent_card: Some(false),
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
    AgentCard {
        name: "Conformance agent".to_owned(),
        description: "Behaves as the conformance kits of A2A ask it to.".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        supported_interfaces: interfaces(arguments, address),
        capabilities,
        default_input_modes: INPUT_MODES.map(str::to_owned).to_vec(),
        default_output_modes: vec!["text/plain".to_owned(), "application/json".to_owned()],
        skills: vec![skill],
        ..AgentCard::default()
    }
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
