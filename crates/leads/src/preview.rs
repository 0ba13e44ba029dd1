//! What a lead would look like once it is taken.

use aap::{lead::LeadStatus, vehicle::Vehicle};

use crate::{
    AppointmentStatus, AppointmentSummary, Inquiry, Lead, LeadSummary, NewLead, Person, Personal,
    Rights, car, mask,
};

impl NewLead {
    /// The lead as [`show`](crate::show) would give it if it were taken, without the database's say:
    /// it repeats nothing, and its appointment is requested.
    #[must_use]
    pub fn preview(&self) -> Lead {
        let mut request = self.request.clone();
        let masked = mask::mask(&mut request);
        let listing = self.vehicle.listing();
        let named = listing.or(request.vehicle_of_interest.as_ref());
        Lead {
            summary: LeadSummary {
                lead_id: self.lead_id.clone(),
                received_at: self.now,
                status: LeadStatus::Received,
                rooftop: self.rooftop.clone(),
                source_agent: request.source_agent.name.clone(),
                vehicle_state: self.vehicle.state(),
                vehicle: Personal(named.and_then(Vehicle::title)),
                vin: listing.and_then(|car| car.vin.clone()),
                stock: listing.and_then(|car| car.stock.clone()),
                repeat_of: None,
                repeats: 0,
                person: Personal(Some(Person {
                    first_name: request.customer.first_name.clone(),
                    last_name: request.customer.last_name.clone(),
                    email: request.customer.email.clone(),
                    phone: request.customer.phone.clone(),
                })),
                appointment: request.appointment.as_ref().map(|wish| AppointmentSummary {
                    appointment_id: self.appointment_id.clone(),
                    kind: wish.appointment_type,
                    status: AppointmentStatus::Requested,
                    wished_at: wish.appointment_at.clone(),
                    starts_at: None,
                    ends_at: None,
                    proposed: Vec::new(),
                    decided_at: None,
                }),
                rights: Rights {
                    allowed_channels: request.consent.allowed_channels.clone(),
                    ..Rights::default()
                },
                deliveries_due: 0,
                arrival: None,
                deliveries: Vec::new(),
            },
            request: Personal(Some(Inquiry::from(request))),
            consent_as_received: Personal(None),
            listing: listing.map(car::kept),
            origin: self.origin,
            standing: self.standing,
            verified: self.caller.is_verified,
            agent_key: self.caller.agent_key.clone(),
            rejected_because: self.rejected.clone(),
            masked,
            first_received_at: None,
            revocations: Vec::new(),
            legal_hold: Personal(None),
        }
    }
}
