//! Documents as other systems write them.

use aap::{
    lead::PreferredContact,
    vehicle::{Condition, Vehicle},
};
use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::{ReadProspect, Reading, read};

/// A document of a system that follows the rules.
const GOOD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<?adf version="1.0"?>
<adf><prospect status="resend">
<id sequence="1" source="Example CRM">4711</id>
<requestdate>2026-05-01T08:00:00-04:00</requestdate>
<vehicle interest="test-drive" status="used">
  <year>2003</year><make>Honda</make><model>Accord</model><vin>1hgcm82633a004352</vin><stock>N-1001</stock>
  <transmission>A</transmission><odometer units="km">100000</odometer>
  <colorcombination><interiorcolor>Gray</interiorcolor><exteriorcolor>Silver</exteriorcolor><preference>1</preference></colorcombination>
  <price type="msrp" currency="USD">$24,995.00</price><comments>clean</comments>
</vehicle>
<vehicle interest="trade-in"><year>2012</year><make>Ford</make><model>Focus</model><condition>good</condition></vehicle>
<customer><contact>
  <name part="first">Ada</name><name part="middle">B.</name><name part="last">Fixture</name>
  <email>ada.fixture@example.com</email>
  <phone type="cellphone">(212) 555-0100</phone><phone type="voice" preferredcontact="1">1-212-555-0123</phone>
  <address><street line="2">Apt 3</street><street line="1">2 Example Street</street><city>Albany</city><regioncode>NY</regioncode><postalcode>01234</postalcode></address>
</contact><comments>Is it there?
Call me.</comments></customer>
<vendor><vendorname>Fixture Motors</vendorname><contact><name part="full">Sales</name></contact></vendor>
<provider><name part="full">Example Leads</name><service>Web form</service><url>https://leads.example.com/</url></provider>
</prospect></adf>
"#;

fn one(reading: Reading) -> (ReadProspect, Vec<String>) {
    let doubts = reading.doubts.iter().map(ToString::to_string).collect();
    let mut prospects = reading.prospects;
    assert_eq!(prospects.len(), 1, "{doubts:?}");
    (prospects.remove(0), doubts)
}

fn lead(text: impl AsRef<[u8]>) -> ReadProspect {
    one(read(text.as_ref())).0
}

#[test]
fn everything_of_a_good_document_is_found() {
    let (lead, doubts) = one(read(GOOD.as_bytes()));
    assert_eq!(
        doubts,
        ["prospect 1: an odometer reading in kilometres was converted to miles"]
    );
    assert!(lead.is_resend && lead.wants_test_drive);
    assert_eq!(lead.ids[0].value, "4711");
    assert_eq!(lead.ids[0].source.as_deref(), Some("Example CRM"));
    let customer = &lead.customer;
    assert_eq!(customer.first_name, "Ada B.");
    assert_eq!(customer.last_name, "Fixture");
    assert_eq!(customer.email.as_deref(), Some("ada.fixture@example.com"));
    assert_eq!(customer.phone.as_deref(), Some("+12125550123"));
    assert_eq!(customer.preferred_contact, Some(PreferredContact::Phone));
    let address = customer.address.as_ref().unwrap();
    assert_eq!(address.address_line_1.as_deref(), Some("2 Example Street"));
    assert_eq!(address.address_line_2.as_deref(), Some("Apt 3"));
    assert_eq!(address.zip.as_deref(), Some("01234"));
    let vehicle = lead.vehicle.as_ref().unwrap();
    assert_eq!(vehicle.title().unwrap(), "2003 Honda Accord");
    assert_eq!(vehicle.vin.as_deref(), Some("1HGCM82633A004352"));
    assert_eq!(vehicle.mileage, Some(62_137));
    assert_eq!((vehicle.price, vehicle.msrp), (None, Some(24_995)));
    assert_eq!(vehicle.condition, Some(Condition::Used));
    assert_eq!(vehicle.transmission.as_deref(), Some("Automatic"));
    assert_eq!(vehicle.exterior_color.as_deref(), Some("Silver"));
    assert_eq!(vehicle.notes.as_deref(), Some("clean"));
    let trade_in = lead.trade_in.as_ref().unwrap();
    assert_eq!(trade_in.condition, Some(Condition::Good));
    assert_eq!(
        lead.message.as_deref(),
        Some("Is it there?\nCall me.\nService: Web form")
    );
    assert_eq!(lead.vendor.as_deref(), Some("Fixture Motors"));
    assert_eq!(lead.provider.as_deref(), Some("Example Leads"));
    let (at, _) = lead.requested_at(&TimeZone::UTC).unwrap();
    assert_eq!(at.to_string(), "2026-05-01T12:00:00Z");
}

#[test]
fn the_form_around_the_document_does_not_matter() {
    let wanted = lead(GOOD);
    let bare = GOOD.split_once("<adf>").unwrap().1;
    let bare = format!("<adf>{bare}");
    let loud = GOOD
        .replace("<?adf version=\"1.0\"?>", "<?ADF VERSION \"1.0\"?>")
        .replace("vehicle", "VEHICLE")
        .replace("<customer>", "<x:Customer>")
        .replace("</customer>", "</x:Customer>");
    let mail = |kind: &str, body: &str| {
        format!(
            "Return-Path: <leads@example.com>\r\nFrom: leads@example.com\r\nSubject: Lead\r\nMIME-Version: 1.0\r\nContent-Type: {kind}; charset=utf-8\r\n\r\n{body}"
        )
    };
    let commented = format!("<html><body>Hello<!-- {GOOD} --></body></html>");
    let shown = format!("<pre>{}</pre>", html_escape::encode_text(GOOD));
    let folded = GOOD
        .replace('=', "=3D")
        .replace("Fixture Motors", "Fixture =\r\nMotors");
    for text in [
        format!("\u{FEFF}\n\n{GOOD}"),
        bare,
        loud,
        format!("Dear colleagues,\n{GOOD}\nSent from my lot"),
        mail("text/plain", GOOD),
        mail("text/html", &commented),
        mail("text/html", &shown),
        mail("text/plain", &folded).replace(
            "MIME-Version: 1.0",
            "MIME-Version: 1.0\r\nContent-Transfer-Encoding: quoted-printable",
        ),
        commented,
    ] {
        assert_eq!(lead(&text), wanted, "{text}");
    }
}

#[test]
fn every_encoding_is_read() {
    let text = GOOD.replace("Ada", "Zo\u{eb}");
    let wanted = lead(&text);
    assert_eq!(wanted.customer.first_name, "Zo\u{eb} B.");
    let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(&text);
    let (lead_of_latin, doubts) = one(read(&latin.replace_all("UTF-8", "ISO-8859-1")));
    assert_eq!(lead_of_latin, wanted);
    assert!(doubts[0].contains("windows-1252"), "{doubts:?}");
    let wide: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    assert_eq!(lead(wide), wanted);
}

trait ReplaceAll {
    fn replace_all(&self, from: &str, to: &str) -> Vec<u8>;
}

impl ReplaceAll for [u8] {
    fn replace_all(&self, from: &str, to: &str) -> Vec<u8> {
        let at = self
            .windows(from.len())
            .position(|it| it == from.as_bytes());
        let at = at.expect("is there");
        [&self[..at], to.as_bytes(), &self[at + from.len()..]].concat()
    }
}

#[test]
fn the_order_of_the_elements_does_not_matter() {
    let text = "<adf><prospect><provider><name>P</name></provider>
        <vendor><contact><name>Sales</name><phone>2125550199</phone></contact><vendorname>V</vendorname></vendor>
        <customer><comments>Hi</comments><contact><phone>212.555.0123</phone><name>Ada Fixture</name></contact></customer>
        <vehicle><model>Accord</model><make>Honda</make><year>2003</year></vehicle></prospect></adf>";
    let lead = lead(text);
    assert_eq!(lead.customer.first_name, "Ada");
    assert_eq!(lead.customer.last_name, "Fixture");
    assert_eq!(lead.customer.phone.as_deref(), Some("+12125550123"));
    assert_eq!(lead.vendor.as_deref(), Some("V"));
    assert_eq!(lead.vehicle.unwrap().title().unwrap(), "2003 Honda Accord");
}

#[test]
fn a_vin_in_the_comments_alone_is_found() {
    let (lead, doubts) = one(read(
        b"<prospect><vehicle><year>Unknown</year><make>Any/All</make><model></model></vehicle>
          <customer><contact><name>Ada</name><email>a@example.com</email></contact>
          <comments>VIN:1HGCM82633A004352, please</comments></customer></prospect>",
    ));
    let vehicle = lead.vehicle.unwrap();
    assert_eq!(vehicle.vin.as_deref(), Some("1HGCM82633A004352"));
    assert_eq!(vehicle.make, None);
    assert!(doubts.iter().any(|it| it.contains("out of the comments")));
}

#[test]
fn several_leads_of_one_file_are_told_apart() {
    let second = GOOD.replace("Ada", "Eve").replace("4711", "4712");
    let reading = read(format!("{GOOD}{second}").as_bytes());
    let names: Vec<&str> = reading
        .prospects
        .iter()
        .map(|lead| lead.customer.first_name.as_str())
        .collect();
    assert_eq!(names, ["Ada B.", "Eve B."]);
    assert_eq!(reading.doubts[1].prospect, Some(2));
}

#[test]
fn broken_markup_costs_as_little_as_possible() {
    let text = GOOD
        .replace("Is it there?", "I <3 it & want < $5,000 &nbsp;&bogus; <br>")
        .replace("</make>", "");
    let lead = lead(&text);
    let message = lead.message.unwrap();
    assert!(message.starts_with("I <3 it & want < $5,000"), "{message}");
    assert_eq!(lead.customer.last_name, "Fixture");
    let half = &GOOD[..GOOD.find("<comments>Is it").unwrap()];
    let (lead, doubts) = one(read(half.as_bytes()));
    assert_eq!(lead.customer.last_name, "Fixture");
    assert!(doubts.iter().any(|it| it.contains("cut off")), "{doubts:?}");
}

#[test]
fn names_are_split_as_people_write_them() {
    for (full, first, last) in [
        ("Ada Fixture", "Ada", "Fixture"),
        ("Fixture, Ada B.", "Ada B.", "Fixture"),
        ("Ada Mary Fixture", "Ada Mary", "Fixture"),
        ("Ada", "Ada", ""),
    ] {
        let lead = lead(format!(
            "<prospect><customer><contact><name part='full'>{full}</name></contact></customer></prospect>"
        ));
        assert_eq!(lead.customer.first_name, first, "{full}");
        assert_eq!(lead.customer.last_name, last, "{full}");
    }
}

#[test]
fn what_cannot_be_read_stands_as_it_is_and_is_told() {
    let (lead, doubts) = one(read(
        b"<prospect><requestdate>yesterday</requestdate><vehicle><vin>SHORT</vin><odometer>TMU</odometer>
          <price currency='CAD'>9000</price></vehicle>
          <customer><contact><phone>555-0123 ask for Ada</phone></contact></customer></prospect>",
    ));
    assert_eq!(lead.customer.phone.as_deref(), Some("555-0123 ask for Ada"));
    assert_eq!(lead.vehicle.unwrap().vin.as_deref(), Some("SHORT"));
    for word in [
        "requestdate",
        "VIN",
        "odometer",
        "currency",
        "no name",
        "telephone number",
    ] {
        assert!(
            doubts.iter().any(|it| it.contains(word)),
            "{word}: {doubts:#?}"
        );
    }
    assert!(
        !doubts
            .iter()
            .any(|it| it.contains("Ada") || it.contains("SHORT"))
    );
}

#[test]
fn a_file_without_a_lead_says_so() {
    for text in [
        "",
        "Hello",
        "<html></html>",
        "<adf></adf>",
        "From: a@example.com\n\nHello",
    ] {
        let reading = read(text.as_bytes());
        assert!(reading.prospects.is_empty());
        let doubts: Vec<String> = reading.doubts.iter().map(ToString::to_string).collect();
        assert!(
            doubts.iter().any(|it| it.contains("no ADF prospect")),
            "{text}: {doubts:?}"
        );
    }
}

#[test]
fn a_hostile_file_ends() {
    let deep = format!("<adf>{}", "<prospect><x>".repeat(50_000));
    let many = format!("<adf>{}</adf>", "<prospect/>".repeat(20_000));
    for text in [deep, many] {
        let reading = read(text.as_bytes());
        assert!(reading.prospects.len() <= 10_000);
    }
    let nested = "Content-Type: multipart/mixed; boundary=a\n\n--a\n".repeat(10_000);
    assert!(
        read(format!("From: a\n{nested}<adf>").as_bytes())
            .prospects
            .is_empty()
    );
}

#[test]
fn an_empty_vehicle_is_none() {
    let lead = lead("<prospect><vehicle/><vehicle interest='trade-in'/></prospect>");
    assert_eq!((lead.vehicle, lead.trade_in), (None::<Vehicle>, None));
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_their_end(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes);
    }

    #[test]
    fn any_markup_is_read_to_its_end(
        parts in proptest::collection::vec(
            prop_oneof![
                "</?(adf|prospect|customer|contact|name|vehicle|comments|id|br)( [a-z]{1,6}='?[a-z0-9]{0,4}'?)?/?>",
                "<!--|-->|<!\\[CDATA\\[|\\]\\]>|<\\?|\\?>|&#?[a-z0-9]{0,4};?|<|>",
                "\\PC{0,12}",
            ],
            0..60,
        )
    ) {
        let text = format!("<adf><prospect>{}", parts.concat());
        let _ = read(text.as_bytes());
        let _ = crate::adf::check(&text);
    }
}
