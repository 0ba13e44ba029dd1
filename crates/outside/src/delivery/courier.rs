//! What carries a lead to a destination.

use std::{collections::HashMap, time::Duration};

use dealers::DealerId;
use jiff::Timestamp;
use leads::{DeliveryId, LeadId, Purpose};

#[derive(Clone)]
pub struct Parcel {
    pub dealer: DealerId,
    pub lead_id: LeadId,
    pub delivery_id: DeliveryId,
    pub rooftop: String,
    pub destination: String,
    pub purpose: Purpose,
    pub attempt: u64,
    pub subject: String,
    pub adf: String,
    pub text: String,
    pub document: serde_json::Value,
    pub sent_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    pub detail: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    Temporary {
        detail: String,
        retry_after: Option<Duration>,
        reach: Reach,
    },
    Permanent {
        detail: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    Parcel,
    Destination,
}

#[derive(Debug)]
pub struct Couriers {
    all: HashMap<(DealerId, String, String), Courier>,
}

impl Couriers {
    #[must_use]
    pub fn get(&self, dealer: &DealerId, rooftop: &str, destination: &str) -> Option<&Courier> {
        let key = (dealer.clone(), rooftop.to_owned(), destination.to_owned());
        self.all.get(&key)
    }
}

#[derive(Debug)]
pub struct Courier;

impl Courier {
    pub async fn send(&self, _: &Parcel) -> Result<Receipt, Fault> {
        std::future::pending().await
    }
}
