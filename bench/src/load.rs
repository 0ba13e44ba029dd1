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
    /// CPU time of the server's process in seconds.
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
    let before = server.cpu()?;
    let begin = Instant::now();
    let latencies = thread::scope(|scope| {
        let connections: Vec<_> = (0..load.connections)
            .map(|first| scope.spawn(move || drive(address, load, first)))
            .collect();
        let mut latencies = Vec::with_capacity(load.requests);
        for connection in connections {
            let driven = connection
                .join()
                .map_err(|_| anyhow!("a connection panicked"))?;
            latencies.extend(driven?);
        }
        anyhow::Ok(latencies)
    })?;
    ensure!(!latencies.is_empty(), "no request was answered in time");
    Ok(Turn {
        requests: latencies.len(),
        seconds: begin.elapsed().as_secs_f64(),
        cpu: server.cpu()?.saturating_sub(before).as_secs_f64(),
        latencies,
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
        let answer = connection.post(&load.bodies[number % load.bodies.len()])?;
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

    /// Posts a body and returns that of the answer, which has status 200.
    pub(crate) fn post(&mut self, body: &str) -> anyhow::Result<&str> {
        let request = format!(
            "POST {PATH} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let length = read_head(&mut self.stream)?;
        self.answer.resize(length, 0);
        self.stream.read_exact(&mut self.answer)?;
        Ok(std::str::from_utf8(&self.answer)?)
    }
}

/// Reads the head of an answer and returns the length of its body.
fn read_head(stream: &mut impl BufRead) -> anyhow::Result<usize> {
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
            return length.context("the answer has no Content-Length");
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
        assert_eq!(read_head(&mut answer).unwrap(), 2);
        assert_eq!(answer, b"{}");
    }

    #[test]
    fn another_status_and_a_missing_length_are_errors() {
        assert!(read_head(&mut &b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"[..]).is_err());
        assert!(read_head(&mut &b"HTTP/1.1 200 OK\r\n\r\n"[..]).is_err());
        assert!(read_head(&mut &b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"[..]).is_err());
    }
}
