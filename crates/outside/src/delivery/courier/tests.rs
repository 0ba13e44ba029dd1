//! A parcel and couriers for the tests of each kind of destination.

use serde_json::json;
use uuid::Uuid;

use super::*;

/// A lead of a person who does not exist.
pub(in crate::delivery) fn parcel() -> Parcel {
    Parcel {
        dealer: "group".parse().unwrap(),
        lead_id: Uuid::from_u128(7).into(),
        delivery_id: Uuid::from_u128(8).into(),
        rooftop: "North".to_owned(),
        destination: "crm".to_owned(),
        purpose: Purpose::Lead,
        attempt: 1,
        subject: "Lead for Group Motors".to_owned(),
        adf: "<?xml version=\"1.0\"?>\n<?adf version=\"1.0\"?>\n<adf><prospect><customer>\
              <contact><name part=\"full\">Ada Muster</name><email>ada@muster.test</email>\
              <phone>+12125550100</phone></contact><comments>Is the red car at your place?</comments>\
              </customer></prospect></adf>\n"
            .to_owned(),
        text: "Ada Muster asks for a car.\n".to_owned(),
        document: json!({ "lead_id": Uuid::from_u128(7).to_string(), "name": "Ada Muster" }),
        sent_at: "2026-05-01T12:00:00Z".parse().unwrap(),
    }
}

pub(in crate::delivery) fn egress() -> Egress {
    Egress::new(egress::Options::default()).unwrap()
}

/// Mail by the server of this machine, for destinations that need none.
pub(in crate::delivery) fn local_mail() -> MailSettings {
    MailSettings::new(mail::MailServer::local(), "leads@group.example")
}

/// The courier to a destination of the only dealer's only rooftop.
pub(in crate::delivery) fn courier(
    mail: MailSettings,
    destination: Destination,
    base: &Path,
) -> Courier {
    try_courier(mail, destination, base).unwrap()
}

pub(in crate::delivery) fn try_courier(
    mail: MailSettings,
    destination: Destination,
    base: &Path,
) -> Result<Courier, SetupError> {
    let mut dealer: Dealer = serde_json::from_value(json!({ "name": "Group" })).unwrap();
    let mut rooftop = dealers::Rooftop::default();
    rooftop.destinations.insert("crm".to_owned(), destination);
    dealer.rooftops.insert("North".to_owned(), rooftop);
    let id: DealerId = "group".parse().unwrap();
    let mut couriers = Couriers::new([(&id, &dealer)], mail, base, &egress())?;
    let key = (id, "North".to_owned(), "crm".to_owned());
    Ok(couriers.all.remove(&key).unwrap())
}

#[test]
fn a_parcel_shows_no_person() {
    let shown = format!("{:?}", parcel());
    assert!(!shown.contains("Ada") && !shown.contains("ada@"), "{shown}");
    assert!(shown.contains(parcel().delivery_id.as_str()), "{shown}");
}
