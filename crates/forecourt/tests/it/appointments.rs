//! Appointments: many callers at once, a restart, people at the command line, and the edges of
//! daylight saving on the wire.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc, thread};

use a2a_server::Agent;
use aap::Profile;
use dealers::{Dealer, DealerId};
use forecourt::{agent::DealerAgent, lot::Lot};
use inventory::snapshot::Snapshot;
use jiff::{SignedDuration, Timestamp};
use leads::{HashKey, Vault};
use serde_json::{Value, json};
use store::{Clock, Store};
use testkit::contract::{contract, draft_contract};

use crate::{
    profiles::aap_error,
    support::{Server, exchange, lead, ready_for_leads, run, run_json, send},
};

const CALLERS: usize = 200;

/// A rooftop that is open around the clock, so that the day of the test does not matter.
fn configure(folder: &Path, appointments: &str) -> String {
    let file = folder.join("forecourt.toml");
    let hours = "{ open = \"00:00\", close = \"23:59\" }";
    let days = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ]
    .map(|day| format!("value.{day} = {hours}\n"));
    let text = format!(
        "[dealers.group]\nname = \"Group Motors\"\n\
         [dealers.group.rooftops.North]\ntimezone = \"America/Chicago\"\n\
         phones = [{{ value = \"+12175550100\" }}]\n\
         [[dealers.group.rooftops.North.schedules]]\n{}\
         [dealers.group.rooftops.North.appointments]\n{appointments}\n",
        days.concat()
    );
    fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap().to_owned();
    ready_for_leads(&file, &["--config", &path]);
    path
}

/// The half hour that comes in two days.
fn soon() -> Timestamp {
    let half_hour = 30 * 60;
    let second = Clock::system().now().as_second() + 48 * 60 * 60;
    Timestamp::from_second(second / half_hour * half_hour).unwrap()
}

fn wish(number: usize, at: &str) -> Value {
    let mut wish = lead(number);
    wish["appointment"] = json!({ "appointment_type": "sales", "appointment_at": at });
    wish
}

fn appointment(answer: &Value) -> &Value {
    &answer["data"]["appointment"]
}

#[test]
fn of_many_who_want_one_place_at_once_one_gets_it() {
    for (settings, got) in [("confirm = true", "confirmed"), ("", "requested")] {
        let folder = tempfile::tempdir().unwrap();
        let config = configure(folder.path(), settings);
        let server = Server::start(&["serve", "--config", &config]);
        let at = soon();
        let callers: Vec<_> = (0..CALLERS)
            .map(|number| {
                let (address, wish) = (server.address.clone(), wish(number, &at.to_string()));
                thread::spawn(move || send(&address, &wish).unwrap())
            })
            .collect();
        let mut outcomes = BTreeMap::new();
        for caller in callers {
            let (_, body) = caller.join().unwrap();
            let reply: Value = serde_json::from_str(&body).unwrap();
            let answer = &reply["result"]["message"]["parts"][0]["data"];
            assert_eq!(answer["data"]["status"], "received", "{reply:#}");
            let appointment = appointment(answer);
            let status = appointment["status"].as_str().unwrap().to_owned();
            let proposed = appointment["proposed_times"].as_array();
            assert_eq!(proposed.map(Vec::len), (status == "proposed").then_some(3));
            let booked = appointment["confirmed_at"].as_str();
            let booked: Option<Timestamp> = booked.map(|at| at.parse().unwrap());
            assert_eq!(booked, (status == "confirmed").then_some(at));
            *outcomes.entry(status).or_insert(0) += 1;
        }
        let expected = [(got.to_owned(), 1), ("proposed".to_owned(), CALLERS - 1)];
        assert_eq!(outcomes, BTreeMap::from(expected));
    }
}

#[test]
fn a_buyer_chooses_a_proposed_time_and_no_restart_gives_it_away() {
    let folder = tempfile::tempdir().unwrap();
    let config = configure(folder.path(), "confirm = true");
    let serve = || Server::start(&["serve", "--config", &config]);
    let mut server = serve();
    let at = soon().to_string();
    let first = server.answer(&wish(1, &at));
    assert_eq!(appointment(&first)["status"], "confirmed");
    let second = server.answer(&wish(2, &at));
    let chosen = appointment(&second)["proposed_times"][0].as_str().unwrap();
    let chosen = chosen.to_owned();
    server.kill();

    let server = serve();
    assert_eq!(
        server.answer(&wish(1, &at)),
        first,
        "the same key, the same answer"
    );
    // A fresh lead of the same person, with a key of its own.
    let mut fresh = wish(2, &chosen);
    fresh["idempotency_key"] = json!("chosen");
    let booked = server.answer(&fresh);
    assert_eq!(appointment(&booked)["status"], "confirmed");
    assert_eq!(appointment(&booked)["confirmed_at"], json!(chosen));
    assert_eq!(booked["data"]["dealer"]["phone"], "+12175550100");
    for (number, taken) in [(3, &at), (4, &chosen)] {
        let late = server.answer(&wish(number, taken));
        assert_eq!(appointment(&late)["status"], "proposed", "{taken}");
    }
}

#[test]
fn people_confirm_move_cancel_and_export_appointments() {
    let folder = tempfile::tempdir().unwrap();
    let config = configure(folder.path(), "");
    let server = Server::start(&["serve", "--config", &config]);
    let at = soon();
    let asked = server.answer(&wish(1, &at.to_string()));
    let id = appointment(&asked)["appointment_id"].as_str().unwrap();
    let appointments = |args: &[&str]| {
        let common = ["--config", &config, "--json"];
        run_json(&[&["appointments"], args, &common].concat())
    };
    let free = || {
        let (exit, document) = appointments(&["free", "North", "sales"]);
        assert_eq!(exit, 0, "{document:#}");
        let free = document["free"].as_array().unwrap().clone();
        let at_it = |time: &Value| time.as_str().unwrap().parse::<Timestamp>().unwrap() == at;
        free.iter().any(at_it)
    };
    assert!(!free(), "it is held");

    let (exit, listed) = appointments(&["list", "--status", "requested"]);
    assert_eq!(exit, 0);
    assert_eq!(listed["appointments"][0]["appointment_id"], id);
    assert_eq!(listed["appointments"][0]["person"]["last_name"], "Buyer");
    let (exit, confirmed) = appointments(&["confirm", id]);
    assert_eq!((exit, &confirmed["changed"]), (0, &json!(true)));
    assert_eq!(confirmed["appointment"]["status"], "confirmed");
    let (_, shown) = run_json(&["leads", "list", "--config", &config, "--json"]);
    assert_eq!(shown["leads"][0]["appointment"]["status"], "confirmed");

    let other = server.answer(&wish(2, &(at + SignedDuration::from_hours(1)).to_string()));
    let other = appointment(&other)["appointment_id"].as_str().unwrap();
    let (exit, refused) = appointments(&["confirm", other, "--at", &at.to_string()]);
    assert_eq!(
        (exit, &refused["error"]["code"]),
        (1, &json!("time_not_free"))
    );
    assert_eq!(refused["error"]["times"].as_array().unwrap().len(), 3);

    let calendar = |args: &[&str]| {
        let common = ["appointments", "calendar", "--config", &config];
        let output = run(&[&common, args].concat());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let plain = calendar(&["--rooftop", "North"]);
    assert!(plain.contains(&format!("UID:{id}\r\n")), "{plain}");
    assert!(plain.ends_with("END:VCALENDAR\r\n"), "{plain}");
    assert!(plain.contains("STATUS:CONFIRMED\r\n"));
    assert!(!plain.contains("Buyer"), "{plain}");
    assert!(calendar(&["--with-names"]).contains("Test1 Buyer"));

    let (_, key) = run_json(&[
        "key", "create", "--name", "crm", "--scope", "leads", "--config", &config, "--json",
    ]);
    let bearer = format!("Bearer {}", key["key"].as_str().unwrap());
    let get = |path: &str| {
        let headers = [("Authorization", bearer.as_str())];
        exchange(&server.address, "GET", path, &headers, "").unwrap()
    };
    let page = get("/api/appointments?status=confirmed&limit=1").json();
    assert_eq!(page["appointments"][0]["appointment_id"], id);
    assert_eq!(page["more"], false);
    assert_eq!(get("/api/appointments?limit=1").json()["more"], true);
    assert_eq!(get("/api/appointments?kind=haircut").status, 400);
    let served = get("/api/appointments.ics?rooftop=North");
    assert_eq!(
        served.header("content-type"),
        Some("text/calendar; charset=utf-8")
    );
    assert!(served.body.contains(&format!("UID:{id}\r\n")));
    assert!(!served.body.contains("Buyer"));
    let named = get("/api/appointments.ics?with_names=true").body;
    assert!(named.contains("Test1 Buyer"), "{named}");

    let (exit, canceled) = appointments(&["cancel", id, "--reason", "buyer"]);
    assert_eq!((exit, &canceled["changed"]), (0, &json!(true)));
    assert!(free(), "the time was given back");
    let human = run(&["appointments", "list", "--config", &config]);
    let human = String::from_utf8(human.stdout).unwrap();
    assert!(
        human.contains("Test1") && human.contains(" canceled "),
        "{human}"
    );
    let (exit, unknown) = appointments(&["cancel", "nobody"]);
    assert_eq!(
        (exit, &unknown["error"]["code"]),
        (1, &json!("appointment_not_found"))
    );
}

/// An agent in New York, open all night, at noon of a day.
fn agent(profile: Profile, now: &str, settings: &Value) -> DealerAgent {
    let dealer: Dealer = serde_json::from_value(json!({
        "name": "Night Motors",
        "rooftops": { "East": {
            "timezone": "America/New_York",
            "schedules": [{ "value": {
                "saturday": { "open": "22:00", "close": "06:00" },
                "sunday": { "open": "09:00", "close": "12:00" },
            } }],
            "appointments": settings,
            "phones": [{ "value": "+12125550100" }],
        } },
    }))
    .unwrap();
    let order = vec!["East".to_owned()];
    let snapshot = Snapshot::build(Vec::new(), Vec::new(), &order, 1).unwrap();
    let clock = Clock::manual(now.parse().unwrap());
    let store = Store::temporary(&forecourt::app::migrations(), clock).unwrap();
    let id: DealerId = "night".parse().unwrap();
    let lot = Arc::new(Lot::with_stock(id, dealer, snapshot));
    DealerAgent::new(profile, lot, store, HashKey::new([7; 32]), Vault::open())
}

async fn ask(agent: &DealerAgent, payload: &Value) -> Result<Value, Value> {
    let request = json!({ "message": {
        "messageId": "m-1", "role": "ROLE_USER", "parts": [{ "data": payload }],
    } });
    let call = a2a_server::Call::new("1.0".parse().unwrap());
    let request = serde_json::from_value(request).unwrap();
    let turn = a2a_server::Turn::new(request, call);
    match agent.answer(turn).await {
        Ok(a2a_server::Answer::Message(message)) => {
            let reply = serde_json::to_value(&message).unwrap();
            Ok(reply["parts"][0]["data"].clone())
        }
        Ok(a2a_server::Answer::Task(_)) => panic!("a dealer agent has no tasks"),
        Err(error) => {
            let reply = a2a::jsonrpc::write_error(&a2a::jsonrpc::Id::null(), &error);
            Err(serde_json::from_slice(&reply).unwrap())
        }
    }
}

#[tokio::test]
async fn every_outcome_is_what_the_contract_has_at_both_edges_of_daylight_saving() {
    let settings = json!({ "confirm": true });
    // The wish, then what is answered: a start, or a list of them. Twice the same hour in autumn;
    // in spring two in the morning is three.
    let autumn = (
        "2026-10-31T12:00:00-04:00",
        [
            (
                "2026-11-01T01:30:00-04:00",
                json!("2026-11-01T01:30:00-04:00"),
            ),
            (
                "2026-11-01T01:30:00-05:00",
                json!("2026-11-01T01:30:00-05:00"),
            ),
            (
                "2026-11-01T05:30:00Z",
                json!([
                    "2026-11-01T00:30:00-04:00",
                    "2026-11-01T01:00:00-04:00",
                    "2026-11-01T01:00:00-05:00"
                ]),
            ),
        ],
    );
    let spring = (
        "2026-03-07T12:00:00-05:00",
        [
            (
                "2026-03-08T02:00:00-05:00",
                json!("2026-03-08T03:00:00-04:00"),
            ),
            (
                "2026-03-08T01:30:00-05:00",
                json!("2026-03-08T01:30:00-05:00"),
            ),
            (
                "2026-03-08T03:00:00-04:00",
                json!([
                    "2026-03-08T01:00:00-05:00",
                    "2026-03-08T03:30:00-04:00",
                    "2026-03-08T04:00:00-04:00"
                ]),
            ),
        ],
    );
    for (profile, contract) in [
        (Profile::V1_3, contract()),
        (Profile::Draft2, draft_contract()),
    ] {
        for (now, wishes) in [&autumn, &spring] {
            let agent = agent(profile, now, &settings);
            for (number, (at, expected)) in wishes.iter().enumerate() {
                let mut wish = wish(number, at);
                wish["consent"]["granted_at"] = json!(now);
                let answer = ask(&agent, &wish).await.unwrap();
                if let Some(contract) = contract {
                    contract.assert_accepts("lead-submit-response.schema.json", &answer);
                }
                let member = match expected.is_array() {
                    true => "proposed_times",
                    false => "confirmed_at",
                };
                assert_eq!(appointment(&answer)[member], *expected, "{at}");
            }
        }
    }
}

#[tokio::test]
async fn a_rooftop_that_refuses_says_which_times_are_free() {
    for (profile, contract) in [
        (Profile::V1_3, contract()),
        (Profile::Draft2, draft_contract()),
    ] {
        let now = "2026-10-31T12:00:00-04:00";
        let agent = agent(profile, now, &json!({ "when_full": "refuse" }));
        let mut noon = wish(1, "2026-11-01T14:00:00-05:00");
        noon["consent"]["granted_at"] = json!(now);
        let error = aap_error(profile, &ask(&agent, &noon).await.unwrap_err());
        if let Some(contract) = contract {
            contract.assert_accepts("error.schema.json", &error);
        }
        assert_eq!(error["code"], "APPOINTMENT_TIME_UNAVAILABLE");
        assert_eq!(error["retryable"], false);
        let details = &error["details"];
        assert_eq!(
            details["errors"][0]["instanceLocation"],
            "/appointment/appointment_at"
        );
        let free = details["proposed_times"][2].as_str().unwrap().to_owned();
        assert_eq!(free, "2026-11-01T11:30:00-05:00");
        noon["appointment"]["appointment_at"] = json!(free);
        let answer = ask(&agent, &noon).await.unwrap();
        assert_eq!(appointment(&answer)["status"], "requested");
    }
}
