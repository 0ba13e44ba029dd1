//! The alarms in the database: raised, cleared, and what each channel was told.

use std::collections::BTreeMap;

use dealers::DealerId;
use jiff::Timestamp;
use store::{Claim, Conn, Error, Row, Store};
use uuid::Uuid;

use super::cause::{Alarm, Cause, Kind};

/// Raises a cause. One that is open stays open under its first time and takes the new words.
///
/// # Errors
/// When the database fails.
pub fn raise(
    conn: &mut dyn Conn,
    cause: &Cause,
    message: &str,
    episode: Uuid,
    now: Timestamp,
) -> Result<(), Error> {
    let episode = episode.to_string();
    conn.execute(
        "INSERT INTO alarm (dealer, kind, subject, episode, message, raised_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (dealer, kind, subject) DO UPDATE SET
             episode = CASE WHEN alarm.cleared_at IS NULL THEN alarm.episode ELSE excluded.episode END,
             raised_at = CASE WHEN alarm.cleared_at IS NULL THEN alarm.raised_at ELSE excluded.raised_at END,
             message = excluded.message,
             cleared_at = NULL",
        &[
            cause.dealer_key().into(),
            cause.kind.as_str().into(),
            (&cause.subject).into(),
            (&episode).into(),
            message.into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// Clears a cause; one that is not open stays as it is.
///
/// # Errors
/// When the database fails.
pub fn clear(conn: &mut dyn Conn, cause: &Cause, now: Timestamp) -> Result<(), Error> {
    conn.execute(
        "UPDATE alarm SET cleared_at = $4
         WHERE dealer = $1 AND kind = $2 AND subject = $3 AND cleared_at IS NULL",
        &[
            cause.dealer_key().into(),
            cause.kind.as_str().into(),
            (&cause.subject).into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// The alarms that are open, by dealer, kind and subject.
///
/// # Errors
/// When the database fails.
pub fn open(conn: &mut dyn Conn) -> Result<Vec<Alarm>, Error> {
    let mut alarms = all(conn)?;
    alarms.retain(|alarm| alarm.cleared_at.is_none());
    Ok(alarms)
}

/// Every alarm that is known, open or not.
pub(super) fn all(conn: &mut dyn Conn) -> Result<Vec<Alarm>, Error> {
    let alarms = conn.all(
        "SELECT dealer, kind, subject, episode, message, raised_at, cleared_at FROM alarm
         ORDER BY dealer, kind, subject",
        &[],
        |row| {
            let Some(cause) = cause(row)? else {
                return Ok(None);
            };
            Ok(Some(Alarm {
                cause,
                episode: row.text(3)?.parse().unwrap_or_default(),
                message: row.text(4)?.to_owned(),
                raised_at: row.time(5)?,
                cleared_at: row.optional_time(6)?,
            }))
        },
    )?;
    Ok(alarms.into_iter().flatten().collect())
}

/// The cause in the first three columns; `None` when a newer program wrote it.
fn cause(row: &dyn Row) -> Result<Option<Cause>, Error> {
    let Some(kind) = Kind::from_name(row.text(1)?) else {
        return Ok(None);
    };
    let subject = row.text(2)?;
    Ok(match row.text(0)? {
        "" => Some(Cause::of_server(kind, subject)),
        dealer => dealer
            .parse::<DealerId>()
            .ok()
            .map(|dealer| Cause::of_dealer(&dealer, kind, subject)),
    })
}

/// The last thing that a channel was told of a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) episode: Uuid,
    pub(super) recovered: bool,
}

/// What a channel was told, by cause.
pub(super) type ToldBy = BTreeMap<Cause, Told>;

pub(super) fn told(conn: &mut dyn Conn, channel: &str) -> Result<ToldBy, Error> {
    let rows = conn.all(
        "SELECT dealer, kind, subject, episode, recovered FROM alarm_told WHERE channel = $1",
        &[channel.into()],
        |row| {
            let told = Told {
                episode: row.text(3)?.parse().unwrap_or_default(),
                recovered: row.int(4)? != 0,
            };
            Ok(cause(row)?.map(|cause| (cause, told)))
        },
    )?;
    Ok(rows.into_iter().flatten().collect())
}

pub(super) fn record_told(
    conn: &mut dyn Conn,
    channel: &str,
    cause: &Cause,
    told: Told,
) -> Result<(), Error> {
    let episode = told.episode.to_string();
    conn.execute(
        "INSERT INTO alarm_told (dealer, kind, subject, channel, episode, recovered)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (dealer, kind, subject, channel)
         DO UPDATE SET episode = excluded.episode, recovered = excluded.recovered",
        &[
            cause.dealer_key().into(),
            cause.kind.as_str().into(),
            (&cause.subject).into(),
            channel.into(),
            (&episode).into(),
            told.recovered.into(),
        ],
    )?;
    Ok(())
}

/// Makes the open causes among `watched` those of `present`: raises what is new, renews changed
/// words, clears what is gone. It writes only where something changed.
///
/// # Errors
/// When the database fails. Nothing has changed then.
pub async fn reconcile<W>(
    store: &Store,
    watched: W,
    present: BTreeMap<Cause, String>,
) -> Result<(), Error>
where
    W: Fn(&Cause) -> bool,
{
    let known = store.read(open).await?;
    let gone: Vec<Cause> = known
        .iter()
        .map(|alarm| &alarm.cause)
        .filter(|cause| watched(cause) && !present.contains_key(cause))
        .cloned()
        .collect();
    let unchanged = |(cause, message): &(&Cause, &String)| {
        known
            .iter()
            .any(|alarm| alarm.cause == **cause && alarm.message == **message)
    };
    let raised: Vec<(Cause, String, Uuid)> = present
        .iter()
        .filter(|entry| !unchanged(entry))
        .map(|(cause, message)| (cause.clone(), message.clone(), store.clock().new_id()))
        .collect();
    if gone.is_empty() && raised.is_empty() {
        return Ok(());
    }
    log(&raised, &gone);
    let now = store.clock().now();
    store
        .write_claiming(Claim::ROWS, move |conn| {
            for (cause, message, episode) in &raised {
                raise(conn, cause, message, *episode, now)?;
            }
            for cause in &gone {
                clear(conn, cause, now)?;
            }
            Ok(())
        })
        .await
}

fn log(raised: &[(Cause, String, Uuid)], gone: &[Cause]) {
    for (cause, message, _) in raised {
        tracing::warn!(
            kind = cause.kind.as_str(),
            dealer = cause.dealer_key(),
            subject = cause.subject,
            "alarm: {message}"
        );
    }
    for cause in gone {
        tracing::info!(
            kind = cause.kind.as_str(),
            dealer = cause.dealer_key(),
            subject = cause.subject,
            "alarm cleared"
        );
    }
}

/// Sets one cause: raised with these words, or cleared.
///
/// # Errors
/// When the database fails.
pub async fn set(store: &Store, cause: &Cause, message: Option<String>) -> Result<(), Error> {
    let present = message.map(|message| (cause.clone(), message));
    reconcile(store, |other| other == cause, present.into_iter().collect()).await
}

/// Forgets what was cleared before `before`, which bounds the tables where names of feeds change.
pub(super) fn forget(conn: &mut dyn Conn, before: Timestamp) -> Result<(), Error> {
    conn.execute(
        "DELETE FROM alarm_told WHERE EXISTS (
             SELECT 1 FROM alarm WHERE alarm.dealer = alarm_told.dealer
             AND alarm.kind = alarm_told.kind AND alarm.subject = alarm_told.subject
             AND alarm.cleared_at < $1)",
        &[before.into()],
    )?;
    conn.execute("DELETE FROM alarm WHERE cleared_at < $1", &[before.into()])?;
    Ok(())
}
