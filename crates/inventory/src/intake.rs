//! A feed file as it arrives: read, compared with the stock, published; or applied after all, when
//! a person says that a file which was not believed is right.

use std::sync::Arc;

use data_encoding::HEXLOWER;
use dealers::{Dealer, DealerId, FeedSettings};
use jiff::{Timestamp, tz::TimeZone};
use sha2::{Digest, Sha256};
use store::{Clock, Store};
use uuid::Uuid;

use crate::{
    feed::{self, FeedReport, ReadOptions, RefusalCode},
    stock::{self, Acceptance, Run, RunOutcome, RunRecord, kept, runs},
};

/// A feed file as it arrived.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// Name of the feed in the configuration.
    pub feed: &'a str,
    /// Name of the file, where it has one.
    pub file_name: Option<&'a str>,
    /// Its content.
    pub bytes: &'a [u8],
}

/// Reads a file and makes it the feed's stock, as far as it is believed, durable on return. A file
/// that is refused, or that cannot be right, changes nothing but the list of runs; it is kept, so
/// that [`accept`] can apply it after all.
///
/// # Errors
/// When the database fails. Nothing is written then.
pub async fn publish(
    store: &Store,
    id: &DealerId,
    dealer: &Dealer,
    arrival: Arrival<'_>,
) -> Result<(FeedReport, RunOutcome), stock::Error> {
    let now = store.clock().now();
    let settings = dealer.feeds.get(arrival.feed).cloned().unwrap_or_default();
    let options = ReadOptions::of(dealer, &settings, today(store.clock()));
    let bytes = arrival.bytes.to_vec();
    let (bytes, digest, report) = aside(move || {
        let (digest, report) = (digest(&bytes), feed::read(&bytes, &options));
        (bytes, digest, report)
    })
    .await?;
    let file = ReadFile {
        id: id.clone(),
        dealer: dealer.clone(),
        feed: arrival.feed.to_owned(),
        settings,
        name: arrival.file_name.map(str::to_owned),
        digest: Some(digest),
        arrived: now,
        now,
    };
    let (report, outcome) = file
        .apply(store, report, |_, _| Ok::<_, stock::Error>(None))
        .await?;
    if !outcome.state.is_good() {
        let packed = aside(move || kept::pack(&bytes)).await?;
        let (file_of, id, run) = (id, id.clone(), outcome.run);
        store
            .write_claiming(stock::claim(file_of), move |conn| {
                kept::keep_file(conn, &id, run, now, &packed)
            })
            .await?;
    }
    Ok((report, outcome))
}

/// Why a file cannot be applied after all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptError {
    /// The dealer has no such run.
    #[error("there is no run {0}; `forecourt feeds runs` lists them")]
    UnknownRun(Uuid),
    /// The whole file was applied when it came.
    #[error("the file of run {0} was applied when it came; there is nothing to accept")]
    Applied(Uuid),
    /// The file is kept no more.
    #[error("the file of run {0} is not kept any more; import it again")]
    NotKept(Uuid),
    /// The file holds nothing that can be applied.
    #[error(
        "the file of run {run} holds nothing that can be applied, whoever accepts it: {reason}"
    )]
    Unreadable {
        /// The run.
        run: Uuid,
        /// Why the file is refused.
        reason: String,
    },
    /// A later file was applied meanwhile.
    #[error(
        "run {newer} of the same feed put a newer file onto the lot at {at}; `--force` goes back \
         to the older file"
    )]
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

impl From<store::Error> for AcceptError {
    fn from(error: store::Error) -> Self {
        Self::Stock(error.into())
    }
}

/// Applies the file of an earlier run that was not believed, because the person `by` says that it
/// is right. It is read again, with what the configuration states by now, and nothing is doubted:
/// what is missing from it leaves the lot. The acceptance is a run of its own.
///
/// A file that was cut off counts up to its last whole line; a file without a single unit empties
/// what its feed covers; one that is no feed at all cannot be applied. `force` goes back to a file
/// that is older than the stock.
///
/// # Errors
/// [`AcceptError`]. Nothing is written then.
pub async fn accept(
    store: &Store,
    id: &DealerId,
    dealer: &Dealer,
    run: Uuid,
    by: &str,
    force: bool,
) -> Result<(FeedReport, RunOutcome), AcceptError> {
    let (record, packed) = {
        let id = id.clone();
        let read = move |conn: &mut dyn store::Conn| {
            let record = stock::run(conn, &id, run)?.ok_or(AcceptError::UnknownRun(run))?;
            Ok::<_, AcceptError>((record, kept::file(conn, &id, run)?))
        };
        store.read(read).await?
    };
    if record.state.is_good() {
        return Err(AcceptError::Applied(run));
    }
    let packed = packed.ok_or(AcceptError::NotKept(run))?;
    let settings = dealer.feeds.get(&record.feed).cloned().unwrap_or_default();
    let options = ReadOptions::of(dealer, &settings, today(store.clock()));
    let report = aside(move || kept::unpack(&packed).map(|bytes| read_whole(&bytes, &options)))
        .await?
        .map_err(|source| stock::Error::Kept { run, source })?;
    if let Some(refusal) = report.refused.as_ref().filter(|it| !means_empty(it.code)) {
        return Err(AcceptError::Unreadable {
            run,
            reason: refusal.message.clone(),
        });
    }
    let file = ReadFile {
        id: id.clone(),
        dealer: dealer.clone(),
        feed: record.feed.clone(),
        settings,
        name: record.file_name.clone(),
        digest: record.file_digest.clone(),
        arrived: record.received_at,
        now: store.clock().now(),
    };
    let by = by.to_owned();
    let accepts = move |conn: &mut dyn store::Conn, id: &DealerId| {
        if !force {
            refuse_if_older(conn, id, &record)?;
        }
        Ok(Some((run, by.clone())))
    };
    file.apply(store, report, accepts).await
}

/// Reads a file; one that was cut off, up to the last whole line.
fn read_whole(bytes: &[u8], options: &ReadOptions) -> FeedReport {
    let report = feed::read(bytes, options);
    let cut_off = |refusal: &feed::Refusal| refusal.code == RefusalCode::CutOff;
    match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(end) if report.refused.as_ref().is_some_and(cut_off) => {
            feed::read(&bytes[..=end], options)
        }
        _ => report,
    }
}

/// A file that is refused because it lists nothing; a person may know that there is nothing.
fn means_empty(code: RefusalCode) -> bool {
    matches!(
        code,
        RefusalCode::Empty | RefusalCode::NoRows | RefusalCode::NothingToPublish
    )
}

fn refuse_if_older(
    conn: &mut dyn store::Conn,
    id: &DealerId,
    record: &RunRecord,
) -> Result<(), AcceptError> {
    match runs::last_applied(conn, id, &record.feed)? {
        Some(last) if (last.at, last.id) > (record.received_at, record.id) => {
            Err(AcceptError::Newer {
                newer: last.id,
                at: last.at,
            })
        }
        _ => Ok(()),
    }
}

/// A file that has been read, with everything that the stock has to know of it.
struct ReadFile {
    id: DealerId,
    dealer: Dealer,
    feed: String,
    settings: FeedSettings,
    name: Option<String>,
    digest: Option<String>,
    arrived: Timestamp,
    now: Timestamp,
}

impl ReadFile {
    /// Applies it in one transaction, which `accepts` begins: it names the run that a person
    /// accepts and the person.
    async fn apply<E>(
        self,
        store: &Store,
        mut report: FeedReport,
        accepts: impl Fn(&mut dyn store::Conn, &DealerId) -> Result<Option<(Uuid, String)>, E>
        + Send
        + Sync
        + 'static,
    ) -> Result<(FeedReport, RunOutcome), E>
    where
        E: From<stock::Error> + From<store::Error> + Send + 'static,
    {
        let (id, now) = (store.clock().new_id(), self.now);
        let dealer = self.id.clone();
        let document = report.without_vehicles();
        let report = Arc::new(report);
        let outcome = {
            let report = Arc::clone(&report);
            let claim = stock::claim(&self.id);
            let write = move |conn: &mut dyn store::Conn| {
                let accepted = accepts(conn, &self.id)?;
                let run = Run {
                    dealer: &self.id,
                    stated: &self.dealer,
                    feed: &self.feed,
                    settings: &self.settings,
                    id,
                    now,
                    arrived: self.arrived,
                    file_name: self.name.as_deref(),
                    file_digest: self.digest.as_deref(),
                    report: &report,
                    accepts: accepted
                        .as_ref()
                        .map(|(run, by)| Acceptance { run: *run, by }),
                };
                let outcome = stock::apply(conn, &run)?;
                let whole = kept::whole_report(&document, &outcome);
                kept::keep_report(conn, &self.id, outcome.run, now, &whole)?;
                Ok::<_, E>(outcome)
            };
            store.write_claiming(claim, write).await?
        };
        stock::tell(store, &dealer);
        let mut report = Arc::unwrap_or_clone(report);
        report.kept_last_good = outcome.kept_last_good.is_some();
        Ok((report, outcome))
    }
}

/// Runs long work where it holds up no request.
///
/// # Errors
/// [`store::Error::Panicked`] when the work does not come to its end.
pub async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, store::Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| store::Error::Panicked)
}

/// The day at this moment. Feeds carry dates without a zone, and one day more or less decides
/// nothing.
#[must_use]
pub fn today(clock: &Clock) -> jiff::civil::Date {
    TimeZone::UTC.to_datetime(clock.now()).date()
}

/// What tells two files apart, as the record of a run has it: SHA-256 in lower-case hexadecimal
/// digits.
#[must_use]
pub fn digest(file: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(file))
}
