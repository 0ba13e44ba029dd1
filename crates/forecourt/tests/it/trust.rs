//! Which agents a dealer trusts, and what becomes of the leads of the others.

use std::path::Path;

use forecourt::app::migrations;
use serde_json::{Value, json};
use store::Store;

use crate::support::{Server, envelope, exchange, lead, ready_for_leads, run_json};

const CONFIGURATION: &str = r#"
    [dealers.north]
    name = "North Cars"
    agents = { known = ["Example Agent"], held = ["Noisy Agent"] }
    [dealers.north.rooftops.North]
"#;

/// A lead of the agent that gives itself this name.
fn lead_of(agent: &str, number: usize) -> Value {
    let mut payload = lead(number);
    payload["source_agent"]["name"] = json!(agent);
    payload
}

/// Sends a lead with a bearer key; the identifier that the answer gives it.
fn submit(server: &Server, payload: &Value, key: Option<&str>) -> String {
    let bearer = key.map(|key| format!("Bearer {key}"));
    let headers = [("Content-Type", "application/json"), ("A2A-Version", "1.0")];
    let headers: Vec<_> = headers
        .into_iter()
        .chain(bearer.iter().map(|it| ("Authorization", it.as_str())))
        .collect();
    let body = envelope(payload).to_string();
    let reply = exchange(&server.address, "POST", "/a2a", &headers, &body).unwrap();
    let answer = &reply.json()["result"]["message"]["parts"][0]["data"]["data"];
    assert_eq!(answer["status"], "received", "{reply:?}");
    answer["lead_id"].as_str().unwrap().to_owned()
}

/// Whether the agent of a lead is verified, and how far it is trusted.
fn trust(data: &Path, lead_id: &str) -> (bool, String) {
    let file = data.join("forecourt.db");
    let store = Store::open(store::Options::sqlite(file).migrations(&migrations())).unwrap();
    let lead_id = lead_id.to_owned();
    let read = store.read(move |conn| {
        conn.first(
            "SELECT verified, standing FROM lead WHERE dealer = 'north' AND lead_id = $1",
            &[(&lead_id).into()],
            |row| Ok((row.int(0)? != 0, row.text(1)?.to_owned())),
        )
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let found: Result<_, store::Error> = runtime.block_on(read);
    found.unwrap().unwrap()
}

/// A data folder with a configuration whose dealers are ready to take leads.
fn site(configuration: &str) -> tempfile::TempDir {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("forecourt.toml");
    std::fs::write(&file, configuration).unwrap();
    ready_for_leads(&file, &["--data", data.path().to_str().unwrap()]);
    data
}

fn cli(data: &Path, args: &[&str]) -> (i32, Value) {
    run_json(&[args, &["--data", data.to_str().unwrap(), "--json"]].concat())
}

#[test]
fn leads_of_a_held_agent_wait_until_a_person_lets_them_go() {
    let data = site(CONFIGURATION);
    let server = Server::start(&["serve", "--data", data.path().to_str().unwrap()]);
    submit(&server, &lead_of("Other Agent", 1), None);
    let first = submit(&server, &lead_of("noisy agent", 2), None);
    submit(&server, &lead_of("Noisy Agent", 3), None);
    submit(&server, &lead_of("Noisy Agent", 4), None);
    let held = |expected: usize| {
        let (_, held) = cli(data.path(), &["leads", "held"]);
        assert_eq!(held["held"].as_array().unwrap().len(), expected, "{held:#}");
        let (_, status) = cli(data.path(), &["status"]);
        assert_eq!(status["leads"][0]["held"], json!(expected), "{status:#}");
        let told = status["alarms"].as_array().unwrap().iter();
        let told = told.filter(|it| it["kind"] == "leads_held").count();
        assert_eq!(told, usize::from(expected > 0), "{status:#}");
    };
    held(3);
    let (_, released) = cli(data.path(), &["leads", "release", &first]);
    assert_eq!(released["released"], json!([first]));
    held(2);
    let (status, refused) = cli(data.path(), &["leads", "release", &first]);
    assert_eq!((status, &refused["error"]["code"]), (1, &json!("not_held")));
    let (_, released) = cli(data.path(), &["leads", "release", "--agent", "NOISY AGENT"]);
    assert_eq!(released["released"].as_array().unwrap().len(), 2);
    held(0);
}

#[test]
fn an_agent_is_verified_by_the_key_that_bears_its_name_and_by_no_other() {
    let data = site(CONFIGURATION);
    let key = |name: &str, scope: &str| {
        let create = ["key", "create", "--name", name, "--scope", scope];
        let (status, made) = cli(data.path(), &create);
        assert_eq!(status, 0, "{made:#}");
        made["key"].as_str().unwrap().to_owned()
    };
    let example = key("Example Agent", "agent");
    let other = key("Other Agent", "agent");
    let feeds = key("Third Agent", "feeds");
    let server = Server::start(&["serve", "--data", data.path().to_str().unwrap()]);
    for (number, (name, key, verified, standing)) in [
        ("example agent", Some(example.as_str()), true, "known"),
        ("Example Agent", None, false, "open"),
        ("Example Agent", Some(other.as_str()), false, "open"),
        ("Other Agent", Some(other.as_str()), true, "open"),
        ("Third Agent", Some(feeds.as_str()), false, "open"),
        ("Example Agent", Some("not-a-key"), false, "open"),
    ]
    .into_iter()
    .enumerate()
    {
        let lead_id = submit(&server, &lead_of(name, number), key);
        let expected = (verified, standing.to_owned());
        assert_eq!(trust(data.path(), &lead_id), expected, "{name} {number}");
    }
    assert_eq!(cli(data.path(), &["key", "revoke", "Example Agent"]).0, 0);
    let lead_id = submit(&server, &lead_of("Example Agent", 9), Some(&example));
    assert_eq!(trust(data.path(), &lead_id), (false, "known".to_owned()));
}

#[test]
fn a_lead_from_a_region_that_the_dealer_does_not_serve_is_rejected_and_kept() {
    let serves = "serves = { countries = [\"US\", \"CA\"], states = [\"VT\", \"NY\"] }\nagents";
    let data = site(&CONFIGURATION.replace("agents", serves));
    let server = Server::start(&["serve", "--data", data.path().to_str().unwrap()]);
    let ask = |number, address: Value| {
        let mut payload = lead(number);
        payload["customer"]["address"] = address;
        server.answer(&payload)
    };
    let answer = ask(1, json!({ "state": "New York", "zip": "10001" }));
    assert_eq!(answer["data"]["status"], "received", "{answer:#}");
    let answer = ask(2, json!({ "country": "US", "state": "TX" }));
    assert_eq!(answer["data"]["status"], "rejected", "{answer:#}");
    let message = answer["message"].as_str().unwrap();
    assert!(
        message.contains("Vermont, New York and Canada only"),
        "{message}"
    );
    assert!(
        !message.contains("Texas") && !message.contains("TX"),
        "{message}"
    );
    let lead_id = answer["data"]["lead_id"].as_str().unwrap();
    let (_, shown) = cli(data.path(), &["leads", "show", lead_id]);
    assert_eq!(shown["status"], "rejected");
    assert_eq!(shown["deliveries_due"], 0);
    assert!(shown["consent_as_received"].is_string(), "{shown:#}");
    assert_eq!(ask(2, json!({ "country": "US", "state": "TX" })), answer);
}

const TWO_ROOFTOPS: &str = r#"
    trusted_proxies = ["127.0.0.1"]
    [dealers.north]
    name = "North Cars"
    default_rooftop = "South"
    ownership = ["East", "North"]
    [dealers.north.rooftops.North]
    feed_id = "N"
    [dealers.north.rooftops.South]
    feed_id = "S"
    [dealers.north.rooftops.East]
    feed_id = "E"
    [dealers.north.feeds.stock]
"#;

const STOCK: &str = "\
DealerID,Stock,VIN,Year,Make,Model
N,N1,1HGCM82633A004352,2003,Honda,Accord
E,E1,1HGCM82633A004352,2003,Honda,Accord
N,N2,1FTFW1ET5DFC10312,2013,Ford,F-150
E,E2,2T1BURHE0JC074346,2018,Toyota,Corolla
";

#[test]
fn a_lead_goes_to_the_rooftop_that_owns_its_car_or_had_it_else_to_the_default() {
    let data = site(TWO_ROOFTOPS);
    let import = |text: &str| {
        let file = data.path().join("stock.csv");
        std::fs::write(&file, text).unwrap();
        let (status, report) = cli(data.path(), &["import", file.to_str().unwrap()]);
        assert_eq!(status, 0, "{report:#}");
    };
    import(STOCK);
    // The Corolla is sold.
    import(STOCK.rsplit_once("E,E2").unwrap().0);
    let server = Server::start(&["serve", "--data", data.path().to_str().unwrap()]);
    for (number, (vehicle, rooftop, stock)) in [
        (json!({ "vin": "1HGCM82633A004352" }), "East", json!("E1")),
        (json!({ "stock": "e1" }), "East", json!("E1")),
        (json!({ "vin": "1FTFW1ET5DFC10312" }), "North", json!("N2")),
        (json!({ "vin": "2T1BURHE0JC074346" }), "East", Value::Null),
        (json!({ "stock": "nothing" }), "South", Value::Null),
        (json!({ "make": "Honda" }), "South", Value::Null),
        (Value::Null, "South", Value::Null),
    ]
    .into_iter()
    .enumerate()
    {
        let mut payload = lead(number);
        if vehicle.is_object() {
            payload["vehicle_of_interest"] = vehicle.clone();
        }
        let answer = server.answer(&payload);
        let lead_id = answer["data"]["lead_id"].as_str().unwrap();
        let (_, shown) = cli(data.path(), &["leads", "show", lead_id]);
        assert_eq!(
            (&shown["rooftop"], &shown["stock"]),
            (&json!(rooftop), &stock),
            "{vehicle}"
        );
    }
}

#[test]
fn leads_about_one_person_are_limited_and_nobody_learns_of_those_of_others() {
    let data = site(TWO_ROOFTOPS);
    let server = Server::start(&["serve", "--data", data.path().to_str().unwrap()]);
    let ask = |host: u8, payload: &Value, context: Option<&str>| {
        let from = format!("203.0.113.{host}");
        let headers = [
            ("Content-Type", "application/json"),
            ("X-Forwarded-For", from.as_str()),
        ];
        let mut message = envelope(payload);
        message["params"]["message"]["contextId"] = json!(context);
        let body = message.to_string();
        let reply = exchange(&server.address, "POST", "/a2a", &headers, &body).unwrap();
        let error = reply.json()["error"]["data"].clone();
        assert_eq!(reply.header("retry-after").is_some(), !error.is_null());
        error
    };
    // Another car and another tag each time, one person.
    let about = |number: u8, key: &str| {
        let mut payload = lead(1);
        payload["customer"]["email"] = json!(format!("Buyer-1+{number}@example.com"));
        payload["vehicle_of_interest"] = json!({ "model": format!("Model {number}") });
        payload["idempotency_key"] = json!(format!("{key}-{number}"));
        payload
    };
    for host in [1, 2] {
        let (key, context) = (host.to_string(), format!("context-{host}"));
        let again = format!("{key} again");
        for number in 0..5 {
            let ask = |payload: Value| ask(host, &payload, Some(&context));
            assert_eq!(ask(about(number, &key)), Value::Null);
            assert_eq!(ask(about(number, &key)), Value::Null, "a replay");
            assert_eq!(ask(about(number, &again)), Value::Null, "a repeat");
        }
        let refused = ask(host, &about(9, &key), None);
        assert_eq!(refused["code"], "RATE_LIMITED", "{refused:#}");
        let wait = refused["details"]["retry_after_ms"].as_u64().unwrap();
        assert!((300_000..=360_000).contains(&wait), "{wait}");
        let others = ask(host, &about(0, "guessed"), Some("another"));
        assert_eq!(
            others["code"], "RATE_LIMITED",
            "a repeat of somebody else's"
        );
        assert_eq!(ask(host, &lead(2), None), Value::Null, "another person");
    }
}
