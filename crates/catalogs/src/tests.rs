//! Files of a catalog as they arrive, with the clock in the test's hand.

use analyst::{Role, Table};
use dealers::DealerId;
use inventory::stock::{self, AttentionKind, RunRecord, RunState};
use jiff::SignedDuration;
use store::{Clock, Store};

use crate::{AcceptError, Arrival, Catalog, Tables, accept, attention, load, prune, publish};

struct Bench {
    store: Store,
    clock: Clock,
    id: DealerId,
    catalog: Catalog,
}

impl Bench {
    fn new(settings: &str) -> Self {
        let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
        let lists = [stock::MIGRATIONS, crate::MIGRATIONS];
        Self {
            store: Store::temporary(&lists, clock.clone()).unwrap(),
            clock,
            id: "garden".parse().unwrap(),
            catalog: toml::from_str(&format!("name = \"Garden House\"\n{settings}")).unwrap(),
        }
    }

    async fn publish(&self, file: &str) -> RunRecord {
        let arrival = Arrival {
            file_name: Some("garden.csv"),
            bytes: file.as_bytes(),
        };
        let published = publish(&self.store, &self.id, &self.catalog, arrival).await;
        published.unwrap().1
    }

    /// Publishes it a day after the file before.
    async fn publish_next(&self, file: &str) -> RunRecord {
        self.clock.advance(SignedDuration::from_hours(24));
        self.publish(file).await
    }

    async fn tables(&self) -> Tables {
        load(&self.store, &self.id, &self.catalog).await.unwrap()
    }

    async fn attention(&self) -> Vec<(AttentionKind, String)> {
        let (id, catalog, now) = (self.id.clone(), self.catalog.clone(), self.clock.now());
        let read = move |conn: &mut dyn store::Conn| attention(conn, &id, &catalog, now);
        let found = self.store.read(read).await.unwrap();
        found.into_iter().map(|it| (it.kind, it.text)).collect()
    }
}

/// A file with these lines of id, title and price.
fn file(lines: &[&str]) -> String {
    format!("id,title,price\n{}\n", lines.join("\n"))
}

/// So many items.
fn items(count: usize) -> String {
    let lines: Vec<String> = (0..count)
        .map(|it| format!("{it},Chair {it},{it}9 EUR"))
        .collect();
    format!("id,title,price\n{}\n", lines.join("\n"))
}

/// The cells of some columns, one string for each row.
fn cells(table: &Table, roles: &[Role]) -> Vec<String> {
    let cell = |role: &Role, row| {
        table
            .column(*role)
            .and_then(|it| it.text(row))
            .unwrap_or("∅")
    };
    let of_row = |row| {
        let cells: Vec<&str> = roles.iter().map(|role| cell(role, row)).collect();
        cells.join("|")
    };
    (0..table.rows()).map(of_row).collect()
}

const HISTORY: [Role; 5] = [
    Role::Event,
    Role::Id,
    Role::OldPrice,
    Role::Price,
    Role::EventDate,
];

#[tokio::test]
async fn what_came_went_and_changed_its_price_is_told_with_its_day() {
    let bench = Bench::new("");
    let first = file(&["1,Bench,90 EUR", "2,Sofa,900 EUR", "3,Lamp,5 EUR"]);
    assert_eq!(bench.publish(&first).await.added, 3);
    let second = file(&["1,Bench,80 EUR", "2,Sofa,900 EUR", "4,Table,300 EUR"]);
    let run = bench.publish_next(&second).await;
    assert_eq!((run.added, run.changed, run.withdrawn), (1, 1, 1));
    let third = file(&[
        "1,Bench,80 EUR",
        "2,Sofa,900 EUR",
        "3,Lamp,5 EUR",
        "4,Table,300 EUR",
    ]);
    bench.publish_next(&third).await;
    let tables = bench.tables().await;
    assert_eq!(
        cells(&tables.history.unwrap(), &HISTORY),
        [
            "price|1|90 EUR|80 EUR|2026-05-02",
            "came|4|∅|300 EUR|2026-05-02",
            "went|3|∅|5 EUR|2026-05-02",
            "came|3|∅|5 EUR|2026-05-03",
        ]
    );
    assert_eq!(
        cells(
            &tables.own.unwrap(),
            &[Role::Id, Role::DateAdded, Role::SnapshotDate]
        ),
        [
            "1|2026-05-01|2026-05-03",
            "2|2026-05-01|2026-05-03",
            "3|2026-05-03|2026-05-03",
            "4|2026-05-02|2026-05-03",
        ],
        "what came back came anew"
    );
}

/// Google's product feed with these items of id and price.
fn rss(items: &[(&str, &str)]) -> String {
    let item = |(id, price): &(&str, &str)| {
        format!(
            "<item><g:id>{id}</g:id><title>Chair {id}</title><g:price>{price}</g:price>\
             <g:image_link>https://shop.example/{id}.jpg</g:image_link></item>\n"
        )
    };
    let items: String = items.iter().map(item).collect();
    format!(
        "<?xml version=\"1.0\"?>\n<rss version=\"2.0\" xmlns:g=\"http://base.google.com/ns/1.0\"><channel>\n\
         <title>Garden House</title><lastBuildDate>Thu, 30 Apr 2026 06:00:00 GMT</lastBuildDate>\n{items}</channel></rss>\n"
    )
}

#[tokio::test]
async fn a_product_feed_in_xml_is_compared_like_any_other_file() {
    let bench = Bench::new("");
    let first = rss(&[("1", "90 EUR"), ("2", "900 EUR"), ("3", "5 EUR")]);
    assert_eq!(bench.publish(&first).await.added, 3);
    // What was a CSV file may come as XML, and the other way round.
    let second = file(&["1,Bench,80 EUR", "2,Sofa,900 EUR", "4,Table,300 EUR"]);
    let run = bench.publish_next(&second).await;
    assert_eq!((run.added, run.changed, run.withdrawn), (1, 1, 1));
    let third = rss(&[("1", "80 EUR"), ("2", "950 EUR"), ("4", "300 EUR")]);
    let run = bench.publish_next(&third).await;
    assert_eq!((run.added, run.changed, run.withdrawn), (0, 1, 0));
    let tables = bench.tables().await;
    let own = tables.own.unwrap();
    let day = own.column(Role::SnapshotDate).unwrap();
    assert_eq!(day.header(), "channel.lastBuildDate");
    assert_eq!(
        cells(&own, &[Role::Id, Role::Price, Role::DateAdded]),
        [
            "1|80 EUR|2026-05-01",
            "2|950 EUR|2026-05-01",
            "4|300 EUR|2026-05-02"
        ]
    );
    assert_eq!(
        cells(&tables.history.unwrap(), &HISTORY).last().unwrap(),
        "price|2|900 EUR|950 EUR|2026-05-03"
    );
}

#[tokio::test]
async fn a_document_that_breaks_off_is_not_believed_until_a_person_says_so() {
    let bench = Bench::new("");
    let names: Vec<String> = (0..20).map(|it| it.to_string()).collect();
    let all: Vec<(&str, &str)> = names.iter().map(|it| (it.as_str(), "9 EUR")).collect();
    let whole = rss(&all);
    // Also the first file, with which nothing can be compared.
    let cut = &whole[..whole.find("Chair 19").unwrap()];
    let run = bench.publish(cut).await;
    assert_eq!((run.state, run.rows), (RunState::KeptLastGood, 19));
    assert!(bench.tables().await.own.is_none());
    assert_eq!(bench.publish_next(&whole).await.added, 20);
    let run = bench.publish_next(cut).await;
    assert_eq!(run.state, RunState::KeptLastGood);
    let reason = run.reason.unwrap();
    assert!(
        reason.contains("breaks off in line 23, behind 19 whole rows"),
        "{reason}"
    );
    assert_eq!(bench.tables().await.own.unwrap().rows(), 20);
    let (report, run) = accept(
        &bench.store,
        &bench.id,
        &bench.catalog,
        run.id,
        "Ada",
        false,
    )
    .await
    .unwrap();
    assert_eq!((run.state, run.withdrawn), (RunState::Applied, 1));
    assert_eq!(report.document()["format"], "xml");
    assert_eq!(report.document()["skipped"][0]["row"], 23);
    assert_eq!(bench.tables().await.own.unwrap().rows(), 19);

    let half = rss(&all[..9]);
    let run = bench.publish_next(&half).await;
    let reason = run.reason.unwrap();
    assert!(reason.contains("10 of the 19 items"), "{reason}");
    let run = bench.publish_next("<rss><channel></channel></rss>").await;
    assert_eq!(run.state, RunState::Refused);
}

#[tokio::test]
async fn the_files_own_days_count_and_those_of_the_catalogs_zone() {
    let bench = Bench::new("timezone = \"Pacific/Auckland\"");
    bench
        .publish("id,date added,price\n1,2025-03-04,9 EUR\n")
        .await;
    let own = bench.tables().await.own.unwrap();
    assert_eq!(
        cells(&own, &[Role::DateAdded, Role::SnapshotDate]),
        ["2025-03-04|2026-05-02"]
    );
}

#[tokio::test]
async fn a_file_that_cannot_be_right_leaves_the_last_good_one() {
    let bench = Bench::new("");
    bench.publish(&items(20)).await;
    for (wrong, state, reason) in [
        (items(9), RunState::KeptLastGood, "11 of the 20 items"),
        ("id,title,price\n".to_owned(), RunState::Refused, "no rows"),
        ("%PDF-1.7 \u{0}".to_owned(), RunState::Refused, "PDF"),
        (
            items(20).replace("price", "about"),
            RunState::KeptLastGood,
            "no prices",
        ),
        (
            items(20).replace("id,", "about,"),
            RunState::KeptLastGood,
            "\"id\"",
        ),
        (
            items(20).replace("\n", "\nx"),
            RunState::KeptLastGood,
            "20 of the 20",
        ),
    ] {
        let run = bench.publish_next(&wrong).await;
        assert_eq!(run.state, state, "{run:?}");
        let words = run.reason.unwrap();
        assert!(words.contains(reason), "{words}");
        assert_eq!(bench.tables().await.own.unwrap().rows(), 20);
        let attention = bench.attention().await;
        assert!(
            attention.iter().any(|(_, text)| text.contains(&words)),
            "{attention:?}"
        );
    }
    let run = bench.publish_next(&items(10)).await;
    assert_eq!(run.state, RunState::Applied, "half of them may go");
    assert_eq!(bench.attention().await, []);
    assert_eq!(bench.tables().await.own.unwrap().rows(), 10);
}

#[tokio::test]
async fn a_person_has_a_doubted_file_applied_and_what_it_lacks_went() {
    let bench = Bench::new("");
    bench.publish(&items(20)).await;
    let doubted = bench.publish_next(&items(2)).await;
    let told = bench.attention().await;
    let command = format!(
        "`forecourt catalogs accept --catalog garden {}`",
        doubted.id
    );
    assert!(told[0].1.contains(&command), "{told:?}");
    let take = |run, force| accept(&bench.store, &bench.id, &bench.catalog, run, "Ada", force);
    let (_, run) = take(doubted.id, false).await.unwrap();
    assert_eq!((run.state, run.withdrawn), (RunState::Applied, 18));
    assert_eq!(run.accepted_by.as_deref(), Some("Ada"));
    assert_eq!(bench.attention().await, []);
    assert_eq!(bench.tables().await.own.unwrap().rows(), 2);
    assert!(matches!(
        take(run.id, false).await,
        Err(AcceptError::Applied(_))
    ));

    let refused = bench.publish_next("id,title,price\n").await;
    assert!(matches!(
        take(refused.id, false).await,
        Err(AcceptError::Unreadable { .. })
    ));
    bench.publish_next(&items(3)).await;
    assert!(matches!(
        take(doubted.id, false).await,
        Err(AcceptError::Newer { .. })
    ));
    take(doubted.id, true).await.unwrap();
    assert_eq!(bench.tables().await.own.unwrap().rows(), 2);
}

/// A file arrives while an older one is applied after all: after the acceptance has read which files there are,
/// and before it writes.
#[tokio::test]
async fn a_file_that_arrives_while_an_older_one_is_accepted_stays_up() {
    let bench = Bench::new("");
    bench.publish(&items(20)).await;
    let doubted = bench.publish_next(&items(2)).await;
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = std::sync::Mutex::new(held);
    let hold = move |_: &mut dyn store::Conn| {
        let _ = held.lock().unwrap().recv();
        Ok::<_, stock::Error>(())
    };
    let mut holding = Box::pin(bench.store.write_claiming(stock::claim(&bench.id), hold));
    let newest = items(21);
    let mut arriving = Box::pin(bench.publish_next(&newest));
    let mut accepting = Box::pin(accept(
        &bench.store,
        &bench.id,
        &bench.catalog,
        doubted.id,
        "Ada",
        false,
    ));
    // Each gets as far as it can while all writes wait, in this order.
    let moment = std::time::Duration::from_millis(300);
    let moment = || tokio::time::sleep(moment);
    tokio::select! { _ = &mut holding => {} () = moment() => {} }
    tokio::select! { _ = &mut arriving => {} () = moment() => {} }
    tokio::select! { _ = &mut accepting => {} () = moment() => {} }
    drop(release);
    let (_, arrived, accepted) = tokio::join!(holding, arriving, accepting);
    assert_eq!(arrived.state, RunState::Applied);
    assert_eq!(bench.tables().await.own.unwrap().rows(), 21, "{accepted:?}");
}

#[tokio::test]
async fn the_same_file_again_is_a_sighting_and_changes_nothing_else() {
    let bench = Bench::new("max_age = \"36h\"\nexpect_every = \"30h\"");
    bench.publish(&items(3)).await;
    let run = bench.publish_next(&items(3)).await;
    assert_eq!((run.state, run.added), (RunState::Repeated, 0));
    bench.clock.advance(SignedDuration::from_hours(35));
    assert_eq!(bench.tables().await.own.unwrap().rows(), 3);
    assert_eq!(bench.attention().await[0].0, AttentionKind::Overdue);
    bench.clock.advance(SignedDuration::from_hours(1));
    let tables = bench.tables().await;
    assert!(tables.own.is_none() && tables.history.is_none());
    assert!(tables.remarks[0].contains("2026-05-02"), "{tables:?}");
    let kinds: Vec<_> = bench.attention().await.into_iter().map(|it| it.0).collect();
    assert_eq!(kinds, [AttentionKind::Hidden, AttentionKind::Overdue]);
    bench.publish_next(&items(3)).await;
    assert_eq!(bench.tables().await.own.unwrap().rows(), 3);
    assert_eq!(bench.attention().await, []);
}

#[tokio::test]
async fn columns_mean_what_the_seller_states() {
    let bench = Bench::new("columns = { id = \"Wares\", price = \"Now\" }");
    bench
        .publish("Wares,Now,id\nA,10 EUR,1\nB,20 EUR,2\n")
        .await;
    bench
        .publish_next("Wares,Now,id\nA,15 EUR,7\nB,20 EUR,8\n")
        .await;
    let history = bench.tables().await.history.unwrap();
    assert_eq!(
        cells(&history, &HISTORY),
        ["price|A|10 EUR|15 EUR|2026-05-02"]
    );
}

#[tokio::test]
async fn variants_are_told_apart_by_their_own_ids_and_named_by_their_item() {
    let bench = Bench::new("");
    let shop = |price: &str| {
        format!(
            "Handle,Title,Variant SKU,Variant Price,Image Src\n\
             sofa,Sofa Oslo,S-1,900.00,a.jpg\nsofa,,S-2,{price},b.jpg\nsofa,,,,c.jpg\n"
        )
    };
    bench.publish(&shop("950.00")).await;
    bench.publish_next(&shop("850.00")).await;
    let history = bench.tables().await.history.unwrap();
    let told = [Role::Event, Role::Id, Role::Title, Role::Price];
    assert_eq!(cells(&history, &told), ["price|S-2|Sofa Oslo|850.00"]);
}

#[tokio::test]
async fn of_old_changes_nothing_is_kept_and_the_file_stays() {
    let bench = Bench::new("keep_history = \"10d\"");
    bench.publish(&file(&["1,Bench,90 EUR"])).await;
    bench.publish_next(&file(&["1,Bench,80 EUR"])).await;
    bench.clock.advance(SignedDuration::from_hours(24 * 11));
    bench.publish(&file(&["1,Bench,70 EUR"])).await;
    let (id, catalog, now) = (bench.id.clone(), bench.catalog.clone(), bench.clock.now());
    let pruned = bench
        .store
        .write(move |conn| prune(conn, &id, &catalog, now));
    pruned.await.unwrap();
    let tables = bench.tables().await;
    assert_eq!(
        cells(&tables.history.unwrap(), &HISTORY),
        ["price|1|80 EUR|70 EUR|2026-05-13"]
    );
    assert_eq!(tables.own.unwrap().rows(), 1);
}

#[tokio::test]
async fn without_ids_there_is_a_catalog_and_no_history() {
    let bench = Bench::new("");
    bench
        .publish("what,price\nBench,9 EUR\nSofa,90 EUR\n")
        .await;
    let run = bench
        .publish_next("what,price\nBench,8 EUR\nSofa,80 EUR\n")
        .await;
    assert_eq!(run.state, RunState::Applied);
    let tables = bench.tables().await;
    assert_eq!(tables.history.unwrap().rows(), 0);
    let own = tables.own.unwrap();
    assert!(
        own.column(Role::DateAdded).is_none(),
        "nothing is known of it"
    );
}
