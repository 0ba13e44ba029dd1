//! Encryption at rest of what identifies a person.
//!
//! A column holds plain text, or text that is sealed with XChaCha20-Poly1305 under a random nonce:
//!
//! ```text
//! {v1}KEY.SEALED     KEY names the key, SEALED is the nonce, the cipher text and its tag in Base64
//! {v0}TEXT           plain text that would else look like one of these
//! TEXT               plain text
//! ```
//!
//! Dealer, row and column are authenticated with it, so that a value that was copied to another row
//! or column does not open there. Of the tables of leads a row is a lead; [`Vault::seal_text`] is for what
//! other tables keep secret.

mod key;

use std::{collections::BTreeSet, sync::Arc};

use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead, KeyInit, Payload},
};
use data_encoding::BASE64;
use dealers::DealerId;
use store::{Conn, Value};

pub use self::key::{KeyFault, KeyId, KeyIdFault, VaultKey};
use crate::{
    LeadId,
    wire::{read_word, unreadable},
};

/// The columns of `person` that are sealed, in the order of the statements.
pub(crate) const PERSON: [&str; 10] = [
    "person.first_name",
    "person.last_name",
    "person.email",
    "person.phone",
    "person.preferred_contact",
    "person.address",
    "person.message",
    "person.vehicle",
    "person.trade_in",
    "person.appointment_notes",
];
/// The column of `lead` that is sealed: people may name the person in a reason.
pub(crate) const HOLD: &str = "lead.legal_hold";
/// The column of `consent` that is sealed.
pub(crate) const CONSENT: &str = "consent.as_received";

const SEALED: &str = "{v1}";
const PLAIN: &str = "{v0}";
/// Bytes of a nonce of XChaCha20-Poly1305.
const NONCE: usize = 24;

/// The keys of the personal columns. Cheap to clone.
///
/// It writes under one key, or in plain text where it has none, and reads plain text and whatever one
/// of its keys opens. So encryption is turned on, turned off and given another key while the data are
/// in use; [`rekey`](crate::rekey()) then brings what is there into the form that is written.
#[derive(Clone, Default)]
pub struct Vault(Arc<Keys>);

#[derive(Default)]
struct Keys {
    current: Option<Cipher>,
    former: Vec<Cipher>,
}

struct Cipher {
    id: KeyId,
    engine: XChaCha20Poly1305,
}

/// Why something personal cannot be read or written. No text here repeats it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VaultError {
    /// It is sealed with a key that the vault does not have.
    #[error(
        "{column} is encrypted with the key {key}, which is not here; name its file as privacy.key_file or among privacy.former_key_files"
    )]
    KeyMissing {
        /// Table and column.
        column: &'static str,
        /// The key's name.
        key: String,
    },
    /// It does not open with its key: it was changed, or copied from another row.
    #[error("{column} does not open with its key {key}: it was changed, or belongs to another row")]
    Damaged {
        /// Table and column.
        column: &'static str,
        /// The key's name.
        key: KeyId,
    },
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(getrandom::Error),
}

/// Where a value stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    dealer: &'a DealerId,
    /// The row among those of the dealer, a lead's id.
    row: &'a str,
    /// Table and column.
    column: &'static str,
}

impl Vault {
    /// A vault without keys: everything is written as plain text.
    #[must_use]
    pub fn open() -> Self {
        Self::default()
    }

    /// A vault that writes under `current`, or in plain text without it, and opens what `former` keys
    /// sealed.
    #[must_use]
    pub fn new(current: Option<&VaultKey>, former: &[VaultKey]) -> Self {
        Self(Arc::new(Keys {
            current: current.map(Cipher::new),
            former: former.iter().map(Cipher::new).collect(),
        }))
    }

    /// The key that it writes under; `None` for plain text.
    #[must_use]
    pub fn current(&self) -> Option<KeyId> {
        self.0.current.as_ref().map(|cipher| cipher.id)
    }

    /// Whether it has the key of this name.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.cipher(key).is_some()
    }

    /// The text as its column holds it.
    pub(crate) fn seal(&self, place: Place<'_>, text: &str) -> Result<String, VaultError> {
        let Some(cipher) = &self.0.current else {
            let looks_marked = text.starts_with(SEALED) || text.starts_with(PLAIN);
            let marker = if looks_marked { PLAIN } else { "" };
            return Ok(format!("{marker}{text}"));
        };
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(VaultError::Random)?;
        let payload = Payload {
            msg: text.as_bytes(),
            aad: &place.associated(),
        };
        let sealed = cipher.engine.encrypt(&XNonce::from(nonce), payload);
        // Only a text of more than 256 GiB is refused.
        let sealed = sealed.map_err(|_| VaultError::Damaged {
            column: place.column,
            key: cipher.id,
        })?;
        let bytes = [&nonce[..], &sealed].concat();
        Ok(format!("{SEALED}{}.{}", cipher.id, BASE64.encode(&bytes)))
    }

    /// A text of another table as its column holds it. `row` tells its row from the dealer's others, and
    /// `column` is the names of table and column.
    ///
    /// # Errors
    /// [`VaultError::Random`].
    pub fn seal_text(
        &self,
        dealer: &DealerId,
        row: &str,
        column: &'static str,
        text: &str,
    ) -> Result<String, VaultError> {
        let place = Place {
            dealer,
            row,
            column,
        };
        self.seal(place, text)
    }

    /// The text that a column of another table holds, sealed or not.
    ///
    /// # Errors
    /// [`VaultError::KeyMissing`] and [`VaultError::Damaged`].
    pub fn unseal_text(
        &self,
        dealer: &DealerId,
        row: &str,
        column: &'static str,
        stored: &str,
    ) -> Result<String, VaultError> {
        let place = Place {
            dealer,
            row,
            column,
        };
        self.unseal(place, stored)
    }

    /// Texts of one lead as their columns hold them.
    pub(crate) fn seal_all<const N: usize>(
        &self,
        dealer: &DealerId,
        lead_id: &LeadId,
        columns: &[&'static str; N],
        texts: [Option<&String>; N],
    ) -> Result<Vec<Option<String>>, VaultError> {
        let seal = |(column, text): (&&'static str, Option<&String>)| {
            text.map(|text| self.seal(Place::new(dealer, lead_id, column), text))
                .transpose()
        };
        columns.iter().zip(texts).map(seal).collect()
    }

    /// The text that a column holds.
    pub(crate) fn unseal(&self, place: Place<'_>, stored: &str) -> Result<String, VaultError> {
        let Some(sealed) = stored.strip_prefix(SEALED) else {
            return Ok(stored.strip_prefix(PLAIN).unwrap_or(stored).to_owned());
        };
        let (key, sealed) = sealed.split_once('.').unwrap_or((sealed, ""));
        let cipher = self.cipher(key).ok_or_else(|| VaultError::KeyMissing {
            column: place.column,
            key: key.to_owned(),
        })?;
        cipher.open(place, sealed).ok_or(VaultError::Damaged {
            column: place.column,
            key: cipher.id,
        })
    }

    /// Whether a column holds text in the form that this vault writes.
    pub(crate) fn is_current(&self, stored: &str) -> bool {
        match (self.current(), stored.strip_prefix(SEALED)) {
            (None, sealed) => sealed.is_none(),
            (Some(_), None) => false,
            (Some(key), Some(sealed)) => {
                let name = sealed.split_once('.').map(|(name, _)| name);
                name == Some(key.to_string().as_str())
            }
        }
    }

    fn cipher(&self, name: &str) -> Option<&Cipher> {
        let keys = self.0.current.iter().chain(&self.0.former);
        keys.into_iter()
            .find(|cipher| cipher.id.to_string() == name)
    }
}

/// Names of the keys with which personal data of any dealer are sealed. Without them, the data cannot be
/// read.
///
/// # Errors
/// When the database fails.
pub fn keys_in_use(conn: &mut dyn Conn) -> Result<BTreeSet<String>, store::Error> {
    let found = conn.all(
        "SELECT DISTINCT substr(first_name, 5, 16) FROM person WHERE first_name LIKE '{v1}%'
         UNION SELECT DISTINCT substr(as_received, 5, 16) FROM consent
             WHERE as_received LIKE '{v1}%'
         UNION SELECT DISTINCT substr(legal_hold, 5, 16) FROM lead
             WHERE legal_hold LIKE '{v1}%'",
        &[],
        |row| row.text(0).map(str::to_owned),
    )?;
    Ok(found.into_iter().collect())
}

/// Leads of any dealer of which something is sealed with a key.
pub(crate) fn sealed_with(
    conn: &mut dyn Conn,
    key: KeyId,
    limit: u32,
) -> Result<Vec<(DealerId, LeadId)>, store::Error> {
    let sealed = format!("{SEALED}{key}.%");
    conn.all(
        "SELECT lead.dealer, lead.lead_id FROM lead
         LEFT JOIN person ON person.dealer = lead.dealer AND person.lead_id = lead.lead_id
         LEFT JOIN consent ON consent.dealer = lead.dealer AND consent.lead_id = lead.lead_id
         WHERE person.first_name LIKE $1 OR consent.as_received LIKE $1
             OR lead.legal_hold LIKE $1
         ORDER BY lead.dealer, lead.lead_id LIMIT $2",
        &[(&sealed).into(), Value::Int(limit.into())],
        |row| {
            let dealer = row.text(0)?.parse().map_err(|_| unreadable(0))?;
            let lead_id = read_word(row, 1)?.ok_or_else(|| unreadable(1))?;
            Ok((dealer, lead_id))
        },
    )
}

/// Names its keys, which open nothing.
impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let former: Vec<KeyId> = self.0.former.iter().map(|cipher| cipher.id).collect();
        f.debug_struct("Vault")
            .field("current", &self.current())
            .field("former", &former)
            .finish()
    }
}

impl Cipher {
    fn new(key: &VaultKey) -> Self {
        Self {
            id: key.id(),
            engine: XChaCha20Poly1305::new(&key.bytes().into()),
        }
    }

    fn open(&self, place: Place<'_>, sealed: &str) -> Option<String> {
        let bytes = BASE64.decode(sealed.as_bytes()).ok()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE>()?;
        let payload = Payload {
            msg: sealed,
            aad: &place.associated(),
        };
        let text = self.engine.decrypt(&XNonce::from(*nonce), payload).ok()?;
        String::from_utf8(text).ok()
    }
}

impl<'a> Place<'a> {
    pub(crate) fn new(dealer: &'a DealerId, lead_id: &'a LeadId, column: &'static str) -> Self {
        let row = lead_id.as_str();
        Self {
            dealer,
            row,
            column,
        }
    }

    /// What is authenticated beside the text. The lengths keep the parts apart.
    fn associated(&self) -> Vec<u8> {
        let parts = [self.dealer.as_str(), self.row, self.column];
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part.as_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests;
