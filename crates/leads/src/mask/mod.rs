//! Card and social security numbers that a buyer wrote into a lead: no dealer wants them there, and
//! none may travel to a CRM by mail.
//!
//! Consent is left as it is, since it is proof only word for word.

mod numbers;

use aap::{lead::LeadSubmitRequest, vehicle::Vehicle};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{Error, wire};

/// Members of a vehicle that name it or lead to it.
const IDENTIFIERS: [&str; 6] = [
    "dealer_id",
    "photos",
    "stock",
    "vdp_url",
    "vehicle_id",
    "vin",
];

/// Masks the free text of a request. True when something was masked.
pub(crate) fn mask(request: &mut LeadSubmitRequest) -> Result<bool, Error> {
    let customer = &mut request.customer;
    let notes = request.appointment.as_mut().map(|it| &mut it.notes);
    let texts = [&mut customer.first_name, &mut customer.last_name]
        .into_iter()
        .chain(request.message.as_mut())
        .chain(notes.and_then(Option::as_mut));
    let mut masked = false;
    for text in texts {
        masked |= mask_text(text);
    }
    if let Some(address) = &mut customer.address {
        masked |= mask_members("address", address)?;
    }
    let vehicles = [&mut request.vehicle_of_interest, &mut request.trade_in];
    for vehicle in vehicles.into_iter().flatten() {
        masked |= mask_members::<Vehicle>("vehicle", vehicle)?;
    }
    Ok(masked)
}

fn mask_text(text: &mut String) -> bool {
    let masked = numbers::masked(text);
    let is_masked = masked.is_some();
    if let Some(masked) = masked {
        *text = masked;
    }
    is_masked
}

/// Masks every text in something that has many, also such as no type names.
fn mask_members<T: Serialize + DeserializeOwned>(
    column: &'static str,
    of: &mut T,
) -> Result<bool, Error> {
    let text = wire::json(column, of)?;
    let unreadable = |_| Error::Stored { column };
    let mut value: Value = serde_json::from_str(&text).map_err(unreadable)?;
    let masked = mask_value(&mut value);
    if masked {
        *of = serde_json::from_value(value).map_err(unreadable)?;
    }
    Ok(masked)
}

fn mask_value(value: &mut Value) -> bool {
    let mut masked = false;
    match value {
        Value::String(text) => masked = mask_text(text),
        Value::Array(items) => {
            for item in items {
                masked |= mask_value(item);
            }
        }
        Value::Object(members) => {
            let free = members.iter_mut();
            for (_, member) in free.filter(|(name, _)| !IDENTIFIERS.contains(&name.as_str())) {
                masked |= mask_value(member);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    masked
}

#[cfg(test)]
mod tests;
