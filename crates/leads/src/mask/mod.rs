//! Card and social security numbers that a buyer wrote into a lead: no dealer wants them there, and
//! none may travel to a CRM by mail.
//!
//! Consent is left as it is, since it is proof only word for word. What names a person or a car is left
//! too, as a lead without it leads nowhere.

mod numbers;

use aap::{
    dealer::Address,
    lead::{AppointmentRequest, Customer, LeadSubmitRequest},
    vehicle::Vehicle,
};
use serde_json::{Map, Value};

use crate::Inquiry;

/// Masks the free text of a request. True when something was masked.
pub(crate) fn mask(request: &mut LeadSubmitRequest) -> bool {
    FreeText {
        customer: &mut request.customer,
        vehicles: [&mut request.vehicle_of_interest, &mut request.trade_in],
        appointment: &mut request.appointment,
        message: &mut request.message,
    }
    .mask()
}

/// The same for a lead that another system handed over.
pub(crate) fn mask_inquiry(inquiry: &mut Inquiry) -> bool {
    FreeText {
        customer: &mut inquiry.customer,
        vehicles: [&mut inquiry.vehicle_of_interest, &mut inquiry.trade_in],
        appointment: &mut inquiry.appointment,
        message: &mut inquiry.message,
    }
    .mask()
}

struct FreeText<'a> {
    customer: &'a mut Customer,
    vehicles: [&'a mut Option<Vehicle>; 2],
    appointment: &'a mut Option<AppointmentRequest>,
    message: &'a mut Option<String>,
}

impl FreeText<'_> {
    fn mask(self) -> bool {
        let mut masked = of_customer(self.customer) | option(self.message);
        if let Some(appointment) = self.appointment {
            masked |= option(&mut appointment.notes);
        }
        for vehicle in self.vehicles.into_iter().flatten() {
            masked |= of_vehicle(vehicle);
        }
        masked
    }
}

fn of_customer(customer: &mut Customer) -> bool {
    let mut masked = text(&mut customer.first_name) | text(&mut customer.last_name);
    if let Some(address) = &mut customer.address {
        // Named one by one, so that a new member is not forgotten here.
        let Address {
            country,
            state,
            city,
            address_line_1,
            address_line_2,
            zip,
        } = address;
        for part in [country, state, city, address_line_1, address_line_2, zip] {
            masked |= option(part);
        }
    }
    masked
}

fn of_vehicle(vehicle: &mut Vehicle) -> bool {
    // Named one by one, so that a new member is not forgotten here.
    let Vehicle {
        vehicle_type: _,
        dealer_id: _,
        vehicle_id: _,
        vin: _,
        stock: _,
        rooftop,
        year: _,
        make,
        model,
        trim,
        condition: _,
        status: _,
        price: _,
        list_price: _,
        msrp: _,
        fees,
        mileage: _,
        body,
        transmission,
        driveline,
        engine,
        displacement_cc: _,
        fuel,
        city_mpg: _,
        highway_mpg: _,
        electric_range_mi: _,
        battery_kwh: _,
        motor_power_hp: _,
        dc_fast_charge: _,
        charge_port,
        exterior_color,
        interior_color,
        features,
        photos: _,
        vdp_url: _,
        description,
        notes,
        other_attributes,
        inventory_date: _,
        updated_at: _,
        extra,
    } = vehicle;
    let mut masked = members(other_attributes) | members(extra);
    for part in [
        rooftop,
        make,
        model,
        trim,
        body,
        transmission,
        driveline,
        engine,
        fuel,
        charge_port,
        exterior_color,
        interior_color,
        description,
        notes,
    ] {
        masked |= option(part);
    }
    let fees = fees.iter_mut().flatten().map(|fee| &mut fee.name);
    for part in features.iter_mut().chain(fees) {
        masked |= text(part);
    }
    masked
}

fn option(part: &mut Option<String>) -> bool {
    part.as_mut().is_some_and(text)
}

fn text(part: &mut String) -> bool {
    let masked = numbers::masked(part);
    let is_masked = masked.is_some();
    if let Some(masked) = masked {
        *part = masked;
    }
    is_masked
}

fn members(of: &mut Map<String, Value>) -> bool {
    of.values_mut().fold(false, |masked, it| value(it) | masked)
}

fn value(of: &mut Value) -> bool {
    match of {
        Value::String(part) => text(part),
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |masked, it| value(it) | masked),
        Value::Object(of) => members(of),
        Value::Number(number) => {
            let masked = numbers::masked(&number.to_string());
            let is_masked = masked.is_some();
            if let Some(masked) = masked {
                *of = Value::String(masked);
            }
            is_masked
        }
        Value::Null | Value::Bool(_) => false,
    }
}

#[cfg(test)]
mod tests;
