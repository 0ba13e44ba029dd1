//! `status`: how feeds and destinations stand, what needs a person, and how much room there is.

use std::{collections::BTreeMap, path::Path, process::ExitCode};

use comfy_table::Table;
use dealers::{Dealer, DealerId};
use inventory::stock::{self, Attention, FeedOverview};
use jiff::Timestamp;
use leads::HeldCount;
use leads::outbox::{self, PausedBy, Route, RouteStatus};
use outside::{
    alarm::{self, Kind},
    disk,
    rounds::held_cause,
};
use serde_json::{Value, json};
use store::{Clock, Store};

use super::{
    Common, catalogs,
    outcome::{Exit, Failure, print_json, say, table},
    site::{self, Site},
    text::{age, clean, minute},
};
use crate::{
    config::Config,
    readiness::{self, Lacks},
};

/// Everything that is shown.
struct Seen {
    standings: Vec<Standing>,
    catalogs: Vec<catalogs::Standing>,
    routes: Vec<RouteStatus>,
    alarms: Vec<Shown>,
    /// What keeps the dealers from taking leads; words instead where that cannot be known.
    lacks: Result<Lacks, String>,
    /// Size of the database; words instead where that cannot be known.
    database: Result<u64, String>,
}

/// What is known of a dealer's feeds and leads.
struct Standing {
    dealer: DealerId,
    feeds: Vec<FeedOverview>,
    attention: Vec<Attention>,
    held: HeldCount,
}

pub(super) fn status(common: &Common) -> Result<ExitCode, Failure> {
    let site = site::open(common, false)?;
    let now = Clock::system().now();
    let runtime = super::runtime()?;
    let seen = runtime.block_on(async {
        let standings = standings(&site.config, &site.store, now).await?;
        let catalogs = catalogs::standings(&site.config.catalogs, &site.store, now).await?;
        let routes = routes(&site.config, &site.store).await?;
        let alarms = open_alarms(&site.store, &standings, &catalogs, now).await?;
        let database = site.store.disk_bytes().await;
        Ok::<_, Failure>(Seen {
            database: database.map_err(|error| crate::explain(&error)),
            lacks: lacks(&site, &site::config_path(common)).await?,
            standings,
            catalogs,
            routes,
            alarms,
        })
    })?;
    if common.json {
        print_json(&document(&seen, &site, now))?;
    } else {
        print(&seen, &site, now)?;
    }
    Ok(if seen.alarms.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(Exit::Refused as u8)
    })
}

async fn standings(
    config: &Config,
    store: &Store,
    now: Timestamp,
) -> Result<Vec<Standing>, stock::Error> {
    let mut standings = Vec::new();
    for (id, dealer) in &config.dealers {
        let (key, dealer) = (id.clone(), dealer.clone());
        let read = move |conn: &mut dyn store::Conn| {
            let feeds = stock::feeds(conn, &key, &dealer)?;
            let attention = stock::attention(conn, &key, &dealer, now)?;
            let held = leads::count_held(conn, &key)?;
            Ok::<_, stock::Error>((feeds, attention, held))
        };
        let (feeds, attention, held) = store.read(read).await?;
        standings.push(Standing {
            dealer: id.clone(),
            feeds,
            attention,
            held,
        });
    }
    Ok(standings)
}

/// How the ways to the destinations of these dealers fare.
async fn routes(config: &Config, store: &Store) -> Result<Vec<RouteStatus>, outbox::Error> {
    let mut routes = store.read(outbox::routes).await?;
    // Of a way that is not configured any more, only what still waits on it is of interest.
    routes.retain(|it| {
        let dealer = config.dealers.get(&it.route.dealer);
        dealer.is_some_and(|dealer| it.waiting > 0 || is_configured(dealer, &it.route))
    });
    Ok(routes)
}

fn is_configured(dealer: &Dealer, route: &Route) -> bool {
    let rooftop = dealer.rooftops.get(&route.rooftop);
    rooftop.is_some_and(|it| it.every_destination().contains_key(&route.destination))
}

/// One thing that needs a person, as it is shown.
struct Shown {
    what: String,
    since: Timestamp,
    message: String,
    document: Value,
}

/// The open alarms that the server raised, and what feeds and leads show at this moment, which a server
/// that is down has not noticed. What the server raised and they no longer show is over.
async fn open_alarms(
    store: &Store,
    standings: &[Standing],
    catalogs: &[catalogs::Standing],
    now: Timestamp,
) -> Result<Vec<Shown>, store::Error> {
    let mut shown = BTreeMap::new();
    for raised in store.read(alarm::open).await? {
        if alarm::is_judged(raised.cause.kind) || raised.cause.kind == Kind::LeadsHeld {
            continue;
        }
        let entry = Shown {
            what: raised.cause.to_string(),
            since: raised.raised_at,
            message: raised.message.clone(),
            document: raised.document(),
        };
        shown.insert(raised.cause, entry);
    }
    let of_dealers = standings.iter().map(|it| (&it.dealer, &it.attention));
    let of_catalogs = catalogs.iter().map(|it| (&it.id, &it.attention));
    let files = of_dealers.chain(of_catalogs).flat_map(|(id, attention)| {
        attention.iter().filter_map(move |attention| {
            let (cause, message) = alarm::feed_cause(id, attention)?;
            Some((cause, message, attention.since))
        })
    });
    let held = standings.iter().filter_map(|standing| {
        let (cause, message) = held_cause(&standing.dealer, standing.held)?;
        Some((cause, message, standing.held.since.unwrap_or(now)))
    });
    for (cause, message, since) in files.chain(held) {
        let entry = Shown {
            what: cause.to_string(),
            since: since.min(now),
            document: cause.document(&message, since, None),
            message,
        };
        shown.insert(cause, entry);
    }
    Ok(shown.into_values().collect())
}

/// What keeps the dealers from taking leads; words instead where that cannot be known.
async fn lacks(site: &Site, config_path: &Path) -> Result<Result<Lacks, String>, store::Error> {
    let digests = match readiness::digests(&site.config, &site::base(config_path)) {
        Ok(digests) => digests,
        Err(error) => return Ok(Err(crate::explain(&error))),
    };
    let config = site.config.clone();
    let read = site
        .store
        .read(move |conn| readiness::all_lacks(conn, &config, &digests));
    Ok(Ok(read.await?))
}

fn document(seen: &Seen, site: &Site, now: Timestamp) -> Value {
    let Seen {
        standings,
        catalogs,
        routes,
        alarms,
        lacks,
        database,
    } = seen;
    let feed = |dealer: &DealerId, feed: &FeedOverview| {
        json!({
            "dealer": dealer,
            "feed": feed.feed,
            "vehicles": feed.on_lot,
            "last_good_at": feed.last_applied_at,
            "age_seconds": feed.last_applied_at.map(|at| now.duration_since(at).as_secs()),
            "next_expected": feed.next_expected,
            "last_file": feed.last.as_ref().map(|run| json!({
                "run": run.id.to_string(),
                "state": run.state.as_str(),
                "received_at": run.received_at,
                "file": run.file_name,
                "reason": run.reason,
            })),
        })
    };
    let feeds = standings
        .iter()
        .flat_map(|it| it.feeds.iter().map(|one| feed(&it.dealer, one)));
    json!({
        "alarms": alarms.iter().map(|it| &it.document).collect::<Vec<_>>(),
        "feeds": feeds.collect::<Vec<_>>(),
        "catalogs": catalogs.iter().map(|it| it.document(now)).collect::<Vec<_>>(),
        "destinations": routes,
        "takes_no_leads": lacks.as_ref().map_or_else(|error| json!(error), readiness::document),
        "leads": standings.iter().map(|it| json!({
            "dealer": it.dealer,
            "held": it.held.leads,
            "held_since": it.held.since,
        })).collect::<Vec<_>>(),
        "disk": { "folder": site.data.display().to_string(), "free_bytes": disk::free(&site.data).ok() },
        "database": { "bytes": database.as_ref().ok() },
    })
}

fn print(seen: &Seen, site: &Site, now: Timestamp) -> Result<(), Failure> {
    let Seen {
        standings,
        catalogs,
        routes,
        alarms,
        lacks,
        database,
    } = seen;
    if alarms.is_empty() {
        say("nothing needs a person\n")?;
    }
    for alarm in alarms {
        say(format!(
            "ALARM {}, since {} UTC\n  {}\n",
            clean(&alarm.what),
            minute(alarm.since),
            clean(&alarm.message)
        ))?;
    }
    match lacks {
        Err(error) => say(format!(
            "the destinations of leads cannot be judged: {}\n",
            clean(error)
        ))?,
        Ok(lacks) => {
            for (dealer, lacks) in lacks {
                let lacks: Vec<String> = lacks.iter().map(|it| format!("\n  {it}")).collect();
                say(format!("{dealer} takes no leads yet:{}\n", lacks.concat()))?;
            }
        }
    }
    let mut rows = table([
        "dealer",
        "feed",
        "vehicles",
        "last good file (UTC)",
        "age",
        "next expected (UTC)",
    ]);
    for standing in standings {
        for feed in &standing.feeds {
            let at = feed.last_applied_at;
            rows.add_row([
                standing.dealer.to_string(),
                clean(&feed.feed),
                feed.on_lot.to_string(),
                at.map_or_else(|| "none".to_owned(), minute),
                at.map(|at| age(now.duration_since(at))).unwrap_or_default(),
                feed.next_expected.map(minute).unwrap_or_default(),
            ]);
        }
    }
    if !rows.is_empty() {
        say(format!("{rows}\n"))?;
    }
    if !catalogs.is_empty() {
        say(format!("{}\n", catalogs::rows_of(catalogs, now)))?;
    }
    if !routes.is_empty() {
        say(format!("{}\n", destinations(routes, now)))?;
    }
    let free = disk::free(&site.data).map_err(|error| error.to_string());
    let bytes = |bytes: Result<u64, String>| bytes.map_or_else(|said| said, disk::bytes);
    say(format!(
        "disk: {} free in {}\ndatabase: {}",
        bytes(free),
        site.data.display(),
        bytes(database.clone())
    ))
}

fn destinations(routes: &[RouteStatus], now: Timestamp) -> Table {
    let mut rows = table([
        "dealer",
        "destination",
        "leads waiting",
        "since",
        "state",
        "last taken (UTC)",
    ]);
    for it in routes {
        rows.add_row([
            it.route.dealer.to_string(),
            clean(&it.route.to_string()),
            it.waiting.to_string(),
            it.oldest
                .map(|at| age(now.duration_since(at)))
                .unwrap_or_default(),
            standing(it, now),
            it.succeeded_at.map(minute).unwrap_or_default(),
        ]);
    }
    rows
}

/// Whether leads get through, in a word or two.
fn standing(route: &RouteStatus, now: Timestamp) -> String {
    if route.is_paused(now) && route.paused_by == Some(PausedBy::Person) {
        return match route.paused_until {
            Some(until) => format!("paused until {}", minute(until)),
            None => "paused".to_owned(),
        };
    }
    let state = if route.route.destination.is_empty() {
        "no destination"
    } else if route.failures > 0 {
        "out of reach"
    } else if route.refusals > 0 {
        "refuses leads"
    } else {
        "open"
    };
    state.to_owned()
}
