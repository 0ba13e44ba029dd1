//! Reading Server-Sent Events by the grammar of the WHATWG HTML standard, "Server-sent events", with
//! any line ends and in chunks of any size.
//!
//! The [`Parser`] touches no network: bytes go in with [`Parser::push`], complete events come out of
//! [`Parser::next_event`]. What stands at the end without an empty line behind it is no event.
//!
//! ```
//! use a2a_client::sse::Parser;
//!
//! let mut parser = Parser::new(1024);
//! parser.push(b": hello\nid: 7\nda");
//! assert_eq!(parser.next_event(), Ok(None));
//! parser.push(b"ta: {\"a\":1}\r\n\r\n");
//! let event = parser.next_event()?.unwrap();
//! assert_eq!(event.data, r#"{"a":1}"#);
//! assert_eq!(event.id, "7");
//! # Ok::<(), a2a_client::sse::TooLarge>(())
//! ```

use std::{collections::VecDeque, time::Duration};

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The id by which a stream can be resumed behind this event; that of an earlier event where this
    /// one has none of its own, and empty where none had one.
    pub id: String,
    /// The event's name, empty where it has none.
    pub name: String,
    /// The data, its lines separated by line feeds.
    pub data: String,
}

/// An event is larger than allowed; nothing that follows it can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {limit} bytes")]
pub struct TooLarge {
    /// Most bytes of an event.
    pub limit: usize,
}

/// Finds the events in an event stream.
#[derive(Debug)]
pub struct Parser {
    limit: usize,
    /// The bytes of the line that is not at its end yet.
    line: Vec<u8>,
    /// Whether the stream may still begin with a byte order mark.
    at_start: bool,
    /// Whether a line feed belongs to the carriage return before it.
    after_carriage_return: bool,
    name: String,
    data: String,
    last_id: String,
    retry: Option<Duration>,
    found: VecDeque<Event>,
    too_large: bool,
}

impl Parser {
    /// A parser for one stream. `limit` is the most bytes that one event, or one line, may have.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            at_start: true,
            after_carriage_return: false,
            name: String::new(),
            data: String::new(),
            last_id: String::new(),
            retry: None,
            found: VecDeque::new(),
            too_large: false,
        }
    }

    /// Takes in what arrived.
    pub fn push(&mut self, mut bytes: &[u8]) {
        while !self.too_large && !bytes.is_empty() {
            if std::mem::take(&mut self.after_carriage_return) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let Some(end) = end else {
                self.extend_line(bytes);
                return;
            };
            self.extend_line(&bytes[..end]);
            if !self.too_large {
                self.end_line();
            }
            self.after_carriage_return = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
        }
    }

    /// The next event that is complete; `None` until more arrives.
    ///
    /// # Errors
    /// [`TooLarge`] once the events before the one that is too large are read.
    pub fn next_event(&mut self) -> Result<Option<Event>, TooLarge> {
        match self.found.pop_front() {
            None if self.too_large => Err(TooLarge { limit: self.limit }),
            event => Ok(event),
        }
    }

    /// How long the stream asks to wait before it is opened again.
    #[must_use]
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    fn extend_line(&mut self, bytes: &[u8]) {
        if self.line.len() + bytes.len() + self.data.len() > self.limit {
            self.too_large = true;
            self.line = Vec::new();
            self.data = String::new();
            return;
        }
        self.line.extend_from_slice(bytes);
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let text = match std::mem::take(&mut self.at_start) {
            true => text.strip_prefix('\u{feff}').unwrap_or(&text),
            false => &text,
        };
        self.take_in(text);
        // Its room serves the next line.
        line.clear();
        self.line = line;
    }

    fn take_in(&mut self, line: &str) {
        if line.is_empty() {
            self.dispatch();
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                self.data.push_str(value);
                self.data.push('\n');
            }
            "event" => value.clone_into(&mut self.name),
            "id" if !value.contains('\0') => value.clone_into(&mut self.last_id),
            "retry" => self.retry = milliseconds(value).or(self.retry),
            // A comment has an empty name; others are of a later standard.
            _ => {}
        }
    }

    fn dispatch(&mut self) {
        let name = std::mem::take(&mut self.name);
        let mut data = std::mem::take(&mut self.data);
        if data.pop().is_none() {
            return;
        }
        self.found.push_back(Event {
            id: self.last_id.clone(),
            name,
            data,
        });
    }
}

fn milliseconds(value: &str) -> Option<Duration> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    digits
        .then(|| value.parse().ok().map(Duration::from_millis))
        .flatten()
}

#[cfg(test)]
mod tests;
