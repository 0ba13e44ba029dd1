//! A question in any words about tables that stay the same: it is answered in every form, and understood the same
//! each time. The first byte says about which tables.

#![no_main]

use std::cell::OnceCell;

use analyst::question::{Vocabulary, understand};
use analyst::table::Limits;
use analyst::{Attachment, Sources, Table};
use forecourt_fuzz::answer;
use libfuzzer_sys::fuzz_target;

macro_rules! tables {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!("../../crates/analyst/tests/it/questions/data/", $name)).as_slice())),*]
    };
}

const TABLES: [(&str, &[u8]); 6] = tables!(
    "cars.csv",
    "furniture.csv",
    "fashion.csv",
    "vehicle_feed.csv",
    "werkzeug.csv",
    "lot_2026-06-30.csv"
);
const MARKET: [(&str, &[u8]); 1] = tables!("market.csv");

fn read((name, bytes): (&str, &[u8])) -> Table {
    Table::read(name, bytes, &Limits::default()).expect("a table of the tests")
}

fn sources(table: (&str, &[u8])) -> Sources {
    let mut sources = Sources::default();
    let own = read(table);
    sources.vocabulary = Some(Vocabulary::of(&own).into());
    sources.own = Some(own.into());
    sources.attached.push(Attachment::Table(read(MARKET[0])));
    sources
}

thread_local! {
    static SOURCES: [OnceCell<Sources>; 6] = const { [const { OnceCell::new() }; 6] };
}

fuzz_target!(|asked: &[u8]| {
    let Some((which, question)) = asked.split_first() else {
        return;
    };
    let question = String::from_utf8_lossy(question);
    let which = usize::from(*which) % TABLES.len();
    SOURCES.with(|all| {
        let sources = all[which].get_or_init(|| sources(TABLES[which]));
        let understood = understand(&question, sources, &[]);
        assert_eq!(understood, understand(&question, sources, &[]));
        assert!(understood.intents.len() <= 4);
        answer::check(&question, sources);
    });
});
