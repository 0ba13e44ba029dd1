//! Vehicles of schema.org, from JSON-LD and microdata.
//!
//! Vocabulary: schema.org `Vehicle` and its subtypes, with `Offer` and `QuantitativeValue`. Each
//! property becomes a column of its own name, with what publishers put around the value taken away.

use std::collections::HashMap;

use html_escape::decode_html_entities;
use serde_json::{Map, Value};

use super::aliases;
use super::names::Names;
use super::records::Records;
use super::report::Layout;
use super::source::Document;

/// Reads every vehicle in the documents; `None` when there is none.
pub(super) fn read<'o>(documents: &[Value], names: Names<'o>) -> Option<Document<'o>> {
    let graph = Graph::new(documents);
    let mut records = Records::new(names);
    graph.each_vehicle(&mut |unit| {
        records.begin_next();
        graph.push(&unit, &mut records);
    });
    (!records.is_empty()).then_some(Document {
        records,
        layout: Some(Layout::SchemaOrg),
        findings: Vec::new(),
    })
}

/// True when a vehicle is somewhere in a document.
pub(super) fn holds_vehicle(document: &Value) -> bool {
    let mut found = false;
    Graph::new(std::slice::from_ref(document)).each_vehicle(&mut |_| found = true);
    found
}

/// The identifiers of the vehicles in the documents: of each the VIN, else the stock number, else
/// its address.
pub(super) fn identifiers(documents: &[Value]) -> Vec<String> {
    let graph = Graph::new(documents);
    let mut identifiers = Vec::new();
    graph.each_vehicle(&mut |unit| {
        let own = [VIN, "sku", "url"]
            .iter()
            .find_map(|name| graph.first_text(unit.vehicle, name));
        identifiers.extend(own.map(|text| text.to_lowercase()));
    });
    identifiers
}

const VIN: &str = "vehicleIdentificationNumber";

type Object = Map<String, Value>;

/// The documents of a file, with the objects that others refer to by `@id`.
struct Graph<'v> {
    documents: &'v [Value],
    by_id: HashMap<&'v str, &'v Object>,
    /// Offers by the `@id` of what they offer.
    offers: HashMap<&'v str, &'v Object>,
}

/// A vehicle, and the offer around it where it stands in one.
#[derive(Clone, Copy)]
struct Unit<'v> {
    vehicle: &'v Object,
    offer: Option<&'v Object>,
}

impl<'v> Graph<'v> {
    fn new(documents: &'v [Value]) -> Self {
        let mut graph = Self {
            documents,
            by_id: HashMap::new(),
            offers: HashMap::new(),
        };
        let mut inner: Vec<&Value> = documents.iter().collect();
        while let Some(value) = inner.pop() {
            match value {
                Value::Array(items) => inner.extend(items),
                Value::Object(object) => {
                    if let Some(id) = id(object).filter(|_| object.len() > 1) {
                        graph.by_id.entry(id).or_insert(object);
                    }
                    if let Some(id) = object.get("itemOffered").and_then(reference) {
                        graph.offers.entry(id).or_insert(object);
                    }
                    inner.extend(object.values());
                }
                _ => {}
            }
        }
        graph
    }

    /// Calls for each vehicle, in the order of the documents.
    fn each_vehicle(&self, call: &mut impl FnMut(Unit<'v>)) {
        let mut inner: Vec<&Value> = self.documents.iter().rev().collect();
        while let Some(value) = inner.pop() {
            match value {
                Value::Array(items) => inner.extend(items.iter().rev()),
                Value::Object(object) if is_vehicle(object) => call(Unit {
                    vehicle: object,
                    offer: None,
                }),
                Value::Object(object) => {
                    let offered = object.get("itemOffered").and_then(Value::as_object);
                    let offered = offered.filter(|offered| is_vehicle(offered));
                    if let Some(vehicle) = offered {
                        call(Unit {
                            vehicle,
                            offer: Some(object),
                        });
                    }
                    let members = object
                        .iter()
                        .filter(|(name, _)| offered.is_none() || *name != "itemOffered");
                    let before = inner.len();
                    inner.extend(members.map(|(_, value)| value));
                    inner[before..].reverse();
                }
                _ => {}
            }
        }
    }

    /// The values of a property, whether it has one or a list of them.
    fn values(&self, object: &'v Object, name: &str) -> Vec<&'v Value> {
        match object.get(name) {
            None => Vec::new(),
            Some(Value::Array(items)) => items.iter().collect(),
            Some(value) => vec![value],
        }
    }

    /// The objects among the values of a property, references followed.
    fn objects(&self, object: &'v Object, name: &str) -> Vec<&'v Object> {
        let follow = |value: &'v Value| {
            let referred = reference(value).and_then(|id| self.by_id.get(id).copied());
            referred.or_else(|| value.as_object())
        };
        self.values(object, name)
            .into_iter()
            .filter_map(follow)
            .collect()
    }

    /// The values of a property as texts: strings and numbers, and of an object what it is called,
    /// or what it counts with its unit.
    fn texts(&self, object: &'v Object, name: &str) -> Vec<String> {
        let objects = self.objects(object, name);
        let mut objects = objects.into_iter();
        self.values(object, name)
            .into_iter()
            .filter_map(|value| match value {
                Value::Object(_) => objects.next().and_then(|object| self.text_of(object)),
                value => scalar(value),
            })
            .collect()
    }

    fn first_text(&self, object: &'v Object, name: &str) -> Option<String> {
        self.texts(object, name).into_iter().next()
    }

    fn text_of(&self, object: &'v Object) -> Option<String> {
        let member = |names: &[&str]| names.iter().find_map(|name| scalar(object.get(*name)?));
        if let Some(value) = member(&["value", "minValue", "@value"]) {
            let unit = member(&["unitCode", "unitText"]).map(|unit| unit_in_words(&unit));
            return Some(unit.map_or(value.clone(), |unit| format!("{value} {unit}")));
        }
        member(&["contentUrl", "url", "name"])
            .filter(|_| is_image(object))
            .or_else(|| member(&["name", "url"]))
    }

    /// Adds the properties of a vehicle to the record that was begun for it.
    fn push(&self, unit: &Unit<'v>, records: &mut Records<'_>) {
        let vehicle = unit.vehicle;
        for name in TEXTS {
            for text in self.texts(vehicle, name) {
                records.push_named(name, schema_word(&text));
            }
        }
        let mut first = |header: &str, value: Option<String>| {
            if let Some(value) = value {
                records.push_named(header, &value);
            }
        };
        first(
            "brand",
            self.first_text(vehicle, "brand")
                .or_else(|| self.first_text(vehicle, "manufacturer")),
        );
        let year = ["vehicleModelDate", "modelDate", "productionDate"]
            .iter()
            .find_map(|name| self.first_text(vehicle, name));
        first("vehicleModelDate", year.map(|date| year_of(&date)));
        first("vehicleType", kind(vehicle).map(str::to_owned));
        first(
            "driveWheelConfiguration",
            self.first_text(vehicle, "driveWheelConfiguration")
                .map(|drive| drive_in_words(&drive)),
        );
        self.push_engine(vehicle, records);
        self.push_offer(unit, records);
        for property in self.objects(vehicle, "additionalProperty") {
            let text = |name| scalar(property.get(name)?);
            if let (Some(name), Some(value)) = (text("name"), text("value")) {
                records.push_named(&name, &value);
            }
        }
    }

    fn push_engine(&self, vehicle: &'v Object, records: &mut Records<'_>) {
        let engines = self.objects(vehicle, "vehicleEngine");
        let engine = engines.first().copied();
        let of_engine = |name| engine.and_then(|engine| self.first_text(engine, name));
        let named = match engine {
            Some(_) => of_engine("name").or_else(|| of_engine("engineType")),
            None => self.first_text(vehicle, "vehicleEngine"),
        };
        let fuel = self
            .first_text(vehicle, "fuelType")
            .or_else(|| of_engine("fuelType"));
        for (header, value) in [
            ("vehicleEngine", named),
            ("engineDisplacement", of_engine("engineDisplacement")),
            ("fuelType", fuel),
        ] {
            if let Some(value) = value {
                records.push_named(header, schema_word(&value));
            }
        }
    }

    /// The first offer that states a price, else the first: what it costs, and whether it is there.
    fn push_offer(&self, unit: &Unit<'v>, records: &mut Records<'_>) {
        let mut offers = self.objects(unit.vehicle, "offers");
        offers.extend(unit.offer);
        offers.extend(id(unit.vehicle).and_then(|id| self.offers.get(id)));
        let prices: Vec<Option<String>> = offers.iter().map(|offer| self.price(offer)).collect();
        let place = prices.iter().position(Option::is_some).unwrap_or(0);
        let price = prices.into_iter().nth(place).flatten();
        let offer = offers.get(place).copied();
        let of_offer = |name| {
            let text = offer.and_then(|offer| self.first_text(offer, name))?;
            Some(schema_word(&text).to_owned())
        };
        let of_either = |name| {
            self.first_text(unit.vehicle, name)
                .or_else(|| of_offer(name))
        };
        let url = of_either("url")
            .or_else(|| scalar(unit.vehicle.get("@id")?).filter(|id| id.starts_with("http")));
        let seller = offer
            .map(|offer| self.texts(offer, "seller"))
            .unwrap_or_default();
        for (header, value) in [
            ("price", price),
            ("availability", of_offer("availability")),
            ("itemCondition", of_either("itemCondition")),
            ("sku", of_either("sku")),
            ("url", url),
            ("seller", seller.into_iter().next()),
        ] {
            if let Some(value) = value {
                records.push_named(header, &value);
            }
        }
    }

    /// The price of an offer with its currency. What the dealer pays (schema.org `InvoicePrice`) is none.
    fn price(&self, offer: &'v Object) -> Option<String> {
        let specifications = self.objects(offer, "priceSpecification");
        // An offer has the name of its vehicle, and a vehicle may be called a Reserve.
        let is_named_cost = |holder| self.is_cost(holder, "name");
        let holder = std::iter::once(offer)
            .chain(specifications.into_iter().filter(|it| !is_named_cost(*it)))
            .find(|holder| holder.contains_key("price") && !self.is_cost(holder, "priceType"))?;
        let price = self.first_text(holder, "price")?;
        let currency = self
            .first_text(holder, "priceCurrency")
            .or_else(|| self.first_text(offer, "priceCurrency"))
            .filter(|currency| !currency.eq_ignore_ascii_case("USD"));
        Some(currency.map_or(price.clone(), |currency| format!("{price} {currency}")))
    }

    /// True for an object that is a cost by one of its properties.
    fn is_cost(&self, object: &'v Object, property: &str) -> bool {
        self.texts(object, property)
            .iter()
            .any(|text| aliases::is_never_published(&aliases::normalized(schema_word(text))))
    }
}

/// Properties that are read as they stand.
const TEXTS: [&str; 16] = [
    VIN,
    "name",
    "model",
    "vehicleConfiguration",
    "bodyType",
    "mileageFromOdometer",
    "color",
    "vehicleInteriorColor",
    "vehicleTransmission",
    "numberOfDoors",
    "vehicleSeatingCapacity",
    "stockNumber",
    "description",
    "image",
    "photo",
    "productID",
];

fn id(object: &Object) -> Option<&str> {
    object.get("@id")?.as_str()
}

/// The `@id` of an object that says nothing but where the object is.
fn reference(value: &Value) -> Option<&str> {
    value
        .as_object()
        .filter(|object| object.len() == 1)
        .and_then(id)
}

fn types(object: &Object) -> impl Iterator<Item = &str> {
    let kinds = match object.get("@type") {
        Some(Value::Array(kinds)) => kinds.as_slice(),
        Some(kind) => std::slice::from_ref(kind),
        None => &[],
    };
    kinds.iter().filter_map(Value::as_str).map(schema_word)
}

/// True for vehicles by their type, and for products that have a VIN. Publishers use some types
/// that schema.org does not have.
fn is_vehicle(object: &Object) -> bool {
    const KINDS: [&str; 7] = [
        "Vehicle",
        "Car",
        "Motorcycle",
        "MotorizedBicycle",
        "BusOrCoach",
        "Truck",
        "RecreationalVehicle",
    ];
    let is_typed = types(object).next().is_some();
    types(object).any(|kind| KINDS.contains(&kind)) || is_typed && object.contains_key(VIN)
}

/// The kind of unit where the type says more than that it is a vehicle.
fn kind(vehicle: &Object) -> Option<&'static str> {
    types(vehicle).find_map(|kind| match kind {
        "Car" | "Truck" => Some("car"),
        "Motorcycle" | "MotorizedBicycle" => Some("motorcycle"),
        "RecreationalVehicle" => Some("rv"),
        "BusOrCoach" => Some("other"),
        _ => None,
    })
}

fn is_image(object: &Object) -> bool {
    types(object).any(|kind| kind == "ImageObject") || object.contains_key("contentUrl")
}

/// A string or number as a text, entities decoded; `None` for a blank one.
fn scalar(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => decode_html_entities(text.trim()).into_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// A word of the vocabulary without the address before it; any other text as it is.
fn schema_word(text: &str) -> &str {
    [
        "https://schema.org/",
        "http://schema.org/",
        "https://www.schema.org/",
        "http://www.schema.org/",
        "schema:",
    ]
    .iter()
    .find_map(|prefix| text.strip_prefix(prefix))
    .unwrap_or(text)
}

/// A unit of UN/CEFACT's common codes, which schema.org asks for, as feeds write it.
fn unit_in_words(code: &str) -> String {
    match code.to_ascii_uppercase().as_str() {
        "SMI" => "mi",
        "KMT" => "km",
        "LTR" => "L",
        "CMQ" => "cc",
        "HUR" => "hours",
        _ => return code.to_owned(),
    }
    .to_owned()
}

/// The year of a date such as `2019-05-01`.
fn year_of(date: &str) -> String {
    match date.split_once('-') {
        Some((year, _)) if year.len() == 4 => year.to_owned(),
        _ => date.to_owned(),
    }
}

fn drive_in_words(drive: &str) -> String {
    match schema_word(drive) {
        "AllWheelDriveConfiguration" => "AWD",
        "FourWheelDriveConfiguration" => "4WD",
        "FrontWheelDriveConfiguration" => "FWD",
        "RearWheelDriveConfiguration" => "RWD",
        other => other,
    }
    .to_owned()
}
