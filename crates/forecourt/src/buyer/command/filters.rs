//! The filter block as flags.

use aap::{
    inventory::{Filters, Sort, SortField, SortOrder},
    vehicle::{Condition, VehicleType},
};
use serde::de::DeserializeOwned;

/// Every filter that a dealer understands. Values of one filter are alternatives; several filters
/// must all match.
#[derive(Debug, Clone, Default, clap::Args)]
#[group(id = "filter_flags", multiple = true)]
pub(crate) struct FilterFlags {
    /// Make; may be repeated
    #[arg(long, value_name = "MAKE")]
    make: Vec<String>,
    /// Model; may be repeated
    #[arg(long, value_name = "MODEL")]
    model: Vec<String>,
    /// Trim; may be repeated
    #[arg(long, value_name = "TRIM")]
    trim: Vec<String>,
    /// Sale condition: new, used or cpo; may be repeated
    #[arg(long, value_name = "CONDITION", value_parser = sale_condition)]
    condition: Vec<Condition>,
    /// Kind of unit: car, motorcycle, trailer, rv or other; may be repeated (from AAP 1.2 on)
    #[arg(long, value_name = "TYPE", value_parser = word::<VehicleType>)]
    vehicle_type: Vec<VehicleType>,
    /// Transmission; may be repeated
    #[arg(long, value_name = "TRANSMISSION")]
    transmission: Vec<String>,
    /// Fuel; may be repeated
    #[arg(long, value_name = "FUEL")]
    fuel: Vec<String>,
    /// Least electric range in miles (from AAP 1.2 on)
    #[arg(long, value_name = "MILES")]
    electric_range_mi_min: Option<u64>,
    /// Greatest electric range in miles (from AAP 1.2 on)
    #[arg(long, value_name = "MILES")]
    electric_range_mi_max: Option<u64>,
    /// Only units that take direct-current fast charging (from AAP 1.2 on)
    #[arg(long)]
    dc_fast_charge: bool,
    /// Charging connector; may be repeated (from AAP 1.2 on)
    #[arg(long, value_name = "CONNECTOR")]
    charge_port: Vec<String>,
    /// Drivetrain layout; may be repeated
    #[arg(long, value_name = "DRIVELINE")]
    driveline: Vec<String>,
    /// Body style or motorcycle segment; may be repeated
    #[arg(long, value_name = "BODY")]
    body: Vec<String>,
    /// Least displacement in cubic centimetres (from AAP 1.2 on)
    #[arg(long, value_name = "CC")]
    displacement_cc_min: Option<u64>,
    /// Greatest displacement in cubic centimetres (from AAP 1.2 on)
    #[arg(long, value_name = "CC")]
    displacement_cc_max: Option<u64>,
    /// Exterior colour; may be repeated
    #[arg(long, value_name = "COLOR")]
    exterior_color: Vec<String>,
    /// Interior colour; may be repeated
    #[arg(long, value_name = "COLOR")]
    interior_color: Vec<String>,
    /// Rooftop name; may be repeated
    #[arg(long, value_name = "NAME")]
    rooftop: Vec<String>,
    /// First model year
    #[arg(long, value_name = "YEAR")]
    year_min: Option<u16>,
    /// Last model year
    #[arg(long, value_name = "YEAR")]
    year_max: Option<u16>,
    /// Least price in whole US dollars; units without a price do not match
    #[arg(long, value_name = "USD")]
    price_min: Option<u64>,
    /// Greatest price in whole US dollars; units without a price do not match
    #[arg(long, value_name = "USD")]
    price_max: Option<u64>,
    /// Greatest odometer reading in miles
    #[arg(long, value_name = "MILES")]
    mileage_max: Option<u64>,
    /// VIN
    #[arg(long, value_name = "VIN")]
    vin: Option<String>,
    /// Stock number
    #[arg(long, value_name = "STOCK")]
    stock: Option<String>,
    /// Free text, at most 200 characters; the dealer decides what it matches
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
}

impl From<FilterFlags> for Filters {
    fn from(flags: FilterFlags) -> Self {
        Self {
            make: flags.make,
            model: flags.model,
            trim: flags.trim,
            condition: flags.condition,
            vehicle_type: flags.vehicle_type,
            transmission: flags.transmission,
            fuel: flags.fuel,
            electric_range_mi_min: flags.electric_range_mi_min,
            electric_range_mi_max: flags.electric_range_mi_max,
            dc_fast_charge: flags.dc_fast_charge.then_some(true),
            charge_port: flags.charge_port,
            driveline: flags.driveline,
            body: flags.body,
            displacement_cc_min: flags.displacement_cc_min,
            displacement_cc_max: flags.displacement_cc_max,
            exterior_color: flags.exterior_color,
            interior_color: flags.interior_color,
            rooftops: flags.rooftop,
            year_min: flags.year_min,
            year_max: flags.year_max,
            price_min: flags.price_min,
            price_max: flags.price_max,
            mileage_max: flags.mileage_max,
            vin: flags.vin.map(|vin| vin.to_ascii_uppercase()),
            stock: flags.stock,
            query: flags.query,
        }
    }
}

/// Reads `FIELD`, `FIELD:asc` or `FIELD:desc`.
pub(crate) fn sort(text: &str) -> Result<Sort, String> {
    let (field, order) = text.split_once(':').unwrap_or((text, "asc"));
    Ok(Sort {
        field: word::<SortField>(field)?,
        order: word::<SortOrder>(order)?,
    })
}

fn sale_condition(text: &str) -> Result<Condition, String> {
    let condition = word::<Condition>(text)?;
    if condition.is_sale() {
        Ok(condition)
    } else {
        Err("expected one of new, used, cpo".to_owned())
    }
}

/// Reads a value by the name that it has on the wire; the error lists the names.
pub(crate) fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::from(text)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        flags: FilterFlags,
        #[arg(long, value_parser = sort)]
        sort: Option<Sort>,
    }

    fn filters(line: &[&str]) -> serde_json::Value {
        let line = std::iter::once(&"search").chain(line);
        let flags = Line::try_parse_from(line).unwrap().flags;
        serde_json::to_value(Filters::from(flags)).unwrap()
    }

    #[test]
    fn no_flag_is_no_constraint() {
        assert_eq!(filters(&[]), json!({}));
    }

    #[test]
    fn every_filter_has_its_flag() {
        let given = filters(&[
            "--make=Honda",
            "--make=Kia",
            "--model=CR-V",
            "--trim=EX-L",
            "--condition=used",
            "--condition=cpo",
            "--vehicle-type=motorcycle",
            "--transmission=automatic",
            "--fuel=bev",
            "--electric-range-mi-min=100",
            "--electric-range-mi-max=400",
            "--dc-fast-charge",
            "--charge-port=nacs",
            "--driveline=awd",
            "--body=suv",
            "--displacement-cc-min=500",
            "--displacement-cc-max=1200",
            "--exterior-color=dark blue",
            "--interior-color=black",
            "--rooftop=North",
            "--year-min=2020",
            "--year-max=2024",
            "--price-min=1000",
            "--price-max=30000",
            "--mileage-max=60000",
            "--vin=1hgcy2f57ra000001",
            "--stock=N-1",
            "--query=heated seats",
        ]);
        let expected = json!({
            "make": ["Honda", "Kia"],
            "model": ["CR-V"],
            "trim": ["EX-L"],
            "condition": ["used", "cpo"],
            "vehicle_type": ["motorcycle"],
            "transmission": ["automatic"],
            "fuel": ["bev"],
            "electric_range_mi_min": 100,
            "electric_range_mi_max": 400,
            "dc_fast_charge": true,
            "charge_port": ["nacs"],
            "driveline": ["awd"],
            "body": ["suv"],
            "displacement_cc_min": 500,
            "displacement_cc_max": 1200,
            "exterior_color": ["dark blue"],
            "interior_color": ["black"],
            "rooftops": ["North"],
            "year_min": 2020,
            "year_max": 2024,
            "price_min": 1000,
            "price_max": 30000,
            "mileage_max": 60000,
            "vin": "1HGCY2F57RA000001",
            "stock": "N-1",
            "query": "heated seats",
        });
        assert_eq!(given, expected);
    }

    #[test]
    fn a_wear_condition_is_no_filter() {
        let error = Line::try_parse_from(["search", "--condition=good"]).unwrap_err();
        assert!(error.to_string().contains("new, used, cpo"), "{error}");
    }

    #[test]
    fn a_sort_names_field_and_order() {
        for (text, expected) in [
            ("price", json!({"field": "price", "order": "asc"})),
            ("price:asc", json!({"field": "price", "order": "asc"})),
            (
                "updated_at:desc",
                json!({"field": "updated_at", "order": "desc"}),
            ),
        ] {
            assert_eq!(serde_json::to_value(sort(text).unwrap()).unwrap(), expected);
        }
        let error = sort("color").unwrap_err();
        assert!(error.contains("mileage"), "{error}");
        assert!(sort("price:up").unwrap_err().contains("desc"));
    }
}
