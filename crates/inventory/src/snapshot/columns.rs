//! The fields of the stock as columns.

use aap::{
    inventory::SortField,
    vehicle::{Condition, Status, Vehicle},
};
use jiff::Timestamp;

use super::{
    numbers::{Miles, Numbers},
    order::Order,
    terms::Terms,
};
use crate::{listing::Listing, text::Sortable};

/// Every field that a search filters, sorts or counts by, rooftops and free text apart.
#[derive(Debug)]
pub(super) struct Columns {
    pub(super) make: Terms,
    pub(super) model: Terms,
    pub(super) trim: Terms,
    pub(super) condition: Terms,
    pub(super) status: Terms,
    pub(super) vehicle_type: Terms,
    pub(super) transmission: Terms,
    pub(super) fuel: Terms,
    pub(super) dc_fast_charge: Terms,
    pub(super) charge_port: Terms,
    pub(super) driveline: Terms,
    pub(super) body: Terms,
    pub(super) exterior_color: Terms,
    pub(super) interior_color: Terms,

    pub(super) price: Numbers<u64>,
    pub(super) mileage: Numbers<u64>,
    pub(super) year: Numbers<u64>,
    pub(super) displacement_cc: Numbers<u64>,
    pub(super) electric_range_mi: Numbers<Miles>,

    list_price: Order,
    msrp: Order,
    makes: Order,
    models: Order,
    stocks: Order,
    updated_at: Order,
}

impl Columns {
    /// Builds the columns; a row is a place in `listings`, and `ties` holds each row's place among
    /// equals.
    pub(super) fn build(listings: &[Listing], ties: &[u32]) -> Self {
        let terms = |field: fn(&Vehicle) -> Option<&str>| {
            Terms::build(listings.iter().map(|listing| field(&listing.vehicle)))
        };
        let numbers =
            |field: fn(&Vehicle) -> Option<u64>| Numbers::build(&each(listings, field), ties);
        let order =
            |field: fn(&Vehicle) -> Option<u64>| Order::build(&each(listings, field), ties).0;
        let texts = |field: fn(&Vehicle) -> Option<&str>| {
            Order::build(
                &each(listings, |vehicle| Sortable::new(field(vehicle)?)),
                ties,
            )
            .0
        };
        Self {
            make: terms(|it| it.make.as_deref()),
            model: terms(|it| it.model.as_deref()),
            trim: terms(|it| it.trim.as_deref()),
            condition: terms(|it| it.condition.map(Condition::as_str)),
            status: terms(|it| it.status.map(Status::as_str)),
            vehicle_type: terms(|it| Some(it.kind().as_str())),
            transmission: terms(|it| it.transmission.as_deref()),
            fuel: terms(|it| it.fuel.as_deref()),
            dc_fast_charge: terms(|it| {
                it.dc_fast_charge
                    .map(|yes| if yes { "true" } else { "false" })
            }),
            charge_port: terms(|it| it.charge_port.as_deref()),
            driveline: terms(|it| it.driveline.as_deref()),
            body: terms(|it| it.body.as_deref()),
            exterior_color: terms(|it| it.exterior_color.as_deref()),
            interior_color: terms(|it| it.interior_color.as_deref()),

            price: numbers(|it| it.price),
            mileage: numbers(|it| it.mileage),
            year: numbers(|it| it.year.map(u64::from)),
            displacement_cc: numbers(|it| it.displacement_cc),
            electric_range_mi: Numbers::build(
                &each(listings, |it| {
                    it.electric_range_mi.as_ref()?.as_f64().map(Miles)
                }),
                ties,
            ),

            list_price: order(|it| it.list_price),
            msrp: order(|it| it.msrp),
            makes: texts(|it| it.make.as_deref()),
            models: texts(|it| it.model.as_deref()),
            stocks: texts(|it| it.stock.as_deref()),
            updated_at: Order::build(&each(listings, updated_at), ties).0,
        }
    }

    /// The sort order of a field.
    pub(super) fn order(&self, field: SortField) -> &Order {
        match field {
            SortField::Price => self.price.order(),
            SortField::ListPrice => &self.list_price,
            SortField::Msrp => &self.msrp,
            SortField::Mileage => self.mileage.order(),
            SortField::Year => self.year.order(),
            SortField::Make => &self.makes,
            SortField::Model => &self.models,
            SortField::Stock => &self.stocks,
            SortField::UpdatedAt => &self.updated_at,
        }
    }
}

fn each<T>(listings: &[Listing], field: impl Fn(&Vehicle) -> Option<T>) -> Vec<Option<T>> {
    listings
        .iter()
        .map(|listing| field(&listing.vehicle))
        .collect()
}

/// When the vehicle's availability was last stated; `None` also when it is not a time.
pub(super) fn updated_at(vehicle: &Vehicle) -> Option<Timestamp> {
    vehicle.updated_at.as_deref()?.parse().ok()
}
