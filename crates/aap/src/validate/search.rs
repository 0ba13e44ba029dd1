//! Rules of the inventory requests (AAP 1.3, `inventory-search-request`,
//! `inventory-facets-request` and `vehicle-detail-request`).

use serde_json::Value;

use super::findings::{Check, Findings, Members, Required};

pub(super) const SALE_CONDITIONS: &[&str] = &["new", "used", "cpo"];
pub(super) const VEHICLE_TYPES: &[&str] = &["car", "motorcycle", "trailer", "rv", "other"];
pub(super) const FIRST_YEAR: u32 = 1900;
pub(super) const LAST_YEAR: u32 = 2100;

pub(super) fn facets_request<'p>(findings: &mut Findings<'p>, payload: &'p Value) {
    const MEMBERS: Members = &[("type", |_, _| ()), ("filters", filters)];
    findings.closed(payload, MEMBERS, &[]);
}

pub(super) fn search_request<'p>(findings: &mut Findings<'p>, payload: &'p Value) {
    const MEMBERS: Members = &[
        ("type", |_, _| ()),
        ("filters", filters),
        ("pagination", |f, v| f.closed(v, PAGINATION, &[])),
        ("sort", |f, v| f.closed(v, SORT, SORT_REQUIRED)),
        ("privacy", |f, v| f.closed(v, PRIVACY, &[])),
    ];
    findings.closed(payload, MEMBERS, &[]);
}

pub(super) fn vehicle_request<'p>(findings: &mut Findings<'p>, payload: &'p Value) {
    const MEMBERS: Members = &[
        ("type", |_, _| ()),
        ("vin", |f, v| f.vin(v)),
        ("stock", |f, v| f.text(v)),
        ("vehicle_id", |f, v| f.text(v)),
    ];
    findings.closed(payload, MEMBERS, &[]);
    let identified = ["vin", "stock", "vehicle_id"]
        .into_iter()
        .any(|name| payload.get(name).is_some());
    if !identified {
        findings.note(
            "anyOf",
            format_args!("name the vehicle: send vin, stock or vehicle_id"),
        );
    }
}

const PAGINATION: Members = &[
    ("skip", |f, v| f.integer(v, 0, None)),
    ("limit", |f, v| f.integer(v, 1, Some(1000))),
];

const SORT: Members = &[
    ("field", |f, v| f.one_of(v, SORT_FIELDS)),
    ("order", |f, v| f.one_of(v, &["asc", "desc"])),
];

const SORT_REQUIRED: Required = &[
    ("field", "the member to sort by, such as price"),
    ("order", "asc or desc"),
];

const SORT_FIELDS: &[&str] = &[
    "price",
    "list_price",
    "msrp",
    "mileage",
    "year",
    "make",
    "model",
    "stock",
    "updated_at",
];

const PRIVACY: Members = &[("anonymous", |f, v| f.boolean(v))];

fn filters<'p>(findings: &mut Findings<'p>, value: &'p Value) {
    const TEXTS: Check = |f, v| {
        f.list(v, |f, v| f.text(v));
    };
    const YEAR: Check = |f, v| f.integer(v, FIRST_YEAR, Some(LAST_YEAR));
    const AMOUNT: Check = |f, v| f.integer(v, 0, None);
    const FILTERS: Members = &[
        ("make", TEXTS),
        ("model", TEXTS),
        ("trim", TEXTS),
        ("condition", |f, v| {
            f.list(v, |f, v| f.one_of(v, SALE_CONDITIONS));
        }),
        ("vehicle_type", |f, v| {
            f.list(v, |f, v| f.one_of(v, VEHICLE_TYPES));
        }),
        ("transmission", TEXTS),
        ("fuel", TEXTS),
        ("electric_range_mi_min", AMOUNT),
        ("electric_range_mi_max", AMOUNT),
        ("dc_fast_charge", |f, v| f.boolean(v)),
        ("charge_port", TEXTS),
        ("driveline", TEXTS),
        ("body", TEXTS),
        ("displacement_cc_min", AMOUNT),
        ("displacement_cc_max", AMOUNT),
        ("exterior_color", TEXTS),
        ("interior_color", TEXTS),
        ("rooftops", TEXTS),
        ("year_min", YEAR),
        ("year_max", YEAR),
        ("price_min", AMOUNT),
        ("price_max", AMOUNT),
        ("mileage_max", AMOUNT),
        ("vin", |f, v| f.vin(v)),
        ("stock", |f, v| f.text(v)),
        ("query", |f, v| f.text_between(v, 0, 200)),
    ];
    findings.closed(value, FILTERS, &[]);
}
