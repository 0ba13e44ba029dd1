//! The fields of the stock as columns.

use aap::{
    inventory::SortField,
    vehicle::{Condition, Status, Vehicle},
};

use super::{
    build::Numbered,
    combined::Combined,
    numbers::{Miles, Numbers},
    order::Order,
    ranking::Ranking,
    rooftops::Rooftops,
    terms::Terms,
};

/// Every field that a search filters, sorts or counts by; identifiers and free text apart.
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
    pub(super) rooftops: Rooftops,

    pub(super) price: Numbers<u64>,
    pub(super) mileage: Numbers<u64>,
    pub(super) year: Numbers<u64>,
    pub(super) displacement_cc: Numbers<u64>,
    pub(super) electric_range_mi: Numbers<Miles>,

    pub(super) counted: Counted,

    list_price: Order,
    msrp: Order,
    makes: Order,
    models: Order,
    stocks: Order,
    updated_at: Order,
}

/// The fields that facets count, put together so that each set has few combinations.
#[derive(Debug)]
pub(super) struct Counted {
    /// Make, model, trim.
    pub(super) names: Combined<3>,
    /// Vehicle type, body, transmission, driveline.
    pub(super) shape: Combined<4>,
    /// Fuel, charge port, fast charging, condition, status.
    pub(super) state: Combined<5>,
    /// Exterior and interior colour.
    pub(super) colors: Combined<2>,
    /// Model year, rooftops.
    pub(super) places: Combined<2>,
}

impl Columns {
    pub(super) fn build(stock: &Numbered, rooftops: &[String]) -> Self {
        let ties = &stock.ties;
        let texts =
            |field: fn(&Vehicle) -> Option<&str>| Ranking::of_texts(stock.vehicles().map(field));
        let terms = |field: fn(&Vehicle) -> Option<&str>| Terms::build(&texts(field));
        let values = |field: fn(&Vehicle) -> Option<u64>| -> Vec<Option<u64>> {
            stock.vehicles().map(field).collect()
        };
        let numbers = |field: fn(&Vehicle) -> Option<u64>| Numbers::build(&values(field), ties);
        let order = |field: fn(&Vehicle) -> Option<u64>| {
            Order::build(Ranking::of(&values(field)).ranks, ties)
        };

        let make_spellings = texts(|it| it.make.as_deref());
        let model_spellings = texts(|it| it.model.as_deref());
        let (make, make_codes) = Terms::build(&make_spellings);
        let (model, model_codes) = Terms::build(&model_spellings);
        let (trim, trim_codes) = terms(|it| it.trim.as_deref());
        let (vehicle_type, type_codes) = terms(|it| Some(it.kind().as_str()));
        let (body, body_codes) = terms(|it| it.body.as_deref());
        let (transmission, transmission_codes) = terms(|it| it.transmission.as_deref());
        let (driveline, driveline_codes) = terms(|it| it.driveline.as_deref());
        let (fuel, fuel_codes) = terms(|it| it.fuel.as_deref());
        let (charge_port, port_codes) = terms(|it| it.charge_port.as_deref());
        let (dc_fast_charge, fast_codes) = terms(|it| it.dc_fast_charge.map(yes_or_no));
        let (condition, condition_codes) = terms(|it| it.condition.map(Condition::as_str));
        let (status, status_codes) = terms(|it| it.status.map(Status::as_str));
        let (exterior_color, exterior_codes) = terms(|it| it.exterior_color.as_deref());
        let (interior_color, interior_codes) = terms(|it| it.interior_color.as_deref());
        let year = numbers(|it| it.year.map(u64::from));
        let names = stock
            .listings
            .iter()
            .map(|listing| listing.rooftops.as_slice());
        let (rooftops, rooftop_codes) = Rooftops::build(rooftops, names);
        let miles = |it: &Vehicle| it.electric_range_mi.as_ref()?.as_f64().map(Miles);
        let electric_range_mi: Vec<Option<Miles>> = stock.vehicles().map(miles).collect();

        Self {
            counted: Counted {
                names: Combined::build([&make_codes, &model_codes, &trim_codes]),
                shape: Combined::build([
                    &type_codes,
                    &body_codes,
                    &transmission_codes,
                    &driveline_codes,
                ]),
                state: Combined::build([
                    &fuel_codes,
                    &port_codes,
                    &fast_codes,
                    &condition_codes,
                    &status_codes,
                ]),
                colors: Combined::build([&exterior_codes, &interior_codes]),
                places: Combined::build([year.order().ranks(), &rooftop_codes]),
            },
            make,
            model,
            trim,
            condition,
            status,
            vehicle_type,
            transmission,
            fuel,
            dc_fast_charge,
            charge_port,
            driveline,
            body,
            exterior_color,
            interior_color,
            rooftops,
            year,
            price: numbers(|it| it.price),
            mileage: numbers(|it| it.mileage),
            displacement_cc: numbers(|it| it.displacement_cc),
            electric_range_mi: Numbers::build(&electric_range_mi, ties),
            list_price: order(|it| it.list_price),
            msrp: order(|it| it.msrp),
            makes: Order::build(make_spellings.ranks, ties),
            models: Order::build(model_spellings.ranks, ties),
            stocks: Order::build(texts(|it| it.stock.as_deref()).ranks, ties),
            updated_at: Order::build(Ranking::of(&stock.times).ranks, ties),
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

/// Fast charging as facets name it: the schema allows no boolean there.
fn yes_or_no(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}
