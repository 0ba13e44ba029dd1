//! The words that vendors use as headers, and the columns that are never published.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::field::Field;

/// Characters of a header that are compared. No name of a column is as long; a first line without a
/// delimiter may be the whole file.
const LONGEST_NAME: usize = 256;

/// A header as it is compared: lower case, letters and digits only.
pub(super) fn normalized(header: &str) -> String {
    header
        .chars()
        .take(LONGEST_NAME)
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// True for the dealer's costs and its notes to itself. Such a column is not read, whatever the
/// configuration says.
pub(super) fn is_never_published(normalized: &str) -> bool {
    const WITHIN: [&str; 12] = [
        "acv",
        "invoice",
        "cost",
        "wholesale",
        "floorplan",
        "holdback",
        "bookvalue",
        "actualcash",
        "memoline",
        "dealerdiscount",
        "purchaseprice",
        "dealerpack",
    ];
    let is_reserve = normalized.contains("reserve") && !normalized.contains("reserved");
    // What stands beyond the compared part of a name may be any of the words.
    let is_cut = normalized.len() >= LONGEST_NAME;
    is_cut
        || is_reserve
        || matches!(normalized, "pack" | "packamount")
        || WITHIN.iter().any(|word| normalized.contains(word))
}

/// True for a value that says of those beside it that they are the dealer's costs, as `type` does in
/// `<price type="Invoice">17000</price>`.
pub(super) fn labels_cost(name: &str, value: &str) -> bool {
    const LABELS: [&str; 5] = ["type", "kind", "label", "pricetype", "price_type"];
    LABELS.iter().any(|label| name.eq_ignore_ascii_case(label))
        && is_never_published(&normalized(value))
}

/// What a header means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// This field.
    Sure(Field),
    /// This field unless a surer column holds it, else the second one.
    Weak(Field, Option<Field>),
    /// One of the prices, by its place in [`PRICES`].
    Price(usize),
    /// Nothing that is published.
    Unread,
}

/// True for headers that vendors use for different things: what is new, what kind of unit or which
/// heading (`Type`, `title`), which trim or which body (`Style`).
pub(super) fn is_ambiguous(normalized: &str) -> bool {
    matches!(normalized, "type" | "cartype" | "title" | "style")
}

/// What a normalised header means.
pub(super) fn meaning(normalized: &str) -> Option<Meaning> {
    TABLE
        .get(normalized)
        .copied()
        .or_else(|| is_photo(normalized).then_some(Meaning::Sure(Field::Photos)))
}

/// True for `photourls`, `imagelist` and their like, numbered ones such as `image[0].url` included.
fn is_photo(normalized: &str) -> bool {
    const PHOTOS: [&str; 23] = [
        "pics",
        "pic",
        "photo",
        "photos",
        "photourl",
        "photourls",
        "photourllist",
        "photolist",
        "photolink",
        "photolinks",
        "image",
        "images",
        "imageurl",
        "imageurls",
        "imageurllist",
        "imagelist",
        "imagelink",
        "imagelinks",
        "additionalimagelink",
        "picture",
        "pictures",
        "pictureurl",
        "pictureurls",
    ];
    let words: String = normalized
        .chars()
        .filter(|character| !character.is_ascii_digit())
        .collect();
    PHOTOS.contains(&words.as_str())
}

/// A header that holds its field more exactly than this one does, where a file has both.
pub(super) fn yields_to(normalized: &str) -> Option<&'static str> {
    match normalized {
        // Meta's catalogue states the wear beside how the unit is sold.
        "condition" => Some("stateofvehicle"),
        "freetext" => Some("description"),
        "descriptionshort" => Some("descriptionlong"),
        // Australian feeds state the maker's series beside the trim.
        "series" => Some("badge"),
        _ => None,
    }
}

/// A price by its own name the list price.
pub(super) const LIST_PRICE: &str = "listprice";

/// Headers of a price, the one before discounts first, as that is what AAP calls the list price
/// (AAP 1.3, vehicle schema). The sticker (MSRP) is not among them. A retail price comes last, as
/// it may be that of a price guide.
pub(super) const PRICES: [&str; 23] = [
    LIST_PRICE,
    "regularprice",
    "sellingprice",
    "price",
    "vehicleprice",
    "pricecurrent",
    "currentprice",
    "askingprice",
    "ourprice",
    "dealerprice",
    "webprice",
    "onlineprice",
    "internetprice",
    "advertisedprice",
    "internetspecial",
    "specialprice",
    "saleprice",
    "retailprice",
    // Australian: excluding government charges, and drive-away, which includes them.
    "egcprice",
    "egc",
    "driveawayprice",
    "dapprice",
    "dap",
];

static TABLE: LazyLock<HashMap<&'static str, Meaning>> = LazyLock::new(|| {
    let sure = SURE
        .iter()
        .flat_map(|(field, names)| names.iter().map(|name| (*name, Meaning::Sure(*field))));
    let weak = WEAK
        .iter()
        .map(|(name, first, second)| (*name, Meaning::Weak(*first, *second)));
    let prices = PRICES
        .iter()
        .enumerate()
        .map(|(rank, name)| (*name, Meaning::Price(rank)));
    sure.chain(weak).chain(prices).collect()
});

/// Headers with two meanings: the field that they hold unless a surer column does, and the one
/// that is left for them then.
const WEAK: [(&str, Field, Option<Field>); 9] = [
    ("type", Field::Condition, Some(Field::Category)),
    ("cartype", Field::Condition, Some(Field::Category)),
    ("title", Field::Condition, None),
    ("style", Field::Trim, Some(Field::Body)),
    ("seriesdetail", Field::Trim, None),
    ("id", Field::Stock, Some(Field::VehicleId)),
    ("sku", Field::Stock, Some(Field::VehicleId)),
    ("transmissiondescription", Field::Transmission, None),
    ("dealer", Field::DealerId, None),
];

const SURE: &[(Field, &[&str])] = &[
    (
        Field::DealerId,
        &[
            "dealerid",
            "accountid",
            "dcid",
            "storecode",
            "dealercode",
            "vehiclefulfillmentstorecode",
        ],
    ),
    (
        Field::DealerName,
        &["dealername", "dealershipname", "rooftop", "storename"],
    ),
    (
        Field::Vin,
        &[
            "vin",
            "vinno",
            "vinnumber",
            "vehicleidentificationnumber",
            "identificationnumber",
        ],
    ),
    (
        Field::Stock,
        &["stock", "stockno", "stocknumber", "stocknum"],
    ),
    (Field::VehicleId, &["vehicleid", "unitid", "inventoryid"]),
    (Field::VehicleType, &["vehicletype", "unittype"]),
    (
        Field::Category,
        &[
            "category",
            "vehiclecategory",
            "class",
            "vehicleclass",
            "marketclass",
        ],
    ),
    (
        Field::Year,
        &[
            "year",
            "modelyear",
            "manuyear",
            "vehicleyear",
            "vehiclemodeldate",
        ],
    ),
    (
        Field::Make,
        &["make", "brand", "manufacturer", "vehiclemake"],
    ),
    (Field::Model, &["model", "modelname", "vehiclemodel"]),
    (
        Field::Trim,
        &[
            "trim",
            "series",
            "badge",
            "version",
            "trimstyle",
            "trimlevel",
            "trimname",
            "vehicletrim",
            "vehicleconfiguration",
        ],
    ),
    (
        Field::Body,
        &[
            "body",
            "bodystyle",
            "bodytype",
            "vehiclebody",
            "vehiclebodystyle",
        ],
    ),
    (
        Field::Condition,
        &[
            "newused",
            "condition",
            "stocktype",
            "stateofvehicle",
            "vehiclecondition",
            "itemcondition",
            "inventorytype",
        ],
    ),
    (Field::IsNew, &["isnew"]),
    (
        Field::Certified,
        &[
            "certified",
            "iscpo",
            "cpo",
            "factorycertified",
            "iscertified",
        ],
    ),
    (
        Field::Status,
        &[
            "status",
            "availability",
            "vehiclestatus",
            "stockstatus",
            "inventorystatus",
            "salestatus",
            "unitstatus",
        ],
    ),
    (
        Field::Msrp,
        &["msrp", "sticker", "stickerprice", "vehiclemsrp"],
    ),
    (
        Field::Currency,
        &[
            "currency",
            "currencycode",
            "pricecurrency",
            "pricecurrencycode",
        ],
    ),
    (
        Field::Mileage,
        &[
            "miles",
            "mileage",
            "odometer",
            "mileagevalue",
            "odometerreading",
            "mileagefromodometer",
        ],
    ),
    (
        Field::MileageUnit,
        &[
            "mileageunit",
            "odometerunit",
            "odometerunits",
            "odometertype",
        ],
    ),
    (
        Field::Kilometers,
        &["kilometers", "kilometres", "kms", "mileagekm", "odometerkm"],
    ),
    (
        Field::InventoryDate,
        &[
            "dateinstock",
            "inventorydate",
            "datefirstonlot",
            "onlotsince",
            "instockdate",
            "stockdate",
        ],
    ),
    (
        Field::Transmission,
        &[
            "transmission",
            "tranmission",
            "gearbox",
            "transmissiontype",
            "vehicletransmission",
        ],
    ),
    (
        Field::Driveline,
        &[
            "driveline",
            "drivetrain",
            "drivetraindesc",
            "drivetraindescription",
            "drivetype",
            "drivewheelconfiguration",
        ],
    ),
    (Field::Engine, &["engine", "enginetype", "vehicleengine"]),
    (Field::EngineDescription, &["enginedescription"]),
    (
        Field::Displacement,
        &[
            "enginedisplacement",
            "displacement",
            "enginesize",
            "enginecapacity",
        ],
    ),
    (
        Field::DisplacementCc,
        &["displacementcc", "enginecc", "enginedisplacementcc", "cc"],
    ),
    (Field::Fuel, &["fuel", "fueltype", "vehiclefueltype"]),
    (
        Field::CityMpg,
        &["citympg", "mpgcity", "epacity", "cityfueleconomy"],
    ),
    (
        Field::HighwayMpg,
        &[
            "highwaympg",
            "hwympg",
            "mpghighway",
            "mpghwy",
            "epahighway",
            "highwayfueleconomy",
        ],
    ),
    (
        Field::ElectricRange,
        &[
            "electricrange",
            "electricrangemi",
            "evrange",
            "range",
            "rangemi",
            "rangemiles",
        ],
    ),
    (
        Field::BatteryKwh,
        &[
            "batterykwh",
            "batterycapacity",
            "batterysize",
            "batterycapacitykwh",
        ],
    ),
    (
        Field::MotorPower,
        &[
            "motorpower",
            "motorpowerhp",
            "motorhp",
            "electricmotorpower",
        ],
    ),
    (
        Field::DcFastCharge,
        &["dcfastcharge", "dcfastcharging", "dcfc", "fastcharge"],
    ),
    (
        Field::ChargePort,
        &[
            "chargeport",
            "chargingport",
            "chargeporttype",
            "chargeconnector",
            "connector",
        ],
    ),
    (
        Field::ExteriorColor,
        &[
            "exteriorcolor",
            "exteriorcolour",
            "extcolor",
            "extcolour",
            "colour",
            "color",
            "bodycolour",
            "bodycolor",
            "exterior",
        ],
    ),
    (
        Field::InteriorColor,
        &[
            "interiorcolor",
            "interiorcolour",
            "intcolor",
            "intcolour",
            "color2",
            "trimcolour",
            "trimcolor",
            "interior",
            "vehicleinteriorcolor",
        ],
    ),
    (
        Field::Features,
        &[
            "features",
            "options",
            "optiondescription",
            "priorityoptions",
            "optionlist",
            "equipment",
            "addedoptions",
            "vehicleoptions",
        ],
    ),
    (
        Field::CategorizedFeatures,
        &["categorizedoptions", "categorisedoptions"],
    ),
    (
        Field::VdpUrl,
        &[
            "vdp",
            "vdpurl",
            "vdplink",
            "url",
            "link",
            "listingurl",
            "externallink",
            "detailpageurl",
            "vehicledetaillink",
            "vehicleurl",
        ],
    ),
    (
        Field::Description,
        &[
            "description",
            "descriptions",
            "vehicledescription",
            "comments",
            "salescomments",
            "dealercomments",
            "vehiclecomments",
            "descriptionlong",
            "descriptionshort",
            "freetext",
        ],
    ),
    (Field::Notes, &["notes"]),
    (
        Field::Doors,
        &[
            "doors",
            "doorct",
            "doorcount",
            "bodydoorct",
            "numberofdoors",
        ],
    ),
    (
        Field::Cylinders,
        &[
            "cylinders",
            "enginecylinders",
            "enginecylinderct",
            "cylindercount",
        ],
    ),
    (
        Field::PassengerCapacity,
        &[
            "passengercapacity",
            "seats",
            "seatingcapacity",
            "vehicleseatingcapacity",
        ],
    ),
    (Field::ModelCode, &["modelcode", "modelnumber"]),
    (Field::FinalDrive, &["finaldrive"]),
    (Field::EngineStroke, &["enginestroke"]),
    (Field::WheelCount, &["wheelcount"]),
    (Field::Abs, &["abs"]),
    (Field::Sleeps, &["sleeps", "sleepingcapacity"]),
    (
        Field::TitleStatus,
        &["titlestatus", "titletype", "titlebrand"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_is_reachable_and_means_one_thing() {
        let sure = SURE.iter().flat_map(|(_, names)| names.iter().copied());
        let names: Vec<&str> = sure
            .chain(WEAK.iter().map(|(name, _, _)| *name))
            .chain(PRICES)
            .collect();
        assert_eq!(TABLE.len(), names.len(), "an alias stands twice");
        for name in names {
            assert_eq!(normalized(name), name);
            assert!(!is_never_published(name), "{name}");
            assert!(!is_photo(name), "{name}");
        }
    }

    #[test]
    fn headers_are_compared_by_letters_and_digits() {
        for (header, plain) in [
            ("Stock #", "stock"),
            ("New/Used", "newused"),
            ("image[0].url", "image0url"),
            ("EXT_COLOR", "extcolor"),
            (" Vin No. ", "vinno"),
        ] {
            assert_eq!(normalized(header), plain);
        }
    }
}
