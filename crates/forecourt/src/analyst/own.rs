//! The dealer's own data as tables: what stands on the lot, what happened to it, and the leads.

use std::collections::HashMap;

use ::analyst::{Role, Sources, Table};
use aap::{lead::LeadStatus, vehicle::Vehicle};
use dealers::{Dealer, DealerId};
use inventory::{
    listing::Listing,
    stock::{self, HistoryEvent, StockedUnit, UnitEvent},
};
use jiff::{Timestamp, tz::TimeZone};
use leads::{Filter, LeadSummary, Vault};
use store::{Conn, Store};

/// At most so many leads are read, the newest.
const MOST_LEADS: u32 = 20_000;

/// Why the dealer's data could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Stock(#[from] stock::Error),
    #[error(transparent)]
    Leads(#[from] leads::Error),
}

/// Reads everything of a dealer that a question may be about.
pub(crate) async fn read(
    store: &Store,
    vault: &Vault,
    id: &DealerId,
    dealer: &Dealer,
) -> Result<Sources, Error> {
    let (vault, id, dealer, zone) = (vault.clone(), id.clone(), dealer.clone(), zone(dealer));
    let now = store.clock().now();
    let read = move |conn: &mut dyn Conn| {
        let mut sources = Sources::default();
        let units = stock::vehicles(conn, &id)?;
        let published = stock::load(conn, &id, &dealer, now)?;
        sources.own = Some(lot(&published.listings, &units, &zone));
        sources.history = Some(history(&stock::events(conn, &id)?, &zone));
        let filter = Filter {
            since: None,
            tests: false,
            limit: MOST_LEADS,
        };
        sources.leads = Some(enquiries(&leads::list(conn, &vault, &id, filter)?, &zone));
        Ok::<_, Error>(sources)
    };
    store.read(read).await
}

/// Days are days at the dealer's: where its first rooftop is that says so.
fn zone(dealer: &Dealer) -> TimeZone {
    let mut rooftops = dealer.rooftops.values();
    let named = rooftops.find_map(|rooftop| rooftop.timezone.as_deref());
    named
        .and_then(|name| TimeZone::get(name).ok())
        .unwrap_or(TimeZone::UTC)
}

fn day(at: Timestamp, zone: &TimeZone) -> String {
    zone.to_datetime(at).date().to_string()
}

const LOT: &[(&str, Option<Role>)] = &[
    ("stock number", Some(Role::Id)),
    ("VIN", Some(Role::Vin)),
    ("title", Some(Role::Title)),
    ("year", Some(Role::Year)),
    ("make", Some(Role::Make)),
    ("model", Some(Role::Model)),
    ("trim", Some(Role::Trim)),
    ("condition", Some(Role::Condition)),
    ("status", Some(Role::Status)),
    ("price", Some(Role::Price)),
    ("list price", Some(Role::CompareAtPrice)),
    ("MSRP", Some(Role::Msrp)),
    ("odometer", Some(Role::Odometer)),
    ("body", Some(Role::Body)),
    ("fuel", Some(Role::Fuel)),
    ("transmission", Some(Role::Transmission)),
    ("exterior colour", Some(Role::Colour)),
    ("photos", Some(Role::PhotoCount)),
    ("description", Some(Role::Description)),
    ("VDP", Some(Role::Link)),
    ("rooftop", Some(Role::Rooftop)),
    ("in stock since", Some(Role::DateInStock)),
    ("first seen in a feed", Some(Role::DateAdded)),
    ("seen in a feed", Some(Role::SnapshotDate)),
];

/// The lot as buyers see it, one row for each listing, with the days on which feeds contained it.
fn lot(listings: &[Listing], units: &[StockedUnit], zone: &TimeZone) -> Table {
    let mut seen: HashMap<Unit<'_>, (Timestamp, Timestamp)> = HashMap::new();
    for unit in units.iter().filter(|unit| unit.gone_at.is_none()) {
        let (first, last) = (unit.first_seen_at, unit.seen_at);
        let days = seen.entry(Unit::of(&unit.vehicle)).or_insert((first, last));
        *days = (days.0.min(first), days.1.max(last));
    }
    let rows = listings.iter().map(|listing| {
        let days = seen.get(&Unit::of(&listing.vehicle)).copied();
        listing_row(listing, days, zone)
    });
    Table::of_rows("Own inventory", LOT, rows)
}

/// What tells units apart: a VIN wherever it stands; a stock number or identifier at its rooftop.
#[derive(PartialEq, Eq, Hash)]
enum Unit<'a> {
    Vin(&'a str),
    AtRooftop(Option<&'a str>, Option<&'a str>, Option<&'a str>),
}

impl<'a> Unit<'a> {
    fn of(vehicle: &'a Vehicle) -> Self {
        match vehicle.vin.as_deref() {
            Some(vin) => Self::Vin(vin),
            None => Self::AtRooftop(
                vehicle.stock.as_deref(),
                vehicle.vehicle_id.as_deref(),
                vehicle.rooftop.as_deref(),
            ),
        }
    }
}

fn listing_row(
    listing: &Listing,
    days: Option<(Timestamp, Timestamp)>,
    zone: &TimeZone,
) -> Vec<String> {
    let vehicle = &listing.vehicle;
    let first_seen = days.map(|(first, _)| day(first, zone)).unwrap_or_default();
    let condition = vehicle.condition.map(|it| it.as_str().to_owned());
    // The feed's word where it has one; else what was seen here.
    let in_stock = vehicle.inventory_date.clone();
    let in_stock = in_stock.unwrap_or_else(|| first_seen.clone());
    vec![
        id(vehicle),
        text(&vehicle.vin),
        text(&vehicle.title()),
        number(vehicle.year.map(u64::from)),
        text(&vehicle.make),
        text(&vehicle.model),
        text(&vehicle.trim),
        text(&condition),
        vehicle.status.unwrap_or_default().as_str().to_owned(),
        dollars(vehicle.price),
        dollars(vehicle.list_price),
        dollars(vehicle.msrp),
        number(vehicle.mileage),
        text(&vehicle.body),
        text(&vehicle.fuel),
        text(&vehicle.transmission),
        text(&vehicle.exterior_color),
        vehicle.photos.len().to_string(),
        text(&vehicle.description),
        text(&vehicle.vdp_url),
        text(&vehicle.rooftop),
        in_stock,
        first_seen,
        days.map(|(_, last)| day(last, zone)).unwrap_or_default(),
    ]
}

/// The stock number; units without one have a VIN or an identifier.
fn id(vehicle: &Vehicle) -> String {
    let ids = [&vehicle.stock, &vehicle.vin, &vehicle.vehicle_id];
    ids.into_iter()
        .flatten()
        .next()
        .cloned()
        .unwrap_or_default()
}

fn text(text: &Option<String>) -> String {
    text.clone().unwrap_or_default()
}

const HISTORY: &[(&str, Option<Role>)] = &[
    ("stock number", Some(Role::Id)),
    ("VIN", Some(Role::Vin)),
    ("title", Some(Role::Title)),
    ("make", Some(Role::Make)),
    ("model", Some(Role::Model)),
    ("condition", Some(Role::Condition)),
    ("rooftop", Some(Role::Rooftop)),
    ("event", Some(Role::Event)),
    ("day", Some(Role::EventDate)),
    ("old price", Some(Role::OldPrice)),
    ("price", Some(Role::Price)),
];

/// What happened, oldest first. A change of price has both prices, so that the one before has to be
/// remembered for each unit at each rooftop.
fn history(events: &[UnitEvent], zone: &TimeZone) -> Table {
    let mut prices = HashMap::new();
    let mut rows = Vec::new();
    for event in events {
        let before = prices.insert((event.unit.as_str(), event.rooftop.as_str()), event.price);
        let before = before.flatten();
        let what = match event.event {
            HistoryEvent::Published => "came",
            HistoryEvent::Withdrawn | HistoryEvent::Hidden => "went",
            HistoryEvent::Changed if before == event.price => continue,
            HistoryEvent::Changed => "price",
            _ => continue,
        };
        let vehicle = &event.vehicle;
        let condition = vehicle.condition.map(|it| it.as_str().to_owned());
        rows.push(vec![
            id(vehicle),
            text(&vehicle.vin),
            text(&vehicle.title()),
            text(&vehicle.make),
            text(&vehicle.model),
            text(&condition),
            event.rooftop.clone(),
            what.to_owned(),
            day(event.at, zone),
            dollars(before.filter(|_| what == "price")),
            dollars(event.price),
        ]);
    }
    Table::of_rows("Feed history", HISTORY, rows)
}

const LEADS: &[(&str, Option<Role>)] = &[
    ("lead", Some(Role::LeadId)),
    ("state", Some(Role::LeadState)),
    ("agent", Some(Role::LeadAgent)),
    ("day", Some(Role::EventDate)),
    ("rooftop", Some(Role::Rooftop)),
    ("stock number", Some(Role::Id)),
    ("VIN", Some(Role::Vin)),
];

/// Never a person, whatever the leads hold.
fn enquiries(leads: &[LeadSummary], zone: &TimeZone) -> Table {
    let rows = leads.iter().map(|lead| {
        let arrival = lead.arrival.map(|arrival| arrival.as_str());
        [
            lead.lead_id.to_string(),
            arrival.unwrap_or_else(|| told(lead.status)).to_owned(),
            lead.source_agent.clone(),
            day(lead.received_at, zone),
            lead.rooftop.clone().unwrap_or_default(),
            lead.stock.clone().unwrap_or_default(),
            lead.vin.clone().unwrap_or_default(),
        ]
    });
    Table::of_rows("Leads", LEADS, rows)
}

/// What the sender of a lead was told, where nothing is known of its way.
const fn told(status: LeadStatus) -> &'static str {
    match status {
        LeadStatus::Received => "received",
        LeadStatus::Duplicate => "duplicate",
        LeadStatus::Rejected => "rejected",
    }
}

fn number(number: Option<u64>) -> String {
    number.map(|it| it.to_string()).unwrap_or_default()
}

/// AAP states amounts in whole US dollars.
fn dollars(amount: Option<u64>) -> String {
    amount.map(|it| format!("{it} USD")).unwrap_or_default()
}
