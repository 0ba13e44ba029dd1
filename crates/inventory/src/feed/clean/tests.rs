//! What single cells are read as.

use aap::vehicle::{Condition, Status, VehicleType};
use jiff::civil::date as day;
use serde_json::json;

use super::date::{DateCell, date};
use super::number::{
    Displacement, Money, Odometer, count, displacement, money, odometer, quantity, whole,
};
use super::words::{self, ConditionWord, StatusWord};
use super::{html, list, text, url};

#[test]
fn money_is_read_as_vendors_write_it() {
    for (cell, dollars) in [
        ("$14,900.00", 14_900),
        ("14900.0", 14_900),
        ("14900", 14_900),
        ("$ 1,234,567", 1_234_567),
        ("18000 USD", 18_000),
        ("US$18,000", 18_000),
        ("USD 18000.00", 18_000),
        ("14900.4900", 14_900),
        ("14900.50", 14_901),
        ("95", 95),
    ] {
        assert_eq!(money(cell), Money::Dollars(dollars), "{cell}");
    }
}

#[test]
fn what_stands_for_no_price_is_no_price() {
    for cell in [
        "0",
        "0.00",
        "$0",
        "Call",
        "CALL FOR PRICE",
        "Contact us",
        "$",
        "TBD",
        "Please Inquire",
    ] {
        assert_eq!(money(cell), Money::NotStated, "{cell}");
    }
    for cell in [
        "-1",
        "1",
        "1.00",
        "999999",
        "$999,999",
        "-14900",
        "($14,900)",
        "-$500",
    ] {
        assert_eq!(money(cell), Money::Filler, "{cell}");
    }
    for cell in ["48900.00 CAD", "€14900", "14900 EUR", "£ 9,000", "C$20,000"] {
        assert_eq!(money(cell), Money::OtherCurrency, "{cell}");
    }
    for cell in [
        "14.900,00",
        "14.900",
        "14,9",
        "1,49,00",
        "$14,900 - $15,900",
        "14900 or best offer",
        "sold",
        "14900.1.1",
        ".5",
        "123456789012345678901234567890",
        "200000000",
        "14 900",
    ] {
        assert_eq!(money(cell), Money::Unreadable, "{cell}");
    }
}

#[test]
fn odometers_are_miles_or_say_why_not() {
    for (cell, unit, expected) in [
        ("64,460", None, Odometer::Miles(64_460)),
        ("64460.0", None, Odometer::Miles(64_460)),
        ("100 miles", None, Odometer::Miles(100)),
        ("8,044mi.", None, Odometer::Miles(8_044)),
        ("12", Some("MI"), Odometer::Miles(12)),
        ("7560 km", None, Odometer::FromKilometers(4_698)),
        (
            "160934",
            Some("Kilometers"),
            Odometer::FromKilometers(100_000),
        ),
        ("100 miles", Some("km"), Odometer::Miles(100)),
        ("EXEMPT", None, Odometer::Unknown),
        ("TMU", None, Odometer::Unknown),
        ("Not Actual Mileage", None, Odometer::Unknown),
        ("999999", None, Odometer::Unknown),
        ("812 hrs", None, Odometer::Hours),
        ("812", Some("Hours"), Odometer::Hours),
        ("-1", None, Odometer::Unreadable),
        ("64.460", None, Odometer::Unreadable),
        ("5,000,000", None, Odometer::Unreadable),
        ("low", None, Odometer::Unreadable),
        ("12 furlongs", None, Odometer::Unreadable),
    ] {
        assert_eq!(odometer(cell, unit), expected, "{cell} {unit:?}");
    }
}

#[test]
fn displacement_has_a_unit_or_a_size_that_tells_it() {
    for (cell, in_cc, expected) in [
        ("2.0L", false, Displacement::Cc(2_000)),
        ("2.0 Liter", false, Displacement::Cc(2_000)),
        ("5.7L V8", false, Displacement::Cc(5_700)),
        ("1.998l", false, Displacement::Cc(1_998)),
        ("1868 cc", false, Displacement::Cc(1_868)),
        ("1,868cc V-twin", false, Displacement::Cc(1_868)),
        ("1868", true, Displacement::Cc(1_868)),
        ("2.0", false, Displacement::Cc(2_000)),
        ("6", false, Displacement::Cc(6_000)),
        ("1998", false, Displacement::Cc(1_998)),
        // Cubic inches, or the centimetres of a motorcycle.
        ("350", false, Displacement::NoUnit),
        ("Electric", false, Displacement::None),
        ("0.0L", false, Displacement::None),
        ("350 ci", false, Displacement::Unreadable),
        ("big block", false, Displacement::Unreadable),
        ("-2.0L", false, Displacement::Unreadable),
        ("900000L", false, Displacement::Unreadable),
    ] {
        assert_eq!(displacement(cell, in_cc), expected, "{cell}");
    }
}

#[test]
fn counts_and_quantities_keep_their_numbers() {
    for (cell, expected) in [
        ("4", Some(4)),
        ("4.0", Some(4)),
        ("4 doors", Some(4)),
        ("4-Door", Some(4)),
        ("V6", Some(6)),
        ("I-4", Some(4)),
        ("6 Cyl.", Some(6)),
        ("four", None),
        ("4.5", None),
        ("4/5", None),
    ] {
        assert_eq!(count(cell), expected, "{cell}");
    }
    assert_eq!(whole("32.0"), Some(32));
    assert_eq!(whole("-32"), None);
    assert_eq!(json!(quantity("10.5", &["kwh"])), json!(10.5));
    assert_eq!(json!(quantity("75 kWh", &["kwh"])), json!(75));
    assert_eq!(json!(quantity("310.0 miles", &["miles"])), json!(310));
    assert_eq!(json!(quantity("1,020 hp", &["hp"])), json!(1_020));
    assert_eq!(quantity("210 kW", &["hp"]), None);
    assert_eq!(quantity("lots", &["hp"]), None);
}

#[test]
fn dates_are_read_with_the_month_first_or_not_at_all() {
    let april = day(2026, 4, 21);
    for (cell, expected) in [
        ("2026-04-21", DateCell::Day(april)),
        ("2026-04-21T08:00:00-07:00", DateCell::Day(april)),
        ("2026/04/21", DateCell::Day(april)),
        ("4/21/2026", DateCell::MonthFirst(april)),
        ("04/21/2026", DateCell::MonthFirst(april)),
        ("4/21/2026 12:00:00 AM", DateCell::MonthFirst(april)),
        ("4/5/2026", DateCell::Either(day(2026, 4, 5))),
        ("4/4/2026", DateCell::Day(day(2026, 4, 4))),
        ("21/4/2026", DateCell::DayFirst),
        ("4/21/26", DateCell::Ambiguous),
        ("04-05-2026", DateCell::Ambiguous),
        ("2/30/2026", DateCell::Unreadable),
        ("2026-02-30", DateCell::Unreadable),
        ("45678", DateCell::Unreadable),
        ("April 21", DateCell::Unreadable),
        ("4/21", DateCell::Unreadable),
        ("4/21/2026/1", DateCell::Unreadable),
        ("99999/1/1", DateCell::Unreadable),
    ] {
        assert_eq!(date(cell), expected, "{cell}");
    }
}

#[test]
fn photo_lists_are_split_where_addresses_end() {
    let (one, two) = (
        "https://p.example.com/w_400,h_300/1.jpg",
        "https://p.example.com/2.jpg",
    );
    for separator in [
        "|", ",", ", ", ";", "\n", " ", " | ", ";\r\n", "-|-", " -|- ",
    ] {
        let cell = format!("{one}{separator}{two}");
        assert_eq!(list::addresses(&cell), [one, two], "{separator:?}");
        assert_eq!(
            list::addresses(&format!("{cell}|")),
            [one, two],
            "{separator:?}"
        );
    }
    assert_eq!(list::addresses(&format!("{one},")), [one]);
    assert_eq!(list::addresses(&format!("{two};")), [two]);
    assert_eq!(
        list::addresses("https://p.example.com/1.jpg;size=2?a=1;b=2;https://p.example.com/2.jpg"),
        ["https://p.example.com/1.jpg;size=2?a=1;b=2", two],
        "a semicolon may be part of an address"
    );
    assert_eq!(
        list::addresses("https://p.example.com/?a=1&amp;b=2"),
        ["https://p.example.com/?a=1&b=2"]
    );
    assert_eq!(
        list::addresses("https://p.example.com/?from=https://q.example.com/1"),
        ["https://p.example.com/?from=https://q.example.com/1"]
    );
    assert_eq!(list::addresses(r#"["https://p.example.com/2.jpg"]"#), [two]);
    assert_eq!(
        list::addresses(r#"[{"url":"https://p.example.com/2.jpg","tag":["front"]}]"#),
        [two]
    );
}

#[test]
fn only_web_addresses_are_addresses() {
    for address in [
        "https://p.example.com/1.jpg",
        "HTTP://p.example.com",
        "http://p.example.com/w_400,h_300?x=1#y",
    ] {
        assert!(url::is_web_address(address), "{address}");
    }
    for text in [
        "ftp://p.example.com/1.jpg",
        "javascript:alert(1)",
        "data:image/png;base64,AAAA",
        "file:///etc/hosts",
        "//p.example.com/1.jpg",
        "p.example.com/1.jpg",
        "https://",
        "https:///1.jpg",
        "https:p.example.com",
        "https://vendor:secret@p.example.com/1.jpg",
        "https://p.example.com/a b.jpg",
        "https://p.example.com/a|b.jpg",
        "https://p.example.com/é.jpg",
        "",
    ] {
        assert!(!url::is_web_address(text), "{text}");
    }
}

#[test]
fn features_are_split_at_the_strongest_separator() {
    assert_eq!(list::features("A|B, C|A"), ["A", "B, C"]);
    assert_eq!(list::features("A; B;\nC"), ["A", "B", "C"]);
    assert_eq!(
        list::features("Wheels (19\", black), 1,500 lb Towing,A"),
        ["Wheels (19\", black)", "1,500 lb Towing", "A"]
    );
    assert_eq!(
        list::features("Safety@ABS~Alarm~Comfort@Heated  Seats~Safety@ABS"),
        ["ABS", "Alarm", "Heated Seats"]
    );
    assert_eq!(list::features(r#"["A","B, C"]"#), ["A", "B, C"]);
}

#[test]
fn markup_becomes_plain_text() {
    for (cell, plain) in [
        ("Low miles", "Low miles"),
        (
            "<b>Low</b> miles &amp; clean<br/>Call  us",
            "Low miles & clean\nCall us",
        ),
        ("<ul><li>One</li><li>Two</li></ul>", "One\n\nTwo"),
        ("&lt;p&gt;Escaped&lt;/p&gt;", "Escaped"),
        ("5'7\" Box &lt; 6' <3", "5'7\" Box < 6' <3"),
        (
            "a<script>alert('<b>')</script>b<style>p{}</style>c<!-- no -->d",
            "abcd",
        ),
        ("One\r\nTwo\rThree\n\n\n\nFour", "One\nTwo\nThree\n\nFour"),
        ("a\u{0}b\u{7}c\u{85}d", "abc d"),
        ("“Quoted” – it’s é", "“Quoted” – it’s é"),
        ("never closed <a href=", "never closed <a href="),
        ("<td>A</td><td>B</td>", "A B"),
        ("&nbsp;&#8217;&bogus;&#xFFFFFFFF;", "’&bogus;&#xFFFFFFFF;"),
    ] {
        assert_eq!(html::plain_text(cell), plain, "{cell:?}");
    }
}

#[test]
fn marks_of_a_missing_value_are_no_value() {
    for cell in [
        "", "  ", "nan", "NaN", "NULL", "N/A", "-", "--", " None ", "\u{FEFF}",
    ] {
        assert_eq!(text::cell(cell), None, "{cell:?}");
    }
    assert_eq!(text::cell(" 0012 "), Some("0012"));
    assert_eq!(text::phrase(" Crew \t Cab\nPickup "), "Crew Cab Pickup");
    let short = text::excerpt(&"é".repeat(500));
    assert_eq!(short.chars().count(), 120);
}

#[test]
fn conditions_are_known_by_many_words() {
    let is = |condition| ConditionWord::Condition(condition);
    for (cell, expected) in [
        ("New", is(Condition::New)),
        ("N", is(Condition::New)),
        ("used", is(Condition::Used)),
        ("U", is(Condition::Used)),
        ("Pre-Owned", is(Condition::Used)),
        ("CPO", is(Condition::Cpo)),
        ("Certified", is(Condition::Cpo)),
        ("Certified Pre-Owned", is(Condition::Cpo)),
        ("Used - Certified", is(Condition::Cpo)),
        ("Manufacturer Certified", is(Condition::Cpo)),
        ("Used CPO", is(Condition::Cpo)),
        ("Used Vehicle", is(Condition::Used)),
        ("https://schema.org/NewCondition", is(Condition::New)),
        ("Not Certified", ConditionWord::Other),
        ("Pre-Certified", ConditionWord::Other),
        ("Certified: No", ConditionWord::Other),
        ("Courtesy Vehicle", ConditionWord::Demonstrator),
        ("Demo", ConditionWord::Demonstrator),
        ("Executive Demonstrator", ConditionWord::Demonstrator),
        ("Other", ConditionWord::Other),
        ("2020 Honda Civic", ConditionWord::Other),
    ] {
        assert_eq!(words::condition(cell), expected, "{cell}");
    }
    for (cell, expected) in [
        ("True", Some(true)),
        ("Yes", Some(true)),
        ("C", Some(true)),
        ("1", Some(true)),
        ("Honda Certified", Some(true)),
        ("False", Some(false)),
        ("No", Some(false)),
        ("Not Certified", Some(false)),
        ("maybe", None),
    ] {
        assert_eq!(words::certified(cell), expected, "{cell}");
    }
}

#[test]
fn a_unit_is_listed_gone_or_doubtful() {
    for (cell, expected) in [
        ("Available", StatusWord::Listed(Status::Available)),
        ("In Stock", StatusWord::Listed(Status::Available)),
        ("in_stock", StatusWord::Listed(Status::Available)),
        ("In-Transit", StatusWord::Listed(Status::Intransit)),
        ("Sale Pending", StatusWord::Listed(Status::Pending)),
        ("SOLD", StatusWord::Gone),
        ("out of stock", StatusWord::Gone),
        ("Wholesale", StatusWord::Other),
    ] {
        assert_eq!(words::status(cell), expected, "{cell}");
    }
}

#[test]
fn kinds_of_unit_are_known_by_their_words() {
    for (cell, expected) in [
        ("Motorcycle", Some(VehicleType::Motorcycle)),
        ("Scooters & Mopeds: scooter", Some(VehicleType::Motorcycle)),
        ("Utility Trailer", Some(VehicleType::Trailer)),
        ("Travel Trailer", Some(VehicleType::Rv)),
        ("Class A Motor Home", Some(VehicleType::Rv)),
        ("RV", Some(VehicleType::Rv)),
        ("ATV", Some(VehicleType::Other)),
        ("Passenger Cars", Some(VehicleType::Car)),
        ("SUV", Some(VehicleType::Car)),
        ("Cruiser", None),
        ("Used", None),
    ] {
        assert_eq!(words::vehicle_type(cell), expected, "{cell}");
    }
}

#[test]
fn fuels_and_connectors_get_the_protocols_words() {
    for (cell, expected) in [
        ("Gasoline", "gas"),
        ("Gasoline Fuel", "gas"),
        ("Regular Unleaded", "gas"),
        ("Electric", "bev"),
        ("EV", "bev"),
        ("Plug-In Hybrid", "phev"),
        ("Plug-in Electric/Gas", "phev"),
        ("Gas/Electric Hybrid", "hybrid"),
        ("Gasoline / Electric", "hybrid"),
        ("Diesel", "diesel"),
        ("Flex Fuel", "Flex Fuel"),
        ("Hydrogen", "Hydrogen"),
    ] {
        assert_eq!(words::fuel(cell), expected, "{cell}");
    }
    for (cell, expected) in [
        ("NACS", "nacs"),
        ("Tesla (NACS)", "nacs"),
        ("CCS1 Combo", "ccs"),
        ("J-1772", "j1772"),
        ("CHAdeMO", "chademo"),
        ("Type 2", "Type 2"),
    ] {
        assert_eq!(words::charge_port(cell), expected, "{cell}");
    }
}
