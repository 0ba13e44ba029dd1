//! ADF documents: every shape of lead that we know of, as a golden file that each reader must like.
//!
//! `BLESS=1 cargo test -p leads adf` writes the golden files anew; read the difference.

mod shapes;

use std::{fs, path::PathBuf};

use leads::adf;

use self::shapes::Shape;

#[test]
fn every_shape_gives_the_document_beside_it() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for shape in Shape::all() {
        let document = shape.document();
        let golden = shape.file.with_extension("xml");
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
        assert!(text.contains("AAP lead id: "), "{}", shape.file.display());
        let is_line = !subject.chars().any(char::is_control);
        assert!(is_line, "{subject:?}");
        for word in ["Fixture Road", "ada.fixture", "+1212"] {
            assert!(!subject.contains(word), "{subject:?}");
        }
    }
}

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/adf")
}
