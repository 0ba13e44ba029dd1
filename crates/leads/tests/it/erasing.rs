//! A person who asks to be forgotten, and leads that are old.

use aap::lead::{AppointmentStatus as Told, Channel};
use jiff::SignedDuration;
use leads::{
    AppointmentStatus, DeliveryState, Erasure, Error, LeadId, Order, Vault, VaultKey, Whom,
};
use serde_json::json;

use crate::{Desk, Request, booking, hash_key, outbox::taken};

const DAY: i64 = 24;

fn whom(text: &str) -> Vec<Whom> {
    vec![text.parse().expect("names somebody")]
}

fn ada() -> Request {
    Request::new()
        .car()
        .with("/message", json!("Ada Fixture, call +14155550123"))
        .with(
            "/appointment",
            json!({ "appointment_type": "sales", "appointment_at": "2026-05-03T11:00:00-07:00", "notes": "Ada" }),
        )
        .with("/source_agent/url", json!("https://agent.example/ada"))
        .with("/consent/consent_text", json!("I, Ada Fixture, agree."))
        .key("ada-1")
}

fn ben() -> Request {
    Request::new()
        .with("/customer/first_name", json!("Ben"))
        .with("/customer/last_name", json!("Other"))
        .with("/customer/email", json!("ben@example.com"))
        .with("/customer/phone", json!("+14155550199"))
        .key("ben-1")
}

impl Desk {
    async fn leads_of(&self, person: &str) -> Vec<LeadId> {
        let (vault, dealer, whom) = (self.vault.clone(), self.dealer.clone(), whom(person));
        self.store
            .read(move |conn| leads::leads_of(conn, &vault, &dealer, &whom))
            .await
            .expect("looks")
    }

    fn order(&self) -> Order {
        Order {
            erasure_id: self.store.clock().new_id(),
            reason: "request of the person".to_owned(),
            recorded_by: "an operator".to_owned(),
            now: self.store.clock().now(),
        }
    }

    async fn erase(&self, person: &str) -> Result<Vec<LeadId>, Error> {
        let (vault, dealer, whom) = (self.vault.clone(), self.dealer.clone(), whom(person));
        let (found, order) = (self.leads_of(person).await, self.order());
        self.store
            .write(move |conn| {
                leads::erase(conn, &vault, &hash_key(), &dealer, &whom, &found, &order)?;
                Ok(found.clone())
            })
            .await
    }

    async fn erase_older(&self, hours: i64, limit: u32) -> usize {
        let (vault, dealer, order) = (self.vault.clone(), self.dealer.clone(), self.order());
        let before = order.now - SignedDuration::from_hours(hours);
        self.store
            .write(move |conn| {
                leads::erase_older(conn, &vault, &hash_key(), &dealer, before, limit, &order)
            })
            .await
            .unwrap_or_else(|error: Error| panic!("{error}"))
    }

    async fn told(&self, lead_ids: Vec<LeadId>) -> Vec<leads::Told> {
        let dealer = self.dealer.clone();
        self.store
            .read(move |conn| leads::told(conn, &dealer, &lead_ids))
            .await
            .unwrap_or_else(|error: Error| panic!("{error}"))
    }

    async fn erasures(&self, person: &str) -> Vec<Erasure> {
        let (dealer, whom) = (self.dealer.clone(), whom(person));
        self.store
            .read(move |conn| leads::erasures_of(conn, &hash_key(), &dealer, &whom))
            .await
            .unwrap_or_else(|error: Error| panic!("{error}"))
    }
}

#[tokio::test]
async fn the_person_goes_and_the_proof_stays() {
    let desk = Desk::open();
    let lead_id = desk.take_id(ada().context("ada-context")).await;
    let leased = desk.lease_one().await;
    desk.settle(&leased, taken()).await;
    let second = desk.take_id(ada().key("ada-2")).await;
    let ben = desk.take_id(ben()).await;

    assert_eq!(
        desk.erase("ADA.fixture@example.com").await.unwrap(),
        [lead_id.clone(), second.clone()]
    );
    let all = desk.everything().await;
    for word in [
        "| ada |",
        "fixture",
        "4155550123",
        "250 kept",
        "11:00:00-07:00",
    ] {
        assert!(!all.contains(word), "{word}");
    }
    assert!(all.contains("ben"), "others stay");

    let lead = desk.show(lead_id.as_str()).await;
    assert!(lead.summary.person.0.is_none());
    assert!(lead.request.0.is_none() && lead.consent_as_received.0.is_none());
    assert_eq!(
        lead.summary.rights.erased_at,
        Some(desk.store.clock().now())
    );
    assert_eq!(
        lead.summary.rights.allowed_channels,
        [Channel::Email, Channel::Phone],
        "what was agreed to can be shown"
    );
    assert_eq!(lead.summary.vin.as_deref(), Some("1HGCM82633A004352"));
    assert_eq!(desk.list().await.len(), 3);

    let states: Vec<_> = desk.deliveries().await.iter().map(|it| it.state).collect();
    assert_eq!(
        states,
        [
            DeliveryState::Sent,
            DeliveryState::Erased,
            DeliveryState::Due
        ]
    );
    let told = desk.told(vec![lead_id, second, ben]).await;
    assert_eq!(told.len(), 1);
    assert_eq!(
        (told[0].rooftop.as_str(), told[0].destination.as_str()),
        ("North", "crm")
    );
}

#[tokio::test]
async fn a_person_is_found_under_encryption_and_by_every_way_of_writing() {
    let desk = Desk {
        vault: Vault::new(Some(&VaultKey::new([3; 32])), &[]),
        ..Desk::open()
    };
    let lead_id = desk.take_id(ada()).await;
    desk.take_id(ben()).await;
    for person in [
        "ada.fixture@example.com",
        "+1 415-555-0123",
        "(415) 555 0123",
    ] {
        assert_eq!(
            desk.leads_of(person).await,
            std::slice::from_ref(&lead_id),
            "{person}"
        );
    }
    assert_eq!(desk.leads_of("carl@example.com").await, []);
    desk.erase("4155550123").await.unwrap();
    assert_eq!(desk.leads_of("ada.fixture@example.com").await, []);
    assert_eq!(desk.list().await.len(), 2);
}

#[tokio::test]
async fn it_can_be_told_later_that_a_person_was_erased_and_nothing_else() {
    let desk = Desk::open();
    desk.take_id(ada()).await;
    assert_eq!(desk.erasures("ada.fixture@example.com").await.len(), 0);
    desk.erase("ada.fixture@example.com").await.unwrap();
    let erasures = desk.erasures("Ada.Fixture@example.com").await;
    assert_eq!(erasures.len(), 1);
    assert_eq!(
        (erasures[0].leads, erasures[0].recorded_by.as_str()),
        (1, "an operator")
    );
    assert_eq!(
        desk.erasures("+14155550123").await.len(),
        0,
        "only by what was named"
    );
    assert_eq!(desk.erasures("ben@example.com").await.len(), 0);
}

#[tokio::test]
async fn an_erased_persons_next_lead_is_a_new_one() {
    let desk = Desk::open();
    desk.take_id(ada()).await;
    desk.erase("ada.fixture@example.com").await.unwrap();
    let next = desk.take(ada()).await;
    assert!(!next.replayed, "the key went with the person");
    let lead = desk.show(&next.result.lead_id).await;
    assert_eq!(lead.summary.repeat_of, None);
    assert!(lead.summary.person.0.is_some());
}

#[tokio::test]
async fn a_legal_hold_stops_it_as_a_whole() {
    let desk = Desk::open();
    let first = desk.take_id(ada()).await;
    let second = desk.take_id(ada().key("ada-2")).await;
    desk.hold(&second, "a dispute").await;
    let refused = desk.erase("ada.fixture@example.com").await.unwrap_err();
    assert!(refused.to_string().contains(second.as_str()), "{refused}");
    assert!(matches!(refused, Error::OnHold(held) if held == [second.clone()]));
    let lead = desk.show(first.as_str()).await;
    assert!(lead.summary.person.0.is_some());
    assert!(
        desk.show(second.as_str())
            .await
            .summary
            .rights
            .on_legal_hold
    );

    let (dealer, held) = (desk.dealer.clone(), second.clone());
    let lifted = desk
        .store
        .write(move |conn| leads::unhold(conn, &dealer, &held))
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    assert!(lifted);
    assert_eq!(
        desk.erase("ada.fixture@example.com").await.unwrap().len(),
        2
    );
}

#[tokio::test]
async fn old_leads_lose_their_person_in_batches_but_for_those_on_hold() {
    let desk = Desk::open();
    let mut old = Vec::new();
    for number in 0..5 {
        old.push(desk.take_id(ada().key(&number.to_string())).await);
    }
    desk.hold(&old[2], "a dispute").await;
    desk.wait(SignedDuration::from_hours(2 * DAY));
    let young = desk.take_id(ben()).await;
    assert_eq!(desk.erase_older(3 * DAY, 10).await, 0);
    assert_eq!(desk.erase_older(DAY, 3).await, 3);
    assert_eq!(desk.erase_older(DAY, 3).await, 1);
    assert_eq!(desk.erase_older(DAY, 3).await, 0);
    for lead_id in &old {
        let gone = desk.show(lead_id.as_str()).await.summary.person.0.is_none();
        assert_eq!(gone, *lead_id != old[2]);
    }
    assert!(desk.show(young.as_str()).await.summary.person.0.is_some());
    assert_eq!(desk.erasures("ada.fixture@example.com").await, []);
}

#[tokio::test]
async fn what_is_being_sent_ends_as_it_ends() {
    let desk = Desk::open();
    desk.take_id(ada()).await;
    let leased = desk.lease_one().await;
    desk.erase("ada.fixture@example.com").await.unwrap();
    desk.settle(&leased, taken()).await;
    assert_eq!(desk.deliveries().await[0].state, DeliveryState::Sent);
}

#[tokio::test]
async fn an_export_holds_everything_and_not_the_dealers_reasons() {
    let desk = Desk::open();
    let lead_id = desk.take_id(ada()).await;
    let leased = desk.lease_one().await;
    desk.settle(&leased, taken()).await;
    desk.hold(&lead_id, "a dispute").await;
    desk.take_id(ben()).await;
    let (vault, dealer) = (desk.vault.clone(), desk.dealer.clone());
    let found = desk.leads_of("ada.fixture@example.com").await;
    let kept = desk
        .store
        .read(move |conn| leads::export(conn, &vault, &dealer, &found))
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    let kept = json!(kept);
    assert_eq!(kept.as_array().unwrap().len(), 1);
    for (pointer, expected) in [
        ("/0/person/email", json!("ada.fixture@example.com")),
        (
            "/0/request/message",
            json!("Ada Fixture, call +14155550123"),
        ),
        (
            "/0/appointment/wished_at",
            json!("2026-05-03T11:00:00-07:00"),
        ),
        ("/0/deliveries/0/destination", json!("crm")),
        ("/0/deliveries/0/state", json!("sent")),
        ("/0/attempts/0/attempts/0/outcome", json!("sent")),
        ("/0/on_legal_hold", json!(true)),
    ] {
        assert_eq!(kept.pointer(pointer), Some(&expected), "{pointer}");
    }
    assert!(!kept.to_string().contains("a dispute"));
    let consent = kept.pointer("/0/consent_as_received").unwrap().as_str();
    assert!(consent.unwrap().contains("I, Ada Fixture, agree."));
}

#[tokio::test]
async fn the_time_of_an_erased_persons_appointment_is_free_again() {
    let desk = booking::desk(json!({ "confirm": true }));
    let at = Some("2026-05-02T16:00:00Z");
    let first = booking::buyer(1).appointment("sales", at);
    let lead_id = desk.take_id(first).await;
    let taken = booking::buyer(2).appointment("sales", at);
    assert_eq!(desk.wish(taken).await.status, Told::Proposed);
    desk.erase("ada.1@example.com").await.unwrap();
    let kept = desk.show(lead_id.as_str()).await.summary.appointment;
    assert_eq!(kept.unwrap().status, AppointmentStatus::Canceled);
    let free = booking::buyer(3).appointment("sales", at);
    assert_eq!(desk.wish(free).await.status, Told::Confirmed);
}

#[tokio::test]
async fn an_appointment_that_is_over_stays_as_it_was() {
    let desk = booking::desk(json!({ "confirm": true }));
    let request = booking::buyer(1).appointment("sales", Some("2026-05-02T16:00:00Z"));
    let lead_id = desk.take_id(request).await;
    desk.wait(SignedDuration::from_hours(3 * DAY));
    desk.erase("ada.1@example.com").await.unwrap();
    let kept = desk.show(lead_id.as_str()).await.summary.appointment;
    assert_eq!(kept.unwrap().status, AppointmentStatus::Confirmed);
}
