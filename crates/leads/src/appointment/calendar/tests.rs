use std::convert::Infallible;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const HALF_HOUR: SignedDuration = SignedDuration::from_mins(30);

fn calendar(zone: &str, hours: &Value, settings: Value) -> Calendar {
    let mut rooftop = json!({
        "timezone": zone,
        "schedules": [{ "name": "sales", "value": hours }],
    });
    rooftop["appointments"] = settings;
    let rooftop: Rooftop = serde_json::from_value(rooftop).unwrap();
    Calendar::of(&rooftop, AppointmentType::Sales).unwrap()
}

fn every_day(open: &str, close: &str) -> Value {
    let days = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    days.into_iter()
        .map(|day| (day.to_owned(), json!({ "open": open, "close": close })))
        .collect()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// The beginnings of one local day, as the local clock shows them with its offset.
fn day(calendar: &Calendar, date: &str, length: SignedDuration) -> Vec<String> {
    let (first, last) = calendar.day(date.parse().unwrap()).unwrap();
    calendar
        .starts(first, last, length)
        .into_iter()
        .map(|at| calendar.local(at).strftime("%H:%M%:z").to_string())
        .collect()
}

#[test]
fn a_day_begins_at_its_hours_and_the_last_appointment_ends_with_them() {
    let calendar = calendar(
        "America/Chicago",
        &json!({ "friday": { "open": "09:00", "close": "10:45" } }),
        json!({}),
    );
    assert_eq!(
        day(&calendar, "2026-05-01", HALF_HOUR),
        ["09:00-05:00", "09:30-05:00", "10:00-05:00"]
    );
    assert_eq!(
        day(&calendar, "2026-05-01", HALF_HOUR * 2),
        ["09:00-05:00", "09:30-05:00"]
    );
    assert!(day(&calendar, "2026-05-02", HALF_HOUR).is_empty());
}

#[test]
fn hours_past_midnight_belong_to_the_day_on_which_they_begin() {
    let hours = json!({ "friday": { "open": "23:00", "close": "01:00" } });
    let late = calendar("America/Chicago", &hours, json!({}));
    assert_eq!(
        day(&late, "2026-05-01", HALF_HOUR),
        ["23:00-05:00", "23:30-05:00"]
    );
    assert_eq!(
        day(&late, "2026-05-02", HALF_HOUR),
        ["00:00-05:00", "00:30-05:00"]
    );
    for holiday in ["2026-05-01", "2026-05-02"] {
        let closed = calendar("America/Chicago", &hours, json!({ "holidays": [holiday] }));
        assert!(day(&closed, holiday, HALF_HOUR).is_empty(), "{holiday}");
    }
}

#[test]
fn a_holiday_closes_the_late_hours_that_begin_on_it() {
    let hours = json!({ "friday": { "open": "23:00", "close": "01:00" } });
    let closed = calendar(
        "America/Chicago",
        &hours,
        json!({ "holidays": ["2026-05-01"] }),
    );
    assert!(day(&closed, "2026-05-02", HALF_HOUR).is_empty());
}

#[test]
fn the_last_minute_of_a_day_is_its_end_and_equal_hours_are_closed() {
    let open = calendar("America/Chicago", &every_day("00:00", "23:59"), json!({}));
    assert_eq!(day(&open, "2026-05-01", HALF_HOUR).len(), 48);
    let closed = calendar("America/Chicago", &every_day("00:00", "00:00"), json!({}));
    assert!(day(&closed, "2026-05-01", HALF_HOUR).is_empty());
}

#[test]
fn the_hour_that_a_day_loses_has_no_beginning() {
    let night = calendar("America/New_York", &every_day("00:30", "04:00"), json!({}));
    assert_eq!(
        day(&night, "2026-03-08", HALF_HOUR),
        [
            "00:30-05:00",
            "01:00-05:00",
            "01:30-05:00",
            "03:00-04:00",
            "03:30-04:00"
        ]
    );
    // Opening at a time that does not exist, and closing at one.
    let opens = calendar("America/New_York", &every_day("02:30", "04:00"), json!({}));
    assert_eq!(
        day(&opens, "2026-03-08", HALF_HOUR),
        ["03:00-04:00", "03:30-04:00"]
    );
    let closes = calendar("America/New_York", &every_day("01:00", "02:30"), json!({}));
    assert_eq!(
        day(&closes, "2026-03-08", HALF_HOUR),
        ["01:00-05:00", "01:30-05:00"]
    );
}

#[test]
fn the_hour_that_a_day_repeats_has_each_beginning_twice() {
    let night = calendar("America/New_York", &every_day("00:30", "02:30"), json!({}));
    assert_eq!(
        day(&night, "2026-11-01", HALF_HOUR),
        [
            "00:30-04:00",
            "01:00-04:00",
            "01:30-04:00",
            "01:00-05:00",
            "01:30-05:00",
            "02:00-05:00"
        ]
    );
    // Hours whose edge the clock shows twice hold at the first.
    let opens = calendar("America/New_York", &every_day("01:30", "02:00"), json!({}));
    assert_eq!(
        day(&opens, "2026-11-01", HALF_HOUR),
        ["01:30-04:00", "01:00-05:00", "01:30-05:00"]
    );
    let closes = calendar("America/New_York", &every_day("00:30", "01:30"), json!({}));
    assert_eq!(
        day(&closes, "2026-11-01", HALF_HOUR),
        ["00:30-04:00", "01:00-04:00"]
    );
}

/// Days of 23, 25, 23.5 and 24.5 hours, a day that begins at one o'clock, one whose midnight comes
/// twice, and one that never was.
#[test]
fn a_place_that_never_closes_has_as_many_beginnings_as_its_days_have_half_hours() {
    for (zone, date, beginnings) in [
        ("America/New_York", "2026-03-08", 46),
        ("America/New_York", "2026-11-01", 50),
        ("Europe/Berlin", "2026-03-29", 46),
        ("Europe/Berlin", "2026-10-25", 50),
        ("Australia/Lord_Howe", "2026-10-04", 47),
        ("Australia/Lord_Howe", "2026-04-05", 49),
        ("America/Havana", "2026-03-08", 46),
        ("America/Havana", "2026-11-01", 50),
        ("Asia/Kathmandu", "2026-05-01", 48),
    ] {
        let calendar = calendar(zone, &every_day("00:00", "23:59"), json!({}));
        let starts = day(&calendar, date, HALF_HOUR);
        assert_eq!(starts.len(), beginnings, "{zone} {date}: {starts:?}");
        let mut once = starts.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), beginnings, "{zone} {date}: {starts:?}");
    }
    let calendar = calendar("Pacific/Apia", &every_day("00:00", "23:59"), json!({}));
    let starts = calendar.starts(
        at("2011-12-30T09:59:00Z"),
        at("2011-12-30T10:01:00Z"),
        HALF_HOUR,
    );
    let shown = calendar.local(starts[0]).to_string();
    assert_eq!(shown, "2011-12-31T00:00:00+14:00[Pacific/Apia]");
}

/// Away from the hours' edges the local clock alone says what is open: a minute is when the clock
/// shows a time within the hours.
#[test]
fn on_every_day_of_the_year_the_local_clock_agrees() {
    for zone in [
        "America/Los_Angeles",
        "America/St_Johns",
        "America/Phoenix",
        "Europe/London",
        "Australia/Adelaide",
        "Pacific/Auckland",
        "Africa/Casablanca",
        "Asia/Kolkata",
    ] {
        let calendar = calendar(zone, &every_day("09:00", "17:30"), json!({}));
        let (from, to) = (at("2026-01-01T00:00:00Z"), at("2026-12-31T00:00:00Z"));
        let starts = calendar.starts(from, to, HALF_HOUR);
        let mut expected = Vec::new();
        let mut now = from;
        while now <= to {
            let clock = calendar.local(now).time();
            let (open, last) = (Time::constant(9, 0, 0, 0), Time::constant(17, 0, 0, 0));
            if (open..=last).contains(&clock) && clock.minute() % 30 == 0 {
                expected.push(now);
            }
            now += SignedDuration::from_mins(5);
        }
        assert_eq!(starts, expected, "{zone}");
    }
}

#[test]
fn notice_and_horizon_bound_what_is_open() {
    let calendar = calendar(
        "America/Chicago",
        &every_day("09:00", "18:00"),
        json!({ "notice": "2h", "horizon": "3d" }),
    );
    let now = at("2026-05-01T15:00:00Z");
    for (wish, is_open) in [
        ("2026-05-01T16:30:00Z", false),
        ("2026-05-01T17:00:00Z", true),
        ("2026-05-01T17:10:00Z", false),
        ("2026-05-01T17:00:00.5Z", false),
        ("2026-05-01T12:00:00-05:00", true),
        ("2026-05-04T15:00:00Z", true),
        ("2026-05-04T15:30:00Z", false),
        ("2026-04-30T17:00:00Z", false),
        ("2026-05-01T09:00:00Z", false),
        ("9999-12-30T22:00:00Z", false),
    ] {
        assert_eq!(
            calendar.is_open(at(wish), HALF_HOUR, now),
            is_open,
            "{wish}"
        );
    }
}

#[test]
fn a_length_is_whole_slots_and_no_wish_breaks_it() {
    let calendar = calendar("America/Chicago", &every_day("09:00", "18:00"), json!({}));
    for (minutes, length) in [
        (None, 30),
        (Some(15), 30),
        (Some(30), 30),
        (Some(31), 60),
        (Some(90), 90),
    ] {
        let length = SignedDuration::from_mins(length);
        assert_eq!(calendar.length(minutes), length, "{minutes:?}");
    }
    let endless = calendar.length(Some(i64::MAX));
    let now = at("2026-05-01T12:00:00Z");
    assert!(
        calendar
            .starts(now, now + SignedDuration::from_hours(240), endless)
            .is_empty()
    );
}

#[test]
fn a_grid_of_minutes_is_kept_where_hours_and_slots_are_off_it() {
    let calendar = calendar(
        "America/Chicago",
        &every_day("09:03", "09:41"),
        json!({ "slot": "7m" }),
    );
    assert_eq!(
        day(&calendar, "2026-05-01", calendar.length(None)),
        ["09:05-05:00", "09:15-05:00", "09:25-05:00"]
    );
}

#[test]
fn the_nearest_lie_on_both_sides_and_a_past_wish_gets_the_next() {
    let calendar = calendar("America/Chicago", &every_day("09:00", "18:00"), json!({}));
    let now = at("2026-05-01T08:00:00-05:00");
    let nearest = |wish: &str, full: &[&str]| -> Vec<String> {
        let full: BTreeSet<Timestamp> = full.iter().map(|it| at(it)).collect();
        let found = calendar.nearest(at(wish), HALF_HOUR, now, 3, |_, _| {
            Ok::<_, Infallible>(full.clone())
        });
        let Ok(found) = found;
        let clock = |it| calendar.local(it).strftime("%d %H:%M").to_string();
        found.into_iter().map(clock).collect()
    };
    assert_eq!(
        nearest("2026-05-02T12:00:00-05:00", &["2026-05-02T12:00:00-05:00"]),
        ["02 11:00", "02 11:30", "02 12:30"]
    );
    assert_eq!(
        nearest("2026-05-02T20:00:00-05:00", &[]),
        ["02 16:30", "02 17:00", "02 17:30"]
    );
    assert_eq!(
        nearest("2026-04-01T12:00:00-05:00", &[]),
        ["01 10:00", "01 10:30", "01 11:00"]
    );
    assert_eq!(
        nearest("9999-12-30T00:00:00Z", &[]),
        ["30 16:30", "30 17:00", "30 17:30"]
    );
    // A piece in the middle of an appointment is enough to make it not free.
    assert_eq!(
        nearest("2026-05-02T12:00:00-05:00", &["2026-05-02T12:10:00-05:00"]),
        ["02 11:00", "02 11:30", "02 12:30"]
    );
}

#[test]
fn rooftops_that_say_too_little_have_no_calendar() {
    let whole = json!({
        "timezone": "America/Chicago",
        "schedules": [{ "name": "sales", "value": every_day("09:00", "18:00") }],
        "appointments": {},
    });
    let of = |rooftop: &Value, kind| {
        let rooftop: Rooftop = serde_json::from_value(rooftop.clone()).unwrap();
        Calendar::of(&rooftop, kind)
    };
    assert!(of(&whole, AppointmentType::Sales).is_some());
    assert!(of(&whole, AppointmentType::Service).is_none());
    for member in ["timezone", "schedules", "appointments"] {
        let mut rooftop = whole.clone();
        rooftop.as_object_mut().unwrap().remove(member);
        assert!(of(&rooftop, AppointmentType::Sales).is_none(), "{member}");
    }
    let mut nowhere = whole;
    nowhere["timezone"] = json!("Mars/Olympus");
    assert!(of(&nowhere, AppointmentType::Sales).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every proposed time is one that a request for it would get, and none that is nearer is left
    /// out.
    #[test]
    fn what_is_proposed_is_free_and_nearest(
        zone in prop::sample::select(vec![
            "America/New_York", "Australia/Lord_Howe", "America/Havana", "Asia/Kathmandu",
        ]),
        open in 0..24_u32,
        close in 0..24_u32,
        slot in prop::sample::select(vec!["15m", "20m", "45m", "2h"]),
        notice in 0..72_i64,
        horizon in 0..40_i64,
        now_hours in 0..9000_i64,
        wish_minutes in -20_000..100_000_i64,
        minutes in prop::option::of(15..600_i64),
        full in prop::collection::btree_set(0..12_000_i64, 0..400),
    ) {
        let hours = every_day(&format!("{open:02}:00"), &format!("{close:02}:30"));
        let calendar = calendar(zone, &hours, json!({
            "slot": slot, "notice": format!("{notice}h"), "horizon": format!("{horizon}d"),
            "holidays": ["2026-03-08", "2026-11-02"],
        }));
        let length = calendar.length(minutes);
        let now = at("2026-01-01T00:00:00Z") + SignedDuration::from_hours(now_hours);
        let wish = now + SignedDuration::from_mins(wish_minutes);
        let full: BTreeSet<Timestamp> = full
            .into_iter()
            .map(|piece| now + SignedDuration::from_mins(piece * 5))
            .collect();
        let found = calendar.nearest(wish, length, now, 3, |from, to| {
            Ok::<_, Infallible>(full.range(from..to).copied().collect())
        });
        let Ok(found) = found;
        let (earliest, latest) = calendar.span(now);
        let is_free = |at: Timestamp| !pieces(at, at + length).any(|it| full.contains(&it));
        for at in &found {
            prop_assert!(calendar.is_open(*at, length, now));
            prop_assert!((earliest..=latest).contains(at));
            prop_assert!(is_free(*at));
            prop_assert_eq!(at.as_millisecond() % PIECE, 0);
        }
        prop_assert!(found.is_sorted());
        let free: Vec<Timestamp> = if earliest <= latest {
            calendar.starts(earliest, latest, length).into_iter().filter(|it| is_free(*it)).collect()
        } else {
            Vec::new()
        };
        prop_assert_eq!(found.len(), free.len().min(3));
        let distance = |at: &Timestamp| at.duration_since(wish).abs();
        if let Some(farthest) = found.iter().map(distance).max() {
            let nearer = free.iter().filter(|it| distance(it) < farthest).count();
            prop_assert!(nearer < 3, "{} are nearer", nearer);
        }
    }
}
