//! The leads under `fixtures/adf/shapes`, each with what the database would know about it.

use std::{fs, path::PathBuf};

use aap::{
    lead::{Channel, DealerContact},
    request::Request,
    vehicle::Vehicle,
};
use dealers::{AdfSettings, Dealer, Standing};
use jiff::Timestamp;
use leads::{
    AppointmentStatus, Caller, Lead, LeadId, NewLead, Origin, VehicleMatch,
    adf::{self, Occasion, Prospect},
};
use serde::Deserialize;
use serde_json::Value;

use super::fixtures;

pub(super) struct Shape {
    file: PathBuf,
    description: Description,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    #[serde(rename = "about")]
    _about: String,
    request: Value,
    listing: Option<Vehicle>,
    vehicle: Option<String>,
    #[serde(default = "north")]
    rooftop: String,
    #[serde(default)]
    settings: AdfSettings,
    occasion: Option<Occasion>,
    #[serde(default)]
    lead: Known,
}

/// What the database knows beside the request.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct Known {
    verified: bool,
    masked: bool,
    origin: Option<Origin>,
    repeat_of: Option<LeadId>,
    first_received_at: Option<Timestamp>,
    revocations: Vec<Revoked>,
    appointment: Option<Answered>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Revoked {
    revoked_at: Timestamp,
    channels: Vec<Channel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answered {
    status: AppointmentStatus,
    starts_at: Option<Timestamp>,
    #[serde(default)]
    proposed: Vec<String>,
}

impl Shape {
    pub(super) fn all() -> Vec<Self> {
        let folder = fs::read_dir(fixtures().join("shapes")).expect("is there");
        let files = folder.map(|entry| entry.expect("reads").path());
        let mut files: Vec<PathBuf> = files
            .filter(|file| file.extension().is_some_and(|ext| ext == "json"))
            .collect();
        files.sort();
        assert!(files.len() >= 40, "{} shapes", files.len());
        files.into_iter().map(Self::read).collect()
    }

    fn read(file: PathBuf) -> Self {
        let text = fs::read_to_string(&file).expect("reads");
        let description = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        Self { file, description }
    }

    pub(super) fn name(&self) -> &str {
        let name = self.file.file_stem().and_then(|name| name.to_str());
        name.expect("a name")
    }

    /// The document that the shape has to give.
    pub(super) fn golden(&self) -> PathBuf {
        self.file.with_extension("xml")
    }

    pub(super) fn settings(&self) -> &AdfSettings {
        &self.description.settings
    }

    pub(super) fn document(&self) -> String {
        adf::write(&self.prospect(), self.settings())
    }

    pub(super) fn prospect(&self) -> Prospect {
        let occasion = self.description.occasion.unwrap_or(Occasion::New);
        Prospect::of(&self.lead(), &dealer(), occasion).expect("has a person")
    }

    pub(super) fn lead(&self) -> Lead {
        let description = &self.description;
        let vehicle = match (&description.listing, description.vehicle.as_deref()) {
            (Some(listing), _) => VehicleMatch::Known(Box::new(listing.clone())),
            (None, Some("unknown")) => VehicleMatch::Unknown,
            (None, Some("gone")) => VehicleMatch::Gone,
            (None, None) => VehicleMatch::None,
            (None, Some(other)) => panic!("{other} is no state of a vehicle"),
        };
        let mut lead = taken(&description.request, vehicle, &description.rooftop);
        let known = &description.lead;
        lead.verified = known.verified;
        lead.masked = known.masked;
        lead.origin = known.origin.unwrap_or(Origin::Agent);
        lead.summary.repeat_of.clone_from(&known.repeat_of);
        lead.first_received_at = known.first_received_at;
        let revocations = known.revocations.iter();
        lead.revocations = revocations
            .map(|it| leads::Revocation::new(it.revoked_at, it.channels.clone()))
            .collect();
        if let (Some(known), Some(answer)) = (&known.appointment, &mut lead.summary.appointment) {
            answer.status = known.status;
            answer.starts_at = known.starts_at;
            answer.proposed.clone_from(&known.proposed);
        }
        lead
    }
}

/// The lead that a request becomes, which the server would take.
pub(super) fn taken(request: &Value, vehicle: VehicleMatch, rooftop: &str) -> Lead {
    let now: Timestamp = "2026-05-01T12:00:00Z".parse().expect("a time");
    let request = aap::validate(request, now).expect("a lead that would be taken");
    let Request::LeadSubmit(request) = request else {
        panic!("not a lead");
    };
    let id = |last: u8| {
        uuid::Uuid::from_u128(0x019a_0000_0000_7000_8000_0000_0000_0100 + u128::from(last))
    };
    NewLead {
        dealer: "fixture-motors".parse().expect("an identifier"),
        lead_id: id(1).into(),
        appointment_id: id(2).into(),
        deliveries: Vec::new(),
        standing: Standing::Open,
        origin: Origin::Agent,
        rejected: None,
        now,
        payload: String::new(),
        caller: Caller::new(request.source_agent.name.clone()),
        request: *request,
        idempotency: None,
        vehicle,
        rooftop: Some(rooftop.to_owned()),
        calendar: None,
        contact: DealerContact::default(),
        hash_key: crate::hash_key(),
    }
    .preview()
}

pub(super) fn dealer() -> Dealer {
    let text = fs::read_to_string(fixtures().join("dealer.toml")).expect("reads");
    toml::from_str(&text).expect("a dealer")
}

fn north() -> String {
    "North".to_owned()
}
