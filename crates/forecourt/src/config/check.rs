//! What in a configuration cannot work, all of it, by line and column.

mod adf;
mod appointments;
mod catalog;
mod destination;
mod leads;
mod operations;
mod place;
mod source;
mod trust;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    path::Path,
};

use aap::{dealer::Schedule, vehicle::DealerFee};
use dealers::{Dealer, DealerId, FeedSettings, Rooftop};
use jiff::{SignedDuration, Timestamp};
use tracing_subscriber::EnvFilter;
use url::Url;

use self::place::Places;
use super::Config;
use crate::agent;

/// Longest of the server's time limits: a day.
const LONGEST_SECONDS: u64 = 86_400;

/// One thing in a configuration that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// Dotted key, for example `dealers.group.default_rooftop`.
    pub key: String,
    /// Line of the key, or of the table that lacks it; from 1.
    pub line: usize,
    /// Column of the same, in characters; from 1.
    pub column: usize,
    /// What is wrong and what to write instead.
    pub message: String,
}

/// Problems as they stand below the name of the file.
pub(super) fn list(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| {
            format!(
                "\n  line {}, column {}: {}: {}",
                problem.line, problem.column, problem.key, problem.message
            )
        })
        .collect();
    lines.concat()
}

/// Everything in a configuration that cannot work. `unknown` are the keys that nothing reads, and
/// `text` is the file.
pub(super) fn problems(config: &Config, unknown: Vec<Vec<String>>, text: &str) -> Vec<Problem> {
    let mut found = Findings {
        places: Places::of(text),
        folder: Path::new(""),
        problems: Vec::new(),
    };
    for key in unknown {
        let key: Vec<&str> = key.iter().map(String::as_str).collect();
        found.add(&key, "nothing has this name; is it misspelt?");
    }
    check_server(config, &mut found);
    // Without a public address the listening one counts, which is not known before the start.
    if config.public_url.is_some()
        && let Some(fault) = agent::preview_fault(config, config.listen)
    {
        found.add(&["aap", "preview"], fault);
    }
    if config.dealers.is_empty() && config.catalogs.is_empty() {
        found.add(
            &["dealers"],
            "name at least one dealer: [dealers.ID] with a name",
        );
    }
    let mut hosts = BTreeMap::new();
    for (id, dealer) in &config.dealers {
        check_dealer(id, dealer, &mut found);
        for host in &dealer.hosts {
            if let Some(other) = hosts.insert(host.to_ascii_lowercase(), id) {
                found.add(
                    &["dealers", id.as_str(), "hosts"],
                    format!("{host:?} is already a host of dealer {other}"),
                );
            }
        }
    }
    for (id, catalog) in &config.catalogs {
        catalog::check(id, catalog, config, &mut found);
    }
    source::check_apart(config, &mut found);
    destination::check_sender(config, &mut found);
    destination::check_clear(config, &mut found);
    found
        .problems
        .sort_by_key(|problem| (problem.line, problem.column));
    found.problems
}

/// What of the files that a configuration names a server cannot use as of `now`. Files are named
/// from `folder`.
pub(super) fn files(config: &Config, text: &str, folder: &Path, now: Timestamp) -> Vec<Problem> {
    let mut found = Findings {
        places: Places::of(text),
        folder,
        problems: Vec::new(),
    };
    if let Some(tls) = &config.tls {
        operations::check_files(tls, now, &mut found);
    }
    super::privacy::check_files(&config.privacy, &mut found);
    if let Some(store) = &config.store {
        super::store::check_files(store, &mut found);
    }
    super::mail::check_files(&["mail"], &config.mail, &mut found);
    super::bounces::check_files(&config.bounces, &mut found);
    super::analyst::check_files(&config.analyst, &mut found);
    super::alarm::check_files(&config.alarm, &mut found);
    destination::check_files(config, &mut found);
    found.problems
}

pub(super) struct Findings<'t> {
    places: Places<'t>,
    /// From where files are named.
    folder: &'t Path,
    problems: Vec<Problem>,
}

impl Findings<'_> {
    pub(super) fn add(&mut self, key: &[&str], message: impl Into<String>) {
        let (line, column) = self.places.of_key(key);
        self.problems.push(Problem {
            key: key.join("."),
            line,
            column,
            message: message.into(),
        });
    }

    pub(super) fn web_address(&mut self, key: &[&str], url: &Url) {
        if !matches!(url.scheme(), "http" | "https") {
            self.add(
                key,
                format!(
                    "{} is neither http nor https; write for example \"https://group.example/path\"",
                    url.scheme()
                ),
            );
        }
    }

    /// A file that has to be readable.
    pub(super) fn file(&mut self, key: &[&str], path: Option<&Path>) {
        let Some(path) = path else { return };
        let path = self.folder.join(path);
        if let Err(error) = File::open(&path) {
            self.add(key, format!("{} cannot be read: {error}", path.display()));
        }
    }

    pub(super) fn mailbox(&mut self, key: &[&str], mailbox: Option<&String>) {
        if let Some(mailbox) = mailbox
            && !aap::formats::is_email(mailbox)
        {
            self.add(
                key,
                format!(
                    "{mailbox:?} is not a mail address; write for example \"sales@group.example\""
                ),
            );
        }
    }
}

fn check_server(config: &Config, found: &mut Findings<'_>) {
    operations::check(config, found);
    super::analyst::check(&config.analyst, found);
    if let Some(store) = &config.store {
        super::store::check(store, found);
    }
    let limits = config.limits;
    for (name, value, most) in [
        ("body_bytes", limits.body_bytes as u64, 1 << 30),
        ("json_depth", limits.json_depth as u64, 128),
        ("header_seconds", limits.header_seconds, LONGEST_SECONDS),
        ("body_seconds", limits.body_seconds, LONGEST_SECONDS),
        ("idle_seconds", limits.idle_seconds, LONGEST_SECONDS),
    ] {
        if value == 0 || value > most {
            found.add(
                &["limits", name],
                format!("{value} is out of range; write 1 to {most}"),
            );
        }
    }
    if limits.stock_megabytes == Some(0) {
        found.add(
            &["limits", "stock_megabytes"],
            "0 is out of range; write at least 1, or leave it out to keep all stock in memory",
        );
    }
    if limits.shutdown_seconds > LONGEST_SECONDS {
        found.add(
            &["limits", "shutdown_seconds"],
            format!(
                "{} is out of range; write 0 to {LONGEST_SECONDS}",
                limits.shutdown_seconds
            ),
        );
    }
    if let Some(level) = &config.log.level
        && let Err(error) = EnvFilter::try_new(level)
    {
        found.add(
            &["log", "level"],
            format!("{level:?}: {error}; write for example \"info\""),
        );
    }
    super::mail::check(&["mail"], &config.mail, found);
    super::bounces::check(&config.bounces, found);
    super::alarm::check(&config.alarm, found);
}

fn check_dealer(id: &DealerId, dealer: &Dealer, found: &mut Findings<'_>) {
    let at = ["dealers", id.as_str()];
    let key = |last| [at[0], at[1], last];
    if dealer.name.trim().is_empty() {
        found.add(&key("name"), "write the name that buyers see");
    }
    if dealer.rooftops.is_empty() {
        found.add(
            &key("rooftops"),
            format!("name at least one rooftop: [dealers.{id}.rooftops.\"Main Street\"]"),
        );
    }
    if dealer.skills.is_empty() {
        found.add(
            &key("skills"),
            "name at least one skill, or leave it out for all",
        );
    }
    if let Some(name) = &dealer.default_rooftop
        && !dealer.rooftops.contains_key(name)
    {
        found.add(&key("default_rooftop"), unknown_rooftop(name, dealer));
    }
    check_ownership(&key("ownership"), dealer, found);
    trust::check(&at, dealer, found);
    leads::check(&at, dealer, found);
    adf::check(&at, dealer, found);
    if dealer.keep_history < dealer.remember_sold {
        found.add(
            &key("keep_history"),
            "is shorter than `remember_sold`; a unit is not forgotten before its prices are",
        );
    }
    let page = dealer.page;
    if page.default == 0 || page.most == 0 || page.default > page.most || page.most > 1000 {
        found.add(
            &key("page"),
            format!(
                "default {} and most {}: both are at least 1, default is at most `most`, and `most` at most 1000",
                page.default, page.most
            ),
        );
    }
    for host in &dealer.hosts {
        let port = host.contains(':') && !host.starts_with('[');
        if port || url::Host::parse(host).is_err() {
            found.add(
                &key("hosts"),
                format!(
                    "{host:?} is not a host name without scheme and port; write for example \"agent.group.example\""
                ),
            );
        }
    }
    let mut feed_ids = BTreeMap::new();
    for (name, rooftop) in &dealer.rooftops {
        let at = [at[0], at[1], "rooftops", name];
        if let Some(feed_id) = &rooftop.feed_id
            && let Some(other) = feed_ids.insert(aap::text::fold(feed_id), name)
        {
            found.add(
                &[&at[..], &["feed_id"]].concat(),
                format!("{feed_id:?} is already the feed_id of {other}"),
            );
        }
        check_rooftop(&at, rooftop, found);
    }
    for (name, feed) in &dealer.feeds {
        check_feed(&[at[0], at[1], "feeds", name], feed, dealer, found);
    }
}

fn check_ownership(key: &[&str], dealer: &Dealer, found: &mut Findings<'_>) {
    let mut owners = BTreeSet::new();
    for name in &dealer.ownership {
        if !dealer.rooftops.contains_key(name) {
            found.add(key, unknown_rooftop(name, dealer));
        } else if !owners.insert(name) {
            found.add(key, format!("{name:?} is named twice"));
        }
    }
}

/// What is published of a rooftop has to be what AAP allows (1.3, dealer-information schema).
fn check_rooftop(at: &[&str], rooftop: &Rooftop, found: &mut Findings<'_>) {
    let key = |last| [at, &[last]].concat();
    if at.last().is_some_and(|name| name.trim().is_empty()) {
        found.add(at, "give the rooftop a name; vehicles carry it");
    }
    if let Some(zone) = &rooftop.timezone
        && jiff::tz::TimeZone::get(zone).is_err()
    {
        found.add(
            &key("timezone"),
            format!("{zone:?} is not an IANA zone; write for example \"America/Chicago\""),
        );
    }
    if let Some(website) = &rooftop.website
        && !aap::formats::is_uri(website)
    {
        found.add(
            &key("website"),
            format!(
                "{website:?} is not an address; write for example \"https://www.group.example\""
            ),
        );
    }
    if let Some(geo) = rooftop.geo
        && !((-90.0..=90.0).contains(&geo.latitude) && (-180.0..=180.0).contains(&geo.longitude))
    {
        found.add(
            &key("geo"),
            format!(
                "{}, {}: a latitude is -90 to 90 and a longitude -180 to 180",
                geo.latitude, geo.longitude
            ),
        );
    }
    destination::check(at, rooftop, found);
    for mailbox in &rooftop.emails {
        found.mailbox(&key("emails"), Some(&mailbox.value));
    }
    for phone in &rooftop.phones {
        if !aap::formats::is_e164(&phone.value) {
            found.add(
                &key("phones"),
                format!(
                    "{:?} cannot be dialled from everywhere; write for example \"+12125550100\"",
                    phone.value
                ),
            );
        }
    }
    check_schedules(&rooftop.schedules, &key("schedules"), found);
    appointments::check(at, rooftop, found);
    check_fees(rooftop.fees.as_deref(), &key("fees"), found);
}

fn check_schedules(schedules: &[Schedule], key: &[&str], found: &mut Findings<'_>) {
    for week in schedules.iter().map(|schedule| &schedule.value) {
        for hours in week.days().into_iter().flatten() {
            for time in [&hours.open, &hours.close] {
                if !is_time_of_day(time) {
                    found.add(
                        key,
                        format!("{time:?} is not a time of day; write for example \"09:00\" or \"17:30\""),
                    );
                }
            }
        }
    }
}

/// `HH:MM` in 24 hours.
fn is_time_of_day(text: &str) -> bool {
    text.len() == 5 && jiff::civil::Time::strptime("%H:%M", text).is_ok()
}

fn check_feed(at: &[&str], feed: &FeedSettings, dealer: &Dealer, found: &mut Findings<'_>) {
    source::check(at, feed, found);
    let key = |last| [at, &[last]].concat();
    for rooftop in &feed.rooftops {
        if !dealer.rooftops.contains_key(rooftop) {
            found.add(&key("rooftops"), unknown_rooftop(rooftop, dealer));
        }
    }
    for condition in &feed.conditions {
        if !condition.is_sale() {
            found.add(
                &key("conditions"),
                format!(
                    "{:?} is a condition of trade-ins; stock is \"new\", \"used\" or \"cpo\"",
                    condition.as_str()
                ),
            );
        }
    }
    check_columns(at, &feed.columns, found);
    check_guards(at, feed, found);
    let price = [at, &["price"]].concat();
    if feed
        .price
        .column
        .as_ref()
        .is_some_and(|it| it.trim().is_empty())
    {
        found.add(
            &[&price[..], &["column"]].concat(),
            "write the header of the column that holds the price, or leave `column` out",
        );
    }
    check_fees(
        feed.price.fees.as_deref(),
        &[&price[..], &["fees"]].concat(),
        found,
    );
}

fn check_guards(at: &[&str], feed: &FeedSettings, found: &mut Findings<'_>) {
    let key = |last| [at, &[last]].concat();
    for (name, period, harm) in [
        ("expect_every", feed.expect_every, "would always be late"),
        ("max_age", feed.max_age, "would never be published"),
    ] {
        if period.is_some_and(|it| it.duration() < SignedDuration::from_mins(1)) {
            found.add(
                &key(name),
                format!("its stock {harm}; write at least \"1m\", for example \"72h\""),
            );
        }
    }
    if let Some(share) = feed.most_drop
        && !(0.0..=1.0).contains(&share)
    {
        found.add(
            &key("most_drop"),
            format!("{share} is not a share; write 0 to 1, for example 0.5 for half"),
        );
    }
}

fn check_columns(at: &[&str], columns: &BTreeMap<String, String>, found: &mut Findings<'_>) {
    for (field, header) in columns {
        let at = [at, &["columns", field.as_str()]].concat();
        if !inventory::feed::field_names().any(|known| known == field) {
            let known: Vec<&str> = inventory::feed::field_names().collect();
            found.add(
                &at,
                format!(
                    "no column can feed {field:?}; the fields are {}",
                    known.join(", ")
                ),
            );
        }
        if header.trim().is_empty() {
            found.add(
                &at,
                "write the header of the column, or its place, for example \"#2\"",
            );
        }
    }
}

fn unknown_rooftop(name: &str, dealer: &Dealer) -> String {
    let known: Vec<String> = dealer.rooftops.keys().map(|it| format!("{it:?}")).collect();
    let known = if known.is_empty() {
        "none".to_owned()
    } else {
        known.join(", ")
    };
    format!("there is no rooftop {name:?}; there is {known}")
}

fn check_fees(fees: Option<&[DealerFee]>, key: &[&str], found: &mut Findings<'_>) {
    let mut names = BTreeSet::new();
    for fee in fees.unwrap_or_default() {
        let name = fee.name.trim();
        if name.is_empty() || name.chars().count() > 120 {
            found.add(
                key,
                format!("{name:?}: a fee's name has 1 to 120 characters"),
            );
        }
        if !names.insert(aap::text::fold(name)) {
            found.add(
                key,
                format!("{name:?} is named twice; a fee's name is unique in its list"),
            );
        }
    }
}
