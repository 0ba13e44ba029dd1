//! Recognising a vendor's layout by its header, and what its words mean there.

use super::aliases::Meaning;
use super::field::Field;
use super::report::{Layout, Refusal, RefusalCode};

/// The layout of a header, given normalised.
///
/// Exports leave columns out and add others, so a layout is told by the columns without which it
/// never comes and a few of its own words.
pub(super) fn recognize(headers: &[String]) -> Layout {
    let counted = |(at, header): (usize, &String)| *header == (at + 1).to_string();
    if headers.iter().enumerate().all(counted) {
        return Layout::Positions;
    }
    let has = |name: &&str| headers.iter().any(|header| header == name);
    SIGNATURES
        .iter()
        .find(|signature| {
            let told = signature.telling.iter().filter(|name| has(name)).count();
            signature.always.iter().all(has) && !signature.never.iter().any(has) && told >= 2
        })
        .map_or(Layout::Aliases, |signature| signature.layout)
}

/// What a header means in a layout, where the layout settles what the word alone does not.
pub(super) fn settled(layout: Layout, normalized: &str) -> Option<Meaning> {
    let field = match (layout, normalized) {
        // New or used.
        (Layout::HomeNet | Layout::CarsCom, "type") => Field::Condition,
        (Layout::SchemaOrg, "seller") => Field::DealerName,
        // New, Used or Certified Pre-Owned; the wear stands in `condition`, the kind of unit in
        // `type`.
        (Layout::Autoxloo, "title") => Field::Condition,
        (Layout::Autoxloo, "type") => Field::Category,
        (Layout::Autoxloo, "condition") => return Some(Meaning::Unread),
        // Damage, not the condition of sale.
        (Layout::ERepairables, "vehiclecondition") => Field::Damage,
        // Australian odometers count kilometers.
        (Layout::CoxAustralia | Layout::DealerStudio, "odometer") => Field::Kilometers,
        // How worn the unit is, though some write how it is sold.
        (Layout::MetaVehicles | Layout::VAutoFacebook, "condition") => {
            return Some(Meaning::Weak(Field::Condition, None));
        }
        // The heading of an advertisement.
        (
            Layout::MetaVehicles
            | Layout::VAutoFacebook
            | Layout::GoogleVehicleListings
            | Layout::GoogleMerchant,
            "title",
        ) => return Some(Meaning::Unread),
        _ => return None,
    };
    Some(Meaning::Sure(field))
}

/// The currency of amounts without one, where the layout is of one country that is not the United
/// States.
pub(super) fn foreign_currency(layout: Layout) -> Option<&'static str> {
    match layout {
        Layout::CoxAustralia | Layout::DealerStudio => Some("Australian dollars"),
        _ => None,
    }
}

/// Refuses the file that some exports have beside that of the vehicles.
///
/// # Errors
/// The header is that of a list of photos, one in each row.
pub(super) fn refuse_companion(headers: &[String]) -> Result<(), Refusal> {
    let has = |name: &str| headers.iter().any(|header| header == name);
    if !has("imagesequence") || !has("url") || has("make") || has("model") {
        return Ok(());
    }
    Err(Refusal {
        code: RefusalCode::UnknownFormat,
        message: "the file lists photos, one in each row, as it has a column for their sequence and none for make and \
                  model; expected the file of the vehicles that the vendor exports beside it"
            .to_owned(),
    })
}

/// The columns of eRepairables, whose files have no header.
pub(super) const EREPAIRABLES: [&str; 24] = [
    "Vehicle Make",
    "Vehicle Model",
    "Vehicle Type",
    "Vehicle Condition",
    "Vehicle Year",
    "Vehicle Price",
    "Vehicle Description",
    "Title Status",
    "Odometer",
    "VIN",
    "Stock Number",
    "Expiration Date",
    "External Link",
    "Image URL 1",
    "Image URL 2",
    "Image URL 3",
    "Image URL 4",
    "Image URL 5",
    "Image URL 6",
    "Image URL 7",
    "Image URL 8",
    "Image URL 9",
    "Image URL 10",
    "Sale Type",
];

/// How a layout is told: every column of `always`, none of `never`, and two of `telling`.
struct Signature {
    layout: Layout,
    always: &'static [&'static str],
    never: &'static [&'static str],
    telling: &'static [&'static str],
}

/// Layouts, the more telling ones first.
const SIGNATURES: [Signature; 16] = [
    Signature {
        layout: Layout::ERepairables,
        always: &["vehiclemake", "vehiclemodel", "titlestatus", "externallink"],
        never: &[],
        telling: &["vehiclecondition", "expirationdate", "saletype"],
    },
    Signature {
        layout: Layout::VAutoFacebook,
        always: &["dealerid", "vin", "stateofvehicle"],
        never: &["vehicleid"],
        telling: &[
            "dealerpostalcode",
            "addressaddr1",
            "image0url",
            "image0tag0",
            "mileagevalue",
            "saleprice",
        ],
    },
    Signature {
        layout: Layout::MetaVehicles,
        always: &["vehicleid"],
        never: &[],
        telling: &[
            "mileagevalue",
            "mileageunit",
            "image",
            "image0url",
            "image0tag0",
            "stateofvehicle",
            "datefirstonlot",
            "customlabel0",
            "addressaddr1",
        ],
    },
    Signature {
        layout: Layout::GoogleVehicleListings,
        always: &["vin", "storecode"],
        never: &[],
        telling: &[
            "dealershipname",
            "dealershipaddress",
            "imagelink",
            "additionalimagelink",
            "vehiclemsrp",
            "placeid",
            "mapsurl",
            "trackingphonenumber",
        ],
    },
    Signature {
        layout: Layout::CoxAustralia,
        always: &["stockno", "vin", "manuyear"],
        never: &[],
        telling: &[
            "badge",
            "bodycolour",
            "trimcolour",
            "egcprice",
            "driveawayprice",
            "redbookcode",
            "glasscode",
            "rego",
            "manumonth",
        ],
    },
    Signature {
        layout: Layout::DealerStudio,
        always: &["stocknumber", "cartype"],
        never: &[],
        telling: &["dapprice", "dap", "egcprice", "egc", "badge", "series"],
    },
    Signature {
        layout: Layout::DealerCenter,
        always: &["dcid", "stocknumber", "vin"],
        never: &[],
        telling: &[
            "accountid",
            "specialprice",
            "photourls",
            "vehicledescription",
            "equipmentcode",
            "latestphotomodifieddate",
        ],
    },
    Signature {
        layout: Layout::AutoFunds,
        always: &["dealerid", "stocknumber", "vin", "internetspecial"],
        never: &[],
        telling: &["condition", "mileage", "photourls", "trim"],
    },
    Signature {
        layout: Layout::Frazer,
        always: &["stock", "vin", "color2"],
        never: &[],
        telling: &[
            "style",
            "bodystyle",
            "drivetrain",
            "internetprice",
            "retailprice",
            "salescomments",
            "photourls",
        ],
    },
    Signature {
        layout: Layout::AutoTrader,
        always: &["stocknumber", "vin", "newused"],
        never: &[],
        telling: &[
            "tranmission",
            "physicalimages",
            "descriptions",
            "enginetype",
            "imageurl",
            "videourl",
            "videosource",
        ],
    },
    Signature {
        layout: Layout::CarsCom,
        always: &["type", "stocknumber", "vin", "trimstyle"],
        never: &[],
        telling: &[
            "tranmission",
            "null1",
            "dealertagline",
            "addedoptions",
            "enginedescription",
            "sellingprice",
        ],
    },
    Signature {
        layout: Layout::Autoxloo,
        always: &["stock", "title", "vin", "freetext"],
        never: &[],
        telling: &[
            "pricecurrent",
            "pricewholesale",
            "pricecost",
            "internetprice",
            "warrantydescription",
            "drivetype",
        ],
    },
    Signature {
        layout: Layout::Fullpath,
        always: &["vin", "stock", "vdp"],
        never: &[],
        telling: &["photourllist", "onlotsince", "daysonlot", "extra"],
    },
    Signature {
        layout: Layout::IsNew,
        always: &["vin", "stock", "isnew"],
        never: &[],
        telling: &[
            "factorycertified",
            "interiormaterial",
            "transmissionspeed",
            "hwympg",
            "optiondescription",
            "priorityoptions",
            "dealercomments",
        ],
    },
    Signature {
        layout: Layout::HomeNet,
        always: &["type", "stock", "vin", "miles"],
        never: &[],
        telling: &[
            "modelnumber",
            "enginecylinders",
            "enginedisplacement",
            "sellingprice",
            "internetprice",
            "dateinstock",
            "categorizedoptions",
            "styledescription",
            "extcolorgeneric",
            "epaclassification",
            "factorycodes",
            "imagelist",
        ],
    },
    Signature {
        layout: Layout::VAuto,
        always: &["stock", "vin", "newused"],
        never: &[],
        telling: &[
            "series",
            "seriesdetail",
            "odometer",
            "doorcount",
            "bodydoorct",
            "enginecylinderct",
            "drivetraindesc",
            "colour",
            "inventorydate",
            "photocount",
            "photourllist",
            "photoslastmodifieddate",
        ],
    },
];
