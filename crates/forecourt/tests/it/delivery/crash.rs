//! Kills and restarts while leads are under way.

use std::{
    collections::{BTreeMap, BTreeSet},
    thread,
    time::Duration,
};

use aap::lead::DealerContact;
use leads::{
    Caller, HashKey, NewDelivery, NewLead, Origin, Purpose, Submission, Vault, VehicleMatch,
};
use store::{Clock, Options, Store};

use super::*;
use crate::support::send;

/// How often each mail arrived, by its name.
fn arrivals(sink: &MailSink) -> BTreeMap<String, usize> {
    let mut arrivals = BTreeMap::new();
    for mail in sink.mails() {
        *arrivals.entry(message_id(&mail)).or_default() += 1;
    }
    arrivals
}

#[test]
fn a_kill_between_send_and_mark_loses_nothing_and_a_receiver_can_tell_the_repeats() {
    const ROUNDS: usize = 6;
    const LEADS: usize = 25;
    let folder = tempfile::tempdir().unwrap();
    let sink = MailSink::start();
    let config = configure(folder.path(), &sink);
    let mut acknowledged = BTreeSet::new();
    for round in 0..ROUNDS {
        let mut server = serve(&config);
        let callers: Vec<_> = (0..LEADS)
            .map(|number| {
                let address = server.address.clone();
                let lead = lead(round * LEADS + number);
                thread::spawn(move || send(&address, &lead))
            })
            .collect();
        for caller in callers {
            let (_, body) = caller.join().unwrap().unwrap();
            let reply: Value = serde_json::from_str(&body).unwrap();
            let data = &reply["result"]["message"]["parts"][0]["data"]["data"];
            acknowledged.insert(data["lead_id"].as_str().unwrap().to_owned());
        }
        // As soon as the receiver has some of this round's, in the midst of the others.
        let before = sink.mails().len();
        while sink.mails().len() < before + round {
            thread::sleep(Duration::from_millis(1));
        }
        server.kill();
    }
    assert_eq!(acknowledged.len(), ROUNDS * LEADS);
    // A lease that a killed worker held ends by itself.
    let _server = serve(&config);
    let leads = leads_are(&config, "sent", ROUNDS * LEADS);
    let kept: BTreeSet<String> = leads
        .iter()
        .map(|lead| lead["lead_id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kept, acknowledged);
    let arrivals = arrivals(&sink);
    assert_eq!(arrivals.len(), acknowledged.len(), "each arrived");
    let most = arrivals.values().max().unwrap();
    assert!(*most <= 2, "one came {most} times");
    let tries = |lead: &Value| lead["deliveries"][0]["attempts"].as_u64().unwrap();
    assert!(
        leads.iter().any(|lead| tries(lead) > 1),
        "no kill came while a lead was being sent"
    );
    for lead in leads {
        assert_eq!(lead["deliveries"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn ten_thousand_leads_that_wait_go_after_a_restart() {
    const LEADS: usize = 10_000;
    let folder = tempfile::tempdir().unwrap();
    let sink = MailSink::start();
    let config = write(folder.path(), &sink);
    let data = folder.path().join("forecourt-data");
    queue(&data, LEADS);
    let waiting = ask(&config, &["status"]);
    assert_eq!(waiting["destinations"][0]["waiting"], LEADS);

    // A quarter goes, then the process is killed; another quarter, then it is told to end.
    let mut server = serve(&config);
    until_taken(&sink, LEADS / 4);
    server.kill();
    let mut server = serve(&config);
    until_taken(&sink, LEADS / 2);
    assert!(server.terminate().success());
    let server = serve(&config);
    let before = server.peak_memory();
    eventually("nothing waits", || {
        let status = ask(&config, &["status"]);
        status["destinations"][0]["waiting"] == 0
    });
    if let (Some(before), Some(after)) = (before, server.peak_memory()) {
        let grown = after.saturating_sub(before) >> 20;
        println!(
            "{} MiB at the start, {grown} more while thousands of leads went",
            before >> 20
        );
        assert!(grown < 100, "{grown} MiB more");
    }
    let sent = ask(
        &config,
        &["deliveries", "list", "--state", "sent", "--limit", "20000"],
    );
    assert_eq!(sent["deliveries"].as_array().unwrap().len(), LEADS);
    let all = ask(&config, &["deliveries", "list", "--limit", "20000"]);
    assert_eq!(all["deliveries"].as_array().unwrap().len(), LEADS);
    let arrivals = arrivals(&sink);
    assert_eq!(arrivals.len(), LEADS, "each arrived");
    let repeated = arrivals.values().filter(|times| **times > 1).count();
    assert!(
        repeated <= 16,
        "{repeated} came more than once after one kill"
    );
}

fn until_taken(sink: &MailSink, count: usize) {
    eventually("the receiver has some", || sink.count() >= count);
}

/// Takes leads while no server runs.
fn queue(data: &Path, count: usize) {
    fs::create_dir_all(data).unwrap();
    let store = Store::open(
        Options::sqlite(data.join(forecourt::backup::DATABASE_FILE))
            .migrations(&forecourt::app::migrations()),
    )
    .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let numbers: Vec<usize> = (0..count).collect();
    for some in numbers.chunks(500) {
        let clock = store.clock().clone();
        let leads: Vec<_> = some.iter().map(|number| taken(&clock, *number)).collect();
        let accept = move |conn: &mut dyn store::Conn| {
            leads
                .iter()
                .try_for_each(|lead| leads::accept(conn, &Vault::open(), lead).map(drop))
        };
        runtime.block_on(store.write(accept)).unwrap();
    }
}

fn taken(clock: &Clock, number: usize) -> Submission {
    let request = lead(number);
    let lead = NewLead {
        dealer: "group".parse().unwrap(),
        lead_id: clock.new_id().into(),
        appointment_id: clock.new_id().into(),
        deliveries: vec![NewDelivery {
            delivery_id: clock.new_id().into(),
            destination: "crm".to_owned(),
            purpose: Purpose::Lead,
        }],
        now: clock.now(),
        request: serde_json::from_value(request.clone()).unwrap(),
        payload: request.to_string(),
        caller: Caller::new("test-agent"),
        rooftop: Some("North".to_owned()),
        hash_key: HashKey::new([0; 32]),
        standing: dealers::Standing::Open,
        origin: Origin::Agent,
        rejected: None,
        idempotency: None,
        vehicle: VehicleMatch::None,
        contact: DealerContact::default(),
        calendar: None,
    };
    lead.prepare().unwrap()
}
