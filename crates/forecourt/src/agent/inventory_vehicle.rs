//! `inventory.vehicle`: one unit by VIN, stock number or the dealer's own identifier.

use aap::{Skill, error::ErrorCode, inventory::VehicleRequest};
use inventory::snapshot::{Found, Snapshot};
use serde_json::json;

use super::{Answer, Refusal};
use crate::lot::Lot;

pub(super) fn answer(
    lot: &Lot,
    stock: &Snapshot,
    request: &VehicleRequest,
) -> Result<Answer, Refusal> {
    match stock.find(request) {
        Found::Listing(unit) => Answer::new(Skill::InventoryVehicle, unit.json(), None),
        Found::Gone(_) => Err(gone(lot, request)),
        Found::Unknown => Err(unknown(lot, request)),
    }
}

/// The unit was on the lot and is sold or withdrawn.
pub(super) fn gone(lot: &Lot, request: &VehicleRequest) -> Refusal {
    refuse(
        lot,
        request,
        ErrorCode::VehicleUnavailable,
        "This vehicle is sold or withdrawn. Search for what is on the lot.",
    )
}

/// Nothing by these identifiers is or was on the lot.
pub(super) fn unknown(lot: &Lot, request: &VehicleRequest) -> Refusal {
    refuse(
        lot,
        request,
        ErrorCode::VehicleNotFound,
        "This dealer lists no such vehicle. Search for what is on the lot.",
    )
}

fn refuse(lot: &Lot, request: &VehicleRequest, code: ErrorCode, message: &str) -> Refusal {
    let mut details = json!(request);
    details["dealer_id"] = json!(lot.id());
    Refusal::coded(code, message).with_details(details)
}
