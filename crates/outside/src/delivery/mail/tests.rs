//! Leads as mail, to a real server.

mod readers;

use std::time::Duration;

use dealers::Destination;
use testkit::mail::{Account, Act, At, MailSink};

use super::*;
use crate::{
    Secret,
    delivery::courier::{
        Courier, Reach,
        tests::{courier, parcel},
    },
    mail::{Login, MailTls},
};

fn settings(sink: &MailSink) -> MailSettings {
    let address = sink.address();
    let server = MailServer::new(address.ip().to_string(), address.port(), MailTls::None);
    MailSettings::new(server, "leads@group.example")
}

fn to_crm(settings: MailSettings) -> Courier {
    let mut destination = Destination::mailbox("crm@crm.example");
    destination.copy_to = Some("sales@group.example".to_owned());
    courier(settings, destination, std::path::Path::new("."))
}

#[tokio::test]
async fn a_lead_is_mailed_as_nothing_but_adf() {
    let sink = MailSink::start();
    let mut settings = settings(&sink);
    settings.bounce = Some(BounceAddress::new("bounce@group.example", true));
    settings.reply_to = Some("desk@group.example".to_owned());
    let receipt = to_crm(settings).send(&parcel()).await.unwrap();
    assert_eq!(receipt.detail, "250 kept");
    let mail = &sink.mails()[0];
    let id = parcel().delivery_id;
    assert_eq!(mail.from, format!("bounce+{id}@group.example"));
    assert_eq!(mail.to, ["crm@crm.example"]);
    let (header, body) = mail.text.split_once("\n\n").unwrap();
    assert_eq!(body, parcel().adf);
    for line in [
        format!("Message-ID: <{id}@group.example>"),
        format!("X-Forecourt-Lead: {}", parcel().lead_id),
        "Auto-Submitted: auto-generated".to_owned(),
        "From: leads@group.example".to_owned(),
        "Reply-To: desk@group.example".to_owned(),
        "Date: Fri, 01 May 2026 12:00:00 +0000".to_owned(),
        "Content-Type: text/plain; charset=utf-8".to_owned(),
        "Content-Transfer-Encoding: 7bit".to_owned(),
    ] {
        assert!(
            header.lines().any(|it| it == line),
            "{line} is missing: {header}"
        );
    }
}

#[tokio::test]
async fn people_get_a_copy_that_can_be_read() {
    let sink = MailSink::start();
    let mut copy = parcel();
    copy.purpose = Purpose::Copy;
    to_crm(settings(&sink)).send(&copy).await.unwrap();
    let mail = &sink.mails()[0];
    assert_eq!(mail.to, ["sales@group.example"]);
    assert!(mail.text.ends_with("\n\nAda Muster asks for a car.\n"));
}

#[tokio::test]
async fn a_destination_without_people_has_no_copy() {
    let sink = MailSink::start();
    let destination = Destination::mailbox("crm@crm.example");
    let courier = courier(settings(&sink), destination, std::path::Path::new("."));
    let mut copy = parcel();
    copy.purpose = Purpose::Copy;
    let fault = courier.send(&copy).await.unwrap_err();
    assert!(matches!(fault, Fault::Permanent { .. }), "{fault:?}");
    assert_eq!(sink.count(), 0);
}

#[tokio::test]
async fn every_attempt_names_the_mail_in_the_same_way() {
    let sink = MailSink::start();
    let courier = to_crm(settings(&sink));
    sink.act_next(At::Content, Act::Close);
    courier.send(&parcel()).await.unwrap_err();
    let mut again = parcel();
    again.attempt = 2;
    again.sent_at = "2026-05-01T12:05:00Z".parse().unwrap();
    courier.send(&again).await.unwrap();
    let ids: Vec<_> = sink
        .mails()
        .iter()
        .map(|it| it.header("Message-ID").map(str::to_owned))
        .collect();
    assert_eq!(ids.len(), 2);
    assert!(ids[0].is_some());
    assert_eq!(ids[0], ids[1]);
}

#[tokio::test]
async fn a_subject_cannot_bring_a_header_of_its_own() {
    let sink = MailSink::start();
    let mut parcel = parcel();
    parcel.subject = "Lead\r\nBcc: thief@else.example".to_owned();
    to_crm(settings(&sink)).send(&parcel).await.unwrap();
    let mail = &sink.mails()[0];
    assert_eq!(mail.header("Bcc"), None);
    assert_eq!(
        mail.header("Subject"),
        Some("Lead  Bcc: thief@else.example")
    );
    assert_eq!(mail.to, ["crm@crm.example"]);
}

/// What a fault is, in a word.
fn kind(fault: &Fault) -> &'static str {
    match fault {
        Fault::Permanent { .. } => "permanent",
        Fault::Temporary {
            reach: Reach::Destination,
            ..
        } => "destination",
        Fault::Temporary {
            reach: Reach::Parcel,
            ..
        } => "parcel",
    }
}

#[tokio::test]
async fn refusals_are_told_apart_by_code_and_place() {
    let sink = MailSink::start();
    let courier = to_crm(settings(&sink));
    for (at, answer, expected) in [
        (At::Banner, "554 5.3.2 no service", "destination"),
        (At::Sender, "451 4.3.0 later", "destination"),
        (At::Sender, "550 5.7.1 not your address", "destination"),
        (At::Sender, "552 5.3.4 too large", "permanent"),
        (At::Recipient, "421 4.3.2 shutting down", "destination"),
        (At::Recipient, "450 4.2.0 greylisted", "destination"),
        (At::Recipient, "452 4.2.2 mailbox full", "destination"),
        (At::Recipient, "530 5.7.0 log in first", "destination"),
        (At::Recipient, "550 5.1.1 no such user", "permanent"),
        (At::Recipient, "552 5.2.2 mailbox full", "permanent"),
        (
            At::Recipient,
            "554 5.7.1 Relay access denied",
            "destination",
        ),
        (
            At::Content,
            "554 5.2.252 SendAsDenied; not yours",
            "destination",
        ),
        (At::Data, "451 4.3.0 later", "parcel"),
        (At::Content, "451 4.7.1 try again later", "parcel"),
        (At::Content, "452 4.3.1 no room", "destination"),
        (At::Content, "550 5.7.1 content refused", "permanent"),
        (At::Content, "554 5.6.0 not ADF", "permanent"),
    ] {
        // A banner is only seen on a new connection.
        let fresh = to_crm(settings(&sink));
        let courier = if at == At::Banner { &fresh } else { &courier };
        sink.act_next(at, Act::Say(answer.to_owned()));
        let fault = courier.send(&parcel()).await.unwrap_err();
        assert_eq!(kind(&fault), expected, "{at:?} {answer}: {fault:?}");
        assert!(fault.detail().contains(answer), "{fault:?}");
    }
    assert_eq!(sink.count(), 0);
    courier.send(&parcel()).await.unwrap();
}

#[tokio::test]
async fn faults_without_an_answer_are_for_now() {
    let cases = [
        (At::Banner, Act::Close, "destination"),
        (At::Banner, Act::Hang, "destination"),
        (At::Recipient, Act::Hang, "destination"),
        (At::Content, Act::Hang, "parcel"),
        (At::Content, Act::Close, "parcel"),
    ];
    let trials = cases.map(async |(at, act, expected)| {
        let sink = MailSink::start();
        let mut settings = settings(&sink);
        settings.server.timeout = Duration::from_secs(2);
        sink.act_next(at, act.clone());
        let fault = to_crm(settings).send(&parcel()).await.unwrap_err();
        assert_eq!(kind(&fault), expected, "{at:?} {act:?}: {fault:?}");
    });
    futures_util::future::join_all(trials).await;
}

#[tokio::test]
async fn a_refused_login_is_the_operators_to_put_right_and_gives_no_lead_up() {
    let sink = MailSink::start();
    sink.ask_for_login(Account {
        user: "leads".to_owned(),
        password: "right".to_owned(),
        mechanisms: "PLAIN".to_owned(),
        ..Account::default()
    });
    let mut settings = settings(&sink);
    settings.server.login = Login::Password {
        user: "leads".to_owned(),
        password: Secret::new("wrong"),
    };
    let fault = to_crm(settings).send(&parcel()).await.unwrap_err();
    assert_eq!(kind(&fault), "destination");
    assert!(
        fault.detail().contains("[mail]") && fault.detail().contains("535"),
        "{fault:?}"
    );
    assert!(!fault.detail().contains("wrong"), "{fault:?}");
}

#[tokio::test]
async fn what_a_server_quotes_of_the_buyer_stands_in_no_detail() {
    let sink = MailSink::start();
    let courier = to_crm(settings(&sink));
    for answer in [
        "550 spam: Ada Muster <ada@muster.test> +12125550100",
        "250 kept for ADA MUSTER",
    ] {
        sink.act_next(At::Content, Act::Say(answer.to_owned()));
        let detail = match courier.send(&parcel()).await {
            Ok(receipt) => receipt.detail,
            Err(fault) => fault.detail().to_owned(),
        };
        for part in ["ada", "muster", "12125550100"] {
            assert!(!detail.to_lowercase().contains(part), "{detail}");
        }
    }
}

#[test]
fn a_mailbox_that_is_none_is_told_with_its_destination() {
    let mut dealer: dealers::Dealer = serde_json::from_str(r#"{"name": "Group"}"#).unwrap();
    let rooftop = dealers::Rooftop {
        crm: Some("nobody".to_owned()),
        ..dealers::Rooftop::default()
    };
    dealer.rooftops.insert("North".to_owned(), rooftop);
    let id = "group".parse().unwrap();
    let settings = MailSettings::new(MailServer::local(), "leads@group.example");
    let egress = crate::delivery::courier::tests::egress();
    let base = std::path::Path::new(".");
    let error = crate::delivery::Couriers::new([(&id, &dealer)], settings, base, &egress);
    let text = explain(&error.unwrap_err());
    assert!(
        text.contains("crm") && text.contains("North") && text.contains("nobody"),
        "{text}"
    );
}

#[test]
fn the_digest_changes_with_the_way_and_not_with_time() {
    let settings = |from: &str| MailSettings::new(MailServer::local(), from);
    let digest = |from: &str, to: &str| {
        let destination = Destination::mailbox(to);
        courier(settings(from), destination, std::path::Path::new(".")).digest()
    };
    let first = digest("leads@group.example", "crm@crm.example");
    assert_eq!(first, digest("leads@group.example", "crm@crm.example"));
    assert_ne!(first, digest("leads@group.example", "crm@other.example"));
    assert_ne!(first, digest("other@group.example", "crm@crm.example"));
}
