//! Formats and patterns, against the `jsonschema` crate with formats asserted.

use aap::{formats, vehicle::is_vin};
use proptest::prelude::*;

use testkit::contract::string_schema;

const DATE_TIMES: &[(&str, bool)] = &[
    ("2026-05-01T14:30:00Z", true),
    ("2026-05-01t14:30:00z", true),
    ("2026-05-01T14:30:00-05:00", true),
    ("2026-05-01T14:30:00+00:00", true),
    ("2026-05-01T14:30:00-00:00", true),
    ("2026-05-01T14:30:00+23:59", true),
    ("2026-05-01T14:30:00.1Z", true),
    ("2026-05-01T14:30:00.123456789012345+02:00", true),
    ("2024-02-29T00:00:00Z", true),
    ("0000-01-01T00:00:00Z", true),
    ("9999-12-31T23:59:59-23:59", true),
    ("2016-12-31T23:59:60Z", true),
    ("2016-12-31T18:59:60-05:00", true),
    ("2017-01-01T05:29:60.5+05:30", true),
    ("2016-12-31T22:59:60Z", false),
    ("2016-12-31T23:59:60+01:00", false),
    ("2026-05-01T14:30:61Z", false),
    ("2026-05-01T14:30:00", false),
    ("2026-05-01T14:30Z", false),
    ("2026-05-01 14:30:00Z", false),
    ("2026-05-01T24:00:00Z", false),
    ("2026-05-01T14:60:00Z", false),
    ("2026-05-01T14:30:00.Z", false),
    ("2026-05-01T14:30:00,5Z", false),
    ("2026-05-01T14:30:00+24:00", false),
    ("2026-05-01T14:30:00+05:60", false),
    ("2026-05-01T14:30:00+0500", false),
    ("2026-05-01T14:30:00+05", false),
    ("2026-05-01T14:30:00 Z", false),
    ("2026-05-01T14:30:00Z ", false),
    ("2026-05-01T14:30:00Z[UTC]", false),
    ("2026-02-29T00:00:00Z", false),
    ("2026-13-01T00:00:00Z", false),
    ("2026-00-01T00:00:00Z", false),
    ("2026-05-00T00:00:00Z", false),
    ("+002026-05-01T00:00:00Z", false),
    ("26-05-01T00:00:00Z", false),
    ("2026-5-1T00:00:00Z", false),
    ("20260501T143000Z", false),
    ("２026-05-01T14:30:00Z", false),
    ("2026-05-01", false),
    ("tomorrow", false),
    ("", false),
];

const DATES: &[(&str, bool)] = &[
    ("2026-05-01", true),
    ("2024-02-29", true),
    ("0000-02-29", true),
    ("2100-02-29", false),
    ("2026-05-1", false),
    ("2026-05-32", false),
    ("2026-05-01Z", false),
    ("05/01/2026", false),
    ("", false),
];

const EMAILS: &[(&str, bool)] = &[
    ("robin@mail.example", true),
    ("robin.sample+lead@mail.example", true),
    ("o'robin@mail.example", true),
    ("robin@localhost", true),
    ("ROBIN@MAIL.EXAMPLE", true),
    ("\"robin sample\"@mail.example", true),
    ("robin@[192.0.2.1]", true),
    ("robin@[IPv6:2001:db8::1]", true),
    ("robin@a-b.example", true),
    ("robin@xn--bcher-kva.example", true),
    ("robin", false),
    ("@mail.example", false),
    ("robin@", false),
    ("robin@@mail.example", false),
    ("robin@mail..example", false),
    ("robin@.mail.example", false),
    ("robin@mail.example.", false),
    ("robin@-mail.example", false),
    ("robin@mail-.example", false),
    ("robin@ab--cd.example", false),
    ("robin@mail_box.example", false),
    ("robin@[192.0.2.256]", false),
    ("robin@[IPv6:nonsense]", false),
    (".robin@mail.example", false),
    ("robin.@mail.example", false),
    ("ro..bin@mail.example", false),
    ("robin sample@mail.example", false),
    ("röbin@mail.example", false),
    ("robin@bücher.example", false),
    ("robin@mail.example\n", false),
    (" robin@mail.example", false),
    ("robin@mail.example, other@mail.example", false),
    ("", false),
];

const URIS: &[(&str, bool)] = &[
    ("https://dealer.example/", true),
    ("HTTPS://DEALER.EXAMPLE", true),
    ("https://user@dealer.example:8443/a/b?c=d#e", true),
    ("https://dealer.example:/", true),
    ("https://[2001:db8::1]/card", true),
    ("https://dealer.example/a%20b", true),
    ("mailto:robin@mail.example", true),
    ("urn:uuid:0192f3c0-1a2b-7c3d-8e4f-5a6b7c8d9e0f", true),
    ("a:", true),
    ("https://dealer.example/a b", false),
    ("https://dealer.example/a%2", false),
    ("https://dealer.example/ü", false),
    ("https://dealer.example/<a>", false),
    ("https://dealer.example:port/", false),
    ("https://[2001:db8::1/", false),
    ("//dealer.example/a", false),
    ("/a/b", false),
    ("dealer.example", false),
    ("1https://dealer.example", false),
    ("https ://dealer.example", false),
    ("", false),
];

#[test]
fn formats_judge_like_the_schema() {
    let tables = [
        (
            "date-time",
            formats::is_date_time as fn(&str) -> bool,
            DATE_TIMES,
        ),
        ("date", formats::is_date, DATES),
        ("email", formats::is_email, EMAILS),
        ("uri", formats::is_uri, URIS),
    ];
    for (format, ours, table) in tables {
        let schema = string_schema("format", format);
        for (text, expected) in table {
            assert_eq!(ours(text), *expected, "our {format}: {text:?}");
            let theirs = schema.is_valid(&(*text).into());
            assert_eq!(theirs, *expected, "the schema's {format}: {text:?}");
        }
    }
}

#[test]
fn mailboxes_differ_from_the_schema_where_the_documentation_says_so() {
    let schema = string_schema("format", "email");
    let differing = [
        ("Robin <robin@mail.example>", true),
        ("\"\"@mail.example", true),
        ("robin@xn--99999999.example", false),
    ];
    for (text, schema_accepts) in differing {
        assert_eq!(schema.is_valid(&text.into()), schema_accepts, "{text:?}");
        assert_ne!(formats::is_email(text), schema_accepts, "{text:?}");
    }
}

#[test]
fn patterns_judge_like_the_schema() {
    let e164 = string_schema("pattern", r"^\+[1-9]\d{1,14}$");
    for text in [
        "+13125550142",
        "+12",
        "+1",
        "+123456789012345",
        "+1234567890123456",
        "+03125550142",
        "13125550142",
        "+1 312 555 0142",
        "+1312555014٢",
        "+13125550142\n",
        "",
    ] {
        assert_eq!(
            formats::is_e164(text),
            e164.is_valid(&text.into()),
            "{text:?}"
        );
    }
    let vin = string_schema("pattern", "^[A-HJ-NPR-Z0-9]{17}$");
    for text in [
        "1FT8W3BT5NEC12345",
        "1ft8w3bt5nec12345",
        "1FT8W3BT5NEC1234",
        "1FT8W3BT5NEC123456",
        "1FT8W3BT5NEC1234O",
        "1FT8W3BT5NEC1234I",
        "1FT8W3BT5NEC1234Q",
        "1FT8W3BT5NEC1234Ä",
        "1FT8W3BT5NEC12345\n",
        "",
    ] {
        assert_eq!(is_vin(text), vin.is_valid(&text.into()), "{text:?}");
    }
}

#[test]
fn a_date_time_names_an_instant() {
    let instant = |text| formats::instant(text).map(|instant| instant.to_string());
    for (text, expected) in [
        ("2026-05-01T14:30:00-05:00", "2026-05-01T19:30:00Z"),
        ("2026-05-01t00:15:00.25+05:45", "2026-04-30T18:30:00.25Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
        (
            "2026-05-01T00:00:00.1234567899Z",
            "2026-05-01T00:00:00.123456789Z",
        ),
    ] {
        assert_eq!(instant(text).as_deref(), Some(expected), "{text}");
    }
    assert_eq!(instant("2026-05-01T14:30:00"), None);
    // Past the end of what can be represented.
    let end = formats::instant("9999-12-31T23:59:59-23:59");
    assert_eq!(end, Some(jiff::Timestamp::MAX));
}

proptest! {
    #[test]
    fn any_text_is_judged_like_the_schema_does(text in near_misses()) {
        for (format, ours) in [
            ("date-time", formats::is_date_time as fn(&str) -> bool),
            ("date", formats::is_date),
            ("uri", formats::is_uri),
            ("email", formats::is_email),
        ] {
            let documented = text.contains("xn--") || text.contains('<') || text.starts_with("\"\"@");
            if format == "email" && documented {
                continue;
            }
            let theirs = string_schema("format", format).is_valid(&text.as_str().into());
            prop_assert_eq!(ours(&text), theirs, "{}: {:?}", format, text);
        }
    }
}

/// Texts made of the characters that formats are made of, and valid ones with one character changed.
fn near_misses() -> impl Strategy<Value = String> {
    let valid: Vec<&str> = [DATE_TIMES, DATES, EMAILS, URIS]
        .into_iter()
        .flatten()
        .map(|(text, _)| *text)
        .filter(|text| !text.is_empty())
        .collect();
    prop_oneof![
        r#"[0-9TtZz:+. \-]{0,30}"#,
        r#"[a-z0-9:/?#\[\]@!%. <>"\\\-]{0,30}"#,
        any::<String>(),
        (
            prop::sample::select(valid),
            any::<prop::sample::Index>(),
            any::<char>()
        )
            .prop_map(|(text, at, character)| {
                let mut characters: Vec<char> = text.chars().collect();
                let at = at.index(characters.len());
                characters[at] = character;
                characters.into_iter().collect()
            }),
    ]
}
