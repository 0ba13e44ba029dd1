//! An HTTP server that keeps what it is sent and answers as it was told.

use std::{
    collections::VecDeque,
    io::{BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
};

use crate::inbox::{Inbox, read_line};

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Method and path.
    pub line: String,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Call {
    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// An HTTP/1.1 server on a free loopback port, one request on each connection. It answers 200
/// unless it was told otherwise, and ends with the test process.
#[derive(Debug)]
pub struct WebhookSink {
    address: SocketAddr,
    inbox: Arc<Inbox<State>>,
}

#[derive(Debug, Default)]
struct State {
    calls: Vec<Call>,
    answers: VecDeque<Answer>,
}

#[derive(Debug)]
struct Answer {
    status: u16,
    headers: String,
    body: String,
}

impl Default for Answer {
    fn default() -> Self {
        Self::new(200, "")
    }
}

impl Answer {
    fn new(status: u16, body: &str) -> Self {
        Self {
            status,
            headers: String::new(),
            body: body.to_owned(),
        }
    }
}

impl WebhookSink {
    /// Starts the server.
    #[must_use]
    pub fn start() -> Self {
        let (address, inbox) = Inbox::serve(|stream, inbox| {
            // A client that goes away ends it.
            let _ = answer(stream, inbox);
        });
        Self { address, inbox }
    }

    /// The address of a path on it.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Answers the next call with this status. Several are given one after the other.
    pub fn answer_next(&self, status: u16) {
        self.answer_next_with(status, "");
    }

    /// Answers the next call with this status and body.
    pub fn answer_next_with(&self, status: u16, body: &str) {
        let answer = Answer::new(status, body);
        self.inbox.state().answers.push_back(answer);
    }

    /// Answers the next call with this status and header, for example `Retry-After: 120`.
    pub fn answer_next_under(&self, status: u16, header: &str) {
        let mut answer = Answer::new(status, "");
        answer.headers = format!("{header}\r\n");
        self.inbox.state().answers.push_back(answer);
    }

    /// The calls that arrived, refused ones too.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.inbox.state().calls.clone()
    }

    /// Waits until so many calls have arrived.
    ///
    /// # Panics
    /// When they do not arrive in time.
    #[must_use]
    pub fn wait_for(&self, count: usize) -> Vec<Call> {
        self.inbox.wait_for(count, |state| &state.calls)
    }
}

/// Reads one request and answers it. A client that goes away ends it.
fn answer(stream: &TcpStream, inbox: &Inbox<State>) -> Option<()> {
    let mut lines = BufReader::new(stream);
    let request_line = read_line(&mut lines)?;
    let line = request_line.rsplit_once(' ')?.0.to_owned();
    let mut headers = Vec::new();
    loop {
        let header = read_line(&mut lines)?;
        let Some((name, value)) = header.split_once(':') else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut call = Call {
        line,
        headers,
        body: Vec::new(),
    };
    let length = call.header("content-length").and_then(|it| it.parse().ok());
    call.body.resize(length.unwrap_or(0), 0);
    lines.read_exact(&mut call.body).ok()?;
    let Answer {
        status,
        headers,
        body,
    } = {
        let mut state = inbox.state();
        state.calls.push(call);
        state.answers.pop_front().unwrap_or_default()
    };
    let length = body.len();
    let reply = format!(
        "HTTP/1.1 {status} x\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    let mut stream = stream;
    stream.write_all(reply.as_bytes()).ok()?;
    inbox.notify();
    Some(())
}
