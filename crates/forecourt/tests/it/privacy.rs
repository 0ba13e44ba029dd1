//! Persons: encrypted at rest, erased for good, and never in logs or metrics.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::support::{Server, eventually, lead, program, request, run, run_json, send};

/// What identifies the person of [`adalbert`], in lower case.
const PERSONAL: [&str; 8] = [
    "adalbert",
    "fixturesson",
    "fixture.example",
    "4155550177",
    "555-0177",
    "quiet street",
    "whispered",
    "4111 1111",
];

const CONFIGURATION: &str = r#"
    [dealers.north]
    name = "North Cars"
    [dealers.north.rooftops.North]
    timezone = "America/Chicago"
    fallback = "desk"
    destinations.drop.folder = "drop"
    destinations.desk.folder = "desk"
"#;

/// A lead that names its person wherever text is free, and long enough to take pages of its own.
fn adalbert(key: &str) -> Value {
    let mut payload = lead(1);
    payload["customer"] = json!({
        "first_name": "Adalbert",
        "last_name": "Fixturesson",
        "email": "Adalbert@fixture.example",
        "phone": "+14155550177",
        "address": { "address_line_1": "1 Quiet Street", "city": "Springfield" },
    });
    payload["consent"]["consent_text"] = json!("North Cars may write to me, Adalbert Fixturesson.");
    payload["message"] = json!(format!(
        "Whispered: card 4111 1111 1111 1111, call (415) 555-0177. {}",
        "Adalbert ".repeat(300)
    ));
    payload["trade_in"] = json!({ "make": "Honda", "notes": "Adalbert's own" });
    payload["appointment"] = json!({ "appointment_type": "sales", "notes": "Adalbert comes" });
    payload["idempotency_key"] = json!(key);
    payload
}

/// A dealership in a folder of its own.
struct Site {
    folder: tempfile::TempDir,
}

impl Site {
    fn new(settings: &str) -> Self {
        let site = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        site.configure(settings);
        site
    }

    fn configure(&self, settings: &str) {
        let text = format!("{settings}\n{CONFIGURATION}");
        std::fs::write(self.path("forecourt.toml"), text).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn config(&self) -> String {
        self.path("forecourt.toml").to_str().unwrap().to_owned()
    }

    fn data(&self) -> PathBuf {
        self.path("forecourt-data")
    }

    /// Tries the destinations, without which no lead is taken.
    fn ready(&self) {
        for folder in ["drop", "desk"] {
            std::fs::create_dir_all(self.path(folder)).unwrap();
        }
        self.says(&["leads", "test"]);
        std::fs::remove_dir_all(self.path("drop")).unwrap();
        std::fs::create_dir(self.path("drop")).unwrap();
    }

    fn serve(&self) -> Server {
        self.ready();
        Server::start(&["serve", "--config", &self.config()])
    }

    fn command(&self, args: &[&str]) -> (i32, Value) {
        let config = self.config();
        run_json(&[args, &["--json", "--config", &config]].concat())
    }

    fn says(&self, args: &[&str]) -> Value {
        let (status, document) = self.command(args);
        assert_eq!(status, 0, "{args:?}: {document:#}");
        document
    }
}

impl Site {
    /// The leads that were delivered into the folder.
    fn dropped(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path("drop")).unwrap();
        let files = entries.map(|entry| entry.unwrap().path());
        let whole = files.filter(|path| path.extension().is_some_and(|it| it == "xml"));
        whole
            .map(|path| std::fs::read_to_string(path).unwrap())
            .collect()
    }
}

/// Which of the personal words stand in any file of a folder or in folders below.
fn found_in(folder: &Path) -> Vec<(PathBuf, &'static str)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(found_in(&path));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap().to_ascii_lowercase();
        let stands = |word: &&str| bytes.windows(word.len()).any(|it| it == word.as_bytes());
        let words = PERSONAL.into_iter().filter(stands);
        found.extend(words.map(|word| (path.clone(), word)));
    }
    found
}

#[test]
fn after_an_erasure_no_file_of_the_data_holds_the_person() {
    let site = Site::new("");
    let server = site.serve();
    for number in 10..40 {
        server.answer(&lead(number));
        if number % 10 == 0 {
            server.answer(&adalbert(&format!("adalbert-{number}")));
        }
    }
    assert!(
        !found_in(&site.data()).is_empty(),
        "there is something to erase"
    );
    let would = site.says(&["erase", "--person", "adalbert@FIXTURE.example", "--dry-run"]);
    assert_eq!(would["leads"].as_array().unwrap().len(), 3);
    assert!(would["erasure_id"].is_null());
    assert!(
        !found_in(&site.data()).is_empty(),
        "a dry run erases nothing"
    );

    // While the server runs.
    let done = site.says(&["erase", "--person", "adalbert@FIXTURE.example"]);
    assert_eq!(done["leads"].as_array().unwrap().len(), 3);
    assert!(done["erasure_id"].is_string());
    assert_eq!(found_in(&site.data()), []);
    server.answer(&lead(50));
    drop(server);
    assert_eq!(found_in(&site.data()), []);

    let listed = site.says(&["leads", "list", "--limit", "100"]);
    let listed = listed["leads"].as_array().unwrap().iter();
    assert_eq!(listed.filter(|it| it["person"].is_null()).count(), 3);
    let again = site.says(&["erase", "--person", "Adalbert@fixture.example"]);
    assert!(again["leads"].as_array().unwrap().is_empty());
    assert_eq!(again["erased_before"][0]["leads"], 3);
    let (status, nobody) = site.command(&["erase", "--person", "nobody@fixture.example"]);
    assert_eq!(
        (status, &nobody["error"]["code"]),
        (1, &json!("person_not_found"))
    );
}

#[test]
fn what_still_holds_the_person_is_named() {
    let site = Site::new("[backup]\ndir = \"backups\"\nevery = \"365d\"");
    let server = site.serve();
    server.answer(&adalbert("one"));
    drop(server);
    std::fs::remove_dir_all(site.path("backups")).unwrap_or_default();
    let before = site.says(&["backup"])["backup"].clone();
    let done = site.says(&["erase", "--person", "+1 415 555 0177"]);
    assert_eq!(done["backups"].as_array().unwrap().len(), 1);
    assert_eq!(done["backups"][0]["folder"], before);
    site.says(&["backup"]);
    let again = site.says(&["erase", "--person", "4155550177", "--dry-run"]);
    assert_eq!(again["backups"], json!([]), "the later backup holds nobody");
}

#[test]
fn those_who_have_the_lead_hear_of_a_revocation_and_are_named_at_an_erasure() {
    let site = Site::new("");
    let server = site.serve();
    server.answer(&adalbert("one"));
    eventually("the lead is delivered", || site.dropped().len() == 1);
    let delivered = site.dropped().concat();
    assert!(delivered.contains("**** **** **** ****"), "{delivered}");
    assert!(!delivered.contains("4111 1111"), "{delivered}");
    site.says(&["leads", "revoke", "--person", "4155550177"]);
    eventually("word of it is delivered", || site.dropped().len() == 2);
    let told = site.dropped().concat();
    assert!(told.contains("CONSENT TAKEN BACK"), "{told}");
    let done = site.says(&["erase", "--person", "4155550177"]);
    let told = done["also_told"].as_array().unwrap();
    let purposes: Vec<&Value> = told.iter().map(|it| &it["purpose"]).collect();
    assert_eq!(purposes, ["lead", "revocation"]);
    assert_eq!(told[0]["destination"], "drop");
    assert_eq!(found_in(&site.data()), []);
}

#[test]
fn a_legal_hold_stops_an_erasure_and_a_revocation_is_shown() {
    let site = Site::new("");
    let server = site.serve();
    server.answer(&adalbert("one"));
    let person = ["--person", "adalbert@fixture.example"];
    let command = |verb: &[&str], more: &[&str]| site.command(&[verb, &person, more].concat());
    let (status, held) = command(&["leads", "hold"], &["--reason", "claim 4711"]);
    assert_eq!((status, held["held"].as_array().unwrap().len()), (0, 1));
    let (status, refused) = command(&["erase"], &[]);
    assert_eq!(
        (status, &refused["error"]["code"]),
        (1, &json!("legal_hold"))
    );
    let shown = site.says(&["leads", "show", held["held"][0].as_str().unwrap()]);
    assert_eq!(shown["legal_hold"], "claim 4711");
    let message = shown["request"]["message"].as_str().unwrap();
    assert!(message.starts_with("Whispered: card **** **** **** ****, call"));
    assert_eq!(shown["masked"], true);

    let (_, revoked) = command(&["leads", "revoke"], &["--by", "Front desk"]);
    assert_eq!(revoked["revoked"][0]["remaining"], json!([]));
    let listed = site.says(&["leads", "list"]);
    assert_eq!(listed["leads"][0]["allowed_channels"], json!([]));
    let (_, exported) = command(&["export"], &[]);
    assert_eq!(
        exported["leads"][0]["revocations"][0]["recorded_by"],
        "Front desk"
    );

    assert_eq!(command(&["leads", "unhold"], &[]).0, 0);
    assert_eq!(command(&["erase"], &[]).0, 0);
    assert_eq!(found_in(&site.data()), []);
}

#[test]
fn under_a_key_no_file_ever_holds_the_person_and_without_it_the_error_names_it() {
    let site = Site::new("");
    let key = site.path("personal.key");
    let made = site.says(&["key", "file", key.to_str().unwrap()]);
    let key_id = made["key"].as_str().unwrap();
    site.configure("[privacy]\nkey_file = \"personal.key\"");
    let server = site.serve();
    server.answer(&adalbert("one"));
    assert_eq!(found_in(&site.data()), [], "while it runs");
    server.answer(&adalbert("two"));
    drop(server);
    assert_eq!(found_in(&site.data()), []);
    let listed = site.says(&["leads", "list"]);
    assert_eq!(listed["leads"][0]["person"]["first_name"], "Adalbert");

    site.configure("");
    let (status, refused) = site.command(&["leads", "list"]);
    assert_eq!(status, 1);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains(key_id), "{message}");

    // No lead is taken beside those that nobody could read.
    let refused = program(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--config",
        &site.config(),
    ])
    .output()
    .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains(key_id) && said.contains("--lost"), "{said}");

    // A backup has no key in it, and names the one that it takes.
    let backups = site.path("backups");
    let backup = site.says(&["backup", backups.to_str().unwrap()])["backup"].clone();
    let backup = backup.as_str().unwrap();
    assert_eq!(found_in(&backups), []);
    let elsewhere = site.path("elsewhere");
    let restore = ["restore", backup, "--data", elsewhere.to_str().unwrap()];
    let (status, refused) = site.command(&restore);
    assert_eq!(
        (status, &refused["error"]["code"]),
        (1, &json!("key_missing"))
    );
    assert!(!elsewhere.join("forecourt.db").exists());
    site.configure("[privacy]\nformer_key_files = [\"personal.key\"]");
    let restored = site.says(&restore);
    assert_eq!(restored["manifest"]["encrypted_with"], json!([key_id]));

    // And back into plain text.
    let rekeyed = site.says(&["leads", "rekey"]);
    assert!(rekeyed["rewritten"].as_u64().unwrap() >= 2, "{rekeyed:#}");
    assert!(rekeyed["key"].is_null());
    site.configure("");
    let listed = site.says(&["leads", "list"]);
    assert_eq!(listed["leads"][0]["person"]["first_name"], "Adalbert");
}

#[test]
fn persons_under_a_lost_key_are_given_up_and_the_others_stay() {
    let site = Site::new("[privacy]\nkey_file = \"lost.key\"");
    let lost = site.path("lost.key");
    let made = run_json(&["key", "file", lost.to_str().unwrap(), "--json"]).1;
    let key = made["key"].as_str().unwrap();
    let server = site.serve();
    server.answer(&adalbert("one"));
    drop(server);
    let (status, refused) = site.command(&["leads", "rekey", "--lost", key]);
    assert_eq!(status, 2, "it is there: {refused:#}");

    site.configure("");
    assert_eq!(site.command(&["leads", "list"]).0, 1);
    let given_up = site.says(&["leads", "rekey", "--lost", key]);
    assert!(given_up["erased"].as_u64().unwrap() >= 1, "{given_up:#}");
    let server = Server::start(&["serve", "--config", &site.config()]);
    server.answer(&lead(2));
    let listed = site.says(&["leads", "list"]);
    let persons: Vec<&Value> = listed["leads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["person"])
        .collect();
    assert_eq!(persons.len(), 2);
    assert_eq!(persons[0]["first_name"], "Test2");
    assert!(persons[1].is_null());
}

#[test]
fn turning_encryption_on_leaves_no_plain_text_on_the_disk() {
    let site = Site::new("");
    let server = site.serve();
    for number in 10..30 {
        server.answer(&lead(number));
        server.answer(&adalbert(&format!("adalbert-{number}")));
    }
    drop(server);
    assert!(!found_in(&site.data()).is_empty());
    site.says(&["key", "file", site.path("personal.key").to_str().unwrap()]);
    site.configure("[privacy]\nkey_file = \"personal.key\"");
    let server = site.serve();
    let rekeyed = site.says(&["leads", "rekey"]);
    assert!(rekeyed["rewritten"].as_u64().unwrap() >= 40, "{rekeyed:#}");
    assert_eq!(found_in(&site.data()), []);
    let replayed = server.answer(&adalbert("adalbert-10"));
    assert_eq!(replayed["data"]["status"], "received");
    assert_eq!(site.says(&["leads", "rekey"])["rewritten"], 0);
}

#[test]
fn a_key_file_that_cannot_be_used_is_said_before_anything_starts() {
    let site = Site::new("[privacy]\nkey_file = \"absent.key\"\nformer_key_files = [\"odd.key\"]");
    std::fs::write(site.path("odd.key"), "not a key").unwrap();
    let (status, refused) = site.command(&["config", "check"]);
    assert_eq!(status, 2);
    let problems = refused["error"]["problems"].as_array().unwrap();
    let keys: Vec<&str> = problems
        .iter()
        .map(|it| it["key"].as_str().unwrap())
        .collect();
    assert_eq!(keys, ["privacy.key_file", "privacy.former_key_files"]);
    assert!(
        problems[1]["message"]
            .as_str()
            .unwrap()
            .contains("32 random bytes")
    );
    assert!(!refused.to_string().contains("not a key\""), "{refused:#}");

    let file = site.path("personal.key");
    site.says(&["key", "file", file.to_str().unwrap()]);
    let (status, refused) = site.command(&["key", "file", file.to_str().unwrap()]);
    assert_eq!(
        (status, &refused["error"]["code"]),
        (1, &json!("io")),
        "it is not replaced"
    );
    site.configure("[privacy]\nkey_file = \"personal.key\"");
    assert_eq!(site.says(&["config", "check"])["keys_exposed"], json!([]));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let exposed = site.says(&["config", "check"])["keys_exposed"].clone();
        assert_eq!(exposed.as_array().unwrap().len(), 1);
    }
}

#[test]
fn old_leads_lose_their_persons_by_themselves() {
    let site = Site::new("");
    let server = site.serve();
    server.answer(&adalbert("one"));
    server.answer(&lead(2));
    drop(server);
    // Three years pass for one of them.
    let database = site.data().join("forecourt.db");
    let options = store::Options::sqlite(&database).migrations(&forecourt::app::migrations());
    let store = store::Store::open(options).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let aged: Result<u64, store::Error> = runtime.block_on(store.write(|conn| {
        conn.execute(
            "UPDATE lead SET received_at = received_at - 94608000000 WHERE lead_id =
                 (SELECT lead_id FROM person WHERE first_name = 'Adalbert')",
            &[],
        )
    }));
    assert_eq!(aged.unwrap(), 1);
    drop(store);
    let log = site.path("log");
    let mut command = program(&["serve", "--config", &site.config()]);
    let _server = Server::spawn(command.stderr(File::create(&log).unwrap()));
    eventually("the old lead lost its person", || {
        let log = std::fs::read_to_string(&log).unwrap();
        log.contains("old leads lost the person")
    });
    eventually("the person is gone from the disk", || {
        found_in(&site.data()).is_empty()
    });
    let listed = site.says(&["leads", "list"]);
    let persons = listed["leads"].as_array().unwrap().iter();
    assert_eq!(persons.filter(|it| it["person"].is_null()).count(), 1);
}

/// Leads in every way in which they can go wrong, each naming the person.
fn troubles() -> Vec<Value> {
    let change = |pointer: &str, value: Value| {
        let mut payload = adalbert("trouble");
        *payload.pointer_mut(pointer).unwrap() = value;
        payload
    };
    let mut unknown = adalbert("trouble");
    unknown["Adalbert Fixturesson"] = json!("+14155550177");
    vec![
        change("/customer/email", json!("Adalbert at fixture.example")),
        change("/customer/last_name", json!(["Fixturesson"])),
        change("/consent/granted_at", json!("Adalbert's birthday")),
        change("/consent/allowed_channels", json!(["Adalbert"])),
        change("/consent", json!("Adalbert agrees")),
        change("/appointment/appointment_type", json!("whispered")),
        change(
            "/trade_in",
            json!({ "condition": "Adalbert", "year": "Fixturesson" }),
        ),
        change("/type", json!("adalbert.request")),
        unknown,
    ]
}

#[test]
fn neither_log_nor_metrics_name_a_person() {
    let site = Site::new("[log]\nlevel = \"trace\"");
    site.ready();
    let log = site.path("log");
    let mut command = program(&["serve", "--config", &site.config()]);
    let server = Server::spawn(command.stderr(File::create(&log).unwrap()));
    server.answer(&adalbert("one"));
    server.answer(&adalbert("one"));
    let conflict = server.call(
        &json!({ "type": "lead.submit.request", "message": "Adalbert", "idempotency_key": "one" }),
    );
    assert!(conflict["error"].is_object());
    for payload in troubles() {
        let reply = server.call(&payload);
        assert!(reply["error"].is_object(), "{reply:#}");
    }
    let headers = [
        ("Content-Type", "application/json"),
        ("X-Adalbert", "Fixturesson"),
    ];
    for (path, body) in [
        ("/a2a", "{\"Adalbert\": +14155550177"),
        ("/a2a", "Adalbert Fixturesson, whispered"),
        ("/adalbert/fixturesson", "{}"),
        ("/a2a?name=Adalbert", "{}"),
    ] {
        request(&server.address, "POST", path, &headers, body).unwrap();
    }
    send(
        &server.address,
        &json!({ "type": "inventory.search.request", "query": "Adalbert" }),
    )
    .unwrap();
    eventually("the lead is delivered", || site.dropped().len() == 1);
    site.says(&[
        "leads",
        "revoke",
        "--person",
        "4155550177",
        "--channels",
        "email",
    ]);
    let (status, metrics) = request(&server.address, "GET", "/metrics", &[], "").unwrap();
    assert_eq!(status, 200);
    drop(server);
    let log = std::fs::read_to_string(&log).unwrap().to_lowercase();
    assert!(log.contains("lead answered"), "there is a log");
    for word in PERSONAL {
        assert!(
            !metrics.to_lowercase().contains(word),
            "{word} is in the metrics"
        );
        let line = log.lines().find(|line| line.contains(word));
        assert_eq!(line, None, "{word} is in the log");
    }
}

#[test]
fn a_command_about_a_person_takes_one() {
    for wrong in ["Adalbert", "12345"] {
        let output = run(&["erase", "--person", wrong]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            said.contains("neither a mail address nor a telephone number"),
            "{said}"
        );
    }
}
