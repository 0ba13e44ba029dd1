//! A catalog's file as it arrives: read, compared with the last good one, kept; or applied after all,
//! when a person says that a file which was not believed is right.

use std::{io, sync::Arc};

use dealers::DealerId;
use inventory::{
    intake::{aside, digest},
    stock::{self, LastApplied, RunRecord, RunState},
};
use jiff::Timestamp;
use serde_json::{Value, json};
use store::{Conn, Store};
use uuid::Uuid;

use crate::{
    Catalog, FEED,
    compare::{Comparison, Event, compare, not_whole},
    kept::{self, FirstSeen, KeptChanges, KeptFile, Packed},
    read::{self, Arrived, Report},
};

/// How often a file is compared anew because another one took the place of the one before it.
const TRIES: usize = 3;
/// The layout in the list of runs.
const LAYOUT: &str = "table";

/// A file as it arrived.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// Name of the file, where it has one.
    pub file_name: Option<&'a str>,
    /// Its content, which may be packed as `.gz` or `.zip`.
    pub bytes: &'a [u8],
}

/// Reads a file and makes it the catalog, as far as it is believed, durable on return. One that is no table,
/// or that cannot be right, changes nothing but the list of runs; it is kept, so that [`accept`] can apply it
/// after all.
///
/// # Errors
/// When the database fails. Nothing is written then.
pub async fn publish(
    store: &Store,
    id: &DealerId,
    catalog: &Catalog,
    arrival: Arrival<'_>,
) -> Result<(Report, RunRecord), stock::Error> {
    let mut run = new_run(store, arrival.file_name, Some(digest(arrival.bytes)));
    let (bytes, settings) = (arrival.bytes.to_vec(), catalog.clone());
    let read = aside(move || {
        let read = read::arrived(&bytes, &settings);
        (read, bytes)
    });
    let (read, bytes) = read.await?;
    let report = match read {
        Ok(arrived) => {
            let file = Arc::new(arrived);
            run = apply(store, id, catalog, run, &file, unasked).await?;
            file.report.clone()
        }
        Err(reason) => {
            let report = read::refusal(reason);
            run.state = RunState::Refused;
            run.reason.clone_from(&report.refused);
            enter(store, id, &run, &report, None, unasked).await?;
            report
        }
    };
    if !run.state.is_good() {
        let packed = aside(move || Packed::of(&bytes)).await?;
        let claim = stock::claim(id);
        let (id, run, at) = (id.clone(), run.id, run.received_at);
        let keep = move |conn: &mut dyn Conn| stock::keep_file(conn, &id, run, at, packed.bytes());
        store.write_claiming(claim, keep).await?;
    }
    Ok((report, run))
}

/// Why a file cannot be applied after all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptError {
    /// The catalog has no such run.
    #[error("there is no run {0}; `forecourt catalogs runs` lists them")]
    UnknownRun(Uuid),
    /// The file was applied when it came.
    #[error("the file of run {0} was applied when it came; there is nothing to accept")]
    Applied(Uuid),
    /// The file is kept no more.
    #[error("the file of run {0} is not kept any more; import it again")]
    NotKept(Uuid),
    /// The file is no table.
    #[error("the file of run {run} cannot be read, whoever accepts it: {reason}")]
    Unreadable {
        /// The run.
        run: Uuid,
        /// Why the file is refused.
        reason: String,
    },
    /// A later file was applied meanwhile.
    #[error("run {newer} brought a newer file at {at}; `--force` goes back to the older one")]
    Newer {
        /// The later run.
        newer: Uuid,
        /// When it happened.
        at: Timestamp,
    },
    /// The database failed, or what it keeps is damaged.
    #[error(transparent)]
    Stock(#[from] stock::Error),
}

/// Applies the file of an earlier run that was not believed, because the person `by` says that it is right.
/// It is read again, as the configuration states by now what its columns mean, and nothing is doubted. The
/// acceptance is a run of its own. `force` goes back to a file that is older than the catalog.
///
/// # Errors
/// [`AcceptError`]. Nothing is written then.
pub async fn accept(
    store: &Store,
    id: &DealerId,
    catalog: &Catalog,
    run: Uuid,
    by: &str,
    force: bool,
) -> Result<(Report, RunRecord), AcceptError> {
    let (record, packed) = {
        let id = id.clone();
        let read = move |conn: &mut dyn Conn| {
            let record = stock::run(conn, &id, run)?;
            Ok::<_, stock::Error>((record, stock::file(conn, &id, run)?))
        };
        store.read(read).await?
    };
    let record = record.ok_or(AcceptError::UnknownRun(run))?;
    if record.state.is_good() {
        return Err(AcceptError::Applied(run));
    }
    let packed = packed.ok_or(AcceptError::NotKept(run))?;
    let settings = catalog.clone();
    let read = aside(move || {
        let bytes = stock::unpack(&packed)?;
        Ok::<_, io::Error>(read::arrived(&bytes, &settings))
    });
    let arrived = read.await?.map_err(|source| damaged(run, source))?;
    let arrived = arrived.map_err(|reason| AcceptError::Unreadable { run, reason })?;
    let mut accepted = new_run(
        store,
        record.file_name.as_deref(),
        record.file_digest.clone(),
    );
    accepted.accepts = Some(run);
    accepted.accepted_by = Some(by.to_owned());
    let file = Arc::new(arrived);
    let may = move |conn: &mut dyn Conn, id: &DealerId| match force {
        true => Ok(()),
        false => refuse_if_older(conn, id, &record),
    };
    let run = apply(store, id, catalog, accepted, &file, may).await?;
    Ok((file.report.clone(), run))
}

/// A file that just arrived is the newest.
const fn unasked(_: &mut dyn Conn, _: &DealerId) -> Result<(), stock::Error> {
    Ok(())
}

fn refuse_if_older(
    conn: &mut dyn Conn,
    id: &DealerId,
    record: &RunRecord,
) -> Result<(), AcceptError> {
    match stock::last_applied(conn, id, FEED)? {
        Some(last) if (last.at, last.id) > (record.received_at, record.id) => {
            Err(AcceptError::Newer {
                newer: last.id,
                at: last.at,
            })
        }
        _ => Ok(()),
    }
}

/// What a run did to a catalog, as JSON with the members that runs of feeds have.
#[must_use]
pub fn run_document(run: &RunRecord) -> Value {
    json!({
        "id": run.id.to_string(),
        "state": run.state.as_str(),
        "published": run.published,
        "added": run.added,
        "changed": run.changed,
        "withdrawn": run.withdrawn,
        "reason": run.reason,
    })
}

impl From<store::Error> for AcceptError {
    fn from(error: store::Error) -> Self {
        Self::Stock(error.into())
    }
}

fn new_run(store: &Store, file_name: Option<&str>, digest: Option<String>) -> RunRecord {
    let clock = store.clock();
    let mut run = RunRecord::new(clock.new_id(), FEED, clock.now(), RunState::Applied);
    run.file_name = file_name.map(str::to_owned);
    run.file_digest = digest;
    LAYOUT.clone_into(&mut run.layout);
    run
}

/// Compares a file with the last good one, and writes down what comes of it, where `may` allows it within the
/// same transaction. With the word of a person nothing is doubted.
async fn apply<E, F>(
    store: &Store,
    id: &DealerId,
    catalog: &Catalog,
    mut run: RunRecord,
    file: &Arc<Arrived>,
    may: F,
) -> Result<RunRecord, E>
where
    E: From<stock::Error> + From<store::Error> + Send + 'static,
    F: Fn(&mut dyn Conn, &DealerId) -> Result<(), E> + Clone + Send + Sync + 'static,
{
    run.rows = file.report.rows;
    run.skipped = file.report.skipped.len() as u64;
    run.warnings = file.report.warnings.len() as u64;
    let is_asked = run.accepted_by.is_some();
    for _ in 0..TRIES {
        let before = before(store, id).await?;
        let is_repeated = |last: &LastApplied| !is_asked && last.digest == run.file_digest;
        if before.last.as_ref().is_some_and(is_repeated) {
            run.state = RunState::Repeated;
            run.published = run.rows;
            enter(store, id, &run, &file.report, None, may).await?;
            return Ok(run);
        }
        let compared = {
            let (file, catalog, run) = (Arc::clone(file), catalog.clone(), run.clone());
            aside(move || Compared::of(before.file, &file, &catalog, &run)).await?
        };
        let compared = compared?;
        let doubt = compared.found.doubt.as_ref().filter(|_| !is_asked);
        if let Some(doubt) = doubt {
            run.state = RunState::KeptLastGood;
            run.reason = Some(doubt.clone());
            enter(store, id, &run, &file.report, None, may).await?;
            return Ok(run);
        }
        let mut good = run.clone();
        good.published = run.rows;
        good.added = compared.added;
        good.changed = compared.found.count(Event::Price);
        good.withdrawn = compared.found.count(Event::Went);
        if enter(store, id, &good, &file.report, Some(compared), may.clone()).await? {
            return Ok(good);
        }
    }
    let source: Box<dyn std::error::Error + Send + Sync> =
        "other files of the catalog keep arriving".into();
    let source = source.into();
    Err(store::Error::Busy { source }.into())
}

/// What a file is compared with.
struct Before {
    file: Option<KeptFile>,
    last: Option<LastApplied>,
}

async fn before(store: &Store, id: &DealerId) -> Result<Before, stock::Error> {
    let id = id.clone();
    let read = move |conn: &mut dyn Conn| {
        Ok::<_, stock::Error>(Before {
            file: kept::file(conn, &id)?,
            last: stock::last_applied(conn, &id, FEED)?,
        })
    };
    store.read(read).await
}

/// A file beside the last good one, ready to be kept.
struct Compared {
    found: Comparison,
    /// The run that brought the file before.
    before: Option<String>,
    /// Items that came.
    added: u64,
    file: KeptFile,
    changes: Option<KeptChanges>,
}

impl Compared {
    fn of(
        before: Option<KeptFile>,
        file: &Arrived,
        catalog: &Catalog,
        run: &RunRecord,
    ) -> Result<Self, stock::Error> {
        let fail = |source| stock::Error::Kept {
            run: run.id,
            source,
        };
        let mut compared = Self {
            found: Comparison::default(),
            before: before.as_ref().map(|before| before.run.clone()),
            added: file.report.rows,
            file: KeptFile {
                run: run.id.to_string(),
                since: run.received_at,
                content: Packed::of(&file.content),
                first_seen: Packed::of(&[]),
            },
            changes: None,
        };
        let not_whole = not_whole(&file.table);
        compared.found.doubt.clone_from(&not_whole);
        let Some(before) = before else {
            return Ok(compared);
        };
        compared.file.since = before.since;
        let content = before.content.unpack().map_err(fail)?;
        // What its columns are stated to mean may have changed; what cannot be read any more is no
        // reason to doubt what has arrived.
        let Ok(old) = read::table(&content, catalog) else {
            return Ok(compared);
        };
        let most_drop = catalog.feed().most_drop();
        compared.found = compare(&old, &file.table, most_drop);
        compared.found.doubt = not_whole.or(compared.found.doubt);
        let found = &compared.found;
        compared.added = found.count(Event::Came);
        let seen = before.first_seen.unpack();
        let seen = seen.and_then(|seen| kept::read_first_seen(&seen));
        let seen = first_seen(&seen.map_err(fail)?, found, run.received_at);
        let seen = kept::write_first_seen(&seen).map_err(fail)?;
        compared.file.first_seen = Packed::of(&seen);
        if !found.changes.is_empty() {
            let changes = kept::write_changes(&found.changes).map_err(fail)?;
            compared.changes = Some(KeptChanges {
                at: run.received_at,
                changes: Packed::of(&changes),
            });
        }
        Ok(compared)
    }
}

/// Of the items that are there: since when, for those that the first file had not.
fn first_seen(before: &FirstSeen, found: &Comparison, now: Timestamp) -> FirstSeen {
    let stayed = found.stayed.iter();
    let known = stayed.filter_map(|key| Some((key.clone(), *before.get(key)?)));
    let came = found.came.iter();
    let new = came.map(|key| (key.clone(), now.as_millisecond()));
    known.chain(new).collect()
}

/// Writes down a run with the report on it, and what it changed, in one transaction. False, and nothing is
/// written, when another file took the place of the one that it was compared with.
async fn enter<E>(
    store: &Store,
    id: &DealerId,
    run: &RunRecord,
    report: &Report,
    compared: Option<Compared>,
    may: impl Fn(&mut dyn Conn, &DealerId) -> Result<(), E> + Send + Sync + 'static,
) -> Result<bool, E>
where
    E: From<stock::Error> + From<store::Error> + Send + 'static,
{
    let mut document = report.document();
    document["kept_last_good"] = (!run.state.is_good()).into();
    let (claim, told) = (stock::claim(id), id.clone());
    let (id, run) = (id.clone(), run.clone());
    let write = move |conn: &mut dyn Conn| -> Result<bool, E> {
        let (id, run) = (&id, &run);
        may(conn, id)?;
        if let Some(compared) = &compared {
            let (before, name) = (compared.before.as_deref(), run.file_name.as_deref());
            if !kept::replace(conn, id, before, name, &compared.file)? {
                return Ok(false);
            }
            if let Some(changes) = &compared.changes {
                kept::keep_changes(conn, id, &compared.file.run, changes)?;
            }
        }
        stock::expect_feed(conn, id, FEED, run.received_at)?;
        stock::enter(conn, id, run)?;
        stock::keep_report(conn, id, run.id, run.received_at, &document)?;
        if run.state.is_good() {
            stock::raise_version(conn, id)?;
        }
        Ok(true)
    };
    let is_written = store.write_claiming(claim, write).await?;
    stock::tell(store, &told);
    Ok(is_written)
}

fn damaged(run: Uuid, source: io::Error) -> stock::Error {
    stock::Error::Kept { run, source }
}
