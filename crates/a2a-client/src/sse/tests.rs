use proptest::{collection::vec, prelude::*};

use super::*;

const LIMIT: usize = 1000;

/// The events of a stream that arrives in these chunks, and whether one was too large.
fn read<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> (Vec<Event>, bool) {
    let mut parser = Parser::new(limit);
    let mut events = Vec::new();
    let mut too_large = false;
    for chunk in chunks {
        parser.push(chunk);
        loop {
            match parser.next_event() {
                Ok(Some(event)) => events.push(event),
                Ok(None) => break,
                Err(_) => {
                    too_large = true;
                    break;
                }
            }
        }
    }
    (events, too_large)
}

fn whole(stream: &str) -> Vec<Event> {
    let (events, too_large) = read([stream.as_bytes()], LIMIT);
    assert!(!too_large, "{stream:?}");
    events
}

fn data(stream: &str) -> Vec<String> {
    whole(stream).into_iter().map(|event| event.data).collect()
}

#[test]
fn every_line_end_ends_a_line_in_any_chunking() {
    for end in ["\n", "\r", "\r\n"] {
        let stream = [
            ": hello",
            "data:{\"a\":1}",
            "",
            "data: b",
            "data",
            "data: c",
            "",
            "",
        ]
        .join(end);
        let expected = vec!["{\"a\":1}".to_owned(), "b\n\nc".to_owned()];
        assert_eq!(data(&stream), expected, "{end:?}");
        let bytes = stream.as_bytes().chunks(1);
        let events = read(bytes, LIMIT).0.into_iter().map(|event| event.data);
        assert_eq!(events.collect::<Vec<_>>(), expected, "{end:?} byte by byte");
    }
}

#[test]
fn several_events_in_one_chunk_are_all_there_at_once() {
    let mut parser = Parser::new(LIMIT);
    parser.push(b"data: 1\n\ndata: 2\n\ndata: 3\n\n");
    for expected in ["1", "2", "3"] {
        assert_eq!(parser.next_event().unwrap().unwrap().data, expected);
    }
    assert_eq!(parser.next_event(), Ok(None));
}

#[test]
fn a_lone_carriage_return_ends_an_event_without_waiting_for_more() {
    let mut parser = Parser::new(LIMIT);
    parser.push(b"data: 1\r\r");
    assert_eq!(parser.next_event().unwrap().unwrap().data, "1");
    parser.push(b"\ndata: 2\r\n");
    assert_eq!(parser.next_event(), Ok(None));
    parser.push(b"\r");
    assert_eq!(parser.next_event().unwrap().unwrap().data, "2");
}

#[test]
fn comments_and_empty_events_are_none() {
    assert!(data(": keep-alive\n\n:\n\n\n\nevent: x\n\nid: 1\n\n").is_empty());
    assert_eq!(data("data\n\n"), [""]);
}

#[test]
fn an_event_without_its_empty_line_is_not_dispatched() {
    assert_eq!(data("data: 1\n\ndata: 2\n"), ["1"]);
    assert_eq!(data("data: 1\n\ndata: 2"), ["1"]);
}

#[test]
fn fields_are_read_as_the_standard_says() {
    let events = whole(
        "event: a\nid: 1\ndata:  two spaces\nunknown: x\n\ndata: b\n\nid\ndata:c\n\nid: 2\0\ndata: d\n\n",
    );
    let seen: Vec<_> = events
        .iter()
        .map(|event| (event.id.as_str(), event.name.as_str(), event.data.as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            ("1", "a", " two spaces"),
            ("1", "", "b"),
            ("", "", "c"),
            ("", "", "d"),
        ]
    );
}

#[test]
fn a_stream_says_how_long_to_wait_before_it_is_opened_again() {
    let mut parser = Parser::new(LIMIT);
    assert_eq!(parser.retry(), None);
    for (line, expected) in [
        ("retry: 1500", Some(1500)),
        ("retry: -1", Some(1500)),
        ("retry: 2s", Some(1500)),
        ("retry:", Some(1500)),
        ("retry: 99999999999999999999", Some(1500)),
        ("retry:0", Some(0)),
    ] {
        parser.push(line.as_bytes());
        parser.push(b"\n");
        assert_eq!(
            parser.retry(),
            expected.map(Duration::from_millis),
            "{line}"
        );
    }
}

#[test]
fn a_byte_order_mark_is_skipped_at_the_start_only() {
    assert_eq!(data("\u{feff}data: 1\n\n"), ["1"]);
    assert!(data("data: 1\n\u{feff}data: 2\n\n")[0] == "1");
    assert!(data("\u{feff}\u{feff}data: 1\n\n").is_empty());
}

#[test]
fn what_is_no_utf_8_becomes_replacement_characters() {
    let (events, _) = read([b"data: a\xffb\xe2\x82\n\n".as_slice()], LIMIT);
    assert_eq!(events[0].data, "a\u{fffd}b\u{fffd}");
}

#[test]
fn an_event_that_never_ends_is_given_up() {
    let before = "data: 1\n\n";
    for endless in ["data: x", "data: x\ndata: ", ": x"] {
        let mut parser = Parser::new(LIMIT);
        parser.push(before.as_bytes());
        for _ in 0..LIMIT {
            parser.push(endless.as_bytes());
        }
        assert_eq!(parser.next_event().unwrap().unwrap().data, "1");
        assert_eq!(parser.next_event(), Err(TooLarge { limit: LIMIT }));
        parser.push(b"\n\ndata: 2\n\n");
        assert_eq!(parser.next_event(), Err(TooLarge { limit: LIMIT }));
        assert!(parser.line.capacity() <= LIMIT * 2);
    }
}

#[test]
fn many_events_and_comments_are_below_the_limit() {
    let stream = ": comment\ndata: 0123456789\n\n".repeat(LIMIT);
    assert_eq!(data(&stream).len(), LIMIT);
}

/// Streams in which everything that means something is likely.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("data: "),
        Just("data:"),
        Just("data"),
        Just("event: e"),
        Just("id: 4"),
        Just("retry: 10"),
        Just(": comment"),
        Just("\n"),
        Just("\r"),
        Just("\r\n"),
        Just("\n\n"),
        Just("\u{feff}"),
        Just("Žluťoučký 🚗"),
        Just("{\"a\":1}"),
        Just("\0"),
    ];
    let piece = prop_oneof![
        9 => piece.prop_map(|text| text.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 0..4),
    ];
    vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_events(
        bytes in stream(),
        cuts in vec(any::<prop::sample::Index>(), 0..20),
        limit in prop_oneof![Just(20_usize), Just(LIMIT)],
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let mut chunks = Vec::new();
        let mut rest = bytes.as_slice();
        for (index, cut) in cuts.iter().enumerate() {
            let before = index.checked_sub(1).map_or(0, |before| cuts[before]);
            let (chunk, after) = rest.split_at(cut - before);
            chunks.push(chunk);
            rest = after;
        }
        chunks.push(rest);
        let at_once = read([bytes.as_slice()], limit);
        prop_assert_eq!(&read(chunks, limit), &at_once);
        prop_assert_eq!(&read(bytes.chunks(1), limit), &at_once);
    }

    #[test]
    fn data_that_is_written_is_read(texts in vec("[^\r\n\0]{0,40}", 1..8), end in prop_oneof![Just("\n"), Just("\r"), Just("\r\n")]) {
        let mut stream = String::new();
        for text in &texts {
            stream.push_str(&format!("data: {text}{end}{end}"));
        }
        let (events, too_large) = read([stream.as_bytes()], 10_000);
        prop_assert!(!too_large);
        let read: Vec<String> = events.into_iter().map(|event| event.data).collect();
        prop_assert_eq!(read, texts);
    }
}
