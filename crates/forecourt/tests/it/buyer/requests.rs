use serde_json::{Value, json};

use super::mock::{DRAFT, MockDealer, Reply, V1_0, V1_1, V1_2, V1_3, card, refusal};

const EMPTY_PAGE: &str = r#"{"type":"inventory.search.response","data":{"total":0,"vehicles":[]}}"#;

fn searched(version: &str) -> MockDealer {
    MockDealer::speaking(&[version], &[Reply::Payload(EMPTY_PAGE.to_owned())])
}

fn header<'a>(call: &'a super::mock::Call, name: &str) -> &'a str {
    call.headers[name].to_str().unwrap()
}

#[test]
fn a_search_arrives_as_the_protocol_has_it() {
    for version in [V1_0, V1_1, V1_2, V1_3, DRAFT] {
        let dealer = searched(version);
        dealer
            .buyer(
                "search",
                &[
                    "--make",
                    "Honda",
                    "--make",
                    "Kia",
                    "--condition",
                    "used",
                    "--price-max",
                    "30000",
                    "--sort",
                    "price:asc",
                    "--limit",
                    "25",
                    "--skip",
                    "50",
                ],
            )
            .assert_exit(0);
        let call = dealer.call();
        assert_eq!(header(&call, "a2a-version"), "1.0");
        assert_eq!(header(&call, "a2a-extensions"), version);
        assert_eq!(header(&call, "content-type"), "application/json");
        let message_id = &call.body["params"]["message"]["messageId"];
        assert!(message_id.as_str().is_some_and(|id| id.len() == 36));
        assert_eq!(
            call.body,
            json!({
                "jsonrpc": "2.0",
                "id": message_id,
                "method": "SendMessage",
                "params": {
                    "message": {
                        "messageId": message_id,
                        "role": "ROLE_USER",
                        "parts": [{
                            "data": {
                                "type": "inventory.search.request",
                                "filters": {
                                    "make": ["Honda", "Kia"],
                                    "condition": ["used"],
                                    "price_max": 30000,
                                },
                                "pagination": { "skip": 50, "limit": 25 },
                                "sort": { "field": "price", "order": "asc" },
                                "privacy": { "anonymous": true },
                            },
                            "mediaType": "application/vnd.autoagent.inventory-search-request+json",
                        }],
                    },
                    "configuration": {
                        "acceptedOutputModes": [
                            "application/vnd.autoagent.inventory-search-response+json"
                        ],
                    },
                },
            })
        );
    }
}

#[test]
fn each_skill_has_its_media_types() {
    let vehicle = r#"{"type":"inventory.vehicle.response","data":{"vin":"1HGCY2F57RA000001"}}"#;
    let facets = r#"{"type":"inventory.facets.response","data":{}}"#;
    let info = r#"{"type":"dealer.information.response","data":{"name":"Mock","rooftops":[{"name":"North"}]}}"#;
    for (verb, args, answer, stem, payload) in [
        (
            "vehicle",
            &["--vin", "1hgcy2f57ra000001"][..],
            vehicle,
            "vehicle-detail",
            json!({ "type": "inventory.vehicle.request", "vin": "1HGCY2F57RA000001" }),
        ),
        (
            "facets",
            &["--make", "Honda"],
            facets,
            "inventory-facets",
            json!({ "type": "inventory.facets.request", "filters": { "make": ["Honda"] } }),
        ),
        (
            "info",
            &[],
            info,
            "dealer-information",
            json!({ "type": "dealer.information.request" }),
        ),
    ] {
        let dealer = MockDealer::speaking(&[V1_3], &[Reply::Payload(answer.to_owned())]);
        dealer.buyer(verb, args).assert_exit(0);
        let call = dealer.call();
        assert_eq!(*call.payload(), payload);
        let params = &call.body["params"];
        assert_eq!(
            params["message"]["parts"][0]["mediaType"],
            format!("application/vnd.autoagent.{stem}-request+json")
        );
        assert_eq!(
            params["configuration"]["acceptedOutputModes"],
            json!([format!("application/vnd.autoagent.{stem}-response+json")])
        );
    }
}

#[test]
fn filters_come_from_a_file_or_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("filters.json");
    let filters = json!({ "make": ["Honda"], "year_min": 2020 });
    std::fs::write(&file, filters.to_string()).unwrap();
    let dealer = searched(V1_3);
    dealer
        .buyer("search", &["--filters", file.to_str().unwrap()])
        .assert_exit(0);
    assert_eq!(dealer.call().payload()["filters"], filters);

    std::fs::write(&file, r#"{"colour":["red"],"year_min":"2020"}"#).unwrap();
    let outcome = dealer
        .buyer("search", &["--json", "--filters", file.to_str().unwrap()])
        .assert_exit(2);
    let problems = &outcome.json()["error"]["problems"];
    let places: Vec<&str> = problems
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["instanceLocation"].as_str().unwrap())
        .collect();
    assert_eq!(places, ["/filters/colour", "/filters/year_min"]);
    assert!(
        outcome.stderr.contains("/filters/colour"),
        "{}",
        outcome.stderr
    );
    assert_eq!(dealer.calls().len(), 1, "nothing more was sent");
}

#[test]
fn what_the_version_does_not_know_is_not_sent() {
    for version in [V1_0, V1_1] {
        let dealer = searched(version);
        let outcome = dealer
            .buyer(
                "search",
                &[
                    "--json",
                    "--vehicle-type",
                    "motorcycle",
                    "--dc-fast-charge",
                    "--make",
                    "Kia",
                ],
            )
            .assert_exit(1);
        assert_eq!(outcome.code(), "not_in_version");
        for filter in ["/filters/vehicle_type", "/filters/dc_fast_charge"] {
            assert!(outcome.stderr.contains(filter), "{}", outcome.stderr);
        }
        assert!(dealer.calls().is_empty());
    }
    let dealer = searched(V1_2);
    dealer
        .buyer("search", &["--vehicle-type", "motorcycle"])
        .assert_exit(0);
    let call = dealer.call();
    let filters = &call.payload()["filters"];
    assert_eq!(*filters, json!({ "vehicle_type": ["motorcycle"] }));
}

#[test]
fn a_skill_that_is_not_listed_is_not_called() {
    let card = card(
        &[V1_3],
        &["inventory.search", "lead.submit", "tires.rotate"],
    );
    let dealer = MockDealer::with_card(&card, &[]);
    let outcome = dealer.buyer("info", &["--json"]).assert_exit(1);
    assert_eq!(outcome.code(), "skill_not_listed");
    let words = &outcome.stderr;
    assert!(words.contains("inventory.search, lead.submit"), "{words}");
    assert!(dealer.calls().is_empty());
}

#[test]
fn the_tenant_is_echoed() {
    let mut card = card(&[V1_3], &["inventory.search"]);
    card["supportedInterfaces"][0]["tenant"] = "north".into();
    let dealer = MockDealer::with_card(&card, &[Reply::Payload(EMPTY_PAGE.to_owned())]);
    dealer.buyer("search", &[]).assert_exit(0);
    assert_eq!(dealer.call().body["params"]["tenant"], "north");
}

#[test]
fn a_refusal_is_told_as_it_was_sent() {
    let details = json!({ "errors": [
        { "instanceLocation": "/filters/make", "keyword": "type", "error": "send an array" },
    ] });
    let reply = refusal("SCHEMA_VALIDATION_FAILED", false, &details);
    let Reply::Refusal(sent) = reply.clone() else {
        unreachable!();
    };
    let dealer = MockDealer::speaking(&[V1_3], &[reply]);
    let outcome = dealer.buyer("search", &["--json"]).assert_exit(1);
    assert_eq!(outcome.json(), sent);
    let words = dealer.buyer("search", &[]).assert_exit(1).stderr;
    for part in ["SCHEMA_VALIDATION_FAILED", "/filters/make: send an array"] {
        assert!(words.contains(part), "{words}");
    }
    assert_eq!(dealer.calls().len(), 2, "one call for each command");
}

#[test]
fn the_error_list_of_the_draft_is_understood_too() {
    let list = json!([
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "VEHICLE_NOT_FOUND",
          "domain": "autoagentprotocol.org", "metadata": {} },
        { "@type": "https://autoagentprotocol.org/extensions/aap/error", "type": "aap.error",
          "error_id": "e", "code": "VEHICLE_NOT_FOUND", "message": "No such car.",
          "details": { "errors": [{ "instanceLocation": "/stock", "keyword": "x", "error": "unknown" }] },
          "retryable": false, "created_at": "2026-05-01T10:00:00Z" },
    ]);
    let dealer = MockDealer::speaking(&[DRAFT], &[Reply::Refusal(list.clone())]);
    let outcome = dealer.buyer("vehicle", &["--stock", "N-1"]).assert_exit(1);
    for words in ["VEHICLE_NOT_FOUND", "/stock: unknown"] {
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    }
    let printed = dealer.buyer("vehicle", &["--stock", "N-1", "--json"]);
    assert_eq!(printed.assert_exit(1).json(), list[1]);
}

#[test]
fn an_error_of_the_agent_below_aap_is_told_apart() {
    let dealer = MockDealer::speaking(&[V1_3], &[Reply::Refusal(Value::Null)]);
    let outcome = dealer.buyer("search", &["--json"]).assert_exit(1);
    assert_eq!(outcome.code(), "protocol_error");
}

#[test]
fn a_retryable_refusal_is_repeated_after_the_dealers_pause() {
    let busy = refusal("RATE_LIMITED", true, &json!({ "retry_after_ms": 5 }));
    let page = Reply::Payload(EMPTY_PAGE.to_owned());
    let dealer = MockDealer::speaking(&[V1_3], &[busy.clone(), busy.clone(), page]);
    dealer.buyer("search", &[]).assert_exit(0);
    assert_eq!(dealer.calls().len(), 3);
    let ids: std::collections::BTreeSet<String> = dealer
        .calls()
        .iter()
        .map(|call| call.body["id"].to_string())
        .collect();
    assert_eq!(ids.len(), 3, "each attempt is a message of its own");

    let dealer = MockDealer::speaking(&[V1_3], &[busy]);
    let outcome = dealer
        .buyer("search", &["--json", "--retries", "2"])
        .assert_exit(1);
    assert_eq!(outcome.json()["code"], "RATE_LIMITED");
    assert_eq!(dealer.calls().len(), 3);
}

#[test]
fn the_dealers_word_on_retrying_wins_over_the_default() {
    let final_word = refusal("RATE_LIMITED", false, &json!({ "retry_after_ms": 5 }));
    let dealer = MockDealer::speaking(&[V1_3], &[final_word]);
    dealer.buyer("search", &[]).assert_exit(1);
    assert_eq!(dealer.calls().len(), 1);
}
