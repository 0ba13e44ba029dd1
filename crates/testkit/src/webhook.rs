//! An HTTP server that keeps what it is sent and answers as it was told.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Duration,
};

/// Longest wait of a test for a call.
const PATIENCE: Duration = Duration::from_secs(20);

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
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct State {
    calls: Vec<Call>,
    statuses: VecDeque<u16>,
}

impl WebhookSink {
    /// Starts the server.
    #[must_use]
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let for_thread = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&for_thread);
                thread::spawn(move || answer(&stream, &shared));
            }
        });
        Self { address, shared }
    }

    /// The address of a path on it.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Answers the next call with this status. Several are given one after the other.
    pub fn answer_next(&self, status: u16) {
        self.shared.state.lock().unwrap().statuses.push_back(status);
    }

    /// The calls that arrived, refused ones too.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.shared.state.lock().unwrap().calls.clone()
    }

    /// Waits until so many calls have arrived.
    ///
    /// # Panics
    /// When they do not arrive in time.
    #[must_use]
    pub fn wait_for(&self, count: usize) -> Vec<Call> {
        let state = self.shared.state.lock().unwrap();
        let (state, _) = self
            .shared
            .arrived
            .wait_timeout_while(state, PATIENCE, |state| state.calls.len() < count)
            .unwrap();
        assert!(
            state.calls.len() >= count,
            "{} calls arrived instead of {count}",
            state.calls.len()
        );
        state.calls.clone()
    }
}

/// Reads one request and answers it. A client that goes away ends it.
fn answer(stream: &TcpStream, shared: &Shared) -> Option<()> {
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
    let status = {
        let mut state = shared.state.lock().unwrap();
        state.calls.push(call);
        state.statuses.pop_front().unwrap_or(200)
    };
    let reply = format!("HTTP/1.1 {status} x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let mut stream = stream;
    stream.write_all(reply.as_bytes()).ok()?;
    shared.arrived.notify_all();
    Some(())
}

fn read_line(lines: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    let read = lines.read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}
