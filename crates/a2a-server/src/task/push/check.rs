//! Whether a webhook can be called at all, judged when it is registered.

use a2a::error::Error;
use a2a::fault::{Fault, Segment};
use a2a::model::{Secret, TaskPushNotificationConfig};
use egress::Egress;
use http::HeaderValue;

/// The longest id, token or credentials.
const LONGEST: usize = 4096;
/// The longest URL.
const LONGEST_URL: usize = 2048;

/// Judges a registration; `path` leads to it in the request.
///
/// # Errors
/// Invalid params with every fault.
pub(super) async fn check(
    egress: &Egress,
    config: &TaskPushNotificationConfig,
    path: &[&str],
) -> Result<(), Error> {
    let mut faults = Vec::new();
    let mut fault = |names: &[&str], words: &str| {
        let names = path.iter().chain(names);
        let place = names.map(|name| Segment::Member((*name).to_owned()));
        faults.push(Fault::new(place.collect(), words));
    };
    if config.url.len() > LONGEST_URL {
        fault(&["url"], "is longer than 2048 bytes");
    } else if let Err(error) = egress.check(&config.url).await {
        fault(&["url"], refusal(&error));
    }
    let id = config.id.as_deref().unwrap_or_default();
    if id.len() > LONGEST || id.contains(char::is_control) {
        fault(
            &["id"],
            "is longer than 4096 bytes or holds control characters",
        );
    }
    if !config.token.as_ref().is_none_or(fits_header) {
        fault(&["token"], UNFIT);
    }
    if let Some(authentication) = &config.authentication {
        if !is_scheme(&authentication.scheme) {
            let words = "is no HTTP authentication scheme, such as Bearer";
            fault(&["authentication", "scheme"], words);
        }
        if !authentication.credentials.as_ref().is_none_or(fits_header) {
            fault(&["authentication", "credentials"], UNFIT);
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(Error::invalid_params(&faults))
}

const UNFIT: &str = "cannot be sent in a header: it is longer than 4096 bytes or holds line breaks or other controls";

/// What a client may know: not to which address a name leads from here.
fn refusal(error: &egress::Error) -> &'static str {
    match error {
        egress::Error::SchemeNotAllowed { .. } => "is not called by this server; use https",
        egress::Error::AddressBlocked { .. } => {
            "leads to an address that this server does not call; use a public one"
        }
        _ => "is no URL that this server can call; use an https URL with a public host",
    }
}

fn fits_header(secret: &Secret) -> bool {
    let text = secret.expose();
    text.len() <= LONGEST && HeaderValue::from_str(text).is_ok()
}

/// A token (RFC 9110 §5.6.2).
fn is_scheme(text: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.len() <= 64 && text.bytes().all(is_token)
}
