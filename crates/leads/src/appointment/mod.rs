//! Appointments: when one is possible, who has which time, and what people make of them.
//!
//! [`calendar`] knows a rooftop's hours and no database. `slot` counts who takes which piece of
//! time, so that none is given away twice. `arrange` is what a lead's wish becomes while the lead
//! is accepted.

pub(crate) mod calendar;
