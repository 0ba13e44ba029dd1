//! A client that sends exactly the bytes it is given.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// No test waits longer than this; all of them finish much sooner.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A response as it arrived.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    /// A response to whose end its connection was read.
    pub(crate) fn parse(text: &str) -> Self {
        let split = text.split_once("\r\n\r\n");
        let (head, body) = split.unwrap_or_else(|| panic!("no response: {text}"));
        Self {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// Code and message of a JSON-RPC error.
    pub(crate) fn error(&self) -> (i64, String) {
        let error = &self.json()["error"];
        let message = error["message"]
            .as_str()
            .unwrap_or_else(|| panic!("no error: {self:?}"));
        (error["code"].as_i64().unwrap(), message.to_owned())
    }
}

/// One connection.
pub(crate) struct Connection {
    stream: TcpStream,
    /// What arrived beyond the last reply.
    pending: Vec<u8>,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Self {
        Self {
            stream: TcpStream::connect(address).await.unwrap(),
            pending: Vec::new(),
        }
    }

    /// Sends bytes as they are. A server that has heard enough may have closed; that shows in the reply.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream.write_all(bytes.as_ref()).await;
    }

    /// The next reply; `None` when the connection ended before one.
    pub(crate) async fn reply(&mut self) -> Option<Reply> {
        tokio::time::timeout(PATIENCE, self.read_reply())
            .await
            .unwrap()
    }

    /// Everything that still arrives until the server ends the connection.
    pub(crate) async fn rest(&mut self) -> String {
        let mut bytes = std::mem::take(&mut self.pending);
        let end = self.stream.read_to_end(&mut bytes);
        // A reset is an end as well.
        let _ = tokio::time::timeout(PATIENCE, end).await.unwrap();
        String::from_utf8(bytes).unwrap()
    }

    async fn read_reply(&mut self) -> Option<Reply> {
        let end = loop {
            if let Some(end) = position(&self.pending, b"\r\n\r\n") {
                break end;
            }
            self.read_more().await?;
        };
        let head = String::from_utf8(self.pending.drain(..end + 4).collect()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut reply = Reply {
            status,
            head,
            body: String::new(),
        };
        let length = reply
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        while self.pending.len() < length {
            self.read_more().await?;
        }
        reply.body = String::from_utf8(self.pending.drain(..length).collect()).unwrap();
        Some(reply)
    }

    async fn read_more(&mut self) -> Option<()> {
        let mut buffer = [0; 4096];
        match self.stream.read(&mut buffer).await {
            Ok(0) | Err(_) => None,
            Ok(count) => {
                self.pending.extend_from_slice(&buffer[..count]);
                Some(())
            }
        }
    }
}

fn position(bytes: &[u8], searched: &[u8]) -> Option<usize> {
    bytes
        .windows(searched.len())
        .position(|window| window == searched)
}

/// A request without a body, with further header lines.
pub(crate) fn bare(verb: &str, target: &str, headers: &[&str]) -> String {
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    format!("{verb} {target} HTTP/1.1\r\nHost: agent.example:81\r\n{lines}\r\n")
}

/// A POST of `body` to `target`, with further header lines.
pub(crate) fn post(target: &str, headers: &[&str], body: &str) -> String {
    let mut request = format!("POST {target} HTTP/1.1\r\nHost: agent.example:81\r\n");
    for line in headers {
        request.push_str(line);
        request.push_str("\r\n");
    }
    request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    request
}

/// Sends one request on a connection of its own.
pub(crate) async fn exchange(address: SocketAddr, request: &str) -> Reply {
    let mut connection = Connection::open(address).await;
    connection.send(request).await;
    connection
        .reply()
        .await
        .unwrap_or_else(|| panic!("no reply to {request}"))
}
