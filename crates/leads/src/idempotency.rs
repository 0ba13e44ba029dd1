//! Repeats of one request: the same key gets the first answer again.

use dealers::DealerId;
use jiff::Timestamp;
use store::Conn;

use crate::{Accepted, Caller, Error, HashKey, LeadId, hash::Hash, wire};

/// How long a key is remembered, in milliseconds: seven days. AAP asks for 24 hours at least.
const REMEMBERED: i64 = 7 * 24 * 60 * 60 * 1000;

/// An `idempotency_key` with its caller and its payload, as keyed hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    caller: Hash,
    key: Hash,
    payload: Hash,
}

impl Idempotency {
    /// Takes the key, and the payload as received (JSON). Payloads are the same when their
    /// canonical forms are (RFC 8785): space, order of members, escapes and spelling of numbers do
    /// not count.
    ///
    /// # Errors
    /// [`Error::Payload`] when the payload is not JSON.
    pub fn new(
        hash_key: &HashKey,
        caller: &Caller,
        key: &str,
        payload: &str,
    ) -> Result<Self, Error> {
        let canonical =
            serde_json_canonicalizer::pipe(payload).map_err(|error| Error::not_json(&error))?;
        Ok(Self {
            caller: caller.key_scope(hash_key),
            key: hash_key.hash("idempotency key", &[key]),
            payload: hash_key.hash("payload", &[&canonical]),
        })
    }
}

/// The first answer to this key, if it was used within the last seven days. Asked before the
/// payload is validated, so that a repeat gets its answer even where time has made the payload
/// invalid, as when the consent has expired meanwhile.
///
/// # Errors
/// [`Error::IdempotencyConflict`] when the key was used for another payload.
pub fn replay(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    idempotency: &Idempotency,
    now: Timestamp,
) -> Result<Option<Accepted>, Error> {
    let Idempotency {
        caller,
        key,
        payload,
    } = idempotency;
    let found = conn.first(
        "SELECT payload, answer FROM idempotency
         WHERE dealer = $1 AND caller = $2 AND idempotency_key = $3 AND expires_at >= $4",
        &[
            dealer.into(),
            caller.as_slice().into(),
            key.as_slice().into(),
            now.into(),
        ],
        |row| {
            let answer: Option<Accepted> = wire::read_json(row, 1)?;
            Ok((
                row.bytes(0)?.to_vec(),
                answer.ok_or_else(|| wire::unreadable(1))?,
            ))
        },
    )?;
    match found {
        None => Ok(None),
        Some((first, _)) if first != payload => Err(Error::IdempotencyConflict),
        Some((_, answer)) => Ok(Some(Accepted {
            replayed: true,
            ..answer
        })),
    }
}

/// Remembers the answer about a lead under the key. False when another request was faster.
pub(crate) fn remember(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    idempotency: &Idempotency,
    lead_id: &LeadId,
    answer: &Accepted,
    now: Timestamp,
) -> Result<bool, Error> {
    conn.execute(
        "DELETE FROM idempotency WHERE dealer = $1 AND expires_at < $2",
        &[dealer.into(), now.into()],
    )?;
    let Idempotency {
        caller,
        key,
        payload,
    } = idempotency;
    let answer = wire::json("answer", answer)?;
    let expires_at = now.as_millisecond() + REMEMBERED;
    let written = conn.execute(
        "INSERT INTO idempotency
             (dealer, caller, idempotency_key, payload, answer, expires_at, lead_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (dealer, caller, idempotency_key) DO NOTHING",
        &[
            dealer.into(),
            caller.as_slice().into(),
            key.as_slice().into(),
            payload.as_slice().into(),
            (&answer).into(),
            expires_at.into(),
            lead_id.into(),
        ],
    )?;
    Ok(written == 1)
}
