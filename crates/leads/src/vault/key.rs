//! A key, its name, and the text that a key file holds.

use std::{fmt, str::FromStr};

use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE};
use sha2::{Digest as _, Sha256};

/// A key of 32 random bytes.
///
/// It is read from Base64 (44 characters) or hexadecimal digits (64), space around it left out, and
/// never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct VaultKey([u8; 32]);

/// The name of a key, which says nothing about it: 16 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId([u8; 8]);

/// A text is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a key: write 32 random bytes in Base64 or hexadecimal digits, and nothing else")]
pub struct KeyFault;

impl VaultKey {
    /// A key of these random bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its name.
    #[must_use]
    pub fn id(&self) -> KeyId {
        let digest = Sha256::new()
            .chain_update(b"forecourt key of personal columns")
            .chain_update(self.0)
            .finalize();
        let mut id = [0; 8];
        id.copy_from_slice(&digest[..8]);
        KeyId(id)
    }

    /// What a key file holds.
    #[must_use]
    pub fn expose(&self) -> String {
        BASE64.encode(&self.0)
    }

    pub(super) const fn bytes(&self) -> [u8; 32] {
        self.0
    }
}

impl FromStr for VaultKey {
    type Err = KeyFault;

    fn from_str(text: &str) -> Result<Self, KeyFault> {
        let text = text.trim().as_bytes();
        let bytes = match text.len() {
            64 => HEXLOWER_PERMISSIVE.decode(text),
            _ => BASE64.decode(text),
        };
        let bytes = bytes.map_err(|_| KeyFault)?;
        bytes.try_into().map(Self).map_err(|_| KeyFault)
    }
}

/// A text is no name of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not the name of a key: write its 16 hexadecimal digits")]
pub struct KeyIdFault;

impl FromStr for KeyId {
    type Err = KeyIdFault;

    fn from_str(text: &str) -> Result<Self, KeyIdFault> {
        let bytes = HEXLOWER.decode(text.as_bytes()).map_err(|_| KeyIdFault)?;
        bytes.try_into().map(Self).map_err(|_| KeyIdFault)
    }
}

impl fmt::Debug for VaultKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VaultKey({})", self.id())
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
