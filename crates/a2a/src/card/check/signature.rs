//! Whether a signature can be one; whether it is right is a matter of keys.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::card::AgentCardSignature;
use crate::fault::At;
use crate::model::Metadata;

/// RFC 7515 §7.2, A2A 1.0 §8.4.2.
pub(super) fn check_signature(signature: &AgentCardSignature, at: At<'_>) {
    let place = at.member("protected");
    let protected = signature.protected.as_str();
    match URL_SAFE_NO_PAD.decode(protected) {
        _ if protected.is_empty() => {}
        Err(_) => place.fault("is not base64url without padding"),
        Ok(bytes) => match serde_json::from_slice::<Metadata>(&bytes) {
            Err(_) => place.fault("does not hold a JSON object"),
            Ok(header) => {
                for name in ["alg", "kid"] {
                    if header.get(name).is_none() {
                        place.fault(format!("holds a header without {name}"));
                    }
                }
            }
        },
    }
    let value = signature.signature.as_str();
    if !value.is_empty() && URL_SAFE_NO_PAD.decode(value).is_err() {
        at.member("signature")
            .fault("is not base64url without padding");
    }
}
