//! Files that cannot be right: what of them is not believed, and a person who says they are right.

use inventory::{
    intake::AcceptError,
    stock::{RunOutcome, RunState},
};

use crate::lot::{CAMRY, CIVIC, Lot, camry, civic, csv};

/// Units of a rooftop in a condition: `used@North` as used1, used2 and so on.
fn units(condition: &str, rooftop: &str, numbers: std::ops::RangeInclusive<u32>) -> Vec<String> {
    let unit = |number| {
        let place = rooftop.chars().next().unwrap();
        let kind = condition.chars().next().unwrap();
        let vin = format!("1HGCM8{}{}{number:09}", place, kind.to_ascii_uppercase());
        format!(
            "{vin},{place}{kind}{number},2019,Honda,Fit,{condition},{},,{rooftop}",
            10_000 + number
        )
    };
    numbers.map(unit).collect()
}

fn held(outcome: &RunOutcome) -> Vec<String> {
    outcome
        .held
        .iter()
        .map(|held| {
            let condition = held.condition.map_or("-", |it| it.as_str());
            format!(
                "{} {condition} {}>{}",
                held.rooftop, held.before, held.after
            )
        })
        .collect()
}

fn count(published: &[String], start: &str) -> usize {
    published
        .iter()
        .filter(|line| line.starts_with(start))
        .count()
}

#[tokio::test]
async fn a_drop_of_more_than_half_is_not_believed_where_it_happened() {
    let lot = Lot::new();
    let first = [
        units("used", "North", 1..=10),
        units("new", "North", 1..=10),
        units("used", "South", 1..=10),
    ];
    lot.arrives("all", &csv(&first.concat())).await;
    lot.next_day();
    // Five of ten are half, not more. At South four are left, one of them at another price.
    let second = [
        units("used", "North", 1..=5),
        units("new", "North", 1..=10),
        units("used", "South", 1..=4),
    ];
    let file = csv(&second.concat()).replace(",10003,,South", ",9999,,South");
    let outcome = lot.arrives("all", &file).await;
    assert_eq!(outcome.state, RunState::KeptInPart);
    assert_eq!(held(&outcome), ["South used 10>4"]);
    assert_eq!((outcome.published, outcome.withdrawn), (15, 5));
    let published = lot.published().await;
    assert_eq!(count(&published, "Nu"), 5);
    assert_eq!(count(&published, "Nn"), 10);
    assert_eq!(count(&published, "Su"), 10);
    assert!(
        published.contains(&"Su3@South $10003 01".to_owned()),
        "nothing of South is believed, not even a price: {published:?}"
    );
    assert_eq!(lot.causes().await, ["feed/all/kept_last_good since 02T06"]);
    let text = &lot.attention().await[0].text;
    assert!(text.contains("South, used: 4 of 10"), "{text}");
    assert!(text.contains(&outcome.run.to_string()), "{text}");

    // A later file that is right again ends the doubt.
    lot.next_day();
    let third = [second[0].clone(), second[1].clone(), first[2].clone()];
    let outcome = lot.arrives("all", &csv(&third.concat())).await;
    assert_eq!(outcome.state, RunState::Applied);
    assert_eq!(lot.causes().await, [""; 0]);
}

#[tokio::test]
async fn a_person_can_have_the_whole_file_applied_after_all() {
    let lot = Lot::new();
    let first = [
        units("used", "North", 1..=10),
        units("used", "South", 1..=10),
    ];
    lot.arrives("all", &csv(&first.concat())).await;
    lot.next_day();
    let second = [
        units("used", "North", 1..=10),
        units("used", "South", 1..=2),
    ];
    let doubted = lot.arrives("all", &csv(&second.concat())).await;
    assert_eq!(held(&doubted), ["South used 10>2"]);
    lot.hours_pass(5);
    let accepted = lot.accepts(doubted.run, false).await.unwrap();
    assert_eq!(accepted.state, RunState::Applied);
    assert_eq!(accepted.withdrawn, 8);
    let published = lot.published().await;
    assert_eq!(count(&published, "Su"), 2);
    assert_eq!(lot.causes().await, [""; 0]);
    let runs = lot.runs().await;
    assert_eq!(runs[0].accepts, Some(doubted.run));
    assert_eq!(runs[0].accepted_by.as_deref(), Some("pat"));
    assert_eq!(runs[1].held, doubted.held);
    let stock = lot.load().await;
    let seen = |it: &inventory::listing::Listing| it.vehicle.updated_at.clone().unwrap();
    assert!(
        stock
            .listings
            .iter()
            .all(|listing| seen(listing) == "2026-05-02T06:00:00Z"),
        "a listing dates from the arrival of its file, not from the acceptance"
    );
    let gone = lot.life("1HGCM8SU000000009").await;
    assert_eq!(gone.last().unwrap().by.as_deref(), Some("pat"));

    // The same bytes are the last good file from here on.
    lot.next_day();
    let again = lot.arrives("all", &csv(&second.concat())).await;
    assert_eq!(again.state, RunState::Repeated);
}

#[tokio::test]
async fn an_older_file_is_not_applied_over_a_newer_one_without_force() {
    let lot = Lot::new();
    lot.arrives("all", &csv(&units("used", "North", 1..=10)))
        .await;
    lot.next_day();
    let doubted = lot
        .arrives("all", &csv(&units("used", "North", 1..=2)))
        .await;
    assert_eq!(doubted.state, RunState::KeptLastGood);
    lot.next_day();
    let newer = lot
        .arrives("all", &csv(&units("used", "North", 1..=9)))
        .await;
    let refused = lot.accepts(doubted.run, false).await.unwrap_err();
    assert!(matches!(refused, AcceptError::Newer { newer: id, .. } if id == newer.run));
    assert_eq!(count(&lot.published().await, "Nu"), 9);
    lot.accepts(doubted.run, true).await.unwrap();
    let expected = ["Nu1@North $10001 03", "Nu2@North $10002 03"];
    assert_eq!(lot.published().await, expected, "seen by the newer file");
    let nothing = lot.accepts(newer.run, true).await.unwrap_err();
    assert!(matches!(nothing, AcceptError::Applied(_)));
}

#[tokio::test]
async fn a_file_without_units_can_be_accepted_and_a_web_page_cannot() {
    let lot = Lot::new();
    lot.arrives("all", &csv(&[civic(20_000), camry(26_000)]))
        .await;
    let page = lot.arrives("all", "<!DOCTYPE html><html></html>").await;
    let header = lot.arrives("all", &csv(&[])).await;
    // The transfer broke in the third row.
    let rows = csv(&[civic(19_000), camry(26_000), "2HGFC2F5".to_owned()]);
    let cut_off = lot.arrives("all", rows.trim_end()).await;
    for run in [&page, &header, &cut_off] {
        assert_eq!(run.state, RunState::Refused, "{run:?}");
    }
    let refused = lot.accepts(page.run, false).await.unwrap_err();
    assert!(
        matches!(refused, AcceptError::Unreadable { .. }),
        "{refused}"
    );
    lot.accepts(cut_off.run, false).await.unwrap();
    assert_eq!(
        lot.published().await,
        ["C1@North $19000 01", "T3@North $26000 01"]
    );
    lot.accepts(header.run, true).await.unwrap();
    assert_eq!(lot.published().await, [""; 0]);
    let unknown = lot.accepts(lot.clock.new_id(), false).await.unwrap_err();
    assert!(matches!(unknown, AcceptError::UnknownRun(_)));
}

#[tokio::test]
async fn small_numbers_fall_without_a_doubt_and_a_forgotten_rooftop_does_not() {
    let lot = Lot::new();
    let north = units("used", "North", 1..=20);
    let south = [
        units("used", "South", 1..=3),
        units("new", "South", 1..=2),
        units("cpo", "South", 1..=3),
    ];
    let all = [north.clone(), south.concat()].concat();
    lot.arrives("all", &csv(&all)).await;
    lot.next_day();
    // All three used ones of South are sold over the weekend.
    let sold = [north.clone(), south[1].clone(), south[2].clone()].concat();
    let outcome = lot.arrives("all", &csv(&sold)).await;
    assert_eq!((outcome.state, outcome.withdrawn), (RunState::Applied, 3));
    lot.next_day();
    let outcome = lot.arrives("all", &csv(&north)).await;
    assert_eq!(held(&outcome), ["South new 2>0", "South cpo 3>0"]);
    assert_eq!(outcome.withdrawn, 0);
}

#[tokio::test]
async fn units_that_a_file_calls_sold_or_certified_are_not_missing() {
    let lot = Lot::new();
    lot.arrives("all", &csv(&units("used", "North", 1..=10)))
        .await;
    lot.next_day();
    let mut rows = units("used", "North", 1..=10);
    for row in &mut rows[..4] {
        *row = row.replace(",,North", ",sold,North");
    }
    for row in &mut rows[4..8] {
        *row = row.replace(",used,", ",cpo,");
    }
    let outcome = lot.arrives("all", &csv(&rows)).await;
    assert_eq!(outcome.state, RunState::Applied);
    assert_eq!((outcome.published, outcome.withdrawn), (6, 4));
}

#[tokio::test]
async fn a_feed_may_state_another_share_than_half() {
    let mut lot = Lot::new();
    lot.feed("all", |feed| feed.most_drop = Some(0.2));
    lot.feed("used", |feed| feed.most_drop = Some(1.0));
    let ten = csv(&units("used", "North", 1..=20));
    lot.arrives("all", &ten).await;
    let fifteen = csv(&units("used", "North", 1..=15));
    assert_eq!(
        held(&lot.arrives("all", &fifteen).await),
        ["North used 20>15"]
    );
    lot.arrives("used", &ten).await;
    let one = csv(&units("used", "North", 1..=1));
    let outcome = lot.arrives("used", &one).await;
    assert_eq!((outcome.state, outcome.withdrawn), (RunState::Applied, 19));
}

#[tokio::test]
async fn the_same_bytes_are_a_sighting_and_bring_nothing_back() {
    let lot = Lot::new();
    let file = csv(&[civic(20_000), camry(26_000)]);
    lot.arrives("all", &file).await;
    lot.next_day();
    let sold = civic(20_000).replace(",,North", ",sold,North");
    lot.arrives("used", &csv(&[sold])).await;
    lot.next_day();
    let outcome = lot.arrives("all", &file).await;
    assert_eq!(outcome.state, RunState::Repeated);
    assert_eq!((outcome.added, outcome.changed), (0, 0));
    assert_eq!(lot.published().await, ["T3@North $26000 03"]);
    assert_eq!(lot.gone().await, ["C1 05-02"]);
    assert_eq!(
        lot.history(CAMRY).await,
        ["01 North published available $26000"]
    );
    // Other bytes say that the unit is there after all.
    lot.next_day();
    lot.arrives("all", &csv(&[camry(26_000), civic(20_000)]))
        .await;
    assert_eq!(lot.asked_for("C1").await, "listed");
    assert_eq!(lot.history(CIVIC).await.len(), 3);
}

#[tokio::test]
async fn a_long_silent_feed_is_believed_when_it_comes_back() {
    let mut lot = Lot::new();
    lot.feed("all", |feed| feed.max_age = Some(dealers::Period::days(3)));
    lot.arrives("all", &csv(&units("used", "North", 1..=10)))
        .await;
    lot.hours_pass(24 * 20);
    // Nothing is published any more, so that nothing has to be protected.
    assert_eq!(lot.published().await, [""; 0]);
    let outcome = lot
        .arrives("all", &csv(&units("used", "North", 8..=12)))
        .await;
    assert_eq!(outcome.state, RunState::Applied);
    assert_eq!(count(&lot.published().await, "Nu"), 5);
}

#[tokio::test]
async fn a_doubted_file_is_not_believed_because_the_stock_grew_old_meanwhile() {
    let mut lot = Lot::new();
    lot.feed("all", |feed| feed.max_age = Some(dealers::Period::days(3)));
    lot.arrives("all", &csv(&units("used", "North", 1..=8)))
        .await;
    let broken = units("used", "North", 1..=2);
    for days in [1, 1, 1, 1, 20] {
        lot.hours_pass(24 * days);
        let outcome = lot.arrives("all", &csv(&broken)).await;
        assert_eq!(held(&outcome), ["North used 8>2"], "after {days} more");
        assert_eq!(outcome.withdrawn, 0);
    }
    let whole = csv(&units("used", "North", 1..=8));
    assert_eq!(lot.arrives("all", &whole).await.held, []);
    assert_eq!(count(&lot.published().await, "Nu"), 8);
}
