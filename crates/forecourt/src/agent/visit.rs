//! One request on its way through a dealer's agent: what may stop it, and what became of it.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use a2a::{
    error::Error,
    model::{SendMessageRequest, SendMessageResponse},
};
use a2a_server::{Agent, Call};
use aap::{Skill, error::ErrorCode};
use serde_json::json;

use super::{DealerAgent, Refusal};

/// Says whether a request may go on, else how long its sender has to wait.
pub type Admission = Result<(), Duration>;

/// One request on its way through a dealer's agent.
pub struct Visit<'a> {
    agent: &'a DealerAgent,
    admitted: Admission,
    admit_lead: &'a (dyn Fn() -> Admission + Send + Sync),
    noted: Mutex<Noted>,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Noted {
    /// The skill it asked for, when that was understood.
    pub skill: Option<Skill>,
    /// `OK`, the code of the AAP error, or `PROTOCOL_ERROR`; `None` when it never came to the agent.
    pub outcome: Option<&'static str>,
    /// How long the sender was asked to wait.
    pub retry_after: Option<Duration>,
}

impl Noted {
    /// True when it brought a lead that was taken.
    #[must_use]
    pub fn took_lead(&self) -> bool {
        self.skill == Some(Skill::LeadSubmit) && self.outcome == Some("OK")
    }
}

impl<'a> Visit<'a> {
    /// A request that was judged on arrival. `admit_lead` judges it once more where it brings a lead.
    #[must_use]
    pub fn new(
        agent: &'a DealerAgent,
        admitted: Admission,
        admit_lead: &'a (dyn Fn() -> Admission + Send + Sync),
    ) -> Self {
        Self {
            agent,
            admitted,
            admit_lead,
            noted: Mutex::default(),
        }
    }

    /// What became of it.
    #[must_use]
    pub fn noted(&self) -> Noted {
        *self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, change: impl FnOnce(&mut Noted)) {
        change(&mut self.noted.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Stops a sender that asks too often.
    pub(super) fn enter(&self) -> Result<(), Refusal> {
        self.admitted.map_err(|wait| self.slow_down(wait))
    }

    /// Stops a sender of too many leads.
    pub(super) fn enter_skill(&self, skill: Skill) -> Result<(), Refusal> {
        self.note(|noted| noted.skill = Some(skill));
        if skill != Skill::LeadSubmit {
            return Ok(());
        }
        (self.admit_lead)().map_err(|wait| self.slow_down(wait))
    }

    fn slow_down(&self, wait: Duration) -> Refusal {
        self.note(|noted| noted.retry_after = Some(wait));
        // Rounded up: who waits so long is answered.
        let milliseconds = wait.as_nanos().div_ceil(1_000_000);
        let seconds = milliseconds.div_ceil(1000);
        Refusal::coded(
            ErrorCode::RateLimited,
            format!("Too many requests. Try again in {seconds} s."),
        )
        .with_details(json!({ "retry_after_ms": milliseconds as u64 }))
    }

    pub(super) fn note_outcome(&self, outcome: &'static str) {
        self.note(|noted| noted.outcome = Some(outcome));
    }
}

impl Agent for Visit<'_> {
    async fn send_message(
        &self,
        request: SendMessageRequest,
        call: Call,
    ) -> Result<SendMessageResponse, Error> {
        self.agent.reply(request, call, self).await
    }
}

/// Whoever serves a dealer without limits need not count either.
impl Agent for DealerAgent {
    async fn send_message(
        &self,
        request: SendMessageRequest,
        call: Call,
    ) -> Result<SendMessageResponse, Error> {
        let visit = Visit::new(self, Ok(()), &|| Ok(()));
        self.reply(request, call, &visit).await
    }
}
