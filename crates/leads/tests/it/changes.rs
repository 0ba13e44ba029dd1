//! What people make of appointments. It is Friday, May 1, 2026, seven in the morning in Chicago.

use std::collections::BTreeMap;

use aap::lead::{AppointmentStatus as Told, AppointmentType};
use dealers::{Dealer, Standing};
use jiff::{SignedDuration, Timestamp};
use leads::{
    AppointmentId, AppointmentStatus, Calendar, Purpose,
    appointment::{
        Appointment, CalendarForm, CancelReason, ChangeError, Decided, Decision, Filter, Wanted,
        announce, calendar, cancel, confirm, free, list, show,
    },
};
use proptest::prelude::{Strategy, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::test_runner::Config as ProptestConfig;
use serde_json::{Value, json};

use crate::{
    Desk, Request,
    booking::{buyer, desk},
};

const TEN: &str = "2026-05-02T10:00:00-05:00";
const ELEVEN: &str = "2026-05-02T11:00:00-05:00";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn all() -> Filter {
    Filter {
        undated: true,
        limit: 100,
        ..Filter::default()
    }
}

impl Desk {
    fn settings(&self) -> Dealer {
        let rooftop = serde_json::to_value(&self.rooftop).unwrap();
        let dealer = json!({ "name": "Demo Motors", "rooftops": { "North": rooftop } });
        serde_json::from_value(dealer).unwrap()
    }

    async fn decide(
        &self,
        work: impl Fn(&mut dyn store::Conn, &Decision<'_>) -> Result<Decided, ChangeError>
        + Send
        + Sync
        + 'static,
    ) -> Result<Decided, ChangeError> {
        let (dealer, settings) = (self.dealer.clone(), self.settings());
        let now = self.store.clock().now();
        self.store
            .write(move |conn| {
                let decision = Decision {
                    dealer: &dealer,
                    settings: &settings,
                    by: "pat",
                    now,
                };
                work(conn, &decision)
            })
            .await
    }

    async fn confirm(&self, id: &str, to: Option<&str>) -> Result<Decided, ChangeError> {
        let (id, to): (AppointmentId, _) = (id.parse().unwrap(), to.map(at));
        self.decide(move |conn, decision| confirm(conn, decision, &id, to))
            .await
    }

    async fn cancel(&self, id: &str) -> Result<Decided, ChangeError> {
        let id: AppointmentId = id.parse().unwrap();
        self.decide(move |conn, decision| cancel(conn, decision, &id, Some(CancelReason::Buyer)))
            .await
    }

    async fn appointments(&self, filter: Filter) -> Vec<Appointment> {
        let (dealer, vault) = (self.dealer.clone(), self.vault.clone());
        self.store
            .read(move |conn| list(conn, &vault, &dealer, &filter))
            .await
            .unwrap()
    }

    async fn appointment(&self, id: &str) -> Appointment {
        let (dealer, vault) = (self.dealer.clone(), self.vault.clone());
        let id: AppointmentId = id.parse().unwrap();
        self.store
            .read(move |conn| show(conn, &vault, &dealer, &id))
            .await
            .unwrap()
            .unwrap()
    }

    async fn asks(&self, number: usize, at: Option<&str>) -> aap::lead::AppointmentAnswer {
        self.wish(buyer(number).appointment("sales", at)).await
    }
}

#[tokio::test]
async fn a_held_time_is_confirmed_and_the_repeat_hears_of_it() {
    let desk = desk(json!({}));
    let asked = desk.asks(1, Some(ELEVEN)).await;
    desk.asks(1, Some(ELEVEN)).await;
    let decided = desk.confirm(&asked.appointment_id, None).await.unwrap();
    assert!(decided.changed);
    let again = desk.confirm(&asked.appointment_id, None).await.unwrap();
    assert!(!again.changed);
    let kept = desk.appointment(&asked.appointment_id).await;
    assert_eq!(kept.status, AppointmentStatus::Confirmed);
    assert_eq!(kept.starts_at, Some(at(ELEVEN)));
    assert_eq!(kept.decided_by.as_deref(), Some("pat"));
    let leads = desk.list().await;
    assert!(leads.iter().all(|lead| {
        let appointment = lead.appointment.as_ref().unwrap();
        appointment.status == AppointmentStatus::Confirmed
    }));
    let told = desk.asks(1, Some(ELEVEN)).await;
    assert_eq!(told.status, Told::Confirmed);
    assert_eq!(told.confirmed_at.as_deref(), Some(ELEVEN));
    assert_eq!(desk.asks(2, Some(ELEVEN)).await.status, Told::Proposed);
}

#[tokio::test]
async fn a_canceled_appointment_gives_its_time_back_and_stays_canceled() {
    let desk = desk(json!({}));
    let asked = desk.asks(1, Some(ELEVEN)).await;
    assert!(desk.cancel(&asked.appointment_id).await.unwrap().changed);
    assert!(!desk.cancel(&asked.appointment_id).await.unwrap().changed);
    let kept = desk.appointment(&asked.appointment_id).await;
    assert_eq!(kept.status, AppointmentStatus::Canceled);
    assert_eq!(kept.cancel_reason, Some(CancelReason::Buyer));
    let error = desk.confirm(&asked.appointment_id, None).await.unwrap_err();
    assert!(matches!(error, ChangeError::Canceled), "{error}");
    // Given back once, it is free for one.
    assert_eq!(desk.asks(2, Some(ELEVEN)).await.status, Told::Requested);
    assert_eq!(desk.asks(3, Some(ELEVEN)).await.status, Told::Proposed);
}

#[tokio::test]
async fn the_buyer_of_a_canceled_appointment_may_ask_again() {
    let desk = desk(json!({}));
    let first = desk.asks(1, Some(ELEVEN)).await;
    desk.cancel(&first.appointment_id).await.unwrap();
    let again = desk.asks(1, Some(ELEVEN)).await;
    assert_eq!(again.status, Told::Requested);
    assert_ne!(again.appointment_id, first.appointment_id);
    assert_eq!(desk.asks(2, Some(ELEVEN)).await.status, Told::Proposed);
}

#[tokio::test]
async fn an_appointment_moves_only_to_a_free_time() {
    let desk = desk(json!({}));
    let first = desk.asks(1, Some(TEN)).await;
    let second = desk.asks(2, Some(ELEVEN)).await;
    let error = desk.confirm(&second.appointment_id, Some(TEN)).await;
    let Err(ChangeError::Full { free }) = error else {
        panic!("{error:?}");
    };
    assert!(!free.contains(&TEN.to_owned()), "{free:?}");
    // Nothing has moved: the old time is still held.
    assert_eq!(desk.asks(3, Some(ELEVEN)).await.status, Told::Proposed);
    let noon = "2026-05-02T12:00:00-05:00";
    desk.confirm(&second.appointment_id, Some(noon))
        .await
        .unwrap();
    assert_eq!(desk.asks(4, Some(ELEVEN)).await.status, Told::Requested);
    assert_eq!(desk.asks(5, Some(noon)).await.status, Told::Proposed);
    let error = desk
        .confirm(&first.appointment_id, Some("2026-05-01T06:00:00-05:00"))
        .await;
    assert!(matches!(error, Err(ChangeError::Past { .. })), "{error:?}");
}

#[tokio::test]
async fn a_person_may_agree_on_a_time_when_nobody_is_there_for_others() {
    let desk = desk(json!({}));
    let asked = desk.asks(1, Some(ELEVEN)).await;
    let evening = "2026-05-02T20:07:00-05:00";
    desk.confirm(&asked.appointment_id, Some(evening))
        .await
        .unwrap();
    let kept = desk.appointment(&asked.appointment_id).await;
    assert_eq!(kept.starts_at, Some(at(evening)));
    assert_eq!(kept.ends_at, Some(at("2026-05-02T20:37:00-05:00")));
    desk.cancel(&asked.appointment_id).await.unwrap();
    let left = crate::schema::dump(&desk.store, "slot").await;
    assert!(left.lines().all(|line| line.ends_with("| 0")), "{left}");
}

#[tokio::test]
async fn what_has_no_time_needs_one() {
    let desk = desk(json!({}));
    let undated = desk.asks(1, None).await;
    let error = desk.confirm(&undated.appointment_id, None).await;
    assert!(
        matches!(error, Err(ChangeError::NoTime { .. })),
        "{error:?}"
    );
    desk.asks(2, Some(TEN)).await;
    let offered = desk.asks(3, Some(TEN)).await;
    let error = desk.confirm(&offered.appointment_id, None).await;
    let Err(ChangeError::NoTime { proposed }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(proposed, offered.proposed_times);
    desk.confirm(&offered.appointment_id, Some(&proposed[0]))
        .await
        .unwrap();
    desk.confirm(&undated.appointment_id, Some(ELEVEN))
        .await
        .unwrap();
    let error = desk
        .confirm("019a0000-0000-7000-8000-000000000000", None)
        .await;
    assert!(matches!(error, Err(ChangeError::Unknown)), "{error:?}");
}

#[tokio::test]
async fn a_held_agents_wish_gets_its_time_when_a_person_confirms_it() {
    let mut desk = desk(json!({}));
    desk.standing = Standing::Held;
    let held = desk.asks(1, Some(ELEVEN)).await;
    desk.standing = Standing::Open;
    desk.confirm(&held.appointment_id, None).await.unwrap();
    assert_eq!(desk.asks(2, Some(ELEVEN)).await.status, Told::Proposed);
}

#[tokio::test]
async fn a_rooftop_without_a_calendar_keeps_appointments_all_the_same() {
    let mut desk = Desk::open();
    desk.rooftop = dealers::Rooftop::default();
    let wish = buyer(1)
        .appointment("service", Some(ELEVEN))
        .with("/appointment/duration_minutes", json!(90));
    let asked = desk.wish(wish).await;
    desk.confirm(&asked.appointment_id, None).await.unwrap();
    let kept = desk.appointment(&asked.appointment_id).await;
    assert_eq!(kept.ends_at, Some(at("2026-05-02T12:30:00-05:00")));
}

#[tokio::test]
async fn appointments_are_listed_by_their_time_and_repeats_are_not() {
    let desk = desk(json!({}));
    let undated = desk.asks(1, None).await;
    let late = desk.asks(2, Some(ELEVEN)).await;
    desk.asks(2, Some(ELEVEN)).await;
    let early = desk.asks(3, Some(TEN)).await;
    let service = desk.wish(buyer(4).appointment("service", Some(TEN))).await;
    let ids = |appointments: Vec<Appointment>| -> Vec<String> {
        let ids = appointments.into_iter();
        ids.map(|it| it.appointment_id.to_string()).collect()
    };
    let everything = ids(desk.appointments(all()).await);
    assert_eq!(
        everything,
        [
            early.appointment_id.clone(),
            service.appointment_id.clone(),
            late.appointment_id.clone(),
            undated.appointment_id
        ]
    );
    let filters = [
        (
            Filter {
                since: Some(at(ELEVEN)),
                undated: false,
                ..all()
            },
            vec![late.appointment_id.clone()],
        ),
        (
            Filter {
                until: Some(at(ELEVEN)),
                undated: false,
                kind: Some(AppointmentType::Sales),
                ..all()
            },
            vec![early.appointment_id.clone()],
        ),
        (
            Filter {
                rooftop: Some("South".to_owned()),
                ..all()
            },
            Vec::new(),
        ),
        (
            Filter {
                status: Some(AppointmentStatus::Confirmed),
                ..all()
            },
            Vec::new(),
        ),
        (Filter { limit: 1, ..all() }, vec![early.appointment_id]),
    ];
    for (filter, expected) in filters {
        let found = ids(desk.appointments(filter.clone()).await);
        assert_eq!(found, expected, "{filter:?}");
    }
}

#[tokio::test]
async fn what_is_free_is_what_a_request_would_get() {
    let desk = desk(json!({}));
    desk.asks(1, Some(ELEVEN)).await;
    let (dealer, rooftop) = (desk.dealer.clone(), desk.rooftop.clone());
    let now = desk.store.clock().now();
    let free = |minutes| {
        let (dealer, rooftop) = (dealer.clone(), rooftop.clone());
        desk.store.read(move |conn| {
            let calendar = Calendar::of(&rooftop, AppointmentType::Sales).unwrap();
            let wanted = Wanted {
                dealer: &dealer,
                rooftop: "North",
                kind: AppointmentType::Sales,
                minutes,
                calendar: &calendar,
            };
            let (from, to) = calendar.day("2026-05-02".parse().unwrap()).unwrap();
            free(conn, &wanted, from, to, now)
        })
    };
    let short = free(None).await.unwrap();
    assert_eq!(short.len(), 17);
    assert!(!short.contains(&at(ELEVEN)));
    let long = free(Some(60)).await.unwrap();
    assert_eq!(long.len(), 15, "neither at half past ten nor at eleven");
}

#[tokio::test]
async fn a_decision_is_told_to_whoever_has_the_lead() {
    let desk = desk(json!({}));
    let asked = desk.asks(1, Some(ELEVEN)).await;
    let deliveries = async || {
        let dealer = desk.dealer.clone();
        let filter = leads::outbox::DeliveryFilter {
            limit: 10,
            ..leads::outbox::DeliveryFilter::default()
        };
        desk.store
            .read(move |conn| leads::outbox::list(conn, &dealer, &filter))
            .await
            .unwrap()
    };
    let announce = async || {
        let (dealer, id) = (desk.dealer.clone(), asked.appointment_id.clone());
        let lead_id = desk.appointment(&id).await.lead_id;
        let clock = desk.store.clock().clone();
        desk.store
            .write(move |conn| {
                let new_id = || clock.new_id().into();
                announce(conn, &dealer, &lead_id, &new_id, clock.now())
            })
            .await
            .unwrap()
    };
    // What waits will be sent with the decision in it.
    assert_eq!(announce().await, 0);
    let sent: Result<_, store::Error> = desk
        .store
        .write(|conn| conn.execute("UPDATE delivery SET state = 'sent'", &[]))
        .await;
    sent.unwrap();
    assert_eq!(announce().await, 1);
    let last = deliveries().await;
    let last = last
        .iter()
        .find(|it| it.purpose == Purpose::Resend)
        .unwrap();
    assert_eq!(last.destination, "crm");
}

/// An iCalendar document as RFC 5545 has it, each line unfolded.
fn lines(document: &str) -> Vec<String> {
    assert!(document.ends_with("\r\n"));
    for line in document.split("\r\n") {
        assert!(line.len() <= 75, "{line:?} is too long");
        assert!(!line.contains(['\r', '\n']), "{line:?}");
    }
    let unfolded = document.replace("\r\n ", "");
    unfolded
        .split_terminator("\r\n")
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn a_calendar_has_the_agreed_times_and_names_nobody_unless_asked() {
    let desk = desk(json!({}));
    let held = desk
        .wish(Request::new().car().appointment("test_drive", Some(TEN)))
        .await;
    let confirmed = desk.asks(2, Some(ELEVEN)).await;
    desk.confirm(&confirmed.appointment_id, None).await.unwrap();
    let canceled = desk.asks(3, Some(TEN)).await;
    desk.cancel(&canceled.appointment_id).await.unwrap();
    desk.asks(4, None).await;
    let appointments = desk.appointments(all()).await;
    let mut form = CalendarForm {
        name: "North; appointments",
        names_persons: false,
        now: desk.store.clock().now(),
    };
    let plain = calendar(&appointments, &form);
    let plain_lines = lines(&plain);
    let count = |line: &str| plain_lines.iter().filter(|it| *it == line).count();
    assert_eq!(plain_lines[0], "BEGIN:VCALENDAR");
    assert_eq!(count("VERSION:2.0"), 1);
    assert_eq!(count("BEGIN:VEVENT"), 3, "what has no time is no event");
    for line in ["STATUS:TENTATIVE", "STATUS:CONFIRMED", "STATUS:CANCELLED"] {
        assert_eq!(count(line), 1, "{line}");
    }
    assert_eq!(count(&format!("UID:{}", held.appointment_id)), 1);
    assert_eq!(count("DTSTART:20260502T150000Z"), 2);
    assert_eq!(count("DTEND:20260502T163000Z"), 1);
    assert_eq!(count("DTSTAMP:20260501T120000Z"), 3);
    assert_eq!(count("SUMMARY:Test drive: 2003 Honda Accord EX"), 1);
    assert_eq!(count("NAME;VALUE=TEXT:North\\; appointments"), 1);
    for personal in ["Ada", "Fixture", "example.com", "+1415"] {
        assert!(!plain.contains(personal), "{personal}");
    }
    form.names_persons = true;
    let named = lines(&calendar(&appointments, &form));
    assert!(
        named.contains(&"SUMMARY:Test drive: Ada Fixture\\, 2003 Honda Accord EX".to_owned()),
        "{named:#?}"
    );
}

#[tokio::test]
async fn hostile_words_stay_inside_their_event() {
    let desk = desk(json!({}));
    let hostile = "Ada\r\nEND:VEVENT\r\n;,\\\u{0}\u{1b}[2J";
    let wish = Request::new()
        .with("/customer/first_name", Value::from(hostile))
        .appointment("sales", Some(TEN));
    desk.wish(wish).await;
    let form = CalendarForm {
        name: "North",
        names_persons: true,
        now: desk.store.clock().now() + SignedDuration::from_hours(1),
    };
    let document = calendar(&desk.appointments(all()).await, &form);
    let ends = lines(&document)
        .iter()
        .filter(|it| *it == "END:VEVENT")
        .count();
    assert_eq!(ends, 1, "{document}");
    assert!(!document.contains(['\u{0}', '\u{1b}']));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn people_and_agents_at_once_get_no_place_twice() {
    let desk = std::sync::Arc::new(desk(json!({ "capacity": 1 })));
    let mut waiting = Vec::new();
    for number in 0..20 {
        waiting.push(desk.asks(number, None).await.appointment_id);
    }
    let mut asking = tokio::task::JoinSet::new();
    for (number, id) in waiting.into_iter().enumerate() {
        let desk = std::sync::Arc::clone(&desk);
        asking.spawn(async move {
            let asked = desk.asks(100 + number, Some(ELEVEN)).await.status == Told::Requested;
            let confirmed = desk.confirm(&id, Some(ELEVEN)).await.is_ok();
            usize::from(asked) + usize::from(confirmed)
        });
    }
    let got: usize = asking.join_all().await.into_iter().sum();
    assert_eq!(got, 1);
}

/// What may happen to appointments, each with a buyer and a half hour of the morning.
#[derive(Debug, Clone, Copy)]
enum Happens {
    Asks(usize, usize, u64),
    Confirms(usize, Option<usize>),
    Cancels(usize),
}

fn happens() -> impl Strategy<Value = Happens> {
    let asks = (
        0..6_usize,
        0..5_usize,
        prop::sample::select(vec![30_u64, 45, 90]),
    );
    prop_oneof![
        3 => asks.prop_map(|(buyer, slot, minutes)| Happens::Asks(buyer, slot, minutes)),
        1 => (0..30_usize, prop::option::of(0..5_usize))
            .prop_map(|(which, slot)| Happens::Confirms(which, slot)),
        1 => (0..30_usize).prop_map(Happens::Cancels),
    ]
}

fn half_hour(slot: usize) -> String {
    (at(TEN) + SignedDuration::from_mins(30) * i32::try_from(slot).unwrap()).to_string()
}

async fn let_happen(desk: &Desk, ids: &mut Vec<String>, happens: Happens) {
    let named = |which: usize| ids.get(which % ids.len().max(1)).cloned();
    match happens {
        Happens::Asks(number, slot, minutes) => {
            let wish = buyer(number)
                .appointment("sales", Some(&half_hour(slot)))
                .with("/appointment/duration_minutes", json!(minutes));
            ids.push(desk.wish(wish).await.appointment_id);
        }
        Happens::Confirms(which, slot) => {
            if let Some(id) = named(which) {
                // Some are refused; what counts is what is left behind.
                let _ = desk.confirm(&id, slot.map(half_hour).as_deref()).await;
            }
        }
        Happens::Cancels(which) => {
            if let Some(id) = named(which) {
                desk.cancel(&id).await.unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever happens in whatever order, the places that are counted are those of the
    /// appointments that stand, and none has more than there are.
    #[test]
    fn the_places_are_those_of_the_appointments(
        capacity in 1..3_u32,
        story in prop::collection::vec(happens(), 1..25),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (counted, standing) = runtime.block_on(async {
            let desk = desk(json!({ "capacity": capacity }));
            let mut ids = Vec::new();
            for happens in &story {
                let_happen(&desk, &mut ids, *happens).await;
            }
            let counted: Result<Vec<(i64, i64)>, store::Error> = desk
                .store
                .read(|conn| {
                    conn.all(
                        "SELECT starts_at, taken FROM slot WHERE taken <> 0 ORDER BY starts_at",
                        &[],
                        |row| Ok((row.int(0)?, row.int(1)?)),
                    )
                })
                .await;
            (counted.unwrap(), desk.appointments(all()).await)
        });
        let mut expected = BTreeMap::new();
        for appointment in standing {
            if appointment.status == AppointmentStatus::Canceled {
                continue;
            }
            let (Some(from), Some(to)) = (appointment.starts_at, appointment.ends_at) else {
                continue;
            };
            let pieces = (from.as_millisecond()..to.as_millisecond()).step_by(300_000);
            for piece in pieces {
                *expected.entry(piece).or_insert(0) += 1;
            }
        }
        prop_assert!(counted.iter().all(|(_, taken)| *taken <= i64::from(capacity)));
        prop_assert_eq!(counted, expected.into_iter().collect::<Vec<_>>());
    }
}
