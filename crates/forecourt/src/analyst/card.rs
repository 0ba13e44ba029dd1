//! The analyst's card, which clients of A2A 1.0 and of 0.3 read.

use std::collections::BTreeMap;

use a2a::{
    card::{
        AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill,
        HttpAuthSecurityScheme, Scopes, SecurityRequirement, SecurityScheme,
    },
    headers::ProtocolVersion,
    model::Metadata,
};
use a2a_server::card::{CardDocument, Unpublishable};
use analyst::{Skill, render::a2ui};
use dealers::keys::Scope;
use serde_json::json;

/// Below the base of a dealer or catalog, where the analyst answers.
pub(crate) const PATH: &str = "/analyst";
/// The name of the one security scheme.
pub(crate) const KEY: &str = "key";

/// Whom a card is about, and where it is reached.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CardContent<'a> {
    /// The name of the dealer or catalog.
    pub(crate) name: &'a str,
    /// The identifier of the dealer or catalog, which gRPC calls name.
    pub(crate) tenant: &'a str,
    /// Where the analyst answers over HTTP.
    pub(crate) url: &'a str,
    /// Scheme, host and port of the server.
    pub(crate) origin: &'a str,
    /// The host alone can say whose analyst is meant, so that clients that name no tenant over gRPC, as those of
    /// 0.3, reach it.
    pub(crate) is_of_host: bool,
    /// Everybody may ask.
    pub(crate) is_open: bool,
}

/// The card as it is served, in the form that both generations read.
pub(crate) fn document(content: CardContent<'_>) -> Result<CardDocument, Unpublishable> {
    CardDocument::of_both(&card(content))
}

/// The card.
pub(crate) fn card(content: CardContent<'_>) -> AgentCard {
    let mut card = AgentCard {
        name: format!("Catalog analyst of {}", content.name),
        description: format!(
            "Answers questions of {} about its own catalog and attached CSV files. Every number was counted from rows, and every answer names its sources, the rows read and the dates that the data states.",
            content.name
        ),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        supported_interfaces: interfaces(content),
        capabilities: AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(true),
            extended_agent_card: None,
            extensions: a2ui::Version::ALL.map(extension).into(),
        },
        default_input_modes: ["text/plain", "text/csv"].map(str::to_owned).into(),
        default_output_modes: ["text/plain", "text/csv"].map(str::to_owned).into(),
        skills: Skill::ALL.into_iter().map(skill).collect(),
        ..AgentCard::default()
    };
    if !content.is_open {
        let (schemes, requirements) = security();
        card.security_schemes = schemes;
        card.security_requirements = requirements;
    }
    card
}

/// What callers have to prove, on every card of an analyst that is not open.
pub(crate) fn security() -> (BTreeMap<String, SecurityScheme>, Vec<SecurityRequirement>) {
    let scheme = SecurityScheme::HttpAuth(HttpAuthSecurityScheme {
        description: Some(
            "A key with the scope analyst; `forecourt key create` makes one.".to_owned(),
        ),
        scheme: "Bearer".to_owned(),
        bearer_format: None,
    });
    let scopes = Scopes(vec![Scope::Analyst.as_str().to_owned()]);
    let requirement = SecurityRequirement {
        schemes: BTreeMap::from([(KEY.to_owned(), scopes)]),
    };
    (
        BTreeMap::from([(KEY.to_owned(), scheme)]),
        vec![requirement],
    )
}

fn interfaces(content: CardContent<'_>) -> Vec<AgentInterface> {
    let versions = [ProtocolVersion::V1_0, ProtocolVersion::V0_3];
    let of_version = |version| {
        let grpc = match version {
            // Clients of 0.3 read the scheme; 1.0 has host and port alone.
            ProtocolVersion::V0_3 => content.origin,
            _ => content.origin.split("://").last().unwrap_or_default(),
        };
        let bindings = [
            (content.url, AgentInterface::JSONRPC, None),
            (content.url, AgentInterface::HTTP_JSON, None),
            (grpc, AgentInterface::GRPC, Some(content.tenant)),
        ];
        let names_none = version == ProtocolVersion::V0_3 && !content.is_of_host;
        let reached = bindings
            .into_iter()
            .filter(move |(.., tenant)| tenant.is_none() || !names_none);
        reached.map(move |(url, binding, tenant)| AgentInterface {
            tenant: tenant.map(str::to_owned),
            ..AgentInterface::new(url, binding, version)
        })
    };
    versions.into_iter().flat_map(of_version).collect()
}

fn extension(version: a2ui::Version) -> AgentExtension {
    let params = json!({
        "supportedCatalogIds": [version.catalog()],
        "acceptsInlineCatalogs": false,
    });
    AgentExtension {
        uri: version.extension().to_owned(),
        description: Some("Draws answers as a user interface of the basic catalog.".to_owned()),
        required: false,
        params: Metadata::new(&params).ok(),
    }
}

fn skill(skill: Skill) -> AgentSkill {
    AgentSkill {
        id: skill.id().to_owned(),
        name: skill.title().to_owned(),
        description: skill.description().to_owned(),
        tags: vec!["catalog".to_owned(), "analysis".to_owned()],
        examples: vec![skill.example().to_owned()],
        ..AgentSkill::default()
    }
}
