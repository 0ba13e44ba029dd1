//! Wishes for a time, at a rooftop that says when it takes appointments. It is Friday, May 1, 2026,
//! seven in the morning in Chicago.

use aap::lead::{AppointmentAnswer, AppointmentStatus, LeadStatus};
use dealers::Standing;
use jiff::{SignedDuration, Timestamp};
use leads::{Error, MIGRATIONS};
use serde_json::{Value, json};
use store::{Clock, Store};

use crate::{Desk, Request, schema::dump};

/// Open from nine to six on every day but Sunday, one appointment at a time, half an hour each.
pub(crate) fn desk(settings: Value) -> Desk {
    let mut desk = Desk::open();
    desk.rooftop = rooftop(settings);
    desk
}

fn rooftop(settings: Value) -> dealers::Rooftop {
    let hours = json!({ "open": "09:00", "close": "18:00" });
    let mut week = json!({});
    for day in [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
    ] {
        week[day] = hours.clone();
    }
    let mut rooftop = json!({
        "timezone": "America/Chicago",
        "schedules": [{ "name": "sales", "value": week }],
    });
    rooftop["appointments"] = settings;
    serde_json::from_value(rooftop).unwrap()
}

/// Somebody else's lead for each number.
pub(crate) fn buyer(number: usize) -> Request {
    Request::new()
        .with(
            "/customer",
            json!({
                "first_name": "Ada",
                "last_name": "Fixture",
                "email": format!("ada.{number}@example.com")
            }),
        )
        .credential("agent-1")
}

impl Desk {
    pub(crate) async fn wish(&self, request: Request) -> AppointmentAnswer {
        self.take(request).await.result.appointment.unwrap()
    }
}

#[tokio::test]
async fn a_free_time_is_held_until_a_person_says_yes() {
    let desk = desk(json!({}));
    let request = buyer(1)
        .car()
        .appointment("test_drive", Some("2026-05-02T11:00:00-05:00"));
    let answer = desk.take(request).await;
    let appointment = answer.result.appointment.unwrap();
    assert_eq!(appointment.status, AppointmentStatus::Requested);
    assert_eq!(appointment.confirmed_at, None);
    assert!(
        answer.message.contains(
            "Saturday, May 2, 2026 at 11:00 AM CDT is held for your test drive, which is requested but not booked yet"
        ),
        "{}",
        answer.message
    );
    // The place is taken all the same; the agent asked in another offset.
    let second = buyer(2).appointment("test_drive", Some("2026-05-02T16:00:00Z"));
    let second = desk.wish(second).await;
    assert_eq!(second.status, AppointmentStatus::Proposed);
}

#[tokio::test]
async fn a_free_time_is_booked_where_the_dealer_allows_it() {
    let desk = desk(json!({ "confirm": true }));
    let answer = desk
        .take(buyer(1).appointment("sales", Some("2026-05-02T16:00:00Z")))
        .await;
    let appointment = answer.result.appointment.unwrap();
    assert_eq!(appointment.status, AppointmentStatus::Confirmed);
    assert_eq!(
        appointment.confirmed_at.as_deref(),
        Some("2026-05-02T11:00:00-05:00")
    );
    assert!(
        answer.message.contains(
            "Your sales appointment is booked for Saturday, May 2, 2026 at 11:00 AM CDT."
        ),
        "{}",
        answer.message
    );
    let kept = desk.show(&answer.result.lead_id).await.summary.appointment;
    let kept = serde_json::to_value(kept.unwrap()).unwrap();
    assert_eq!(kept["status"], "confirmed");
    assert_eq!(kept["starts_at"], "2026-05-02T16:00:00Z");
    assert_eq!(kept["ends_at"], "2026-05-02T16:30:00Z");
}

#[tokio::test]
async fn the_nearest_free_times_are_proposed_and_a_chosen_one_is_booked() {
    let desk = desk(json!({ "confirm": true }));
    let wish = |number| buyer(number).appointment("sales", Some("2026-05-02T11:00:00-05:00"));
    desk.take(wish(1)).await;
    let answer = desk.take(wish(2)).await;
    assert_eq!(answer.result.status, LeadStatus::Received);
    let appointment = answer.result.appointment.unwrap();
    assert_eq!(appointment.status, AppointmentStatus::Proposed);
    assert_eq!(appointment.confirmed_at, None);
    assert_eq!(
        appointment.proposed_times,
        [
            "2026-05-02T10:00:00-05:00",
            "2026-05-02T10:30:00-05:00",
            "2026-05-02T11:30:00-05:00"
        ]
    );
    assert!(
        answer
            .message
            .contains("Saturday, May 2, 2026 at 10:30 AM CDT"),
        "{}",
        answer.message
    );
    let chosen = buyer(2).appointment("sales", Some(&appointment.proposed_times[1]));
    let chosen = desk.wish(chosen).await;
    assert_eq!(chosen.status, AppointmentStatus::Confirmed);
    assert_eq!(
        chosen.confirmed_at.as_deref(),
        Some("2026-05-02T10:30:00-05:00")
    );
}

#[tokio::test]
async fn times_that_nobody_can_have_are_answered_with_others() {
    let desk = desk(json!({}));
    for (wish, first) in [
        // Past, within the notice, closed, off the grid, on a Sunday, after the horizon.
        ("2026-04-30T11:00:00-05:00", "2026-05-01T09:00:00-05:00"),
        ("2026-05-01T08:30:00-05:00", "2026-05-01T09:00:00-05:00"),
        ("2026-05-01T20:00:00-05:00", "2026-05-01T16:30:00-05:00"),
        ("2026-05-02T11:10:00-05:00", "2026-05-02T10:30:00-05:00"),
        ("2026-05-03T12:00:00-05:00", "2026-05-02T16:30:00-05:00"),
        ("2027-05-01T11:00:00-05:00", "2026-05-30T16:30:00-05:00"),
    ] {
        let answer = desk.wish(buyer(1).appointment("sales", Some(wish))).await;
        assert_eq!(answer.status, AppointmentStatus::Proposed, "{wish}");
        assert_eq!(answer.proposed_times.len(), 3, "{wish}");
        assert_eq!(answer.proposed_times[0], first, "{wish}");
    }
}

#[tokio::test]
async fn without_a_time_in_reach_a_person_answers() {
    let nothing = desk(json!({ "horizon": "1h", "confirm": true }));
    let wish = || buyer(1).appointment("sales", Some("2026-05-02T11:00:00-05:00"));
    let answer = nothing.wish(wish()).await;
    assert_eq!(answer.status, AppointmentStatus::Requested);
    let undated = desk(json!({ "confirm": true }));
    let answer = undated.wish(buyer(1).appointment("sales", None)).await;
    assert_eq!(answer.status, AppointmentStatus::Requested);
    // Nobody says when service is open.
    let service = buyer(1).appointment("service", Some("2026-05-02T11:00:00-05:00"));
    let answer = undated.wish(service).await;
    assert_eq!(answer.status, AppointmentStatus::Requested);
}

#[tokio::test]
async fn a_rooftop_may_refuse_what_is_not_free() {
    let desk = desk(json!({ "when_full": "refuse" }));
    let wish = |number| buyer(number).appointment("sales", Some("2026-05-02T11:00:00-05:00"));
    let first = desk.wish(wish(1)).await;
    assert_eq!(first.status, AppointmentStatus::Requested);
    let Err(Error::AppointmentUnavailable { free }) = desk.submit(wish(2).key("k")).await else {
        panic!("it is taken");
    };
    assert_eq!(free[1], "2026-05-02T10:30:00-05:00");
    assert_eq!(desk.list().await.len(), 1, "no lead is stored");
    // Nothing of the refused lead is left: the same key works for the chosen time.
    let other = buyer(2).appointment("sales", Some(&free[1])).key("k");
    let other = desk.wish(other).await;
    assert_eq!(other.status, AppointmentStatus::Requested);
}

#[tokio::test]
async fn a_long_appointment_takes_all_its_slots_or_none() {
    let desk = desk(json!({}));
    let wish = |number, at: &str, minutes: u64| {
        let request = buyer(number).appointment("sales", Some(at));
        request.with("/appointment/duration_minutes", json!(minutes))
    };
    let half_past = desk.wish(wish(1, "2026-05-02T11:30:00-05:00", 30)).await;
    assert_eq!(half_past.status, AppointmentStatus::Requested);
    let long = desk.wish(wish(2, "2026-05-02T11:00:00-05:00", 60)).await;
    assert_eq!(long.status, AppointmentStatus::Proposed);
    let short = desk.wish(wish(3, "2026-05-02T11:00:00-05:00", 15)).await;
    assert_eq!(
        short.status,
        AppointmentStatus::Requested,
        "nothing was kept"
    );
    let long = desk.wish(wish(2, &long.proposed_times[0], 60)).await;
    assert_eq!(long.status, AppointmentStatus::Requested);
    let beside = desk.wish(wish(4, "2026-05-02T10:30:00-05:00", 30)).await;
    assert_eq!(beside.status, AppointmentStatus::Proposed);
}

#[tokio::test]
async fn kinds_have_places_of_their_own() {
    let desk = desk(json!({}));
    for (number, kind) in [(1, "sales"), (2, "test_drive"), (3, "trade_in")] {
        let wish = buyer(number)
            .car()
            .appointment(kind, Some("2026-05-02T11:00:00-05:00"));
        let answer = desk.wish(wish).await;
        assert_eq!(answer.status, AppointmentStatus::Requested, "{kind}");
    }
}

#[tokio::test]
async fn a_repeat_takes_no_second_place_and_hears_of_the_first() {
    let desk = desk(json!({ "confirm": true, "capacity": 2 }));
    let wish = || buyer(1).appointment("sales", Some("2026-05-02T11:00:00-05:00"));
    let first = desk.take(wish()).await.result;
    for _ in 0..3 {
        let again = desk.take(wish()).await.result;
        assert_eq!(again.status, LeadStatus::Duplicate);
        assert_eq!(again.appointment, first.appointment);
    }
    let other = buyer(2).appointment("sales", Some("2026-05-02T11:00:00-05:00"));
    let other = desk.wish(other).await;
    assert_eq!(
        other.status,
        AppointmentStatus::Confirmed,
        "a place is left"
    );
}

#[tokio::test]
async fn a_stranger_cannot_find_out_who_has_an_appointment() {
    let desk = desk(json!({ "confirm": true, "capacity": 2 }));
    let wish = |number, agent: &str| {
        let wish = buyer(number).appointment("sales", Some("2026-05-02T11:00:00-05:00"));
        wish.credential(agent)
    };
    let first = desk.wish(wish(1, "agent-1")).await;
    // The same person through another agent is answered as anybody is, without a second place.
    let stranger = desk.take(wish(1, "agent-2")).await.result;
    assert_eq!(stranger.status, LeadStatus::Received);
    let stranger = stranger.appointment.unwrap();
    assert_eq!(stranger.status, AppointmentStatus::Confirmed);
    assert_ne!(stranger.appointment_id, first.appointment_id);
    let second = desk.wish(wish(2, "agent-1")).await;
    assert_eq!(second.status, AppointmentStatus::Confirmed);
    // Full for everybody, whoever is asked about.
    for person in [1, 3] {
        let probe = desk.wish(wish(person, "agent-3")).await;
        assert_eq!(probe.status, AppointmentStatus::Proposed);
    }
}

#[tokio::test]
async fn a_repeated_wish_that_was_not_free_is_looked_at_again() {
    let desk = desk(json!({ "capacity": 1 }));
    let wish = |number| buyer(number).appointment("sales", Some("2026-05-02T11:00:00-05:00"));
    desk.take(wish(1)).await;
    let first = desk.wish(wish(2)).await;
    desk.take(buyer(3).appointment("sales", Some(&first.proposed_times[0])))
        .await;
    let again = desk.take(wish(2)).await.result;
    assert_eq!(again.status, LeadStatus::Duplicate);
    let again = again.appointment.unwrap();
    assert_eq!(again.status, AppointmentStatus::Proposed);
    assert!(!again.proposed_times.contains(&first.proposed_times[0]));
}

#[tokio::test]
async fn a_replay_hears_the_first_answer_whatever_has_happened_since() {
    let desk = desk(json!({}));
    let wish = || {
        buyer(1)
            .appointment("sales", Some("2026-05-02T11:00:00-05:00"))
            .key("k")
    };
    let first = desk.take(wish()).await;
    desk.wait(SignedDuration::from_hours(24 * 3));
    let again = desk.take(wish()).await;
    assert!(again.replayed);
    assert_eq!(again.result, first.result);
    assert_eq!(again.message, first.message);
}

#[tokio::test]
async fn a_held_agent_takes_no_time() {
    let mut desk = desk(json!({ "confirm": true }));
    desk.standing = Standing::Held;
    let wish = |number| buyer(number).appointment("sales", Some("2026-05-02T11:00:00-05:00"));
    let held = desk.wish(wish(1)).await;
    assert_eq!(held.status, AppointmentStatus::Requested);
    assert_eq!(dump(&desk.store, "slot").await, "");
    desk.standing = Standing::Open;
    let open = desk.wish(wish(2)).await;
    assert_eq!(open.status, AppointmentStatus::Confirmed);
}

#[tokio::test]
async fn an_hour_that_the_clock_shows_twice_is_two_times() {
    let clock = Clock::manual("2026-10-31T17:00:00Z".parse().unwrap());
    let mut desk = Desk::over(Store::temporary(&[MIGRATIONS], clock).unwrap());
    desk.rooftop = serde_json::from_value(json!({
        "timezone": "America/Chicago",
        "schedules": [{ "value": { "sunday": { "open": "00:00", "close": "06:00" } } }],
        "appointments": { "confirm": true },
    }))
    .unwrap();
    for (number, at, spoken) in [
        (1, "2026-11-01T01:30:00-05:00", "1:30 AM CDT"),
        (2, "2026-11-01T01:30:00-06:00", "1:30 AM CST"),
    ] {
        let answer = desk
            .take(buyer(number).appointment("service", Some(at)))
            .await;
        let appointment = answer.result.appointment.unwrap();
        assert_eq!(appointment.confirmed_at.as_deref(), Some(at));
        assert!(answer.message.contains(spoken), "{}", answer.message);
    }
    let third = buyer(3).appointment("service", Some("2026-11-01T01:30:00-05:00"));
    assert_eq!(
        desk.wish(third).await.proposed_times,
        [
            "2026-11-01T00:30:00-05:00",
            "2026-11-01T01:00:00-05:00",
            "2026-11-01T01:00:00-06:00"
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_place_is_given_twice_however_many_ask_at_once() {
    let desk = std::sync::Arc::new(desk(json!({ "confirm": true, "capacity": 3 })));
    let mut asking = tokio::task::JoinSet::new();
    for number in 0..200 {
        let desk = std::sync::Arc::clone(&desk);
        // Lengths of one to four slots, all of them over half past eleven.
        let (at, minutes) =
            [("11:30", 30), ("11:00", 60), ("10:30", 90), ("10:00", 120)][number % 4];
        let at = format!("2026-05-02T{at}:00-05:00");
        let wish = buyer(number)
            .appointment("sales", Some(&at))
            .with("/appointment/duration_minutes", json!(minutes));
        asking.spawn(async move { (number, desk.wish(wish).await) });
    }
    let answers = asking.join_all().await;
    let confirmed =
        |answer: &&(usize, AppointmentAnswer)| answer.1.status == AppointmentStatus::Confirmed;
    assert_eq!(answers.iter().filter(confirmed).count(), 3);
    for (_, answer) in answers.iter().filter(|answer| !confirmed(answer)) {
        assert_eq!(answer.status, AppointmentStatus::Proposed);
        assert_eq!(answer.proposed_times.len(), 3);
    }
    // Whoever lost has left nothing behind: the counts are those of the three.
    let minutes: i64 = answers
        .iter()
        .filter(confirmed)
        .map(|(number, _)| [30, 60, 90, 120][number % 4])
        .sum();
    let counted = desk
        .store
        .read(|conn| {
            conn.first("SELECT CAST(SUM(taken) AS BIGINT) FROM slot", &[], |row| {
                row.int(0)
            })
        })
        .await;
    let counted: Result<_, store::Error> = counted;
    assert_eq!(counted.unwrap(), Some(minutes / 5));
}

#[tokio::test]
async fn counts_of_times_long_past_are_forgotten() {
    let desk = desk(json!({}));
    desk.take(buyer(1).appointment("sales", Some("2026-05-02T11:00:00-05:00")))
        .await;
    desk.wait(SignedDuration::from_hours(24 * 10));
    desk.take(buyer(2).appointment("sales", Some("2026-05-12T11:00:00-05:00")))
        .await;
    let before: Timestamp = "2026-05-10T00:00:00Z".parse().unwrap();
    let left = desk
        .store
        .read(move |conn| {
            conn.first(
                "SELECT COUNT(*) FROM slot WHERE starts_at < $1",
                &[before.into()],
                |row| row.int(0),
            )
        })
        .await;
    let left: Result<_, store::Error> = left;
    assert_eq!(left.unwrap(), Some(0));
}
