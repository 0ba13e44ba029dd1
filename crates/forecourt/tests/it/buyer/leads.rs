use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::mock::{MockDealer, Outcome, Reply, SKILLS, V1_0, V1_2, V1_3, card, refusal};

const CONSENT: &str = "Mock Motors may answer Ada Example by e-mail about this car.";
const PERSON: [&str; 8] = [
    "--first-name",
    "Ada",
    "--last-name",
    "Example",
    "--email",
    "ada@mail.example",
    "--channel",
    "email",
];

fn received() -> Reply {
    Reply::Payload(
        r#"{"type":"lead.submit.response","data":{"lead_id":"lead-7","status":"received"},"message":"We write soon."}"#
            .to_owned(),
    )
}

fn bad_gateway() -> Reply {
    Reply::Http(502, "text/html", "<h1>Bad Gateway</h1>".to_owned())
}

/// A state file of its own for each test.
struct State {
    folder: tempfile::TempDir,
}

impl State {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("leads.json")
    }

    fn leads(&self) -> Vec<Value> {
        leads_in(&self.path())
    }

    /// Submits Ada's lead, who agrees now, with more arguments.
    fn submit(&self, dealer: &MockDealer, args: &[&str]) -> Outcome {
        let state = self.path();
        let state = ["--state", state.to_str().unwrap()];
        let consent = ["--consent-text", CONSENT, "--consent-given-now"];
        let args = [&PERSON[..], &consent, &state, args].concat();
        dealer.buyer("lead", &args)
    }
}

fn leads_in(path: &Path) -> Vec<Value> {
    let Ok(text) = std::fs::read_to_string(path) else {
        return Vec::new();
    };
    let state: Value = serde_json::from_str(&text).unwrap();
    state["leads"].as_array().unwrap().clone()
}

#[test]
fn a_lead_arrives_in_the_shape_of_each_version() {
    for version in [V1_0, V1_2, V1_3] {
        let state = State::new();
        let dealer = MockDealer::speaking(&[version], &[received()]);
        let outcome = state
            .submit(
                &dealer,
                &[
                    "--phone",
                    "+12175550100",
                    "--preferred-contact",
                    "email",
                    "--stock",
                    "N-1",
                    "--message",
                    "Is it there?",
                    "--appointment-type",
                    "test_drive",
                    "--appointment-at",
                    "2027-05-03T11:00:00-05:00",
                    "--agent-name",
                    "ada-agent",
                ],
            )
            .assert_exit(0);
        assert!(
            outcome.stdout.contains("lead-7: received"),
            "{}",
            outcome.stdout
        );
        assert!(
            outcome.stdout.contains("We write soon."),
            "{}",
            outcome.stdout
        );

        let call = dealer.call();
        let mut payload = call.payload().clone();
        let given = payload["consent"]["granted_at"].take();
        let submitted = payload["submitted_at"].take();
        assert_eq!(given, submitted, "the consent is of the moment");
        assert!(given.as_str().unwrap().ends_with('Z'));
        let key = payload["idempotency_key"].take();
        assert_eq!(key.as_str().unwrap().len(), 36);
        let (agent, consent_agent) = if version == V1_0 {
            (json!("ada-agent"), json!("ada-agent"))
        } else {
            (json!({ "name": "ada-agent" }), Value::Null)
        };
        let mut expected = json!({
            "type": "lead.submit.request",
            "customer": {
                "first_name": "Ada",
                "last_name": "Example",
                "email": "ada@mail.example",
                "phone": "+12175550100",
                "preferred_contact": "email",
            },
            "consent": {
                "granted_at": null,
                "allowed_channels": ["email"],
                "consent_text": CONSENT,
                "scope": ["lead_submission"],
            },
            "vehicle_of_interest": { "stock": "N-1" },
            "appointment": {
                "appointment_type": "test_drive",
                "appointment_at": "2027-05-03T11:00:00-05:00",
            },
            "message": "Is it there?",
            "source_agent": agent,
            "submitted_at": null,
            "idempotency_key": null,
        });
        if !consent_agent.is_null() {
            expected["consent"]["source_agent"] = consent_agent;
        }
        assert_eq!(payload, expected);
    }
}

#[test]
fn the_key_is_saved_before_the_lead_is_sent_and_forgotten_after_the_answer() {
    let state = State::new();
    let path = state.path();
    let dealer = MockDealer::watched(&card(&[V1_3], &SKILLS), &[received()], move |call| {
        let kept = leads_in(&path);
        assert_eq!(kept.len(), 1);
        assert_eq!(
            kept[0]["idempotency_key"],
            call.payload()["idempotency_key"]
        );
    });
    state.submit(&dealer, &[]).assert_exit(0);
    assert_eq!(dealer.calls().len(), 1);
    assert!(state.leads().is_empty());
}

#[test]
fn a_lost_answer_is_asked_for_again_with_the_same_lead() {
    let state = State::new();
    let dealer = MockDealer::speaking(&[V1_3], &[bad_gateway(), received()]);
    let outcome = state
        .submit(&dealer, &["--json", "--retries", "0"])
        .assert_exit(3);
    assert_eq!(outcome.code(), "unavailable");
    assert_eq!(state.leads().len(), 1);
    state.submit(&dealer, &["--retries", "0"]).assert_exit(0);
    state.submit(&dealer, &["--retries", "0"]).assert_exit(0);
    let calls = dealer.calls();
    let [lost, repeated, anew] = calls.as_slice() else {
        panic!("{calls:?}");
    };
    assert_eq!(lost.payload(), repeated.payload());
    assert_ne!(
        repeated.payload()["idempotency_key"],
        anew.payload()["idempotency_key"],
        "an answered lead made again is a new one"
    );
    assert_ne!(lost.body["id"], repeated.body["id"]);
}

#[test]
fn within_one_command_a_repeat_is_the_same_lead() {
    let state = State::new();
    let busy = refusal("INTERNAL_ERROR", true, &json!({ "retry_after_ms": 5 }));
    let dealer = MockDealer::speaking(&[V1_3], &[busy, bad_gateway(), received()]);
    state.submit(&dealer, &[]).assert_exit(0);
    let calls = dealer.calls();
    assert_eq!(calls.len(), 3);
    assert!(
        calls
            .windows(2)
            .all(|two| two[0].payload() == two[1].payload())
    );
    assert!(state.leads().is_empty());
}

#[test]
fn another_lead_has_another_key_meanwhile() {
    let state = State::new();
    let dealer = MockDealer::speaking(&[V1_3], &[bad_gateway()]);
    for message in ["one", "two"] {
        state
            .submit(&dealer, &["--retries", "0", "--message", message])
            .assert_exit(3);
    }
    assert_eq!(state.leads().len(), 2);
    let keys: Vec<Value> = dealer
        .calls()
        .iter()
        .map(|call| call.payload()["idempotency_key"].clone())
        .collect();
    assert_ne!(keys[0], keys[1]);
}

#[test]
fn a_refusal_for_good_ends_the_lead() {
    let state = State::new();
    let refused = refusal("CONTACT_CONSENT_REQUIRED", false, &json!({}));
    let dealer = MockDealer::speaking(&[V1_3], &[refused]);
    let outcome = state.submit(&dealer, &["--json"]).assert_exit(1);
    assert_eq!(outcome.json()["code"], "CONTACT_CONSENT_REQUIRED");
    assert_eq!(dealer.calls().len(), 1);
    assert!(state.leads().is_empty());
}

#[test]
fn a_refusal_for_now_keeps_the_lead() {
    let state = State::new();
    let hour = json!({ "retry_after_seconds": 3600 });
    let dealer = MockDealer::speaking(&[V1_3], &[refusal("RATE_LIMITED", true, &hour)]);
    state.submit(&dealer, &[]).assert_exit(1);
    assert_eq!(dealer.calls().len(), 1, "nobody waits for an hour");
    assert_eq!(state.leads().len(), 1);
}

#[test]
fn consent_is_never_made_up() {
    let dealer = MockDealer::speaking(&[V1_3], &[received()]);
    let person = PERSON[..6].to_vec();
    for (given, missing) in [
        (
            &[][..],
            &["--consent-text", "--channel", "--granted-at"][..],
        ),
        (&["--consent-text", CONSENT], &["--channel", "--granted-at"]),
        (
            &["--channel", "email", "--consent-given-now"],
            &["--consent-text"],
        ),
        (
            &[
                "--consent-text",
                CONSENT,
                "--granted-at",
                "2026-05-01T10:00:00Z",
            ],
            &["--channel"],
        ),
    ] {
        let args = [person.as_slice(), given].concat();
        let outcome = dealer.buyer("lead", &args).assert_exit(2);
        for flag in missing {
            assert!(
                outcome.stderr.contains(flag),
                "{flag} in {}",
                outcome.stderr
            );
        }
    }
    assert!(dealer.calls().is_empty());
}

#[test]
fn a_file_holds_the_whole_lead_and_flags_complete_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lead.json");
    let state = folder.path().join("state.json");
    let lead = json!({
        "type": "lead.submit.request",
        "customer": { "first_name": "Ada", "last_name": "Example", "email": "ada@mail.example" },
        "consent": {
            "granted_at": "2026-05-01T10:00:00Z",
            "allowed_channels": ["email"],
            "consent_text": CONSENT,
            "scope": ["lead_submission"],
        },
        "trade_in": { "year": 2015, "make": "Ford", "model": "Focus", "condition": "fair" },
        "source_agent": { "name": "ada-agent", "url": "https://agent.example/" },
        "idempotency_key": "my-own-key",
        "submitted_at": "2026-05-01T10:00:05Z",
    });
    std::fs::write(&file, lead.to_string()).unwrap();
    let dealer = MockDealer::speaking(&[V1_3], &[received()]);
    let args = [
        "--file",
        file.to_str().unwrap(),
        "--state",
        state.to_str().unwrap(),
    ];
    dealer.buyer("lead", &args).assert_exit(0);
    dealer
        .buyer("lead", &[&args[..], &["--stock", "N-1"]].concat())
        .assert_exit(0);
    let calls = dealer.calls();
    assert_eq!(*calls[0].payload(), lead);
    let mut completed = lead;
    completed["vehicle_of_interest"] = json!({ "stock": "N-1" });
    assert_eq!(*calls[1].payload(), completed);

    let twice = [&args[..], &["--consent-given-now"]].concat();
    let outcome = dealer.buyer("lead", &twice).assert_exit(2);
    assert!(
        outcome.stderr.contains("--consent-given-now"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_faulty_lead_stays_here_and_names_every_fault() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lead.json");
    let lead = json!({
        "customer": { "first_name": "Ada", "last_name": "Example", "email": "ada at home" },
        "consent": {
            "granted_at": "2026-05-01T10:00:00Z",
            "allowed_channels": ["email"],
            "consent_text": CONSENT,
            "scope": ["lead_submission"],
        },
        "budget": 5,
    });
    std::fs::write(&file, lead.to_string()).unwrap();
    let dealer = MockDealer::speaking(&[V1_3], &[received()]);
    let outcome = dealer
        .buyer("lead", &["--json", "--file", file.to_str().unwrap()])
        .assert_exit(2);
    for place in ["/customer/email", "/budget"] {
        assert!(outcome.stderr.contains(place), "{}", outcome.stderr);
    }
    assert_eq!(
        outcome.json()["error"]["problems"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert!(
        !outcome.stdout.contains("ada at home"),
        "{}",
        outcome.stdout
    );
    assert!(dealer.calls().is_empty());
}

#[test]
fn without_a_record_nothing_is_sent() {
    let state = State::new();
    std::fs::write(state.path(), "somebody else's file").unwrap();
    let dealer = MockDealer::speaking(&[V1_3], &[received()]);
    let outcome = state.submit(&dealer, &["--json"]).assert_exit(1);
    assert_eq!(outcome.code(), "pending_leads");
    assert!(dealer.calls().is_empty());
    let kept = std::fs::read_to_string(state.path()).unwrap();
    assert_eq!(kept, "somebody else's file");
}

#[test]
fn a_lead_that_the_dealer_rejects_is_a_failure_with_its_payload() {
    let payload =
        r#"{"type":"lead.submit.response","data":{"lead_id":"lead-8","status":"rejected"}}"#;
    let state = State::new();
    let dealer = MockDealer::speaking(&[V1_3], &[Reply::Payload(payload.to_owned())]);
    let outcome = state.submit(&dealer, &["--json"]).assert_exit(1);
    assert_eq!(outcome.json()["data"]["status"], "rejected");
}

#[test]
fn only_a_confirmed_appointment_is_called_booked() {
    for (appointment, said) in [
        (
            r#"{"appointment_id":"a","status":"requested"}"#,
            "not booked until",
        ),
        (
            r#"{"appointment_id":"a","status":"proposed","proposed_times":["2027-05-04T10:00:00-05:00"]}"#,
            "not booked",
        ),
        (
            r#"{"appointment_id":"a","status":"rejected"}"#,
            "not booked",
        ),
        (
            r#"{"appointment_id":"a","status":"confirmed","confirmed_at":"2027-05-03T11:00:00-05:00"}"#,
            "confirmed for 2027-05-03T11:00:00-05:00",
        ),
    ] {
        let payload = format!(
            r#"{{"type":"lead.submit.response","data":{{"lead_id":"l","status":"received","appointment":{appointment},"dealer":{{"phone":"+12175550100"}}}}}}"#
        );
        let state = State::new();
        let dealer = MockDealer::speaking(&[V1_3], &[Reply::Payload(payload)]);
        let shown = state.submit(&dealer, &[]).assert_exit(0).stdout;
        assert!(shown.contains(said), "{shown}");
        assert!(shown.contains("+12175550100"), "{shown}");
    }
}
