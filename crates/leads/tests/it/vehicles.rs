//! The vehicle of interest against the dealer's stock.

use aap::lead::LeadStatus;
use leads::{Error, VehicleMatch, VehicleState};
use serde_json::json;

use crate::{Desk, Request};

fn about(vehicle: serde_json::Value, found: VehicleMatch) -> Request {
    Request::new()
        .with("/vehicle_of_interest", vehicle)
        .found(found)
}

#[tokio::test]
async fn every_vehicle_is_taken_and_marked() {
    let stock = || json!({ "stock": "X-1", "make": "Honda", "model": "Civic" });
    let described = json!({ "make": "Honda", "model": "Civic" });
    for (request, state, title) in [
        (Request::new(), VehicleState::None, None),
        (
            about(described, VehicleMatch::None),
            VehicleState::None,
            Some("Honda Civic"),
        ),
        (
            about(stock(), VehicleMatch::Unknown),
            VehicleState::Unknown,
            Some("Honda Civic"),
        ),
        (
            about(stock(), VehicleMatch::Gone),
            VehicleState::Gone,
            Some("Honda Civic"),
        ),
        (
            Request::new().car(),
            VehicleState::Known,
            Some("2003 Honda Accord EX"),
        ),
    ] {
        let desk = Desk::open();
        let answer = desk.take(request).await;
        assert_eq!(answer.result.status, LeadStatus::Received);
        let lead = &desk.list().await[0];
        assert_eq!(lead.lead_id.as_str(), answer.result.lead_id);
        assert_eq!(lead.vehicle_state, state);
        assert_eq!(lead.vehicle.0.as_deref(), title);
        assert_eq!(lead.rooftop.as_deref(), Some("North"));
    }
}

#[tokio::test]
async fn the_listing_is_kept_with_the_lead() {
    let desk = Desk::open();
    let by_stock = Request::new()
        .car()
        .with("/vehicle_of_interest", json!({ "stock": "n-1001" }));
    desk.take(by_stock).await;
    let lead = &desk.list().await[0];
    assert_eq!(lead.vin.as_deref(), Some("1HGCM82633A004352"));
    assert_eq!(lead.stock.as_deref(), Some("N-1001"));
}

#[tokio::test]
async fn the_answer_says_what_became_of_the_vehicle() {
    let desk = Desk::open();
    let message = |request| async { desk.take(request).await.message };
    assert_eq!(
        message(Request::new().car()).await,
        "We received your inquiry about the 2003 Honda Accord EX. Our team will follow up by email \
         or by phone. You can also call +14155550100."
    );
    let unknown = message(about(json!({ "stock": "X" }), VehicleMatch::Unknown)).await;
    assert!(unknown.contains("is not in our stock list"));
    let gone = message(about(json!({ "stock": "Y" }), VehicleMatch::Gone)).await;
    assert!(gone.contains("is no longer available"));
}

#[tokio::test]
async fn a_test_drive_needs_a_car_that_is_there() {
    let desk = Desk::open();
    let drive = |found| about(json!({ "stock": "X-1" }), found).appointment("test_drive", None);
    assert!(matches!(
        desk.submit(drive(VehicleMatch::Unknown)).await,
        Err(Error::VehicleNotFound)
    ));
    assert!(matches!(
        desk.submit(drive(VehicleMatch::Gone)).await,
        Err(Error::VehicleUnavailable)
    ));
    let tables = [
        "lead",
        "person",
        "consent",
        "contact",
        "delivery",
        "appointment",
    ];
    assert_eq!(crate::schema::rows(&desk.store, &tables).await, 0);

    desk.take(Request::new().appointment("test_drive", None))
        .await;
    desk.take(about(json!({ "stock": "X-1" }), VehicleMatch::Gone).appointment("sales", None))
        .await;
    assert_eq!(desk.list().await.len(), 2);
}
