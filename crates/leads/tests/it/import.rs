//! Leads of other systems.

use dealers::DealerId;
use jiff::tz::TimeZone;
use leads::{
    DeliveryId, Error, Import, Imported, Lead, NewDelivery, Origin, Purpose, VehicleMatch, adf,
};
use store::Store;

use crate::{Desk, Request};

const DOCUMENT: &str = "<adf><prospect><id source='Example CRM'>4711</id>
    <requestdate>2026-04-30T20:15:00</requestdate>
    <vehicle interest='test-drive' status='used'><year>2003</year><make>Honda</make><model>Accord</model></vehicle>
    <customer><contact><name part='full'>Ada Fixture</name><email>ada.fixture@example.com</email>
    <phone>(415) 555-0123</phone></contact><comments>I agree to be called.</comments></customer>
    <provider><name part='full'>Example Leads</name></provider></prospect></adf>";

/// What is imported out of a document.
fn of(desk: &Desk, document: &str) -> Import {
    let mut prospects = adf::read(document.as_bytes()).prospects;
    Import {
        dealer: desk.dealer.clone(),
        prospect: prospects.remove(0),
        vehicle: VehicleMatch::None,
        rooftop: Some("North".to_owned()),
        zone: TimeZone::get("America/New_York").expect("a zone"),
        deliveries: Vec::new(),
        now: desk.store.clock().now(),
        hash_key: crate::hash_key(),
    }
}

async fn import(desk: &Desk, import: Import) -> Result<Imported, Error> {
    let vault = desk.vault.clone();
    desk.store
        .write(move |conn| leads::import(conn, &vault, &import))
        .await
}

async fn shown(desk: &Desk, imported: &Imported) -> Lead {
    desk.show(imported.lead_id.as_str()).await
}

async fn deliveries(store: &Store, dealer: &DealerId) -> i64 {
    let dealer = dealer.clone();
    let counts = store.read(move |conn| leads::count(conn, &dealer)).await;
    counts.expect("counts").deliveries_due
}

#[tokio::test]
async fn a_lead_of_another_system_is_kept_and_goes_nowhere() {
    let desk = Desk::open();
    let imported = import(&desk, of(&desk, DOCUMENT)).await.unwrap();
    assert!(imported.is_new);
    let lead = shown(&desk, &imported).await;
    assert_eq!(lead.origin, Origin::Import);
    assert_eq!(lead.summary.source_agent, "Example Leads");
    assert_eq!(
        lead.summary.received_at.to_string(),
        "2026-05-01T00:15:00Z",
        "the rooftop's zone is meant"
    );
    let request = lead.request.0.as_ref().unwrap();
    assert_eq!(request.customer.phone.as_deref(), Some("+14155550123"));
    let submitted_at = request.submitted_at.as_deref();
    assert_eq!(submitted_at, Some("2026-04-30T20:15:00-04:00"));
    let message = request.message.as_deref().unwrap();
    for words in ["I agree to be called.", "test drive", "4711 (Example CRM)"] {
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(deliveries(&desk.store, &desk.dealer).await, 0);
}

#[tokio::test]
async fn no_consent_is_made_of_what_the_document_says() {
    let desk = Desk::open();
    let imported = import(&desk, of(&desk, DOCUMENT)).await.unwrap();
    let lead = shown(&desk, &imported).await;
    assert_eq!(lead.consent_as_received.0, None);
    assert_eq!(lead.request.0.as_ref().unwrap().consent, None);
    let dealer = toml::from_str("name = \"Fixture Motors\"\n[rooftops.North]").unwrap();
    let prospect = adf::Prospect::of(&lead, &dealer, adf::Occasion::Resend).unwrap();
    let text = adf::text(&prospect);
    assert!(text.contains("Consent: none on record."), "{text}");
    assert!(!text.contains("May be contacted"), "{text}");
}

#[tokio::test]
async fn a_document_that_is_read_twice_is_one_lead() {
    let desk = Desk::open();
    let first = import(&desk, of(&desk, DOCUMENT)).await.unwrap();
    let spaced = DOCUMENT.replace("<prospect>", "<prospect status='resend'>\n\n");
    let again = import(&desk, of(&desk, &spaced)).await.unwrap();
    assert_eq!(again.lead_id, first.lead_id);
    assert!(!again.is_new);
    let other_person = DOCUMENT.replace("Ada", "Eve");
    let other_id = DOCUMENT.replace("4711", "4712");
    for other in [other_person, other_id] {
        let other = import(&desk, of(&desk, &other)).await.unwrap();
        assert!(other.is_new && other.lead_id != first.lead_id);
    }
    assert_eq!(desk.list().await.len(), 3);
}

#[tokio::test]
async fn without_an_identifier_every_word_counts() {
    let desk = Desk::open();
    let bare = DOCUMENT.replace("<id source='Example CRM'>4711</id>", "");
    let first = import(&desk, of(&desk, &bare)).await.unwrap();
    assert!(!import(&desk, of(&desk, &bare)).await.unwrap().is_new);
    let other = bare.replace("Accord", "Civic");
    let other = import(&desk, of(&desk, &other)).await.unwrap();
    assert!(other.is_new && other.lead_id != first.lead_id);
}

#[tokio::test]
async fn deliveries_are_made_when_asked_for_and_once() {
    let desk = Desk::open();
    let asked = || {
        let mut import = of(&desk, DOCUMENT);
        import.deliveries = vec![NewDelivery {
            delivery_id: DeliveryId::from(desk.store.clock().new_id()),
            destination: "crm".to_owned(),
            purpose: Purpose::Lead,
        }];
        import
    };
    import(&desk, of(&desk, DOCUMENT)).await.unwrap();
    let late = import(&desk, asked()).await.unwrap();
    assert_eq!((late.is_new, late.deliveries), (false, 1));
    assert_eq!(import(&desk, asked()).await.unwrap().deliveries, 0);
    assert_eq!(deliveries(&desk.store, &desk.dealer).await, 1);
}

#[tokio::test]
async fn a_lead_that_nobody_could_answer_is_refused() {
    let desk = Desk::open();
    let document = "<prospect><customer><contact><name>Ada</name></contact></customer></prospect>";
    let refused = import(&desk, of(&desk, document)).await;
    assert!(matches!(refused, Err(Error::Unreachable)));
    assert!(desk.list().await.is_empty());
}

#[tokio::test]
async fn a_time_to_come_is_not_believed() {
    let desk = Desk::open();
    let document = DOCUMENT.replace("2026-04-30", "2027-04-30");
    let imported = import(&desk, of(&desk, &document)).await.unwrap();
    let lead = shown(&desk, &imported).await;
    assert_eq!(lead.summary.received_at, desk.store.clock().now());
}

#[tokio::test]
async fn secret_numbers_are_masked_as_in_every_lead() {
    let desk = Desk::open();
    let document = DOCUMENT.replace("I agree", "Card 4111 1111 1111 1111. I agree");
    let imported = import(&desk, of(&desk, &document)).await.unwrap();
    let lead = shown(&desk, &imported).await;
    assert!(lead.masked);
    let message = lead.request.0.unwrap().message.unwrap();
    assert!(!message.contains("4111 1111"), "{message}");
}

#[tokio::test]
async fn a_lead_that_comes_after_an_imported_one_repeats_it() {
    let desk = Desk::open();
    let imported = import(&desk, of(&desk, DOCUMENT)).await.unwrap();
    let car = serde_json::json!({ "year": 2003, "make": "Honda", "model": "Accord" });
    let answer = desk
        .take(Request::new().with("/vehicle_of_interest", car))
        .await;
    let lead = desk.show(&answer.result.lead_id).await;
    assert_eq!(lead.summary.repeat_of, Some(imported.lead_id));
}
