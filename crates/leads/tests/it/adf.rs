//! ADF documents: every shape of lead that we know of, as a golden file that each reader must like.
//!
//! `BLESS=1 cargo test -p leads adf` writes the golden files anew; read the difference.

mod any_lead;
mod shapes;

use std::{fs, path::PathBuf, process::Command};

use dealers::{AdfPhone, AdfSettings};
use leads::{
    VehicleMatch,
    adf::{self, Occasion, Prospect, Severity},
};
use serde_json::{Value, json};

use self::shapes::Shape;

#[test]
fn every_shape_gives_the_document_beside_it() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for shape in Shape::all() {
        let document = shape.document();
        let golden = shape.golden();
        if bless {
            fs::write(&golden, &document).expect("writes");
        }
        let kept = fs::read_to_string(&golden).unwrap_or_default();
        if kept != document {
            wrong.push(format!("{}:\n{document}", golden.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "other than the golden files (BLESS=1 writes them anew):\n{}",
        wrong.join("\n")
    );
}

#[test]
fn the_mail_for_people_says_what_the_document_says() {
    for shape in Shape::all() {
        let text = adf::text(&shape.prospect());
        let subject = adf::subject(&shape.prospect());
        assert!(text.contains("AAP lead id: "), "{}", shape.name());
        let is_line = !subject.chars().any(char::is_control);
        assert!(is_line, "{subject:?}");
        for word in ["Fixture Road", "ada.fixture", "+1212"] {
            assert!(!subject.contains(word), "{subject:?}");
        }
    }
}

/// `<condition>` is no part of ADF 1.0; a dealer asks for it where its CRM reads it.
const EXTENDED: &str = "trade-in-element";

#[test]
fn no_strict_system_would_refuse_a_shape() {
    for shape in Shape::all() {
        let findings = adf::check(shape.document());
        let found: Vec<&str> = findings.iter().map(|it| it.found.as_str()).collect();
        // What the dealer's settings ask for.
        let asked: &[&str] = match shape.name() {
            EXTENDED => &["`<condition>` within `<vehicle>`"],
            "no-declaration" => &["no XML declaration"],
            _ => &[],
        };
        assert_eq!(found, asked, "{}", shape.name());
        assert!(findings.iter().all(|it| it.severity == Severity::Doubts));
    }
}

#[test]
fn every_example_of_the_protocol_becomes_a_good_document() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/aap");
    if !root.is_dir() {
        println!("skipped: AAP's examples are not beside the project");
        return;
    }
    let mut seen = 0;
    for version in ["v1.3", "draft-2.0"] {
        for file in fs::read_dir(root.join(version).join("examples")).expect("is there") {
            let file = file.expect("reads").path();
            let name = file.file_name().expect("has a name").to_string_lossy();
            if !name.starts_with("lead-submit-request") {
                continue;
            }
            let text = fs::read_to_string(&file).expect("reads");
            let request = serde_json::from_str(&text).expect("JSON");
            let lead = shapes::taken(&request, VehicleMatch::None, "North");
            let prospect =
                Prospect::of(&lead, &shapes::dealer(), Occasion::New).expect("has a person");
            let document = adf::write(&prospect, &AdfSettings::default());
            assert_eq!(adf::check(&document), [], "{name}");
            let last = request["customer"]["last_name"].as_str().expect("a name");
            assert!(document.contains(last), "{name}");
            seen += 1;
        }
    }
    assert!(seen >= 10, "{seen} examples");
}

#[test]
fn xmllint_finds_every_shape_valid() {
    let lint = |files: Vec<PathBuf>| {
        Command::new("xmllint")
            .args(["--noout", "--nonet", "--dtdvalid"])
            .arg(fixtures().join("adf-1.0.dtd"))
            .args(files)
            .output()
    };
    let shapes = Shape::all();
    let valid = shapes.iter().filter(|shape| shape.name() != EXTENDED);
    let Ok(run) = lint(valid.map(Shape::golden).collect()) else {
        println!("skipped: xmllint is not on this machine");
        return;
    };
    let complaints = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{complaints}");
    // The document type is one that a document can break.
    let extended = shapes.iter().filter(|shape| shape.name() == EXTENDED);
    let run = lint(extended.map(Shape::golden).collect()).expect("runs");
    assert!(!run.status.success());
}

/// What Python's own reader finds in each golden file, as one JSON object for each.
const INDEPENDENT: &str = r#"
import json, sys
import xml.etree.ElementTree as tree
for path in sys.argv[1:]:
    prospect = tree.parse(path).getroot().find("prospect")
    say = lambda path: prospect.findtext(path)
    names = [name.text for name in prospect.findall("customer/contact/name")]
    print(json.dumps({
        "name": " ".join(names),
        "phone": say("customer/contact/phone"),
        "email": say("customer/contact/email"),
        "vehicle": [say("vehicle/" + part) for part in ("year", "make", "model")],
        "requestdate": say("requestdate"),
        "vendor": say("vendor/vendorname"),
        "provider": say("provider/name"),
        "comments": say("customer/comments"),
    }))
"#;

#[test]
fn another_reader_finds_what_a_crm_looks_for() {
    let shapes = Shape::all();
    let run = Command::new("python3")
        .args(["-c", INDEPENDENT])
        .args(shapes.iter().map(|shape| shape.golden()))
        .output();
    let Ok(run) = run else {
        println!("skipped: python3 is not on this machine");
        return;
    };
    let complaints = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{complaints}");
    let output = String::from_utf8(run.stdout).expect("text");
    let lines: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), shapes.len());
    for (shape, found) in shapes.iter().zip(&lines) {
        let request = shape.lead().request.0.expect("has a person");
        let plain = |text: &str| {
            text.chars()
                .filter(|it| !it.is_control())
                .collect::<String>()
        };
        let customer = &request.customer;
        let name = plain(&format!("{} {}", customer.first_name, customer.last_name));
        let name = name.replace('\u{FFFE}', "");
        assert_eq!(found["name"], name, "{}", shape.name());
        assert_eq!(found["email"], json!(customer.email), "{}", shape.name());
        let ten_digits = customer.phone.as_ref().map(|it| it.replacen("+1", "", 1));
        let phone = match shape.settings().phone {
            AdfPhone::E164 => customer.phone.clone(),
            AdfPhone::TenDigits => ten_digits,
        };
        assert_eq!(found["phone"], json!(phone), "{}", shape.name());
        for part in ["vehicle", "requestdate", "vendor", "provider", "comments"] {
            assert!(!found[part].is_null(), "{}: {part}", shape.name());
        }
        let listing = shape.lead().listing;
        if let Some(make) = listing.and_then(|car| car.make) {
            assert_eq!(found["vehicle"][1], make, "{}", shape.name());
        }
    }
}

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/adf")
}
