//! Faults on purpose, for developers of buyers' agents to test against: a layer over the demo's routes
//! that spoils the answers to calls, in the same way on every run. Agent cards are left alone, so that
//! the dealer is found as ever.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use a2a::jsonrpc::{self, Id};
use aap::{AapError, ErrorCode, Profile, Skill};
use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{Method, StatusCode, header},
    middleware::{self, Next},
    response::{Html, IntoResponse, Response},
};
use clap::ValueEnum;
use serde_json::{Value, json};
use store::Clock;

use crate::agent;

/// How long a slow answer takes: longer than a buyer waits who asks many dealers.
const SLOW: Duration = Duration::from_secs(15);
/// The pause that a rate-limited caller is asked to make.
const RETRY_AFTER_MS: u64 = 1000;
/// Most bytes of a body that passes the layer, and its greatest depth.
const BODY_LIMIT: usize = 16 * 1024 * 1024;
const DEPTH_LIMIT: usize = 128;

/// A way in which a dealer's agent fails. With several, the calls suffer them in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum Fault {
    /// Every answer takes 15 seconds
    Slow,
    /// Every call is answered INTERNAL_ERROR, retryable
    Error,
    /// Answers are, in turn: cut off, a web page, the answer to another request, a payload that breaks
    /// its schema; the call itself is done, so that a lead is taken
    Malformed,
    /// Two of three calls are answered RATE_LIMITED with retry_after_ms 1000, every third as usual
    RateLimited,
    /// A vehicle that the search still finds is gone: inventory.vehicle and a lead for a test drive are
    /// answered VEHICLE_UNAVAILABLE where a VIN names it, else VEHICLE_NOT_FOUND
    Gone,
}

/// The faults of a server.
#[derive(Debug)]
pub struct Faults {
    faults: Vec<Fault>,
    /// Calls so far; the next fault follows from their number alone.
    calls: AtomicUsize,
    clock: Clock,
}

impl Faults {
    /// These faults, one a call, over and over. None leaves everything as it is.
    #[must_use]
    pub const fn new(faults: Vec<Fault>, clock: Clock) -> Self {
        Self {
            faults,
            calls: AtomicUsize::new(0),
            clock,
        }
    }

    /// Lays the faults over a server's routes.
    pub fn over(self, routes: Router) -> Router {
        if self.faults.is_empty() {
            return routes;
        }
        tracing::warn!(faults = ?self.faults, "calls fail on purpose");
        routes.layer(middleware::from_fn_with_state(Arc::new(self), spoil))
    }

    /// The fault of the next call, and how often it has come before.
    fn next(&self) -> (Fault, usize) {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let kinds = self.faults.len();
        (self.faults[call % kinds], call / kinds)
    }

    /// The refusal that a call gets instead of its answer.
    fn refusal(&self, fault: Fault, turn: usize, call: &Call) -> Option<AapError> {
        let error = |code, message: &str| {
            AapError::new(
                code,
                message,
                self.clock.new_id().to_string(),
                self.clock.now(),
            )
        };
        match fault {
            Fault::Error => Some(error(
                ErrorCode::InternalError,
                "The demo fails on purpose. Try again in a moment.",
            )),
            Fault::RateLimited if turn % 3 < 2 => {
                let error = error(
                    ErrorCode::RateLimited,
                    "The demo is asked too often, on purpose.",
                );
                Some(error.with_details(json!({ "retry_after_ms": RETRY_AFTER_MS })))
            }
            Fault::Gone => call.vehicle_wanted().map(|vehicle| {
                if vehicle["vin"].is_string() {
                    error(
                        ErrorCode::VehicleUnavailable,
                        "The vehicle was sold, on purpose.",
                    )
                } else {
                    error(
                        ErrorCode::VehicleNotFound,
                        "No vehicle is known by this, on purpose.",
                    )
                }
            }),
            Fault::Slow | Fault::Malformed | Fault::RateLimited => None,
        }
    }
}

async fn spoil(State(faults): State<Arc<Faults>>, request: Request, next: Next) -> Response {
    let profile = profile(&request);
    let path = request.uri().path().trim_end_matches('/');
    if request.method() != Method::POST || !path.ends_with("/a2a") {
        return next.run(request).await;
    }
    let (fault, turn) = faults.next();
    match fault {
        Fault::Slow => {
            tokio::time::sleep(SLOW).await;
            next.run(request).await
        }
        Fault::Malformed => {
            let damage = Damage::ALL[turn % Damage::ALL.len()];
            damage.done_to(next.run(request).await).await
        }
        Fault::Error | Fault::RateLimited | Fault::Gone => {
            let (head, body) = request.into_parts();
            let Ok(body) = to_bytes(body, BODY_LIMIT).await else {
                return StatusCode::PAYLOAD_TOO_LARGE.into_response();
            };
            let refusal = Call::read(&body).and_then(|call| {
                let error = faults.refusal(fault, turn, &call)?;
                Some(refuse(&call.id, profile, &error))
            });
            match refusal {
                Some(refusal) => refusal,
                None => next.run(Request::from_parts(head, Body::from(body))).await,
            }
        }
    }
}

/// The contract of the address that is called.
fn profile(request: &Request) -> Profile {
    let preview = agent::folder(Profile::Draft2);
    if request.uri().path().contains(preview) {
        Profile::Draft2
    } else {
        Profile::V1_3
    }
}

/// A call that a dealer would answer. What is no such call is the server's to refuse.
struct Call {
    id: Id,
    payload: Value,
}

impl Call {
    fn read(body: &[u8]) -> Option<Self> {
        let request = jsonrpc::parse_request(body, DEPTH_LIMIT).ok()?;
        let mut params: Value = serde_json::from_str(request.params?.get()).ok()?;
        let parts = params.pointer_mut("/message/parts")?.as_array_mut()?;
        let mut payloads = parts.iter_mut().map(|part| part["data"].take());
        let payload = payloads.find(|payload| payload["type"].is_string())?;
        Some(Self {
            id: request.id,
            payload,
        })
    }

    /// The vehicle without which the call comes to nothing.
    fn vehicle_wanted(&self) -> Option<&Value> {
        let payload = &self.payload;
        match Skill::from_request_type(payload["type"].as_str()?)? {
            Skill::InventoryVehicle => Some(payload),
            Skill::LeadSubmit if payload["appointment"]["appointment_type"] == "test_drive" => {
                payload.get("vehicle_of_interest")
            }
            _ => None,
        }
    }
}

fn refuse(id: &Id, profile: Profile, error: &AapError) -> Response {
    let data = serde_json::value::to_raw_value(&error.to_data(profile)).ok();
    let code = error.code.json_rpc_code(profile);
    let error = a2a::error::Error::application(code, error.message.clone(), data);
    json_answer(jsonrpc::write_error(id, &error))
}

fn json_answer(body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body.into()).into_response()
}

/// A way in which an answer is malformed.
#[derive(Clone, Copy)]
enum Damage {
    CutOff,
    WebPage,
    OtherRequest,
    BrokenPayload,
}

impl Damage {
    const ALL: [Self; 4] = [
        Self::CutOff,
        Self::WebPage,
        Self::OtherRequest,
        Self::BrokenPayload,
    ];

    async fn done_to(self, answer: Response) -> Response {
        let body = to_bytes(answer.into_body(), BODY_LIMIT).await;
        let body = body.unwrap_or_default();
        match self {
            Self::WebPage => {
                Html("<!doctype html><title>Demo Motors</title><p>Back soon.").into_response()
            }
            Self::CutOff => json_answer(cut_off(&body)),
            Self::OtherRequest => changed(&body, "/id", json!("another-request")),
            Self::BrokenPayload => {
                changed(&body, "/result/message/parts/0/data/data", json!("broken"))
            }
        }
    }
}

/// The answer with another value at a place; cut off where it has no such place.
fn changed(body: &Bytes, place: &str, value: Value) -> Response {
    let mut answer: Value = serde_json::from_slice(body).unwrap_or_default();
    match answer.pointer_mut(place) {
        Some(found) => {
            *found = value;
            json_answer(answer.to_string())
        }
        None => json_answer(cut_off(body)),
    }
}

fn cut_off(body: &Bytes) -> Bytes {
    body.slice(..body.len() / 2)
}

#[cfg(test)]
mod tests;
