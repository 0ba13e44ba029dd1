//! Private JSON Web Keys (RFC 7517; RFC 7518 §6).

use aws_lc_rs::encoding::{AsDer as _, Pkcs8V1Der};
use aws_lc_rs::rsa::{KeyPair, KeyPairComponents, PublicKeyComponents};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::EncodingKey;
use serde::Deserialize;

use super::{KeyError, SigningAlgorithm};

/// The members of a private key, each base64url.
#[derive(Deserialize)]
#[serde(tag = "kty")]
enum PrivateKey {
    #[serde(rename = "EC")]
    Curve {
        crv: String,
        x: String,
        y: String,
        d: String,
    },
    /// With its primes, without which it is of no use here.
    #[serde(rename = "RSA")]
    Rsa {
        n: String,
        e: String,
        d: String,
        p: String,
        q: String,
        dp: String,
        dq: String,
        qi: String,
    },
}

pub(super) fn read(json: &str) -> Result<(SigningAlgorithm, EncodingKey), KeyError> {
    match serde_json::from_str(json).map_err(KeyError::NotAJwk)? {
        PrivateKey::Curve { crv, .. } if crv != "P-256" => Err(KeyError::JwkKind),
        PrivateKey::Curve { x, y, d, .. } => {
            // An uncompressed point: a byte that says so, then both coordinates.
            let point = [vec![4], bytes(&x)?, bytes(&y)?].concat();
            let key = curve(&bytes(&d)?, &point).ok_or(KeyError::PrivateJwk)?;
            Ok((SigningAlgorithm::Es256, key))
        }
        PrivateKey::Rsa {
            n,
            e,
            d,
            p,
            q,
            dp,
            dq,
            qi,
        } => {
            let key = rsa(&KeyPairComponents {
                public_key: PublicKeyComponents {
                    n: bytes(&n)?,
                    e: bytes(&e)?,
                },
                d: bytes(&d)?,
                p: bytes(&p)?,
                q: bytes(&q)?,
                dP: bytes(&dp)?,
                dQ: bytes(&dq)?,
                qInv: bytes(&qi)?,
            });
            Ok((SigningAlgorithm::Rs256, key.ok_or(KeyError::PrivateJwk)?))
        }
    }
}

fn bytes(member: &str) -> Result<Vec<u8>, KeyError> {
    let bytes = URL_SAFE_NO_PAD.decode(member);
    bytes.map_err(|_| KeyError::PrivateJwk)
}

fn curve(private: &[u8], public: &[u8]) -> Option<EncodingKey> {
    let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let pair = EcdsaKeyPair::from_private_key_and_public_key(algorithm, private, public).ok()?;
    Some(EncodingKey::from_ec_der(pair.to_pkcs8v1().ok()?.as_ref()))
}

fn rsa(components: &KeyPairComponents<Vec<u8>>) -> Option<EncodingKey> {
    let pair = KeyPair::from_components(components).ok()?;
    let der: Pkcs8V1Der<'_> = pair.as_der().ok()?;
    // The signing library unwraps PKCS#8 for RSA only where it comes as PEM.
    let text = STANDARD.encode(der.as_ref());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n");
    EncodingKey::from_rsa_pem(pem.as_bytes()).ok()
}
