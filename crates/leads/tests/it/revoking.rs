//! Consent that is taken back.

use aap::lead::Channel;
use leads::{
    DeliveryState, Error, LeadId, Purpose, Revocation, Revoked,
    adf::{self, Occasion, Prospect},
};

use crate::{
    Desk, Request,
    outbox::{later, taken},
};

impl Desk {
    async fn revoke(&self, lead_id: &LeadId, channels: &[Channel]) -> Result<Revoked, Error> {
        let (dealer, lead_id) = (self.dealer.clone(), lead_id.clone());
        let clock = self.store.clock().clone();
        let mut wish = Revocation::new(clock.now(), channels.to_vec());
        wish.recorded_by = "an operator".to_owned();
        self.store
            .write(move |conn| {
                leads::revoke(conn, &dealer, &lead_id, &wish, &|| clock.new_id().into())
            })
            .await
    }

    async fn sent_lead(&self, request: Request) -> LeadId {
        let lead_id = self.take_id(request).await;
        let leased = self.lease_one().await;
        self.settle(&leased, taken()).await;
        lead_id
    }
}

#[tokio::test]
async fn what_was_taken_back_is_told_where_the_lead_went_and_is_not_allowed_any_more() {
    let desk = Desk::open();
    let lead_id = desk.sent_lead(Request::new()).await;
    desk.secs(60);
    let revoked = desk.revoke(&lead_id, &[Channel::Phone]).await.unwrap();
    assert!(revoked.recorded);
    assert_eq!(revoked.remaining, [Channel::Email]);
    assert_eq!(revoked.told.len(), 1);
    assert_eq!(revoked.told[0].destination, "crm");
    assert_eq!(revoked.told[0].purpose, Purpose::Revocation);

    let lead = desk.show(lead_id.as_str()).await;
    assert_eq!(lead.summary.rights.allowed_channels, [Channel::Email]);
    assert_eq!(lead.summary.rights.revoked_channels, [Channel::Phone]);
    assert_eq!(lead.revocations.len(), 1);
    assert_eq!(lead.revocations[0].recorded_by, "an operator");
    assert_eq!(lead.revocations[0].channels, [Channel::Phone]);
    let shown = lead.request.0.as_ref().unwrap().consent.as_ref().unwrap();
    assert_eq!(shown.allowed_channels, [Channel::Email]);
    let verbatim = lead.consent_as_received.0.as_ref().unwrap();
    assert!(verbatim.contains("phone"), "the grant stays word for word");
    assert_eq!(
        desk.list().await[0].rights.allowed_channels,
        [Channel::Email]
    );

    let leased = desk.lease_one().await;
    assert_eq!(leased.purpose, Purpose::Revocation);
    assert_eq!(leased.delivery_id, revoked.told[0].delivery_id);
    let dealer = serde_json::from_str(r#"{ "name": "Demo Motors" }"#).unwrap();
    let told = Prospect::of(&lead, &dealer, Occasion::Revocation).unwrap();
    let told = adf::text(&told);
    assert!(
        told.contains("Consent taken back: do not contact by phone call"),
        "{told}"
    );
    assert!(told.contains("May be contacted by email; not by"), "{told}");
}

#[tokio::test]
async fn nothing_is_ever_allowed_again_and_nothing_is_recorded_twice() {
    let desk = Desk::open();
    let lead_id = desk.sent_lead(Request::new()).await;
    desk.revoke(&lead_id, &[Channel::Phone]).await.unwrap();
    let again = desk.revoke(&lead_id, &[Channel::Phone]).await.unwrap();
    assert!(!again.recorded && again.told.is_empty());
    let rest = desk.revoke(&lead_id, &[]).await.unwrap();
    assert!(rest.recorded, "within the same millisecond");
    assert_eq!(rest.remaining, []);
    let never_allowed = desk.revoke(&lead_id, &[Channel::Sms]).await.unwrap();
    assert!(!never_allowed.recorded);
    let lead = desk.show(lead_id.as_str()).await;
    assert_eq!(lead.revocations.len(), 2);
    assert_eq!(lead.summary.rights.allowed_channels, []);
    assert_eq!(
        lead.summary.rights.revoked_channels,
        [Channel::Email, Channel::Phone, Channel::Sms]
    );
}

#[tokio::test]
async fn a_lead_that_was_not_sent_says_so_when_it_is() {
    let desk = Desk::open();
    let lead_id = desk.take_id(Request::new()).await;
    let revoked = desk.revoke(&lead_id, &[Channel::Phone]).await.unwrap();
    assert!(revoked.told.is_empty() && revoked.withdrawn == 0);
    let leased = desk.lease_one().await;
    assert_eq!(leased.purpose, Purpose::Lead);
    let lead = desk.show(lead_id.as_str()).await;
    let dealer = serde_json::from_str(r#"{ "name": "Demo Motors" }"#).unwrap();
    let told = adf::text(&Prospect::of(&lead, &dealer, Occasion::New).unwrap());
    assert!(told.contains("do not contact by phone call"), "{told}");
}

#[tokio::test]
async fn a_lead_whose_consent_is_all_taken_back_is_not_sent() {
    let desk = Desk::open();
    let lead_id = desk.take_id(Request::new()).await;
    let revoked = desk.revoke(&lead_id, &[]).await.unwrap();
    assert_eq!((revoked.withdrawn, revoked.told.len()), (1, 0));
    assert_eq!(desk.deliveries().await[0].state, DeliveryState::Withdrawn);
}

#[tokio::test]
async fn a_destination_that_may_have_the_lead_hears_of_it_too() {
    let desk = Desk::open();
    let lead_id = desk.take_id(Request::new()).await;
    let leased = desk.lease_one().await;
    // It is being sent at this moment.
    let revoked = desk.revoke(&lead_id, &[]).await.unwrap();
    assert_eq!((revoked.withdrawn, revoked.told.len()), (0, 1));
    desk.settle(&leased, taken()).await;
    let states: Vec<_> = desk.deliveries().await.iter().map(|it| it.state).collect();
    assert_eq!(states, [DeliveryState::Sent, DeliveryState::Due]);
}

#[tokio::test]
async fn a_destination_that_refused_for_now_may_have_kept_something() {
    let desk = Desk::open();
    let lead_id = desk.take_id(Request::new()).await;
    let leased = desk.lease_one().await;
    desk.settle(&leased, later()).await;
    let revoked = desk.revoke(&lead_id, &[]).await.unwrap();
    assert_eq!((revoked.withdrawn, revoked.told.len()), (1, 1));
}

#[tokio::test]
async fn there_has_to_be_a_lead() {
    let desk = Desk::open();
    let nobody = LeadId::from(desk.store.clock().new_id());
    let refused = desk.revoke(&nobody, &[]).await.unwrap_err();
    assert!(matches!(refused, Error::UnknownLead(_)), "{refused}");
}
