//! A mail server that keeps what it is sent.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Duration,
};

/// Longest wait of a test for a mail.
const PATIENCE: Duration = Duration::from_secs(20);

/// A mail as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Envelope sender.
    pub from: String,
    /// Envelope recipients.
    pub to: Vec<String>,
    /// Header and body, line ends as `\n`.
    pub text: String,
}

/// A plain SMTP server (RFC 5321) on a free loopback port. It takes every mail unless it was told
/// to answer otherwise, and ends with the test process.
#[derive(Debug)]
pub struct MailSink {
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
    mails: Vec<Mail>,
    answers: VecDeque<String>,
    attempts: usize,
}

impl MailSink {
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
                thread::spawn(move || converse(&stream, &shared));
            }
        });
        Self { address, shared }
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers the next recipient like this instead of taking it, for example
    /// `451 try again later`. Several answers are given one after the other.
    pub fn answer_next(&self, answer: &str) {
        let mut state = self.shared.state.lock().unwrap();
        state.answers.push_back(answer.to_owned());
    }

    /// The mails that arrived.
    #[must_use]
    pub fn mails(&self) -> Vec<Mail> {
        self.shared.state.lock().unwrap().mails.clone()
    }

    /// How many recipients were named, taken or not.
    #[must_use]
    pub fn attempts(&self) -> usize {
        self.shared.state.lock().unwrap().attempts
    }

    /// Waits until so many mails have arrived.
    ///
    /// # Panics
    /// When they do not arrive in time.
    #[must_use]
    pub fn wait_for(&self, count: usize) -> Vec<Mail> {
        let state = self.shared.state.lock().unwrap();
        let (state, _) = self
            .shared
            .arrived
            .wait_timeout_while(state, PATIENCE, |state| state.mails.len() < count)
            .unwrap();
        assert!(
            state.mails.len() >= count,
            "{} mails arrived instead of {count}",
            state.mails.len()
        );
        state.mails.clone()
    }
}

/// One SMTP session. A client that goes away ends it.
fn converse(stream: &TcpStream, shared: &Shared) -> Option<()> {
    let mut lines = BufReader::new(stream);
    let say = |text: &str| {
        let mut stream = stream;
        stream.write_all(format!("{text}\r\n").as_bytes()).ok()
    };
    let mut mail = new_mail();
    say("220 sink ESMTP")?;
    loop {
        let line = read_line(&mut lines)?;
        let upper = line.to_ascii_uppercase();
        match upper.split([' ', ':']).next().unwrap_or_default() {
            "EHLO" | "HELO" => say("250 sink")?,
            "MAIL" => {
                mail = new_mail();
                mail.from = address(&line);
                say("250 ok")?;
            }
            "RCPT" => {
                let answer = {
                    let mut state = shared.state.lock().unwrap();
                    state.attempts += 1;
                    state.answers.pop_front()
                };
                match answer {
                    Some(answer) => say(&answer)?,
                    None => {
                        mail.to.push(address(&line));
                        say("250 ok")?;
                    }
                }
            }
            "DATA" => {
                say("354 go on")?;
                mail.text = read_text(&mut lines)?;
                shared.state.lock().unwrap().mails.push(mail);
                shared.arrived.notify_all();
                mail = new_mail();
                say("250 kept")?;
            }
            "QUIT" => return say("221 bye"),
            _ => say("250 ok")?,
        }
    }
}

const fn new_mail() -> Mail {
    Mail {
        from: String::new(),
        to: Vec::new(),
        text: String::new(),
    }
}

fn read_line(lines: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    let read = lines.read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}

/// The mail up to the line with one dot; a dot at the beginning of a line was doubled (RFC 5321
/// §4.5.2).
fn read_text(lines: &mut impl BufRead) -> Option<String> {
    let mut text = String::new();
    loop {
        let line = read_line(lines)?;
        if line == "." {
            return Some(text);
        }
        text.push_str(line.strip_prefix('.').unwrap_or(&line));
        text.push('\n');
    }
}

fn address(line: &str) -> String {
    let inside = line
        .split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'));
    inside.map_or("", |(address, _)| address).to_owned()
}
