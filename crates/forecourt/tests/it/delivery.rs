//! Leads on their way to the CRM, as a dealer's IT person sees it.

mod crash;

use std::{fs, path::Path};

use serde_json::{Value, json};
use testkit::mail::{Mail, MailSink};

use crate::support::{Server, eventually, lead, ready_for_leads, request, run, run_json};

/// Writes a configuration whose leads go to a mail server of this machine, and returns its path.
fn write(folder: &Path, sink: &MailSink) -> String {
    let file = folder.join("forecourt.toml");
    let port = sink.address().port();
    let text = format!(
        "[mail]\nhost = \"127.0.0.1\"\nport = {port}\nfrom = \"leads@group.example\"\n\
         [dealers.group]\nname = \"Group Motors\"\n[dealers.group.rooftops.North]\n\
         timezone = \"America/Chicago\"\ncrm = \"leads@crm.example\"\n\
         fallback = \"manager@group.example\"\n"
    );
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

/// The same, with its destinations tested.
fn configure(folder: &Path, sink: &MailSink) -> String {
    let path = write(folder, sink);
    ready_for_leads(Path::new(&path), &["--config", &path]);
    sink.forget();
    path
}

fn serve(config: &str) -> Server {
    Server::start(&["serve", "--config", config])
}

/// The output of a command with `--json`, which has to succeed.
fn ask(config: &str, args: &[&str]) -> Value {
    let args = [args, &["--config", config, "--json"]].concat();
    let (exit, document) = run_json(&args);
    assert_eq!(exit, 0, "{args:?}: {document:#}");
    document
}

/// Waits until the leads are as far as this, and returns them.
#[track_caller]
fn leads_are(config: &str, arrival: &str, count: usize) -> Vec<Value> {
    let mut leads = Vec::new();
    eventually(&format!("{count} leads are {arrival}"), || {
        let list = ask(config, &["leads", "list", "--limit", "100000"]);
        leads = list["leads"].as_array().unwrap().clone();
        let those = leads.iter().filter(|it| it["arrival"] == arrival);
        those.count() == count
    });
    leads
}

fn message_id(mail: &Mail) -> String {
    let line = mail.text.lines().find(|it| it.starts_with("Message-ID:"));
    line.unwrap().to_owned()
}

#[test]
fn a_lead_is_in_the_crms_mailbox_and_every_view_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let sink = MailSink::start();
    let config = configure(folder.path(), &sink);
    let server = serve(&config);
    let answer = server.answer(&lead(1));
    let lead_id = answer["data"]["lead_id"].as_str().unwrap();
    let mail = &sink.wait_for(1)[0];
    assert_eq!(mail.to, ["leads@crm.example"]);
    assert!(mail.text.contains("buyer-1@example.com"), "{}", mail.text);

    let leads = leads_are(&config, "sent", 1);
    let delivery = &leads[0]["deliveries"][0];
    assert_eq!(
        (&delivery["destination"], &delivery["state"]),
        (&json!("crm"), &json!("sent"))
    );
    let delivery_id = delivery["delivery_id"].as_str().unwrap();
    assert!(message_id(mail).contains(delivery_id));
    let list = ask(&config, &["deliveries", "list", "--lead", lead_id]);
    assert_eq!(list["deliveries"][0]["delivery_id"], delivery_id);
    assert_eq!(list["deliveries"][0]["detail"], "250 kept");
    let shown = ask(&config, &["deliveries", "show", delivery_id]);
    assert_eq!(shown["attempts"][0]["outcome"], "sent");
    let status = ask(&config, &["status"]);
    let crm = &status["destinations"][0];
    assert_eq!(
        (&crm["destination"], &crm["waiting"]),
        (&json!("crm"), &json!(0))
    );
    assert!(crm["succeeded_at"].is_string());
    let (_, metrics) = request(&server.address, "GET", "/metrics", &[], "").unwrap();
    for line in [
        "forecourt_outbox_depth 0",
        "forecourt_outbox_oldest_seconds 0",
        "forecourt_destination_waiting{dealer=\"group\",rooftop=\"North\",destination=\"crm\",copy=\"false\"} 0",
        "forecourt_destination_failing{dealer=\"group\",rooftop=\"North\",destination=\"crm\",copy=\"false\"} 0",
    ] {
        assert!(metrics.lines().any(|it| it == line), "{line}: {metrics}");
    }

    for (args, word) in [
        (vec!["leads", "list"], "sent"),
        (vec!["leads", "show", lead_id], "North/crm"),
        (vec!["deliveries", "list"], "250 kept"),
        (vec!["deliveries", "show", delivery_id], "250 kept"),
        (vec!["status"], "North/crm"),
    ] {
        let output = run(&[&args[..], &["--config", &config]].concat());
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(word), "{args:?}: {text}");
    }
}

#[test]
fn a_destination_is_paused_and_resumed_and_a_lead_sent_once_more() {
    let folder = tempfile::tempdir().unwrap();
    let sink = MailSink::start();
    let config = configure(folder.path(), &sink);
    let server = serve(&config);
    ask(
        &config,
        &["deliveries", "pause", "North", "crm", "--for", "2h"],
    );
    server.answer(&lead(1));
    // A lead for another destination would go; this one waits, however long somebody looks.
    let queued = leads_are(&config, "queued", 1);
    let lead_id = queued[0]["lead_id"].as_str().unwrap();
    let status = ask(&config, &["status"]);
    assert_eq!(status["destinations"][0]["paused_by"], "person");
    assert_eq!(status["destinations"][0]["waiting"], 1);
    let resumed = ask(&config, &["deliveries", "resume", "North", "crm"]);
    assert_eq!(resumed["waiting"], 1);
    leads_are(&config, "sent", 1);
    assert_eq!(sink.mails().len(), 1);

    let resent = ask(
        &config,
        &["leads", "resend", lead_id, "--destination", "fallback"],
    );
    assert_eq!(resent["resent"][0]["destination"], "fallback");
    let mails = sink.wait_for(2);
    assert_eq!(mails[1].to, ["manager@group.example"]);
    assert!(
        mails[1].text.contains("status=\"resend\""),
        "{}",
        mails[1].text
    );

    for (args, exit, code) in [
        (vec!["deliveries", "pause", "South", "crm"], 2, "usage"),
        (vec!["deliveries", "pause", "North", "fax"], 2, "usage"),
        (vec!["deliveries", "list", "--state", "lost"], 2, "usage"),
        (vec!["deliveries", "show", "1"], 1, "delivery_not_found"),
        (
            vec!["deliveries", "retry", lead_id],
            1,
            "delivery_not_found",
        ),
        (vec!["leads", "resend", "1"], 1, "lead_not_found"),
        (
            vec!["leads", "resend", lead_id, "--destination", "fax"],
            1,
            "destination_not_found",
        ),
    ] {
        let args = [&args[..], &["--config", &config, "--json"]].concat();
        let (status, document) = run_json(&args);
        assert_eq!(
            (status, &document["error"]["code"]),
            (exit, &json!(code)),
            "{args:?}"
        );
    }
}

#[test]
fn a_mailbox_that_is_gone_is_an_alarm_the_fallback_gets_the_lead_and_a_person_retries() {
    let folder = tempfile::tempdir().unwrap();
    let sink = MailSink::start();
    let config = configure(folder.path(), &sink);
    let server = serve(&config);
    sink.answer_next("550 5.1.1 no such user");
    server.answer(&lead(1));
    assert_eq!(sink.wait_for(1)[0].to, ["manager@group.example"]);
    eventually("the alarm is there", || {
        let args = ["status", "--config", &config, "--json"];
        let (exit, status) = run_json(&args);
        exit == 1 && status["alarms"][0]["kind"] == "destination_failing"
    });
    let failed = ask(&config, &["deliveries", "list", "--state", "failed"]);
    let detail = failed["deliveries"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("550 5.1.1 no such user"), "{detail}");
    let retried = ask(&config, &["deliveries", "retry", "--all-failed"]);
    assert_eq!(retried["retried"], 1);
    assert_eq!(sink.wait_for(2)[1].to, ["leads@crm.example"]);
    eventually("the alarm is over", || {
        run_json(&["status", "--config", &config, "--json"]).0 == 0
    });
}

#[test]
fn the_demos_leads_are_files_that_can_be_looked_at() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::demo(data.path());
    let answer = server.answer(&lead(1));
    let lead_id = answer["data"]["lead_id"].as_str().unwrap();
    let folder = data.path().join("leads");
    let mut documents = Vec::new();
    eventually("the lead is a file", || {
        let files = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
        let whole = files.filter(|path| path.extension().is_some_and(|it| it == "xml"));
        documents = whole
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        !documents.is_empty()
    });
    assert_eq!(documents.len(), 1);
    assert!(documents[0].contains("<?adf"), "{}", documents[0]);
    assert!(documents[0].contains(lead_id) && documents[0].contains("buyer-1@example.com"));
    let folder = data.path().to_str().unwrap();
    let (exit, list) = run_json(&["leads", "list", "--data", folder, "--json"]);
    assert_eq!((exit, list["leads"].as_array().unwrap().len()), (0, 1));
}
