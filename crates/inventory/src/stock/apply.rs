//! One arrival of a feed file: what comes onto the lot, what changes, what leaves.

use std::collections::{BTreeMap, BTreeSet};

use aap::vehicle::Vehicle;
use store::Conn;
use uuid::Uuid;

use super::{
    Error,
    attention::expect_feeds,
    guard::{self, HeldCells, Verdict},
    history::{Event, HistoryEvent},
    lot::{Lot, OnLot, Terms},
    run::{Offer, PriceColumns, PriceDifference, Run, RunOutcome, Withheld},
    runs::{self, LastApplied, RunState},
    statement,
    unit::{self, Key},
    write,
};
use crate::feed::{FeedReport, SoldUnit};

/// Makes the units of a feed file the stock of its feed, as far as the file is believed. What is
/// not believed changes nothing but the list of runs.
///
/// A file with the same bytes as the last good one says nothing new: it is a fresh sighting of its
/// units, and those that left by another way since then do not come back.
///
/// # Errors
/// When the database fails. Nothing is written then.
pub fn apply(conn: &mut dyn Conn, run: &Run<'_>) -> Result<RunOutcome, Error> {
    expect_feeds(conn, run.dealer, run.stated, run.now)?;
    if let Some(refusal) = &run.report.refused
        && run.accepts.is_none()
    {
        let reason = refusal.message.clone();
        return not_believed(conn, run, RunState::Refused, reason);
    }
    let lot = Lot::before(conn, run)?;
    let file = File::of(run.report);
    match guard::judge(run, &lot, &file) {
        Verdict::Nothing(reason) => not_believed(conn, run, RunState::KeptLastGood, reason),
        Verdict::Except(held) => Applying::new(conn, run, &lot, &file, held)?.all(),
    }
}

fn not_believed(
    conn: &mut dyn Conn,
    run: &Run<'_>,
    state: RunState,
    reason: String,
) -> Result<RunOutcome, Error> {
    let mut outcome = RunOutcome::new(run, state);
    outcome.kept_last_good = Some(reason);
    write::run(conn, run, &outcome)?;
    Ok(outcome)
}

/// What a file says about units.
pub(super) struct File<'a> {
    /// The units to publish by their keys; the first row of a key counts.
    pub(super) units: BTreeMap<Key, &'a Vehicle>,
    /// The units that the file itself calls sold, by unit.
    sold: BTreeMap<String, Vec<&'a SoldUnit>>,
}

impl<'a> File<'a> {
    fn of(report: &'a FeedReport) -> Self {
        let mut file = Self {
            units: BTreeMap::new(),
            sold: BTreeMap::new(),
        };
        for vehicle in report.vehicles.iter().map(|read| &read.vehicle) {
            if let Some(key) = Key::of(vehicle) {
                file.units.entry(key).or_insert(vehicle);
            }
        }
        for sold in &report.sold {
            if let Some(unit) = unit::of_sold(sold) {
                file.sold.entry(unit).or_default().push(sold);
            }
        }
        file
    }

    /// True when the file calls the unit sold at this rooftop or at an unknown one, whichever feed
    /// the unit came from.
    pub(super) fn calls_sold(&self, key: &Key) -> bool {
        let here = |sold: &&SoldUnit| {
            sold.rooftop
                .as_ref()
                .is_none_or(|name| *name == key.rooftop)
        };
        self.sold
            .get(&key.unit)
            .is_some_and(|sold| sold.iter().any(here))
    }
}

/// A run at work.
struct Applying<'a> {
    conn: &'a mut dyn Conn,
    run: &'a Run<'a>,
    lot: &'a Lot,
    file: &'a File<'a>,
    held: HeldCells,
    /// The file is the last good one once more.
    repeated: bool,
    /// Units that left since the last good file, for a file that repeats it.
    left_since: BTreeSet<Key>,
    columns: PriceColumns,
    outcome: RunOutcome,
}

impl<'a> Applying<'a> {
    fn new(
        conn: &'a mut dyn Conn,
        run: &'a Run<'a>,
        lot: &'a Lot,
        file: &'a File<'a>,
        held: HeldCells,
    ) -> Result<Self, Error> {
        let same = |last: &LastApplied| {
            run.accepts.is_none()
                && run.file_digest.is_some()
                && run.file_digest == last.digest.as_deref()
        };
        let last = runs::last_applied(conn, run.dealer, run.feed)?.filter(same);
        let left_since = match &last {
            Some(last) => left_after(conn, run, last.id)?,
            None => BTreeSet::new(),
        };
        Ok(Self {
            conn,
            run,
            lot,
            file,
            held,
            repeated: last.is_some_and(|last| last.state.is_good()),
            left_since,
            columns: PriceColumns::of(run.report),
            outcome: RunOutcome::new(run, RunState::Applied),
        })
    }

    fn all(mut self) -> Result<RunOutcome, Error> {
        statement::note(self.conn, self.run, &self.held)?;
        let mut offers = Offers::default();
        let file = self.file;
        for (key, vehicle) in &file.units {
            let before = self.lot.units.get(key);
            if self.stays(key, vehicle, before) {
                continue;
            }
            if self.publish(key, vehicle, before)? {
                offers.of_file(key, &Terms::of(vehicle));
            }
        }
        let lot = self.lot;
        for (key, unit) in &lot.units {
            let in_file = file.units.get(key);
            if in_file.is_some_and(|vehicle| !self.stays(key, vehicle, Some(unit))) {
                continue;
            }
            let missing = in_file.is_none()
                && unit.answers_to(self.run, key)
                && !self.held.holds(key, unit.condition);
            if missing || file.calls_sold(key) {
                self.withdraw(key, unit)?;
            } else if unit.is_published() {
                offers.of_others(key, &unit.terms);
            }
        }
        self.remember_sold()?;
        self.outcome.price_differences = offers.differences(&self.run.stated.ownership());
        self.finish()
    }

    fn finish(mut self) -> Result<RunOutcome, Error> {
        let outcome = &mut self.outcome;
        let untouched = outcome.published == 0 && outcome.withdrawn == 0;
        outcome.state = match self.held.is_empty() {
            false if untouched => RunState::KeptLastGood,
            false => RunState::KeptInPart,
            true if self.repeated => RunState::Repeated,
            true => RunState::Applied,
        };
        outcome.kept_last_good = self.held.reason();
        outcome.held = self.held.report;
        if outcome.state != RunState::KeptLastGood {
            write::raise_version(self.conn, self.run.dealer)?;
        }
        write::run(self.conn, self.run, outcome)?;
        Ok(self.outcome)
    }

    /// True for a unit of the file that stays as it is: the file is not believed where it stands
    /// or stood, or says nothing new about it.
    fn stays(&self, key: &Key, vehicle: &Vehicle, before: Option<&OnLot>) -> bool {
        self.held.holds(key, vehicle.condition)
            || before.is_some_and(|unit| self.held.holds(key, unit.condition))
            || self.left_since.contains(key)
    }

    /// Writes a unit of the file, and says whether buyers see it.
    fn publish(
        &mut self,
        key: &Key,
        vehicle: &Vehicle,
        before: Option<&OnLot>,
    ) -> Result<bool, Error> {
        let record = write::record(key, vehicle)?;
        write::unit(self.conn, self.run, key, vehicle, &record)?;
        if let Some(withdrawal) = self.lot.withdrawals.of(key) {
            self.outcome.withheld.push(Withheld {
                vin: vehicle.vin.clone(),
                stock: vehicle.stock.clone(),
                rooftop: key.rooftop.clone(),
                withdrawn_at: withdrawal.at,
                reason: withdrawal.reason.clone(),
            });
            return Ok(false);
        }
        self.outcome.published += 1;
        let terms = Terms::of(vehicle);
        let event = match before {
            Some(unit) if unit.hidden_at.is_some() => {
                self.was_hidden(key, unit)?;
                HistoryEvent::Published
            }
            Some(unit) if unit.terms == terms => return Ok(true),
            Some(_) => HistoryEvent::Changed,
            None => HistoryEvent::Published,
        };
        match event {
            HistoryEvent::Changed => self.outcome.changed += 1,
            _ => self.outcome.added += 1,
        }
        let event = Event {
            at: self.run.now,
            run: &self.run.id.to_string(),
            kind: event,
            feed: self.run.feed,
            condition: vehicle.condition,
            terms: &terms,
            price_column: self.columns.shown(vehicle),
            by: self.run.accepts.map(|acceptance| acceptance.by),
            reason: None,
        };
        write::event(self.conn, self.run.dealer, key, &event)?;
        Ok(true)
    }

    fn withdraw(&mut self, key: &Key, unit: &OnLot) -> Result<(), Error> {
        write::gone(self.conn, self.run, key)?;
        self.outcome.withdrawn += 1;
        if unit.withheld {
            return Ok(());
        }
        self.was_hidden(key, unit)?;
        let event = Event {
            run: &self.run.id.to_string(),
            by: self.run.accepts.map(|acceptance| acceptance.by),
            ..unit.event(self.run.now, HistoryEvent::Withdrawn)
        };
        write::event(self.conn, self.run.dealer, key, &event)?;
        Ok(())
    }

    /// Writes down that time had hidden a unit.
    fn was_hidden(&mut self, key: &Key, unit: &OnLot) -> Result<(), Error> {
        let Some(at) = unit.hidden_at else {
            return Ok(());
        };
        let event = unit.event(at, HistoryEvent::Hidden);
        write::event(self.conn, self.run.dealer, key, &event)?;
        Ok(())
    }

    /// Remembers the sold units that the dealer's stock never knew, so that a buyer who asks for
    /// one hears that it is gone.
    fn remember_sold(&mut self) -> Result<(), Error> {
        for (unit, sold) in &self.file.sold {
            let Some(sold) = sold.first() else { continue };
            if write::is_known(self.conn, self.run.dealer, unit)? {
                continue;
            }
            let vehicle = Vehicle {
                vin: sold.vin.clone(),
                stock: sold.stock.clone(),
                vehicle_id: sold.vehicle_id.clone(),
                rooftop: sold.rooftop.clone(),
                ..Vehicle::default()
            };
            let key = Key {
                unit: unit.clone(),
                rooftop: sold.rooftop.clone().unwrap_or_default(),
            };
            let record = write::record(&key, &vehicle)?;
            write::unit(self.conn, self.run, &key, &vehicle, &record)?;
            write::gone(self.conn, self.run, &key)?;
        }
        Ok(())
    }
}

/// Units that were in the file of this run and are gone.
fn left_after(conn: &mut dyn Conn, run: &Run<'_>, last: Uuid) -> Result<BTreeSet<Key>, Error> {
    let keys = conn.all(
        "SELECT unit, rooftop FROM vehicle
         WHERE dealer = $1 AND gone_at IS NOT NULL AND seen_run = $2 AND feed = $3",
        &[
            run.dealer.into(),
            (&last.to_string()).into(),
            run.feed.into(),
        ],
        |row| {
            Ok(Key {
                unit: row.text(0)?.to_owned(),
                rooftop: row.text(1)?.to_owned(),
            })
        },
    )?;
    Ok(keys.into_iter().collect())
}

/// What every rooftop asks for the VINs of a file.
#[derive(Default)]
struct Offers(BTreeMap<String, Vec<Offer>>);

impl Offers {
    fn of_file(&mut self, key: &Key, terms: &Terms) {
        if let Some(vin) = key.vin() {
            let offers = self.0.entry(vin.to_owned()).or_default();
            offers.push(Offer::of(key, terms));
        }
    }

    /// Only VINs of the file are compared: the others were when their files came.
    fn of_others(&mut self, key: &Key, terms: &Terms) {
        if let Some(offers) = key.vin().and_then(|vin| self.0.get_mut(vin)) {
            offers.push(Offer::of(key, terms));
        }
    }

    fn differences(self, ownership: &[&str]) -> Vec<PriceDifference> {
        let place = |offer: &Offer| ownership.iter().position(|name| *name == offer.rooftop);
        let differ = |offers: &[Offer]| {
            let terms = |offer: &Offer| (offer.price, offer.list_price);
            offers
                .windows(2)
                .any(|pair| terms(&pair[0]) != terms(&pair[1]))
        };
        self.0
            .into_iter()
            .filter(|(_, offers)| differ(offers))
            .map(|(vin, mut offers)| {
                offers.sort_by_cached_key(|offer| {
                    (place(offer).unwrap_or(usize::MAX), offer.rooftop.clone())
                });
                PriceDifference { vin, offers }
            })
            .collect()
    }
}

impl Offer {
    fn of(key: &Key, terms: &Terms) -> Self {
        Self {
            rooftop: key.rooftop.clone(),
            price: terms.price,
            list_price: terms.list_price,
        }
    }
}

impl OnLot {
    /// An event with what is known of the unit from before the run.
    fn event(&self, at: jiff::Timestamp, kind: HistoryEvent) -> Event<'_> {
        let seen = (self.seen_run.as_str(), self.feed.as_str());
        Event::of_known(at, kind, seen, self.condition, &self.terms)
    }
}
