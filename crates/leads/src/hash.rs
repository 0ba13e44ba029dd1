//! Keyed hashes: equal things are found without keeping them readable.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// An HMAC-SHA256.
pub(crate) type Hash = [u8; 32];

/// The secret of a deployment under which contact data and keys are hashed (HMAC-SHA256, RFC
/// 2104). Without it, telephone numbers could be guessed back from plain hashes. With another
/// one, earlier leads are not recognised.
#[derive(Clone)]
pub struct HashKey([u8; 32]);

impl HashKey {
    /// A key of 32 random bytes.
    #[must_use]
    pub const fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// Tells this key from others without showing anything of it: 32 hexadecimal digits.
    #[must_use]
    pub fn mark(&self) -> String {
        HEXLOWER.encode(&self.hash("mark", &[])[..16])
    }

    /// Hashes `parts`; `purpose` keeps equal parts of different kinds apart.
    pub(crate) fn hash(&self, purpose: &str, parts: &[&str]) -> Hash {
        // Keys shorter than a block are padded with zeros by definition (RFC 2104, section 2).
        let mut block = [0; 64];
        block[..self.0.len()].copy_from_slice(&self.0);
        let mut mac = Hmac::<Sha256>::new(&block.into());
        for part in std::iter::once(&purpose).chain(parts) {
            // The length keeps ["ab", "c"] and ["a", "bc"] apart.
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }
}

impl std::fmt::Debug for HashKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HashKey(secret)")
    }
}

#[cfg(test)]
mod tests {
    use super::HashKey;

    #[test]
    fn purpose_parts_and_key_all_count() {
        let key = HashKey::new([1; 32]);
        let hash = key.hash("a", &["b", "c"]);
        assert_eq!(hash, HashKey::new([1; 32]).hash("a", &["b", "c"]));
        assert_ne!(hash, key.hash("b", &["b", "c"]));
        assert_ne!(hash, key.hash("a", &["bc"]));
        assert_ne!(hash, key.hash("a", &["c", "b"]));
        assert_ne!(hash, HashKey::new([2; 32]).hash("a", &["b", "c"]));
    }

    #[test]
    fn it_is_hmac_sha256() {
        // RFC 4231 has no case with a 32-byte key; this one was computed by another
        // implementation over
        // 00 00 00 00 00 00 00 01 'a'.
        let hash = HashKey::new([0x0b; 32]).hash("a", &[]);
        let text: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            text,
            "4260c95a0075ca3aa5a8f7d44be620b467c86aa893333550f64962d2b212d00d"
        );
    }

    #[test]
    fn the_key_is_not_printed() {
        assert_eq!(format!("{:?}", HashKey::new([7; 32])), "HashKey(secret)");
    }
}
