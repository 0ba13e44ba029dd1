use jiff::ToSpan as _;
use rcgen::{CertificateParams, KeyPair};

use super::*;

/// Writes a certificate that ends on 1 January of `year`, with its key.
fn write(folder: &Path, year: i32) -> TlsSettings {
    let mut params = CertificateParams::new(vec!["agent.example".to_owned()]).unwrap();
    params.not_before = rcgen::date_time_ymd(2020, 1, 1);
    params.not_after = rcgen::date_time_ymd(year, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let settings = TlsSettings {
        cert_file: folder.join("chain.pem"),
        key_file: folder.join("key.pem"),
    };
    std::fs::write(&settings.cert_file, certificate.pem()).unwrap();
    std::fs::write(&settings.key_file, key.serialize_pem()).unwrap();
    settings
}

#[test]
fn a_person_is_told_two_weeks_before_the_end_and_of_files_that_cannot_be_served() {
    let folder = tempfile::tempdir().unwrap();
    let settings = write(folder.path(), 2030);
    let end: Timestamp = "2030-01-01T00:00:00Z".parse().unwrap();
    assert_eq!(finding(&settings, end - (15 * 24).hours()), None);
    let soon = finding(&settings, end - (10 * 24).hours()).unwrap();
    assert!(soon.contains("ends in 10 days"), "{soon}");
    let over = finding(&settings, end + 1.hour()).unwrap();
    assert!(over.contains("has expired"), "{over}");
    std::fs::remove_file(&settings.key_file).unwrap();
    let gone = finding(&settings, end - (90 * 24).hours()).unwrap();
    assert!(gone.contains("key.pem"), "{gone}");
}

#[tokio::test(start_paused = true)]
async fn a_changed_pair_is_served_and_a_bad_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let settings = write(folder.path(), 2030);
    let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
    let first = read(&settings, clock.now()).unwrap();
    let served = std::sync::Mutex::new(Vec::new());
    let (same, of) = (settings.clone(), clock.clone());
    let keeping = keep_renewed(
        first,
        move || Some(same.clone()),
        &of,
        |certificate| served.lock().unwrap().push(ends(certificate).to_string()),
    );
    tokio::pin!(keeping);
    let mut look = async || {
        let _ = tokio::time::timeout(LOOK_EVERY * 2, &mut keeping).await;
        std::mem::take(&mut *served.lock().unwrap())
    };
    assert!(look().await.is_empty(), "nothing has changed");
    write(folder.path(), 2031);
    assert_eq!(look().await, ["2031-01-01T00:00:00Z"]);
    for bad in ["not a key", ""] {
        std::fs::write(&settings.key_file, bad).unwrap();
        assert!(look().await.is_empty(), "the one before stays");
    }
    write(folder.path(), 2025);
    assert!(look().await.is_empty(), "an expired one is not served");
    std::fs::remove_file(&settings.cert_file).unwrap();
    assert!(look().await.is_empty());
    write(folder.path(), 2032);
    assert_eq!(look().await, ["2032-01-01T00:00:00Z"]);
}
