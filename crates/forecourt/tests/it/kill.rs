//! The first promise: what was answered `received` is there after the process was killed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::mpsc,
    thread,
};

use serde_json::Value;

use crate::support::{Server, lead, run_json, send};

const ROUNDS: usize = 20;
const CALLERS: usize = 64;

#[test]
fn every_acknowledged_lead_survives_a_kill_and_none_is_there_twice() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().to_str().unwrap();
    let mut acknowledged: BTreeMap<String, String> = BTreeMap::new();
    let mut cut_off = 0;
    for round in 0..ROUNDS {
        let mut server = Server::demo(data.path());
        // What an earlier round sent is answered again as the first time, and what was cut off is
        // taken now: a caller that retries under its key ends up with one lead.
        for number in numbers(round.wrapping_sub(1), 4) {
            let answer = server.answer(&lead(number));
            let id = answer["data"]["lead_id"].as_str().unwrap().to_owned();
            let first = acknowledged
                .entry(email(number))
                .or_insert_with(|| id.clone());
            assert_eq!(*first, id, "a repeat got another lead");
        }
        let (answered, answers) = mpsc::channel();
        let callers: Vec<_> = numbers(round, CALLERS)
            .map(|number| {
                let (address, answered) = (server.address.clone(), answered.clone());
                thread::spawn(move || {
                    let reply = send(&address, &lead(number));
                    answered.send((number, reply)).unwrap();
                })
            })
            .collect();
        drop(answered);
        // The kill comes after none, some or most of the answers, another point in each round.
        let kill_after = round * 3;
        for (seen, (number, reply)) in answers.iter().enumerate() {
            match reply {
                Ok((_, body)) => {
                    let reply: Value = serde_json::from_str(&body).unwrap();
                    let data = &reply["result"]["message"]["parts"][0]["data"]["data"];
                    assert_eq!(data["status"], "received", "{reply:#}");
                    let id = data["lead_id"].as_str().unwrap().to_owned();
                    acknowledged.insert(email(number), id);
                }
                Err(_) => cut_off += 1,
            }
            if seen == kill_after {
                server.kill();
            }
        }
        for caller in callers {
            caller.join().unwrap();
        }
        drop(server);
        check(folder, &acknowledged);
    }
    assert!(cut_off > 0, "no kill came while a lead was under way");
    assert!(acknowledged.len() > CALLERS, "too few leads were answered");
}

/// Everything acknowledged is in the list under its id, and nobody is there twice.
fn check(folder: &str, acknowledged: &BTreeMap<String, String>) {
    let (status, list) = run_json(&[
        "leads", "list", "--data", folder, "--json", "--limit", "100000",
    ]);
    assert_eq!(status, 0);
    let mut stored = BTreeMap::new();
    for lead in list["leads"].as_array().unwrap() {
        let email = lead["person"]["email"].as_str().unwrap().to_owned();
        let id = lead["lead_id"].as_str().unwrap().to_owned();
        assert!(
            stored.insert(email.clone(), id).is_none(),
            "{email} is there twice"
        );
    }
    let missing: BTreeSet<_> = acknowledged
        .iter()
        .filter(|(email, id)| stored.get(*email) != Some(id))
        .collect();
    assert!(
        missing.is_empty(),
        "acknowledged and not there: {missing:?}"
    );
}

fn numbers(round: usize, count: usize) -> std::ops::Range<usize> {
    let start = round.wrapping_mul(CALLERS);
    if round >= ROUNDS {
        return 0..0;
    }
    start..start + count
}

fn email(number: usize) -> String {
    format!("buyer-{number}@example.com")
}
