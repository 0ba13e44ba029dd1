//! A lead that comes back, through the real server: sent by mail, returned to the mailbox, on to the
//! fallback, seen by people and by the dealer's programs.

use serde_json::Value;
use testkit::{
    imap::{Mailbox, Protection},
    mail::MailSink,
};

use crate::support::{Server, eventually, exchange, lead, ready_for_leads, run_json};

/// The answer of a mail server that could not deliver this mail.
fn returned(mail: &str) -> String {
    let (header, _) = mail.split_once("\n\n").unwrap();
    let report = format!(
        "From: MAILER-DAEMON@mx.crm.example\n\
         To: bounce@group.example\n\
         Subject: Undelivered Mail Returned to Sender\n\
         MIME-Version: 1.0\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"b1\"\n\
         \n--b1\n\
         Content-Type: message/delivery-status\n\
         \nReporting-MTA: dns; mx.crm.example\n\
         \nFinal-Recipient: rfc822; leads@crm.example\nAction: failed\nStatus: 5.2.2\n\
         \n--b1\n\
         Content-Type: text/rfc822-headers\n\
         \n{header}\n\
         \n--b1--\n"
    );
    report.replace('\n', "\r\n")
}

#[test]
fn a_lead_that_comes_back_reaches_the_fallback() {
    let folder = tempfile::tempdir().unwrap();
    let (sink, mailbox) = (MailSink::start(), Mailbox::start(Protection::None));
    std::fs::write(folder.path().join("bounce.password"), "secret").unwrap();
    let config = format!(
        r#"
        data = "data"
        [mail]
        host = "127.0.0.1"
        port = {}
        from = "leads@group.example"
        bounce_address = "bounce@group.example"
        [bounces]
        every = "10s"
        [bounces.imap]
        host = "127.0.0.1"
        port = {}
        tls = "none"
        user = "bounces"
        password_file = "bounce.password"
        [dealers.group]
        name = "Group Motors"
        [dealers.group.rooftops.North]
        crm = "leads@crm.example"
        fallback = "manager@group.example"
        "#,
        sink.address().port(),
        mailbox.address().port()
    );
    let file = folder.path().join("forecourt.toml");
    std::fs::write(&file, config).unwrap();
    let file = file.to_str().unwrap();
    ready_for_leads(file.as_ref(), &["--config", file]);
    sink.forget();
    let key = key(file);
    let server = Server::start(&["serve", "--config", file]);
    let answer = server.answer(&lead(1));
    let lead_id = answer["data"]["lead_id"].as_str().unwrap();
    let sent = sink.wait_for(1).remove(0);
    assert_eq!(sent.to, ["leads@crm.example"]);
    assert_eq!(sent.from, "bounce@group.example");
    let show = || api(&server, &key, &format!("/api/leads/{lead_id}"));
    eventually("the lead counts as sent", || show()["arrival"] == "sent");
    mailbox.deliver(returned(&sent.text).as_bytes());
    let to_manager = sink.wait_for(2).remove(1);
    assert_eq!(to_manager.to, ["manager@group.example"]);
    eventually("the fallback has it", || show()["arrival"] == "sent");
    let shown = show();
    let states: Vec<&Value> = shown["deliveries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["state"])
        .collect();
    assert_eq!(states, ["bounced", "sent"]);
    let detail = &shown["deliveries"][0]["history"][0]["detail"];
    assert_eq!(detail, "5.2.2 the mailbox is full, says mx.crm.example");
    assert!(mailbox.mails()[0].seen);
    let (status, state) = run_json(&["status", "--config", file, "--json"]);
    assert_eq!(status, 1, "a person is needed");
    let alarms = state["alarms"].as_array().unwrap();
    let alarm = alarms.iter().find(|it| it["kind"] == "bounce").unwrap();
    assert_eq!(alarm["subject"], "North/crm");
}

/// A key for leads, as the command line makes it.
fn key(file: &str) -> String {
    let (status, made) = run_json(&[
        "key", "create", "--name", "crm", "--scope", "leads", "--config", file, "--json",
    ]);
    assert_eq!(status, 0, "{made}");
    made["key"].as_str().unwrap().to_owned()
}

fn api(server: &Server, key: &str, path: &str) -> Value {
    let bearer = format!("Bearer {key}");
    let headers = [("Authorization", bearer.as_str())];
    let reply = exchange(&server.address, "GET", path, &headers, "").unwrap();
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}
