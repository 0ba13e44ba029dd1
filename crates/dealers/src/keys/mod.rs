//! Keys by which programs of the dealer and its vendors use the server's API: what a key may do, and
//! how it is kept.
//!
//! A key is shown once, when it is made, and kept as its SHA-256 only: 256 random bits cannot be
//! guessed, so that a slow hash would protect nothing more. It names its dealer, so that it is found
//! by the primary key of its row.

mod agent;
mod scope;
mod secret;

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use store::{Conn, Migration, Row, Value};

pub use self::{
    agent::{AgentIdentity, AgentProof, identify},
    scope::{Scope, UnknownScope},
    secret::Secret,
};
use crate::DealerId;

/// How exactly the last use of a key is known: a note of each one would cost a write for each
/// request.
const LAST_USE_WITHIN: SignedDuration = SignedDuration::from_mins(1);

/// The keys of each dealer. A revoked key keeps its row, so that it can be told who had which.
pub const MIGRATIONS: &[Migration] = &[Migration {
    name: "dealers-keys-1",
    sql: "CREATE TABLE api_key (
        dealer TEXT NOT NULL,
        hash BYTES NOT NULL,
        name TEXT NOT NULL,
        scopes TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        expires_at BIGINT,
        revoked_at BIGINT,
        last_used_at BIGINT,
        PRIMARY KEY (dealer, hash)
    )",
}];

/// A key to be made.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// What its holder is called, for example `feed vendor`.
    pub name: String,
    /// What it may do.
    pub scopes: BTreeSet<Scope>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
}

/// A key as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Key {
    /// Whose it is.
    pub dealer: DealerId,
    /// What its holder is called.
    pub name: String,
    /// What it may do.
    pub scopes: BTreeSet<Scope>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was taken back.
    pub revoked_at: Option<Timestamp>,
    /// When it was used last, to the minute.
    pub last_used_at: Option<Timestamp>,
}

/// Whether a key opens anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// It does.
    Active,
    /// Its time is over.
    Expired,
    /// It was taken back.
    Revoked,
}

impl KeyState {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

impl Key {
    /// Whether it opens anything at `now`.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> KeyState {
        if self.revoked_at.is_some() {
            KeyState::Revoked
        } else if self.expires_at.is_some_and(|end| end <= now) {
            KeyState::Expired
        } else {
            KeyState::Active
        }
    }
}

/// Why a key was not made or found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Another key that is not revoked has the name.
    #[error("there is a key named {0:?} already; revoke it first, or take another name")]
    NameTaken(String),
    /// No key that is not revoked has the name.
    #[error("there is no key named {0:?} that could be revoked")]
    Unknown(String),
}

/// Keeps a new key.
///
/// # Errors
/// [`Error::NameTaken`], [`Error::Store`].
pub fn create(
    conn: &mut dyn Conn,
    secret: &Secret,
    key: &NewKey,
    now: Timestamp,
) -> Result<(), Error> {
    let taken = conn.first(
        "SELECT 1 FROM api_key WHERE dealer = $1 AND name = $2 AND revoked_at IS NULL",
        &[secret.dealer().into(), (&key.name).into()],
        |_| Ok(()),
    )?;
    if taken.is_some() {
        return Err(Error::NameTaken(key.name.clone()));
    }
    let scopes = scope::join(&key.scopes);
    conn.execute(
        "INSERT INTO api_key (dealer, hash, name, scopes, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
        &[
            secret.dealer().into(),
            Value::Bytes(&secret.hash()),
            (&key.name).into(),
            (&scopes).into(),
            now.into(),
            key.expires_at.into(),
        ],
    )?;
    Ok(())
}

/// A query whose rows [`read`] takes.
macro_rules! select_key {
    ($condition:literal) => {
        concat!(
            "SELECT name, scopes, created_at, expires_at, revoked_at, last_used_at FROM api_key ",
            $condition
        )
    };
}

/// A dealer's keys, the newest first; revoked ones too.
///
/// # Errors
/// What the database refuses.
pub fn list(conn: &mut dyn Conn, dealer: &DealerId) -> Result<Vec<Key>, store::Error> {
    conn.all(
        select_key!("WHERE dealer = $1 ORDER BY created_at DESC, name"),
        &[dealer.into()],
        |row| read(dealer, row),
    )
}

/// The key that this text is; `None` when it never was one. Whether it still opens anything is
/// for [`Key::state`] to say.
///
/// The row is found by the hash of the whole text, so that the time that this takes tells nothing
/// about a key.
///
/// # Errors
/// What the database refuses.
pub fn find(conn: &mut dyn Conn, secret: &Secret) -> Result<Option<Key>, store::Error> {
    conn.first(
        select_key!("WHERE dealer = $1 AND hash = $2"),
        &[secret.dealer().into(), Value::Bytes(&secret.hash())],
        |row| read(secret.dealer(), row),
    )
}

/// Whether the use of a key at `now` has to be noted by [`note_use`].
#[must_use]
pub fn is_use_news(key: &Key, now: Timestamp) -> bool {
    key.last_used_at
        .is_none_or(|last| now.duration_since(last) >= LAST_USE_WITHIN)
}

/// Notes that a key was used.
///
/// # Errors
/// What the database refuses.
pub fn note_use(conn: &mut dyn Conn, secret: &Secret, now: Timestamp) -> Result<(), store::Error> {
    conn.execute(
        "UPDATE api_key SET last_used_at = $3 WHERE dealer = $1 AND hash = $2",
        &[
            secret.dealer().into(),
            Value::Bytes(&secret.hash()),
            now.into(),
        ],
    )?;
    Ok(())
}

/// Takes a key back: it opens nothing from the moment that this is written.
///
/// # Errors
/// [`Error::Unknown`], [`Error::Store`].
pub fn revoke(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    name: &str,
    now: Timestamp,
) -> Result<(), Error> {
    let revoked = conn.execute(
        "UPDATE api_key SET revoked_at = $3
         WHERE dealer = $1 AND name = $2 AND revoked_at IS NULL",
        &[dealer.into(), name.into(), now.into()],
    )?;
    match revoked {
        0 => Err(Error::Unknown(name.to_owned())),
        _ => Ok(()),
    }
}

fn read(dealer: &DealerId, row: &dyn Row) -> Result<Key, store::Error> {
    Ok(Key {
        dealer: dealer.clone(),
        name: row.text(0)?.to_owned(),
        scopes: scope::split(row.text(1)?),
        created_at: row.time(2)?,
        expires_at: row.optional_time(3)?,
        revoked_at: row.optional_time(4)?,
        last_used_at: row.optional_time(5)?,
    })
}

#[cfg(test)]
mod tests;
