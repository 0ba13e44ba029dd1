//! A mail server that keeps what it is sent.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
};

use crate::inbox::{Inbox, read_line};

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
    inbox: Arc<Inbox<State>>,
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
        let (address, inbox) = Inbox::serve(|stream, inbox| {
            // A client that goes away ends it.
            let _ = converse(stream, inbox);
        });
        Self { address, inbox }
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers the next recipient like this instead of taking it, for example
    /// `451 try again later`. Several answers are given one after the other.
    pub fn answer_next(&self, answer: &str) {
        let mut state = self.inbox.state();
        state.answers.push_back(answer.to_owned());
    }

    /// The mails that arrived.
    #[must_use]
    pub fn mails(&self) -> Vec<Mail> {
        self.inbox.state().mails.clone()
    }

    /// How many recipients were named, taken or not.
    #[must_use]
    pub fn attempts(&self) -> usize {
        self.inbox.state().attempts
    }

    /// Waits until so many mails have arrived.
    ///
    /// # Panics
    /// When they do not arrive in time.
    #[must_use]
    pub fn wait_for(&self, count: usize) -> Vec<Mail> {
        self.inbox.wait_for(count, |state| &state.mails)
    }
}

/// One SMTP session. A client that goes away ends it.
fn converse(stream: &TcpStream, inbox: &Inbox<State>) -> Option<()> {
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
                    let mut state = inbox.state();
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
                inbox.state().mails.push(mail);
                inbox.notify();
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
