//! Alarms against real servers, with the clock in the test's hand.

use inventory::stock as inventory_stock;
use jiff::Timestamp;
use serde_json::{Value, json};
use store::Clock;
use tempfile::TempDir;
use testkit::{
    certificate::Certificate,
    mail::{Account, MailSink, Protection},
    webhook::WebhookSink,
};

use super::*;
use crate::{
    Secret, Webhook, feeds,
    mail::{Login, MailServer, MailTls},
};

fn clock() -> Clock {
    Clock::manual("2026-05-01T12:00:00Z".parse().unwrap())
}

fn store(clock: &Clock) -> Store {
    let lists = [
        store::lease::MIGRATIONS,
        inventory_stock::MIGRATIONS,
        crate::MIGRATIONS,
    ];
    Store::temporary(&lists, clock.clone()).unwrap()
}

fn egress() -> Egress {
    let mut options = egress::Options::default();
    options.allow = vec!["127.0.0.0/8".parse().unwrap()];
    Egress::new(options).unwrap()
}

fn mail(sink: &MailSink) -> Channel {
    let address = sink.address();
    let server = MailServer::new(address.ip().to_string(), address.port(), MailTls::None);
    let (from, to) = ("forecourt@group.example", "it@group.example");
    Channel::Mail(Mail::new(server, from, to).unwrap())
}

fn webhook(sink: &WebhookSink, secret: Option<&str>) -> Channel {
    let url = sink.url("/alarm?key=s3cret").parse().unwrap();
    Channel::Webhook(Webhook::new(egress(), url, secret.map(Secret::new)))
}

fn alarms(store: &Store, channels: Vec<Channel>) -> Alarms {
    let settings = Settings {
        server: "https://agent.group.example".to_owned(),
        channels,
        ..Settings::default()
    };
    Alarms::new(store.clone(), settings)
}

/// Lets the worker look, waits until causes have gathered, and tells every channel once.
async fn round(alarms: &Alarms, deliveries: &mut Vec<Delivery>) -> Vec<bool> {
    alarms.check().await;
    alarms.store.clock().advance(SignedDuration::from_secs(6));
    deliveries.resize_with(alarms.settings.channels.len(), Delivery::default);
    let mut told = Vec::new();
    for (channel, delivery) in alarms.settings.channels.iter().zip(deliveries) {
        told.push(alarms.tell(channel, delivery).await);
    }
    told
}

fn backup() -> Cause {
    Cause::of_server(Kind::Backup, "/srv/backup")
}

async fn raise_backup(store: &Store) {
    let message = "the last backup is from 2026-04-20".to_owned();
    set(store, &backup(), Some(message)).await.unwrap();
}

#[tokio::test]
async fn a_cause_is_mailed_once_and_so_is_its_end_whatever_restarts_in_between() {
    let (clock, sink) = (clock(), MailSink::start());
    let store = store(&clock);
    let first = alarms(&store, vec![mail(&sink)]);
    let mut deliveries = Vec::new();
    raise_backup(&store).await;
    round(&first, &mut deliveries).await;
    raise_backup(&store).await;
    round(&first, &mut deliveries).await;
    let mails = sink.mails();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].to, ["it@group.example"]);
    let text = &mails[0].text;
    assert!(
        text.contains("Subject: Forecourt alarm: backup too old: /srv/backup"),
        "{text}"
    );
    assert!(
        text.contains("the last backup is from 2026-04-20"),
        "{text}"
    );
    assert!(text.contains("since 2026-05-01T12:00:00Z"), "{text}");

    first.release().await;
    let restarted = alarms(&store, vec![mail(&sink)]);
    round(&restarted, &mut Vec::new()).await;
    assert_eq!(sink.mails().len(), 1, "a restart repeats nothing");
    set(&store, &backup(), None).await.unwrap();
    round(&restarted, &mut Vec::new()).await;
    round(&restarted, &mut Vec::new()).await;
    let mails = sink.mails();
    assert_eq!(mails.len(), 2);
    assert!(
        mails[1]
            .text
            .contains("Subject: Forecourt recovered: backup too old")
    );
}

#[tokio::test]
async fn causes_of_the_same_moment_come_in_one_mail() {
    let (clock, sink) = (clock(), MailSink::start());
    let store = store(&clock);
    let alarms = alarms(&store, vec![mail(&sink)]);
    raise_backup(&store).await;
    let dealer = "group".parse().unwrap();
    let certificate = Cause::of_dealer(&dealer, Kind::Certificate, "agent.group.example");
    set(
        &store,
        &certificate,
        Some("it ends on 2026-05-08".to_owned()),
    )
    .await
    .unwrap();
    round(&alarms, &mut Vec::new()).await;
    let mails = sink.mails();
    assert_eq!(mails.len(), 1);
    assert!(mails[0].text.contains("Subject: Forecourt: 2 alarms"));
}

#[tokio::test]
async fn a_channel_that_fails_is_tried_again_and_holds_up_no_other() {
    let (clock, sink, hook) = (clock(), MailSink::start(), WebhookSink::start());
    let store = store(&clock);
    let alarms = alarms(&store, vec![mail(&sink), webhook(&hook, None)]);
    let mut deliveries = Vec::new();
    sink.answer_next("451 try again later");
    raise_backup(&store).await;
    assert_eq!(round(&alarms, &mut deliveries).await, [false, true]);
    assert_eq!((sink.mails().len(), hook.calls().len()), (0, 1));
    assert_eq!(round(&alarms, &mut deliveries).await, [true, true]);
    assert_eq!((sink.mails().len(), hook.calls().len()), (1, 1));
}

#[test]
fn the_wait_after_a_failure_grows_to_a_limit() {
    let waits: Vec<u64> = (1..9).map(|it| retry_after(it).as_secs()).collect();
    assert_eq!(waits, [10, 20, 40, 80, 160, 320, 600, 600]);
}

#[tokio::test]
async fn an_alarm_is_mailed_under_tls_by_one_who_has_logged_in() {
    let (certificate, folder) = (Certificate::new("localhost"), TempDir::new().unwrap());
    let ca_file = folder.path().join("ca.pem");
    std::fs::write(&ca_file, certificate.pem()).unwrap();
    for (tls, protection) in [
        (MailTls::StartTls, Protection::StartTls(certificate.clone())),
        (MailTls::Implicit, Protection::Implicit(certificate.clone())),
    ] {
        let (clock, sink) = (clock(), MailSink::protected(protection));
        sink.ask_for_login(Account {
            user: "it".to_owned(),
            password: "s3cret".to_owned(),
            mechanisms: "LOGIN".to_owned(),
            ..Account::default()
        });
        let mut server = MailServer::new("localhost", sink.address().port(), tls);
        server.ca_file = Some(ca_file.clone());
        server.login = Login::Password {
            user: "it".to_owned(),
            password: Secret::new("s3cret"),
        };
        let mail = Mail::new(server, "forecourt@group.example", "it@group.example").unwrap();
        let store = store(&clock);
        let alarms = alarms(&store, vec![Channel::Mail(mail)]);
        raise_backup(&store).await;
        assert_eq!(round(&alarms, &mut Vec::new()).await, [true]);
        let mail = &sink.mails()[0];
        assert!(mail.is_encrypted, "{tls:?}");
        assert_eq!(mail.login, "LOGIN it");
        assert_eq!(mail.header("Date"), Some("Fri, 01 May 2026 12:00:06 +0000"));
    }
}

#[tokio::test]
async fn a_webhook_is_json_signed_and_the_same_at_each_attempt() {
    let (clock, hook) = (clock(), WebhookSink::start());
    let store = store(&clock);
    let alarms = alarms(&store, vec![webhook(&hook, Some("whsec_c2VjcmV0"))]);
    let mut deliveries = Vec::new();
    hook.answer_next(500);
    raise_backup(&store).await;
    assert_eq!(round(&alarms, &mut deliveries).await, [false]);
    assert_eq!(round(&alarms, &mut deliveries).await, [true]);
    let calls = hook.calls();
    let document: Value = serde_json::from_slice(&calls[1].body).unwrap();
    assert_eq!(calls[1].line, "POST /alarm?key=s3cret");
    assert_eq!(document["type"], "forecourt.alarm");
    assert_eq!(document["raised"][0]["kind"], "backup");
    assert_eq!(document["raised"][0]["subject"], "/srv/backup");
    let id = calls[0].header("webhook-id").unwrap();
    assert_eq!(calls[1].header("webhook-id"), Some(id));
    let signature = calls[1].header("webhook-signature").unwrap();
    assert!(signature.starts_with("v1,"), "{signature}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_reads_the_alarm_from_its_input_and_no_shell_reads_its_words() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("alarm; $(echo).json");
    let words = ["tee", file.to_str().unwrap()].map(str::to_owned);
    let notice = Notice::test("https://agent.group.example");
    let command = Channel::Command(words.into());
    command.send(&notice, Timestamp::UNIX_EPOCH).await.unwrap();
    let written: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(written["type"], "forecourt.alarm.test");

    let words = ["ls", "/nowhere/at-all"].map(str::to_owned);
    let failing = Channel::Command(words.into());
    let error = failing.send(&notice, Timestamp::UNIX_EPOCH).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("/nowhere/at-all"), "{error}");
    let absent = Channel::Command(vec!["no-such-program".to_owned()]);
    let error = absent
        .send(&notice, Timestamp::UNIX_EPOCH)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("no-such-program"), "{error}");
}

#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_command_that_never_ends_is_given_up() {
    let command = Channel::Command(["sleep", "1000"].map(str::to_owned).into());
    let notice = Notice::test("https://agent.group.example");
    let given_up = command.send(&notice, Timestamp::UNIX_EPOCH).await;
    assert!(matches!(given_up, Err(SendError::TimedOut)), "{given_up:?}");
}

#[tokio::test]
async fn a_feed_that_was_refused_or_is_late_is_told_until_it_is_well() {
    let (clock, hook) = (clock(), WebhookSink::start());
    let store = store(&clock);
    let id: DealerId = "group".parse().unwrap();
    let dealer: Arc<Dealer> = Arc::new(
        serde_json::from_value(json!({
            "name": "Group Motors",
            "rooftops": { "North": {} },
            "feeds": { "used": { "expect_every": "26h" } },
        }))
        .unwrap(),
    );
    let settings = Settings {
        channels: vec![webhook(&hook, None)],
        dealers: BTreeMap::from([(id.clone(), Arc::clone(&dealer))]),
        ..Settings::default()
    };
    let alarms = Alarms::new(store.clone(), settings);
    let mut deliveries = Vec::new();
    let mut kinds = async |file: Option<&[u8]>| {
        if let Some(file) = file {
            let used = feeds::Target::Stock {
                dealer: &dealer,
                feed: "used",
            };
            feeds::receive(&store, &id, used, None, file).await.unwrap();
        }
        round(&alarms, &mut deliveries).await;
        let open = store.read(open).await.unwrap();
        open.iter().map(|it| it.cause.kind).collect::<Vec<_>>()
    };
    let good = b"Stock,Year,Make,Model\nA1,2022,Honda,Accord\n";
    assert_eq!(kinds(Some(good)).await, []);
    assert_eq!(kinds(Some(b"<html>502")).await, [Kind::FeedRefused]);
    clock.advance(SignedDuration::from_hours(27));
    assert_eq!(kinds(None).await, [Kind::FeedOverdue, Kind::FeedRefused]);
    assert_eq!(kinds(Some(good)).await, []);
    let calls = hook.calls();
    assert_eq!(calls.len(), 3);
    let last: Value = serde_json::from_slice(&calls[2].body).unwrap();
    assert_eq!(last["recovered"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn causes_of_a_feed_that_is_no_longer_configured_end() {
    let clock = clock();
    let store = store(&clock);
    let dealer = "group".parse().unwrap();
    let gone = Cause::of_dealer(&dealer, Kind::FeedSource, "old");
    set(&store, &gone, Some("its folder is missing".to_owned()))
        .await
        .unwrap();
    alarms(&store, Vec::new()).check().await;
    assert!(store.read(open).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_heartbeat_beats_while_nothing_is_wrong() {
    let (clock, hook) = (clock(), WebhookSink::start());
    let store = store(&clock);
    let alarms = alarms(&store, Vec::new());
    let heartbeat = Heartbeat {
        egress: egress(),
        url: hook.url("/beat").parse().unwrap(),
        every: Duration::from_secs(60),
    };
    alarms.check().await;
    alarms.beat(&heartbeat).await;
    assert_eq!(hook.calls()[0].line, "GET /beat");
    raise_backup(&store).await;
    alarms.beat(&heartbeat).await;
    assert_eq!(hook.calls().len(), 1);
    set(&store, &backup(), None).await.unwrap();
    alarms.beat(&heartbeat).await;
    assert_eq!(hook.calls().len(), 2);
}

#[tokio::test]
async fn one_process_at_a_time_tells() {
    let (clock, sink) = (clock(), MailSink::start());
    let store = store(&clock);
    let (first, second) = (
        alarms(&store, vec![mail(&sink)]),
        alarms(&store, vec![mail(&sink)]),
    );
    let (mut of_first, mut of_second) = (Vec::new(), Vec::new());
    raise_backup(&store).await;
    round(&first, &mut of_first).await;
    round(&second, &mut of_second).await;
    assert_eq!(sink.mails().len(), 1);
    clock.advance(SignedDuration::from_secs(61));
    set(&store, &backup(), None).await.unwrap();
    round(&second, &mut of_second).await;
    round(&first, &mut of_first).await;
    assert_eq!(
        sink.mails().len(),
        2,
        "the second took over from where the first was"
    );
}

#[tokio::test]
async fn a_database_that_fails_is_told_without_it() {
    let (clock, sink) = (clock(), MailSink::start());
    let store = store(&clock);
    let alarms = alarms(&store, vec![mail(&sink)]);
    let mut deliveries = Vec::new();
    round(&alarms, &mut deliveries).await;
    let broken: Result<(), store::Error> = Err(store::Error::Closed);
    for _ in 0..3 {
        alarms.note(Access::Write, &broken);
        // As with a full disk.
        alarms.note(Access::Read, &Ok(()));
    }
    clock.advance(SignedDuration::from_secs(6));
    let (channel, delivery) = (&alarms.settings.channels[0], &mut deliveries[0]);
    let told = delivery.told.clone().unwrap();
    let open = alarms.health().alarms(None);
    let notice = Notice::due("server", &open, &told, clock.now()).unwrap();
    assert!(
        notice.headline().contains("database failing"),
        "{}",
        notice.headline()
    );
    channel.send(&notice, clock.now()).await.unwrap();
    delivery.told.as_mut().unwrap().extend(notice.told());
    // It works again, which the next look finds.
    round(&alarms, &mut deliveries).await;
    assert!(sink.mails()[1].text.contains("recovered"));
}
