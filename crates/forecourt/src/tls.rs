//! The server's certificate: read from its files, renewed when they change, and when it ends.

use std::{
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use a2a_server::tls::Certificate;
use jiff::{SignedDuration, Timestamp};
use sha2::{Digest as _, Sha256};
use store::Clock;

use crate::config::TlsSettings;

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(10);
/// Largest file that is read.
const LARGEST: u64 = 1 << 20;
/// How long before its end a certificate needs a person: certificates that renew themselves do so
/// earlier.
const ENDS_SOON: SignedDuration = SignedDuration::from_hours(14 * 24);

/// What is read from the files of a certificate.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) certificate: Certificate,
    /// Of both files, by which a change is known.
    digest: [u8; 32],
}

/// Why a certificate cannot be served.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Whether the key is at fault, and not the chain.
    pub(crate) is_of_key: bool,
    pub(crate) message: String,
    /// Of what was read, so that the same fault is told once.
    digest: Option<[u8; 32]>,
}

/// Reads a certificate and its key, and judges them as of `now`.
pub(crate) fn read(settings: &TlsSettings, now: Timestamp) -> Result<Pair, Fault> {
    let chain = read_file(&settings.cert_file, false)?;
    let key = read_file(&settings.key_file, true)?;
    let mut digest = Sha256::new();
    digest.update((chain.len() as u64).to_be_bytes());
    digest.update(&chain);
    digest.update(&key);
    let digest = digest.finalize().into();
    let certificate = Certificate::from_pem(&chain, &key);
    let judged = certificate.and_then(|it| it.check_dates(system_time(now)).map(|()| it));
    match judged {
        Ok(certificate) => Ok(Pair {
            certificate,
            digest,
        }),
        Err(error) => {
            let is_of_key = error.is_of_key();
            let path = if is_of_key {
                &settings.key_file
            } else {
                &settings.cert_file
            };
            Err(Fault {
                is_of_key,
                message: format!("{}: {error}", path.display()),
                digest: Some(digest),
            })
        }
    }
}

fn system_time(time: Timestamp) -> SystemTime {
    let milliseconds = u64::try_from(time.as_millisecond()).unwrap_or_default();
    UNIX_EPOCH + Duration::from_millis(milliseconds)
}

fn read_file(path: &Path, is_of_key: bool) -> Result<Vec<u8>, Fault> {
    let fault = |what: String| Fault {
        is_of_key,
        message: format!("{}: {what}", path.display()),
        digest: None,
    };
    let length = std::fs::metadata(path).map_err(|error| fault(error.to_string()))?;
    if length.len() > LARGEST {
        return Err(fault(format!("is longer than {LARGEST} bytes")));
    }
    std::fs::read(path).map_err(|error| fault(error.to_string()))
}

/// Hands a renewed certificate to `renew` as soon as its files change, until the future is dropped. A pair that
/// cannot be served is logged, and the one before it stays.
pub(crate) async fn keep_renewed(
    served: Pair,
    settings: impl Fn() -> Option<TlsSettings>,
    clock: &Clock,
    mut renew: impl FnMut(&Certificate),
) {
    let mut seen = Some(served.digest);
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let Some(settings) = settings() else {
            continue;
        };
        match read(&settings, clock.now()) {
            Ok(pair) if seen == Some(pair.digest) => {}
            Ok(pair) => {
                renew(&pair.certificate);
                seen = Some(pair.digest);
                tracing::info!(until = %ends(&pair.certificate), "serving a renewed certificate");
            }
            Err(fault) => {
                // An unreadable file has no digest: it is told once as well.
                if seen != fault.digest {
                    tracing::error!(
                        fault = fault.message,
                        "the certificate's files cannot be served; the one before stays"
                    );
                }
                seen = fault.digest;
            }
        }
    }
}

/// When a certificate ends.
pub(crate) fn ends(certificate: &Certificate) -> Timestamp {
    Timestamp::try_from(certificate.valid_until()).unwrap_or(Timestamp::MAX)
}

/// What a person has to be told about the certificate in these files; `None` while all is well.
pub(crate) fn finding(settings: &TlsSettings, now: Timestamp) -> Option<String> {
    match read(settings, now) {
        Err(fault) => Some(format!(
            "the certificate cannot be served after a restart: {}",
            fault.message
        )),
        Ok(pair) => {
            let left = ends(&pair.certificate).duration_since(now);
            (left < ENDS_SOON).then(|| {
                format!(
                    "the certificate {} ends in {} days, at {}; renew it",
                    settings.cert_file.display(),
                    left.as_hours() / 24,
                    ends(&pair.certificate)
                )
            })
        }
    }
}

#[cfg(test)]
mod tests;
