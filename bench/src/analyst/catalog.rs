//! A made-up shop's catalog of any size, the same on every machine.

use std::{fs::File, io::BufWriter, path::Path};

const HEADER: [&str; 13] = [
    "id",
    "title",
    "category",
    "brand",
    "colour",
    "price",
    "compare at price",
    "cost",
    "quantity",
    "gtin",
    "condition",
    "date added",
    "link",
];
const ROOMS: [&str; 8] = [
    "Outdoor",
    "Living room",
    "Bedroom",
    "Kitchen",
    "Office",
    "Bathroom",
    "Hall",
    "Nursery",
];
const THINGS: [&str; 12] = [
    "Chair", "Table", "Bench", "Sofa", "Lamp", "Shelf", "Cabinet", "Stool", "Rug", "Mirror",
    "Desk", "Basket",
];
const SERIES: [&str; 24] = [
    "Oslo", "Bergen", "Lund", "Visby", "Turku", "Porto", "Siena", "Lucca", "Nantes", "Ghent",
    "Delft", "Arles", "Cork", "Bath", "York", "Derry", "Bruges", "Basel", "Graz", "Trier", "Mainz",
    "Ulm", "Malmö", "Évora",
];
const MATERIALS: [&str; 10] = [
    "Teak", "Oak", "Ash", "Walnut", "Steel", "Rattan", "Linen", "Velvet", "Glass", "Cane",
];
const COLOURS: [&str; 16] = [
    "black",
    "white",
    "grey",
    "natural",
    "blue",
    "green",
    "red",
    "sand",
    "brown",
    "yellow",
    "pink",
    "anthracite",
    "ivory",
    "olive",
    "navy",
    "rust",
];

/// Writes so many products, and returns the size of the file in bytes.
pub(super) fn write(path: &Path, products: u64) -> anyhow::Result<u64> {
    let mut file = csv::Writer::from_writer(BufWriter::new(File::create(path)?));
    file.write_record(HEADER)?;
    let mut random = fastrand::Rng::with_seed(11);
    for number in 0..products {
        file.write_record(cells(number, &mut random))?;
    }
    file.flush()?;
    Ok(std::fs::metadata(path)?.len())
}

fn cells(number: u64, random: &mut fastrand::Rng) -> [String; 13] {
    let thing = THINGS[random.usize(..THINGS.len())];
    let series = SERIES[random.usize(..SERIES.len())];
    let material = MATERIALS[random.usize(..MATERIALS.len())];
    let colour = COLOURS[random.usize(..COLOURS.len())];
    // Few things are dear.
    let most = [900, 2_500, 9_000, 40_000][random.usize(..4)];
    let cents = 995 + 10 * random.u64(..most);
    let compared = if random.u8(..5) == 0 {
        money(cents + cents / 5)
    } else {
        String::new()
    };
    let title = match random.u8(..4) {
        // Inches and commas, for which cells are quoted.
        0 => format!("{series} {thing}, {material}, {}\"", random.u8(10..90)),
        _ => format!("{series} {material} {thing} {}", random.u16(100..10_000)),
    };
    [
        format!("F{number:07}"),
        title,
        format!("{} > {thing}s", ROOMS[random.usize(..ROOMS.len())]),
        format!("{series} Home {}", random.u8(1..9)),
        colour.to_owned(),
        money(cents),
        compared,
        money(cents * 6 / 10),
        random.u8(..40).to_string(),
        gtin(400_638_000_000 + number),
        ["new", "new", "new", "used"][random.usize(..4)].to_owned(),
        format!("2026-{:02}-{:02}", random.u8(1..7), random.u8(1..29)),
        format!("https://shop.example/products/{number:07}"),
    ]
}

fn money(cents: u64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// Twelve digits with their check digit (GS1 General Specifications 7.9).
fn gtin(digits: u64) -> String {
    let (mut rest, mut sum, mut weight) = (digits, 0, 3);
    while rest > 0 {
        sum += rest % 10 * weight;
        weight = 4 - weight;
        rest /= 10;
    }
    format!("{digits}{}", (10 - sum % 10) % 10)
}
