//! Leads as mail, to a real server.

use dealers::Destination;
use testkit::mail::MailSink;

use super::*;
use crate::{
    delivery::courier::{
        Courier, Reach,
        tests::{courier, parcel},
    },
    mail::MailTls,
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
async fn a_refusal_for_now_is_told_from_one_for_good() {
    let sink = MailSink::start();
    let courier = to_crm(settings(&sink));
    for (answer, is_for_now) in [
        ("451 4.7.1 try again later", true),
        ("452 4.2.2 mailbox full", true),
        ("550 5.1.1 no such user", false),
        ("552 5.2.2 mailbox full", false),
        ("530 5.7.0 log in first", true),
    ] {
        sink.answer_next(answer);
        let fault = courier.send(&parcel()).await.unwrap_err();
        assert_eq!(
            matches!(
                fault,
                Fault::Temporary {
                    reach: Reach::Destination,
                    ..
                }
            ),
            is_for_now,
            "{answer}: {fault:?}"
        );
        assert!(fault.detail().contains(answer), "{fault:?}");
    }
    courier.send(&parcel()).await.unwrap();
}
