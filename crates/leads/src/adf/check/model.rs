//! The content models of ADF 1.0 in our own words.
//!
//! The published document type cannot be used as it stands: quotes and commas in it are wrong, the
//! model of `colorcombination` is ambiguous, and `condition` is declared without a place.

/// What an element may hold.
pub(super) struct Model {
    pub(super) name: &'static str,
    pub(super) attributes: &'static [Attribute],
    pub(super) content: Content,
}

pub(super) enum Content {
    /// Text alone.
    Text,
    /// Elements in this order, and no text.
    Elements(&'static [Part]),
    /// Text or elements: the specification's text and its document type disagree.
    Either,
}

/// One of these elements, as often as this.
pub(super) struct Part {
    pub(super) names: &'static [&'static str],
    pub(super) least: usize,
    pub(super) most: usize,
}

/// An attribute; any value when no values are listed.
pub(super) struct Attribute {
    pub(super) name: &'static str,
    pub(super) values: &'static [&'static str],
    pub(super) is_required: bool,
}

/// Elements outside of the document type that many CRMs read, by the element that they stand in.
pub(super) const EXTENSIONS: &[(&str, &str)] = &[
    ("vehicle", "condition"),
    ("prospect", "leadtype"),
    ("provider", "leadtype"),
    ("vendor", "salesperson"),
    ("contact", "cellphone"),
];

/// The model of an element; `None` when ADF has no such element.
pub(super) fn model(name: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.name == name)
}

const fn one(names: &'static [&'static str]) -> Part {
    times(names, 1, 1)
}

const fn maybe(names: &'static [&'static str]) -> Part {
    times(names, 0, 1)
}

const fn any(names: &'static [&'static str]) -> Part {
    times(names, 0, usize::MAX)
}

const fn some(names: &'static [&'static str]) -> Part {
    times(names, 1, usize::MAX)
}

const fn times(names: &'static [&'static str], least: usize, most: usize) -> Part {
    Part { names, least, most }
}

const fn attribute(name: &'static str, values: &'static [&'static str]) -> Attribute {
    Attribute {
        name,
        values,
        is_required: false,
    }
}

const fn text(name: &'static str, attributes: &'static [Attribute]) -> Model {
    Model {
        name,
        attributes,
        content: Content::Text,
    }
}

const fn elements(
    name: &'static str,
    attributes: &'static [Attribute],
    parts: &'static [Part],
) -> Model {
    Model {
        name,
        attributes,
        content: Content::Elements(parts),
    }
}

const CURRENCY: Attribute = attribute("currency", &[]);
const YES_OR_NO: &[&str] = &["0", "1"];

const MODELS: &[Model] = &[
    elements("adf", &[], &[some(&["prospect"])]),
    elements(
        "prospect",
        &[attribute("status", &["new", "resend"])],
        &[
            any(&["id"]),
            one(&["requestdate"]),
            some(&["vehicle"]),
            one(&["customer"]),
            one(&["vendor"]),
            maybe(&["provider"]),
        ],
    ),
    text(
        "id",
        &[
            attribute("sequence", &[]),
            Attribute {
                name: "source",
                values: &[],
                is_required: true,
            },
        ],
    ),
    text("requestdate", &[]),
    elements(
        "vehicle",
        &[
            attribute(
                "interest",
                &["buy", "lease", "sell", "trade-in", "test-drive"],
            ),
            attribute("status", &["new", "used"]),
        ],
        &[
            any(&["id"]),
            one(&["year"]),
            one(&["make"]),
            one(&["model"]),
            maybe(&["vin"]),
            maybe(&["stock"]),
            maybe(&["trim"]),
            maybe(&["doors"]),
            maybe(&["bodystyle"]),
            maybe(&["transmission"]),
            maybe(&["odometer"]),
            any(&["colorcombination"]),
            maybe(&["imagetag"]),
            maybe(&["price"]),
            maybe(&["pricecomments"]),
            any(&["option"]),
            maybe(&["finance"]),
            maybe(&["comments"]),
        ],
    ),
    text("year", &[]),
    text("make", &[]),
    text("model", &[]),
    text("vin", &[]),
    text("stock", &[]),
    text("trim", &[]),
    text("doors", &[]),
    text("bodystyle", &[]),
    text("transmission", &[]),
    text(
        "odometer",
        &[
            attribute("status", &["unknown", "rolledover", "replaced", "original"]),
            attribute("units", &["km", "mi"]),
        ],
    ),
    elements(
        "colorcombination",
        &[],
        &[
            maybe(&["interiorcolor"]),
            maybe(&["exteriorcolor"]),
            one(&["preference"]),
        ],
    ),
    text("interiorcolor", &[]),
    text("exteriorcolor", &[]),
    text("preference", &[]),
    text(
        "imagetag",
        &[
            attribute("width", &[]),
            attribute("height", &[]),
            attribute("alttext", &[]),
        ],
    ),
    text(
        "price",
        &[
            attribute(
                "type",
                &[
                    "quote",
                    "offer",
                    "msrp",
                    "invoice",
                    "call",
                    "appraisal",
                    "asking",
                ],
            ),
            CURRENCY,
            attribute("delta", &["absolute", "relative", "percentage"]),
            attribute("relativeto", &["msrp", "invoice"]),
            attribute("source", &[]),
        ],
    ),
    text("pricecomments", &[]),
    elements(
        "option",
        &[],
        &[
            one(&["optionname"]),
            maybe(&["manufacturercode"]),
            maybe(&["stock"]),
            maybe(&["weighting"]),
            maybe(&["price"]),
        ],
    ),
    text("optionname", &[]),
    text("manufacturercode", &[]),
    text("weighting", &[]),
    elements(
        "finance",
        &[],
        &[one(&["method"]), some(&["amount"]), maybe(&["balance"])],
    ),
    text("method", &[]),
    text(
        "amount",
        &[
            attribute("type", &["downpayment", "monthly", "total"]),
            attribute("limit", &["maximum", "minimum", "exact"]),
            CURRENCY,
        ],
    ),
    text(
        "balance",
        &[attribute("type", &["finance", "residual"]), CURRENCY],
    ),
    elements(
        "customer",
        &[],
        &[
            one(&["contact"]),
            any(&["id"]),
            maybe(&["timeframe"]),
            maybe(&["comments"]),
        ],
    ),
    Model {
        name: "timeframe",
        attributes: &[],
        content: Content::Either,
    },
    text("description", &[]),
    text("earliestdate", &[]),
    text("latestdate", &[]),
    text("comments", &[]),
    elements(
        "contact",
        &[attribute("primarycontact", YES_OR_NO)],
        &[
            some(&["name"]),
            some(&["email", "phone"]),
            maybe(&["address"]),
        ],
    ),
    text(
        "name",
        &[
            attribute(
                "part",
                &["first", "middle", "suffix", "surname", "last", "full"],
            ),
            attribute("type", &["individual", "business"]),
        ],
    ),
    text("email", &[attribute("preferredcontact", YES_OR_NO)]),
    text(
        "phone",
        &[
            attribute("type", &["voice", "fax", "cellphone", "pager"]),
            attribute(
                "time",
                &["morning", "afternoon", "evening", "nopreference", "day"],
            ),
            attribute("preferredcontact", YES_OR_NO),
        ],
    ),
    elements(
        "address",
        &[attribute("type", &["work", "home", "delivery"])],
        &[
            times(&["street"], 1, 5),
            maybe(&["apartment"]),
            maybe(&["city"]),
            maybe(&["regioncode"]),
            maybe(&["postalcode"]),
            maybe(&["country"]),
        ],
    ),
    text("street", &[attribute("line", &["1", "2", "3", "4", "5"])]),
    text("apartment", &[]),
    text("city", &[]),
    text("regioncode", &[]),
    text("postalcode", &[]),
    text("country", &[]),
    elements(
        "vendor",
        &[],
        &[
            any(&["id"]),
            one(&["vendorname"]),
            maybe(&["url"]),
            one(&["contact"]),
        ],
    ),
    text("vendorname", &[]),
    text("url", &[]),
    elements(
        "provider",
        &[],
        &[
            any(&["id"]),
            one(&["name"]),
            maybe(&["service"]),
            maybe(&["url"]),
            maybe(&["email"]),
            maybe(&["phone"]),
            maybe(&["contact"]),
        ],
    ),
    text("service", &[]),
];
