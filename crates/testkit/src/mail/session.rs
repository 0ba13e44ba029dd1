//! One SMTP session.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rustls::{ServerConnection, StreamOwned};

use super::{Account, Act, At, Mail, Protection, State, certificate};
use crate::inbox::{Inbox, read_line};

/// Serves one connection. `None` when the client goes away.
pub(super) fn serve(stream: &TcpStream, inbox: &Inbox<State>) -> Option<()> {
    // Answers are short and wait for nothing.
    stream.set_nodelay(true).ok()?;
    let protection = {
        let mut state = inbox.state();
        state.connections += 1;
        state.protection.clone()
    };
    let protection = protection.unwrap_or(Protection::None);
    let mut clear = Session {
        lines: BufReader::new(stream),
        inbox,
        is_encrypted: false,
        may_upgrade: matches!(protection, Protection::StartTls(_)),
        login: String::new(),
    };
    if !matches!(protection, Protection::Implicit(_)) {
        clear.greet()?;
        if !clear.converse()? {
            return Some(());
        }
    }
    let settings = Arc::clone(certificate(&protection)?.server());
    let connection = ServerConnection::new(settings).ok()?;
    let mut secured = Session {
        lines: BufReader::new(StreamOwned::new(connection, stream.try_clone().ok()?)),
        inbox,
        is_encrypted: true,
        may_upgrade: false,
        login: String::new(),
    };
    if matches!(protection, Protection::Implicit(_)) {
        secured.greet()?;
    }
    secured.converse()?;
    Some(())
}

struct Session<'a, S: Read> {
    lines: BufReader<S>,
    inbox: &'a Inbox<State>,
    is_encrypted: bool,
    may_upgrade: bool,
    login: String,
}

impl<S: Read + Write> Session<'_, S> {
    fn greet(&mut self) -> Option<()> {
        self.usual_or_act(At::Banner, "220 sink ESMTP").map(drop)
    }

    /// Talks until the client goes, or wants to go on under TLS: then true.
    fn converse(&mut self) -> Option<bool> {
        let mut mail = self.new_mail();
        loop {
            let line = read_line(&mut self.lines)?;
            let upper = line.to_ascii_uppercase();
            match upper.split([' ', ':']).next().unwrap_or_default() {
                "EHLO" | "HELO" => self.hello()?,
                "STARTTLS" if self.may_upgrade => {
                    self.say("220 go on")?;
                    return Some(true);
                }
                "AUTH" => self.log_in(&line)?,
                "MAIL" if self.may_upgrade => self.say("530 5.7.0 Must issue STARTTLS first")?,
                "MAIL" if self.must_log_in() => self.say("530 5.7.0 Authentication required")?,
                "MAIL" => {
                    mail = self.new_mail();
                    mail.from = address(&line);
                    self.usual_or_act(At::Sender, "250 ok")?;
                }
                "RCPT" => {
                    self.inbox.state().attempts += 1;
                    if self.usual_or_act(At::Recipient, "250 ok")? {
                        mail.to.push(address(&line));
                    }
                }
                "DATA" if mail.to.is_empty() => self.say("554 5.5.1 no valid recipients")?,
                "DATA" => {
                    if self.usual_or_act(At::Data, "354 go on")? {
                        mail.text = read_text(&mut self.lines)?;
                        self.take(std::mem::replace(&mut mail, self.new_mail()))?;
                    }
                }
                "QUIT" => {
                    self.say("221 bye")?;
                    return None;
                }
                _ => self.say("250 ok")?,
            }
        }
    }

    fn hello(&mut self) -> Option<()> {
        let mut lines = vec!["250-sink".to_owned()];
        if self.may_upgrade {
            lines.push("250-STARTTLS".to_owned());
        } else if let Some(account) = &self.inbox.state().account {
            lines.push(format!("250-AUTH {}", account.mechanisms));
        }
        lines.push("250 8BITMIME".to_owned());
        self.usual_or_act(At::Hello, &lines.join("\r\n")).map(drop)
    }

    fn must_log_in(&self) -> bool {
        self.login.is_empty() && self.inbox.state().account.is_some()
    }

    /// `AUTH` (RFC 4954).
    fn log_in(&mut self, line: &str) -> Option<()> {
        let account = self.inbox.state().account.clone().unwrap_or_default();
        let mut words = line.split_ascii_whitespace().skip(1);
        let mechanism = words.next().unwrap_or_default().to_ascii_uppercase();
        let first = words.next().and_then(decoded);
        let is_right = match (mechanism.as_str(), first) {
            ("PLAIN", Some(words)) => words == format!("\0{}\0{}", account.user, account.password),
            ("LOGIN", None) => {
                let user = self.ask("Username:")?;
                let password = self.ask("Password:")?;
                (user, password) == (account.user.clone(), account.password.clone())
            }
            ("XOAUTH2", Some(words)) => self.is_token(&account, &words)?,
            _ => false,
        };
        if !is_right {
            return self.say("535 5.7.8 Authentication credentials invalid");
        }
        if self.usual_or_act(At::Login, "235 2.7.0 welcome")? {
            self.login = format!("{mechanism} {}", account.user);
        }
        Some(())
    }

    /// A wrong token is told as Base64 at first; the client answers with an empty line.
    fn is_token(&mut self, account: &Account, words: &str) -> Option<bool> {
        let right = format!(
            "user={}\x01auth=Bearer {}\x01\x01",
            account.user, account.token
        );
        if words == right {
            return Some(true);
        }
        let why = STANDARD.encode(r#"{"status":"401","schemes":"bearer"}"#);
        self.say(&format!("334 {why}"))?;
        read_line(&mut self.lines)?;
        Some(false)
    }

    fn ask(&mut self, question: &str) -> Option<String> {
        self.say(&format!("334 {}", STANDARD.encode(question)))?;
        Some(decoded(&read_line(&mut self.lines)?).unwrap_or_default())
    }

    /// Keeps a mail that arrived whole, unless an answer is to refuse it.
    fn take(&mut self, mail: Mail) -> Option<()> {
        let act = self.inbox.state().act(At::Content);
        let refuses = matches!(&act, Some(Act::Say(answer)) if !answer.starts_with('2'));
        if !refuses {
            self.inbox.state().mails.push(mail);
            self.inbox.notify();
        }
        match act {
            None => self.say("250 kept"),
            Some(act) => self.perform(&act),
        }
    }

    /// Gives the usual answer, unless something else is to happen here: then false.
    fn usual_or_act(&mut self, at: At, usual: &str) -> Option<bool> {
        let act = self.inbox.state().act(at);
        match act {
            None => self.say(usual).map(|()| true),
            Some(act) => self.perform(&act).map(|()| false),
        }
    }

    fn perform(&mut self, act: &Act) -> Option<()> {
        match act {
            Act::Say(answer) => self.say(answer),
            Act::Close => None,
            Act::Hang => {
                while read_line(&mut self.lines).is_some() {}
                None
            }
        }
    }

    fn say(&mut self, text: &str) -> Option<()> {
        let stream = self.lines.get_mut();
        stream.write_all(format!("{text}\r\n").as_bytes()).ok()?;
        stream.flush().ok()
    }

    fn new_mail(&self) -> Mail {
        Mail {
            from: String::new(),
            to: Vec::new(),
            text: String::new(),
            is_encrypted: self.is_encrypted,
            login: self.login.clone(),
        }
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

fn decoded(text: &str) -> Option<String> {
    String::from_utf8(STANDARD.decode(text).ok()?).ok()
}
