use super::mock::{MockDealer, Reply, V1_0, V1_2, V1_3};

fn answering(version: &str, payload: &str) -> MockDealer {
    MockDealer::speaking(&[version], &[Reply::Payload(payload.to_owned())])
}

const PAGE: &str = r#"{"type":"inventory.search.response","data":{"total":41,"skip":20,"limit":3,"vehicles":[
 {"vin":"1HGCY2F57RA000001","stock":"N-1","rooftop":"North","year":2024,"make":"Honda","model":"CR-V","trim":"EX-L","condition":"used","status":"available","price":32995,"list_price":31495,"msrp":35450,"mileage":14820},
 {"stock":"N-2","year":2020,"make":"Kia","model":"Soul","condition":"cpo","status":"pending","list_price":9999},
 {"stock":"N-3","make":"Ford","model":"Gone","condition":"used","status":"sold","price":1},
 {"stock":"N-4","make":"Ford","model":"Silent","condition":"used","price":2}]},"message":"Three \u001b[31mfit\u0007."}"#;

#[test]
fn prices_carry_what_they_cover() {
    for (version, words, others) in [
        (V1_0, &["price (out-the-door)"][..], "advertised"),
        (V1_2, &["price (out-the-door)"], "advertised"),
        (
            V1_3,
            &["price (advertised,", "mandatory fees"],
            "out-the-door",
        ),
    ] {
        let page = answering(version, PAGE).buyer("search", &[]).assert_exit(0);
        for part in words {
            assert!(page.stdout.contains(part), "{}", page.stdout);
        }
        assert!(!page.stdout.contains(others), "{}", page.stdout);
    }
}

#[test]
fn a_page_shows_what_the_dealer_stated_and_nothing_else() {
    let page = answering(V1_3, PAGE)
        .buyer("search", &[])
        .assert_exit(0)
        .stdout;
    assert!(page.contains("41 vehicles match"), "{page}");
    let line_of = |stock: &str| {
        page.lines()
            .find(|line| line.contains(stock))
            .unwrap_or_else(|| panic!("{stock} in {page}"))
    };
    let first = line_of("N-1");
    for part in [
        "2024 Honda CR-V EX-L",
        "$32,995",
        "14,820",
        "North",
        "1HGCY2F57RA000001",
    ] {
        assert!(first.contains(part), "{first}");
    }
    let second = line_of("N-2");
    assert!(second.contains("not stated"), "{second}");
    assert!(
        !second.contains("9,999"),
        "a list price is no price: {second}"
    );
}

#[test]
fn listings_without_a_known_status_are_left_out() {
    let page = answering(V1_3, PAGE)
        .buyer("search", &[])
        .assert_exit(0)
        .stdout;
    for gone in ["N-3", "N-4"] {
        assert!(!page.contains(gone), "{page}");
    }
    for place in ["/data/vehicles/2", "/data/vehicles/3 has no status"] {
        assert!(page.contains(place), "{page}");
    }
}

#[test]
fn a_dealers_words_cannot_drive_the_terminal() {
    let page = answering(V1_3, PAGE)
        .buyer("search", &[])
        .assert_exit(0)
        .stdout;
    assert!(page.contains("[31mfit"), "{page:?}");
    assert!(
        !page.contains('\u{1b}') && !page.contains('\u{7}'),
        "{page:?}"
    );
}

#[test]
fn the_payload_is_printed_as_it_was_sent() {
    let payload = r#"{"type":"inventory.vehicle.response", "data":{"vin":"1HGCY2F57RA000001","electric_range_mi":310.50,"own":9007199254740993}}"#;
    let outcome = answering(V1_3, payload)
        .buyer("vehicle", &["--stock", "N-1", "--json"])
        .assert_exit(0);
    assert_eq!(outcome.stdout.trim_end(), payload);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn a_vehicle_is_shown_in_full() {
    let payload = r#"{"type":"inventory.vehicle.response","data":{"year":2023,"make":"Indian","model":"Scout","vehicle_type":"motorcycle","condition":"new","status":"available","list_price":12000,"fees":[{"name":"Freight","amount":700}],"displacement_cc":1133,"other_attributes":{"abs":true},"features":["Cruise control"],"updated_at":"2026-05-01T08:00:00Z"}}"#;
    let shown = answering(V1_3, payload)
        .buyer("vehicle", &["--stock", "N-1"])
        .assert_exit(0)
        .stdout;
    for part in [
        "2023 Indian Scout",
        "motorcycle",
        "not stated",
        "Freight $700",
        "$12,000",
        "1,133",
        "abs",
        "Cruise control",
        "2026-05-01T08:00:00Z",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(!shown.contains("12,700"), "no sum is made up: {shown}");
}

#[test]
fn facets_are_counts_and_ranges() {
    let payload = r#"{"type":"inventory.facets.response","data":{"makes":[{"value":"Honda","count":12},{"value":"Kia","count":3}],"years":[{"value":2024,"count":9}],"dc_fast_charge":[{"value":"true","count":2}],"price_range":{"min":9000,"max":41000}}}"#;
    let shown = answering(V1_2, payload)
        .buyer("facets", &[])
        .assert_exit(0)
        .stdout;
    for part in [
        "Honda (12), Kia (3)",
        "2024 (9)",
        "$9,000 to $41,000",
        "price (out-the-door)",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
}

#[test]
fn the_profile_lists_rooftops() {
    let payload = r#"{"type":"dealer.information.response","data":{"name":"Mock Motors","welcome_message":"Come in.","rooftops":[{"name":"North","address":{"city":"Springfield","state":"IL"},"phones":[{"name":"Sales","value":"+12175550100"}],"schedules":[{"name":"Sales","value":{"monday":{"open":"09:00","close":"18:00"},"sunday":null}}],"timezone":"America/Chicago","fees":[]},{"name":"South"}]}}"#;
    let shown = answering(V1_3, payload)
        .buyer("info", &[])
        .assert_exit(0)
        .stdout;
    for part in [
        "Mock Motors",
        "Come in.",
        "North",
        "South",
        "Springfield, IL",
        "+12175550100",
        "Mon 09:00-18:00",
        "America/Chicago",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(!shown.contains("Sun"), "a closed day has no hours: {shown}");
}

#[test]
fn an_answer_that_is_none_is_told_with_what_came() {
    let task = r#"{"jsonrpc":"2.0","id":null,"result":{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}}"#;
    for (reply, part) in [
        (
            Reply::Payload(r#"{"type":"inventory.facets.response","data":{}}"#.to_owned()),
            "inventory.facets.response",
        ),
        (
            Reply::Payload(
                r#"{"type":"inventory.search.response","data":{"total":"many"}}"#.to_owned(),
            ),
            "malformed",
        ),
        (Reply::Payload("17".to_owned()), "not an AAP payload"),
        (
            Reply::Http(200, "text/html", "<title>Sign in</title>".to_owned()),
            "Sign in",
        ),
        (
            Reply::Http(200, "application/json", "{}".to_owned()),
            "neither result nor error",
        ),
        (
            Reply::Http(200, "application/json", task.to_owned()),
            "another request",
        ),
    ] {
        let dealer = MockDealer::speaking(&[V1_3], &[reply]);
        let outcome = dealer.buyer("search", &["--json"]).assert_exit(4);
        assert_eq!(outcome.code(), "bad_answer");
        assert!(
            outcome.stderr.contains(part),
            "{part} in {}",
            outcome.stderr
        );
    }
}

#[test]
fn a_dealer_behind_a_broken_proxy_is_unreachable() {
    let page = Reply::Http(502, "text/html", "<h1>Bad Gateway</h1>".to_owned());
    let dealer = MockDealer::speaking(&[V1_3], &[page]);
    let outcome = dealer
        .buyer("search", &["--json", "--retries", "0"])
        .assert_exit(3);
    assert_eq!(outcome.code(), "unavailable");
    assert!(outcome.stderr.contains("Bad Gateway"), "{}", outcome.stderr);
}
