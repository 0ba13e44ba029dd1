//! The demo: a made-up dealer with two rooftops and 240 vehicles of every kind that the model
//! allows, the same on every machine. Its stock comes in as feed files, through the same reader
//! as a vendor's. Beside it stands a made-up shop of outdoor furniture with a catalog.

pub mod fault;

use inventory::feed::vin::check_digit;
use serde::Deserialize;

use crate::config::{Config, ConfigError};

/// Name of the demo's catalog.
pub const CATALOG: &str = "demo-patio";
/// The catalog's file, as a shop would export it.
pub const CATALOG_FILE: &str = include_str!("patio.csv");
/// Identifier of the demo's dealer.
pub const DEALER: &str = "demo-motors";
/// Text of the demo's configuration.
pub const CONFIGURATION: &str = include_str!("demo.toml");
/// Folder within the data, in which each lead becomes a file.
pub const LEADS: &str = "leads";
/// Vehicles on both lots together.
pub const VEHICLES: usize = 240;
const CARS_ON_THE_LOT: usize = 150;
/// What stands on the lots: models with the figures that a feed would carry.
const MODELS: &str = include_str!("models.csv");

/// A model and the range within which its units vary. Figures stay text: they go into a feed.
#[derive(Deserialize)]
struct Model {
    vehicle_type: String,
    make: String,
    model: String,
    /// Separated by `|`.
    trims: String,
    body: String,
    driveline: String,
    transmission: String,
    engine: String,
    displacement_cc: String,
    fuel: String,
    city_mpg: String,
    highway_mpg: String,
    electric_range_mi: String,
    battery_kwh: String,
    motor_power_hp: String,
    dc_fast_charge: String,
    charge_port: String,
    /// Sticker of a new unit in whole US dollars.
    sticker: usize,
    features: String,
}

/// The demo's configuration.
///
/// # Errors
/// None in a build whose tests pass.
pub fn config() -> Result<Config, ConfigError> {
    let mut config = Config::parse(CONFIGURATION, std::path::Path::new("demo.toml"))?;
    config.analyst.open = true;
    Ok(config)
}

/// The feed files: name of the feed and its bytes, as a vendor would export them.
///
/// # Errors
/// None in a build whose tests pass: the files are written to memory.
pub fn feeds() -> Result<[(&'static str, Vec<u8>); 2], csv::Error> {
    let models: Vec<Model> = csv::Reader::from_reader(MODELS.as_bytes())
        .into_deserialize()
        .collect::<Result<_, _>>()?;
    let (cars, others): (Vec<Model>, Vec<Model>) = models
        .into_iter()
        .partition(|model| model.vehicle_type == "car");
    Ok([
        ("springfield", feed("DEMO-1", &cars, 0..CARS_ON_THE_LOT)?),
        (
            "lakeside",
            feed("DEMO-2", &others, CARS_ON_THE_LOT..VEHICLES)?,
        ),
    ])
}

const HEADER: [&str; 37] = [
    "DealerID",
    "Stock",
    "VIN",
    "Vehicle_ID",
    "Vehicle_Type",
    "Condition",
    "Status",
    "Year",
    "Make",
    "Model",
    "Trim",
    "Body",
    "Drivetrain",
    "Transmission",
    "Engine",
    "Displacement_CC",
    "Fuel_Type",
    "City_MPG",
    "Highway_MPG",
    "Electric_Range_MI",
    "Battery_KWH",
    "Motor_Power_HP",
    "DC_Fast_Charge",
    "Charge_Port",
    "Exterior_Color",
    "Interior_Color",
    "Odometer",
    "Internet_Price",
    "MSRP",
    "Invoice",
    "Features",
    "Photos",
    "VDP_URL",
    "Description",
    "Notes",
    "Doors",
    "Inventory_Date",
];

const EXTERIOR: [&str; 8] = [
    "Crystal Black Pearl",
    "Platinum White Pearl",
    "Magnetic Gray",
    "Classic Red",
    "Racing Blue",
    "Forest Green Metallic",
    "Lunar Silver Metallic",
    "Sunset Orange",
];
const INTERIOR: [&str; 4] = ["Black Leather", "Gray Cloth", "Tan Leather", "Black Cloth"];

fn feed(
    dealer: &str,
    models: &[Model],
    numbers: std::ops::Range<usize>,
) -> Result<Vec<u8>, csv::Error> {
    let mut file = csv::Writer::from_writer(Vec::new());
    file.write_record(HEADER)?;
    for number in numbers {
        file.write_record(row(dealer, &models[number % models.len()], number))?;
    }
    file.into_inner()
        .map_err(|error| csv::Error::from(std::io::Error::other(error.to_string())))
}

/// One unit. Everything follows from its number, so that the demo is the same everywhere.
fn row(dealer: &str, model: &Model, number: usize) -> [String; 37] {
    let spread = Spread(number as u64);
    let condition = ["new", "used", "used", "cpo"][spread.of(1, 4)];
    let new = condition == "new";
    let age = if new { 0 } else { 1 + spread.of(2, 6) };
    let year = 2026 - age;
    let stock = format!("D{:04}", 1000 + number);
    // A unit on its way has a number of the dealer's own, and neither VIN nor stock number.
    let unnumbered = number % 60 == 59;
    let without_vin = unnumbered || model.vehicle_type == "trailer" || number % 40 == 17;
    let status = if unnumbered {
        "intransit"
    } else {
        match spread.of(3, 10) {
            0 => "intransit",
            1 => "pending",
            _ => "available",
        }
    };
    let odometer = if new {
        spread.of(4, 40)
    } else {
        age * 9_000 + spread.of(5, 6_000)
    };
    let worth = model.sticker * (100 - 9 * age) / 100;
    let on_request = number % 25 == 13;
    let price = worth + 345 - spread.of(6, 9) * 100;
    let cell = |text: &str| text.to_owned();
    let trims: Vec<&str> = model.trims.split('|').collect();
    let trim = trims[spread.of(7, trims.len())];
    let photo = |index: usize| format!("https://photos.demo-motors.example/{stock}/{index}.jpg");
    let car = model.vehicle_type == "car";
    [
        cell(dealer),
        if unnumbered {
            String::new()
        } else {
            stock.clone()
        },
        if without_vin {
            String::new()
        } else {
            vin(model, year, number)
        },
        if unnumbered {
            format!("demo-transit-{number}")
        } else {
            String::new()
        },
        cell(&model.vehicle_type),
        cell(condition),
        cell(status),
        year.to_string(),
        cell(&model.make),
        cell(&model.model),
        cell(trim),
        cell(&model.body),
        cell(&model.driveline),
        if car && number % 11 == 5 && model.charge_port.is_empty() {
            cell("manual")
        } else {
            cell(&model.transmission)
        },
        cell(&model.engine),
        cell(&model.displacement_cc),
        cell(&model.fuel),
        cell(&model.city_mpg),
        cell(&model.highway_mpg),
        cell(&model.electric_range_mi),
        cell(&model.battery_kwh),
        cell(&model.motor_power_hp),
        cell(&model.dc_fast_charge),
        cell(&model.charge_port),
        cell(EXTERIOR[spread.of(8, EXTERIOR.len())]),
        if car {
            cell(INTERIOR[spread.of(9, INTERIOR.len())])
        } else {
            String::new()
        },
        odometer.to_string(),
        if on_request {
            cell("Call")
        } else {
            format!("${price}")
        },
        format!("${}", model.sticker),
        format!("${}", model.sticker * 93 / 100),
        cell(&model.features),
        format!("{}|{}", photo(1), photo(2)),
        format!("https://www.demo-motors.example/stock/{stock}"),
        format!(
            "{year} {} {} {trim}, {odometer} miles. A made-up vehicle of the demo.",
            model.make, model.model
        ),
        if new {
            String::new()
        } else {
            cell("Inspected and reconditioned.")
        },
        if car { cell("4") } else { String::new() },
        // Before any clock under which the demo runs.
        format!(
            "2025-{:02}-{:02}",
            7 + spread.of(10, 6),
            1 + spread.of(11, 28)
        ),
    ]
}

/// Numbers that look scattered and are the same on every machine.
struct Spread(u64);

impl Spread {
    /// A number below `bound`, for the given purpose.
    fn of(&self, purpose: u64, bound: usize) -> usize {
        // Multiplicative hashing by the golden ratio; the high bits are the mixed ones.
        let mixed = (self.0 + 1)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .wrapping_add(purpose.wrapping_mul(0xD1B5_4A32_D192_ED03));
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((mixed >> 33) % bound as u64) as usize
    }
}

/// A VIN with a right check digit and model year, of no real vehicle.
fn vin(model: &Model, year: usize, number: usize) -> String {
    const YEARS: &[u8] = b"LMNPRST";
    let letter = |text: &str| {
        text.bytes()
            .map(|byte| byte.to_ascii_uppercase())
            .find(|byte| byte.is_ascii_uppercase() && !b"IOQ".contains(byte))
            .unwrap_or(b'X') as char
    };
    // Position 7 is a letter: model years from 2010 on.
    let year = YEARS[year.saturating_sub(2020) % YEARS.len()] as char;
    let without = format!(
        "1D{}{}DMZ{}0{year}D{number:06}",
        letter(&model.make),
        letter(&model.model),
        number % 10,
    );
    match check_digit(&without) {
        Some(digit) => format!("{}{digit}{}", &without[..8], &without[9..]),
        None => without,
    }
}

#[cfg(test)]
mod tests;
