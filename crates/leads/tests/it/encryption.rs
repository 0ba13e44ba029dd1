//! What the database holds under a key, and how the key is changed.

use leads::{Error, LeadId, Order, Rekeyed, Vault, VaultKey};
use serde_json::json;

use crate::{Desk, Request, hash_key, schema};

/// What of the person must not be readable. Each is longer than what stands in random Base64 by chance,
/// or has a character that it lacks; `|` is the edge of a cell.
const PERSONAL: [&str; 8] = [
    "| ada |",
    "ada fixture",
    "fixture",
    "4155550123",
    "\"austin\"",
    "quiet please",
    "litigation",
    "consent_text",
];

fn key(byte: u8) -> VaultKey {
    VaultKey::new([byte; 32])
}

fn talkative() -> Request {
    Request::new()
        .car()
        .with("/message", json!("Ada Fixture, +14155550123, quiet please"))
        .with(
            "/trade_in",
            json!({ "make": "Honda", "notes": "Ada's own" }),
        )
        .with(
            "/vehicle_of_interest",
            json!({ "vin": "1HGCM82633A004352", "notes": "for Ada" }),
        )
        .with(
            "/customer/address",
            json!({ "city": "Austin", "address_line_1": "1 Fixture Road" }),
        )
        .with(
            "/appointment",
            json!({ "appointment_type": "sales", "notes": "Ada comes by bus" }),
        )
        .key("one")
}

impl Desk {
    fn under(mut self, vault: Vault) -> Self {
        self.vault = vault;
        self
    }

    /// Everything in the database, in lower case.
    pub(crate) async fn everything(&self) -> String {
        let mut all = String::new();
        for table in schema::tables(&self.store).await {
            all.push_str(&schema::dump(&self.store, &table).await.to_lowercase());
        }
        all
    }

    async fn rekey(&self) -> Result<u64, Error> {
        let (mut after, mut rewritten) = (None, 0);
        loop {
            let vault = self.vault.clone();
            let done: Rekeyed = self
                .store
                .write(move |conn| leads::rekey(conn, &vault, after.as_ref(), 2))
                .await?;
            rewritten += done.rewritten;
            if done.last.is_none() {
                return Ok(rewritten);
            }
            after = done.last;
        }
    }

    pub(crate) async fn hold(&self, lead_id: &LeadId, reason: &'static str) -> bool {
        let (vault, dealer) = (self.vault.clone(), self.dealer.clone());
        let lead_id = lead_id.clone();
        self.store
            .write(move |conn| leads::hold(conn, &vault, &dealer, &lead_id, reason))
            .await
            .expect("holds")
    }
}

#[tokio::test]
async fn under_a_key_nothing_personal_is_readable_and_everything_comes_back() {
    let desk = Desk::open().under(Vault::new(Some(&key(1)), &[]));
    let lead_id = desk.take_id(talkative()).await;
    assert!(desk.hold(&lead_id, "litigation with Ada Fixture").await);
    let all = desk.everything().await;
    for word in PERSONAL {
        assert!(!all.contains(word), "{word}");
    }
    let lead = desk.show(lead_id.as_str()).await;
    let request = lead.request.0.unwrap();
    assert_eq!(request.customer.first_name, "Ada");
    assert_eq!(
        request.message.as_deref(),
        Some("Ada Fixture, +14155550123, quiet please")
    );
    assert_eq!(
        lead.legal_hold.0.as_deref(),
        Some("litigation with Ada Fixture")
    );
    assert_eq!(
        desk.list().await[0].person.0.as_ref().unwrap().last_name,
        "Fixture"
    );
    let again = desk.take(talkative().key("one")).await;
    assert!(again.replayed, "keys are found under encryption");
    let repeat = desk.take_id(talkative().key("two")).await;
    assert_eq!(
        desk.show(repeat.as_str()).await.summary.repeat_of,
        Some(lead_id),
        "repeats are found under encryption"
    );
}

#[tokio::test]
async fn without_the_key_the_error_names_it() {
    let desk = Desk::open().under(Vault::new(Some(&key(1)), &[]));
    let lead_id = desk.take_id(talkative()).await;
    let desk = desk.under(Vault::new(Some(&key(2)), &[]));
    let (vault, dealer) = (desk.vault.clone(), desk.dealer.clone());
    let refused = desk
        .store
        .read(move |conn| leads::show(conn, &vault, &dealer, &lead_id))
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains(&key(1).id().to_string()),
        "{refused}"
    );
    let refused = desk.rekey().await.unwrap_err();
    assert!(matches!(refused, Error::Vault(_)), "{refused}");
}

#[tokio::test]
async fn a_lost_key_is_named_and_takes_only_its_persons_with_it() {
    let desk = Desk::open();
    let plain = desk.take_id(Request::new().key("plain")).await;
    let desk = desk.under(Vault::new(Some(&key(1)), &[]));
    let sealed = desk.take_id(talkative()).await;
    desk.hold(&plain, "litigation").await;
    let in_use = desk.store.read(leads::keys_in_use);
    let expected = [key(1).id().to_string()];
    assert!(in_use.await.unwrap().into_iter().eq(expected));

    let desk = desk.under(Vault::new(Some(&key(2)), &[]));
    let erase = || {
        let vault = desk.vault.clone();
        let order = Order {
            erasure_id: desk.store.clock().new_id(),
            reason: "the key is lost".to_owned(),
            recorded_by: "a test".to_owned(),
            now: desk.store.clock().now(),
        };
        desk.store.write(move |conn| {
            leads::erase_lost(conn, &vault, &hash_key(), key(1).id(), 10, &order)
        })
    };
    let refused = erase().await.unwrap_err();
    assert!(
        matches!(&refused, Error::OnHold(held) if *held == [plain.clone()]),
        "{refused}"
    );
    let (dealer, lead_id) = (desk.dealer.clone(), plain.clone());
    let let_go = desk
        .store
        .write(move |conn| leads::unhold(conn, &dealer, &lead_id));
    assert!(let_go.await.unwrap());
    assert_eq!(erase().await.unwrap(), 1);
    assert_eq!(erase().await.unwrap(), 0);
    assert!(
        desk.show(sealed.as_str())
            .await
            .summary
            .rights
            .erased_at
            .is_some()
    );
    assert!(desk.show(plain.as_str()).await.request.0.is_some());
    assert!(
        desk.store
            .read(leads::keys_in_use)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn encryption_is_turned_on_changed_and_turned_off_over_what_is_there() {
    let desk = Desk::open();
    let mut leads = Vec::new();
    for number in 0..5 {
        let email = format!("ada.fixture.{number}@example.com");
        let request = talkative().with("/customer/email", json!(email));
        leads.push(desk.take_id(request.key(&email)).await);
    }
    desk.hold(&leads[0], "litigation").await;
    let before = desk.show(leads[3].as_str()).await;
    assert_eq!(
        desk.rekey().await.unwrap(),
        0,
        "plain text is what is written"
    );

    let desk = desk.under(Vault::new(Some(&key(1)), &[]));
    assert_eq!(desk.rekey().await.unwrap(), 5);
    assert_eq!(desk.rekey().await.unwrap(), 0);
    let all = desk.everything().await;
    for word in PERSONAL {
        assert!(!all.contains(word), "{word}");
    }
    assert_eq!(desk.show(leads[3].as_str()).await, before);

    let desk = desk.under(Vault::new(Some(&key(2)), &[key(1)]));
    desk.take_id(talkative().key("later")).await;
    assert_eq!(desk.rekey().await.unwrap(), 5, "the last one has the key");
    let desk = desk.under(Vault::new(Some(&key(2)), &[]));
    assert_eq!(desk.show(leads[3].as_str()).await, before);
    assert_eq!(desk.list().await.len(), 6);

    let desk = desk.under(Vault::new(None, &[key(2)]));
    assert_eq!(desk.rekey().await.unwrap(), 6);
    let desk = desk.under(Vault::open());
    assert_eq!(desk.show(leads[3].as_str()).await, before);
    assert!(desk.everything().await.contains("litigation"));
}

#[tokio::test]
async fn what_looks_sealed_and_is_not_hides_no_lead() {
    let desk = Desk::open();
    let message = "{v1}0011223344556677.AAAA";
    let lead_id = desk
        .take_id(Request::new().with("/message", json!(message)))
        .await;
    let lead = desk.show(lead_id.as_str()).await;
    assert_eq!(lead.request.0.unwrap().message.as_deref(), Some(message));
}
