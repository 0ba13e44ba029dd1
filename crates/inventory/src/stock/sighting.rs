//! A file that still lies at its source as it was, though it was not sent again.

use dealers::{DealerId, FeedSettings};
use jiff::Timestamp;
use store::Conn;
use uuid::Uuid;

use super::{Error, runs, write};

/// Notes that the file of this digest still is the one at its source, which says so without sending
/// it (HTTP status 304). It is a run like that of the same file once more: its units were seen, and
/// the feed is not overdue.
///
/// False when that would not be the whole truth, because the feed's stock comes from another file or
/// is hidden meanwhile; then nothing is written, and the file has to be fetched.
///
/// # Errors
/// When the database fails. Nothing is written then.
pub fn sighted(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    feed: (&str, &FeedSettings),
    digest: &str,
    id: Uuid,
    now: Timestamp,
) -> Result<bool, Error> {
    let (feed, settings) = feed;
    let Some(last) = runs::last_applied(conn, dealer, feed)? else {
        return Ok(false);
    };
    if !last.state.is_good() || last.digest.as_deref() != Some(digest) {
        return Ok(false);
    }
    let (last, id) = (last.id.to_string(), id.to_string());
    if is_hidden(conn, dealer, feed, settings, now)? {
        return Ok(false);
    }
    conn.execute(
        "INSERT INTO feed_run (dealer, run_id, feed, received_at, file_name, file_digest, layout,
                               row_count, skipped, warnings, published, added, changed, withdrawn,
                               state)
         SELECT dealer, $3, feed, $4, file_name, file_digest, layout, row_count, skipped, warnings,
                published, 0, 0, 0, 'repeated'
         FROM feed_run WHERE dealer = $1 AND run_id = $2",
        &[dealer.into(), (&last).into(), (&id).into(), now.into()],
    )?;
    conn.execute(
        "UPDATE vehicle SET seen_run = $4,
                seen_at = CASE WHEN gone_at IS NULL THEN $5 ELSE seen_at END
         WHERE dealer = $1 AND feed = $2 AND seen_run = $3",
        &[
            dealer.into(),
            feed.into(),
            (&last).into(),
            (&id).into(),
            now.into(),
        ],
    )?;
    write::raise_version(conn, dealer)?;
    Ok(true)
}

/// True when time has hidden units of the feed: they come back by a file, which writes their
/// history.
fn is_hidden(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    feed: &str,
    settings: &FeedSettings,
    now: Timestamp,
) -> Result<bool, Error> {
    let Some(age) = settings.max_age else {
        return Ok(false);
    };
    let oldest = conn.first(
        "SELECT MIN(seen_at) FROM vehicle WHERE dealer = $1 AND feed = $2 AND gone_at IS NULL",
        &[dealer.into(), feed.into()],
        |row| row.optional_time(0),
    )?;
    let limit = now.checked_sub(age.duration()).unwrap_or(Timestamp::MIN);
    Ok(oldest.flatten().is_some_and(|oldest| oldest <= limit))
}
