use std::{
    collections::{BTreeSet, HashMap},
    fs,
    sync::Arc,
    time::Duration,
};

use dealers::{Dealer, DealerId, Destination, Rooftop, Standing};
use leads::{
    Caller, DeliveryId, DeliveryState, HashKey, NewDelivery, NewLead, Origin, Purpose, Vault,
    VehicleMatch,
    outbox::{self, Attempt, Delivery, DeliveryFilter, Ending, Outcome, Search},
};
use store::{Clock, Store};
use testkit::imap::{Mailbox, Protection};

use super::*;
use crate::{
    Secret,
    alarm::{self as alarms, Kind},
    mail::{Login, MailTls},
};

/// A dealer whose leads are on their way.
struct Desk {
    store: Store,
    dealers: Dealers,
}

impl Desk {
    fn open() -> Self {
        let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
        let migrations = [
            store::lease::MIGRATIONS,
            leads::MIGRATIONS,
            crate::MIGRATIONS,
        ];
        let store = Store::temporary(&migrations, clock).unwrap();
        let mut rooftop = Rooftop {
            crm: Some("leads@crm.example".to_owned()),
            fallback: Some("manager@group.example".to_owned()),
            ..Rooftop::default()
        };
        let webhook = Destination {
            webhook: Some("https://crm.example/leads".parse().unwrap()),
            ..Destination::default()
        };
        rooftop.destinations.insert("hook".to_owned(), webhook);
        let mut dealer: Dealer = serde_json::from_str(r#"{ "name": "Group Motors" }"#).unwrap();
        dealer.rooftops.insert("North".to_owned(), rooftop);
        let other = Dealer::clone(&dealer);
        let dealers = [("other", other), ("group", dealer)];
        let dealers = dealers.map(|(id, dealer)| (id.parse().unwrap(), dealer.into()));
        Self {
            store,
            dealers: dealers.to_vec(),
        }
    }

    fn id(&self) -> DealerId {
        self.dealers[1].0.clone()
    }

    fn wait(&self, hours: i64) {
        self.store
            .clock()
            .advance(jiff::SignedDuration::from_hours(hours));
    }

    /// A lead on its way to a destination.
    async fn lead(&self, destination: &str, purpose: Purpose) -> DeliveryId {
        let clock = self.store.clock();
        let delivery_id: DeliveryId = clock.new_id().into();
        let payload = r#"{
            "type": "lead.submit.request",
            "customer": { "first_name": "Ada", "last_name": "Example", "email": "ada@example.com" },
            "consent": { "granted_at": "2026-05-01T10:00:00Z", "allowed_channels": ["email"],
                "consent_text": "Group Motors may write to me.", "scope": ["lead_submission"] },
            "source_agent": { "name": "example-agent" }
        }"#;
        let lead = NewLead {
            dealer: self.id(),
            lead_id: clock.new_id().into(),
            appointment_id: clock.new_id().into(),
            deliveries: vec![NewDelivery {
                delivery_id: delivery_id.clone(),
                destination: destination.to_owned(),
                purpose,
            }],
            standing: Standing::Open,
            now: clock.now(),
            request: serde_json::from_str(payload).unwrap(),
            payload: payload.to_owned(),
            caller: Caller::new("example-agent"),
            idempotency: None,
            vehicle: VehicleMatch::None,
            rooftop: Some("North".to_owned()),
            calendar: None,
            contact: Default::default(),
            hash_key: HashKey::new([0; 32]),
            origin: Origin::Agent,
            rejected: None,
        };
        let submission = lead.prepare().unwrap();
        let accepted = self
            .store
            .write(move |conn| leads::accept(conn, &Vault::open(), &submission))
            .await;
        accepted.unwrap();
        delivery_id
    }

    /// Sends everything that is due, and keeps what came of it.
    async fn send(&self, outcome: Option<Outcome>) {
        let now = self.store.clock().now();
        let holder: Arc<str> = "worker".into();
        let known: Arc<BTreeSet<DealerId>> = Arc::new([self.id()].into());
        let fallback_id: DeliveryId = self.store.clock().new_id().into();
        let dealer = self.dealers[1].1.clone();
        let sent = self.store.write(move |conn| {
            let search = Search {
                now,
                dealers: Arc::clone(&known),
                most: 100,
                per_route: 100,
                busy: HashMap::new(),
                after: None,
            };
            let (found, _) = outbox::candidates(conn, &search)?;
            let terms = outbox::Lease {
                holder: Arc::clone(&holder),
                now,
                length: jiff::SignedDuration::from_secs(60),
            };
            for leased in outbox::lease(conn, &terms, &found)? {
                let Some(outcome) = &outcome else {
                    continue;
                };
                let ending = Ending {
                    now,
                    jitter: 0.0,
                    fallback_id: fallback_id.clone(),
                };
                outbox::settle(conn, &dealer, &leased, outcome, &ending)?;
            }
            Ok::<_, outbox::Error>(())
        });
        sent.await.unwrap();
    }

    async fn sent(&self, destination: &str, purpose: Purpose) -> DeliveryId {
        let id = self.lead(destination, purpose).await;
        self.send(Some(taken())).await;
        id
    }

    async fn show(&self, delivery: &DeliveryId) -> (Delivery, Vec<Attempt>) {
        let (dealer, delivery) = (self.id(), delivery.clone());
        let found = self
            .store
            .read(move |conn| outbox::show(conn, &dealer, &delivery))
            .await;
        found.unwrap().unwrap()
    }

    async fn state(&self, delivery: &DeliveryId) -> DeliveryState {
        self.show(delivery).await.0.state
    }

    /// The deliveries to the fallback that were made in place of this one.
    async fn fallbacks(&self, delivery: &DeliveryId) -> Vec<Delivery> {
        let dealer = self.id();
        let filter = DeliveryFilter {
            limit: 100,
            ..DeliveryFilter::default()
        };
        let all = self
            .store
            .read(move |conn| outbox::list(conn, &dealer, &filter))
            .await
            .unwrap();
        let its = all
            .into_iter()
            .filter(|it| it.fallback_of.as_ref() == Some(delivery));
        its.collect()
    }

    async fn take(&self, mail: &str) -> Taken {
        let claim = read(mail.as_bytes()).claim().expect("a claim");
        take(&self.store, &self.dealers, claim).await.unwrap()
    }

    async fn alarms(&self) -> Vec<(Kind, String, String)> {
        let open = self.store.read(alarms::open).await.unwrap();
        open.into_iter()
            .map(|it| (it.cause.kind, it.cause.subject, it.message))
            .collect()
    }

    /// Mail marked as bounced, its lead on the way to the fallback, a person told.
    async fn assert_bounced(&self, delivery: &DeliveryId) {
        let (shown, attempts) = self.show(delivery).await;
        assert_eq!(shown.state, DeliveryState::Bounced);
        let detail = attempts.last().unwrap().detail.clone().unwrap();
        assert!(
            detail.contains("5.1.1 there is no such mailbox"),
            "{detail}"
        );
        let fallbacks = self.fallbacks(delivery).await;
        assert_eq!(fallbacks.len(), 1, "{fallbacks:?}");
        assert_eq!(fallbacks[0].destination, "fallback");
        assert_eq!(fallbacks[0].state, DeliveryState::Due);
        let alarms = self.alarms().await;
        assert_eq!(alarms.len(), 1, "{alarms:?}");
        assert_eq!(
            (alarms[0].0, alarms[0].1.as_str()),
            (Kind::Bounce, "North/crm")
        );
        assert!(
            alarms[0]
                .2
                .contains("came back (the last one: 5.1.1 there is no such mailbox"),
            "{alarms:?}"
        );
    }
}

fn taken() -> Outcome {
    Outcome::Sent {
        detail: "250 kept".to_owned(),
    }
}

/// A bounce of a delivery, written a few minutes after it was sent at noon.
fn bounce(delivery: &DeliveryId) -> String {
    notification(delivery, "failed", "5.1.1")
}

fn notification(delivery: &DeliveryId, action: &str, status: &str) -> String {
    format!(
        "From: MAILER-DAEMON@mx.crm.example\r\n\
         To: bounces@group.example\r\n\
         Date: Fri, 1 May 2026 12:05:00 +0000\r\n\
         Subject: Undelivered Mail Returned to Sender\r\n\
         MIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\r\n\
         \r\n--b\r\n\
         Content-Type: message/delivery-status\r\n\
         \r\nReporting-MTA: dns; mx.crm.example\r\n\
         \r\nAction: {action}\r\nStatus: {status}\r\n\
         \r\n--b\r\n\
         Content-Type: message/rfc822\r\n\
         \r\nMessage-ID: <{delivery}@group.example>\r\n\r\nhello\r\n--b--\r\n"
    )
}

fn imap(server: &Mailbox) -> Settings {
    let login = Login::Password {
        user: "bounces".to_owned(),
        password: Secret::new("secret"),
    };
    let mut imap = Imap::new("127.0.0.1", MailTls::None, login);
    imap.port = server.address().port();
    Settings {
        imap: Some(imap),
        ..settings()
    }
}

fn settings() -> Settings {
    Settings {
        every: Duration::from_secs(60),
        ..Settings::default()
    }
}

fn counts(bounced: u64, late: u64, idle: u64, left: u64) -> Counts {
    Counts {
        bounced,
        late,
        idle,
        left,
    }
}

#[tokio::test]
async fn a_lead_that_came_back_goes_to_the_fallback_and_a_person_is_told() {
    let desk = Desk::open();
    let delivery = desk.sent("crm", Purpose::Lead).await;
    let taken = desk.take(&bounce(&delivery)).await;
    let Taken::Bounced {
        dealer, fallback, ..
    } = taken
    else {
        panic!("{taken:?}");
    };
    assert_eq!(dealer, desk.id());
    assert!(fallback.is_some());
    desk.assert_bounced(&delivery).await;
}

#[tokio::test]
async fn the_same_bounce_again_changes_nothing() {
    let desk = Desk::open();
    let delivery = desk.sent("crm", Purpose::Lead).await;
    desk.take(&bounce(&delivery)).await;
    let again = desk.take(&bounce(&delivery)).await;
    let Taken::Unchanged { state, .. } = again else {
        panic!("{again:?}");
    };
    assert_eq!(state, DeliveryState::Bounced);
    desk.assert_bounced(&delivery).await;
}

#[tokio::test]
async fn a_notice_of_delay_is_noted_once_and_changes_nothing_else() {
    let desk = Desk::open();
    let delivery = desk.sent("crm", Purpose::Lead).await;
    for _ in 0..2 {
        let taken = desk
            .take(&notification(&delivery, "delayed", "4.2.2"))
            .await;
        assert!(matches!(taken, Taken::Late { .. }), "{taken:?}");
    }
    let (shown, attempts) = desk.show(&delivery).await;
    assert_eq!(shown.state, DeliveryState::Sent);
    assert_eq!(
        attempts[0].detail.as_deref(),
        Some("250 kept; late: 4.2.2 the mailbox is full, says mx.crm.example")
    );
    assert!(desk.fallbacks(&delivery).await.is_empty());
    assert!(desk.alarms().await.is_empty());
}

#[tokio::test]
async fn a_mail_changes_only_what_went_out_as_mail_not_long_ago() {
    let desk = Desk::open();
    let due = desk.lead("crm", Purpose::Lead).await;
    assert_eq!(
        unchanged(desk.take(&bounce(&due)).await),
        DeliveryState::Due
    );
    let later = Outcome::Temporary {
        detail: "451 later".to_owned(),
        retry_after: None,
    };
    desk.send(Some(later)).await;
    assert_eq!(
        unchanged(desk.take(&bounce(&due)).await),
        DeliveryState::Due
    );
    let hook = desk.sent("hook", Purpose::Lead).await;
    assert_eq!(
        unchanged(desk.take(&bounce(&hook)).await),
        DeliveryState::Sent
    );
    let old = desk.sent("crm", Purpose::Lead).await;
    desk.wait(14 * 24 + 1);
    assert_eq!(
        unchanged(desk.take(&bounce(&old)).await),
        DeliveryState::Sent
    );
    let stranger: DeliveryId = desk.store.clock().new_id().into();
    assert_eq!(desk.take(&bounce(&stranger)).await, Taken::Unknown);
    assert!(desk.alarms().await.is_empty());
}

fn unchanged(taken: Taken) -> DeliveryState {
    match taken {
        Taken::Unchanged { state, .. } => state,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn word_of_somebody_with_a_key_counts_for_every_kind_of_destination() {
    let desk = Desk::open();
    let hook = desk.sent("hook", Purpose::Lead).await;
    let claim = Claim::by_key(hook.clone(), true, "the CRM could not read it".to_owned());
    let taken = take(&desk.store, &desk.dealers, claim).await.unwrap();
    assert!(matches!(taken, Taken::Bounced { .. }), "{taken:?}");
    assert_eq!(desk.state(&hook).await, DeliveryState::Bounced);
}

#[tokio::test]
async fn a_bounce_of_an_earlier_sending_does_not_count_for_a_later_one() {
    let desk = Desk::open();
    let delivery = desk.sent("crm", Purpose::Lead).await;
    desk.take(&bounce(&delivery)).await;
    desk.wait(3);
    let (dealer, id, now) = (desk.id(), delivery.clone(), desk.store.clock().now());
    let retried = desk
        .store
        .write(move |conn| outbox::retry(conn, &dealer, &id, now));
    retried.await.unwrap();
    desk.send(Some(taken())).await;
    assert_eq!(desk.state(&delivery).await, DeliveryState::Sent);
    let again = desk.take(&bounce(&delivery)).await;
    assert_eq!(unchanged(again), DeliveryState::Sent);
    let later = bounce(&delivery).replace("12:05:00", "15:05:00");
    let taken = desk.take(&later).await;
    assert!(matches!(taken, Taken::Bounced { .. }), "{taken:?}");
}

#[tokio::test]
async fn a_lead_whose_sender_died_after_sending_can_come_back() {
    let desk = Desk::open();
    let delivery = desk.lead("crm", Purpose::Lead).await;
    desk.send(None).await;
    assert_eq!(desk.state(&delivery).await, DeliveryState::Due);
    let taken = desk.take(&bounce(&delivery)).await;
    assert!(matches!(taken, Taken::Bounced { .. }), "{taken:?}");
    desk.assert_bounced(&delivery).await;
}

#[tokio::test]
async fn the_alarm_ends_when_a_lead_has_stayed() {
    let desk = Desk::open();
    let worker = Bounces::new(desk.store.clone(), settings(), desk.dealers.clone());
    let delivery = desk.sent("crm", Purpose::Lead).await;
    desk.take(&bounce(&delivery)).await;
    desk.wait(1);
    desk.sent("crm", Purpose::Lead).await;
    worker.renew_alarms().await;
    let alarms = desk.alarms().await;
    assert_eq!(alarms.len(), 1, "it may still come back");
    desk.wait(1);
    worker.renew_alarms().await;
    assert!(desk.alarms().await.is_empty());
}

#[tokio::test]
async fn a_mailbox_is_read_and_what_is_not_understood_is_left() {
    let desk = Desk::open();
    let server = Mailbox::start(Protection::None);
    let worker = Bounces::new(desk.store.clone(), imap(&server), desk.dealers.clone());
    let (lost, late) = (
        desk.sent("crm", Purpose::Lead).await,
        desk.sent("crm", Purpose::Lead).await,
    );
    let stranger: DeliveryId = desk.store.clock().new_id().into();
    for mail in [
        bounce(&lost),
        notification(&late, "delayed", "4.2.2"),
        "From: sales@crm.example\r\nAuto-Submitted: auto-replied\r\n\r\naway".to_owned(),
        "From: friend@example.com\r\nSubject: lunch\r\n\r\nat noon?".to_owned(),
        bounce(&stranger),
    ] {
        server.deliver(mail.as_bytes());
    }
    let mut memory = worker.memory();
    assert_eq!(worker.look(&mut memory).await, counts(1, 1, 1, 2));
    desk.assert_bounced(&lost).await;
    let seen: Vec<bool> = server.mails().iter().map(|it| it.seen).collect();
    assert_eq!(seen, [true, true, true, false, false]);
    // What was left is not read again, unless the server numbers its mails anew.
    let fetches = || {
        server
            .commands()
            .iter()
            .filter(|it| it.contains("FETCH"))
            .count()
    };
    let before = fetches();
    assert_eq!(worker.look(&mut memory).await, Counts::default());
    assert_eq!(fetches(), before);
    server.renumber();
    assert_eq!(worker.look(&mut memory).await, counts(0, 0, 0, 2));
}

#[tokio::test]
async fn a_mail_that_cannot_be_put_away_holds_up_no_other() {
    let desk = Desk::open();
    let server = Mailbox::start(Protection::None);
    server.refuse_folder("Dealt with");
    let mut settings = imap(&server);
    settings.imap.as_mut().unwrap().move_to = Some("Dealt with".to_owned());
    let worker = Bounces::new(desk.store.clone(), settings, desk.dealers.clone());
    let deliveries = [
        desk.sent("crm", Purpose::Lead).await,
        desk.sent("crm", Purpose::Lead).await,
    ];
    for delivery in &deliveries {
        server.deliver(bounce(delivery).as_bytes());
    }
    let mut memory = worker.memory();
    assert_eq!(worker.look(&mut memory).await, counts(2, 0, 0, 0));
    for _ in 0..2 {
        assert_eq!(worker.look(&mut memory).await, counts(0, 0, 2, 0));
    }
    let alarms = desk.alarms().await;
    let source = alarms.iter().find(|it| it.0 == Kind::BounceSource).unwrap();
    assert!(source.2.contains("cannot be moved"), "{source:?}");
}

#[tokio::test]
async fn a_maildir_is_read_and_what_is_not_understood_is_left() {
    let desk = Desk::open();
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("new");
    fs::create_dir(&new).unwrap();
    let settings = Settings {
        maildir: Some(Maildir::new(folder.path())),
        ..settings()
    };
    let worker = Bounces::new(desk.store.clone(), settings, desk.dealers.clone());
    let delivery = desk.sent("crm", Purpose::Lead).await;
    fs::write(new.join("1.lost"), bounce(&delivery)).unwrap();
    fs::write(new.join("2.other"), "Subject: lunch\r\n\r\nat noon?").unwrap();
    let mut memory = worker.memory();
    assert_eq!(worker.look(&mut memory).await, counts(1, 0, 0, 1));
    assert_eq!(worker.look(&mut memory).await, Counts::default());
    desk.assert_bounced(&delivery).await;
    assert!(folder.path().join("cur/1.lost:2,S").exists());
    assert!(new.join("2.other").exists());
}

#[tokio::test]
async fn a_mailbox_that_stays_out_of_reach_is_an_alarm_until_it_is_back() {
    let desk = Desk::open();
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        maildir: Some(Maildir::new(folder.path())),
        ..settings()
    };
    let worker = Bounces::new(desk.store.clone(), settings, desk.dealers.clone());
    let mut memory = worker.memory();
    for _ in 0..2 {
        worker.look(&mut memory).await;
        assert!(desk.alarms().await.is_empty());
    }
    worker.look(&mut memory).await;
    let alarms = desk.alarms().await;
    assert_eq!(alarms[0].0, Kind::BounceSource);
    assert!(alarms[0].2.contains("nobody notices"), "{alarms:?}");
    fs::create_dir(folder.path().join("new")).unwrap();
    worker.look(&mut memory).await;
    assert!(desk.alarms().await.is_empty());
}

#[tokio::test]
async fn one_process_at_a_time_reads_the_mailbox() {
    let desk = Desk::open();
    let worker = || Bounces::new(desk.store.clone(), settings(), desk.dealers.clone());
    let (one, other) = (worker(), worker());
    assert!(one.lease().await);
    assert!(!other.lease().await);
    one.release().await;
    assert!(other.lease().await);
    desk.store
        .clock()
        .advance(jiff::SignedDuration::from_secs(60));
    assert!(one.lease().await, "the other one died a minute ago");
}
