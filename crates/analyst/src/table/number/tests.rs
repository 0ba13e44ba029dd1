use super::*;

fn amount(cell: &str) -> Option<(String, Option<String>)> {
    let parsed = parse(cell)?;
    let currency = match parsed.sign {
        None => None,
        Some(Sign::Sure(currency)) => Some(currency.to_string()),
        Some(Sign::Dollar) => Some("$".to_owned()),
        Some(Sign::Krone) => Some("kr".to_owned()),
    };
    Some((parsed.value(false)?.to_string(), currency))
}

#[track_caller]
fn assert_amount(cell: &str, number: &str, currency: Option<&str>) {
    let expected = Some((number.to_owned(), currency.map(str::to_owned)));
    assert_eq!(amount(cell), expected, "{cell}");
}

#[test]
fn amounts_are_read_in_the_spellings_of_all_countries() {
    assert_amount("$1,299.00", "1299.00", Some("$"));
    assert_amount("1.299,00 €", "1299.00", Some("EUR"));
    assert_amount("1.299,00\u{a0}€", "1299.00", Some("EUR"));
    assert_amount("11995 GBP", "11995", Some("GBP"));
    assert_amount("£11,995", "11995", Some("GBP"));
    assert_amount("CHF 1'299.50", "1299.50", Some("CHF"));
    assert_amount("CHF 1’299.–", "1299", Some("CHF"));
    assert_amount("1 299,90 kr", "1299.90", Some("kr"));
    assert_amount("1\u{202f}299,90 EUR", "1299.90", Some("EUR"));
    assert_amount("US$ 15.00", "15.00", Some("USD"));
    assert_amount("$15.00 USD", "15.00", Some("USD"));
    assert_amount("1.299,-", "1299", None);
    assert_amount("Rs. 1,29,900.50", "129900.50", Some("INR"));
    assert_amount("12.00 usd", "12.00", Some("USD"));
    assert_amount("€ 11,50", "11.50", Some("EUR"));
}

#[test]
fn the_decimal_sign_is_decided_by_the_number_itself() {
    assert_amount("1,299.00", "1299.00", None);
    assert_amount("1.299.000", "1299000", None);
    assert_amount("1.299.00", "1299.00", None);
    assert_amount("12,5", "12.5", None);
    assert_amount("0.129", "0.129", None);
    assert_amount("1234.567", "1234.567", None);
    assert_amount("34.0000", "34.0000", None);
    assert_amount(".5", "0.5", None);
    assert_amount("1,299", "1299", None);
    let doubtful = parse("1.299").unwrap();
    assert_eq!(doubtful.marks, Marks::Doubt(b'.'));
    assert_eq!(doubtful.value(true).unwrap().to_string(), "1.299");
}

#[test]
fn a_minus_or_a_parenthesis_makes_it_negative() {
    for cell in [
        "-12.00", "−12.00", "12.00-", "(12.00)", "($12.00)", "-$12.00", "$-12.00",
    ] {
        assert_eq!(
            amount(cell).map(|it| it.0).as_deref(),
            Some("-12.00"),
            "{cell}"
        );
    }
    assert_eq!(amount("-(12)"), None);
}

#[test]
fn a_unit_is_told_from_a_currency_and_from_a_multiple() {
    let miles = parse("93,000 miles").unwrap();
    assert!(miles.has_unit);
    assert_eq!(miles.value(false).unwrap().to_string(), "93000");
    assert!(parse("5 %").unwrap().has_unit);
    assert_eq!(parse("25k"), None);
    assert_eq!(parse("1,2 Mio"), None);
}

#[test]
fn what_is_no_number_is_none() {
    for cell in [
        "",
        "-",
        ".",
        "€",
        "A1",
        "ab 99 €",
        "12 34",
        "1.2,3.4",
        "01.02.2026",
        "2026-01-02",
        "10:20",
        "1,2,3",
        "12 x 30",
        "Call for price",
        "3 Series Coupé LT",
        "99999999999999999999999999999999",
        "1HGCV1F30KA000001",
        "12 € USD",
        "5 EUR 6",
    ] {
        assert_eq!(parse(cell), None, "{cell}");
    }
}

#[test]
fn numbers_of_spreadsheets_keep_their_value() {
    assert_eq!(
        amount("9.78E+12").map(|it| it.0).as_deref(),
        Some("9780000000000")
    );
    assert_eq!(amount("1.5E-3").map(|it| it.0).as_deref(), Some("0.0015"));
}
