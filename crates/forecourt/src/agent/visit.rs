//! One request on its way through a dealer's agent: what may stop it, and what became of it.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use a2a::error::Error;
use a2a_server::{Agent, Answer, Turn};
use aap::{Skill, error::ErrorCode};
use dealers::Standing;
use serde_json::json;

use super::{DealerAgent, Refusal};

/// Says whether a request may go on, else how long its sender has to wait.
pub type Admission = Result<(), Duration>;

/// What of a lead is counted, so that nobody sends too many.
#[derive(Debug, Clone, Copy)]
pub enum Counted<'a> {
    /// That an agent sends one, whatever it says.
    Agent(LeadAgent<'a>),
    /// That one is about these contacts, as keyed hashes. Repeats are not counted.
    Contacts(&'a [[u8; 32]]),
}

/// The agent that sends a lead.
#[derive(Debug, Clone, Copy)]
pub struct LeadAgent<'a> {
    /// The name that it gives itself.
    pub name: &'a str,
    /// Whether it proved that the name is its own.
    pub is_verified: bool,
    /// How far the dealer trusts it.
    pub standing: Standing,
}

/// Counts a part of a lead, and says whether it may go on.
pub type Count<'a> = dyn Fn(&Counted<'_>) -> Admission + Send + Sync + 'a;

/// One request on its way through a dealer's agent.
pub struct Visit<'a> {
    agent: &'a DealerAgent,
    admitted: Admission,
    count_lead: Option<&'a Count<'a>>,
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
    /// A request that was judged on arrival. Where it brings a lead, `count_lead` judges that too;
    /// without it, nobody counts.
    #[must_use]
    pub fn new(
        agent: &'a DealerAgent,
        admitted: Admission,
        count_lead: Option<&'a Count<'a>>,
    ) -> Self {
        Self {
            agent,
            admitted,
            count_lead,
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

    pub(super) fn note_skill(&self, skill: Skill) {
        self.note(|noted| noted.skill = Some(skill));
    }

    /// Whether leads are counted on this visit.
    pub(super) fn counts_leads(&self) -> bool {
        self.count_lead.is_some()
    }

    /// Stops too many leads.
    pub(super) fn count_lead(&self, counted: &Counted<'_>) -> Result<(), Refusal> {
        match self.count_lead {
            Some(count) => count(counted).map_err(|wait| self.slow_down(wait)),
            None => Ok(()),
        }
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
    async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
        let reply = self.agent.reply(turn, self).await;
        reply.map(Answer::Message)
    }
}

/// Whoever serves a dealer without limits need not count either.
impl Agent for DealerAgent {
    async fn answer(&self, turn: Turn) -> Result<Answer, Error> {
        let visit = Visit::new(self, Ok(()), None);
        self.reply(turn, &visit).await.map(Answer::Message)
    }
}
