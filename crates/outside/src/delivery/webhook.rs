//! Leads as JSON documents that are posted, signed where there is a secret.

use leads::Purpose;

use super::{
    answer::{self, Success},
    courier::{Fault, Parcel, Receipt},
    words::Words,
};
use crate::Webhook;

/// Posts a lead's document. The delivery is the message's id (`webhook-id`): the same over every
/// attempt.
pub(super) async fn send(webhook: &Webhook, parcel: &Parcel) -> Result<Receipt, Fault> {
    if parcel.purpose == Purpose::Copy {
        return Err(Fault::permanent("only mail has copies for people"));
    }
    let id = parcel.delivery_id.as_str();
    let answered = webhook
        .post(id, &parcel.document, parcel.sent_at, answer::PATIENCE)
        .await;
    let success = Success::default();
    answer::judge(answered, &success, &Words::of(parcel), parcel.sent_at)
}
