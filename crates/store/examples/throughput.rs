//! How many writes a second a database takes, each durable when it is answered: about what a lead is,
//! seven rows of six dealers.
//!
//! ```console
//! cargo run --release -p store --example throughput -- sqlite:/tmp/trial.db
//! cargo run --release -p store --example throughput -- postgres://forecourt@127.0.0.1/trial
//! ```

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use store::{Address, Claim, Conn, Migration, Options, Store};
use tokio::task::JoinSet;

const MIGRATIONS: &[Migration] = &[Migration {
    name: "trial-1",
    sql: "CREATE TABLE entry (
              dealer TEXT NOT NULL, number BIGINT NOT NULL, place BIGINT NOT NULL, body TEXT NOT NULL,
              PRIMARY KEY (dealer, number, place)
          )",
}];
const ROWS: i64 = 7;
const LENGTH: Duration = Duration::from_secs(5);

fn write(conn: &mut dyn Conn, dealer: &str, number: i64) -> Result<(), store::Error> {
    let known = conn.first(
        "SELECT number FROM entry WHERE dealer = $1 AND number = $2",
        &[dealer.into(), number.into()],
        |row| row.int(0),
    )?;
    if known.is_some() {
        return Ok(());
    }
    for place in 0..ROWS {
        conn.execute(
            "INSERT INTO entry (dealer, number, place, body) VALUES ($1, $2, $3, $4)",
            &[
                dealer.into(),
                number.into(),
                place.into(),
                "what a person wrote, and a little more than that".into(),
            ],
        )?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).ok_or("name a database")?;
    let options = Options::of(&Address::parse(&address)?).migrations(&[MIGRATIONS]);
    let store = Store::open(options)?;
    let next = Arc::new(AtomicU64::new(0));
    for callers in [1, 16, 256] {
        let done = Arc::new(AtomicU64::new(0));
        let begun = Instant::now();
        let mut running = JoinSet::new();
        for caller in 0..callers {
            let (store, next, done) = (store.clone(), Arc::clone(&next), Arc::clone(&done));
            let dealer = format!("dealer-{}", caller % 6);
            running.spawn(async move {
                while begun.elapsed() < LENGTH {
                    let number = next.fetch_add(1, Ordering::Relaxed).cast_signed();
                    let of = dealer.clone();
                    let claim = Claim::part("trial", &dealer);
                    let write = move |conn: &mut dyn Conn| write(conn, &of, number);
                    store.write_claiming(claim, write).await?;
                    done.fetch_add(1, Ordering::Relaxed);
                }
                Ok::<_, store::Error>(())
            });
        }
        while let Some(ended) = running.join_next().await {
            ended??;
        }
        let rate = done.load(Ordering::Relaxed) as f64 / begun.elapsed().as_secs_f64();
        println!("{callers:>4} callers: {rate:>8.0} writes a second");
    }
    Ok(())
}
