//! What is counted, and the page on which a monitoring system reads it (OpenMetrics 1.0).
//!
//! Labels come from closed lists or from the configuration, never from a request, so that nobody
//! outside can make the page grow and no personal data stands on it.

use std::{
    fmt,
    sync::{OnceLock, atomic::AtomicU64},
    time::Duration,
};

use a2a_server::serve::Connections;
use jiff::Timestamp;
use leads::outbox::{self, RouteStatus};
use prometheus_client::{
    encoding::text::{encode_eof, encode_registry},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};
use store::Store;

use super::directory::Directory;
use crate::agent::Noted;

/// Most dealers that have lines of their own; with more there are only the sums.
const MOST_DEALERS: usize = 500;
/// Seconds by which answers are sorted: reads take microseconds, leads a wait for the disk.
const SECONDS: [f64; 11] = [
    0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.0, 10.0,
];

type Label = (&'static str, &'static str);

/// What is counted while the server runs.
pub(super) struct Metrics {
    registry: Registry,
    requests: Family<[Label; 2], Counter>,
    seconds: Family<[Label; 1], Histogram, fn() -> Histogram>,
    connections: OnceLock<Connections>,
}

impl Metrics {
    pub(super) fn new() -> Self {
        let mut registry = Registry::with_prefix("forecourt");
        let requests = Family::<[Label; 2], Counter>::default();
        registry.register(
            "requests",
            "Requests to dealers' agents, by skill and by what became of them",
            requests.clone(),
        );
        let seconds = Family::new_with_constructor((|| Histogram::new(SECONDS)) as fn() -> _);
        registry.register(
            "request_seconds",
            "Time from a request's head to the end of its answer",
            seconds.clone(),
        );
        Self {
            registry,
            requests,
            seconds,
            connections: OnceLock::new(),
        }
    }

    /// Counts the connections of a server too.
    pub(super) fn count_connections(&self, connections: Connections) {
        // There is one server.
        let _ = self.connections.set(connections);
    }

    /// Counts a request.
    pub(super) fn request(&self, noted: Noted, took: Duration) {
        let skill = noted.skill.map_or("none", |skill| skill.id());
        let outcome = noted.outcome.unwrap_or("PROTOCOL_ERROR");
        self.requests
            .get_or_create(&[("skill", skill), ("outcome", outcome)])
            .inc();
        self.seconds
            .get_or_create(&[("skill", skill)])
            .observe(took.as_secs_f64());
    }

    /// The page: what was counted, and what is the case at this moment.
    pub(super) async fn page(&self, directory: &Directory, store: &Store) -> String {
        let mut registry = Registry::with_prefix("forecourt");
        self.measure_server(&mut registry, store).await;
        measure_stock(&mut registry, directory, store);
        measure_database(&mut registry, directory, store).await;
        let mut page = String::new();
        let written = encode_registry(&mut page, &self.registry)
            .and_then(|()| encode_registry(&mut page, &registry))
            .and_then(|()| encode_eof(&mut page));
        if written.is_err() {
            tracing::error!("the page of the metrics could not be written");
        }
        page
    }

    async fn measure_server(&self, registry: &mut Registry, store: &Store) {
        let version = Family::<[Label; 1], Gauge>::default();
        version
            .get_or_create(&[("version", env!("CARGO_PKG_VERSION"))])
            .set(1);
        registry.register("build", "Version of the program", version);
        if let Some(connections) = self.connections.get() {
            let open = i64::try_from(connections.open()).unwrap_or(i64::MAX);
            gauge(registry, "open_connections", "Connections of clients", open);
        }
        if let Ok(bytes) = store.disk_bytes().await {
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            gauge(
                registry,
                "database_bytes",
                "Size of the database on disk, its log included",
                bytes,
            );
        }
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Metrics").finish_non_exhaustive()
    }
}

fn gauge(registry: &mut Registry, name: &str, help: &str, value: i64) {
    let gauge = Gauge::<i64>::default();
    gauge.set(value);
    registry.register(name, help, gauge);
}

/// Vehicles and their age, of each dealer while there are few enough, else of all together.
fn measure_stock(registry: &mut Registry, directory: &Directory, store: &Store) {
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    gauge(
        registry,
        "dealers",
        "Dealers that are served",
        count(directory.dealers().len()),
    );
    let now = store.clock().now();
    let all: usize = directory
        .dealers()
        .filter_map(|served| served.lot.in_memory())
        .map(|stock| stock.len())
        .sum();
    gauge(
        registry,
        "vehicles_published",
        "Vehicles that are published, over all dealers whose stock is in memory",
        count(all),
    );
    let weight: usize = directory.dealers().map(|served| served.lot.weight()).sum();
    gauge(
        registry,
        "stock_memory_bytes",
        "About how much memory the stock takes",
        count(weight),
    );
    if directory.dealers().len() > MOST_DEALERS {
        return;
    }
    let vehicles = Family::<[(&'static str, String); 1], Gauge>::default();
    let ages = Family::<[(&'static str, String); 1], Gauge<f64, AtomicU64>>::default();
    for served in directory.dealers() {
        let label = [("dealer", served.lot.id().to_string())];
        let Some(snapshot) = served.lot.in_memory() else {
            continue;
        };
        vehicles.get_or_create(&label).set(count(snapshot.len()));
        if let Some(updated) = snapshot.updated_at() {
            let age = now.duration_since(updated).as_secs_f64();
            ages.get_or_create(&label).set(age.max(0.0));
        }
    }
    registry.register(
        "dealer_vehicles",
        "Vehicles that a dealer publishes",
        vehicles,
    );
    registry.register(
        "dealer_stock_age_seconds",
        "Time since the last good feed of a dealer",
        ages,
    );
}

/// What only the database knows. Where it does not answer, these lines are missing and
/// `database_up` says so.
async fn measure_database(registry: &mut Registry, directory: &Directory, store: &Store) {
    let read = store
        .read(|conn| {
            let (totals, runs) = (leads::totals(conn)?, inventory::stock::run_totals(conn)?);
            Ok::<_, outbox::Error>((totals, runs, outbox::routes(conn)?))
        })
        .await;
    let up = i64::from(read.is_ok());
    gauge(registry, "database_up", "Whether the database answers", up);
    let Ok((totals, runs, routes)) = read else {
        return;
    };
    let due = totals.deliveries.iter().find(|(state, _)| state == "due");
    let due = due.map_or(0, |(_, count)| *count);
    gauge(
        registry,
        "outbox_depth",
        "Deliveries of leads that are due",
        i64::try_from(due).unwrap_or(i64::MAX),
    );
    measure_routes(registry, directory, &routes, store.clock().now());
    for (name, help, label, counts) in [
        ("leads", "Leads by status", "status", totals.leads),
        (
            "deliveries",
            "Deliveries of leads by state",
            "state",
            totals.deliveries,
        ),
        (
            "feed_runs",
            "Arrivals of feed files by what became of them",
            "state",
            runs,
        ),
    ] {
        let family = Family::<[(&'static str, String); 1], Gauge>::default();
        for (word, count) in counts {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            family.get_or_create(&[(label, word)]).set(count);
        }
        registry.register(name, help, family);
    }
}

/// How the ways to the destinations fare, each by itself while there are few enough dealers.
fn measure_routes(
    registry: &mut Registry,
    directory: &Directory,
    routes: &[RouteStatus],
    now: Timestamp,
) {
    let oldest = routes.iter().filter_map(|it| it.oldest).min();
    let age = oldest.map_or(0, |oldest| now.duration_since(oldest).as_secs().max(0));
    gauge(
        registry,
        "outbox_oldest_seconds",
        "Time for which the oldest delivery that is due is under way",
        age,
    );
    if directory.dealers().len() > MOST_DEALERS {
        return;
    }
    let waiting = Family::<[(&'static str, String); 4], Gauge>::default();
    let failing = Family::<[(&'static str, String); 4], Gauge>::default();
    let paused = Family::<[(&'static str, String); 4], Gauge>::default();
    for it in routes {
        let label = [
            ("dealer", it.route.dealer.to_string()),
            ("rooftop", it.route.rooftop.clone()),
            ("destination", it.route.destination.clone()),
            ("copy", it.route.is_copy.to_string()),
        ];
        waiting.get_or_create(&label).set(it.waiting);
        let is_failing = it.failures > 0 || it.refusals > 0;
        failing.get_or_create(&label).set(i64::from(is_failing));
        paused
            .get_or_create(&label)
            .set(i64::from(it.is_paused(now)));
    }
    registry.register(
        "destination_waiting",
        "Leads that wait for a destination",
        waiting,
    );
    registry.register(
        "destination_failing",
        "Whether a destination is out of reach or refuses leads",
        failing,
    );
    registry.register(
        "destination_paused",
        "Whether nothing is sent to a destination for now",
        paused,
    );
}
