//! An agent's event stream: whatever it holds, the events are the same in chunks of any size, and no line
//! end is left in a name or an id. The first byte says how long the chunks are.

#![no_main]

use a2a_client::sse::{Event, Parser};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 4096;

fn read<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> (Vec<Event>, bool) {
    let mut parser = Parser::new(LIMIT);
    let mut events = Vec::new();
    for chunk in chunks {
        parser.push(chunk);
        loop {
            match parser.next_event() {
                Ok(Some(event)) => events.push(event),
                Ok(None) => break,
                Err(_) => return (events, true),
            }
        }
    }
    (events, false)
}

fuzz_target!(|input: &[u8]| {
    let Some((length, stream)) = input.split_first() else {
        return;
    };
    let at_once = read(std::iter::once(stream));
    assert_eq!(read(stream.chunks(usize::from(*length).max(1))), at_once);
    for event in at_once.0 {
        assert!(!event.name.contains(['\r', '\n']) && !event.id.contains(['\r', '\n', '\0']));
        assert!(event.data.len() <= LIMIT * 3);
    }
});
