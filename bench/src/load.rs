//! Requests over a bounded number of keep-alive connections, each with one request under way.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, anyhow, ensure};

use crate::{child::Child, serve::PATH, turns::quantile};

/// After this, whatever was not sent stays unsent.
const LONGEST_TURN: Duration = Duration::from_secs(4);
const PATIENCE: Duration = Duration::from_secs(10);

/// What one turn of load sends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load<'a> {
    pub(crate) path: &'static str,
    pub(crate) connections: usize,
    /// How many requests, over all connections.
    pub(crate) requests: usize,
    /// Bodies that are sent one after the other, and again from the first when they run out.
    pub(crate) bodies: &'a [String],
    /// What stands in every answer that is a success.
    pub(crate) expected: &'a str,
}

/// What one turn of load took.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) requests: usize,
    pub(crate) seconds: f64,
    /// CPU time of the servers' processes in seconds.
    pub(crate) cpu: f64,
    latencies: Vec<f64>,
}

impl Turn {
    /// CPU time of the server for one request, in microseconds.
    pub(crate) fn cpu_per_request(&self) -> f64 {
        self.cpu * 1e6 / self.requests as f64
    }

    pub(crate) fn per_second(&self) -> f64 {
        self.requests as f64 / self.seconds
    }

    /// In milliseconds.
    pub(crate) fn latency(&self, share: f64) -> f64 {
        quantile(&self.latencies, share) * 1e3
    }
}

/// Puts load on a server and measures what it costs there.
pub(crate) fn turn(server: &mut Child, load: Load<'_>) -> anyhow::Result<Turn> {
    let address = server.address();
    let drive_one = |first| drive(address, load, first);
    measure(server, || side_by_side(load.connections, drive_one))
}

/// Measures what any load costs a server; `drive` gives the seconds that each request took.
pub(crate) fn measure(
    server: &mut Child,
    drive: impl FnOnce() -> anyhow::Result<Vec<f64>>,
) -> anyhow::Result<Turn> {
    measure_all(std::slice::from_mut(server), drive)
}

/// The same of several servers, whose CPU time is added up.
pub(crate) fn measure_all(
    servers: &mut [Child],
    drive: impl FnOnce() -> anyhow::Result<Vec<f64>>,
) -> anyhow::Result<Turn> {
    let mut cpu = || -> anyhow::Result<Duration> { servers.iter_mut().map(Child::cpu).sum() };
    let before = cpu()?;
    let begin = Instant::now();
    let latencies = drive()?;
    ensure!(!latencies.is_empty(), "no request was answered in time");
    Ok(Turn {
        requests: latencies.len(),
        seconds: begin.elapsed().as_secs_f64(),
        cpu: cpu()?.saturating_sub(before).as_secs_f64(),
        latencies,
    })
}

/// Drives so many connections at once, each by its number, and gathers the seconds of their requests.
pub(crate) fn side_by_side(
    connections: usize,
    drive: impl Fn(usize) -> anyhow::Result<Vec<f64>> + Sync,
) -> anyhow::Result<Vec<f64>> {
    let drive = &drive;
    thread::scope(|scope| {
        let driving: Vec<_> = (0..connections)
            .map(|first| scope.spawn(move || drive(first)))
            .collect();
        let mut latencies = Vec::new();
        for driven in driving {
            let driven = driven
                .join()
                .map_err(|_| anyhow!("a connection panicked"))?;
            latencies.extend(driven?);
        }
        Ok(latencies)
    })
}

/// One connection's share of the requests, and the seconds that each took.
fn drive(address: SocketAddr, load: Load<'_>, first: usize) -> anyhow::Result<Vec<f64>> {
    let mut connection = Connection::open(address)?;
    let begin = Instant::now();
    let mut latencies = Vec::new();
    for number in (first..load.requests).step_by(load.connections) {
        if begin.elapsed() > LONGEST_TURN {
            break;
        }
        let sent = Instant::now();
        let answer = connection.post_to(load.path, &load.bodies[number % load.bodies.len()])?;
        latencies.push(sent.elapsed().as_secs_f64());
        ensure!(
            answer.contains(load.expected),
            "unexpected answer: {answer:.300}"
        );
    }
    Ok(latencies)
}

/// A keep-alive connection. It does as little as it can, because it shares the machine with the
/// server.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
    answer: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream: BufReader::with_capacity(64 * 1024, stream),
            address,
            answer: Vec::new(),
        })
    }

    /// Posts a body over JSON-RPC and returns that of the answer, which has status 200.
    pub(crate) fn post(&mut self, body: &str) -> anyhow::Result<&str> {
        self.post_to(PATH, body)
    }

    /// The same at any path.
    pub(crate) fn post_to(&mut self, path: &str, body: &str) -> anyhow::Result<&str> {
        let length = self.send(path, body)?;
        let length = length.context("the answer has no Content-Length")?;
        self.answer.resize(length, 0);
        self.stream.read_exact(&mut self.answer)?;
        Ok(std::str::from_utf8(&self.answer)?)
    }

    /// Posts a body over JSON-RPC and returns the events of the answer, to their end.
    pub(crate) fn stream(&mut self, body: &str) -> anyhow::Result<&str> {
        self.begin_stream(body)?;
        while self.read_chunk()? {}
        Ok(std::str::from_utf8(&self.answer)?)
    }

    /// Posts a body over JSON-RPC and returns the first events of the answer. Nothing else can be
    /// posted then.
    pub(crate) fn first_of_stream(mut self, body: &str) -> anyhow::Result<String> {
        self.begin_stream(body)?;
        self.read_chunk()?;
        Ok(String::from_utf8(self.answer)?)
    }

    fn begin_stream(&mut self, body: &str) -> anyhow::Result<()> {
        let length = self.send(PATH, body)?;
        ensure!(length.is_none(), "the answer is no stream");
        self.answer.clear();
        Ok(())
    }

    /// Reads one chunk of an answer that comes in chunks (RFC 9112 §7.1); false at its end.
    fn read_chunk(&mut self) -> anyhow::Result<bool> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let length = usize::from_str_radix(line.trim_end(), 16)?;
        let begin = self.answer.len();
        self.answer.resize(begin + length + "\r\n".len(), 0);
        self.stream.read_exact(&mut self.answer[begin..])?;
        self.answer.truncate(begin + length);
        Ok(length > 0)
    }

    /// Posts a body and reads the head of the answer, which has status 200; returns the length of its
    /// body, if that is told.
    fn send(&mut self, path: &str, body: &str) -> anyhow::Result<Option<usize>> {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        read_head(&mut self.stream)
    }
}

/// Reads the head of an answer and returns the length of its body, if that is told.
fn read_head(stream: &mut impl BufRead) -> anyhow::Result<Option<usize>> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    ensure!(
        line.starts_with("HTTP/1.1 200 "),
        "the answer begins with {line:?}"
    );
    let mut length = None;
    loop {
        line.clear();
        let read = stream.read_line(&mut line)?;
        ensure!(read > 0, "the answer broke off in its head");
        let Some((name, value)) = line.trim_end().split_once(':') else {
            return Ok(length);
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse()?);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_is_found_in_any_spelling_and_the_body_is_left() {
        let mut answer: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-LENGTH: 2\r\nX: a\r\n\r\n{}";
        assert_eq!(read_head(&mut answer).unwrap(), Some(2));
        assert_eq!(answer, b"{}");
    }

    #[test]
    fn another_status_and_a_broken_head_are_errors() {
        assert!(read_head(&mut &b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"[..]).is_err());
        assert!(read_head(&mut &b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"[..]).is_err());
    }
}
