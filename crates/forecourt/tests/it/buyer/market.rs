//! One question to many dealers.

use serde_json::{Value, json};

use super::mock::{
    DRAFT, MockDealer, Outcome, Reply, SKILLS, V1_0, V1_1, V1_2, V1_3, buyer_of_many, card, refusal,
};

const VIN: &str = "1HGCY2F57RA000001";

/// A dealer of a version that answers a search with these vehicles, all of them available.
fn stocked(version: &str, vehicles: &[Value]) -> MockDealer {
    let vehicles: Vec<Value> = vehicles
        .iter()
        .map(|vehicle| {
            let mut vehicle = vehicle.clone();
            vehicle["status"] = "available".into();
            vehicle
        })
        .collect();
    let data = json!({ "total": vehicles.len(), "vehicles": vehicles });
    let payload = json!({ "type": "inventory.search.response", "data": data });
    MockDealer::speaking(&[version], &[Reply::Payload(payload.to_string())])
}

fn list(dealers: &[&MockDealer]) -> String {
    let urls: Vec<String> = dealers.iter().map(|dealer| dealer.url()).collect();
    urls.join("\n")
}

/// Searches, and holds the document to its schema.
pub(super) fn search(list: &str, args: &[&str], exit: i32) -> Value {
    let args = [args, &["--json"]].concat();
    let document = buyer_of_many("search", list, &args)
        .assert_exit(exit)
        .json();
    let schema = include_str!("../../../src/buyer/command/market-search.schema.json");
    let schema = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}\n{document:#}");
    document
}

/// What came of each dealer: `answered`, or the error's code.
pub(super) fn outcomes(document: &Value) -> Vec<&str> {
    let dealers = document["dealers"].as_array().unwrap();
    dealers
        .iter()
        .map(|dealer| {
            let code = dealer["error"]["code"].as_str();
            code.unwrap_or_else(|| dealer["outcome"].as_str().unwrap())
        })
        .collect()
}

fn stocks(document: &Value) -> Vec<&str> {
    let cars = document["cars"].as_array().unwrap();
    cars.iter()
        .map(|car| car["offers"][0]["vehicle"]["stock"].as_str().unwrap())
        .collect()
}

#[test]
fn dealers_of_every_version_are_asked_in_their_own() {
    let dealers = [V1_0, V1_1, V1_2, V1_3, DRAFT].map(|version| {
        let dealer = stocked(version, &[json!({ "stock": "N-1", "price": 100 })]);
        (version, dealer)
    });
    let urls: Vec<&MockDealer> = dealers.iter().map(|(_, dealer)| dealer).collect();
    let found = search(&list(&urls), &["--make", "Acme", "--limit", "5"], 0);
    assert_eq!(
        (&found["answered"], &found["failed"]),
        (&json!(5), &json!(0))
    );
    for ((version, dealer), label) in dealers
        .iter()
        .zip(["1.0", "1.1", "1.2", "1.3", "2.0-draft"])
    {
        let call = dealer.call();
        assert_eq!(call.headers["a2a-extensions"], *version);
        assert_eq!(call.headers["a2a-version"], "1.0");
        assert_eq!(
            *call.payload(),
            json!({
                "type": "inventory.search.request",
                "filters": { "make": ["Acme"] },
                "pagination": { "limit": 5 },
                "privacy": { "anonymous": true },
            })
        );
        let answered = found["dealers"].as_array().unwrap();
        assert!(
            answered
                .iter()
                .any(|it| it["agent"]["aap_version"] == label)
        );
    }
    let bases: Vec<&Value> = found["cars"]
        .as_array()
        .unwrap()
        .iter()
        .map(|car| &car["offers"][0]["price"]["basis"])
        .collect();
    assert_eq!(
        bases,
        [
            "out_the_door",
            "out_the_door",
            "out_the_door",
            "advertised",
            "advertised"
        ]
    );
}

#[test]
fn a_filter_that_a_version_does_not_know_costs_only_that_dealer() {
    let [old, new] = [V1_0, V1_2].map(|version| stocked(version, &[]));
    let found = search(&list(&[&old, &new]), &["--vehicle-type", "motorcycle"], 0);
    assert_eq!(outcomes(&found), ["not_in_version", "answered"]);
    assert!(old.calls().is_empty());
}

#[test]
fn one_car_at_two_dealers_keeps_both_offers_and_their_kinds_of_price() {
    let north = stocked(
        V1_2,
        &[
            json!({ "vin": VIN, "stock": "N-1", "rooftop": "North", "price": 21_000, "vdp_url": "https://n.example/1", "updated_at": "2026-05-01T08:00:00Z" }),
            json!({ "stock": "N-2", "price": 9_000 }),
        ],
    );
    // What 1.0 had besides is no price of ours.
    let south = stocked(
        V1_0,
        &[json!({ "stock": "S-9", "zip": "62701", "offered_price": 1, "list_price": 5 })],
    );
    let west = stocked(
        V1_3,
        &[
            json!({ "vin": VIN.to_lowercase(), "stock": "W-1", "price": 20_000, "list_price": 19_000 }),
            json!({ "stock": "W-2", "price": 30_000 }),
        ],
    );
    let names = format!(
        "{} North\n{} South\n{} West # new",
        north.url(),
        south.url(),
        west.url()
    );
    let found = search(&names, &["--sort", "price:asc", "--price-min", "1"], 0);
    assert_eq!(stocks(&found), ["N-1", "W-2", "N-2", "S-9"]);
    let shared = &found["cars"][0];
    assert_eq!(shared["vin"], VIN);
    let [first, second] = shared["offers"].as_array().unwrap().as_slice() else {
        panic!("{shared:#}");
    };
    let common = |offer: &Value| {
        let mut offer = offer.clone();
        offer.as_object_mut().unwrap().remove("vehicle");
        offer
    };
    assert_eq!(
        common(first),
        json!({
            "dealer": "North",
            "dealer_url": north.url(),
            "rooftop": "North",
            "status": "available",
            "price": { "dollars": 21_000, "basis": "out_the_door" },
            "list_price": null,
            "vdp_url": "https://n.example/1",
            "updated_at": "2026-05-01T08:00:00Z",
        })
    );
    assert_eq!(second["dealer"], "West");
    assert_eq!(
        second["price"],
        json!({ "dollars": 20_000, "basis": "advertised" })
    );
    assert_eq!(second["list_price"], 19_000);
    let old = &found["cars"][3]["offers"][0];
    assert_eq!(old["price"], Value::Null);
    assert_eq!(old["vehicle"]["offered_price"], 1);
    let note = &found["notes"][0];
    assert_eq!(note["code"], "price_bases");
    for words in ["not compared", "come first", "price filter"] {
        assert!(note["message"].as_str().unwrap().contains(words), "{note}");
    }

    let page = buyer_of_many("search", &names, &["--sort", "price:asc"]).assert_exit(0);
    for words in [
        "$21,000",
        "out-the-door",
        "$20,000",
        "advertised",
        "also at",
        "3 of 3 dealers",
    ] {
        assert!(page.stdout.contains(words), "{words} in {}", page.stdout);
    }
    assert_eq!(page.stderr, "", "no progress where nobody watches");
}

#[test]
fn what_dealers_hold_back_is_told() {
    let page = json!({ "type": "inventory.search.response", "message": "More inside.", "data": {
        "total": 41, "skip": 20, "vehicles": [
            { "stock": "N-1", "status": "available" }, { "stock": "N-2", "status": "sold" },
        ] } });
    let dealer = MockDealer::speaking(&[V1_3], &[Reply::Payload(page.to_string())]);
    let found = search(&dealer.url(), &["--skip", "20"], 0);
    let answered = &found["dealers"][0];
    assert_eq!(answered["name"], "Mock Motors");
    assert_eq!(
        [&answered["total"], &answered["skip"], &answered["sent"]],
        [&json!(41), &json!(20), &json!(2)]
    );
    assert_eq!(answered["message"], "More inside.");
    assert_eq!(answered["ignored"].as_array().unwrap().len(), 1);
    assert_eq!(stocks(&found), ["N-1"]);
    assert_eq!(found["notes"][0]["code"], "more_matches");
    let shown = buyer_of_many("search", &dealer.url(), &[])
        .assert_exit(0)
        .stdout;
    assert!(
        shown.contains("41 match, 2 sent, 1 left out; More inside."),
        "{shown}"
    );
}

fn unused_url() -> String {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", unused.local_addr().unwrap())
}

#[test]
fn each_failure_has_its_type_and_costs_only_that_dealer() {
    let well = stocked(V1_3, &[json!({ "stock": "N-1" })]);
    let generic = MockDealer::speaking(&["https://a.example/other"], &[]);
    let newer = MockDealer::speaking(&["https://autoagentprotocol.org/extensions/aap/v9.0"], &[]);
    let no_search = MockDealer::with_card(&card(&[V1_2], &["lead.submit"]), &[]);
    let answering = |reply| MockDealer::speaking(&[V1_3], &[reply]);
    let refusing = answering(refusal("SCHEMA_VALIDATION_FAILED", false, &json!({})));
    let a_page = answering(Reply::Http(200, "text/html", "<p>Sign in".to_owned()));
    let away = answering(Reply::Http(503, "text/html", "<p>Away".to_owned()));
    let strict = answering(Reply::Rpc(json!({
        "code": -32008,
        "message": "this agent requires an extension",
        "data": [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "EXTENSION_SUPPORT_REQUIRED",
            "domain": "a2a-protocol.org",
            "metadata": { "extensionUri": DRAFT, "requiredHeader": DRAFT },
        }],
    })));
    let other_a2a = answering(Reply::Rpc(
        json!({ "code": -32009, "message": "only 0.3 here" }),
    ));
    let failing = answering(Reply::Rpc(json!({ "code": -32603, "message": "oh" })));
    let dealers = [
        &generic, &newer, &no_search, &well, &refusing, &a_page, &away, &strict, &other_a2a,
        &failing,
    ];
    let mut urls = list(&dealers);
    urls.push_str(&format!("\n{}\n{}/nowhere\n", unused_url(), well.url()));
    urls.push_str("http://8.8.8.8\n");
    let found = search(&urls, &["--retries", "0"], 0);
    assert_eq!(
        outcomes(&found),
        [
            "generic_agent",
            "unknown_version",
            "skill_not_listed",
            "answered",
            "refused",
            "bad_answer",
            "unavailable",
            "version_refused",
            "version_refused",
            "protocol_error",
            "unreachable",
            "not_an_agent",
            "address_not_allowed",
        ]
    );
    assert_eq!(
        (&found["answered"], &found["failed"]),
        (&json!(1), &json!(12))
    );
    let failed = |index: usize| &found["dealers"][index];
    assert_eq!(failed(0)["agent"], Value::Null);
    assert_eq!(failed(4)["agent"]["aap_version"], "1.3");
    assert_eq!(
        failed(4)["error"]["aap_error"]["code"],
        "SCHEMA_VALIDATION_FAILED"
    );
    assert_eq!(failed(6)["error"]["retryable"], true);
    assert_eq!(stocks(&found), ["N-1"]);
}

#[test]
fn a_card_of_a2a_0_3_is_read_and_its_agent_not_called() {
    let old = json!({
        "protocolVersion": "0.3.0",
        "name": "Old Motors",
        "description": "A dealer for tests.",
        "version": "1.0.0",
        "url": "ORIGIN/a2a",
        "preferredTransport": "JSONRPC",
        "capabilities": { "extensions": [{ "uri": V1_0 }] },
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{ "id": "inventory.search", "name": "s", "description": "s", "tags": ["cars"] }],
    });
    let old = MockDealer::with_card(&old, &[]);
    let found = search(&old.url(), &[], 4);
    assert_eq!(outcomes(&found), ["no_supported_interface"]);
    let error = found["dealers"][0]["error"]["message"].as_str().unwrap();
    assert!(error.contains("0.3"), "{error}");
    assert!(old.calls().is_empty());
}

#[test]
fn a_dealer_with_three_skills_is_searched() {
    let skills = ["inventory.facets", "inventory.search", "inventory.vehicle"];
    let page = r#"{"type":"inventory.search.response","data":{"total":1,"vehicles":[{"vin":"1HGCY2F57RA000001","status":"available","price":18000}]}}"#;
    let dealer = MockDealer::with_card(&card(&[V1_2], &skills), &[Reply::Payload(page.to_owned())]);
    let found = search(&dealer.url(), &[], 0);
    assert_eq!(
        found["cars"][0]["offers"][0]["price"],
        json!({ "dollars": 18_000, "basis": "out_the_door" })
    );
}

#[test]
fn the_status_says_whether_anybody_answered() {
    let generic = MockDealer::speaking(&["https://a.example/other"], &[]);
    let refusing = MockDealer::speaking(
        &[V1_3],
        &[refusal("SCHEMA_VALIDATION_FAILED", false, &json!({}))],
    );
    let nobody = unused_url();
    for (urls, status) in [
        (format!("{nobody}\n{}", unused_url()), 3),
        (generic.url(), 4),
        (refusing.url(), 1),
        (format!("{}\n{nobody}", generic.url()), 1),
    ] {
        let found = search(&urls, &["--retries", "0"], status);
        assert_eq!(found["answered"], 0);
        let page = buyer_of_many("search", &urls, &["--retries", "0"]).assert_exit(status);
        assert!(page.stdout.contains("failed: "), "{}", page.stdout);
    }
}

#[test]
fn a_dealer_that_is_silent_is_left_at_its_deadline() {
    let silent = [(); 3].map(|()| MockDealer::speaking(&[V1_3], &[Reply::Silence]));
    let urls = list(&silent.iter().collect::<Vec<_>>());
    let found = search(&urls, &["--deadline", "3s"], 3);
    assert_eq!(outcomes(&found), ["deadline"; 3]);
    assert_eq!(found["dealers"][0]["agent"]["name"], "Mock Motors");
    let message = &found["dealers"][0]["error"]["message"];
    assert_eq!(message, "no answer within 3s");

    // The time of all is over before the second one's turn.
    let found = search(&urls, &["--at-once", "1", "--within", "1s"], 3);
    assert_eq!(outcomes(&found), ["deadline", "not_asked", "not_asked"]);
}

#[test]
fn no_more_dealers_are_asked_at_once_than_allowed() {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };
    let under_way = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let page = r#"{"type":"inventory.search.response","data":{"total":0,"vehicles":[]}}"#;
    let dealers: Vec<MockDealer> = (0..6)
        .map(|_| {
            let (under_way, most) = (Arc::clone(&under_way), Arc::clone(&most));
            let replies = [Reply::Payload(page.to_owned())];
            MockDealer::watched(&card(&[V1_3], &SKILLS), &replies, move |_| {
                let now = under_way.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(50));
                under_way.fetch_sub(1, Ordering::SeqCst);
            })
        })
        .collect();
    let urls = list(&dealers.iter().collect::<Vec<_>>());
    let found = search(&urls, &["--at-once", "2"], 0);
    assert_eq!(found["answered"], 6);
    assert!(most.load(Ordering::SeqCst) <= 2);
}

#[test]
fn a_busy_dealer_is_asked_again_within_its_deadline() {
    let page = r#"{"type":"inventory.search.response","data":{"total":0,"vehicles":[]}}"#;
    let busy = |pause: u64| refusal("RATE_LIMITED", true, &json!({ "retry_after_ms": pause }));
    let soon = MockDealer::speaking(
        &[V1_3],
        &[busy(5), busy(5), Reply::Payload(page.to_owned())],
    );
    let late = MockDealer::speaking(&[V1_3], &[busy(60_000)]);
    let found = search(&list(&[&soon, &late]), &[], 0);
    // A pause beyond the deadline is not begun, and the refusal is what is told.
    assert_eq!(outcomes(&found), ["answered", "refused"]);
    assert_eq!((soon.calls().len(), late.calls().len()), (3, 1));
    assert_eq!(
        found["dealers"][1]["error"]["aap_error"]["code"],
        "RATE_LIMITED"
    );
}

#[test]
fn a_list_that_cannot_be_used_is_told_by_line() {
    let list = "https://a.example\ndealer.example\n\nhttps://a.example/\n";
    let outcome = buyer_of_many("search", list, &["--json"]).assert_exit(2);
    assert_eq!(outcome.code(), "invalid_list");
    let problems = outcome.json()["error"]["problems"].clone();
    let lines: Vec<u64> = problems
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [2, 4]);
    for words in ["line 2: \"dealer.example\"", "line 4", "line 1 already"] {
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    }
}

#[test]
fn flags_of_many_and_of_one_do_not_mix() {
    for args in [
        &["http://127.0.0.1:1", "--at-once", "2"][..],
        &["http://127.0.0.1:1", "--deadline", "1s"],
        &["http://127.0.0.1:1", "--dealers", "-"],
        &["--dealers", "-", "--timeout", "5"],
        &["--dealers", "-", "--filters", "-"],
        &["--dealers", "-", "--deadline", "10"],
        &["--dealers", "/nowhere/dealers.txt"],
        &[],
    ] {
        let args = [&["buyer", "search"], args].concat();
        let outcome = Outcome::from(crate::support::run(&args));
        assert_eq!(outcome.exit, 2, "{args:?}: {}", outcome.stderr);
    }
}

#[test]
fn profiles_and_facets_stand_beside_each_other() {
    let info = r#"{"type":"dealer.information.response","data":{"name":"Mock","rooftops":[{"name":"North"}]}}"#;
    let facets =
        r#"{"type":"inventory.facets.response","data":{"makes":[{"value":"Acme","count":3}]}}"#;
    for (verb, payload, words) in [("info", info, "North"), ("facets", facets, "Acme (3)")] {
        let dealer = MockDealer::speaking(&[V1_3], &[Reply::Payload(payload.to_owned())]);
        let urls = format!("{} Ours\n{}", dealer.url(), unused_url());
        let outcome = buyer_of_many(verb, &urls, &["--json", "--retries", "0"]).assert_exit(0);
        let document = outcome.json();
        assert_eq!(outcomes(&document), ["answered", "unreachable"]);
        let sent: Value = serde_json::from_str(payload).unwrap();
        assert_eq!(document["dealers"][0]["answer"], sent);
        let shown = buyer_of_many(verb, &urls, &["--retries", "0"])
            .assert_exit(0)
            .stdout;
        for words in ["== Ours", words, "1 of 2 dealers answered", "failed: "] {
            assert!(shown.contains(words), "{words} in {shown}");
        }
    }
}
