//! Which rows are published, and what of them.

use aap::vehicle::{Condition, Status};
use serde_json::json;

use super::super::{FeedReport, FindingCode, ReadOptions, read};
use super::{options, places, report, single, stocks};

fn with_rooftops(rooftops: &[(&str, &str)]) -> ReadOptions {
    let mut options = options();
    options.rooftops = rooftops
        .iter()
        .map(|(id, name)| ((*id).to_owned(), (*name).to_owned()))
        .collect();
    options
}

fn rooftops(report: &FeedReport) -> Vec<Option<&str>> {
    report
        .vehicles
        .iter()
        .map(|read| read.vehicle.rooftop.as_deref())
        .collect()
}

#[test]
fn a_vin_is_published_as_given_and_doubted_aloud() {
    let (vehicle, findings) = single(
        "VIN,Year,Make,Model",
        " 1hgcv1f30ka000001 ,2022,Honda,Civic",
    );
    assert_eq!(vehicle.vin.as_deref(), Some("1HGCV1F30KA000001"));
    assert_eq!(
        (vehicle.year, vehicle.model.as_deref()),
        (Some(2022), Some("Civic")),
        "never overwritten by decoding"
    );
    assert_eq!(
        findings,
        [(Some("VIN".to_owned()), FindingCode::VinCheckDigit)],
        "one fault, one message"
    );

    let (vehicle, findings) = single("VIN,Year,Body", "1HGCV1F35KA000001,2022,Sedan");
    assert_eq!(vehicle.year, Some(2022));
    assert_eq!(findings, [(Some("VIN".to_owned()), FindingCode::VinYear)]);
}

#[test]
fn a_finding_quotes_the_cell_as_it_stands_in_the_file() {
    let found = report("VIN,Year\n1hgcv1f30ka000001,2022\n");
    assert_eq!(
        found.warnings[0].value.as_deref(),
        Some("1hgcv1f30ka000001")
    );
    let mut used = options();
    used.conditions = vec![Condition::Used];
    let found = read(b"Stock,New/Used\nA1,N\nA2,U\n", &used);
    assert_eq!(found.skipped[0].value.as_deref(), Some("N"));
}

#[test]
fn a_vin_in_doubt_of_its_decade_is_not_held_against_the_feed() {
    // A heavy truck: position 7 tells nothing, so 1995 and 2025 are both right.
    for year in ["1995", "2025"] {
        let (_, findings) = single(
            "VIN,Year,Body",
            &format!("1FDXF80E7SVA00001,{year},Chassis Cab"),
        );
        let years: Vec<_> = findings
            .iter()
            .filter(|finding| finding.1 == FindingCode::VinYear)
            .collect();
        assert_eq!(
            years,
            Vec::<&(Option<String>, FindingCode)>::new(),
            "{year}"
        );
    }
    // Outside North America neither the year code nor position 9 means anything.
    let (vehicle, findings) = single("VIN,Year", "WBAUD910X0P000001,2009");
    assert_eq!(vehicle.year, Some(2009));
    assert_eq!(findings, [(Some("VIN".to_owned()), FindingCode::VinYear)]);
}

#[test]
fn what_is_no_vin_is_not_published_as_one() {
    for vin in [
        "2N1234567",
        "1HGCV1F30KO000001",
        "TBD",
        "00000000000000000",
        "ABC12345D404",
    ] {
        let (vehicle, findings) = single("VIN,Stock", &format!("{vin},A1"));
        assert_eq!(
            (vehicle.vin, vehicle.stock.as_deref()),
            (None, Some("A1")),
            "{vin}"
        );
        assert_eq!(
            findings,
            [(Some("VIN".to_owned()), FindingCode::VinMalformed)],
            "{vin}"
        );
    }
    let found = report("VIN,Stock\n2N1234567,\n,A2\n");
    assert_eq!(
        places(&found.skipped),
        [(2, Some("VIN"), FindingCode::NoIdentifier)]
    );
    assert_eq!(found.warnings, [], "the reason for skipping says it all");
}

#[test]
fn identifiers_are_text() {
    let (vehicle, _) = single("Stock,Vehicle ID,VIN", "007,000123,");
    assert_eq!(
        (vehicle.stock.as_deref(), vehicle.vehicle_id.as_deref()),
        (Some("007"), Some("000123"))
    );
    assert_eq!(vehicle.vin, None);
}

#[test]
fn a_sold_car_is_not_published() {
    let found = report(
        "Stock,Status\nA1,Available\nA2,SOLD\nA3,In-Transit\nA4,Deal Pending\nA5,Frozen\nA6,\n",
    );
    let listed: Vec<_> = found
        .vehicles
        .iter()
        .map(|read| read.vehicle.status)
        .collect();
    assert_eq!(
        listed,
        [
            Status::Available,
            Status::Intransit,
            Status::Pending,
            Status::Available
        ]
        .map(Some)
    );
    assert_eq!(
        places(&found.skipped),
        [
            (3, Some("Status"), FindingCode::Sold),
            (6, Some("Status"), FindingCode::UnknownStatus)
        ]
    );
    assert_eq!(found.sold[0].stock.as_deref(), Some("A2"));
}

#[test]
fn a_certified_unit_is_used_and_certified() {
    for (condition, certified, expected) in [
        ("Used", "Yes", Some(Condition::Cpo)),
        ("", "C", Some(Condition::Cpo)),
        ("Used", "No", Some(Condition::Used)),
        ("Certified", "", Some(Condition::Cpo)),
        ("", "", None),
    ] {
        let (vehicle, findings) = single(
            "Stock,Condition,Certified",
            &format!("A1,{condition},{certified}"),
        );
        assert_eq!(vehicle.condition, expected, "{condition} {certified}");
        assert_eq!(findings, []);
    }
    let (vehicle, findings) = single("Stock,Condition,Certified", "A1,New,True");
    assert_eq!(vehicle.condition, Some(Condition::New));
    assert_eq!(
        findings,
        [(Some("Certified".to_owned()), FindingCode::CertifiedNew)]
    );
    let (vehicle, findings) = single("Stock,Condition,Certified", "A1,Rebuilt,maybe");
    assert_eq!(vehicle.condition, None);
    assert_eq!(
        findings,
        [
            (Some("Condition".to_owned()), FindingCode::UnknownCondition),
            (Some("Certified".to_owned()), FindingCode::BadFlag)
        ]
    );
}

#[test]
fn a_car_whose_price_says_sold_is_sold() {
    let found = report("Stock,Price\nA1,SOLD\nA2,9000\n");
    assert_eq!(stocks(&found), ["A2"]);
    assert_eq!(
        places(&found.skipped),
        [(2, Some("Price"), FindingCode::Sold)]
    );
    assert_eq!(found.sold.len(), 1);
}

#[test]
fn an_odometer_of_0_or_1_is_a_filler_unless_the_unit_is_new() {
    for (condition, cell, mileage) in [
        ("", "0", None),
        ("", "1", None),
        ("Used", "1", None),
        ("New", "1", Some(1)),
        ("", "2", Some(2)),
    ] {
        let (vehicle, findings) = single(
            "Stock,Condition,Odometer",
            &format!("A1,{condition},{cell}"),
        );
        assert_eq!(vehicle.mileage, mileage, "{condition} {cell}");
        assert_eq!(findings.len(), usize::from(mileage.is_none()));
    }
}

#[test]
fn a_feed_keeps_to_the_conditions_that_it_covers() {
    let mut used = options();
    used.conditions = vec![Condition::Used, Condition::Cpo];
    let found = read(b"Stock,Condition\nA1,Used\nA2,New\nA3,CPO\nA4,\n", &used);
    assert_eq!(stocks(&found), ["A1", "A3", "A4"]);
    assert_eq!(
        places(&found.skipped),
        [(3, Some("Condition"), FindingCode::ConditionNotCovered)]
    );
    assert_eq!(
        found.vehicles[2].vehicle.condition, None,
        "used or certified? Nobody says"
    );

    used.conditions = vec![Condition::Used];
    let found = read(b"Stock\nA1\n", &used);
    assert_eq!(
        found.vehicles[0].vehicle.condition,
        Some(Condition::Used),
        "the dealer says"
    );
}

#[test]
fn a_vin_counts_once_at_a_rooftop_and_again_at_the_next() {
    let vin = "1HGCV1F35KA000001";
    let text = format!(
        "Dealer ID,VIN,Stock\nN,{vin},A1\nN,{vin},A2\nS,{vin},A1\nn,{},A3\n",
        vin.to_lowercase()
    );
    let found = read(
        text.as_bytes(),
        &with_rooftops(&[("N", "North"), ("S", "South")]),
    );
    assert_eq!(rooftops(&found), [Some("North"), Some("South")]);
    assert_eq!(
        places(&found.skipped),
        [
            (3, Some("VIN"), FindingCode::DuplicateVin),
            (5, Some("VIN"), FindingCode::DuplicateVin)
        ]
    );
    assert!(
        found.skipped[0].message.contains("row 2"),
        "{}",
        found.skipped[0].message
    );
}

#[test]
fn a_stock_number_twice_is_one_unit_unless_the_vins_differ() {
    let text = "VIN,Stock,Vehicle ID\n\
                1HGCV1F35KA000001,A1,\n\
                1HGCV1F31KA000002,a1,\n\
                ,A1,\n\
                ,B1,\n\
                ,B1,\n\
                ,,7\n\
                ,,7\n";
    let found = report(text);
    assert_eq!(stocks(&found), ["A1", "a1", "B1", ""]);
    assert_eq!(
        places(&found.skipped),
        [
            (4, Some("Stock"), FindingCode::DuplicateStock),
            (6, Some("Stock"), FindingCode::DuplicateStock),
            (8, Some("Vehicle ID"), FindingCode::DuplicateVehicleId)
        ]
    );
    let doubts: Vec<_> = places(&found.warnings);
    assert!(
        doubts.contains(&(3, Some("Stock"), FindingCode::DuplicateStock)),
        "{doubts:?}"
    );
}

#[test]
fn rooftops_are_found_by_their_feed_ids() {
    let text = "AccountID,DCID,Stock\n900,dcid1 ,A1\n900,DCID2,A2\n900,DCID3,A3\n,,A4\n";
    let known = with_rooftops(&[("DCID1", "North"), ("DCID2", "South")]);
    let found = read(text.as_bytes(), &known);
    assert_eq!(rooftops(&found), [Some("North"), Some("South")]);
    let codes: Vec<_> = found
        .skipped
        .iter()
        .map(|skipped| (skipped.row, skipped.code))
        .collect();
    assert_eq!(
        codes,
        [
            (4, FindingCode::UnknownRooftop),
            (5, FindingCode::UnknownRooftop)
        ]
    );

    let mut with_default = known;
    with_default.default_rooftop = Some("South".to_owned());
    let found = read(text.as_bytes(), &with_default);
    assert_eq!(
        rooftops(&found),
        [Some("North"), Some("South"), Some("South")],
        "a row that names none; not another dealer's"
    );
}

#[test]
fn without_feed_ids_the_default_or_the_dealer_name_counts() {
    let text = "Dealer ID,Dealer Name,Stock\n9,Harbor Autos,A1\n9,SOUTH ,A2\n";
    assert_eq!(
        rooftops(&report(text)),
        [Some("Harbor Autos"), Some("SOUTH")]
    );
    let mut named = with_rooftops(&[("", "North"), ("", "South")]);
    named.default_rooftop = Some("North".to_owned());
    let found = read(text.as_bytes(), &named);
    assert_eq!(
        rooftops(&found),
        [Some("South")],
        "a name that is none of several rooftops is not guessed"
    );
    assert_eq!(
        places(&found.skipped),
        [(2, Some("Dealer ID"), FindingCode::UnknownRooftop)]
    );
    assert_eq!(
        rooftops(&read(b"Stock\nA1\n", &named)),
        [Some("North")],
        "a row that names none"
    );
    let mut covers_one = with_rooftops(&[("", "North")]);
    covers_one.other_rooftops = vec![(String::new(), "South".to_owned())];
    assert_eq!(
        rooftops(&read(text.as_bytes(), &covers_one)),
        [Some("North")],
        "another spelling of the one rooftop; not the row of another rooftop of the dealer"
    );
    assert_eq!(
        rooftops(&read(b"Stock\nA1\n", &with_rooftops(&[("", "Only")]))),
        [Some("Only")]
    );
    assert_eq!(rooftops(&report("Stock\nA1\n")), [None]);
}

#[test]
fn a_bad_cell_costs_no_more_than_itself() {
    let (vehicle, findings) = single(
        "Stock,Type,Certified,Doors,EngineDisplacement,DateInStock,Miles,Price,Options,Year,Make",
        "A1,Used,,,Electric,2026-04-21,,\"$1,495\",no at sign,x,Honda",
    );
    assert_eq!(
        json!(vehicle),
        json!({
            "stock": "A1", "condition": "used", "status": "available", "make": "Honda", "list_price": 1495,
            "engine": "Electric", "features": ["no at sign"], "inventory_date": "2026-04-21",
        })
    );
    let codes: Vec<_> = findings.iter().map(|finding| finding.1).collect();
    assert_eq!(codes, [FindingCode::AmbiguousColumn, FindingCode::BadYear]);
}

#[test]
fn unknown_is_not_zero() {
    let (vehicle, _) = single(
        "Stock,Condition,Mileage,Price,MSRP,City MPG,Doors,Cylinders,Range,Displacement",
        "A1,Used,0,0,0.00,0,0,0,0,0",
    );
    assert_eq!(
        json!(vehicle),
        json!({"stock": "A1", "condition": "used", "status": "available"})
    );
    let (vehicle, findings) = single("Stock,Condition,Mileage", "A1,New,0");
    assert_eq!(
        (vehicle.mileage, findings.len()),
        (Some(0), 0),
        "a new car may have no miles"
    );
}

#[test]
fn dates_are_left_out_where_the_file_writes_the_day_first() {
    let found = report(
        "Stock,Date In Stock\nA1,3/4/2026\nA2,21/4/2026\nA3,2026-04-02\nA4,4/4/2026\nA5,5/1/2026\n",
    );
    let dates: Vec<_> = found
        .vehicles
        .iter()
        .map(|read| read.vehicle.inventory_date.as_deref())
        .collect();
    assert_eq!(
        dates,
        [None, None, Some("2026-04-02"), Some("2026-04-04"), None]
    );
    assert_eq!(
        places(&found.warnings),
        [
            (2, Some("Date In Stock"), FindingCode::AmbiguousDate),
            (3, Some("Date In Stock"), FindingCode::BadDate),
            (6, Some("Date In Stock"), FindingCode::AmbiguousDate)
        ]
    );
    // One slip among dates that have the month first is only a slip.
    let found =
        report("Stock,Date In Stock\nA1,3/4/2026\nA2,21/4/2026\nA3,4/21/2026\nA4,4/22/2026\n");
    assert_eq!(
        places(&found.warnings),
        [(3, Some("Date In Stock"), FindingCode::BadDate)]
    );
}

#[test]
fn nothing_came_into_stock_after_today() {
    for (cell, kept) in [
        ("2026-05-01", true),
        ("2026-05-02", true),
        ("2026-05-03", false),
        ("1/1/1900", false),
    ] {
        let (vehicle, findings) = single("Stock,Inventory Date", &format!("A1,{cell}"));
        assert_eq!(
            (vehicle.inventory_date.is_some(), findings.is_empty()),
            (kept, kept),
            "{cell}"
        );
    }
}

#[test]
fn a_model_year_is_at_most_two_years_ahead() {
    for (cell, year) in [
        ("2028", Some(2028)),
        ("2019.0", Some(2019)),
        ("2029", None),
        ("19", None),
        ("1899", None),
    ] {
        let (vehicle, _) = single("Stock,Year", &format!("A1,{cell}"));
        assert_eq!(vehicle.year, year, "{cell}");
    }
}

#[test]
fn miles_per_gallon_of_an_electric_unit_are_left_out_in_silence() {
    let (vehicle, findings) = single(
        "Stock,Fuel,City MPG,Highway MPG,EngineDisplacement",
        "A1,Electric,138,124,2.0L",
    );
    assert_eq!((vehicle.city_mpg, vehicle.highway_mpg), (None, None));
    assert_eq!(
        findings,
        [(
            Some("EngineDisplacement".to_owned()),
            FindingCode::NotForElectric
        )]
    );
}

#[test]
fn an_engine_is_put_together_once() {
    for (row, engine) in [
        ("2.5L,4,,", Some("2.5L 4-Cylinder")),
        ("2.5L,4,DOHC 16V,", Some("2.5L 4-Cylinder DOHC 16V")),
        ("2.5L,4,2.5L I-4 DOHC,", Some("2.5L I-4 DOHC")),
        ("3.5L,6,3.5l V6 24V,", Some("3.5l V6 24V")),
        (
            "2.5L,4,DOHC,Hybrid Dynamic Force",
            Some("Hybrid Dynamic Force"),
        ),
        ("Electric,0,,", Some("Electric")),
        // As the vendors' common source of descriptions spells it.
        (
            "1.5L,4,Turbo Regular Unleaded I-4 1.5 L/91,",
            Some("Turbo Regular Unleaded I-4 1.5 L/91"),
        ),
        ("2.0,4,,", Some("2.0L 4-Cylinder")),
        (",,,", None),
    ] {
        let header = "Stock,EngineDisplacement,EngineCylinders,Engine_Description,Engine";
        let (vehicle, _) = single(header, &format!("A1,{row}"));
        assert_eq!(vehicle.engine.as_deref(), engine, "{row}");
    }
}

#[test]
fn bad_addresses_are_left_out_one_by_one() {
    let (vehicle, findings) = single(
        "Stock,Photos,Photo URL 2,VDP",
        "A1,https://p.example.com/1.jpg|/2.jpg|ftp://p.example.com/3.jpg,https://p.example.com/1.jpg,data:text/html;x",
    );
    assert_eq!(vehicle.photos, ["https://p.example.com/1.jpg"], "each once");
    assert_eq!(vehicle.vdp_url, None);
    let columns: Vec<_> = findings
        .iter()
        .map(|(column, code)| (column.as_deref(), *code))
        .collect();
    assert_eq!(
        columns,
        [
            (Some("Photos"), FindingCode::BadUrl),
            (Some("Photos"), FindingCode::BadUrl),
            (Some("VDP"), FindingCode::BadUrl)
        ]
    );
}

#[test]
fn a_cell_as_long_as_a_book_is_left_out() {
    let (vehicle, findings) = single("Stock,Comments", &format!("A1,{}", "x".repeat(70_000)));
    assert_eq!(vehicle.description, None);
    assert_eq!(
        findings,
        [(Some("Comments".to_owned()), FindingCode::CellTooLong)]
    );
}
