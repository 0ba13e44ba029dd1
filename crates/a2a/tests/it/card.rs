//! Agent cards: built, checked, and read from other agents.

use std::collections::BTreeMap;

use a2a::card::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentProvider, AgentSkill,
    ApiKeySecurityScheme, AuthorizationCodeOAuthFlow, CardError, CardShape, HttpAuthSecurityScheme,
    OAuth2SecurityScheme, OAuthFlows, Scopes, SecurityRequirement, SecurityScheme, read,
};
use a2a::model::Metadata;
use insta::assert_snapshot;

use crate::raw;

fn text(text: &str) -> String {
    text.to_owned()
}

fn interface(url: &str, binding: &str) -> AgentInterface {
    AgentInterface {
        url: text(url),
        protocol_binding: text(binding),
        protocol_version: text("1.0"),
        ..AgentInterface::default()
    }
}

fn card() -> AgentCard {
    let flow = AuthorizationCodeOAuthFlow {
        authorization_url: text("https://login.example/authorize"),
        token_url: text("https://login.example/token"),
        scopes: BTreeMap::from([(text("read"), text("Read the stock"))]),
        pkce_required: true,
        ..AuthorizationCodeOAuthFlow::default()
    };
    let oauth2 = OAuth2SecurityScheme {
        flows: Some(OAuthFlows::AuthorizationCode(flow)),
        ..OAuth2SecurityScheme::default()
    };
    AgentCard {
        name: text("Demo Motors"),
        description: text("Stock and enquiries"),
        supported_interfaces: vec![
            interface("https://agent.demo.example/a2a", AgentInterface::JSONRPC),
            interface("agent.demo.example:443", AgentInterface::GRPC),
        ],
        provider: Some(AgentProvider {
            url: text("https://demo.example"),
            organization: text("Demo Motors"),
        }),
        version: text("1.2.0"),
        documentation_url: Some(text("https://demo.example/agent")),
        capabilities: AgentCapabilities {
            streaming: Some(false),
            extensions: vec![AgentExtension {
                uri: text("https://protocol.example/v1.3"),
                required: true,
                params: Some(Metadata::try_from(raw(r#"{"version":"1.3.0","n":1.0}"#)).unwrap()),
                ..AgentExtension::default()
            }],
            ..AgentCapabilities::default()
        },
        security_schemes: BTreeMap::from([(text("oauth"), SecurityScheme::OAuth2(oauth2))]),
        security_requirements: vec![SecurityRequirement {
            schemes: BTreeMap::from([(text("oauth"), Scopes(vec![text("read")]))]),
        }],
        default_input_modes: vec![text("application/json")],
        default_output_modes: vec![text("application/json")],
        skills: vec![AgentSkill {
            id: text("inventory.search"),
            name: text("Search"),
            description: text("Finds vehicles"),
            tags: vec![text("inventory")],
            ..AgentSkill::default()
        }],
        ..AgentCard::default()
    }
}

#[test]
fn a_sound_card_is_written_and_read_back() {
    let card = card();
    assert_eq!(card.check(), []);
    assert_snapshot!(serde_json::to_string_pretty(&card).unwrap());
    let read = read(&serde_json::to_vec(&card).unwrap()).unwrap();
    assert_eq!(read.card, card);
    assert_eq!(read.shape, CardShape::V1_0);
    assert_eq!(read.warnings, []);
    let extension = read
        .card
        .extension("https://protocol.example/v1.3")
        .unwrap();
    let params = extension.params.as_ref().unwrap();
    assert_eq!(params.as_raw().get(), r#"{"version":"1.3.0","n":1.0}"#);
}

#[test]
fn a_card_may_have_no_skills_yet() {
    let card = AgentCard {
        skills: Vec::new(),
        ..card()
    };
    assert_eq!(card.check(), []);
    assert!(
        serde_json::to_string(&card)
            .unwrap()
            .contains(r#""skills":[]"#)
    );
}

/// The problems as `pointer words`, sorted.
fn problems(card: &AgentCard) -> Vec<String> {
    let mut problems: Vec<String> = card.check().iter().map(ToString::to_string).collect();
    problems.sort();
    problems
}

#[test]
fn an_empty_card_lacks_what_is_required() {
    assert_eq!(
        problems(&AgentCard::default()),
        [
            "/defaultInputModes is empty",
            "/defaultOutputModes is empty",
            "/description is empty",
            "/name is empty",
            "/supportedInterfaces is empty",
            "/version is empty",
        ]
    );
}

#[test]
fn every_problem_is_placed() {
    let mut card = card();
    card.supported_interfaces = vec![
        interface("/a2a", AgentInterface::JSONRPC),
        interface("https://agent.demo.example", AgentInterface::GRPC),
        interface("agent.demo.example:443", "SOAP"),
        interface("mqtt://x", "https://bindings.example/mqtt"),
    ];
    card.supported_interfaces[0].protocol_version = text("one");
    card.default_input_modes = vec![text("json")];
    card.icon_url = Some(text("icon.png"));
    card.capabilities
        .extensions
        .push(card.capabilities.extensions[0].clone());
    card.capabilities.extensions.push(AgentExtension::default());
    card.skills.push(AgentSkill {
        tags: vec![text(" ")],
        output_modes: vec![text("a/b/c")],
        ..card.skills[0].clone()
    });
    card.skills.push(AgentSkill {
        security_requirements: card.security_requirements.clone(),
        ..AgentSkill::default()
    });
    card.security_schemes = BTreeMap::from([
        (
            text("a/b"),
            SecurityScheme::ApiKey(ApiKeySecurityScheme {
                location: text("body"),
                name: text("k"),
                description: None,
            }),
        ),
        (
            text("none"),
            SecurityScheme::OAuth2(OAuth2SecurityScheme::default()),
        ),
        (
            text("http"),
            SecurityScheme::HttpAuth(HttpAuthSecurityScheme::default()),
        ),
    ]);
    assert_eq!(
        problems(&card),
        [
            "/capabilities/extensions/1/uri is declared twice",
            "/capabilities/extensions/2/uri is missing",
            "/defaultInputModes/0 is \"json\", not a media type",
            "/iconUrl is \"icon.png\", not an http or https URL",
            "/securityRequirements/0/schemes/oauth names no scheme of securitySchemes",
            "/securitySchemes/a~1b/apiKeySecurityScheme/location is \"body\", not header, query or cookie",
            "/securitySchemes/http/httpAuthSecurityScheme/scheme is empty",
            "/securitySchemes/none/oauth2SecurityScheme/flows is missing",
            "/skills/1/id is the id of an earlier skill",
            "/skills/1/outputModes/0 is \"a/b/c\", not a media type",
            "/skills/1/tags/0 is empty",
            "/skills/2/description is empty",
            "/skills/2/id is empty",
            "/skills/2/name is empty",
            "/skills/2/securityRequirements/0/schemes/oauth names no scheme of securitySchemes",
            "/skills/2/tags is empty",
            "/supportedInterfaces/0/protocolVersion is \"one\", not a version such as 1.0",
            "/supportedInterfaces/0/url is \"/a2a\", not an http or https URL",
            "/supportedInterfaces/1/url is \"https://agent.demo.example\", not host:port",
            "/supportedInterfaces/2/protocolBinding is \"SOAP\", not JSONRPC, GRPC, HTTP+JSON or a URI",
        ]
    );
}

#[test]
fn grpc_addresses_are_host_and_port() {
    for (address, sound) in [
        ("agent.example:443", true),
        ("127.0.0.1:8080", true),
        ("[::1]:8080", true),
        ("agent.example", false),
        ("agent.example:", false),
        ("agent.example:70000", false),
        ("agent.example:443/x", false),
        (":443", false),
        ("grpc://agent.example:443", false),
    ] {
        let mut card = card();
        card.supported_interfaces = vec![interface(address, AgentInterface::GRPC)];
        assert_eq!(card.check().is_empty(), sound, "{address}");
    }
}

/// The warnings as `pointer words`.
fn warnings(document: &str) -> Vec<String> {
    let read = read(document.as_bytes()).unwrap();
    read.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_faulty_card_is_read_with_warnings() {
    let document = r#"{"name":"X","description":null,"supportedInterfaces":[{"url":"https://a.example","protocolBinding":"JSONRPC"}],
        "capabilities":{"streaming":"yes","extensions":[{"uri":"u","params":{"n":1e2}}]},"skills":null,
        "default_input_modes":["a/b"],"defaultOutputModes":"a/b","version":2,"future":{"x":[]}}"#;
    let read = read(document.as_bytes()).unwrap();
    assert_eq!(read.card.supported_interfaces[0].url, "https://a.example");
    assert_eq!(read.card.default_input_modes, ["a/b"]);
    assert_eq!(
        read.card
            .extension("u")
            .unwrap()
            .params
            .as_ref()
            .unwrap()
            .as_raw()
            .get(),
        r#"{"n":1e2}"#
    );
    assert_eq!(
        warnings(document),
        [
            "/supportedInterfaces/0/protocolVersion is missing",
            "/capabilities/streaming is a string, not true or false",
            "/defaultOutputModes is a string, not an array",
            "/version is a number, not a string",
            "/description is missing",
            "/skills is missing",
        ]
    );
}

#[test]
fn a_0_3_card_is_read_into_the_form_of_1_0() {
    let document = r#"{"protocolVersion":"0.3.0","name":"Old","description":"d","url":"https://old.example/rpc","preferredTransport":"JSONRPC",
        "additionalInterfaces":[{"url":"https://old.example/rpc","transport":"JSONRPC"},{"url":"https://old.example/rest","transport":"HTTP+JSON"}],
        "version":"3","capabilities":{"streaming":true,"stateTransitionHistory":true,"extensions":[{"uri":"https://e.example","params":{"v":1.0}}]},
        "supportsAuthenticatedExtendedCard":true,
        "securitySchemes":{"key":{"type":"apiKey","in":"header","name":"X-Key"},"jwt":{"type":"http","scheme":"bearer","bearerFormat":"JWT"},
            "oauth":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"https://t.example","scopes":{"s":"t"}}}},
            "oidc":{"type":"openIdConnect","openIdConnectUrl":"https://o.example"},"tls":{"type":"mutualTLS"},"odd":{"type":"carrier pigeon"}},
        "security":[{"key":[]},{"oauth":["s"]}],"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
        "skills":[{"id":"s","name":"n","description":"d","tags":["t"],"security":[{"jwt":[]}]}]}"#;
    let read = read(document.as_bytes()).unwrap();
    assert_eq!(read.shape, CardShape::V0_3);
    assert_snapshot!(serde_json::to_string_pretty(&read.card).unwrap());
    assert_eq!(
        warnings(document),
        ["/securitySchemes/odd/type is \"carrier pigeon\", not a known type of security scheme"]
    );
}

#[test]
fn a_bare_0_3_card_speaks_json_rpc() {
    let read =
        read(br#"{"name":"Old","url":"https://old.example/","supportedInterfaces":[]}"#).unwrap();
    assert_eq!(read.shape, CardShape::V0_3);
    let interface = &read.card.supported_interfaces[0];
    assert_eq!(interface.url, "https://old.example/");
    assert_eq!(interface.protocol_binding, "JSONRPC");
    assert_eq!(interface.protocol_version, "0.3");
    assert!(!read.warnings.is_empty());
}

#[test]
fn supported_interfaces_make_a_card_1_0_whatever_else_it_has() {
    let document = r#"{"name":"Both","url":"https://old.example","protocolVersion":"0.3","preferredTransport":"JSONRPC",
        "supportedInterfaces":[{"url":"https://new.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
        "securitySchemes":{"jwt":{"type":"http","scheme":"bearer"}},"security":[{"jwt":[]}]}"#;
    let read = read(document.as_bytes()).unwrap();
    assert_eq!(read.shape, CardShape::V1_0);
    assert_eq!(read.card.supported_interfaces.len(), 1);
    // Security in the old form still tells how to authenticate.
    assert!(
        read.card.security_requirements[0]
            .schemes
            .contains_key("jwt")
    );
    assert!(
        matches!(&read.card.security_schemes["jwt"], SecurityScheme::HttpAuth(http) if http.scheme == "bearer")
    );
}

#[test]
fn scopes_are_read_from_a_bare_list_too() {
    let document = r#"{"supportedInterfaces":[{"url":"https://a.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
        "securityRequirements":[{"schemes":{"a":["s"]}},{"schemes":{"b":{}}},{}]}"#;
    let read = read(document.as_bytes()).unwrap();
    let requirements = &read.card.security_requirements;
    assert_eq!(requirements[0].schemes["a"], Scopes(vec![text("s")]));
    assert_eq!(requirements[1].schemes["b"], Scopes(vec![]));
    assert!(requirements[2].schemes.is_empty());
    let found = warnings(document);
    assert!(found.contains(&text(
        "/securityRequirements/0/schemes/a is an array, not an object with a list"
    )));
}

#[test]
fn other_documents_are_no_cards() {
    assert!(matches!(read(b"\xff"), Err(CardError::NotUtf8(_))));
    for document in ["", "<html>", "[]", "3", "{"] {
        assert!(
            matches!(read(document.as_bytes()), Err(CardError::NotAnObject(_))),
            "{document}"
        );
    }
    for (document, words) in [
        (
            "{}",
            "it has no name and no supportedInterfaces (or url, in a card of A2A 0.3)",
        ),
        (
            r#"{"name":"left-pad","version":"1"}"#,
            "it has no supportedInterfaces (or url, in a card of A2A 0.3)",
        ),
        (
            r#"{"url":"https://a.example","name":null}"#,
            "it has no name",
        ),
    ] {
        let error = read(document.as_bytes()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the document is not an agent card: {words}")
        );
    }
    assert!(read("\u{feff}{\"name\":\"a\",\"url\":\"b\"}".as_bytes()).is_ok());
}

/// The protocol's own example cards, where they lie beside the project.
#[test]
fn published_example_cards_are_sound() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/aap/v1.3/examples"
    );
    let Ok(entries) = std::fs::read_dir(folder) else {
        println!("skipped: {folder} is not there");
        return;
    };
    let mut seen = 0;
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path
            .file_name()
            .unwrap()
            .to_string_lossy()
            .contains("agent-card")
        {
            let read = read(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(read.warnings, [], "{}", path.display());
            assert_eq!(read.card.check(), [], "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 0);
}
