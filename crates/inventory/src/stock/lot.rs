//! What stands on the lot before a run.

use std::collections::BTreeMap;

use aap::vehicle::{Condition, Status, Vehicle};
use jiff::Timestamp;
use store::{Conn, Row};

use super::{
    Error,
    row::{condition, dollars},
    run::Run,
    runs,
    unit::{Key, hides_at},
    withdrawal::{self, Withdrawals},
};

/// What stands on the lot before a run, hidden and withheld units included, and what the dealer
/// withdrew by hand.
pub(super) struct Lot {
    pub(super) units: BTreeMap<Key, OnLot>,
    pub(super) withdrawals: Withdrawals,
    /// A file of the run's feed was not believed, and the doubt is open.
    is_in_doubt: bool,
}

/// A unit on the lot.
pub(super) struct OnLot {
    pub(super) feed: String,
    pub(super) condition: Option<Condition>,
    pub(super) terms: Terms,
    pub(super) seen_run: String,
    /// Since when it is hidden because no good file contained it.
    pub(super) hidden_at: Option<Timestamp>,
    /// The dealer withdrew it by hand.
    pub(super) withheld: bool,
}

/// What a unit is offered at. A difference is an event in the unit's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) status: Option<String>,
    pub(super) price: Option<u64>,
    pub(super) list_price: Option<u64>,
}

impl Terms {
    pub(super) fn of(vehicle: &Vehicle) -> Self {
        Self {
            status: vehicle
                .status
                .map(|status| Status::as_str(status).to_owned()),
            price: vehicle.price,
            list_price: vehicle.list_price,
        }
    }

    /// Reads the columns `status, price, list_price`, of which the first is `column`.
    pub(super) fn read(row: &dyn Row, column: usize) -> Result<Self, store::Error> {
        Ok(Self {
            status: row.optional_text(column)?.map(str::to_owned),
            price: dollars(row, column + 1)?,
            list_price: dollars(row, column + 2)?,
        })
    }
}

impl Lot {
    pub(super) fn before(conn: &mut dyn Conn, run: &Run<'_>) -> Result<Self, Error> {
        let withdrawals = withdrawal::all(conn, run.dealer)?;
        let units = conn.all(
            "SELECT unit, rooftop, feed, condition, status, price, list_price, seen_run, seen_at
             FROM vehicle WHERE dealer = $1 AND gone_at IS NULL",
            &[run.dealer.into()],
            |row| {
                let key = Key {
                    unit: row.text(0)?.to_owned(),
                    rooftop: row.text(1)?.to_owned(),
                };
                let feed = row.text(2)?.to_owned();
                let unit = OnLot {
                    condition: condition(row.optional_text(3)?),
                    terms: Terms::read(row, 4)?,
                    seen_run: row.text(7)?.to_owned(),
                    hidden_at: hides_at(run.stated, &feed, row.time(8)?)
                        .filter(|hides_at| *hides_at <= run.now),
                    withheld: withdrawals.of(&key).is_some(),
                    feed,
                };
                Ok((key, unit))
            },
        )?;
        Ok(Self {
            units: units.into_iter().collect(),
            withdrawals,
            is_in_doubt: runs::is_in_doubt(conn, run.dealer, run.feed)?,
        })
    }

    /// True when a file may not let this unit vanish together with many others: buyers see it, or
    /// it is hidden while its feed is in doubt. Else a broken export that is sent again and again
    /// would be believed once it had made the whole stock too old.
    pub(super) fn protects(&self, unit: &OnLot) -> bool {
        !unit.withheld && (unit.hidden_at.is_none() || self.is_in_doubt)
    }
}

impl OnLot {
    /// True when buyers see it.
    pub(super) fn is_published(&self) -> bool {
        self.hidden_at.is_none() && !self.withheld
    }

    /// True when the run's feed is the one to say whether this unit is still on the lot: it
    /// brought the unit, or a feed that the dealer has no more did, and it covers the unit's
    /// place. A place that the dealer has no more is covered by whoever filled it.
    pub(super) fn answers_to(&self, run: &Run<'_>, key: &Key) -> bool {
        let feeds = &run.stated.feeds;
        let orphaned = !feeds.is_empty() && !feeds.contains_key(&self.feed);
        let covered = run.settings.covers(&key.rooftop, self.condition);
        (self.feed == run.feed || orphaned) && (covered || !self.is_at_known_rooftop(run, key))
    }

    /// False when the dealer has no such rooftop any more.
    pub(super) fn is_at_known_rooftop(&self, run: &Run<'_>, key: &Key) -> bool {
        let rooftops = &run.stated.rooftops;
        rooftops.is_empty() || key.rooftop.is_empty() || rooftops.contains_key(&key.rooftop)
    }
}
