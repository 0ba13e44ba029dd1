//! What becomes of cells as vendors write them.

use super::super::{FindingCode, Layout, field_names};
use super::{places, report, single};

/// The field of a header that stands beside identifiers.
fn field_of(header: &str) -> Option<&'static str> {
    report(&format!("Unit ID,{header}\n7,x\n")).columns[1].field
}

#[test]
fn every_alias_of_the_field_feeds_its_field() {
    for (field, headers) in [
        ("dealer_id", "DealerID,Dealer,AccountID,DCID,store_code"),
        ("vin", "VIN,Vin No,VIN Number"),
        ("stock", "Stock,Stock No,Stock Number,id,SKU"),
        ("year", "Year,Model Year,ManuYear"),
        (
            "trim",
            "Trim,Series,Style,Badge,Version,Trim-Style,vehicleConfiguration",
        ),
        (
            "condition",
            "New/Used,Type,Condition,Stock Type,state_of_vehicle,Title",
        ),
        ("is_new", "IsNew"),
        ("certified", "Certified,IsCPO,FactoryCertified"),
        ("mileage", "Miles,Mileage,Odometer,mileage.value"),
        (
            "list_price",
            "Selling Price,Internet Price,Special Price,Sale Price,Price,Internet Special,Advertised Price,List Price",
        ),
        ("msrp", "MSRP,Sticker,vehicle_msrp"),
        (
            "exterior_color",
            "Exterior Color,Ext Color,Colour,Color,BodyColour",
        ),
        (
            "interior_color",
            "Interior Color,Int Color,Color 2,TrimColour",
        ),
        ("driveline", "Drivetrain,Drivetrain Desc,Drive Type"),
        ("fuel", "Fuel Type,Fuel"),
        (
            "photos",
            "PhotoURLs,ImageList,Photos,Photo Url List,ImageURLs,ImageURL,Images,PhotoUrl1,PhotoUrl12",
        ),
        (
            "description",
            "Description,Comments,Sales Comments,DealerComments,VehicleComments",
        ),
        ("features", "Options,Features,OptionDescription,Equipment"),
        (
            "inventory_date",
            "DateInStock,Inventory Date,date_first_on_lot,On_lot_since",
        ),
        ("vdp_url", "VDP,URL,Link,VDP URL,ListingURL,DetailPageURL"),
    ] {
        for header in headers.split(',') {
            assert_eq!(field_of(header), Some(field), "{header}");
        }
        assert!(field_names().any(|name| name == field), "{field}");
    }
}

#[test]
fn a_model_is_published_without_the_trim_that_another_column_states() {
    for (model, trim, drive, published) in [
        ("Enclave CXL AWD", "CXL", "AWD", "Enclave"),
        ("Enclave CXL", "cxl", "FWD", "Enclave"),
        ("Enclave CXL AWD", "CXL AWD", "", "Enclave"),
        ("Enclave CXL AWD", "", "AWD", "Enclave CXL AWD"),
        ("Enclave AWD", "CXL", "AWD", "Enclave AWD"),
        ("CXL", "CXL", "", "CXL"),
        ("Rav4XLE", "XLE", "", "Rav4XLE"),
        ("Café É", "É", "", "Café"),
    ] {
        let (vehicle, findings) = single(
            "Stock,Model,Trim,Drivetrain",
            &format!("A1,{model},{trim},{drive}"),
        );
        assert_eq!(vehicle.model.as_deref(), Some(published), "{model} {trim}");
        let codes: Vec<_> = findings.into_iter().map(|(_, code)| code).collect();
        let told = (model != published).then_some(FindingCode::ModelWithTrim);
        assert_eq!(codes, Vec::from_iter(told), "{model} {trim}");
    }
}

#[test]
fn a_style_that_repeats_the_body_is_no_trim() {
    let (vehicle, _) = single("Stock,Style,Body Style", "A1,4dr Sedan,4DR  SEDAN");
    assert_eq!(
        (vehicle.trim, vehicle.body.as_deref()),
        (None, Some("4DR SEDAN"))
    );
}

#[test]
fn capitals_and_leading_zeros_stay_as_the_vendor_writes_them() {
    let (vehicle, findings) = single("Stock,Make,Model", "000451,CHEVROLET,HHR");
    assert_eq!(vehicle.stock.as_deref(), Some("000451"));
    assert_eq!(vehicle.title().as_deref(), Some("CHEVROLET HHR"));
    assert_eq!(findings, []);
}

#[test]
fn a_stock_number_that_a_spreadsheet_has_rounded_is_not_taken_for_one() {
    let found = report("VIN,Stock\n1HGCV1F35KA000001,1.23457E+11\n,4.0E+5\n,12E4\n");
    assert_eq!(found.vehicles[0].vehicle.stock, None);
    assert_eq!(found.vehicles[1].vehicle.stock.as_deref(), Some("12E4"));
    assert_eq!(
        places(&found.warnings),
        [(2, Some("Stock"), FindingCode::SpreadsheetNumber)]
    );
    assert_eq!(
        places(&found.skipped),
        [(3, None, FindingCode::NoIdentifier)]
    );
}

#[test]
fn words_for_several_kinds_of_unit_name_none() {
    use super::super::clean::words::vehicle_type;
    for (cell, kind) in [
        ("CARS & TRUCKS & VANS", Some("car")),
        ("COMMERCIAL TRUCKS & TRAILERS & BUSES", None),
        ("RVs & CAMPERS", Some("rv")),
        ("GO KARTS & SCOOTERS", None),
        ("PWC/ATV", Some("other")),
        ("MOTORCYCLE", Some("motorcycle")),
        ("Misc Equipment", Some("other")),
    ] {
        assert_eq!(vehicle_type(cell).map(|it| it.as_str()), kind, "{cell}");
    }
}

#[test]
fn australian_amounts_and_kilometers_are_not_published_as_american() {
    let header = "StockNo,VIN,ManuYear,Badge,Rego,Odometer,AdvertisedPrice,MSRP";
    let found = report(&format!("{header}\nA1,,2020,GX,ABC123,16093,38990,45000\n"));
    assert_eq!(found.layout, Layout::CoxAustralia);
    let vehicle = &found.vehicles[0].vehicle;
    assert_eq!(
        (vehicle.list_price, vehicle.msrp, vehicle.mileage),
        (None, None, Some(10_000))
    );
    assert_eq!(
        places(&found.warnings),
        [
            (1, Some("AdvertisedPrice"), FindingCode::Currency),
            (2, Some("Odometer"), FindingCode::Kilometers)
        ]
    );
}
