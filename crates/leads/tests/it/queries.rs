//! Reading leads back.

use jiff::SignedDuration;
use leads::{Cursor, DeliveryState, Filter, LeadId, Search};
use serde_json::json;

use crate::{Desk, Request};

#[tokio::test]
async fn leads_are_listed_newest_first_within_the_filter() {
    let desk = Desk::open();
    let mut taken = Vec::new();
    for model in ["Accord", "Civic", "Pilot"] {
        let request = Request::new().with("/vehicle_of_interest", json!({ "model": model }));
        taken.push(desk.take(request).await.result.lead_id);
        desk.wait(SignedDuration::from_hours(1));
    }
    taken.reverse();
    let list = async |since: Option<&str>, limit| {
        let filter = Filter {
            since: since.map(|time| time.parse().unwrap()),
            tests: false,
            limit,
        };
        let dealer = desk.dealer.clone();
        let found = desk
            .store
            .read(move |conn| leads::list(conn, &leads::Vault::open(), &dealer, filter))
            .await
            .unwrap();
        let ids: Vec<String> = found.iter().map(|lead| lead.lead_id.to_string()).collect();
        ids
    };
    assert_eq!(list(None, 10).await, taken);
    assert_eq!(list(None, 2).await, taken[..2]);
    assert_eq!(list(Some("2026-05-01T13:00:00Z"), 10).await, taken[..2]);
    assert_eq!(list(Some("2026-05-01T14:00:00.001Z"), 10).await, [""; 0]);
}

#[tokio::test]
async fn a_lead_comes_back_as_it_was_sent() {
    let desk = Desk::open();
    let request = Request::new()
        .with("/customer/preferred_contact", json!("sms"))
        .with(
            "/customer/address",
            json!({ "city": "Austin", "zip": "78701" }),
        )
        .with(
            "/vehicle_of_interest",
            json!({ "vin": "1HGCM82633A004352", "price": 32995, "tow_hitch": 1.50 }),
        )
        .with(
            "/trade_in",
            json!({ "year": 2012, "condition": "good", "mileage": 98_000 }),
        )
        .appointment("trade_in", Some("2026-05-03T18:00:00Z"))
        .with("/message", json!("Is it still there? \u{1F697}"))
        .with("/submitted_at", json!("2026-05-01T11:59:30Z"))
        .with(
            "/source_agent",
            json!({ "name": "example-agent", "url": "https://agent.example.com/" }),
        );
    let sent: aap::lead::LeadSubmitRequest =
        serde_json::from_value(request.payload.clone()).unwrap();
    let answer = desk.take(request.key("one")).await;
    let lead = desk.show(&answer.result.lead_id).await;
    assert_eq!(lead.request.0, Some(sent.into()));
    assert_eq!(lead.summary.deliveries_due, 1);
    let person = lead.summary.person.0.unwrap();
    assert_eq!(person.email.as_deref(), Some("ada.fixture@example.com"));
}

#[tokio::test]
async fn a_dealer_sees_its_own_leads_only() {
    let desk = Desk::open();
    let lead_id = desk.take(Request::new()).await.result.lead_id;
    let mut other = Desk::over(desk.store.clone());
    other.dealer = "other-motors".parse().unwrap();
    assert!(other.list().await.is_empty());
    let (dealer, lead_id) = (other.dealer.clone(), lead_id.parse::<LeadId>().unwrap());
    let found = other
        .store
        .read(move |conn| leads::show(conn, &leads::Vault::open(), &dealer, &lead_id))
        .await
        .unwrap();
    assert_eq!(found, None);
}

#[tokio::test]
async fn leads_are_counted() {
    let desk = Desk::open();
    desk.take(Request::new()).await;
    desk.take(Request::new()).await;
    desk.take(Request::new().car()).await;
    let dealer = desk.dealer.clone();
    let counts = desk
        .store
        .read(move |conn| leads::count(conn, &dealer))
        .await
        .unwrap();
    assert_eq!(
        (counts.leads, counts.repeats, counts.deliveries_due),
        (3, 1, 3)
    );
}

/// The leads of every page, and how many pages there were.
async fn pages(desk: &Desk, search: Search, limit: u32) -> (Vec<String>, usize) {
    let (mut ids, mut count, mut after) = (Vec::new(), 0, None::<Cursor>);
    loop {
        let (dealer, search) = (desk.dealer.clone(), search.clone());
        let page = desk
            .store
            .read(move |conn| {
                let vault = leads::Vault::open();
                leads::search(conn, &vault, &dealer, &search, after.as_ref(), limit)
            })
            .await
            .expect("reads");
        count += 1;
        ids.extend(page.entries.iter().map(|it| it.lead_id.to_string()));
        // As a caller sends it back.
        let Some(next) = page.next else {
            return (ids, count);
        };
        after = Some(next.to_string().parse().expect("a cursor"));
    }
}

#[tokio::test]
async fn pages_show_every_lead_once_also_those_of_one_moment() {
    let desk = Desk::open();
    let mut taken = Vec::new();
    for number in 0..7 {
        let request = Request::new().with("/message", json!(format!("{number}")));
        taken.push(desk.take(request).await.result.lead_id);
        if number % 3 == 0 {
            desk.wait(SignedDuration::from_secs(1));
        }
    }
    taken.sort_unstable_by(|one, other| other.cmp(one));
    for limit in [1, 2, 3, 7, 100] {
        let (ids, count) = pages(&desk, Search::default(), limit).await;
        assert_eq!(ids, taken, "{limit}");
        assert_eq!(count, 7_usize.div_ceil(limit as usize), "{limit}");
    }
}

#[tokio::test]
async fn a_search_keeps_to_its_limits() {
    let desk = Desk::open();
    let first = desk.take(Request::new()).await.result.lead_id;
    desk.wait(SignedDuration::from_hours(1));
    let other = Request::new().with("/source_agent/name", json!("other-agent"));
    let second = desk.take(other).await.result.lead_id;
    let at = |hour: u8| Some(format!("2026-05-01T{hour}:00:00Z").parse().unwrap());
    let found = async |limits: &dyn Fn(&mut Search)| {
        let mut search = Search::default();
        limits(&mut search);
        pages(&desk, search, 1).await.0
    };
    let all = [second.clone(), first.clone()];
    let (newer, older) = ([second.clone()], [first.clone()]);
    assert_eq!(found(&|it| it.since = at(13)).await, newer);
    assert_eq!(found(&|it| it.until = at(13)).await, older);
    assert_eq!(
        found(&|it| it.agent = Some("other-agent".to_owned())).await,
        newer
    );
    assert_eq!(
        found(&|it| it.rooftop = Some("North".to_owned())).await,
        all
    );
    assert_eq!(
        found(&|it| it.rooftop = Some("South".to_owned())).await,
        [""; 0]
    );
    assert_eq!(found(&|it| it.state = Some(DeliveryState::Due)).await, all);
    assert_eq!(
        found(&|it| it.state = Some(DeliveryState::Sent)).await,
        [""; 0]
    );
}

/// What a lead and an enquiry have in common.
macro_rules! told {
    ($it:expr) => {
        format!(
            "{} {} {:?} {:?} {} {:?} {:?} {:?}",
            $it.lead_id,
            $it.received_at,
            $it.status,
            $it.rooftop,
            $it.source_agent,
            $it.vin,
            $it.stock,
            $it.arrival
        )
    };
}

#[tokio::test]
async fn enquiries_are_the_leads_without_persons_and_need_no_key() {
    let key = leads::VaultKey::new([7; 32]);
    let mut desk = Desk {
        vault: leads::Vault::new(Some(&key), &[]),
        ..Desk::open()
    };
    let mut taken = Vec::new();
    for (destination, state) in [
        ("crm", "due"),
        ("", "due"),
        ("crm", "held"),
        ("crm", "sent"),
        ("crm", "failed"),
        ("crm", "erased"),
    ] {
        desk.destination = destination.to_owned();
        let lead = desk.take(Request::new()).await.result.lead_id;
        desk.wait(SignedDuration::from_hours(1));
        let id = lead.clone();
        let set = move |conn: &mut dyn store::Conn| {
            let to = "UPDATE delivery SET state = $2 WHERE lead_id = $1";
            conn.execute(to, &[(&id).into(), state.into()])
        };
        desk.store.write(set).await.unwrap();
        taken.push(lead);
    }
    // A second destination, which has it already.
    let id = taken[0].clone();
    let add = move |conn: &mut dyn store::Conn| {
        conn.execute(
            "INSERT INTO delivery (dealer, delivery_id, lead_id, state, due_at, attempts, is_repeat,
                 destination, purpose)
             SELECT dealer, 'd-2', lead_id, 'sent', 0, 1, 0, 'mail', 'lead' FROM delivery
             WHERE lead_id = $1",
            &[(&id).into()],
        )
    };
    desk.store.write(add).await.unwrap();

    let whole: Vec<String> = (desk.list().await.iter()).map(|it| told!(it)).collect();
    let read = async |limit| {
        let dealer = desk.dealer.clone();
        let read = move |conn: &mut dyn store::Conn| leads::enquiries(conn, &dealer, limit);
        desk.store.read(read).await.unwrap()
    };
    let enquiries = read(100).await;
    let counted: Vec<String> = enquiries.iter().map(|it| told!(it)).collect();
    assert_eq!(counted, whole);
    use leads::Arrival::{Accepted, Failed, Queued, Sent};
    let arrivals: Vec<_> = enquiries.iter().rev().map(|it| it.arrival).collect();
    let told = [Queued, Accepted, Accepted, Sent, Failed].map(Some);
    assert_eq!(arrivals, [&told[..], &[None]].concat());
    assert_eq!(read(2).await, enquiries[..2], "the newest");
}
