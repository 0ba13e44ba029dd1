//! `lead.submit`: a consented lead, on disk before the answer leaves.

use std::sync::Arc;

use aap::{
    Problem, Skill,
    error::ErrorCode,
    inventory::VehicleRequest,
    lead::{DealerContact, LeadSubmitRequest},
    request::Request,
    vehicle::Vehicle,
};
use dealers::{
    Dealer,
    keys::{self, AgentIdentity, AgentProof, Key, Secret},
};
use inventory::snapshot::{Found, Snapshot};
use jiff::Timestamp;
use leads::{
    Accepted, Calendar, Caller, Idempotency, NewDelivery, NewLead, Origin, Submission,
    VehicleMatch, outbox,
};
use serde_json::{Value, json};
use store::Conn;

use super::{
    Answer, CallerContext, Counted, DealerAgent, LeadAgent, Payload, Refusal, Visit,
    inventory_vehicle,
};
use crate::lot::Lot;

pub(super) async fn answer(
    agent: &DealerAgent,
    payload: Payload<'_>,
    context: CallerContext,
    visit: &Visit<'_>,
    now: Timestamp,
) -> Result<Answer, Refusal> {
    // What cannot be read cannot be compared with what came before.
    if !payload.read.unreadable().is_empty() {
        payload.read.validate(now)?;
    }
    let mut caller = caller(&payload, context);
    let idempotency = idempotency(agent, &payload, &caller)?;
    let known = look_up(agent, &caller, idempotency.as_ref(), now).await?;
    let proof = known.identity.proof;
    let agents = &agent.lot.dealer().agents;
    let standing = agents.standing(&caller.source_agent_name, proof);
    caller.is_verified = proof == AgentProof::Verified;
    caller.agent_key = known.identity.key.map(|key| key.name);
    visit.count_lead(&Counted::Agent(LeadAgent {
        name: &caller.source_agent_name,
        is_verified: caller.is_verified,
        standing,
    }))?;
    // A repeat is answered as the first time, before anything is judged again: a consent that has
    // run out since does not turn a taken lead into a refusal.
    if let Some(first) = known.first_answer {
        return answered(&agent.lot, &first);
    }
    let Request::LeadSubmit(request) = payload.read.validate(now)? else {
        return Err(Refusal::defect("a lead was not validated as one"));
    };
    let wanted = wanted_vehicle(&request);
    let (vehicle, of_vehicle) = match &wanted {
        None => (VehicleMatch::None, None),
        Some(wanted) => {
            let stock = agent.lot.stock(&agent.store).await;
            let stock = stock.map_err(Refusal::failed)?;
            find_vehicle(&stock, wanted)?
        }
    };
    let rooftop = rooftop(agent.lot.dealer(), of_vehicle);
    let calendar = calendar(&agent.lot, &request, rooftop.as_deref());
    let clock = agent.store.clock();
    let lead = NewLead {
        dealer: agent.lot.id().clone(),
        lead_id: clock.new_id().into(),
        appointment_id: clock.new_id().into(),
        deliveries: deliveries(agent, rooftop.as_deref()),
        standing,
        origin: Origin::Agent,
        rejected: rejection(agent.lot.dealer(), &request),
        now,
        request: *request,
        payload: payload.text.to_owned(),
        caller,
        idempotency,
        calendar,
        contact: contact(&agent.lot, rooftop.as_deref()),
        vehicle,
        rooftop,
        hash_key: agent.hash_key.clone(),
    };
    let lead = lead
        .prepare()
        .map_err(|error| refuse(&agent.lot, error, None))?;
    let (vault, lead) = (agent.vault.clone(), Arc::new(lead));
    count_contacts(agent, &lead, visit).await?;
    let accepted = agent
        .store
        .write_claiming(leads::claim(agent.lot.id()), move |conn| {
            leads::accept(conn, &vault, &lead)
        })
        .await
        .map_err(|error| refuse(&agent.lot, error, wanted.as_ref()))?;
    answered(&agent.lot, &accepted)
}

/// Stops too many leads about one person. A sender's own repeats do not count.
async fn count_contacts(
    agent: &DealerAgent,
    lead: &Arc<Submission>,
    visit: &Visit<'_>,
) -> Result<(), Refusal> {
    if !visit.counts_leads() {
        return Ok(());
    }
    let read = Arc::clone(lead);
    let is_repeat = agent
        .store
        .read(move |conn| leads::is_own_repeat(conn, &read));
    let is_repeat = is_repeat.await;
    if is_repeat.map_err(|error| refuse(&agent.lot, error, None))? {
        return Ok(());
    }
    visit.count_lead(&Counted::Contacts(lead.reached()))
}

fn answered(lot: &Lot, accepted: &Accepted) -> Result<Answer, Refusal> {
    tracing::info!(
        dealer = %lot.id(),
        lead = accepted.result.lead_id,
        replayed = accepted.replayed,
        "lead answered"
    );
    Answer::new(Skill::LeadSubmit, &accepted.result, Some(&accepted.message))
}

fn caller(payload: &Payload<'_>, context: CallerContext) -> Caller {
    let agent = payload.read.value().pointer("/source_agent/name");
    let mut caller = Caller::new(agent.and_then(Value::as_str).unwrap_or_default());
    caller.credential = context.credential;
    caller.context_id = context.context_id;
    caller
}

fn idempotency(
    agent: &DealerAgent,
    payload: &Payload<'_>,
    caller: &Caller,
) -> Result<Option<Idempotency>, Refusal> {
    let key = payload.read.value().get("idempotency_key");
    let Some(key) = key.and_then(Value::as_str) else {
        return Ok(None);
    };
    Idempotency::new(&agent.hash_key, caller, key, payload.text)
        .map(Some)
        .map_err(|error| refuse(&agent.lot, error, None))
}

/// What the database knows of a lead before it is judged.
struct Known {
    /// The answer under its idempotency key, when the caller sent this payload before.
    first_answer: Option<Accepted>,
    /// Whether the agent is who it says.
    identity: AgentIdentity,
}

async fn look_up(
    agent: &DealerAgent,
    caller: &Caller,
    idempotency: Option<&Idempotency>,
    now: Timestamp,
) -> Result<Known, Refusal> {
    let dealer = agent.lot.id().clone();
    let idempotency = idempotency.cloned();
    let name = caller.source_agent_name.clone();
    let secret = caller.credential.as_deref().and_then(Secret::parse);
    let shown = secret.clone();
    let read = move |conn: &mut dyn Conn| {
        let replay = |it| leads::replay(conn, &dealer, it, now);
        let first_answer = idempotency.as_ref().map(replay).transpose()?.flatten();
        let identity = keys::identify(conn, &dealer, shown.as_ref(), &name, now)?;
        Ok::<_, leads::Error>(Known {
            first_answer,
            identity,
        })
    };
    let known = agent.store.read(read).await;
    let known = known.map_err(|error| refuse(&agent.lot, error, None))?;
    if let (Some(secret), Some(key)) = (secret, &known.identity.key) {
        note_key(agent, secret, key, known.identity.proof).await;
    }
    Ok(known)
}

/// Keeps track of the keys that buyers' agents present.
async fn note_key(agent: &DealerAgent, secret: Secret, key: &Key, proof: AgentProof) {
    if proof != AgentProof::Verified {
        tracing::warn!(
            dealer = %agent.lot.id(),
            key = key.name,
            "an agent presents a key that bears another name than it gives itself"
        );
    }
    crate::keys::note_use(&agent.store, secret, key).await;
}

/// The identifiers by which the person's wish names a vehicle; `None` when it names none. A blank
/// identifier names nothing.
fn wanted_vehicle(request: &LeadSubmitRequest) -> Option<VehicleRequest> {
    identifiers(request.vehicle_of_interest.as_ref()?)
}

fn identifiers(vehicle: &Vehicle) -> Option<VehicleRequest> {
    let named = |id: &Option<String>| id.clone().filter(|id| !id.trim().is_empty());
    let wanted = VehicleRequest {
        vin: named(&vehicle.vin),
        stock: named(&vehicle.stock),
        vehicle_id: named(&vehicle.vehicle_id),
    };
    (wanted != VehicleRequest::default()).then_some(wanted)
}

/// What the dealer has for a vehicle that somebody named elsewhere, and which rooftop gets a lead about
/// it; `None` when its listing cannot be read. The stock is in memory.
pub(crate) fn match_vehicle(
    lot: &Lot,
    vehicle: Option<&Vehicle>,
) -> Option<(VehicleMatch, Option<String>)> {
    let (vehicle, of_vehicle) = match vehicle.and_then(identifiers) {
        None => (VehicleMatch::None, None),
        Some(wanted) => find_vehicle(&*lot.in_memory()?, &wanted).ok()?,
    };
    Some((vehicle, rooftop(lot.dealer(), of_vehicle)))
}

/// What the stock knows of the vehicle, and the rooftop that has it or had it: of several that list
/// a VIN, its owner.
fn find_vehicle(
    stock: &Snapshot,
    wanted: &VehicleRequest,
) -> Result<(VehicleMatch, Option<String>), Refusal> {
    Ok(match stock.find(wanted) {
        Found::Listing(unit) => {
            let vehicle = unit.listing()?.vehicle;
            let rooftop = vehicle.rooftop.clone();
            (VehicleMatch::Known(Box::new(vehicle)), rooftop)
        }
        Found::Gone(unit) => (VehicleMatch::Gone, unit.rooftop.clone()),
        Found::Unknown => (VehicleMatch::Unknown, None),
    })
}

/// The rooftop that gets the lead: the vehicle's, else the dealer's default. A rooftop that the
/// dealer does not state has no destination.
fn rooftop(dealer: &Dealer, of_vehicle: Option<String>) -> Option<String> {
    of_vehicle
        .filter(|name| dealer.rooftops.contains_key(name))
        .or_else(|| dealer.default_rooftop().map(str::to_owned))
}

/// Why the dealer's policy rejects a lead, in words for the buyer.
pub(crate) fn rejection(dealer: &Dealer, request: &LeadSubmitRequest) -> Option<String> {
    let address = request.customer.address.as_ref()?;
    dealer.serves.exclude(address).then(|| {
        format!(
            "{} serves customers in {} only, and the address of this inquiry lies elsewhere. It was not passed on to the sales team.",
            dealer.name,
            dealer.serves.names()
        )
    })
}

/// When the rooftop takes appointments of the kind that the lead asks for.
fn calendar(lot: &Lot, request: &LeadSubmitRequest, rooftop: Option<&str>) -> Option<Calendar> {
    let kind = request.appointment.as_ref()?.appointment_type;
    Calendar::of(lot.dealer().rooftops.get(rooftop?)?, kind)
}

fn deliveries(agent: &DealerAgent, rooftop: Option<&str>) -> Vec<NewDelivery> {
    let new_id = || agent.store.clock().new_id().into();
    outbox::first_deliveries(agent.lot.dealer(), rooftop.unwrap_or_default(), &new_id)
}

fn contact(lot: &Lot, rooftop: Option<&str>) -> DealerContact {
    let name = rooftop.unwrap_or(&lot.dealer().name);
    DealerContact {
        name: Some(name.to_owned()),
        phone: lot.dealer().phone(rooftop).map(str::to_owned),
    }
}

fn refuse(lot: &Lot, error: leads::Error, wanted: Option<&VehicleRequest>) -> Refusal {
    let wanted = wanted.cloned().unwrap_or_default();
    match error {
        leads::Error::IdempotencyConflict => {
            let message = error.to_string();
            let problem = problem("/idempotency_key", "conflict", message.as_str());
            Refusal::coded(ErrorCode::IdempotencyConflict, message).with_problems(&[problem])
        }
        leads::Error::VehicleNotFound => inventory_vehicle::unknown(lot, &wanted)
            .with_problems(&vehicle_problems(&wanted, "unknown", "no vehicle has it")),
        leads::Error::VehicleUnavailable => inventory_vehicle::gone(lot, &wanted)
            .with_problems(&vehicle_problems(&wanted, "gone", "its vehicle is gone")),
        leads::Error::AppointmentUnavailable { free } => time_unavailable(&free),
        leads::Error::Payload { pointer, reason } => Refusal::coded(
            ErrorCode::SchemaValidationFailed,
            format!("{pointer}: {reason}"),
        )
        .with_problems(&[problem(pointer, "format", reason)]),
        other => Refusal::failed(other),
    }
}

/// The wished time is not free, with the free times near it for whoever asks again.
fn time_unavailable(free: &[String]) -> Refusal {
    let next = if free.is_empty() {
        "leave appointment_at out, and our team will agree on a time".to_owned()
    } else {
        format!("free are {}", free.join(", "))
    };
    let message = format!("The wished time is not free, and no lead was taken; {next}.");
    Refusal::coded(ErrorCode::AppointmentTimeUnavailable, message)
        .with_details(json!({ "proposed_times": free }))
        .with_problems(&[problem(
            "/appointment/appointment_at",
            "unavailable",
            format!("is not free; {next}"),
        )])
}

/// One problem for each identifier by which a test drive's vehicle is named.
fn vehicle_problems(wanted: &VehicleRequest, keyword: &'static str, what: &str) -> Vec<Problem> {
    let error = format!("{what}; name a vehicle that is on the lot, or leave the test drive out");
    [
        ("/vehicle_of_interest/vin", &wanted.vin),
        ("/vehicle_of_interest/stock", &wanted.stock),
        ("/vehicle_of_interest/vehicle_id", &wanted.vehicle_id),
    ]
    .into_iter()
    .filter(|(_, id)| id.is_some())
    .map(|(place, _)| problem(place, keyword, error.as_str()))
    .collect()
}

fn problem(place: &str, keyword: &'static str, error: impl Into<String>) -> Problem {
    Problem {
        instance_location: place.to_owned(),
        keyword,
        error: error.into(),
    }
}
