//! The demo with faults on purpose, and a buyer who meets them.

use std::thread;

use serde_json::Value;

use super::{
    market::{outcomes, search},
    mock::{Outcome, buyer},
};
use crate::support::{self, Server};

const FAULTS: [&str; 5] = ["slow", "error", "malformed", "rate-limited", "gone"];

fn faulty(fault: &str) -> Server {
    Server::start(&["serve", "--demo", "--fault", fault])
}

fn url(server: &Server) -> String {
    format!("http://{}", server.address)
}

#[test]
fn one_search_over_dealers_that_fail_in_every_way() {
    let well = thread::spawn(|| Server::start(&["serve", "--demo"]));
    let faulty = FAULTS.map(|fault| thread::spawn(move || faulty(fault)));
    let well = well.join().unwrap();
    let faulty = faulty.map(|server| server.join().unwrap());
    let urls: Vec<String> = [&well].into_iter().chain(&faulty).map(url).collect();
    let args = [
        "--make",
        "Honda",
        "--sort",
        "mileage:asc",
        "--deadline",
        "12s",
    ];
    let found = search(&urls.join("\n"), &args, 0);

    assert_eq!(
        outcomes(&found),
        [
            "answered",
            "deadline",
            "refused",
            "bad_answer",
            "answered",
            "answered"
        ]
    );
    let failed = &found["dealers"][2]["error"];
    assert_eq!(failed["aap_error"]["code"], "INTERNAL_ERROR");
    assert_eq!(failed["retryable"], true);
    // The same demo three times over: every car with a VIN is one, with three offers.
    let cars = found["cars"].as_array().unwrap();
    assert!(!cars.is_empty());
    for car in cars.iter().filter(|car| !car["vin"].is_null()) {
        let offers = car["offers"].as_array().unwrap();
        let at: Vec<&Value> = offers.iter().map(|offer| &offer["dealer_url"]).collect();
        assert_eq!(at, [&urls[0], &urls[4], &urls[5]], "{car:#}");
    }
    let mileage = |car: &Value| car["offers"][0]["vehicle"]["mileage"].as_u64();
    assert!(cars.iter().filter_map(mileage).is_sorted());

    // What the search finds is gone when it is asked for.
    let vin = cars.iter().find_map(|car| car["vin"].as_str()).unwrap();
    let outcome = buyer("vehicle", &urls[5], &["--vin", vin, "--json"]).assert_exit(1);
    assert_eq!(outcome.json()["code"], "VEHICLE_UNAVAILABLE");
    buyer("vehicle", &urls[0], &["--vin", vin]).assert_exit(0);

    // Every further kind of malformed answer is seen as one.
    for _ in 0..4 {
        let outcome = buyer("info", &urls[3], &["--json"]).assert_exit(4);
        assert_eq!(outcome.code(), "bad_answer");
    }
}

#[test]
fn faults_are_for_the_demo_only() {
    for args in [
        &["serve", "--fault", "slow"][..],
        &["serve", "--demo", "--fault", "flaky"],
    ] {
        let outcome = Outcome::from(support::run(args));
        assert_eq!(outcome.exit, 2, "{}", outcome.stderr);
    }
    let help = Outcome::from(support::run(&["serve", "--help"])).assert_exit(0);
    for fault in FAULTS {
        let line = help
            .stdout
            .lines()
            .find(|line| line.contains(&format!("- {fault}:")));
        assert!(line.is_some(), "{fault} in {}", help.stdout);
    }
}
