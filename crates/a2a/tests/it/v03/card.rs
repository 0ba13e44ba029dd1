//! Cards for both generations.

use std::collections::BTreeMap;

use a2a::card::{
    AgentCapabilities, AgentCard, AgentInterface, AgentSkill, ApiKeySecurityScheme,
    AuthorizationCodeOAuthFlow, CardShape, DeviceCodeOAuthFlow, OAuth2SecurityScheme, OAuthFlows,
    Scopes, SecurityRequirement, SecurityScheme, check, read,
};
use a2a::headers::ProtocolVersion;
use insta::assert_snapshot;

fn text(text: &str) -> String {
    text.to_owned()
}

fn card() -> AgentCard {
    let url = "https://agent.example/a2a";
    let requirement = |name: &str, scope: &str| SecurityRequirement {
        schemes: BTreeMap::from([(text(name), Scopes(vec![text(scope)]))]),
    };
    let oauth2 = |flow| {
        SecurityScheme::OAuth2(OAuth2SecurityScheme {
            flows: Some(flow),
            ..OAuth2SecurityScheme::default()
        })
    };
    AgentCard {
        name: text("Analyst"),
        description: text("Answers questions"),
        supported_interfaces: vec![
            AgentInterface::new(url, AgentInterface::JSONRPC, ProtocolVersion::V1_0),
            AgentInterface::new(url, AgentInterface::JSONRPC, ProtocolVersion::V0_3),
            AgentInterface::new(url, AgentInterface::HTTP_JSON, ProtocolVersion::V0_3),
        ],
        version: text("1"),
        capabilities: AgentCapabilities {
            streaming: Some(true),
            extended_agent_card: Some(true),
            ..AgentCapabilities::default()
        },
        security_schemes: BTreeMap::from([
            (
                text("key"),
                SecurityScheme::ApiKey(ApiKeySecurityScheme {
                    location: text("header"),
                    name: text("X-Key"),
                    description: None,
                }),
            ),
            (
                text("login"),
                oauth2(OAuthFlows::AuthorizationCode(AuthorizationCodeOAuthFlow {
                    authorization_url: text("https://login.example/a"),
                    token_url: text("https://login.example/t"),
                    scopes: BTreeMap::from([(text("ask"), text("Ask"))]),
                    pkce_required: true,
                    ..AuthorizationCodeOAuthFlow::default()
                })),
            ),
            (
                text("tv"),
                oauth2(OAuthFlows::DeviceCode(DeviceCodeOAuthFlow {
                    device_authorization_url: text("https://login.example/d"),
                    token_url: text("https://login.example/t"),
                    ..DeviceCodeOAuthFlow::default()
                })),
            ),
        ]),
        security_requirements: vec![requirement("login", "ask")],
        default_input_modes: vec![text("text/plain")],
        default_output_modes: vec![text("text/plain")],
        skills: vec![AgentSkill {
            id: text("s"),
            name: text("Sums"),
            description: text("Sums up"),
            tags: vec![text("t")],
            security_requirements: vec![requirement("key", "x")],
            ..AgentSkill::default()
        }],
        ..AgentCard::default()
    }
}

fn pretty(json: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    serde_json::to_string_pretty(&value).unwrap()
}

#[test]
fn a_card_is_written_for_0_3() {
    let written = card().in_0_3().unwrap();
    assert_snapshot!(pretty(written.get()));
    let read = read(written.get().as_bytes()).unwrap();
    assert_eq!(read.shape, CardShape::V0_3);
    assert_eq!(read.warnings, []);
    let mut expected = card();
    expected.supported_interfaces.remove(0);
    // What 0.3 has no place for.
    let flows = |name: &str, card: &mut AgentCard, flows| {
        if let Some(SecurityScheme::OAuth2(scheme)) = card.security_schemes.get_mut(name) {
            scheme.flows = flows;
        }
    };
    flows("tv", &mut expected, None);
    let mut found = read.card;
    if let Some(SecurityScheme::OAuth2(scheme)) = found.security_schemes.get_mut("login")
        && let Some(OAuthFlows::AuthorizationCode(flow)) = &mut scheme.flows
    {
        assert!(!flow.pkce_required);
        flow.pkce_required = true;
    }
    assert_eq!(found, expected);
}

#[test]
fn one_card_is_read_by_both_generations() {
    let written = card().in_both().unwrap();
    assert_snapshot!(pretty(written.get()));
    let new = read(written.get().as_bytes()).unwrap();
    assert_eq!(new.shape, CardShape::V1_0);
    assert_eq!(new.warnings, []);
    assert_eq!(new.card, card());

    // A reader of 0.3 knows nothing of supportedInterfaces.
    let mut old: serde_json::Value = serde_json::from_str(written.get()).unwrap();
    let old = old.as_object_mut().unwrap();
    old.remove("supportedInterfaces");
    let old = read(&serde_json::to_vec(old).unwrap()).unwrap();
    assert_eq!(old.shape, CardShape::V0_3);
    assert_eq!(old.warnings, []);
    let expected = read(card().in_0_3().unwrap().get().as_bytes()).unwrap();
    assert_eq!(old.card, expected.card);
}

#[test]
fn a_card_that_is_written_is_sound_for_whom_it_is() {
    let old = check(card().in_0_3().unwrap().get().as_bytes()).unwrap();
    assert_eq!(old.v1_0, None);
    // A device's flow is lost, and with it all that the scheme said; nothing else.
    assert_eq!(old.v0_3, Some(vec![]));
    let both = check(card().in_both().unwrap().get().as_bytes()).unwrap();
    assert_eq!(both.v1_0, Some(vec![]));
    assert_eq!(both.v0_3, Some(vec![]));
    let new = check(&serde_json::to_vec(&card()).unwrap()).unwrap();
    assert_eq!(new.v1_0, Some(vec![]));
    assert_eq!(new.v0_3, None);
    assert!(new.is_sound());
}

/// The problems as `pointer words`.
fn told(problems: Option<Vec<a2a::card::CardProblem>>) -> Vec<String> {
    let problems = problems.unwrap();
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn each_generation_hears_of_its_problems() {
    let report = check(
        br#"{"name":"X","description":"d","version":"1","url":"agent.example","preferredTransport":"SOAP",
        "additionalInterfaces":[{"url":"agent.example:443","transport":"GRPC"}],
        "supportedInterfaces":[{"url":"https://agent.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"},
            {"url":"agent.example:443","protocolBinding":"GRPC","protocolVersion":"0.3"}],
        "capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[],
        "securitySchemes":{"k":{"type":"apiKey","in":"body"},"o":{"type":"oauth2"},"p":{"type":"pigeon"}},
        "security":[{"k":[]},{"z":[]}],
        "signatures":[{"protected":"eyJhbGciOiJFUzI1NiJ9","signature":"?"},{"protected":"e30=","signature":"AA"}]}"#,
    )
    .unwrap();
    assert!(!report.is_sound());
    assert_eq!(
        told(report.v0_3),
        [
            "/preferredTransport is \"SOAP\", not JSONRPC, GRPC or HTTP+JSON",
            "/url is \"agent.example\", not an http or https URL",
            "/additionalInterfaces/0/url is \"agent.example:443\", not a URL such as https://host:port",
            "/securitySchemes/k/name is missing",
            "/securitySchemes/k/in is \"body\", not header, query or cookie",
            "/securitySchemes/o/flows is missing",
            "/securitySchemes/p/type is \"pigeon\", not apiKey, http, oauth2, openIdConnect or mutualTLS",
            "/security/1/z names no scheme of securitySchemes",
        ]
    );
    let unset = "is empty: none of apiKeySecurityScheme, httpAuthSecurityScheme, oauth2SecurityScheme, openIdConnectSecurityScheme, mtlsSecurityScheme is set";
    assert_eq!(
        told(report.v1_0),
        [
            format!("/securitySchemes/k {unset}"),
            format!("/securitySchemes/o {unset}"),
            format!("/securitySchemes/p {unset}"),
            text(
                "/supportedInterfaces/1/url is \"agent.example:443\", not a URL such as https://host:port"
            ),
            text("/signatures/0/protected holds a header without kid"),
            text("/signatures/0/signature is not base64url without padding"),
            text("/signatures/1/protected is not base64url without padding"),
            text("/supportedInterfaces has no interface of protocolVersion 0.3 at the card's url"),
        ]
    );
}

#[test]
fn members_of_0_3_in_a_card_of_1_0_are_told() {
    let mut card = serde_json::to_value(card()).unwrap();
    card["security"] = serde_json::json!([{"login": []}]);
    card["supportsAuthenticatedExtendedCard"] = true.into();
    let report = check(&serde_json::to_vec(&card).unwrap()).unwrap();
    assert_eq!(
        told(report.v1_0),
        [
            "/security is of A2A 0.3; clients of 1.0 read securityRequirements",
            "/supportsAuthenticatedExtendedCard is of A2A 0.3; clients of 1.0 read capabilities.extendedAgentCard",
        ]
    );
    assert_eq!(report.v0_3, None);
}

#[test]
fn an_agent_without_0_3_has_no_card_for_it() {
    let mut card = card();
    card.supported_interfaces.truncate(1);
    assert!(card.in_0_3().is_none());
    assert!(card.in_both().is_none());
}
