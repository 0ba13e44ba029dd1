//! What names a unit in the stock.

use aap::vehicle::Vehicle;
use dealers::Dealer;
use jiff::Timestamp;

use crate::feed::SoldUnit;

/// Names a unit at a rooftop, the same in every run.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key {
    /// `vin:…`, `stock:…` or `id:…`, the first that the unit has.
    pub(super) unit: String,
    /// Empty when the feed does not tell.
    pub(super) rooftop: String,
}

impl Key {
    /// `None` for a vehicle without any identifier.
    pub(super) fn of(vehicle: &Vehicle) -> Option<Self> {
        Some(Self {
            unit: unit(&vehicle.vin, &vehicle.stock, &vehicle.vehicle_id)?,
            rooftop: vehicle.rooftop.clone().unwrap_or_default(),
        })
    }

    /// The VIN, when that is what names the unit.
    pub(super) fn vin(&self) -> Option<&str> {
        self.unit.strip_prefix("vin:")
    }
}

/// When a unit that this feed saw last at `seen_at` is hidden, unless a good file contains it
/// before; `None` when its feed sets no `max_age`.
pub(super) fn hides_at(dealer: &Dealer, feed: &str, seen_at: Timestamp) -> Option<Timestamp> {
    let age = dealer.feeds.get(feed)?.max_age?;
    seen_at.checked_add(age.duration()).ok()
}

/// Every name that a unit called so may have, the likeliest first.
pub(super) fn candidates(identifier: &str) -> Vec<String> {
    let mut names = vec![of_vin(identifier)];
    if let Some(folded) = aap::text::fold(identifier) {
        names.extend([format!("stock:{folded}"), format!("id:{folded}")]);
    }
    names
}

/// The name of a unit that a feed calls sold.
pub(super) fn of_sold(sold: &SoldUnit) -> Option<String> {
    unit(&sold.vin, &sold.stock, &sold.vehicle_id)
}

/// The name of the unit with this VIN.
pub(super) fn of_vin(vin: &str) -> String {
    format!("vin:{}", vin.trim().to_ascii_uppercase())
}

fn unit(vin: &Option<String>, stock: &Option<String>, id: &Option<String>) -> Option<String> {
    let named = |prefix: &str, text: &Option<String>| {
        aap::text::fold(text.as_deref()?).map(|folded| format!("{prefix}:{folded}"))
    };
    let by_vin = vin
        .as_deref()
        .filter(|vin| !vin.trim().is_empty())
        .map(of_vin);
    by_vin
        .or_else(|| named("stock", stock))
        .or_else(|| named("id", id))
}
