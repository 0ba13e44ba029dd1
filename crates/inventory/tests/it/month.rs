//! A month of a dealer group with three rooftops and four feeds: after each step the published
//! stock, the alarms and the history are exactly what the table says.

use std::collections::{BTreeMap, BTreeSet};

use dealers::{Period, Rooftop};
use jiff::SignedDuration;
use uuid::Uuid;

use crate::lot::{Lot, time};

/// One line of the table.
struct Step {
    /// Day and time.
    at: &'static str,
    what: What,
    /// What became of the run; empty where there is none.
    state: &'static str,
    /// Stock numbers, ranges joined; with rooftops where several list a unit, and with a price that
    /// is not the usual one.
    stock: &'static str,
    /// Causes.
    alarms: &'static str,
    /// What the histories of all units say more than before the step.
    history: &'static str,
}

enum What {
    /// A file of this feed with these units.
    File(&'static str, &'static str),
    /// A file of this feed with these bytes.
    Bytes(&'static str, &'static str),
    /// Every feed sends the file that was good last, at its usual times, up to and including this
    /// day.
    Daily,
    /// A person accepts the latest run of this feed that was not believed.
    Accept(&'static str),
    /// A person withdraws this unit.
    Withdraw(&'static str),
    /// A person restores this unit.
    Restore(&'static str),
    /// Nothing but time.
    Wait,
}
use What::{Accept, Bytes, Daily, File, Restore, Wait, Withdraw};

const NEW: &str = "north-new";
const USED: &str = "north-used";
const SOUTH: &str = "south";
const EAST: &str = "east";

#[rustfmt::skip]
const MONTH: &[Step] = &[
    // The first day. East lists a car of South, for less; South owns it.
    Step { at: "05-01 06:00", what: File(NEW, "N1-6"), state: "applied",
        stock: "N1-6", alarms: "", history: "published N1-6" },
    Step { at: "05-01 06:05", what: File(USED, "U1-12"), state: "applied",
        stock: "N1-6 U1-12", alarms: "", history: "published U1-12" },
    Step { at: "05-01 06:10", what: File(SOUTH, "S1-8"), state: "applied",
        stock: "N1-6 S1-8 U1-12", alarms: "", history: "published S1-8" },
    Step { at: "05-01 06:20", what: File(EAST, "E1-5 S8$18000"), state: "applied",
        stock: "E1-5 N1-6 S1-7 S8@South+East U1-12", alarms: "", history: "published E1-5 S8@East$18000" },
    // The same file again, a sale with a price change, and a feed that is late.
    Step { at: "05-02 06:00", what: File(NEW, "N1-6"), state: "repeated",
        stock: "E1-5 N1-6 S1-7 S8@South+East U1-12", alarms: "", history: "" },
    Step { at: "05-02 06:05", what: File(USED, "U1 U3$19000 U4-12"), state: "applied",
        stock: "E1-5 N1-6 S1-7 S8@South+East U1 U3$19000 U4-12", alarms: "",
        history: "changed U3$19000, withdrawn U2" },
    Step { at: "05-02 06:10", what: File(SOUTH, "S1-8"), state: "repeated",
        stock: "E1-5 N1-6 S1-7 S8@South+East U1 U3$19000 U4-12", alarms: "", history: "" },
    Step { at: "05-02 08:20", what: Wait, state: "",
        stock: "E1-5 N1-6 S1-7 S8@South+East U1 U3$19000 U4-12", alarms: "", history: "" },
    Step { at: "05-02 08:21", what: Wait, state: "",
        stock: "E1-5 N1-6 S1-7 S8@South+East U1 U3$19000 U4-12", alarms: "east/overdue", history: "" },
    Step { at: "05-02 10:00", what: File(EAST, "E1-5 S8$18000"), state: "repeated",
        stock: "E1-5 N1-6 S1-7 S8@South+East U1 U3$19000 U4-12", alarms: "", history: "" },
    // A broken file; then one that lacks the used cars but has the certified ones (U10 and up).
    Step { at: "05-03 06:00", what: Bytes(NEW, "<html><body>503 Service Unavailable</body></html>"), state: "refused",
        stock: "E1-5 N1-6 S1-7 S8@South+East U1 U3$19000 U4-12", alarms: "north-new/refused", history: "" },
    Step { at: "05-03 06:05", what: File(USED, "U1 U3$19000 U10 U11$21000 U12"), state: "kept_in_part",
        stock: "E1-5 N1-6 S1-7 S8@South+East U1 U3$19000 U4-10 U11$21000 U12",
        alarms: "north-new/refused north-used/kept_last_good", history: "changed U11$21000" },
    Step { at: "05-03 06:10", what: File(SOUTH, "S1-8"), state: "repeated",
        stock: "E1-5 N1-6 S1-7 S8@South+East U1 U3$19000 U4-10 U11$21000 U12",
        alarms: "north-new/refused north-used/kept_last_good", history: "" },
    Step { at: "05-03 06:20", what: File(EAST, "E1-5 S8$18000"), state: "repeated",
        stock: "E1-5 N1-6 S1-7 S8@South+East U1 U3$19000 U4-10 U11$21000 U12",
        alarms: "north-new/refused north-used/kept_last_good", history: "" },
    // The used cars went to auction: a person says so.
    Step { at: "05-03 12:00", what: Accept(USED), state: "applied",
        stock: "E1-5 N1-6 S1-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "north-new/refused",
        history: "withdrawn U4-9" },
    Step { at: "05-04 06:00", what: File(NEW, "N1-7"), state: "applied",
        stock: "E1-5 N1-7 S1-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "", history: "published N7" },
    Step { at: "05-04 23:00", what: Daily, state: "",
        stock: "E1-5 N1-7 S1-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "", history: "" },
    // A recall: the feed that lists the car does not bring it back.
    Step { at: "05-05 05:00", what: Withdraw("S1"), state: "",
        stock: "E1-5 N1-7 S2-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "", history: "withdrawn S1" },
    Step { at: "05-05 06:10", what: File(SOUTH, "S1-8"), state: "repeated",
        stock: "E1-5 N1-7 S2-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "", history: "" },
    Step { at: "05-05 06:30", what: Daily, state: "",
        stock: "E1-5 N1-7 S2-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "", history: "" },
    // South falls silent. After three days its cars are hidden, and the one at East too shows East's
    // price.
    Step { at: "05-06 07:00", what: File(NEW, "N1-7"), state: "repeated",
        stock: "E1-5 N1-7 S2-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "", history: "" },
    Step { at: "05-06 07:05", what: File(USED, "U1 U3$19000 U10 U11$21000 U12"), state: "repeated",
        stock: "E1-5 N1-7 S2-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "", history: "" },
    Step { at: "05-06 08:20", what: File(EAST, "E1-5 S8$18000"), state: "repeated",
        stock: "E1-5 N1-7 S2-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "south/overdue", history: "" },
    Step { at: "05-07 08:00", what: File(NEW, "N1-7"), state: "repeated",
        stock: "E1-5 N1-7 S2-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "south/overdue", history: "" },
    Step { at: "05-07 08:05", what: File(USED, "U1 U3$19000 U10 U11$21000 U12"), state: "repeated",
        stock: "E1-5 N1-7 S2-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "south/overdue", history: "" },
    Step { at: "05-07 08:20", what: File(EAST, "E1-5 S8$18000"), state: "repeated",
        stock: "E1-5 N1-7 S2-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "south/overdue", history: "" },
    Step { at: "05-08 06:09", what: Wait, state: "",
        stock: "E1-5 N1-7 S2-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "south/overdue", history: "" },
    Step { at: "05-08 06:10", what: Wait, state: "",
        stock: "E1-5 N1-7 S8@East$18000 U1 U3$19000 U10 U11$21000 U12", alarms: "south/hidden south/overdue",
        history: "hidden S2-8" },
    Step { at: "05-08 07:00", what: File(SOUTH, "S1-8"), state: "repeated",
        stock: "E1-5 N1-7 S2-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "", history: "published S2-8" },
    Step { at: "05-08 07:05", what: Restore("S1"), state: "",
        stock: "E1-5 N1-7 S1-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "", history: "published S1" },
    // Duplicate rows, and a file that was cut off in its last row.
    Step { at: "05-08 07:30", what: File(NEW, "N1-7 N7"), state: "applied",
        stock: "E1-5 N1-7 S1-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "", history: "" },
    Step { at: "05-08 08:00", what: Bytes(USED, "VIN,Stock,Year,Make,Model,Condition,Price\n1HGCM82633A002001,U1,20"), state: "refused",
        stock: "E1-5 N1-7 S1-7 S8@South+East U1 U3$19000 U10 U11$21000 U12", alarms: "north-used/refused", history: "" },
    Step { at: "05-08 08:30", what: File(USED, "U1 U3$18500 U10 U11$21000 U12"), state: "applied",
        stock: "E1-5 N1-7 S1-7 S8@South+East U1 U3$18500 U10 U11$21000 U12", alarms: "", history: "changed U3$18500" },
    // An empty file, which a person does not accept; the next one is right.
    Step { at: "05-08 08:40", what: File(EAST, ""), state: "refused",
        stock: "E1-5 N1-7 S1-7 S8@South+East U1 U3$18500 U10 U11$21000 U12", alarms: "east/refused", history: "" },
    Step { at: "05-08 08:50", what: File(EAST, "E1-4 S8$18000"), state: "applied",
        stock: "E1-4 N1-7 S1-7 S8@South+East U1 U3$18500 U10 U11$21000 U12", alarms: "", history: "withdrawn E5" },
    // The rest of the month is quiet.
    Step { at: "05-31 23:00", what: Daily, state: "",
        stock: "E1-4 N1-7 S1-7 S8@South+East U1 U3$18500 U10 U11$21000 U12", alarms: "", history: "" },
    // The car that was sold on the second day is remembered for 90 days; see below.
    Step { at: "07-31 06:04", what: Daily, state: "",
        stock: "E1-4 N1-7 S1-7 S8@South+East U1 U3$18500 U10 U11$21000 U12", alarms: "", history: "" },
];

#[tokio::test]
async fn a_month_of_four_feeds_is_what_the_table_says() {
    let mut group = Group::new();
    for step in MONTH {
        group.take(step).await;
    }
    assert_eq!(group.lot.asked_for("U2").await, "gone");
    group.until("07-31 06:06");
    assert_eq!(group.lot.asked_for("U2").await, "unknown");
    let pruned = group.lot.prune().await;
    assert_eq!(pruned.units, 1, "the others went later");
    assert_eq!(group.lot.history(&vin("U2")).await.len(), 2);
    assert_eq!(group.lot.asked_for("U4").await, "gone");
}

/// The group with what the test remembers of it.
struct Group {
    lot: Lot,
    /// The last good file of each feed.
    good: BTreeMap<&'static str, String>,
    /// The latest run that was not wholly believed, of each feed.
    doubted: BTreeMap<&'static str, Uuid>,
    history: BTreeSet<String>,
}

impl Group {
    fn new() -> Self {
        let mut lot = Lot::new();
        lot.dealer = serde_json::from_value(serde_json::json!({
            "name": "Group Motors",
            "feeds": {
                NEW: { "rooftops": ["North"], "conditions": ["new"] },
                USED: { "rooftops": ["North"], "conditions": ["used", "cpo"] },
                SOUTH: { "rooftops": ["South"] },
                EAST: { "rooftops": ["East"] },
            },
        }))
        .unwrap();
        for rooftop in ["North", "South", "East"] {
            let settings = Rooftop::default();
            lot.dealer.rooftops.insert(rooftop.to_owned(), settings);
        }
        for feed in [NEW, USED, SOUTH, EAST] {
            lot.feed(feed, |feed| {
                feed.expect_every = Some(Period::try_from("26h".to_owned()).unwrap());
                feed.max_age = Some(Period::days(3));
            });
        }
        Self {
            lot,
            good: BTreeMap::new(),
            doubted: BTreeMap::new(),
            history: BTreeSet::new(),
        }
    }

    async fn take(&mut self, step: &Step) {
        let state = match step.what {
            File(feed, units) => self.file(feed, step.at, csv(units)).await,
            Bytes(feed, bytes) => self.file(feed, step.at, bytes.to_owned()).await,
            Daily => {
                self.daily(step.at).await;
                String::new()
            }
            Accept(feed) => {
                self.until(step.at);
                let run = self.doubted[feed];
                let outcome = self.lot.accepts(run, false).await.unwrap();
                outcome.state.as_str().to_owned()
            }
            Withdraw(unit) => {
                self.until(step.at);
                self.lot.by_hand(true, &vin(unit), None).await;
                String::new()
            }
            Restore(unit) => {
                self.until(step.at);
                self.lot.by_hand(false, &vin(unit), None).await;
                String::new()
            }
            Wait => {
                self.until(step.at);
                String::new()
            }
        };
        let at = step.at;
        assert_eq!(state, step.state, "{at}: state");
        assert_eq!(self.stock().await, step.stock, "{at}: stock");
        assert_eq!(self.alarms().await, step.alarms, "{at}: alarms");
        assert_eq!(self.news().await, step.history, "{at}: history");
    }

    fn until(&self, at: &str) {
        let then = time(&format!("2026-{}:00Z", at.replace(' ', "T")));
        let wait = then.duration_since(self.lot.clock.now());
        assert!(
            wait >= SignedDuration::ZERO,
            "the table runs backwards at {at}"
        );
        self.lot.clock.advance(wait);
    }

    async fn file(&mut self, feed: &'static str, at: &str, content: String) -> String {
        self.until(at);
        let outcome = self.lot.arrives(feed, &content).await;
        if outcome.state.is_good() {
            self.good.insert(feed, content);
        } else {
            self.doubted.insert(feed, outcome.run);
            // It is the good one once a person has accepted it.
            if !outcome.held.is_empty() {
                self.good.insert(feed, content);
            }
        }
        outcome.state.as_str().to_owned()
    }

    async fn daily(&mut self, until: &str) {
        let end = time(&format!("2026-{}:00Z", until.replace(' ', "T")));
        let step = SignedDuration::from_hours(24);
        let mut at = self.lot.clock.now();
        while at <= end {
            for (feed, content) in self.good.clone() {
                let outcome = self.lot.arrives(feed, &content).await;
                assert_eq!(outcome.state.as_str(), "repeated", "{feed} at {at}");
            }
            at += step;
            self.lot
                .clock
                .advance(step.min(end.duration_since(self.lot.clock.now())));
        }
    }

    async fn stock(&self) -> String {
        let listings = self.lot.load().await.listings;
        let units = listings.iter().map(|listing| {
            let stock = listing.vehicle.stock.clone().unwrap();
            let home = [home(&stock).to_owned()];
            let place = match listing.rooftops == home {
                true => String::new(),
                false => format!("@{}", listing.rooftops.join("+")),
            };
            (stock, place, listing.vehicle.price.unwrap())
        });
        ranges(units.collect())
    }

    async fn alarms(&self) -> String {
        let found = self.lot.attention().await;
        let causes: Vec<&str> = found
            .iter()
            .map(|it| it.cause.strip_prefix("feed/").unwrap())
            .collect();
        causes.join(" ")
    }

    /// What all histories say more than when they were asked last.
    async fn news(&mut self) -> String {
        let mut fresh: BTreeMap<&str, Vec<(String, String, u64)>> = BTreeMap::new();
        for unit in all_units() {
            for entry in self.lot.life(&vin(&unit)).await {
                let line = format!("{unit} {} {} {:?}", entry.at, entry.rooftop, entry.event);
                if self.history.insert(line) {
                    let place = match entry.rooftop == home(&unit) {
                        true => String::new(),
                        false => format!("@{}", entry.rooftop),
                    };
                    let units = fresh.entry(entry.event.as_str()).or_default();
                    units.push((unit.clone(), place, entry.price.unwrap()));
                }
            }
        }
        let lines: Vec<String> = fresh
            .into_iter()
            .map(|(event, units)| format!("{event} {}", ranges(units)))
            .collect();
        lines.join(", ")
    }
}

/// Every unit that the table names.
fn all_units() -> Vec<String> {
    let of = |letter: char, most: u32| (1..=most).map(move |number| format!("{letter}{number}"));
    of('N', 7)
        .chain(of('U', 12))
        .chain(of('S', 8))
        .chain(of('E', 5))
        .collect()
}

/// The rooftop that a unit stands at.
fn home(stock: &str) -> &'static str {
    match &stock[..1] {
        "S" => "South",
        "E" => "East",
        _ => "North",
    }
}

fn vin(stock: &str) -> String {
    let series = match &stock[..1] {
        "N" => 1,
        "U" => 2,
        "S" => 3,
        _ => 4,
    };
    let number: u32 = stock[1..].parse().unwrap();
    format!("1HGCM82633A{series:03}{number:03}")
}

/// A file with units such as `N1-3 N5$18000`.
fn csv(units: &str) -> String {
    let mut file = "VIN,Stock,Year,Make,Model,Condition,Price\n".to_owned();
    for word in units.split_whitespace() {
        let (range, price) = word.split_once('$').unwrap_or((word, "20000"));
        let letter = &range[..1];
        let (first, last) = range[1..]
            .split_once('-')
            .unwrap_or((&range[1..], &range[1..]));
        let numbers: std::ops::RangeInclusive<u32> = first.parse().unwrap()..=last.parse().unwrap();
        for number in numbers {
            let condition = match letter {
                "N" => "new",
                "U" if number >= 10 => "cpo",
                _ => "used",
            };
            let stock = format!("{letter}{number}");
            file += &format!(
                "{},{stock},2019,Honda,Fit,{condition},{price}\n",
                vin(&stock)
            );
        }
    }
    file
}

/// Units by letter and number, with runs of plain ones joined: `N1-3 N5@North+South$18000`.
fn ranges(mut units: Vec<(String, String, u64)>) -> String {
    units.sort_by_key(|(stock, place, _)| {
        let number: u32 = stock[1..].parse().unwrap();
        (stock[..1].to_owned(), number, place.clone())
    });
    let mut words: Vec<(String, u32, u32, String)> = Vec::new();
    for (stock, place, price) in units {
        let (letter, number) = (stock[..1].to_owned(), stock[1..].parse().unwrap());
        let price = match price {
            20_000 => String::new(),
            price => format!("${price}"),
        };
        let extra = place + &price;
        match words.last_mut() {
            Some((same, _, last, plain))
                if *same == letter
                    && *last + 1 == number
                    && extra.is_empty()
                    && plain.is_empty() =>
            {
                *last = number;
            }
            _ => words.push((letter, number, number, extra)),
        }
    }
    let words: Vec<String> = words
        .into_iter()
        .map(|(letter, first, last, extra)| match first == last {
            true => format!("{letter}{first}{extra}"),
            false => format!("{letter}{first}-{last}{extra}"),
        })
        .collect();
    words.join(" ")
}
