//! `lead.submit` is offered once every destination has shown that leads arrive there.

use std::{fs, path::Path};

use serde_json::{Value, json};
use testkit::mail::MailSink;

use crate::{
    profiles::PREVIEW,
    support::{Server, eventually, lead, program, request, run, run_json},
};

const CARD: &str = "/.well-known/agent-card.json";

/// A dealer whose leads go by mail to this server.
fn configure(data: &Path, sink: &MailSink, more: &str) {
    let address = sink.address();
    let text = format!(
        "public_url = \"http://localhost\"\n\
         [aap]\npreview = \"2.0-draft\"\n\
         [mail]\nhost = \"{}\"\nport = {}\nfrom = \"forecourt@north.example\"\n\
         [dealers.north]\nname = \"North Cars\"\n\
         [dealers.north.rooftops.North]\n\
         crm = \"crm@north.example\"\nfallback = \"manager@north.example\"\n\
         {more}",
        address.ip(),
        address.port()
    );
    fs::write(data.join("forecourt.toml"), text).unwrap();
}

fn cli(data: &Path, args: &[&str]) -> (i32, Value) {
    run_json(&[args, &["--data", data.to_str().unwrap(), "--json"]].concat())
}

/// Whether a card names `lead.submit` in each place where skills stand, and its `params.id`.
fn card(server: &Server, folder: &str) -> (bool, String) {
    let (status, body) =
        request(&server.address, "GET", &format!("{folder}{CARD}"), &[], "").unwrap();
    assert_eq!(status, 200, "{body}");
    let card: Value = serde_json::from_str(&body).unwrap();
    let skills = card["skills"].as_array().unwrap();
    let listed = skills
        .iter()
        .any(|it| it["id"].as_str().unwrap().contains("lead"));
    let params = &card["capabilities"]["extensions"][0]["params"];
    let stated = params.to_string().contains("lead.submit");
    assert_eq!(listed, stated, "{card:#}");
    (listed, params["id"].as_str().unwrap().to_owned())
}

fn start(data: &Path) -> Server {
    let log = fs::File::create(data.join("log")).unwrap();
    Server::spawn(program(&["serve", "--data", data.to_str().unwrap()]).stderr(log))
}

#[test]
fn lead_submit_is_offered_when_the_destinations_have_passed_their_tests() {
    let data = tempfile::tempdir().unwrap();
    let sink = MailSink::start();
    configure(data.path(), &sink, "");
    let server = start(data.path());
    let log = || fs::read_to_string(data.path().join("log")).unwrap();
    assert!(log().contains("has not passed a test; run `forecourt leads test`"));
    let before = [card(&server, ""), card(&server, PREVIEW)];
    assert_eq!(before.each_ref().map(|it| it.0), [false, false]);
    let refused = server.call(&lead(1));
    assert_eq!(
        refused["error"]["data"]["code"], "UNSUPPORTED_SKILL",
        "{refused:#}"
    );
    let (status, shown) = cli(data.path(), &["status"]);
    assert_eq!(
        (status, shown["takes_no_leads"].as_array().unwrap().len()),
        (0, 2),
        "{shown:#}"
    );

    // The CRM's mailbox is full.
    sink.answer_next("552 5.2.2 the mailbox is full");
    let (status, report) = cli(data.path(), &["leads", "test"]);
    assert_eq!(
        (status, &report["takes_leads"]),
        (1, &json!(false)),
        "{report:#}"
    );
    let passed = report["tests"].as_array().unwrap().iter();
    let passed: Vec<_> = passed
        .map(|it| (it["destination"].as_str().unwrap(), &it["passed"]))
        .collect();
    assert_eq!(passed, [("crm", &json!(false)), ("fallback", &json!(true))]);
    assert!(
        report["tests"][0]["answer"]
            .as_str()
            .unwrap()
            .contains("552"),
        "{report:#}"
    );
    let (status, report) = cli(data.path(), &["leads", "test", "--destination", "crm"]);
    assert_eq!(
        (status, &report["takes_leads"]),
        (0, &json!(true)),
        "{report:#}"
    );

    eventually("the cards are renewed", || {
        card(&server, "").0 && card(&server, PREVIEW).0
    });
    let after = [card(&server, ""), card(&server, PREVIEW)];
    assert!(before[0].1 != after[0].1 && before[1].1 != after[1].1);
    assert_eq!(server.answer(&lead(1))["data"]["status"], "received");
    let (_, shown) = cli(data.path(), &["status"]);
    assert_eq!(shown["takes_no_leads"], json!([]), "{shown:#}");
    let folder = data.path().to_str().unwrap();
    let said = run(&["leads", "list", "--tests", "--data", folder]);
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(
        said.contains("3 of 1 leads and 2 made-up ones, 0 of them repeats"),
        "{said}"
    );
}

#[cfg(unix)]
#[test]
fn a_destination_whose_settings_change_counts_as_untested() {
    let data = tempfile::tempdir().unwrap();
    let sink = MailSink::start();
    configure(data.path(), &sink, "");
    assert_eq!(cli(data.path(), &["leads", "test"]).0, 0);
    let server = start(data.path());
    assert!(card(&server, "").0, "it was tested before the server ran");
    configure(
        data.path(),
        &sink,
        "destinations.dms.mail = \"dms@north.example\"\n",
    );
    server.signal("HUP");
    eventually("the new destination is noticed", || !card(&server, "").0);
    let log = || fs::read_to_string(data.path().join("log")).unwrap();
    eventually("the log says what is missing", || {
        // Quotes are escaped in a line of the log.
        let line = "destination \"dms\" of rooftop \"North\" has not passed a test";
        log().replace('\\', "").contains(line)
    });
    let (_, checked) = cli(data.path(), &["config", "check"]);
    let lacks = checked["takes_no_leads"].as_array().unwrap();
    assert_eq!(lacks.len(), 1, "{checked:#}");
    assert_eq!(lacks[0]["destination"], "dms");
    assert_eq!(
        cli(data.path(), &["leads", "test", "--destination", "dms"]).0,
        0
    );
    eventually("it is tested", || card(&server, "").0);
    let text = fs::read_to_string(data.path().join("forecourt.toml")).unwrap();
    let text = text.replace("destinations.dms.mail = \"dms@north.example\"\n", "");
    let text = text.replace("crm@north.example", "leads@north.example");
    fs::write(data.path().join("forecourt.toml"), text).unwrap();
    server.signal("HUP");
    eventually("the changed mailbox is noticed", || !card(&server, "").0);
    let (_, shown) = cli(data.path(), &["status"]);
    let ways = shown["destinations"].as_array().unwrap().iter();
    let ways: Vec<&str> = ways.map(|it| it["destination"].as_str().unwrap()).collect();
    assert_eq!(ways, ["crm", "fallback"], "dms is not configured any more");
    let said = run(&["config", "check", "--data", data.path().to_str().unwrap()]);
    let said = String::from_utf8(said.stdout).unwrap();
    assert!(
        said.contains("north takes no leads yet: destination \"crm\" of rooftop \"North\" has not been tested since its settings were changed; run `forecourt leads test`"),
        "{said}"
    );
}

#[test]
fn a_rooftop_without_destination_or_fallback_takes_no_leads() {
    let data = tempfile::tempdir().unwrap();
    let text = "[dealers.north]\nname = \"North Cars\"\nrooftops = { \"North\" = {}, \"South\" = { crm = \"crm@south.example\" } }\n";
    fs::write(data.path().join("forecourt.toml"), text).unwrap();
    let (status, checked) = cli(data.path(), &["config", "check"]);
    assert_eq!(status, 0, "{checked:#}");
    let lacks = checked["takes_no_leads"].as_array().unwrap().iter();
    let lacks: Vec<_> = lacks
        .map(|it| {
            (
                it["rooftop"].as_str().unwrap(),
                it["lacks"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        lacks,
        [
            ("North", "destination"),
            ("North", "fallback"),
            ("South", "fallback"),
            ("South", "test"),
        ]
    );
    let (status, refused) = cli(data.path(), &["leads", "test", "--rooftop", "North"]);
    assert_eq!(status, 2, "{refused:#}");
    // A dealer that wants no leads lacks nothing.
    let text = text.replace("rooftops", "skills = [\"dealer.information\"]\nrooftops");
    fs::write(data.path().join("forecourt.toml"), text).unwrap();
    let (_, checked) = cli(data.path(), &["config", "check"]);
    assert_eq!(checked["takes_no_leads"], json!([]));
}

#[test]
fn a_made_up_lead_says_so_and_counts_nowhere() {
    let data = tempfile::tempdir().unwrap();
    let sink = MailSink::start();
    configure(data.path(), &sink, "");
    let (_, report) = cli(data.path(), &["leads", "test"]);
    let mails = sink.wait_for(2);
    for mail in &mails {
        assert!(mail.text.contains("TEST"), "{}", mail.text);
        assert!(mail.text.contains("Forecourt Test"), "{}", mail.text);
    }
    let (_, listed) = cli(data.path(), &["leads", "list"]);
    assert_eq!(
        (&listed["leads"], &listed["counts"]["leads"]),
        (&json!([]), &json!(0))
    );
    let (_, listed) = cli(data.path(), &["leads", "list", "--tests"]);
    let lead_id = &report["tests"][0]["lead_id"];
    assert_eq!(&listed["leads"][0]["lead_id"], lead_id);
    let (_, shown) = cli(data.path(), &["leads", "show", lead_id.as_str().unwrap()]);
    assert_eq!(shown["origin"], "test");
    // Another test is no repeat of the first.
    cli(data.path(), &["leads", "test"]);
    let (_, listed) = cli(data.path(), &["leads", "list", "--tests"]);
    assert!(
        listed["leads"]
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["repeat_of"].is_null())
    );
}
