//! Files that were dealt with and could not be moved away, so that they are not read again.

use std::{path::PathBuf, time::SystemTime};

use dealers::DealerId;
use jiff::Timestamp;
use store::{Conn, Error};

use super::{folder::Found, shelf::Shelf};

/// A file that lies where it does not belong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stuck {
    pub(super) file: Found,
    pub(super) shelf: Shelf,
    pub(super) report: String,
}

impl Stuck {
    /// The name in the database: the whole path, because a feed's folder may change.
    fn key(&self) -> String {
        self.file.path.to_string_lossy().into_owned()
    }
}

pub(super) fn load(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    feed: &str,
) -> Result<Vec<Stuck>, Error> {
    conn.all(
        "SELECT file_name, size, modified_at, shelf, report FROM feed_file_stuck
         WHERE dealer = $1 AND feed = $2 ORDER BY file_name",
        &[dealer.into(), feed.into()],
        |row| {
            let shelf = match row.text(3)? {
                "done" => Shelf::Done,
                _ => Shelf::Refused,
            };
            Ok(Stuck {
                file: Found {
                    path: PathBuf::from(row.text(0)?),
                    size: row.int(1)?.cast_unsigned(),
                    modified: time(row.int(2)?),
                },
                shelf,
                report: row.text(4)?.to_owned(),
            })
        },
    )
}

pub(super) fn save(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    feed: &str,
    stuck: &Stuck,
) -> Result<(), Error> {
    conn.execute(
        "INSERT INTO feed_file_stuck (dealer, feed, file_name, size, modified_at, shelf, report)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (dealer, feed, file_name) DO UPDATE SET
             size = excluded.size, modified_at = excluded.modified_at,
             shelf = excluded.shelf, report = excluded.report",
        &[
            dealer.into(),
            feed.into(),
            (&stuck.key()).into(),
            stuck.file.size.cast_signed().into(),
            nanoseconds(stuck.file.modified).into(),
            stuck.shelf.as_str().into(),
            (&stuck.report).into(),
        ],
    )?;
    Ok(())
}

pub(super) fn forget(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    feed: &str,
    stuck: &Stuck,
) -> Result<(), Error> {
    conn.execute(
        "DELETE FROM feed_file_stuck WHERE dealer = $1 AND feed = $2 AND file_name = $3",
        &[dealer.into(), feed.into(), (&stuck.key()).into()],
    )?;
    Ok(())
}

/// Nanoseconds since 1970; a time that a file system cannot mean is taken for 1970.
fn nanoseconds(time: SystemTime) -> i64 {
    Timestamp::try_from(time)
        .ok()
        .and_then(|time| i64::try_from(time.as_nanosecond()).ok())
        .unwrap_or_default()
}

fn time(nanoseconds: i64) -> SystemTime {
    Timestamp::from_nanosecond(i128::from(nanoseconds))
        .and_then(SystemTime::try_from)
        .unwrap_or(SystemTime::UNIX_EPOCH)
}
