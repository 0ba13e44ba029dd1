//! The analyst: an A2A agent that answers a seller's questions about its own catalog.
//!
//! A request comes in through `app/analyst.rs`. [`contract`] completes what sellers' clients leave out,
//! [`asked`] reads the message, [`own`] makes tables of the data of a [`seller`], which [`kept`] keeps, the crate `analyst` counts, and
//! [`agent`] hands out one artifact for each analysis as it is ready. [`model`] is the language model that may
//! help, where one is configured. [`access`] says whose key opens whose
//! analyst, [`card`] says all of it to clients.

mod access;
mod agent;
mod asked;
mod card;
mod context;
mod contract;
mod kept;
mod model;
pub(crate) mod own;
mod seller;
mod surface;

pub(crate) use self::{
    access::Keys,
    agent::{Analyst, FAILED},
    card::{CardContent, KEY, PATH, document, security},
    contract::complete,
    kept::KeptTables,
    model::{Model, ModelError},
    seller::Seller,
};
