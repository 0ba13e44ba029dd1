//! What is published of a price column.

use aap::vehicle::DealerFee;
use dealers::PricePolicy;

use super::super::{FeedReport, FindingCode, RefusalCode, read};
use super::{options, places};

fn fee(name: &str, amount: u64) -> DealerFee {
    DealerFee {
        name: name.to_owned(),
        amount,
    }
}

fn with_policy(text: &str, price: PricePolicy) -> FeedReport {
    let mut options = options();
    options.price = price;
    read(text.as_bytes(), &options)
}

/// `price`, `list_price` and `fees` of the first vehicle.
fn published(report: &FeedReport) -> (Option<u64>, Option<u64>, Option<Vec<DealerFee>>) {
    assert_eq!(report.refused, None);
    let vehicle = &report.vehicles[0].vehicle;
    (vehicle.price, vehicle.list_price, vehicle.fees.clone())
}

fn list_prices(report: &FeedReport) -> Vec<Option<u64>> {
    report
        .vehicles
        .iter()
        .map(|read| read.vehicle.list_price)
        .collect()
}

const FILE: &str = "Stock,Internet Price,MSRP,Invoice\nA1,\"$18,950\",21000,17000\n";

#[test]
fn without_a_statement_a_price_is_a_list_price() {
    let report = with_policy(FILE, PricePolicy::default());
    assert_eq!(published(&report), (None, Some(18_950), None));
    assert_eq!(report.vehicles[0].vehicle.msrp, Some(21_000));
    assert_eq!(report.columns[1].field, Some("list_price"));
}

#[test]
fn a_stated_advertised_price_is_the_price() {
    let mut policy = PricePolicy {
        advertised: true,
        ..PricePolicy::default()
    };
    let report = with_policy(FILE, policy.clone());
    assert_eq!(published(&report), (Some(18_950), None, None));
    assert_eq!(report.columns[1].field, Some("price"));

    policy.fees = Some(vec![fee("Documentation fee", 500)]);
    let stated = with_policy(FILE, policy.clone());
    assert_eq!(
        published(&stated),
        (Some(18_950), None, policy.fees),
        "the fees are inside"
    );
}

#[test]
fn stated_fees_are_added_and_published() {
    let fees = vec![fee("Documentation fee", 500), fee("Preparation", 295)];
    let policy = PricePolicy {
        fees: Some(fees.clone()),
        ..PricePolicy::default()
    };
    assert_eq!(
        published(&with_policy(FILE, policy)),
        (Some(19_745), None, Some(fees))
    );

    let none = PricePolicy {
        fees: Some(Vec::new()),
        ..PricePolicy::default()
    };
    assert_eq!(
        published(&with_policy(FILE, none)),
        (Some(18_950), None, Some(Vec::new()))
    );
}

#[test]
fn no_price_stays_no_price_whatever_is_stated() {
    let policy = PricePolicy {
        advertised: true,
        fees: Some(vec![fee("Documentation fee", 500)]),
        ..PricePolicy::default()
    };
    for cell in ["", "Call", "0", "-1", "1", "999999", "18000 CAD"] {
        let report = with_policy(
            &format!("Stock,Price,MSRP\nA1,{cell},21000\n"),
            policy.clone(),
        );
        assert_eq!(published(&report), (None, None, None), "{cell}");
        let silent = matches!(cell, "" | "Call" | "0");
        assert_eq!(report.warnings.is_empty(), silent, "{cell}");
    }
}

#[test]
fn the_sticker_is_never_taken_for_the_price() {
    let report = with_policy(
        "Stock,MSRP\nA1,21000\n",
        PricePolicy {
            advertised: true,
            ..PricePolicy::default()
        },
    );
    assert_eq!(published(&report), (None, None, None));
    assert_eq!(report.vehicles[0].vehicle.msrp, Some(21_000));
}

#[test]
fn several_prices_are_reported_once_where_they_differ() {
    let file = "Stock,Sale Price,Price\nA1,,20000\nA2,20000,20000\nA3,18000,20000\nA4,17000,19000\nA5,17500,0\n";
    let report = with_policy(file, PricePolicy::default());
    assert_eq!(
        places(&report.warnings),
        [(1, Some("Price"), FindingCode::AmbiguousColumn)]
    );
    let message = &report.warnings[0].message;
    assert!(
        message.contains("`Price`, `Sale Price`") && message.contains("row 4"),
        "{message}"
    );
    assert_eq!(
        list_prices(&report),
        [20_000, 20_000, 20_000, 19_000, 17_500].map(Some),
        "the price before discounts, else the other one"
    );
}

#[test]
fn prices_that_never_differ_are_no_doubt() {
    let file =
        "Stock,Internet Price,Selling Price,Price\nA1,Call,0,20000\nA2,,19000,\nA3,18000,18000,\n";
    let report = with_policy(file, PricePolicy::default());
    assert_eq!(report.warnings, []);
    assert_eq!(list_prices(&report), [20_000, 19_000, 18_000].map(Some));
}

#[test]
fn a_statement_about_one_of_several_prices_must_name_it() {
    let file = "Stock,Internet Price,Selling Price\nA1,18000,19000\nA2,18500,18500\nA3,,17000\n";
    let fees = vec![fee("Documentation fee", 500)];
    for (advertised, fees, price) in [
        (true, None, [None, Some(18_500), Some(17_000)]),
        (false, Some(fees), [None, Some(19_000), Some(17_500)]),
    ] {
        let policy = PricePolicy {
            advertised,
            fees,
            ..PricePolicy::default()
        };
        let report = with_policy(file, policy);
        let prices: Vec<_> = report
            .vehicles
            .iter()
            .map(|read| read.vehicle.price)
            .collect();
        assert_eq!(
            prices, price,
            "no price where it is not known which is meant"
        );
        assert_eq!(list_prices(&report), [Some(19_000), None, None]);
        assert_eq!(
            places(&report.warnings),
            [(1, Some("Selling Price"), FindingCode::AmbiguousColumn)]
        );
        assert!(report.warnings[0].message.contains("without `price`"));
    }
}

#[test]
fn a_list_price_stands_beside_a_stated_price() {
    let file = "Stock,List Price,Special Price\nA1,20000,19000\n";
    for column in [None, Some("Special Price".to_owned())] {
        let policy = PricePolicy {
            advertised: true,
            column,
            ..PricePolicy::default()
        };
        let report = with_policy(file, policy);
        assert_eq!(published(&report), (Some(19_000), Some(20_000), None));
        assert_eq!(report.warnings, []);
    }
    let unstated = with_policy(file, PricePolicy::default());
    assert_eq!(published(&unstated), (None, Some(20_000), None));
    let only = PricePolicy {
        advertised: true,
        ..PricePolicy::default()
    };
    let only = with_policy("Stock,List Price\nA1,20000\n", only);
    assert_eq!(published(&only), (Some(20_000), None, None));
}

#[test]
fn a_named_column_settles_which_price() {
    let file = "Stock,Internet Price,Special\nA1,20000,19000\n";
    for named in ["Special", "SPECIAL "] {
        let policy = PricePolicy {
            column: Some(named.to_owned()),
            ..PricePolicy::default()
        };
        let report = with_policy(file, policy);
        assert_eq!(published(&report), (None, Some(19_000), None));
        assert_eq!(report.warnings, []);
    }
    let mut options = options();
    options
        .columns
        .insert("price".to_owned(), "Special".to_owned());
    assert_eq!(
        published(&read(file.as_bytes(), &options)),
        (None, Some(19_000), None)
    );
}

#[test]
fn fees_that_cannot_be_published_refuse_the_file() {
    let fees = vec![
        fee("Doc fee", 500),
        fee(" doc FEE", 400),
        fee("", 1),
        fee(&"x".repeat(121), 1),
    ];
    let policy = PricePolicy {
        fees: Some(fees),
        ..PricePolicy::default()
    };
    let refusal = with_policy(FILE, policy).refused.expect("refused");
    assert_eq!(refusal.code, RefusalCode::BadFees);
    for part in [
        "` doc FEE` is stated twice",
        "fee 3 has no name",
        "fee 4 is longer",
    ] {
        assert!(
            refusal.message.contains(part),
            "{part}: {}",
            refusal.message
        );
    }
    let huge = PricePolicy {
        fees: Some(vec![fee("a", u64::MAX), fee("b", u64::MAX)]),
        ..PricePolicy::default()
    };
    assert_eq!(
        with_policy(FILE, huge).refused.expect("refused").code,
        RefusalCode::BadFees
    );
}
