//! Submitting a lead so that a lost answer never makes two of it.

use aap::lead::{LeadSubmitRequest, LeadSubmitResult};
use serde_json::Value;
use store::Clock;

use super::{
    Answer, Dealer, Error,
    pending::{FreshLead, LeadIdentity, PendingLead, PendingLeads},
    retry::Retry,
};

/// A lead as the buyer gave it, before the members that the program fills in.
#[derive(Debug, Clone)]
pub struct Lead {
    request: LeadSubmitRequest,
    consent_given_now: bool,
}

impl Lead {
    /// A lead whose consent says when it was given.
    #[must_use]
    pub const fn new(request: LeadSubmitRequest) -> Self {
        Self {
            request,
            consent_given_now: false,
        }
    }

    /// A lead whose consent the person gives at the moment of the first attempt. The request's
    /// `granted_at` is replaced.
    #[must_use]
    pub const fn with_consent_given_now(request: LeadSubmitRequest) -> Self {
        Self {
            request,
            consent_given_now: true,
        }
    }

    /// Submits the lead, repeated as the dealer allows.
    ///
    /// The idempotency key, `submitted_at` and a `granted_at` of now are on disk before the first
    /// attempt. While the outcome is unknown they stay there, so that this call with the same lead,
    /// in this process or a later one, sends the very same payload; they are forgotten once the
    /// dealer has taken the lead or refused it for good.
    ///
    /// # Errors
    /// Every [`Error`] but those of discovery. After [`Error::Pending`] nothing was sent.
    pub async fn submit(
        &self,
        dealer: &Dealer,
        pending: &PendingLeads,
        retry: &Retry,
        clock: &Clock,
    ) -> Result<Answer<LeadSubmitResult>, Error> {
        let identity = self.identity(dealer)?;
        let kept = pending.keep(&identity, clock.now(), || self.fresh(clock))?;
        let request = self.completed(&kept);
        let outcome = retry.run(async || dealer.submit_lead(&request).await).await;
        if is_final(&outcome) {
            // The dealer's answer matters more than the record: a record left over only means that
            // the same enquiry, made again, is answered as a repeat.
            if let Err(error) = pending.forget(&identity) {
                tracing::warn!(%error, "the answered lead stays among the pending ones");
            }
        }
        outcome
    }

    /// What makes two attempts the same lead: all that the buyer gave. A key of the buyer's own
    /// counts; when the lead was finished does not.
    fn identity(&self, dealer: &Dealer) -> Result<LeadIdentity, Error> {
        let request = aap::Request::LeadSubmit(Box::new(self.request.clone()));
        let mut payload = dealer.payload(&request)?;
        remove(&mut payload, "submitted_at");
        if self.consent_given_now
            && let Some(consent) = payload.get_mut("consent")
        {
            remove(consent, "granted_at");
        }
        LeadIdentity::of(dealer.interface_url(), &payload).map_err(Error::Unwritable)
    }

    fn fresh(&self, clock: &Clock) -> FreshLead {
        let now = clock.now().to_string();
        let given = &self.request;
        FreshLead {
            idempotency_key: given
                .idempotency_key
                .clone()
                .unwrap_or_else(|| clock.new_id().to_string()),
            submitted_at: given.submitted_at.clone().unwrap_or_else(|| now.clone()),
            granted_at: self.consent_given_now.then_some(now),
        }
    }

    fn completed(&self, kept: &PendingLead) -> LeadSubmitRequest {
        let mut request = self.request.clone();
        request.idempotency_key = Some(kept.idempotency_key.clone());
        request.submitted_at = Some(kept.submitted_at.clone());
        if let Some(granted_at) = &kept.granted_at {
            request.consent.granted_at.clone_from(granted_at);
        }
        request
    }
}

/// Whether the dealer has decided. Without an answer, or with one that says nothing about the
/// lead, it may or may not have been taken.
fn is_final(outcome: &Result<Answer<LeadSubmitResult>, Error>) -> bool {
    match outcome {
        Ok(_) => true,
        Err(Error::Refused { error, .. }) => !error.retryable,
        Err(_) => false,
    }
}

fn remove(object: &mut Value, member: &str) {
    if let Value::Object(members) = object {
        members.remove(member);
    }
}
