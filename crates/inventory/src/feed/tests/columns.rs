//! Which column is read as what.

use super::super::{Dropped, FindingCode, Layout, read};
use super::{options, places, report, single};
use aap::vehicle::{Condition, VehicleType};

/// Header, field and reason of every column of a file with one row of blanks.
fn uses(header: &str) -> Vec<(String, Option<&'static str>, Option<Dropped>)> {
    let row = "x,".repeat(header.matches(',').count());
    let report = report(&format!("{header}\n{row}x\n"));
    report
        .columns
        .into_iter()
        .map(|column| (column.header, column.field, column.dropped))
        .collect()
}

#[test]
fn headers_of_many_vendors_are_known() {
    for header in [
        "StockNumber,VIN,Year,Make,Model,Trim,Odometer,SpecialPrice,ExteriorColor,InteriorColor,Transmission,PhotoURLs,VehicleDescription",
        "DealerID,StockNumber,VIN,Year,Make,Model,Trim,Condition,InternetSpecial,Mileage,PhotoUrls",
        "Stock,VIN,Year,Make,Model,Body Style,Engine,Transmission,Drive Train,Color,Color 2,Fuel Type,Doors,Mileage,Internet Price,Sales Comments,Features,PhotoURLs",
        "DealerId,StockNumber,Year,Make,Model,Trim,VIN,Mileage,Price,ExteriorColor,InteriorColor,Tranmission,Descriptions,BodyType,EngineType,DriveType,FuelType,Options,NewUsed,ImageURL",
        "Vin,Stock,Year,Make,Model,Trim,Condition,Certified,Vdp,Photo_url_list,Color,Price,mileage,MSRP,On_lot_since",
        "DealerID,VIN,Stock,IsNew,FactoryCertified,Year,Make,Model,Trim,BodyType,DoorCount,Exteriorcolor,Interiorcolor,Engine,EngineDisplacement,Cylinders,Transmission,Drivetrain,FuelType,CityMPG,HwyMPG,Mileage,OptionDescription,DealerComments,PhotoURL,VDP",
        "vehicle_id,description,url,make,model,year,mileage.value,mileage.unit,image[0].url,image[1].url,transmission,fuel_type,body_style,drivetrain,vin,condition,price,exterior_color,availability,date_first_on_lot",
        "vehicle_type,vehicle_id,vin,stock,rooftop,year,make,model,trim,condition,status,list_price,msrp,mileage,body,transmission,driveline,engine,displacement_cc,fuel,city_mpg,highway_mpg,electric_range_mi,battery_kwh,motor_power_hp,dc_fast_charge,charge_port,exterior_color,interior_color,features,photos,vdp_url,description,notes,inventory_date",
    ] {
        let unread: Vec<_> = uses(header)
            .into_iter()
            .filter(|column| column.1.is_none())
            .collect();
        assert_eq!(unread, [], "{header}");
    }
}

#[test]
fn only_known_columns_are_read() {
    let header = "Stock,Invoice,Cost,CostPrice,SALESCOST,FLOORPLANAMOUNT,INVOICEAMOUNT,Wholesale,price_wholesale,price_cost,ACV,Book Value,MEMOLINE1,MEMOLINE2,Dealer Discounted,Holdback,Pack,Reserve Price,Wholesale_Price,ACV Amount,Floor Plan,Purchase Price,Buyer,Package,Reserved";
    let uses = uses(header);
    assert_eq!(uses[0].1, Some("stock"));
    for (header, field, dropped) in &uses[1..22] {
        assert_eq!(
            (*field, *dropped),
            (None, Some(Dropped::NeverPublished)),
            "{header}"
        );
    }
    for (header, _, dropped) in &uses[22..] {
        assert_eq!(*dropped, Some(Dropped::NotKnown), "{header}");
    }
    let found = report(&format!("{header}\n{}x\n", "x,".repeat(24)));
    assert_eq!(found.never_published, 21, "and they are counted");
}

#[test]
fn layouts_are_told_by_their_columns() {
    let layout = |header: &str| report(&format!("{header}\n")).layout;
    assert_eq!(
        layout("Type,Stock,VIN,Year,Make,Model,Miles,SellingPrice,DateInStock"),
        Layout::HomeNet
    );
    assert_eq!(
        layout("DealerId,Stock #,VIN,New/Used,Year,Series,Odometer"),
        Layout::VAuto
    );
    assert_eq!(
        layout("Type,StockNumber,Vin,Miles,SellingPrice,EngineCylinders"),
        Layout::Aliases
    );
    assert_eq!(layout("Stock,VIN,Type,Miles"), Layout::Aliases);
}

#[test]
fn the_first_of_two_columns_for_one_field_is_read() {
    let (vehicle, findings) = single("Stock,Color,Exterior Color", "A1,Red,Blue");
    assert_eq!(vehicle.exterior_color.as_deref(), Some("Red"));
    assert_eq!(findings, []);
    assert_eq!(
        uses("Stock,Color,Exterior Color")[2].2,
        Some(Dropped::AnotherColumn)
    );
}

#[test]
fn the_column_that_says_it_best_is_read() {
    let (vehicle, findings) = single(
        "vehicle_id,condition,state_of_vehicle,Free_Text,Description,Series,Badge",
        "V1,EXCELLENT,CPO,note,text,AXVH71R,Ascent",
    );
    assert_eq!(vehicle.condition, Some(Condition::Cpo), "not the wear");
    assert_eq!(vehicle.description.as_deref(), Some("text"));
    assert_eq!(vehicle.trim.as_deref(), Some("Ascent"));
    assert_eq!(findings, []);
}

#[test]
fn the_configuration_wins_over_the_header() {
    let mut named = options();
    named
        .columns
        .insert("trim".to_owned(), "Series Detail".to_owned());
    named
        .columns
        .insert("stock".to_owned(), "Unit No".to_owned());
    let report = read(
        b"Unit No;Stock;Series;Series Detail\n7;A1;EX;EX-L Navi\n",
        &named,
    );
    let vehicle = &report.vehicles[0].vehicle;
    assert_eq!(report.delimiter, Some(';'));
    assert_eq!(vehicle.stock.as_deref(), Some("7"));
    assert_eq!(vehicle.trim.as_deref(), Some("EX-L Navi"));
}

#[test]
fn a_named_column_is_the_only_one_for_its_field() {
    let mut named = options();
    named
        .columns
        .insert("photos".to_owned(), "Main Photo".to_owned());
    named
        .columns
        .insert("dealer_id".to_owned(), "DCID".to_owned());
    named
        .columns
        .insert("list_price".to_owned(), "Sticker Price".to_owned());
    named.rooftops = vec![
        ("7".to_owned(), "North".to_owned()),
        ("9".to_owned(), "South".to_owned()),
    ];
    let file = "Stock,AccountID,DCID,Photos,Main Photo,Price,Sticker Price\n\
                A1,7,9,https://p.example.com/1.jpg,https://p.example.com/2.jpg,20000,21000\n\
                A2,7,9,,,20000,\n";
    let report = read(file.as_bytes(), &named);
    let vehicle = &report.vehicles[0].vehicle;
    assert_eq!(vehicle.rooftop.as_deref(), Some("South"));
    assert_eq!(vehicle.photos, ["https://p.example.com/2.jpg"]);
    assert_eq!((vehicle.list_price, vehicle.msrp), (Some(21_000), None));
    assert_eq!(report.vehicles[1].vehicle.list_price, None);
}

#[test]
fn a_type_may_be_a_condition_or_a_kind() {
    let text = "Stock,Type\nA1,Used\nA2,Motorcycle\nA3,Sedan\n";
    let report = report(text);
    assert_eq!(
        places(&report.warnings),
        [(1, Some("Type"), FindingCode::AmbiguousColumn)]
    );
    let kinds: Vec<_> = report
        .vehicles
        .iter()
        .map(|read| (read.vehicle.condition, read.vehicle.vehicle_type))
        .collect();
    assert_eq!(
        kinds,
        [
            (Some(Condition::Used), None),
            (None, Some(VehicleType::Motorcycle)),
            (None, None)
        ]
    );
}

#[test]
fn a_title_may_be_a_condition_or_a_heading() {
    let (vehicle, findings) = single("Stock,Title,Type", "A1,Certified Pre-Owned,Trailer");
    assert_eq!(vehicle.condition, Some(Condition::Cpo));
    assert_eq!(vehicle.vehicle_type, Some(VehicleType::Trailer));
    let ambiguous = |header: &str| (Some(header.to_owned()), FindingCode::AmbiguousColumn);
    assert_eq!(findings, [ambiguous("Title"), ambiguous("Type")]);

    let (vehicle, findings) = single("Stock,Title,Condition", "A1,2020 Honda Civic,Used");
    assert_eq!(vehicle.condition, Some(Condition::Used));
    assert_eq!(findings, [], "a sure column settles it");
}

#[test]
fn a_style_may_be_a_trim_or_a_body() {
    let style = [(Some("Style".to_owned()), FindingCode::AmbiguousColumn)];
    let (vehicle, findings) = single("Stock,Style,Body Style", "A1,EX-L,Sedan");
    assert_eq!(
        (vehicle.trim.as_deref(), vehicle.body.as_deref()),
        (Some("EX-L"), Some("Sedan"))
    );
    assert_eq!(findings, style);
    let (vehicle, findings) = single("Stock,Style,Trim", "A1,Sedan,EX-L");
    assert_eq!(
        (vehicle.trim.as_deref(), vehicle.body.as_deref()),
        (Some("EX-L"), Some("Sedan"))
    );
    assert_eq!(findings, style);
}

#[test]
fn an_id_is_the_stock_number_only_where_there_is_no_other() {
    let (vehicle, _) = single("id,VIN", "77,1HGCV1F35KA000001");
    assert_eq!(
        (vehicle.stock.as_deref(), vehicle.vehicle_id),
        (Some("77"), None)
    );
    let (vehicle, _) = single("id,Stock No", "77,A1");
    assert_eq!(
        (vehicle.stock.as_deref(), vehicle.vehicle_id.as_deref()),
        (Some("A1"), Some("77"))
    );
}

#[test]
fn whether_a_unit_is_new_reads_no_as_used() {
    for (cell, condition) in [
        ("Y", Condition::New),
        ("N", Condition::Used),
        ("1", Condition::New),
        ("False", Condition::Used),
    ] {
        let (vehicle, _) = single("Stock,IsNew", &format!("A1,{cell}"));
        assert_eq!(vehicle.condition, Some(condition), "{cell}");
    }
    let (vehicle, _) = single("Stock,New/Used", "A1,N");
    assert_eq!(vehicle.condition, Some(Condition::New));
}

#[test]
fn every_delimiter_and_a_byte_order_mark_are_read() {
    for delimiter in [',', '\t', '|', ';'] {
        let text = "\u{FEFF}\"VIN\"_Stock_Make\r\n1HGCV1F35KA000001_0012_Honda\r\n"
            .replace('_', &delimiter.to_string());
        let report = report(&text);
        assert_eq!(report.delimiter, Some(delimiter));
        assert_eq!(report.encoding, "utf-8");
        let vehicle = &report.vehicles[0].vehicle;
        assert_eq!(vehicle.vin.as_deref(), Some("1HGCV1F35KA000001"));
        assert_eq!(vehicle.stock.as_deref(), Some("0012"));
    }
    // The header settles it, not the commas inside a cell.
    let report = report("Stock|Options, packages, and more\nA1|x\n");
    assert_eq!(report.delimiter, Some('|'));
}

#[test]
fn encodings_are_told_apart() {
    let windows = read(
        b"Stock,Comments\nA1,\x93One owner\x94 caf\xE9\n",
        &options(),
    );
    assert_eq!(windows.encoding, "windows-1252");
    assert_eq!(
        windows.vehicles[0].vehicle.description.as_deref(),
        Some("“One owner” café")
    );

    let utf16: Vec<u8> = "\u{FEFF}Stock,Comments\nA1,“é”\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let utf16 = read(&utf16, &options());
    assert_eq!(utf16.encoding, "utf-16le");
    assert_eq!(
        utf16.vehicles[0].vehicle.description.as_deref(),
        Some("“é”")
    );

    let mut mixed = "Stock,Comments\nA1,“One” owner\nA2,it".as_bytes().to_vec();
    mixed.extend(b"\x92s clean\n");
    let mixed = read(&mixed, &options());
    assert_eq!(mixed.encoding, "utf-8");
    assert_eq!(
        mixed.vehicles[1].vehicle.description.as_deref(),
        Some("it’s clean")
    );
    assert_eq!(
        places(&mixed.warnings),
        [(3, None, FindingCode::MixedEncoding)]
    );
}
