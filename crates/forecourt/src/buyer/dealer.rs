//! One dealer's agent, discovered, and its five skills.

use a2a::{
    error::ErrorData,
    model::{
        Message, Part, PartContent, SendMessageConfiguration, SendMessageRequest,
        SendMessageResponse,
    },
};
use a2a_client::{CallOptions, Client, Discovered, discover};
use aap::{
    AapError, PriceBasis, Skill, Version,
    card::{Advertised, advertised, listed_skills},
    dealer::DealerInformation,
    inventory::{Facets, FacetsRequest, SearchRequest, SearchResult, VehicleRequest},
    lead::{LeadSubmitRequest, LeadSubmitResult},
    response,
    vehicle::Vehicle,
};
use egress::Egress;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use store::Clock;

use super::{Error, Price};

/// What an agent turns out to be.
#[derive(Debug, Clone)]
pub enum Agent {
    /// A dealer's agent.
    Dealer(Box<Dealer>),
    /// An A2A agent whose card names no AAP extension, or only unknown ones.
    Generic(Box<GenericAgent>),
}

impl Agent {
    /// The card and where it was found.
    #[must_use]
    pub const fn discovered(&self) -> &Discovered {
        match self {
            Self::Dealer(dealer) => dealer.discovered(),
            Self::Generic(agent) => &agent.discovered,
        }
    }
}

/// An A2A agent that is no dealer as far as this client can tell.
#[derive(Debug, Clone)]
pub struct GenericAgent {
    /// The card and where it was found.
    pub discovered: Discovered,
    /// AAP extension URIs of versions unknown here.
    pub unknown_versions: Vec<String>,
}

/// A dealer's agent. It is spoken to in exactly one AAP version, the newest release that its card
/// advertises and this client knows, else the 2.0 draft; only skills that its card lists are called.
#[derive(Debug, Clone)]
pub struct Dealer {
    discovered: Discovered,
    client: Client,
    advertised: Advertised,
    skills: Vec<Skill>,
    clock: Clock,
}

/// A dealer's answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answer<D> {
    /// The skill's data.
    pub data: D,
    /// The dealer's words for the buyer.
    pub message: Option<String>,
    /// The context that the dealer keeps the exchange in (A2A 1.0 §3.4.1); always there from AAP 2.0 on.
    pub context_id: Option<String>,
    /// The payload `{type, data, message?}` with the tokens that were sent.
    pub payload: Box<RawValue>,
}

/// Data of a search: the page, without the listings that cannot be used.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SearchPage {
    /// The page. Every vehicle has one of the three statuses.
    pub result: SearchResult<Vehicle>,
    /// Why listings of the page were left out: a buyer's agent ignores one whose status is missing
    /// or unknown (AAP 1.3, inventory.search).
    pub ignored: Vec<String>,
}

/// Finds out what answers at a URL.
///
/// # Errors
/// [`Error::Agent`] when there is no readable card, or none whose interfaces can be called.
pub async fn discover_agent(egress: &Egress, url: &str, clock: &Clock) -> Result<Agent, Error> {
    let discovered = discover(egress, url).await?;
    let extensions = &discovered.card.capabilities.extensions;
    let declared: Vec<(&str, Option<Value>)> = extensions
        .iter()
        .map(|extension| {
            let params = extension.params.as_ref();
            (
                extension.uri.as_str(),
                params.and_then(|params| params.read().ok()),
            )
        })
        .collect();
    let known = advertised(declared.iter().map(|(uri, params)| (*uri, params.as_ref())));
    let Some(advertised) = best(known) else {
        let unknown_versions = declared
            .iter()
            .filter(|(uri, _)| Version::is_family(uri))
            .map(|(uri, _)| (*uri).to_owned())
            .collect();
        return Ok(Agent::Generic(Box::new(GenericAgent {
            discovered,
            unknown_versions,
        })));
    };
    let skills = listed_skills(discovered.card.skills.iter().map(|skill| skill.id.as_str()));
    let client = Client::new(egress.clone(), &discovered)?;
    Ok(Agent::Dealer(Box::new(Dealer {
        discovered,
        client,
        advertised,
        skills,
        clock: clock.clone(),
    })))
}

/// The newest released version; the draft, which may differ from day to day, only where it stands alone.
fn best(newest_first: Vec<Advertised>) -> Option<Advertised> {
    newest_first
        .into_iter()
        .min_by_key(|advertised| advertised.version == Version::Draft2)
}

impl Dealer {
    /// Discovers the dealer's agent at a URL: the agent's base URL, or the URL of its card.
    ///
    /// # Errors
    /// [`Error::Agent`] when there is no agent, [`Error::GenericAgent`] and
    /// [`Error::UnknownVersion`] when there is one that is no dealer for this client.
    pub async fn discover(egress: &Egress, url: &str, clock: &Clock) -> Result<Self, Error> {
        match discover_agent(egress, url, clock).await? {
            Agent::Dealer(dealer) => Ok(*dealer),
            Agent::Generic(agent) => Err(agent.into_error()),
        }
    }

    /// The agent's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.discovered.card.name
    }

    /// The card and where it was found.
    #[must_use]
    pub const fn discovered(&self) -> &Discovered {
        &self.discovered
    }

    /// The URL that requests go to.
    #[must_use]
    pub fn interface_url(&self) -> &str {
        self.client.interface_url().as_str()
    }

    /// The AAP version spoken with this dealer.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.advertised.version
    }

    /// What the dealer's prices cover.
    #[must_use]
    pub const fn price_basis(&self) -> PriceBasis {
        self.advertised.version.price_basis()
    }

    /// The AAP skills that the card lists.
    #[must_use]
    pub fn skills(&self) -> &[Skill] {
        &self.skills
    }

    /// A vehicle's price with its basis. Never derived from another amount: a vehicle without a
    /// stated price has none (AAP 1.3, pricing).
    #[must_use]
    pub fn price(&self, vehicle: &Vehicle) -> Option<Price> {
        let dollars = vehicle.price?;
        Some(Price {
            dollars,
            basis: self.price_basis(),
        })
    }

    /// `dealer.information`: the dealership's public profile.
    ///
    /// # Errors
    /// Every [`Error`] but those of discovery and of pending leads.
    pub async fn information(&self) -> Result<Answer<DealerInformation>, Error> {
        let request = aap::Request::DealerInformation;
        self.call(&request).await
    }

    /// `inventory.facets`: counts and ranges over the stock.
    ///
    /// # Errors
    /// As [`Self::information`].
    pub async fn facets(&self, request: &FacetsRequest) -> Result<Answer<Facets>, Error> {
        self.call(&aap::Request::InventoryFacets(request.clone()))
            .await
    }

    /// `inventory.search`: one page of matching vehicles.
    ///
    /// # Errors
    /// As [`Self::information`].
    pub async fn search(&self, request: &SearchRequest) -> Result<Answer<SearchPage>, Error> {
        let request = aap::Request::InventorySearch(request.clone());
        let answer: Answer<SearchResult> = self.call(&request).await?;
        Ok(Answer {
            data: usable_listings(answer.data),
            message: answer.message,
            context_id: answer.context_id,
            payload: answer.payload,
        })
    }

    /// `inventory.vehicle`: one vehicle in full.
    ///
    /// # Errors
    /// As [`Self::information`].
    pub async fn vehicle(&self, request: &VehicleRequest) -> Result<Answer<Vehicle>, Error> {
        self.call(&aap::Request::InventoryVehicle(request.clone()))
            .await
    }

    /// `lead.submit`, one attempt. The caller answers for the consent, and for repeating the very
    /// same request when the outcome is unknown; [`Lead::submit`](super::Lead::submit) does both.
    ///
    /// # Errors
    /// As [`Self::information`].
    pub async fn submit_lead(
        &self,
        request: &LeadSubmitRequest,
    ) -> Result<Answer<LeadSubmitResult>, Error> {
        self.call(&aap::Request::LeadSubmit(Box::new(request.clone())))
            .await
    }

    /// The payload that a request becomes for this dealer.
    ///
    /// # Errors
    /// [`Error::SkillNotListed`] and [`Error::NotInVersion`].
    pub(crate) fn payload(&self, request: &aap::Request) -> Result<Value, Error> {
        let skill = request.skill();
        if !self.skills.contains(&skill) {
            return Err(Error::SkillNotListed {
                name: self.name().to_owned(),
                skill,
                listed: self.skills.clone(),
            });
        }
        Ok(request.to_payload(self.version())?)
    }

    async fn call<D: for<'de> Deserialize<'de>>(
        &self,
        request: &aap::Request,
    ) -> Result<Answer<D>, Error> {
        let skill = request.skill();
        let payload = self.payload(request)?;
        let payload = serde_json::value::to_raw_value(&payload).map_err(Error::Unwritable)?;
        let part = Part::data(payload).with_media_type(skill.request_media_type());
        let message = Message::user(self.clock.new_id().to_string()).with_part(part);
        let mut send = SendMessageRequest::new(message);
        send.configuration = Some(SendMessageConfiguration {
            accepted_output_modes: vec![skill.response_media_type().to_owned()],
            ..SendMessageConfiguration::default()
        });
        let mut options = CallOptions::default();
        options.extensions = vec![self.version().extension_uri().to_owned()];
        let response = self
            .client
            .send_message(send, &options)
            .await
            .map_err(refusal_within)?;
        read_answer(skill, response)
    }
}

impl GenericAgent {
    fn into_error(self) -> Error {
        let name = self.discovered.card.name;
        if self.unknown_versions.is_empty() {
            Error::GenericAgent { name }
        } else {
            Error::UnknownVersion {
                name,
                uris: self.unknown_versions,
            }
        }
    }
}

/// A JSON-RPC error that carries an `aap.error` is the dealer's refusal; any other is the agent's.
fn refusal_within(error: a2a_client::Error) -> Error {
    let data = match &error {
        a2a_client::Error::Agent(rpc) => details(&rpc.data),
        _ => None,
    };
    let payload = data.as_ref().and_then(AapError::payload_in).cloned();
    match payload.map(|payload| (AapError::from_data(&payload), payload)) {
        Some((Ok(Some(aap_error)), payload)) => Error::Refused {
            error: Box::new(aap_error),
            payload,
        },
        _ => error.into(),
    }
}

fn details(data: &ErrorData) -> Option<Value> {
    match data {
        ErrorData::None => None,
        ErrorData::Details(details) => details
            .iter()
            .map(|detail| serde_json::from_str::<Value>(detail.get()).ok())
            .collect(),
        ErrorData::Raw(value) => serde_json::from_str(value.get()).ok(),
    }
}

/// Reads the first data part of the message that answers.
fn read_answer<D: for<'de> Deserialize<'de>>(
    skill: Skill,
    response: SendMessageResponse,
) -> Result<Answer<D>, Error> {
    let SendMessageResponse::Message(message) = response else {
        return Err(Error::AnsweredWithTask { skill });
    };
    let payload = message
        .parts
        .into_iter()
        .find_map(|part| match part.content {
            PartContent::Data(data) => Some(data),
            _ => None,
        })
        .ok_or(Error::NoData { skill })?;
    let received = response::read(skill, payload.get())?;
    Ok(Answer {
        data: received.data,
        message: received.message,
        context_id: message.context_id.filter(|id| !id.is_empty()),
        payload,
    })
}

fn usable_listings(found: SearchResult) -> SearchPage {
    let mut vehicles = Vec::with_capacity(found.vehicles.len());
    let mut ignored = Vec::new();
    for (index, listing) in found.vehicles.iter().enumerate() {
        match serde_json::from_str::<Vehicle>(listing.get()) {
            Ok(vehicle) if vehicle.status.is_some() => vehicles.push(vehicle),
            Ok(_) => ignored.push(format!("/data/vehicles/{index} has no status")),
            Err(error) => ignored.push(format!("/data/vehicles/{index}: {error}")),
        }
    }
    SearchPage {
        result: SearchResult {
            total: found.total,
            skip: found.skip,
            limit: found.limit,
            vehicles,
            facets: found.facets,
        },
        ignored,
    }
}
