//! Documents as they go wrong in the field.

use super::{Finding, Severity, check};

/// A document that nothing is wrong with.
const GOOD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<?adf version="1.0"?>
<adf>
  <prospect status="new">
    <id sequence="1" source="Example">17</id>
    <requestdate>2026-05-01T08:00:00-04:00</requestdate>
    <vehicle interest="buy" status="used">
      <year>2003</year>
      <make>Honda</make>
      <model>Accord</model>
      <colorcombination><exteriorcolor>Red</exteriorcolor><preference>1</preference></colorcombination>
    </vehicle>
    <customer>
      <contact>
        <name part="full">Ada Fixture</name>
        <phone type="voice">+12125550123</phone>
      </contact>
      <comments>Is it there? &lt;3 &#x1F697;</comments>
    </customer>
    <vendor>
      <vendorname>Fixture Motors</vendorname>
      <contact><name part="full">Sales</name><email>sales@fixture.example</email></contact>
    </vendor>
    <provider><name part="full">Example</name></provider>
  </prospect>
</adf>
"#;

fn only(text: &str) -> Finding {
    let mut findings = check(text);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    findings.remove(0)
}

/// The finding after one piece of the good document was replaced.
fn after(wrong: &str, right: &str) -> Finding {
    assert_eq!(GOOD.matches(right).count(), 1, "{right}");
    only(&GOOD.replace(right, wrong))
}

#[test]
fn nothing_is_wrong_with_a_good_document() {
    assert_eq!(check(GOOD), []);
}

#[test]
fn a_finding_names_its_place() {
    let finding = after("<year></year>", "<year>2003</year>");
    assert_eq!(
        finding.to_string(),
        "line 8, column 7: an empty `<year>`; expected text in it"
    );
    assert_eq!(finding.element, "adf/prospect/vehicle/year");
    assert_eq!(finding.severity, Severity::Refuses);
}

#[test]
fn elements_out_of_order_are_found() {
    let swapped = GOOD.replace("<model>Accord</model>", "").replace(
        "<make>Honda</make>",
        "<model>Accord</model><make>Honda</make>",
    );
    let finding = only(&swapped);
    assert!(finding.found.contains("`<make>` too late"), "{finding}");
    assert!(finding.expected.contains("year, make, model, vin, stock"));
}

#[test]
fn missing_and_repeated_elements_are_found() {
    let finding = after("", "<make>Honda</make>");
    assert_eq!(finding.found, "`<vehicle>` without `<make>`");
    let finding = after("", "<phone type=\"voice\">+12125550123</phone>");
    assert_eq!(finding.found, "`<contact>` without `<email> or <phone>`");
    let twice = "<vendorname>A</vendorname><vendorname>B</vendorname>";
    let finding = after(twice, "<vendorname>Fixture Motors</vendorname>");
    assert_eq!(finding.found, "2 of `<vendorname>` within `<vendor>`");
    let finding = after("", "<exteriorcolor>Red</exteriorcolor>");
    assert!(finding.expected.contains("interiorcolor"));
}

#[test]
fn the_worked_example_of_the_protocol_breaks_four_rules() {
    // Provider before vendor, trim before VIN, condition within a vehicle, vendor without contact.
    let (head, tail) = GOOD.split_once("    <vendor>").unwrap();
    let (_, provider) = tail.split_once("    <provider>").unwrap();
    let (provider, end) = provider.split_once("</provider>").unwrap();
    let text = format!(
        "{head}<provider>{provider}</provider><vendor><vendorname>Fixture</vendorname></vendor>{end}"
    )
    .replace(
        "<model>Accord</model>",
        "<model>Accord</model><trim>EX</trim><vin>1HGCM82633A004352</vin><condition>good</condition>",
    );
    let findings = check(&text);
    let found: Vec<(&str, Severity)> = findings
        .iter()
        .map(|it| (it.found.as_str(), it.severity))
        .collect();
    assert_eq!(
        found,
        [
            ("`<vin>` too late within `<vehicle>`", Severity::Refuses),
            ("`<condition>` within `<vehicle>`", Severity::Doubts),
            ("`<vendor>` too late within `<prospect>`", Severity::Refuses),
            ("`<vendor>` without `<contact>`", Severity::Refuses),
        ]
    );
}

#[test]
fn attributes_outside_of_the_vocabulary_are_found() {
    let finding = after("status=\"cpo\"", "status=\"used\"");
    assert!(finding.found.contains("status=\"cpo\""), "{finding}");
    assert!(finding.expected.contains("certified vehicle is a used one"));
    let finding = after("type=\"mobile\"", "type=\"voice\"");
    assert!(finding.expected.contains("cellphone"), "{finding}");
    let finding = after("<id>", "<id sequence=\"1\" source=\"Example\">");
    assert!(finding.found.contains("without the attribute `source`"));
    let finding = after("<make lang=\"en\">", "<make>");
    assert_eq!(finding.expected, "none");
}

#[test]
fn the_beginning_of_the_document_matters() {
    let late = only(&format!("\n{GOOD}"));
    assert!(late.found.contains("after the beginning"), "{late}");
    assert_eq!(late.severity, Severity::Refuses);
    let marked = only(&format!("\u{FEFF}{GOOD}"));
    assert_eq!(marked.found, "a byte order mark");
    let bare = after("", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    assert_eq!(bare.severity, Severity::Doubts);
    let unmarked = after("", "<?adf version=\"1.0\"?>");
    assert_eq!(unmarked.found, "no `<?adf?>` instruction");
    let loud = after("<?ADF VERSION \"1.0\"?>", "<?adf version=\"1.0\"?>");
    assert!(loud.found.contains("of another form"), "{loud}");
    let latin = after("encoding=\"ISO-8859-1\"", "encoding=\"UTF-8\"");
    assert_eq!(latin.severity, Severity::Doubts);
}

#[test]
fn a_mail_around_the_document_is_found() {
    let finding = only(&format!("{GOOD}Sent from my lot"));
    assert!(finding.found.contains("text outside"), "{finding}");
    let findings = check("<html><body>Hello</body></html>");
    assert!(findings.iter().any(|it| it.found == "the element `<html>`"));
}

#[test]
fn what_is_no_xml_is_told_where_reading_ends() {
    for (wrong, right, found) in [
        ("Is it <there?", "Is it there?", "cannot be read"),
        ("Town & Country", "Is it there?", "`&` that is not escaped"),
        ("a &nbsp; b", "Is it there?", "to no character"),
        ("a &#0; b", "Is it there?", "to no character"),
        ("a ]]> b", "Is it there?", "`]]>`"),
        ("</mark>", "</make>", "`</mark>` where `</make>`"),
        ("", "</adf>", "in the middle"),
        (
            "status='new' status='new'",
            "status=\"new\"",
            "stands twice",
        ),
    ] {
        let findings = check(GOOD.replacen(right, wrong, 1));
        let told: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(
            told.iter().any(|it| it.contains(found)),
            "{wrong}: {told:#?}"
        );
    }
}

#[test]
fn a_control_character_is_found_by_its_number() {
    let finding = after("Is\u{8}it", "Is it");
    assert_eq!(finding.found, "the character U+0008");
    assert_eq!((finding.line, finding.column), (18, 19));
}

#[test]
fn what_may_be_misread_is_a_doubt() {
    for (wrong, right) in [
        ("2026-05-01T8:00:00", "2026-05-01T08:00:00-04:00"),
        ("ask for Ada", "+12125550123"),
        ("sales at fixture", "sales@fixture.example"),
        ("<![CDATA[Is it]]>", "Is it there?"),
    ] {
        assert_eq!(after(wrong, right).severity, Severity::Doubts, "{wrong}");
    }
    let refused = after("last Friday", "2026-05-01T08:00:00-04:00");
    assert_eq!(refused.severity, Severity::Refuses);
}

#[test]
fn a_hostile_document_ends_in_findings() {
    let deep = format!("{}{}", "<adf>".repeat(100_000), "</adf>".repeat(100_000));
    assert!(check(&deep).iter().any(|it| it.found.contains("deeper")));
    let attributes: String = (0..200_000)
        .map(|number| format!(" a{number}=''"))
        .collect();
    let wide = check(format!("<adf{attributes}/>"));
    assert!(wide.iter().any(|it| it.found.contains("attributes")));
    let many = format!("<adf>{}</adf>", "<x/>".repeat(10_000));
    assert!(check(&many).len() <= 100);
    let entities = "<!DOCTYPE adf [<!ENTITY a \"aa\">]><adf>&a;</adf>";
    assert!(
        check(entities)
            .iter()
            .any(|it| it.found.contains("document type"))
    );
}
