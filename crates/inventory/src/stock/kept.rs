//! What is kept of a feed file: the report on it, and the file itself when it was not believed.

use std::io::{Read, Write};

use dealers::DealerId;
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use jiff::Timestamp;
use serde_json::{Value as Json, json};
use store::Conn;
use uuid::Uuid;

use super::{Error, RunOutcome};
#[cfg(doc)]
use crate::feed::FeedReport;

/// Largest file that is unpacked again; larger ones were never read.
const LARGEST_FILE: u64 = 1 << 30;

/// The report on a run: the reader's, and what the run found when it compared the file with the stock.
pub(crate) fn whole_report(read: &Json, outcome: &RunOutcome) -> Json {
    let mut document = read.clone();
    document["kept_last_good"] = json!(outcome.kept_last_good.is_some());
    document["price_differences"] = json!(outcome.price_differences);
    document["withheld"] = json!(outcome.withheld);
    document
}

/// Keeps the report on a run.
///
/// # Errors
/// When the database fails.
pub fn keep_report(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    run: Uuid,
    now: Timestamp,
    document: &Json,
) -> Result<(), store::Error> {
    let packed = pack(document.to_string().as_bytes());
    conn.execute(
        "INSERT INTO feed_report (dealer, run_id, kept_at, report) VALUES ($1, $2, $3, $4)",
        &[
            dealer.into(),
            (&run.to_string()).into(),
            now.into(),
            packed.as_slice().into(),
        ],
    )?;
    Ok(())
}

/// The report on a run, with the members of [`FeedReport`] except its vehicles, and with
/// `price_differences` and `withheld` of the [`RunOutcome`]; `None` when it is not kept any more.
///
/// # Errors
/// When the database fails, or holds what is no report.
pub fn report(conn: &mut dyn Conn, dealer: &DealerId, run: Uuid) -> Result<Option<Json>, Error> {
    let packed = conn.first(
        "SELECT report FROM feed_report WHERE dealer = $1 AND run_id = $2",
        &[dealer.into(), (&run.to_string()).into()],
        |row| Ok(row.bytes(0)?.to_vec()),
    )?;
    let Some(packed) = packed else {
        return Ok(None);
    };
    let text = unpack(&packed).map_err(|source| Error::Kept { run, source })?;
    let document = serde_json::from_slice(&text).map_err(|source| Error::Kept {
        run,
        source: source.into(),
    })?;
    Ok(Some(document))
}

/// Keeps a file that was not believed, packed by [`pack`], so that a person can have it applied.
///
/// # Errors
/// When the database fails.
pub fn keep_file(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    run: Uuid,
    now: Timestamp,
    packed: &[u8],
) -> Result<(), store::Error> {
    conn.execute(
        "INSERT INTO feed_file (dealer, run_id, kept_at, content) VALUES ($1, $2, $3, $4)",
        &[
            dealer.into(),
            (&run.to_string()).into(),
            now.into(),
            packed.into(),
        ],
    )?;
    Ok(())
}

/// The packed file of a run, when it is kept.
///
/// # Errors
/// When the database fails.
pub fn file(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    run: Uuid,
) -> Result<Option<Vec<u8>>, store::Error> {
    conn.first(
        "SELECT content FROM feed_file WHERE dealer = $1 AND run_id = $2",
        &[dealer.into(), (&run.to_string()).into()],
        |row| Ok(row.bytes(0)?.to_vec()),
    )
}

/// Makes bytes smaller.
#[must_use]
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// Undoes [`pack`].
///
/// # Errors
/// When the bytes are damaged.
pub fn unpack(packed: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(packed)
        .take(LARGEST_FILE)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
