//! Readers that others wrote find the document in the mail, byte for byte.

use std::{fs, path::Path, process::Command};

use dealers::Dealer;
use leads::{
    Caller, HashKey, NewLead, Vault, VehicleMatch,
    adf::{self, Occasion, Prospect},
};
use mail_parser::MessageParser;
use proptest::prelude::*;
use serde_json::Value;
use store::{Clock, Store};
use tempfile::TempDir;

use super::*;

/// Reads every `N.eml` of a folder and writes what it found as JSON: the document's bytes in
/// hexadecimal, and what a CRM would look for in it.
const FOREIGN: &str = r#"
import email, email.policy, json, pathlib, sys
import xml.etree.ElementTree as tree
found = []
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.eml")):
    mail = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
    body = mail.get_payload(decode=True)
    root = tree.fromstring(body)
    text = lambda path: "".join(t for e in root.iter() for t in [e.findtext(path)] if t)[:80]
    found.append({
        "file": file.stem, "type": mail["Content-Type"], "body": body.hex(),
        "defects": [str(it) for it in mail.defects],
        "requestdate": text("requestdate"), "vehicle": text("make"),
        "name": "".join(e.text or "" for e in root.findall(".//customer/contact/name"))[:80],
        "reach": [e.tag for e in root.findall(".//customer/contact/*") if e.tag in ("email", "phone")],
        "vendor": text("vendorname"), "provider": "".join(e.text or "" for e in root.findall(".//provider/name"))[:80],
    })
print(json.dumps(found))
"#;

/// Line ends as mail has them.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// Sends each document and returns the mails as they travelled.
async fn mailed(documents: &[String]) -> Vec<String> {
    let sink = MailSink::start();
    let courier = to_crm(settings(&sink));
    for document in documents {
        let mut parcel = parcel();
        parcel.adf.clone_from(document);
        courier.send(&parcel).await.unwrap();
    }
    let mails = sink.mails();
    assert_eq!(mails.len(), documents.len());
    mails.into_iter().map(|mail| lines(&mail.text)).collect()
}

/// Checks each mail with a reader in this language, and with Python's where it is there.
fn check(documents: &[String], mails: &[String]) {
    let folder = TempDir::new().unwrap();
    for (number, (document, mail)) in documents.iter().zip(mails).enumerate() {
        let message = MessageParser::default().parse(mail.as_bytes()).unwrap();
        assert_eq!(lines(&message.body_text(0).unwrap()), ended(document));
        assert!(mail.lines().all(|line| line.len() <= LONGEST_LINE));
        assert!(mail.is_ascii());
        fs::write(folder.path().join(format!("{number:03}.eml")), mail).unwrap();
    }
    let Some(found) = by_python(folder.path()) else {
        return;
    };
    assert_eq!(found.len(), documents.len());
    for (document, found) in documents.iter().zip(&found) {
        assert_eq!(
            found["body"],
            data_encoding::HEXLOWER.encode(ended(document).as_bytes())
        );
        assert_eq!(found["type"], "text/plain; charset=\"utf-8\"", "{found}");
        assert_eq!(found["defects"], serde_json::json!([]), "{found}");
        for part in ["requestdate", "vehicle", "name", "vendor", "provider"] {
            assert_ne!(found[part], "", "{part} is missing: {found}");
        }
        assert_ne!(found["reach"], serde_json::json!([]), "{found}");
    }
}

/// A document as it arrives: a mail ends with a line end.
fn ended(document: &str) -> String {
    let document = lines(document);
    if document.ends_with("\r\n") {
        document
    } else {
        document + "\r\n"
    }
}

fn by_python(folder: &Path) -> Option<Vec<Value>> {
    let run = Command::new("python3")
        .args(["-c", FOREIGN])
        .arg(folder)
        .output();
    let Ok(run) = run else {
        println!("SKIPPED: there is no python3 to read the mails");
        return None;
    };
    let complaint = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{complaint}");
    Some(serde_json::from_slice(&run.stdout).unwrap())
}

#[tokio::test]
async fn every_shape_of_lead_is_found_in_its_mail() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../leads/tests/fixtures/adf/shapes");
    let files = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let files = files.filter(|it| it.extension().is_some_and(|it| it == "xml"));
    let documents: Vec<String> = files.map(|it| fs::read_to_string(it).unwrap()).collect();
    assert!(documents.len() >= 40);
    check(&documents, &mailed(&documents).await);
}

#[tokio::test]
async fn every_example_of_the_protocol_is_found_in_its_mail() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/aap/v1.3/examples");
    let Ok(examples) = fs::read_dir(&examples) else {
        println!("SKIPPED: {} is not there", examples.display());
        return;
    };
    let mut files: Vec<_> = examples.map(|it| it.unwrap().path()).collect();
    files.retain(|it| it.to_string_lossy().contains("lead-submit-request"));
    assert!(files.len() >= 5);
    let mut documents = Vec::new();
    for file in &files {
        documents.push(document(&fs::read_to_string(file).unwrap()).await);
    }
    check(&documents, &mailed(&documents).await);
}

/// The document of a lead that was taken from this payload.
async fn document(payload: &str) -> String {
    let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
    let store = Store::temporary(&[leads::MIGRATIONS], clock).unwrap();
    let mut dealer: Dealer = serde_json::from_str(r#"{"name": "Group Motors"}"#).unwrap();
    dealer
        .rooftops
        .insert("North".to_owned(), dealers::Rooftop::default());
    let (id, lead_id) = (
        "group".parse().unwrap(),
        leads::LeadId::from(store.clock().new_id()),
    );
    let submission = NewLead {
        dealer: dealers::DealerId::clone(&id),
        lead_id: lead_id.clone(),
        appointment_id: store.clock().new_id().into(),
        deliveries: Vec::new(),
        standing: dealers::Standing::Open,
        origin: leads::Origin::Agent,
        rejected: None,
        now: store.clock().now(),
        request: serde_json::from_str(payload).unwrap(),
        payload: payload.to_owned(),
        caller: Caller::new("example-agent"),
        idempotency: None,
        vehicle: VehicleMatch::None,
        rooftop: Some("North".to_owned()),
        calendar: None,
        contact: aap::lead::DealerContact::default(),
        hash_key: HashKey::new([0; 32]),
    };
    let submission = submission.prepare().unwrap();
    let accepting = store.write(move |conn| leads::accept(conn, &Vault::open(), &submission));
    accepting.await.unwrap();
    let reading = store.read(move |conn| leads::show(conn, &Vault::open(), &id, &lead_id));
    let lead = reading.await.unwrap().unwrap();
    let prospect = Prospect::of(&lead, &dealer, Occasion::New).unwrap();
    adf::write(&prospect, &dealer.adf)
}

#[test]
fn a_text_that_few_readers_carry_is_encoded() {
    let encoding = |text: &str| body(text).encoding();
    assert_eq!(
        encoding("<adf>\n.\nFrom me\n</adf>\n"),
        ContentTransferEncoding::SevenBit
    );
    for text in [
        format!("<a>{}</a>", "x".repeat(LONGEST_LINE)),
        "é".to_owned(),
        "a\rb".to_owned(),
        "a\0b".to_owned(),
    ] {
        assert_eq!(
            encoding(&text),
            ContentTransferEncoding::QuotedPrintable,
            "{text:?}"
        );
    }
    assert_eq!(body("\u{feff}<adf/>").as_ref(), b"<adf/>");
}

proptest! {
    /// Whatever the text is, its reader gets it back; ASCII of any line length and other letters.
    #[test]
    fn a_text_survives_its_encoding(text in "([ -~]|\\PC|\n|\t){0,200}", long in 0..3_usize) {
        let text = text.repeat(1 + long * 4);
        let text = text.trim_start_matches('\u{feff}');
        let encoded = body(text);
        prop_assert!(encoded.as_ref().is_ascii());
        let header = match encoded.encoding() {
            ContentTransferEncoding::SevenBit => "7bit",
            _ => "quoted-printable",
        };
        let mut mail = format!(
            "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: {header}\r\n\r\n"
        )
        .into_bytes();
        mail.extend_from_slice(encoded.as_ref());
        let message = MessageParser::default().parse(&mail).unwrap();
        let read = message.body_text(0).unwrap_or_default();
        prop_assert_eq!(lines(&read), lines(text));
    }
}
