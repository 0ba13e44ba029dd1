//! Files that have broken other programs, each by what it is about.

use aap::vehicle::{Condition, Vehicle, VehicleType};

use super::super::vin::check_digit;
use super::super::{FeedReport, FindingCode, ReadOptions, RefusalCode, read};
use super::{options, places, report, single, stocks};

/// Codes of the findings about the VIN of a file with one row, and its vehicle.
fn vin(year: &str, body: &str, vin: &str) -> (Vehicle, Vec<(FindingCode, String)>) {
    let report = report(&format!("VIN,Year,Body\n{vin},{year},{body}\n"));
    let found = &report.vehicles[0];
    assert_eq!(found.vehicle.vin.as_deref(), Some(vin), "never changed");
    let findings = report
        .warnings
        .into_iter()
        .filter(|finding| finding.column.as_deref() == Some("VIN"))
        .map(|finding| (finding.code, finding.message))
        .collect();
    (found.vehicle.clone(), findings)
}

fn codes(findings: &[(FindingCode, String)]) -> Vec<FindingCode> {
    findings.iter().map(|(code, _)| *code).collect()
}

mod vins {
    use super::*;

    #[test]
    fn a_light_vehicle_of_the_first_cycle_is_not_taken_for_one_thirty_years_younger() {
        // Digit in position 7: 1980 to 2009. S is 1995, 4 is 2004.
        let (_, findings) = vin("1995", "Sedan", "1G4AG55M0S6400001");
        assert_eq!(codes(&findings), []);
        let (vehicle, findings) = vin("2025", "Sedan", "1G4AG55M0S6400001");
        assert_eq!(codes(&findings), [FindingCode::VinYear]);
        assert!(
            findings[0].1.contains("model year 1995"),
            "{}",
            findings[0].1
        );
        assert_eq!(vehicle.year, Some(2025), "the feed's year stays");
        let (_, findings) = vin("2004", "SUV", "1HGCM82634A100001");
        assert!(!codes(&findings).contains(&FindingCode::VinYear));
    }

    #[test]
    fn a_school_bus_may_be_of_either_cycle() {
        for year in ["1986", "2016"] {
            let (_, findings) = vin(year, "School Bus", "4DRBUC8NXGB000001");
            assert!(
                !codes(&findings).contains(&FindingCode::VinYear),
                "{year}: {findings:?}"
            );
        }
        let (_, findings) = vin("2011", "School Bus", "4DRBUC8NXGB000001");
        assert!(findings[0].1.contains("1986 or 2016"), "{findings:?}");
    }

    #[test]
    fn a_zero_in_position_10_leaves_the_year_unknown_and_everything_else_read() {
        for text in ["WBAUD910X0P000001", "WBA71DC010CJ48563"] {
            let (vehicle, findings) = vin("2019", "Sedan", text);
            assert_eq!(codes(&findings), [FindingCode::VinYear], "{text}");
            assert_eq!(
                (vehicle.year, vehicle.body.as_deref()),
                (Some(2019), Some("Sedan"))
            );
        }
    }

    #[test]
    fn a_right_check_digit_is_right_whatever_the_year_code() {
        let vin_number = "WBA71DC010CJ48569";
        assert_eq!(check_digit(vin_number), Some('1'));
        let (_, findings) = vin("2022", "Sedan", vin_number);
        assert!(
            !codes(&findings).contains(&FindingCode::VinCheckDigit),
            "{findings:?}"
        );
    }

    #[test]
    fn a_message_about_a_vin_never_stands_in_a_field() {
        let (vehicle, findings) = vin("", "Sedan", "WBAUD910X0P000001");
        assert_eq!(vehicle.year, None);
        assert_eq!(codes(&findings), [FindingCode::VinYear]);
        let json = serde_json::to_string(&vehicle).unwrap();
        assert!(!json.contains("position"), "{json}");
    }

    #[test]
    fn a_letter_in_position_9_outside_north_america_is_no_fault() {
        let (vehicle, findings) = vin("2015", "Hatchback", "KNAPM81ABF7000001");
        assert_eq!(codes(&findings), []);
        assert_eq!(vehicle.year, Some(2015));
    }

    #[test]
    fn the_year_codes_skip_the_letters_that_look_like_digits() {
        // L is 2020, not 2021.
        let (_, findings) = vin("2021", "SUV", "KNDCB3LC9L5100006");
        assert!(findings[0].1.contains("model year 2020"), "{findings:?}");
        assert_eq!(codes(&vin("2020", "SUV", "KNDCB3LC9L5100006").1), []);
    }

    #[test]
    fn a_check_digit_of_ten_is_x_and_a_bad_vin_is_reported_once() {
        assert_eq!(codes(&vin("1989", "Coupe", "1M8GDM9AXKP042788").1), []);
        let (_, findings) = vin("2022", "Coupe", "1M8GDM9A0KP042788");
        assert_eq!(
            codes(&findings),
            [FindingCode::VinCheckDigit],
            "no second message about the year of a VIN with a wrong character"
        );
    }

    #[test]
    fn an_old_car_a_coming_truck_and_a_motorcycle_keep_their_years() {
        for (year, body, text) in [
            ("1995", "Sedan", "1G4AG55M0S6400001"),
            ("2027", "Chassis Cab", "5PVNJ8JN6V4S50001"),
            ("2001", "Motorcycle", "1HD1YWK171B031000"),
        ] {
            let (vehicle, findings) = vin(year, body, text);
            assert_eq!(vehicle.year.map(|it| it.to_string()).as_deref(), Some(year));
            assert!(
                !codes(&findings).contains(&FindingCode::VinYear),
                "{text}: {findings:?}"
            );
        }
    }

    #[test]
    fn a_motorcycle_of_an_unknown_maker_or_year_is_kept_as_the_feed_has_it() {
        let (vehicle, findings) = vin("2010", "Motorcycle", "1HD1YWK190B031000");
        assert_eq!(
            (vehicle.kind(), vehicle.year, vehicle.make),
            (VehicleType::Motorcycle, Some(2010), None),
            "nothing is decoded into the listing"
        );
        assert_eq!(findings.len(), 1, "one fault, one message");
    }

    #[test]
    fn the_protocols_own_example_with_a_wrong_check_digit_is_published_as_given() {
        let (vehicle, findings) =
            single("VIN,Year,Make,Model", "1HGCV1F30KA000001,2022,Honda,Civic");
        assert_eq!(
            (
                vehicle.vin.as_deref(),
                vehicle.year,
                vehicle.model.as_deref()
            ),
            (Some("1HGCV1F30KA000001"), Some(2022), Some("Civic"))
        );
        assert_eq!(
            findings,
            [(Some("VIN".to_owned()), FindingCode::VinCheckDigit)]
        );
    }
}

fn group(rooftops: usize) -> ReadOptions {
    let mut options = options();
    options.rooftops = (1..=rooftops)
        .map(|at| (format!("R{at}"), format!("Rooftop {at}")))
        .collect();
    options
}

#[test]
fn one_vin_at_33_rooftops_is_kept_at_each_with_its_stock_number() {
    let rows: String = (1..=33)
        .map(|at| format!("R{at},1HGCV1F35KA000001,A1,18950\n"))
        .collect();
    let found = read(
        format!("Dealer ID,VIN,Stock,Price\n{rows}").as_bytes(),
        &group(33),
    );
    assert_eq!((found.published, found.skipped.len()), (33, 0));
    let mut rooftops: Vec<_> = found
        .vehicles
        .iter()
        .map(|read| read.vehicle.rooftop.clone())
        .collect();
    rooftops.sort();
    rooftops.dedup();
    assert_eq!(rooftops.len(), 33, "every rooftop is remembered");
    assert_eq!(found.warnings, [], "they agree");
}

#[test]
fn rooftops_that_ask_different_prices_for_one_vin_are_named() {
    let file = "Dealer ID,VIN,Stock,Price\n\
                R1,1HGCV1F35KA000001,A1,18950\n\
                R2,1HGCV1F35KA000001,B1,19450\n\
                R3,1HGCV1F35KA000001,C1,Call\n\
                R1,1HGCV1F37KA000002,A1,9000\n";
    let found = read(file.as_bytes(), &group(3));
    assert_eq!(found.published, 4);
    let differs: Vec<_> = found
        .warnings
        .iter()
        .filter(|finding| finding.code == FindingCode::PriceDiffers)
        .collect();
    assert_eq!(differs.len(), 1);
    let finding = differs[0];
    assert_eq!((finding.row, finding.column.as_deref()), (3, Some("VIN")));
    for part in ["19450", "18950", "row 2"] {
        assert!(finding.message.contains(part), "{}", finding.message);
    }
}

#[test]
fn a_stock_number_at_two_rooftops_is_two_units() {
    let found = read(
        b"Dealer ID,Stock,Make\nR1,A1,Honda\nR2,A1,Kia\nR1,a1,Ford\n",
        &group(2),
    );
    assert_eq!(stocks(&found), ["A1", "A1"]);
    assert_eq!(
        places(&found.skipped),
        [(4, Some("Stock"), FindingCode::DuplicateStock)]
    );
}

#[test]
fn a_unit_without_a_price_is_published_without_one() {
    for cell in ["", "null", "0", "Call for price"] {
        let (vehicle, findings) = single("Stock,Price,Make", &format!("A1,{cell},Honda"));
        assert_eq!((vehicle.price, vehicle.list_price), (None, None), "{cell}");
        assert_eq!(vehicle.make.as_deref(), Some("Honda"));
        assert_eq!(findings, [], "{cell}");
    }
}

#[test]
fn the_report_says_which_column_the_price_is_from() {
    let mut named = options();
    named.price.column = Some("Web Price".to_owned());
    let found = read(
        b"Stock,Price,Web Price,Misc_Price1\nA1,19000,18950,17000\n",
        &named,
    );
    assert_eq!(found.vehicles[0].vehicle.list_price, Some(18_950));
    let read: Vec<_> = found
        .columns
        .iter()
        .filter(|column| column.field == Some("list_price"))
        .map(|column| column.header.as_str())
        .collect();
    assert_eq!(read, ["Web Price"]);
}

#[test]
fn every_row_that_is_not_published_has_its_reason() {
    let file = "Stock,VIN,Status,Dealer ID\n\
                ,,Available,R1\n\
                A2,,Sold,R1\n\
                A3,,Available,R9\n\
                A4,,Available,R1\n\
                A4,,Available,R1\n\
                A6,,Available\n\
                A7,,At the painter,R1\n";
    let found = read(file.as_bytes(), &group(2));
    assert_eq!(stocks(&found), ["A4"]);
    let reasons: Vec<_> = found
        .skipped
        .iter()
        .map(|finding| (finding.row, finding.code))
        .collect();
    assert_eq!(
        reasons,
        [
            (2, FindingCode::NoIdentifier),
            (3, FindingCode::Sold),
            (4, FindingCode::UnknownRooftop),
            (6, FindingCode::DuplicateStock),
            (7, FindingCode::TooFewFields),
            (8, FindingCode::UnknownStatus),
        ]
    );
    assert!(found.skipped.iter().all(|it| !it.message.is_empty()));
}

#[test]
fn one_bad_cell_never_stops_a_feed_and_unknown_is_not_zero() {
    let header = "Type,Stock,VIN,Miles,SellingPrice,Certified,Doors,EngineDisplacement,DateInStock,Categorized Options";
    let file = format!(
        "{header}\n\
         Certified,A1,,unreadable,ask us,,,Electric,2026-04-21,Heated Seats\n\
         Demo,A2,,12,$20,,x,2.0L,4/21/2026,Comfort@Moonroof\n\
         ,A3,,,,,,,,\n"
    );
    let found = report(&file);
    assert_eq!(stocks(&found), ["A1", "A2", "A3"]);
    let vehicles: Vec<&Vehicle> = found.vehicles.iter().map(|read| &read.vehicle).collect();
    let conditions: Vec<_> = vehicles.iter().map(|it| it.condition).collect();
    assert_eq!(
        conditions,
        [Some(Condition::Cpo), Some(Condition::Used), None]
    );
    assert_eq!(
        (
            vehicles[0].mileage,
            vehicles[0].list_price,
            vehicles[0].displacement_cc
        ),
        (None, None, None)
    );
    assert_eq!(vehicles[0].inventory_date.as_deref(), Some("2026-04-21"));
    assert_eq!(vehicles[0].features, ["Heated Seats"]);
    assert_eq!(vehicles[1].inventory_date.as_deref(), Some("2026-04-21"));
    assert!(vehicles[2].other_attributes.is_empty());
}

#[test]
fn a_description_keeps_its_quotes_and_line_breaks_and_shifts_no_column() {
    let (vehicle, findings) = single(
        "Stock,Descriptions,Make",
        "A1,\"16\"\" wheels,\r\nnew tyres\",Ford",
    );
    assert_eq!(
        vehicle.description.as_deref(),
        Some("16\" wheels,\nnew tyres")
    );
    assert_eq!((vehicle.make.as_deref(), findings.len()), (Some("Ford"), 0));
}

#[test]
fn commas_in_a_pipe_file_are_text() {
    let (vehicle, _) = single(
        "Stock|Options|Make",
        "A1|Tow Package, Heavy Duty; Bed Liner|Ford",
    );
    assert_eq!(vehicle.features, ["Tow Package, Heavy Duty", "Bed Liner"]);
    assert_eq!(vehicle.make.as_deref(), Some("Ford"));
}

#[test]
fn a_row_of_four_cells_under_a_header_of_seventeen_is_named_by_row_and_column() {
    let header = "vehicle_id,title,description,url,make,model,year,mileage.value,mileage.unit,image[0].url,vin,price,\
                  availability,state_of_vehicle,trim,dealer_name,exterior_color";
    let found = report(&format!(
        "{header}\nm1,Honda,nice,https://a.example.com/1\n"
    ));
    assert_eq!(
        found.refused.as_ref().map(|refusal| refusal.code),
        Some(RefusalCode::NothingToPublish)
    );
    assert_eq!(
        places(&found.skipped),
        [(2, Some("make"), FindingCode::TooFewFields)]
    );
    assert!(found.skipped[0].message.contains("4 cells, the header 17"));
}

#[test]
fn a_vehicle_id_twice_loses_no_car() {
    let file = "vehicle_id,vin,make\n\
                v1,1HGCV1F35KA000001,Honda\n\
                V1,1HGCV1F37KA000002,Honda\n\
                v1,1HGCV1F35KA000001,Honda\n\
                v1,,Honda\n";
    let found = report(file);
    assert_eq!(found.published, 2, "told apart by their VINs");
    assert_eq!(
        places(&found.skipped),
        [
            (4, Some("vin"), FindingCode::DuplicateVin),
            (5, Some("vehicle_id"), FindingCode::DuplicateVehicleId)
        ]
    );
    assert_eq!(
        places(&found.warnings),
        [(3, Some("vehicle_id"), FindingCode::DuplicateVehicleId)]
    );
}

#[test]
fn a_vin_in_two_offers_is_reported_and_published_once() {
    let found = report(
        "id,vin,store_code,price\no1,1HGCV1F35KA000001,S1,18950 USD\no2,1HGCV1F35KA000001,S1,18500 USD\n",
    );
    assert_eq!(stocks(&found), ["o1"]);
    assert_eq!(
        places(&found.skipped),
        [(3, Some("vin"), FindingCode::DuplicateVin)]
    );
    assert!(found.skipped[0].message.contains("row 2"));
}

#[test]
fn one_splitter_reads_photo_lists_of_every_separator() {
    let (one, two) = (
        "https://p.example.com/w_400,h_300/1.jpg",
        "https://p.example.com/w_400,h_300/2.jpg",
    );
    for separator in ["|", ",", ", ", ";", "-|-"] {
        let (vehicle, findings) = single(
            "Stock,Photos",
            &format!("A1,\"{one}{separator}{two}{separator}\""),
        );
        assert_eq!(vehicle.photos, [one, two], "{separator:?}");
        assert_eq!(findings, [], "{separator:?}");
    }
}

#[test]
fn an_unquoted_comma_list_of_photos_in_a_comma_file_shifts_no_column() {
    let found = report(
        "Stock,Photos,Price\n\
         A1,https://p.example.com/1.jpg,https://p.example.com/2.jpg,18950\n\
         A2,https://p.example.com/3.jpg,9000\n",
    );
    assert_eq!(stocks(&found), ["A2"]);
    assert_eq!(
        places(&found.skipped),
        [(2, None, FindingCode::TooManyFields)]
    );
    assert!(found.skipped[0].message.contains("quotes"));
}

#[test]
fn a_byte_order_mark_before_a_quoted_first_header_hides_no_vin() {
    let found = report("\u{FEFF}\"VIN\",\"Stock\"\r\n\"1HGCV1F35KA000001\",\"A1\"\r\n");
    assert_eq!(
        found.vehicles[0].vehicle.vin.as_deref(),
        Some("1HGCV1F35KA000001")
    );
    assert_eq!(found.columns[0].header, "VIN");
}

#[test]
fn semicolons_day_first_dates_and_foreign_numbers_are_said_and_never_guessed() {
    let found: FeedReport = report(
        "Stock;DateInStock;Price;Miles\n\
         A1;21/04/2026;14.900,00;64.460\n\
         A2;03/04/2026;14900;64460\n\
         A3;04-05-2026;14,900;64,460\n",
    );
    assert_eq!(found.delimiter, Some(';'));
    assert_eq!(found.published, 3);
    let vehicle = |at: usize| &found.vehicles[at].vehicle;
    assert_eq!(
        (
            vehicle(0).inventory_date.as_deref(),
            vehicle(0).list_price,
            vehicle(0).mileage
        ),
        (None, None, None)
    );
    assert_eq!(
        vehicle(1).inventory_date,
        None,
        "the file writes the day first"
    );
    assert_eq!(
        (vehicle(2).list_price, vehicle(2).mileage),
        (Some(14_900), Some(64_460))
    );
    let mut doubts = places(&found.warnings);
    doubts.sort_by_key(|(row, column, _)| (*row, *column));
    assert_eq!(
        doubts,
        [
            (2, Some("DateInStock"), FindingCode::BadDate),
            (2, Some("Miles"), FindingCode::BadNumber),
            (2, Some("Price"), FindingCode::BadNumber),
            (3, Some("DateInStock"), FindingCode::AmbiguousDate),
            (4, Some("DateInStock"), FindingCode::AmbiguousDate),
        ]
    );
}

#[test]
fn a_price_with_a_sign_and_a_comma_is_read_and_a_blank_property_left_out() {
    let (vehicle, findings) = single("Stock,Price,Engine", "A1,\"$1,495\",\" \"");
    assert_eq!(vehicle.list_price, Some(1_495));
    assert_eq!(findings, []);
    let json = serde_json::to_value(&vehicle).unwrap();
    assert_eq!(json.get("engine"), None);
    assert_eq!(json["list_price"], 1_495, "written as a number");
}

#[test]
fn a_header_alone_or_no_publishable_row_keeps_the_stock_that_is_there() {
    for file in [
        "Stock,VIN,Make\n",
        "Stock,VIN,Make\n,,Honda\n",
        "",
        "<html><body>Service unavailable</body></html>",
    ] {
        let found = report(file);
        assert!(found.refused.is_some() && found.kept_last_good, "{file:?}");
        assert!(found.vehicles.is_empty());
    }
}
