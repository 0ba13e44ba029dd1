//! A made-up stock of any size, the same on every machine, as vehicles and as a vendor's file.

mod names;

use aap::vehicle::{Condition, Status, Vehicle};
use names::{BODY_FUEL_DRIVELINE, EXTERIOR, FEATURES, INTERIOR, MODELS, SENTENCES, TRIMS};

/// The configuration of the dealer whose stock this is.
pub(crate) const CONFIGURATION: &str = include_str!("stock/forecourt.toml");
/// Names of its rooftops; a feed calls the first `B-0`, the next `B-1`, and so on.
const ROOFTOPS: [&str; 6] = [
    "Bench North",
    "Bench South",
    "Bench East",
    "Bench West",
    "Bench Lakeside",
    "Bench Airport",
];
const HEADER: [&str; 24] = [
    "DealerID",
    "Stock",
    "VIN",
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
    "Fuel_Type",
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
];
const TRANSMISSIONS: [&str; 5] = [
    "Automatic",
    "CVT",
    "8-Speed Automatic",
    "Manual",
    "10-Speed Automatic",
];

/// The names of the dealer's rooftops, in the order of the configuration.
pub(crate) fn rooftops() -> Vec<String> {
    ROOFTOPS.map(str::to_owned).into()
}

/// A stock of numbered units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lot {
    units: u32,
}

impl Lot {
    pub(crate) fn new(units: u32) -> Self {
        Self { units }
    }

    pub(crate) fn units(self) -> impl Iterator<Item = Unit> {
        (0..self.units).map(Unit::new)
    }

    pub(crate) fn unit(self, number: u32) -> Unit {
        Unit::new(number)
    }

    /// The stock as a vendor exports it.
    pub(crate) fn feed(self) -> Result<Vec<u8>, csv::Error> {
        self.columns(0)
    }

    /// The same as of a dealer of one rooftop: without the column that names it.
    pub(crate) fn feed_of_one_rooftop(self) -> Result<Vec<u8>, csv::Error> {
        self.columns(1)
    }

    fn columns(self, from: usize) -> Result<Vec<u8>, csv::Error> {
        let mut file = csv::Writer::from_writer(Vec::new());
        file.write_record(&HEADER[from..])?;
        for unit in self.units() {
            file.write_record(&unit.cells()[from..])?;
        }
        file.into_inner()
            .map_err(|error| csv::Error::from(std::io::Error::other(error.to_string())))
    }
}

/// One unit, everything of which follows from its number.
#[derive(Debug)]
pub(crate) struct Unit {
    number: u32,
    rooftop: usize,
    make: &'static str,
    model: &'static str,
    trim: &'static str,
    body: &'static str,
    fuel: &'static str,
    driveline: &'static str,
    transmission: &'static str,
    exterior: &'static str,
    interior: &'static str,
    condition: Condition,
    status: Status,
    year: u16,
    mileage: u64,
    msrp: u64,
    price: u64,
    features: Vec<&'static str>,
    /// Where its text begins in the list of sentences.
    sentence: usize,
}

impl Unit {
    fn new(number: u32) -> Self {
        let mut random = fastrand::Rng::with_seed(u64::from(number) + 1);
        // The lesser of two numbers: some makes, trims and colours are common, others rare.
        let mut skewed = |below: usize| random.usize(..below).min(random.usize(..below));
        let (make, models) = MODELS[skewed(MODELS.len())];
        let place = skewed(models.len());
        let (body, fuel, driveline) = BODY_FUEL_DRIVELINE[skewed(BODY_FUEL_DRIVELINE.len())];
        let trim = TRIMS[skewed(TRIMS.len())];
        let (exterior, interior) = (
            EXTERIOR[skewed(EXTERIOR.len())],
            INTERIOR[skewed(INTERIOR.len())],
        );
        let transmission = TRANSMISSIONS[skewed(TRANSMISSIONS.len())];
        let condition = [Condition::Used, Condition::New, Condition::Cpo][skewed(3)];
        let age = match condition {
            Condition::New => 0,
            _ => 1 + skewed(14) as u16,
        };
        let status = [
            Status::Available,
            Status::Available,
            Status::Intransit,
            Status::Pending,
        ][skewed(4)];
        let msrp = 18_000 + random.u64(..60_000);
        let mileage = match age {
            0 => random.u64(..60),
            age => u64::from(age) * 9_000 + random.u64(..12_000),
        };
        let first = random.usize(..FEATURES.len());
        Self {
            number,
            rooftop: random.usize(..ROOFTOPS.len()),
            make,
            model: models[place],
            trim,
            body,
            fuel,
            driveline,
            transmission,
            exterior,
            interior,
            condition,
            status,
            year: 2026 - age,
            mileage,
            msrp,
            price: msrp * (20 - u64::from(age)) / 20 + random.u64(..500),
            features: (0..6)
                .map(|next| FEATURES[(first + 5 * next) % FEATURES.len()])
                .collect(),
            sentence: random.usize(..SENTENCES.len()),
        }
    }

    /// 17 letters and digits that are no real vehicle's.
    pub(crate) fn vin(&self) -> String {
        let make = self.make.bytes().map(|byte| byte.to_ascii_uppercase());
        let letter = make
            .clone()
            .find(|byte| byte.is_ascii_uppercase() && !b"IOQ".contains(byte));
        let without = format!(
            "1B{}BENCH0T{:07}",
            char::from(letter.unwrap_or(b'X')),
            self.number
        );
        match inventory::feed::vin::check_digit(&without) {
            Some(digit) => format!("{}{digit}{}", &without[..8], &without[9..]),
            None => without,
        }
    }

    /// The vehicle, without the long texts that nothing but free text looks at.
    pub(crate) fn vehicle(&self) -> Vehicle {
        let text = |text: &str| Some(text.to_owned());
        // Units of one arrival share their time; there are some hundred arrivals.
        let (hour, day) = (self.number % 24, 1 + self.number / 24 % 28);
        Vehicle {
            dealer_id: text("bench"),
            vin: Some(self.vin()),
            stock: Some(self.stock()),
            rooftop: text(ROOFTOPS[self.rooftop]),
            year: Some(self.year),
            make: text(self.make),
            model: text(self.model),
            trim: text(self.trim),
            condition: Some(self.condition),
            status: Some(self.status),
            price: Some(self.price),
            msrp: Some(self.msrp),
            mileage: Some(self.mileage),
            body: text(self.body),
            transmission: text(self.transmission),
            driveline: text(self.driveline),
            fuel: text(self.fuel),
            exterior_color: text(self.exterior),
            interior_color: text(self.interior),
            updated_at: Some(format!("2026-04-{day:02}T{hour:02}:00:00Z")),
            ..Vehicle::default()
        }
    }

    fn stock(&self) -> String {
        format!("B{:06}", self.number)
    }

    fn cells(&self) -> [String; 24] {
        let stock = self.stock();
        let photos: Vec<String> = (1..=10)
            .map(|photo| format!("https://photos.bench-motors.example/{stock}/{photo:02}.jpg"))
            .collect();
        [
            format!("B-{}", self.rooftop),
            stock.clone(),
            self.vin(),
            self.condition.as_str().to_owned(),
            self.status.as_str().to_owned(),
            self.year.to_string(),
            self.make.to_owned(),
            self.model.to_owned(),
            self.trim.to_owned(),
            self.body.to_owned(),
            self.driveline.to_owned(),
            self.transmission.to_owned(),
            "2.0L 4-Cylinder Turbo".to_owned(),
            self.fuel.to_owned(),
            self.exterior.to_owned(),
            self.interior.to_owned(),
            self.mileage.to_string(),
            format!("${}", self.price),
            format!("${}", self.msrp),
            format!("${}", self.msrp * 93 / 100),
            self.features.join("|"),
            photos.join("|"),
            format!("https://www.bench-motors.example/stock/{stock}"),
            self.description(),
        ]
    }

    fn description(&self) -> String {
        let mut text = format!(
            "This {} {} {} \"{}\" in {} has {} miles.",
            self.year, self.make, self.model, self.trim, self.exterior, self.mileage
        );
        for next in 0..5 {
            text.push(' ');
            text.push_str(SENTENCES[(self.sentence + next) % SENTENCES.len()]);
        }
        text
    }
}

/// The vehicle with every text of one length and without a word: a text of signs alone is a value
/// like another to every column, and the word index has nothing to hold of it.
pub(crate) fn without_words(vehicle: Vehicle) -> Vehicle {
    let signs = |text: Option<String>| text.map(|text| text.chars().map(sign).collect());
    Vehicle {
        stock: signs(vehicle.stock),
        make: signs(vehicle.make),
        model: signs(vehicle.model),
        trim: signs(vehicle.trim),
        body: signs(vehicle.body),
        exterior_color: signs(vehicle.exterior_color),
        interior_color: signs(vehicle.interior_color),
        ..vehicle
    }
}

/// A sign for each letter and digit; the ten digits have ten signs, so that numbers stay distinct.
fn sign(character: char) -> char {
    const SIGNS: &[u8] = b"!#$%&'()*+,-./:;<=>?@[]^_`{|}~";
    if character.is_ascii_alphanumeric() {
        let place = character.to_ascii_lowercase() as usize;
        SIGNS[place % SIGNS.len()].into()
    } else {
        character
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_stock_is_the_same_whenever_it_is_made_and_no_unit_is_another() {
        let lot = Lot::new(300);
        assert_eq!(lot.feed().unwrap(), lot.feed().unwrap());
        let vins: HashSet<String> = lot.units().map(|unit| unit.vin()).collect();
        assert_eq!(vins.len(), 300);
        assert!(vins.iter().all(|vin| aap::vehicle::is_vin(vin)), "{vins:?}");
    }

    #[test]
    fn without_words_values_stay_as_long_and_as_distinct() {
        let (mut with, mut without) = (HashSet::new(), HashSet::new());
        for unit in Lot::new(3_000).units() {
            let vehicle = unit.vehicle();
            let signs = without_words(vehicle.clone());
            let text = |it: &Vehicle| {
                [
                    &it.stock,
                    &it.make,
                    &it.model,
                    &it.trim,
                    &it.body,
                    &it.exterior_color,
                ]
                .map(Clone::clone)
            };
            assert_eq!(
                serde_json::to_string(&vehicle).unwrap().len(),
                serde_json::to_string(&signs).unwrap().len()
            );
            with.extend(text(&vehicle));
            without.extend(text(&signs));
        }
        assert_eq!(with.len(), without.len());
        assert!(
            without
                .iter()
                .flatten()
                .all(|text| !text.contains(char::is_alphanumeric))
        );
    }
}
