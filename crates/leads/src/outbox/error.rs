//! Why the outbox did not do what it was asked.

use crate::{DeliveryId, DeliveryState, LeadId};

/// Why the outbox did not do what it was asked. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The dealer has no such delivery.
    #[error("there is no delivery {0}")]
    UnknownDelivery(DeliveryId),
    /// The dealer has no such lead.
    #[error("there is no lead {0}")]
    UnknownLead(LeadId),
    /// The person of the lead was erased, so that there is nothing to send.
    #[error("the person of lead {0} was erased; there is nothing to send")]
    Erased(LeadId),
    /// A delivery in this state cannot be tried again.
    #[error("delivery {delivery_id} is {}; {}", .state.as_str(), instead(*.state))]
    NotRetried {
        /// Which delivery.
        delivery_id: DeliveryId,
        /// Its state.
        state: DeliveryState,
    },
    /// The rooftop has no such destination.
    #[error("rooftop {rooftop:?} has no destination {destination:?}; it has {known}")]
    UnknownDestination {
        /// The rooftop.
        rooftop: String,
        /// What was asked for.
        destination: String,
        /// The names that it has, separated by commas.
        known: String,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// What to do instead of trying a delivery of this state again.
const fn instead(state: DeliveryState) -> &'static str {
    match state {
        DeliveryState::Sent => "a lead that has arrived is sent once more by `leads resend`",
        DeliveryState::Held => "it waits for a person to release its lead",
        _ => "it is not sent any more",
    }
}
