//! The seller's own data as tables: what stands on the lot or in the catalog, what happened to it, and the
//! leads.

use std::{collections::HashMap, sync::Arc};

use ::analyst::{Role, Sources, Table, question::Vocabulary};
use aap::{lead::LeadStatus, vehicle::Vehicle};
use dealers::{Dealer, DealerId};
use inventory::{
    listing::Listing,
    stock::{self, HistoryEvent, Stock, UnitEvent},
};
use jiff::{Timestamp, tz::TimeZone};
use leads::Enquiry;
use store::{Conn, Store};

use super::seller::{Seller, Stated};

/// At most so many leads are read, the newest.
const MOST_LEADS: u32 = 20_000;

/// Why the seller's data could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Stock(#[from] stock::Error),
    #[error(transparent)]
    Leads(#[from] leads::Error),
    #[error("the tables were not finished")]
    Interrupted,
}

/// The seller's tables as they are in one state of its stock or catalog.
#[derive(Debug)]
pub(crate) struct Own {
    /// Which state; a later one is greater.
    pub(super) version: u64,
    /// When time alone changes it.
    pub(super) changes_at: Option<Timestamp>,
    own: Option<Arc<Table>>,
    vocabulary: Option<Arc<Vocabulary>>,
    history: Option<Arc<Table>>,
    /// What every answer says.
    pub(crate) remarks: Vec<String>,
}

impl Own {
    /// The tables beside which a question's files and the leads have their place.
    pub(crate) fn sources(&self) -> Sources {
        let mut sources = Sources::default();
        sources.own.clone_from(&self.own);
        sources.vocabulary.clone_from(&self.vocabulary);
        sources.history.clone_from(&self.history);
        sources
    }

    /// The tables as they are kept; takes time.
    fn of(own: Option<Table>, history: Option<Table>, version: u64) -> Self {
        Self {
            version,
            changes_at: None,
            vocabulary: own.as_ref().map(|own| Arc::new(Vocabulary::of(own))),
            own: own.map(Arc::new),
            history: history.map(Arc::new),
            remarks: Vec::new(),
        }
    }

    /// About how much memory the tables take, in bytes; takes time.
    pub(super) fn bytes(&self) -> u64 {
        const BESIDE_TEXT: usize = 8;
        let of_table = |table: &Table| -> u64 {
            let rows = 0..table.rows();
            let columns = table.columns().iter();
            let cells = columns.flat_map(|column| rows.clone().map(|row| column.text(row)));
            let lengths = cells.map(|cell| cell.map_or(0, str::len) + BESIDE_TEXT);
            lengths.map(|length| length as u64).sum()
        };
        let tables = [&self.own, &self.history].into_iter().flatten();
        tables.map(|table| of_table(table)).sum()
    }
}

/// Reads what a seller's questions are about.
pub(crate) async fn read(store: &Store, seller: &Seller) -> Result<Own, Error> {
    match &seller.stated {
        Stated::Dealer(dealer) => of_dealer(store, seller.id(), dealer).await,
        Stated::Catalog(catalog) => {
            let tables = catalogs::load(store, seller.id(), catalog).await?;
            aside(move || {
                let mut own = Own::of(tables.own, tables.history, tables.version);
                own.changes_at = tables.hides_at;
                own.remarks = tables.remarks;
                own
            })
            .await
        }
    }
}

async fn of_dealer(store: &Store, id: &DealerId, dealer: &Arc<Dealer>) -> Result<Own, Error> {
    let now = store.clock().now();
    let (id, settings) = (id.clone(), Arc::clone(dealer));
    let read = move |conn: &mut dyn Conn| {
        let published = stock::load(conn, &id, &settings, now)?;
        Ok::<_, Error>((published, stock::events(conn, &id)?))
    };
    let (published, events) = store.read(read).await?;
    let zone = zone(dealer);
    aside(move || {
        let lot = lot(&published, &zone);
        let history = history(&events, &zone);
        let mut own = Own::of(Some(lot), Some(history), published.version);
        own.changes_at = published.hides_at;
        own
    })
    .await
}

/// Building takes milliseconds to seconds, during which the runtime has requests to serve.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Error::Interrupted)
}

/// The leads of a seller, as they are at this moment; a catalog has none. What becomes of a lead on its way
/// changes no version of the stock, so they are read for each question.
pub(crate) async fn leads(store: &Store, seller: &Seller) -> Result<Option<Arc<Table>>, Error> {
    let Stated::Dealer(dealer) = &seller.stated else {
        return Ok(None);
    };
    let id = seller.id().clone();
    let read = move |conn: &mut dyn Conn| leads::enquiries(conn, &id, MOST_LEADS);
    let (found, zone) = (store.read(read).await?, zone(dealer));
    let table = aside(move || enquiries(&found, &zone)).await?;
    Ok(Some(Arc::new(table)))
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
fn lot(stock: &Stock, zone: &TimeZone) -> Table {
    let listings = stock.listings.iter().zip(&stock.seen);
    let rows = listings.map(|(listing, seen)| listing_row(listing, *seen, zone));
    Table::of_rows("Own inventory", LOT, rows)
}

fn listing_row(
    listing: &Listing,
    (first, last): (Timestamp, Timestamp),
    zone: &TimeZone,
) -> Vec<String> {
    let vehicle = &listing.vehicle;
    let first_seen = day(first, zone);
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
        day(last, zone),
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
fn enquiries(leads: &[Enquiry], zone: &TimeZone) -> Table {
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
