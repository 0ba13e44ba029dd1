//! Words with a fixed meaning: condition, status, kind of unit, fuel, yes and no.

use aap::vehicle::{Condition, Status, VehicleType};

/// What a condition cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::feed) enum ConditionWord {
    /// A condition.
    Condition(Condition),
    /// Driven by the dealer, or lent out: not new.
    Demonstrator,
    /// Something else.
    Other,
}

/// Reads `New`, `N`, `Used`, `U`, `Pre-Owned`, `CPO`, `Certified Pre-Owned`, `Used - Certified`,
/// `Demo`, and the addresses by which schema.org names conditions.
pub(in crate::feed) fn condition(cell: &str) -> ConditionWord {
    let letters = letters(cell);
    let word = letters
        .rsplit_once("schemaorg")
        .map_or(letters.as_str(), |(_, name)| name);
    let condition = match word {
        "new" | "n" | "newcondition" | "brandnew" | "newvehicle" | "newcar" => Condition::New,
        "used" | "u" | "preowned" | "usedcondition" | "secondhand" | "usedvehicle" | "usedcar"
        | "preownedvehicle" => Condition::Used,
        "cpo" | "c" | "usedcpo" | "cpoused" => Condition::Cpo,
        _ if says_certified(word) => Condition::Cpo,
        _ if ["demo", "loaner", "courtesy"]
            .iter()
            .any(|kind| word.contains(kind)) =>
        {
            return ConditionWord::Demonstrator;
        }
        _ => return ConditionWord::Other,
    };
    ConditionWord::Condition(condition)
}

/// True for `Certified Pre-Owned` and `Used - Certified`, not for `Not Certified`, `Pre-Certified`
/// or `Certified: No`.
fn says_certified(letters: &str) -> bool {
    [
        "certified",
        "usedcertified",
        "preownedcertified",
        "manufacturercertified",
        "factorycertified",
        "dealercertified",
    ]
    .iter()
    .filter_map(|start| letters.strip_prefix(start))
    .any(|rest| !matches!(rest, "no" | "n" | "false" | "0"))
}

/// What a status cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::feed) enum StatusWord {
    /// On the lot or on its way.
    Listed(Status),
    /// Sold, or otherwise gone.
    Gone,
    /// Something else.
    Other,
}

/// Reads `Available`, `In Stock`, `In-Transit`, `Sale Pending`, `Sold` and their like.
pub(in crate::feed) fn status(cell: &str) -> StatusWord {
    match letters(cell).as_str() {
        "available"
        | "instock"
        | "active"
        | "live"
        | "onlot"
        | "onground"
        | "inventory"
        | "forsale"
        | "ready"
        | "a"
        | "instoreonly"
        | "onlineonly"
        | "limitedavailability" => StatusWord::Listed(Status::Available),
        "intransit" | "transit" | "inbound" | "onorder" | "allocated" | "arrivingsoon"
        | "comingsoon" | "inproduction" => StatusWord::Listed(Status::Intransit),
        "pending" | "salepending" | "dealpending" | "pendingsale" | "onhold" | "hold"
        | "reserved" | "deposit" | "deposittaken" => StatusWord::Listed(Status::Pending),
        "sold" | "delivered" | "retailed" | "wholesaled" | "deleted" | "removed" | "inactive"
        | "unavailable" | "notavailable" | "outofstock" | "soldout" | "discontinued" | "offlot"
        | "gone" | "s" => StatusWord::Gone,
        _ => StatusWord::Other,
    }
}

/// What kind of unit words name, such as a body, a category or a type. Words for several kinds
/// (`Trucks & Trailers`) name none.
pub(in crate::feed) fn vehicle_type(cell: &str) -> Option<VehicleType> {
    let mut kinds = cell.split(['&', '/', ',']).filter_map(one_vehicle_type);
    let first = kinds.next()?;
    kinds.all(|kind| kind == first).then_some(first)
}

fn one_vehicle_type(cell: &str) -> Option<VehicleType> {
    const CAR: [&str; 12] = [
        "car",
        "truck",
        "suv",
        "van",
        "sedan",
        "coupe",
        "hatchback",
        "wagon",
        "convertible",
        "pickup",
        "minivan",
        "crossover",
    ];
    let words = spaced_words(cell);
    let names = |kinds: &[&str]| kinds.iter().any(|kind| words.contains(kind));
    if names(&[
        " motorcycle ",
        " motorcycles ",
        " motorbike ",
        " scooter ",
        " scooters ",
        " moped ",
        " mopeds ",
        " trike ",
        " trikes ",
        " dirt bike ",
        " dirt bikes ",
    ]) {
        Some(VehicleType::Motorcycle)
    } else if names(&[
        " rv ",
        " rvs ",
        " campers ",
        " motorhome ",
        " motor home ",
        " motor coach ",
        " motorcoach ",
        " travel trailer ",
        " fifth wheel ",
        " 5th wheel ",
        " camper ",
        " campervan ",
        " camper van ",
        " toy hauler ",
        " recreational vehicle ",
    ]) {
        Some(VehicleType::Rv)
    } else if names(&[" trailer ", " trailers "]) {
        Some(VehicleType::Trailer)
    } else if names(&[
        " atv ",
        " atvs ",
        " utv ",
        " utvs ",
        " pwc ",
        " go kart ",
        " go karts ",
        " aircraft ",
        " equipment ",
        " side by side ",
        " boat ",
        " snowmobile ",
        " watercraft ",
        " golf cart ",
    ]) {
        Some(VehicleType::Other)
    } else if CAR.iter().any(|kind| {
        words
            .split(' ')
            .any(|word| word.strip_suffix('s').unwrap_or(word) == *kind)
    }) {
        Some(VehicleType::Car)
    } else {
        None
    }
}

/// Fuel in AAP's words where it has one, else as given.
pub(in crate::feed) fn fuel(cell: &str) -> String {
    let words = spaced_words(cell);
    let has = |word: &str| words.contains(word);
    if has(" plug ") || has(" phev ") {
        return "phev".to_owned();
    }
    if has(" hybrid ") || has(" hev ") || (has(" gas ") || has(" gasoline ")) && has(" electric ") {
        return "hybrid".to_owned();
    }
    match words.trim() {
        "gas" | "gasoline" | "gasoline fuel" | "petrol" | "unleaded" | "regular unleaded"
        | "premium unleaded" => "gas".to_owned(),
        "electric"
        | "electric fuel system"
        | "battery electric"
        | "bev"
        | "ev"
        | "all electric"
        | "fully electric" => "bev".to_owned(),
        "diesel" | "diesel fuel" => "diesel".to_owned(),
        _ => super::text::phrase(cell),
    }
}

/// Charging connector in AAP's words where it has one, else as given.
pub(in crate::feed) fn charge_port(cell: &str) -> String {
    let letters = letters(cell);
    ["nacs", "ccs", "chademo", "j1772"]
        .into_iter()
        .find(|port| letters.contains(port))
        .map_or_else(|| super::text::phrase(cell), str::to_owned)
}

/// Reads `True`, `Yes`, `Y`, `1`, `X` and their opposites.
pub(in crate::feed) fn flag(cell: &str) -> Option<bool> {
    match letters(cell).as_str() {
        "true" | "yes" | "y" | "1" | "t" | "x" => Some(true),
        "false" | "no" | "n" | "0" | "f" => Some(false),
        _ => None,
    }
}

/// Reads a certified column: yes or no, `C`, `CPO`, or the name of a programme.
pub(in crate::feed) fn certified(cell: &str) -> Option<bool> {
    let letters = letters(cell);
    match letters.as_str() {
        "c" | "cpo" => Some(true),
        "notcertified" | "noncertified" | "uncertified" => Some(false),
        _ if letters.contains("certified") => Some(true),
        _ => flag(cell),
    }
}

/// True for bodies that only light vehicles have, whose VINs tell their decade (49 CFR 565.15).
pub(in crate::feed) fn is_passenger_car_body(body: &str) -> bool {
    let words = spaced_words(body);
    [
        " sedan ",
        " coupe ",
        " hatchback ",
        " convertible ",
        " wagon ",
        " suv ",
        " minivan ",
        " sport utility ",
    ]
    .iter()
    .any(|word| words.contains(word))
}

/// Letters and digits in lower case.
fn letters(cell: &str) -> String {
    cell.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Words in lower case, one blank before, between and after them.
fn spaced_words(cell: &str) -> String {
    let mut words = String::with_capacity(cell.len() + 2);
    words.push(' ');
    for word in cell
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        words.extend(word.chars().flat_map(char::to_lowercase));
        words.push(' ');
    }
    words
}
