use serde_json::json;

use super::mock::{DRAFT, MockDealer, Reply, SKILLS, V1_0, V1_2, V1_3, buyer, card};

fn dealer(versions: &[&str]) -> MockDealer {
    MockDealer::speaking(versions, &[])
}

#[test]
fn a_dealer_is_described() {
    for (versions, version, basis) in [
        (&[V1_0][..], "1.0", "out_the_door"),
        (&[V1_2], "1.2", "out_the_door"),
        (&[V1_2, V1_3, V1_0], "1.3", "advertised"),
        (&[DRAFT], "2.0-draft", "advertised"),
        (&[DRAFT, V1_2], "1.2", "out_the_door"),
        (
            &["https://autoagentprotocol.org/extensions/aap/v2.7", V1_2],
            "1.2",
            "out_the_door",
        ),
    ] {
        let dealer = dealer(versions);
        let found = dealer.buyer("discover", &["--json"]).assert_exit(0).json();
        assert_eq!(found["kind"], "dealer");
        assert_eq!(found["name"], "Mock Motors");
        assert_eq!(found["aap"]["version"], version);
        assert_eq!(found["aap"]["price_basis"], basis);
        assert_eq!(found["skills"], json!(SKILLS));
        assert_eq!(found["interface_url"], format!("{}/a2a", dealer.url()));
        assert_eq!(
            found["card"]["capabilities"]["extensions"][0]["uri"],
            versions[0]
        );
        let text = dealer.buyer("discover", &[]).assert_exit(0).stdout;
        assert!(
            text.contains(&format!("dealer agent, AAP {version}")),
            "{text}"
        );
    }
}

#[test]
fn an_agent_without_aap_is_generic() {
    let agent = dealer(&["https://a.example/other-extension"]);
    let text = agent.buyer("discover", &[]).assert_exit(0).stdout;
    assert!(text.contains("generic A2A agent"), "{text}");
    let found = agent.buyer("discover", &["--json"]).assert_exit(0).json();
    assert_eq!(found["kind"], "generic");
    for verb in ["info", "facets", "search"] {
        let outcome = agent.buyer(verb, &["--json"]).assert_exit(4);
        assert_eq!(outcome.code(), "generic_agent");
        assert!(
            outcome.stderr.contains("generic A2A agent"),
            "{}",
            outcome.stderr
        );
    }
    assert!(agent.calls().is_empty());
}

#[test]
fn a_version_that_is_not_known_is_not_spoken() {
    for uri in [
        "https://autoagentprotocol.org/extensions/aap/v2.0",
        "https://autoagentprotocol.org/extensions/aap/v1.3.0",
        "https://draft.autoagentprotocol.invalid/extensions/aap/next",
    ] {
        let agent = dealer(&[uri]);
        let found = agent.buyer("discover", &["--json"]).assert_exit(0).json();
        assert_eq!(found["unknown_aap_versions"], json!([uri]));
        let outcome = agent.buyer("info", &["--json"]).assert_exit(4);
        assert_eq!(outcome.code(), "unknown_version");
        assert!(outcome.stderr.contains(uri), "{}", outcome.stderr);
        assert!(agent.calls().is_empty());
    }
}

#[test]
fn nobody_there_is_unreachable() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", unused.local_addr().unwrap());
    drop(unused);
    for verb in ["discover", "info", "search"] {
        let outcome = buyer(verb, &url, &["--json"]).assert_exit(3);
        assert_eq!(outcome.code(), "unreachable");
        assert!(outcome.stderr.contains(&url), "{}", outcome.stderr);
    }
}

#[test]
fn what_is_no_agent_says_what_it_is() {
    // A path without an agent is answered 404 by the mock.
    let dealer = dealer(&[V1_3]);
    let nowhere = format!("{}/nowhere", dealer.url());
    let outcome = buyer("discover", &nowhere, &["--json"]).assert_exit(4);
    assert_eq!(outcome.code(), "not_an_agent");
    assert!(outcome.stderr.contains("HTTP 404"), "{}", outcome.stderr);
}

#[test]
fn a_dealer_that_cannot_be_called_says_what_it_offers() {
    let mut card = card(&[V1_3], &SKILLS);
    card["supportedInterfaces"][0]["protocolVersion"] = "0.3".into();
    let dealer = MockDealer::with_card(&card, &[]);
    let outcome = dealer.buyer("info", &["--json"]).assert_exit(4);
    assert_eq!(outcome.code(), "no_supported_interface");
    assert!(outcome.stderr.contains("JSONRPC 0.3"), "{}", outcome.stderr);
}

#[test]
fn a_card_cannot_point_into_another_network() {
    for inside in [
        "http://10.0.0.1/a2a",
        "http://127.0.0.2:9/a2a",
        "http://[::1]:9/a2a",
    ] {
        let mut card = card(&[V1_3], &SKILLS);
        card["supportedInterfaces"][0]["url"] = inside.into();
        let dealer = MockDealer::with_card(&card, &[]);
        let outcome = dealer.buyer("info", &["--json"]).assert_exit(1);
        assert_eq!(outcome.code(), "address_not_allowed", "{inside}");
    }
}

#[test]
fn localhost_is_reached_by_name() {
    let dealer = MockDealer::speaking(
        &[V1_3],
        &[Reply::Payload(
            r#"{"type":"dealer.information.response","data":{"name":"Mock","rooftops":[{"name":"North"}]}}"#.to_owned(),
        )],
    );
    let url = format!("http://localhost:{}", dealer.address.port());
    buyer("info", &url, &[]).assert_exit(0);
}

#[test]
fn a_wrong_command_line_is_a_usage_error() {
    let dealer = dealer(&[V1_3]);
    for (verb, args) in [
        ("search", &["--year-min", "soon"][..]),
        ("search", &["--sort", "color:asc"]),
        ("search", &["--condition", "good"]),
        ("search", &["--filters", "-", "--make", "Honda"]),
        ("search", &["--filters", "/nowhere/filters.json"]),
        ("search", &["--limit", "0"]),
        ("search", &["--vin", "SHORT"]),
        ("vehicle", &[]),
        ("info", &["--timeout", "0"]),
    ] {
        let outcome = dealer.buyer(verb, args);
        assert_eq!(outcome.exit, 2, "{args:?}: {}", outcome.stderr);
    }
    let outcome = buyer("info", "localhost:8080", &[]).assert_exit(2);
    assert!(outcome.stderr.contains("https://"), "{}", outcome.stderr);
    assert!(dealer.calls().is_empty());
}
