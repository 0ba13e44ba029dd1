//! The dealer agent: finds the request in an A2A message, has its skill answered, and puts the
//! answer or the refusal into the form of its profile. One file per skill; a skill knows no profile.

mod card;
mod dealer_information;
mod inventory_facets;
mod inventory_search;
mod inventory_vehicle;
mod lead_submit;
mod media_type;
mod refusal;
mod visit;

use std::{sync::Arc, time::Duration};

use a2a::model::{Message, Part, PartContent};
use a2a_server::Turn;
use aap::{Profile, Skill, request::Request, response::Response};
use leads::{HashKey, Vault};
use serde::Serialize;
use serde_json::value::RawValue;
use store::Store;
use uuid::Uuid;

pub use card::{
    CARD_MIGRATIONS, CardContent, endpoint_url, folder, preview_fault, publish as publish_card,
    render as render_card,
};
pub(crate) use card::{base_url, server_url};
pub(crate) use lead_submit::{match_vehicle, rejection};
use refusal::Refusal;
pub use visit::{Admission, Count, Counted, LeadAgent, Noted, Visit};

use crate::lot::Lot;

/// How long a request waits for the database before its sender is asked to try again. A lead may have
/// been taken then all the same; sent again under its key it is not taken twice.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// A dealer that answers AAP requests under one profile.
#[derive(Debug)]
pub struct DealerAgent {
    profile: Profile,
    lot: Arc<Lot>,
    /// Those of the dealer's skills that are offered.
    skills: Vec<Skill>,
    store: Store,
    hash_key: HashKey,
    vault: Vault,
}

/// What a skill answers: the payload, rendered.
struct Answer {
    skill: Skill,
    payload: Box<RawValue>,
}

impl Answer {
    fn new(skill: Skill, data: impl Serialize, message: Option<&str>) -> Result<Self, Refusal> {
        let mut response = Response::new(skill, data);
        if let Some(message) = message {
            response = response.with_message(message);
        }
        let payload = serde_json::value::to_raw_value(&response)?;
        Ok(Self { skill, payload })
    }
}

impl DealerAgent {
    /// An agent over a dealer's lot. `hash_key` marks repeats of a person without storing who it is;
    /// who it is, is kept as `vault` writes it.
    #[must_use]
    pub fn new(
        profile: Profile,
        lot: Arc<Lot>,
        store: Store,
        hash_key: HashKey,
        vault: Vault,
    ) -> Self {
        let skills = lot.dealer().skills.clone();
        Self {
            profile,
            lot,
            skills,
            store,
            hash_key,
            vault,
        }
    }

    /// The same, offering these skills only.
    #[must_use]
    pub fn offering(mut self, skills: Vec<Skill>) -> Self {
        self.skills = skills;
        self
    }

    async fn answer(
        &self,
        message: &Message,
        accepted: &[String],
        caller: CallerContext,
        visit: &Visit<'_>,
    ) -> Result<Answer, Refusal> {
        visit.enter()?;
        let payload = Payload::of(message)?;
        let now = self.store.clock().now();
        let skill = payload.read.skill(&self.skills)?;
        visit.note_skill(skill);
        if self.profile == Profile::Draft2 {
            media_type::check(skill, payload.media_type, accepted).map_err(Refusal::Protocol)?;
        }
        if skill == Skill::LeadSubmit {
            let answer = Box::pin(lead_submit::answer(self, payload, caller, visit, now));
            return match tokio::time::timeout(PATIENCE, answer).await {
                Ok(answer) => answer,
                Err(_) => Err(Refusal::defect("the database took too long for a lead")),
            };
        }
        let request = payload.read.validate(now)?;
        let lot = &self.lot;
        if let Request::DealerInformation = request {
            return dealer_information::answer(lot);
        }
        let stock = lot.stock(&self.store).await.map_err(Refusal::failed)?;
        match request {
            Request::InventoryFacets(request) => inventory_facets::answer(&stock, &request),
            Request::InventorySearch(request) => inventory_search::answer(lot, &stock, &request),
            Request::InventoryVehicle(request) => inventory_vehicle::answer(lot, &stock, &request),
            Request::DealerInformation | Request::LeadSubmit(_) => {
                Err(Refusal::defect("it was answered before"))
            }
        }
    }

    fn refuse(&self, refusal: Refusal, visit: &Visit<'_>) -> a2a::error::Error {
        let clock = self.store.clock();
        let (error, outcome) = refusal.into_error(self.profile, clock.new_id(), clock.now());
        visit.note_outcome(outcome);
        error
    }

    /// Answers a message on its visit.
    async fn reply(&self, turn: Turn, visit: &Visit<'_>) -> Result<Message, a2a::error::Error> {
        let message = &turn.message;
        let sent_context = message.context_id.clone().filter(|id| !id.is_empty());
        let caller = CallerContext {
            credential: turn.call.bearer().map(str::to_owned),
            context_id: sent_context.clone(),
        };
        let answer = self
            .answer(message, turn.accepted_output_modes(), caller, visit)
            .await
            .map_err(|refusal| self.refuse(refusal, visit))?;
        visit.note_outcome("OK");
        let new_id = || -> Uuid { self.store.clock().new_id() };
        let mut reply = Message::agent(new_id().to_string());
        reply.context_id = Some(sent_context.unwrap_or_else(|| new_id().to_string()));
        reply.parts =
            vec![Part::data(answer.payload).with_media_type(answer.skill.response_media_type())];
        Ok(reply)
    }
}

/// Who calls, as far as a lead needs to know.
struct CallerContext {
    credential: Option<String>,
    context_id: Option<String>,
}

/// An AAP request payload: read, and as its bytes came, since consent is kept word for word.
struct Payload<'m> {
    read: aap::Payload,
    text: &'m str,
    media_type: Option<&'m str>,
}

impl<'m> Payload<'m> {
    /// The first data part whose `type` is a string is the request; text is ignored. Without one,
    /// the first data part stands for it, so that the refusal can say what is missing.
    fn of(message: &'m Message) -> Result<Self, Refusal> {
        let mut first = None;
        for part in &message.parts {
            let PartContent::Data(data) = &part.content else {
                continue;
            };
            let mut payload = Self::read(data.get())?;
            payload.media_type = part.media_type.as_deref();
            if payload.read.value()["type"].is_string() {
                return Ok(payload);
            }
            first.get_or_insert(payload);
        }
        first.map_or_else(|| Self::read("{}"), Ok)
    }

    fn read(text: &'m str) -> Result<Self, Refusal> {
        let read = aap::Payload::parse(text)?;
        Ok(Self {
            read,
            text,
            media_type: None,
        })
    }
}
