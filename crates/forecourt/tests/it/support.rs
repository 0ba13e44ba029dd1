//! The program as a child process, and the plainest possible HTTP client against it.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, ExitStatus, Output, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

/// A running `forecourt serve`, killed when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

impl Server {
    /// Starts the program with these arguments on a free port, and waits for its line.
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::spawn(program(args).stderr(Stdio::null()))
    }

    /// Starts `serve` as the command has it, on a free port, and waits for its line.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .args(["--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .unwrap_or_else(|| panic!("the first line is {line:?}"))
            .to_owned();
        Self { child, address }
    }

    /// The demo dealer on this data folder.
    pub(crate) fn demo(data: &Path) -> Self {
        Self::start(&["serve", "--demo", "--data", data.to_str().unwrap()])
    }

    /// Ends the process at this instant, as a power cut would (SIGKILL).
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks the process to end (SIGTERM) and waits until it has.
    pub(crate) fn terminate(&mut self) -> ExitStatus {
        self.signal("TERM");
        self.child.wait().unwrap()
    }

    /// The most memory that the process ever had, in bytes; `None` where the system does not tell.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).ok()?;
        let peak = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
        let kilobytes: u64 = peak.trim().strip_suffix(" kB")?.trim().parse().ok()?;
        Some(kilobytes * 1024)
    }

    /// Sends the process a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    /// Sends an AAP payload and returns the JSON-RPC reply.
    pub(crate) fn call(&self, payload: &Value) -> Value {
        let (status, body) = send(&self.address, payload).unwrap();
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Sends an AAP payload that is answered, and returns the payload of the answer.
    pub(crate) fn answer(&self, payload: &Value) -> Value {
        let reply = self.call(payload);
        assert!(reply.get("error").is_none(), "{reply:#}");
        reply["result"]["message"]["parts"][0]["data"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program, away from this workspace's own configuration and environment.
pub(crate) fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forecourt"));
    command
        .args(args)
        .current_dir(std::env::temp_dir())
        .env_remove("FORECOURT_DATA")
        .env_remove("FORECOURT_CONFIG")
        .env_remove("FORECOURT_DEALER")
        .env_remove("FORECOURT_STORE")
        .env_remove("FORECOURT_LISTEN")
        .env_remove("FORECOURT_PUBLIC_URL")
        .env_remove("FORECOURT_LOG")
        .env_remove("FORECOURT_LOG_FORMAT");
    command
}

/// Waits until something holds that a server brings about by itself.
#[track_caller]
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("it never came to this: {what}");
}

/// Makes the dealers of a configuration ready to take leads: rooftops without a destination get
/// folders, and every destination is tested. `flags` name the configuration as for a server.
pub(crate) fn ready_for_leads(config: &Path, flags: &[&str]) {
    let text = std::fs::read_to_string(config).unwrap();
    let mut document: toml::Table = text.parse().unwrap();
    let folder = config.parent().unwrap();
    let mut made = 0;
    for (dealer, settings) in document["dealers"].as_table_mut().unwrap() {
        for (_, rooftop) in settings["rooftops"].as_table_mut().unwrap() {
            let rooftop = rooftop.as_table_mut().unwrap();
            let goes_somewhere = ["crm", "destinations"]
                .iter()
                .any(|it| rooftop.contains_key(*it));
            let has_fallback = rooftop.contains_key("fallback");
            let destinations = rooftop
                .entry("destinations")
                .or_insert_with(|| toml::Table::new().into());
            let destinations = destinations.as_table_mut().unwrap();
            for (name, is_there) in [("inbox", goes_somewhere), ("desk", has_fallback)] {
                if is_there {
                    continue;
                }
                made += 1;
                let place = format!("leads/{dealer}-{made}");
                std::fs::create_dir_all(folder.join(&place)).unwrap();
                let destination = toml::Table::from_iter([("folder".to_owned(), place.into())]);
                destinations.insert(name.to_owned(), destination.into());
            }
            if !has_fallback {
                rooftop.insert("fallback".to_owned(), "desk".into());
            }
        }
    }
    std::fs::write(config, document.to_string()).unwrap();
    for dealer in document["dealers"].as_table().unwrap().keys() {
        let test = [
            &["leads", "test", "--json", "--dealer", dealer.as_str()],
            flags,
        ]
        .concat();
        let (status, report) = run_json(&test);
        assert_eq!(status, 0, "{report:#}");
    }
}

/// Runs the program to its end.
pub(crate) fn run(args: &[&str]) -> Output {
    program(args).output().unwrap()
}

/// Runs the program and returns its exit status and its standard output as JSON.
pub(crate) fn run_json(args: &[&str]) -> (i32, Value) {
    let output = run(args);
    let text = String::from_utf8_lossy(&output.stdout);
    let document = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!(
            "{args:?}: {error}\nstdout: {text}\nstderr: {}",
            String::from_utf8_lossy(&output.stderr)
        )
    });
    (output.status.code().unwrap(), document)
}

/// An AAP payload in its JSON-RPC envelope.
pub(crate) fn envelope(payload: &Value) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": "1",
        "method": "SendMessage",
        "params": { "message": {
            "messageId": "m-1",
            "role": "ROLE_USER",
            "parts": [{ "data": payload }],
        } },
    })
}

/// Posts an AAP payload to the only dealer of an address; status and body, or why there is none.
pub(crate) fn send(address: &str, payload: &Value) -> std::io::Result<(u16, String)> {
    request(
        address,
        "POST",
        "/a2a",
        &[("Content-Type", "application/json"), ("A2A-Version", "1.0")],
        &envelope(payload).to_string(),
    )
}

/// One HTTP/1.1 exchange on a connection of its own: status and body.
pub(crate) fn request(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> std::io::Result<(u16, String)> {
    let reply = exchange(address, method, path, headers, body)?;
    Ok((reply.status, reply.body))
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }

    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The same, with the head of the response.
pub(crate) fn exchange(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> std::io::Result<Reply> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("host"))
    {
        head.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply)?;
    let broken = || std::io::Error::other("the reply is not whole");
    let (head, body) = reply.split_once("\r\n\r\n").ok_or_else(broken)?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .ok_or_else(broken)?;
    let reply = Reply {
        status,
        head: head.to_owned(),
        body: body.to_owned(),
    };
    let length = reply.header("content-length");
    if length.is_some_and(|length| length.parse() != Ok(reply.body.len())) {
        return Err(broken());
    }
    Ok(reply)
}

/// A lead of a made-up person, told apart by a number.
pub(crate) fn lead(number: usize) -> Value {
    json!({
        "type": "lead.submit.request",
        "customer": {
            "first_name": format!("Test{number}"),
            "last_name": "Buyer",
            "email": format!("buyer-{number}@example.com"),
        },
        "consent": {
            "granted_at": "2026-05-01T12:00:00Z",
            "allowed_channels": ["email"],
            "consent_text": "I agree to be answered by email.",
            "scope": ["lead_submission"],
        },
        "source_agent": { "name": "test-agent" },
        "idempotency_key": format!("key-{number}"),
    })
}
