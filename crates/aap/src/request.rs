//! A request of any skill: what a server gets from validation, and what a client sends.

use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    Skill,
    inventory::{FacetsRequest, Filters, SearchRequest, VehicleRequest},
    lead::LeadSubmitRequest,
    version::Version,
};

/// A request, typed by its skill.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// `dealer.information` takes nothing.
    DealerInformation,
    /// `inventory.facets`.
    InventoryFacets(FacetsRequest),
    /// `inventory.search`.
    InventorySearch(SearchRequest),
    /// `inventory.vehicle`.
    InventoryVehicle(VehicleRequest),
    /// `lead.submit`.
    LeadSubmit(Box<LeadSubmitRequest>),
}

impl Request {
    /// The skill that the request calls.
    #[must_use]
    pub const fn skill(&self) -> Skill {
        match self {
            Self::DealerInformation => Skill::DealerInformation,
            Self::InventoryFacets(_) => Skill::InventoryFacets,
            Self::InventorySearch(_) => Skill::InventorySearch,
            Self::InventoryVehicle(_) => Skill::InventoryVehicle,
            Self::LeadSubmit(_) => Skill::LeadSubmit,
        }
    }

    /// The request's payload in the form that a version of the protocol has for it.
    ///
    /// # Errors
    ///
    /// [`NotInVersion`] when the request uses members that the version does not know.
    pub fn to_payload(&self, version: Version) -> Result<Value, NotInVersion> {
        match self {
            Self::DealerInformation => {
                Ok(json!({ "type": Skill::DealerInformation.request_type() }))
            }
            Self::InventoryFacets(request) => request.to_payload(version),
            Self::InventorySearch(request) => request.to_payload(version),
            Self::InventoryVehicle(request) => Ok(request.to_payload()),
            Self::LeadSubmit(request) => request.to_payload(version),
        }
    }
}

/// The request uses members that the version, which the dealer speaks, does not know. They would be
/// refused there, or not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("AAP {version} does not know {}", members.join(", "))]
pub struct NotInVersion {
    /// The version.
    pub version: Version,
    /// JSON Pointers into the payload.
    pub members: Vec<&'static str>,
}

impl NotInVersion {
    fn check(version: Version, members: Vec<&'static str>) -> Result<(), Self> {
        if members.is_empty() {
            Ok(())
        } else {
            Err(Self { version, members })
        }
    }
}

impl FacetsRequest {
    /// The payload in the form that a version has for it.
    ///
    /// # Errors
    ///
    /// [`NotInVersion`] when a filter is not known to the version.
    pub fn to_payload(&self, version: Version) -> Result<Value, NotInVersion> {
        check_filters(self.filters.as_ref(), version)?;
        Ok(typed(Skill::InventoryFacets, self))
    }
}

impl SearchRequest {
    /// The payload in the form that a version has for it.
    ///
    /// # Errors
    ///
    /// [`NotInVersion`] when a filter is not known to the version.
    pub fn to_payload(&self, version: Version) -> Result<Value, NotInVersion> {
        check_filters(self.filters.as_ref(), version)?;
        Ok(typed(Skill::InventorySearch, self))
    }
}

impl VehicleRequest {
    /// The payload, the same in every version.
    #[must_use]
    pub fn to_payload(&self) -> Value {
        typed(Skill::InventoryVehicle, self)
    }
}

impl LeadSubmitRequest {
    /// The payload in the form that a version has for it: up to 1.0 the agent is named by a string,
    /// beside the consent and inside it.
    ///
    /// # Errors
    ///
    /// [`NotInVersion`] when a vehicle carries fees and the version has none.
    pub fn to_payload(&self, version: Version) -> Result<Value, NotInVersion> {
        if version < Version::V1_3 {
            let with_fees = [
                ("/vehicle_of_interest/fees", &self.vehicle_of_interest),
                ("/trade_in/fees", &self.trade_in),
            ]
            .into_iter()
            .filter(|(_, vehicle)| vehicle.as_ref().is_some_and(|it| it.fees.is_some()))
            .map(|(pointer, _)| pointer)
            .collect();
            NotInVersion::check(version, with_fees)?;
        }
        let mut payload = typed(Skill::LeadSubmit, self);
        if version == Version::V1_0 {
            payload["source_agent"] = self.source_agent.name.as_str().into();
            payload["consent"]["source_agent"] = self.source_agent.name.as_str().into();
        }
        Ok(payload)
    }
}

/// Filters on vehicle type, motorcycles and electric units exist from 1.2 on.
fn check_filters(filters: Option<&Filters>, version: Version) -> Result<(), NotInVersion> {
    let Some(filters) = filters.filter(|_| version < Version::V1_2) else {
        return Ok(());
    };
    let newer = [
        ("/filters/vehicle_type", !filters.vehicle_type.is_empty()),
        (
            "/filters/electric_range_mi_min",
            filters.electric_range_mi_min.is_some(),
        ),
        (
            "/filters/electric_range_mi_max",
            filters.electric_range_mi_max.is_some(),
        ),
        ("/filters/dc_fast_charge", filters.dc_fast_charge.is_some()),
        ("/filters/charge_port", !filters.charge_port.is_empty()),
        (
            "/filters/displacement_cc_min",
            filters.displacement_cc_min.is_some(),
        ),
        (
            "/filters/displacement_cc_max",
            filters.displacement_cc_max.is_some(),
        ),
    ];
    let used = newer
        .into_iter()
        .filter_map(|(pointer, used)| used.then_some(pointer))
        .collect();
    NotInVersion::check(version, used)
}

/// A request's members beside its `type`.
fn typed(skill: Skill, members: &impl Serialize) -> Value {
    #[derive(Serialize)]
    struct Typed<'a, T> {
        r#type: &'static str,
        #[serde(flatten)]
        members: &'a T,
    }
    let payload = Typed {
        r#type: skill.request_type(),
        members,
    };
    serde_json::to_value(payload).expect("request types have string keys and finite numbers")
}
