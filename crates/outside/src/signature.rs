//! Signatures of webhooks as the Standard Webhooks specification has them: HMAC-SHA-256 over
//! `id.timestamp.body`, in the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.

use std::fmt;

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderName, HeaderValue};
use jiff::Timestamp;
use sha2::Sha256;

/// Text that stands in no log.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes the text; white space around it, such as the line end of a file, does not count.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// The text.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The key of a signature: the bytes behind `whsec_` in Base64, else the text itself.
    fn key(&self) -> Vec<u8> {
        let encoded = self.0.strip_prefix("whsec_");
        encoded
            .and_then(|encoded| STANDARD.decode(encoded).ok())
            .unwrap_or_else(|| self.0.clone().into_bytes())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The three headers of a signed webhook. `id` is the same for every attempt at the same message.
pub(crate) fn headers(
    secret: &Secret,
    id: &str,
    now: Timestamp,
    body: &[u8],
) -> Vec<(HeaderName, HeaderValue)> {
    let second = now.as_second().to_string();
    let signature = sign(&secret.key(), id, &second, body);
    [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", second),
        ("webhook-signature", signature),
    ]
    .into_iter()
    .filter_map(|(name, value)| {
        let value = HeaderValue::try_from(value).ok()?;
        Some((HeaderName::from_static(name), value))
    })
    .collect()
}

fn sign(key: &[u8], id: &str, second: &str, body: &[u8]) -> String {
    // HMAC takes a key of any length, so that the error cannot occur.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return String::new();
    };
    mac.update(id.as_bytes());
    mac.update(b".");
    mac.update(second.as_bytes());
    mac.update(b".");
    mac.update(body);
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with another implementation of HMAC over the same text.
    #[test]
    fn a_signature_is_that_of_the_specification() {
        let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
        let now = Timestamp::from_second(1_614_265_330).unwrap();
        let headers = headers(
            &secret,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            now,
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(headers[1].1, "1614265330");
        assert_eq!(
            headers[2].1,
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
