use proptest::prelude::*;
use serde_json::json;

use super::{mask, numbers::masked};

/// Test numbers that card networks publish, and how people write them.
const CARDS: [(&str, &str); 24] = [
    ("4111111111111111", "****************"),
    ("4111 1111 1111 1111", "**** **** **** ****"),
    ("4111-1111-1111-1111", "****-****-****-****"),
    ("4111.1111.1111.1111", "****.****.****.****"),
    ("4111 - 1111 - 1111 - 1111", "**** - **** - **** - ****"),
    (
        "4111\u{a0}1111\u{2013}1111\u{a0}1111",
        "****\u{a0}****\u{2013}****\u{a0}****",
    ),
    (
        "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
        "* * * * * * * * * * * * * * * *",
    ),
    ("4111\t1111\t1111\t1111", "****\t****\t****\t****"),
    ("4111\r\n1111\n1111\n1111", "****\r\n****\n****\n****"),
    ("4111_1111_1111_1111", "****_****_****_****"),
    (
        "4111\u{200b}1111\u{202f}1111\u{2212}1111",
        "****\u{200b}****\u{202f}****\u{2212}****",
    ),
    ("\u{ff14}\u{ff11}11 1111 1111 1111", "**** **** **** ****"),
    (
        "\u{664}\u{661}\u{661}\u{661}111111111111",
        "****************",
    ),
    ("4222222222222", "*************"),
    ("5555555555554444", "****************"),
    ("2223 0031 2200 3222", "**** **** **** ****"),
    ("3782 822463 10005", "**** ****** *****"),
    ("371449635398431", "***************"),
    ("3056 930902 5904", "**** ****** ****"),
    ("6011 1111 1111 1117", "**** **** **** ****"),
    ("3530111333300000", "****************"),
    ("6200000000000005", "****************"),
    ("6759649826438453", "****************"),
    ("6304 0000 0000 0000 018", "**** **** **** **** ***"),
];

#[test]
fn card_numbers_are_masked_wherever_they_stand() {
    for (card, hidden) in CARDS {
        for (before, after) in [
            ("", ""),
            ("My card is ", ", thanks."),
            ("card:", ";exp 12/27"),
            ("Visa", " 12 27 123"),
            ("call 415-555-0123 or charge ", " today"),
            ("🚗 ", " 🚗"),
        ] {
            let text = format!("{before}{card}{after}");
            assert_eq!(
                masked(&text).as_deref(),
                Some(format!("{before}{hidden}{after}").as_str()),
                "{text}"
            );
        }
    }
}

#[test]
fn two_cards_in_one_row_are_both_masked() {
    let text = "4111 1111 1111 1111 5555 5555 5555 4444";
    assert_eq!(
        masked(text).as_deref(),
        Some("**** **** **** **** **** **** **** ****")
    );
}

#[test]
fn what_no_issuer_issues_or_fails_the_check_digit_stays() {
    for text in [
        "4111111111111112",
        "1111111111111117",
        "9999 9999 9999 9995",
        "41111111111111111111111",
        "0000000000000000",
    ] {
        assert_eq!(masked(text), None, "{text}");
    }
}

#[test]
fn social_security_numbers_are_masked() {
    for (text, hidden) in [
        ("SSN 219-09-9999", "SSN ***-**-****"),
        ("219 09 9999", "*** ** ****"),
        ("219.09.9999.", "***.**.****."),
        (
            "it is 219\u{2013}09\u{2013}9999!",
            "it is ***\u{2013}**\u{2013}****!",
        ),
        ("SSN219-09-9999", "SSN***-**-****"),
        ("my ssn: 219 099999", "my ssn: *** ******"),
        ("my social is 219099999", "my social is *********"),
        ("219099999 (SSN)", "********* (SSN)"),
        ("Soc. Sec. No. 219099999", "Soc. Sec. No. *********"),
    ] {
        assert_eq!(masked(text).as_deref(), Some(hidden), "{text}");
    }
}

#[test]
fn what_is_no_social_security_number_stays() {
    for text in [
        "000-12-3456",
        "666-12-3456",
        "900-12-3456",
        "219-00-9999",
        "219-09-0000",
        "219-09 9999",
        "1-219-09-9999",
        "219-09-9999-1",
        "219-09-99990",
        "A219-09-9999",
        "219099999",
        "order 219099999",
        "a sociable car, number 219099999",
        "415-555-0123",
        "(415) 555-0123",
    ] {
        assert_eq!(masked(text), None, "{text}");
    }
}

#[test]
fn what_buyers_write_about_cars_stays() {
    for text in [
        "+14155550123, or +49 151 23456789 after six",
        "call 1 415 555 0123 or 415 555 3612, 415 555 0124",
        "VIN 1HGCM82633A004352 and WBA4111111111111A",
        "between $41,111 and $52,500, trade-in $4,000",
        "90210-1234, 10001-4111",
        "2026-05-01 2026-05-02 10:00-11:30",
        "05/01/2026 05/02/2026",
        "stock N-1001, 4111-A, 5105 miles",
        "2019 2020 2021 2022 models",
        "40.712776, -74.005974",
        "tires 225/45R17 94W, 4 x 100",
        "order 1714567890123",
    ] {
        assert_eq!(masked(text), None, "{text}");
    }
}

#[test]
fn free_text_is_masked_and_what_names_a_person_or_a_car_is_not() {
    let card = "4111 1111 1111 1111";
    let mut request = serde_json::from_value(json!({
        "customer": {
            "first_name": "Ada", "last_name": card,
            "email": "4111111111111111@example.com", "phone": "+14155550123",
            "address": { "address_line_1": format!("1 Main Street {card}"), "zip": "10001-4111" }
        },
        "consent": {
            "granted_at": "2026-05-01T11:59:00Z", "allowed_channels": ["email"],
            "consent_text": format!("charge {card}"), "scope": ["lead_submission"]
        },
        "source_agent": { "name": "example-agent" },
        "vehicle_of_interest": {
            "vin": "1HGCM82633A004352", "stock": "4111111111111111", "price": 4_111_111,
            "notes": card, "features": ["one", card],
            "other_attributes": { "deep": { "deeper": [card], "bare": 4_111_111_111_111_111_u64 } },
            "unknown": card
        },
        "trade_in": { "make": "Honda", "description": "my SSN: 219-09-9999" },
        "appointment": { "appointment_type": "sales", "notes": format!("pay with {card}") },
        "message": format!("my card: {card}")
    }))
    .unwrap();
    assert!(mask(&mut request));
    let hidden = "**** **** **** ****";
    let customer = &request.customer;
    assert_eq!(customer.last_name, hidden);
    assert_eq!(
        customer.email.as_deref(),
        Some("4111111111111111@example.com")
    );
    let address = customer.address.as_ref().unwrap();
    assert_eq!(
        address.address_line_1.as_deref(),
        Some("1 Main Street **** **** **** ****")
    );
    assert_eq!(request.consent.consent_text, format!("charge {card}"));
    let vehicle = request.vehicle_of_interest.as_ref().unwrap();
    assert_eq!(vehicle.stock.as_deref(), Some("4111111111111111"));
    assert_eq!(vehicle.price, Some(4_111_111));
    assert_eq!(vehicle.notes.as_deref(), Some(hidden));
    assert_eq!(vehicle.features, ["one", hidden]);
    assert_eq!(vehicle.other_attributes["deep"]["deeper"][0], hidden);
    assert_eq!(vehicle.other_attributes["deep"]["bare"], "****************");
    assert_eq!(vehicle.extra["unknown"], hidden);
    let trade_in = request.trade_in.as_ref().unwrap();
    assert_eq!(trade_in.description.as_deref(), Some("my SSN: ***-**-****"));
    assert_eq!(
        request.appointment.as_ref().unwrap().notes.as_deref(),
        Some("pay with **** **** **** ****")
    );
    assert_eq!(
        request.message.as_deref(),
        Some("my card: **** **** **** ****")
    );
    assert!(!mask(&mut request), "nothing is left to mask");
}

/// The digit that makes a number pass the check.
fn check_digit(digits: &str) -> char {
    ('0'..='9')
        .find(|last| {
            let all = format!("{digits}{last}");
            let sum: u32 = all
                .chars()
                .rev()
                .enumerate()
                .map(|(at, it)| {
                    let digit = it.to_digit(10).unwrap();
                    [digit, [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][digit as usize]][at % 2]
                })
                .sum();
            sum.is_multiple_of(10)
        })
        .unwrap()
}

proptest! {
    #[test]
    fn every_card_of_sixteen_digits_is_found(
        start in "(4[0-9]{3}|5[1-5][0-9]{2}|2[3-6][0-9]{2}|6011|65[0-9]{2})",
        rest in "[0-9]{11}",
        joint in "[ .-]?",
        before in "[a-zA-Z ,:;!?äßж🚗]{0,20}",
        after in "[ ,:;!?äßж🚗][a-zA-Z ,:;!?]{0,20}",
    ) {
        let mut card = format!("{start}{rest}");
        card.push(check_digit(&card));
        let written = [&card[..4], &card[4..8], &card[8..12], &card[12..]].join(&joint);
        let text = format!("{before}{written}{after}");
        let hidden = masked(&text).unwrap();
        prop_assert_eq!(hidden.chars().count(), text.chars().count());
        prop_assert!(!hidden.contains(|it: char| it.is_ascii_digit()));
        let letters = |text: &str| text.replace(|it: char| it.is_ascii_digit() || it == '*', "");
        prop_assert_eq!(letters(&hidden), letters(&text));
    }

    #[test]
    fn telephone_numbers_stay(
        area in "[2-9][0-9]{2}", exchange in "[2-9][0-9]{2}", line in "[0-9]{4}",
        country in "[1-9][0-9]{0,2}", national in "[0-9]{6,11}",
        other in "[2-9][0-9]{2} [2-9][0-9]{2} [0-9]{4}",
        joint in "( or |, | / |; | )",
    ) {
        for us in [
            format!("{area}-{exchange}-{line}"),
            format!("({area}) {exchange}-{line}"),
            format!("{area}.{exchange}.{line}"),
            format!("{area} {exchange} {line}"),
            format!("{area}{exchange}{line}"),
            format!("1 {area} {exchange} {line}"),
            format!("1-{area}-{exchange}-{line}"),
            format!("+1 ({area}) {exchange}-{line}"),
            format!("+1{area}{exchange}{line}"),
            format!("+{country}{national}"),
            format!("+{country} {national}"),
            format!("+{country} {} {}", &national[..3], &national[3..]),
        ] {
            for text in [us.clone(), format!("call {us}{joint}{other} please")] {
                prop_assert_eq!(masked(&text), None, "{}", text);
            }
        }
    }

    #[test]
    fn cars_prices_places_and_times_stay(
        vin in "[A-HJ-NPR-Z0-9]{3}[A-HJ-NPR-Z]{2}[A-HJ-NPR-Z0-9]{12}",
        price in 1000_u32..200_000, zip in "[0-9]{5}-[0-9]{4}", year in 1950_u16..2030,
        month in 1_u8..=12, day in 1_u8..=28, hour in 0_u8..24, minute in 0_u8..60,
        stock in "[A-Z]{0,3}[0-9]{3,8}",
    ) {
        let thousands = format!("${},{:03}", price / 1000, price % 1000);
        for text in [
            format!("{vin} for {thousands} or {price} dollars"),
            format!("{zip} {zip}"),
            format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z {year}-{month:02}-{day:02}"),
            format!("{month:02}/{day:02}/{year} {hour:02}:{minute:02}, {day:02}.{month:02}.{year}"),
            format!("stock {stock}, {stock}; {price}, {price} and {price} miles"),
        ] {
            prop_assert_eq!(masked(&text), None, "{}", text);
        }
    }

    #[test]
    fn no_text_makes_it_panic_or_changes_more_than_digits(text in "[0-9 .+A-Za-z\\-äж🚗]{0,80}") {
        if let Some(hidden) = masked(&text) {
            for (before, after) in text.chars().zip(hidden.chars()) {
                prop_assert!(before == after || (before.is_ascii_digit() && after == '*'));
            }
        }
    }
}
