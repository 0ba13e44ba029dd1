//! A mailbox that can be read by IMAP.

use std::{
    io::{BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::{
    certificate::Certificate,
    inbox::{Inbox, read_line},
};

/// A mail in the mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its number, which no other mail has (RFC 3501 §2.3.1.1).
    pub uid: u32,
    /// Header and body.
    pub bytes: Vec<u8>,
    /// Whether it was marked as seen.
    pub seen: bool,
    /// The folder in which it lies.
    pub folder: String,
}

/// How the server protects connections.
#[derive(Debug, Clone)]
pub enum Protection {
    /// Not at all.
    None,
    /// From the first byte on.
    Implicit(Certificate),
    /// After `STARTTLS`; before it nobody can log in.
    StartTls(Certificate),
}

/// A small IMAP server (RFC 3501, RFC 6851 for `MOVE`) on a free loopback port, with one account
/// `bounces` whose password is `secret` and whose access token is `token`. It ends with the test
/// process.
#[derive(Debug)]
pub struct Mailbox {
    address: SocketAddr,
    inbox: Arc<Inbox<State>>,
}

#[derive(Debug, Default)]
struct State {
    protection: Option<Protection>,
    uid_validity: u32,
    mails: Vec<Stored>,
    commands: Vec<String>,
    without_move: bool,
    /// A folder that is not there.
    refused_folder: Option<String>,
}

impl Mailbox {
    /// Starts the server.
    #[must_use]
    pub fn start(protection: Protection) -> Self {
        let (address, inbox) = Inbox::<State>::serve(|stream, inbox| {
            let protection = inbox.state().protection.clone();
            // A client that goes away ends it.
            let _ = match protection {
                Some(Protection::Implicit(certificate)) => {
                    secured(stream, &certificate, inbox, Session::default())
                }
                Some(Protection::StartTls(certificate)) => {
                    in_clear(stream, inbox, Some(&certificate))
                }
                _ => in_clear(stream, inbox, None),
            };
        });
        inbox.state().protection = Some(protection);
        inbox.state().uid_validity = 1;
        Self { address, inbox }
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Puts a mail into `INBOX`.
    pub fn deliver(&self, bytes: &[u8]) {
        let mut state = self.inbox.state();
        let last = state.mails.iter().map(|it| it.uid).max();
        state.mails.push(Stored {
            uid: last.unwrap_or_default() + 1,
            bytes: bytes.to_owned(),
            seen: false,
            folder: "INBOX".to_owned(),
        });
    }

    /// Numbers the mails anew, as a server does that lost its index.
    pub fn renumber(&self) {
        let mut state = self.inbox.state();
        state.uid_validity += 1;
        for (uid, mail) in (1..).zip(&mut state.mails) {
            mail.uid = uid;
        }
    }

    /// Answers like a server that cannot move mails.
    pub fn forget_move(&self) {
        self.inbox.state().without_move = true;
    }

    /// Answers as if there were no folder of this name.
    pub fn refuse_folder(&self, name: &str) {
        self.inbox.state().refused_folder = Some(name.to_owned());
    }

    /// The mails, wherever they lie.
    #[must_use]
    pub fn mails(&self) -> Vec<Stored> {
        self.inbox.state().mails.clone()
    }

    /// The commands of all clients, without tags and secrets.
    #[must_use]
    pub fn commands(&self) -> Vec<String> {
        self.inbox.state().commands.clone()
    }
}

/// How far a client is.
#[derive(Debug, Default)]
struct Session {
    greeted: bool,
    logged_in: bool,
    folder: String,
}

fn in_clear(
    stream: &TcpStream,
    inbox: &Inbox<State>,
    certificate: Option<&Certificate>,
) -> Option<()> {
    let mut session = Session::default();
    let mut lines = BufReader::new(stream);
    let upgraded = converse(&mut lines, inbox, &mut session, certificate.is_some())?;
    match certificate {
        Some(certificate) if upgraded => secured(stream, certificate, inbox, session),
        _ => Some(()),
    }
}

fn secured(
    stream: &TcpStream,
    certificate: &Certificate,
    inbox: &Inbox<State>,
    mut session: Session,
) -> Option<()> {
    let settings: Arc<ServerConfig> = Arc::clone(certificate.server());
    let connection = ServerConnection::new(settings).ok()?;
    let stream = StreamOwned::new(connection, stream.try_clone().ok()?);
    converse(&mut BufReader::new(stream), inbox, &mut session, false)?;
    Some(())
}

/// One session. True when the client wants to go on under TLS.
fn converse(
    lines: &mut BufReader<impl Read + Write>,
    inbox: &Inbox<State>,
    session: &mut Session,
    must_secure: bool,
) -> Option<bool> {
    if !session.greeted {
        say(lines, "* OK ready")?;
        session.greeted = true;
    }
    loop {
        let line = read_line(lines)?;
        let (tag, command) = line.split_once(' ')?;
        let words = words(command);
        let verb = words.first()?.to_ascii_uppercase();
        let shown = match verb.as_str() {
            "LOGIN" => "LOGIN".to_owned(),
            _ => command.to_owned(),
        };
        inbox.state().commands.push(shown);
        match verb.as_str() {
            "CAPABILITY" => {
                let moves = if inbox.state().without_move {
                    ""
                } else {
                    " MOVE"
                };
                say(
                    lines,
                    &format!("* CAPABILITY IMAP4rev1 AUTH=XOAUTH2{moves}"),
                )?;
                say(lines, &format!("{tag} OK"))?;
            }
            "STARTTLS" if must_secure => {
                say(lines, &format!("{tag} OK go on"))?;
                return Some(true);
            }
            "LOGIN" if !must_secure => {
                session.logged_in = words[1..] == ["bounces", "secret"];
                let answer = if session.logged_in { "OK" } else { "NO wrong" };
                say(lines, &format!("{tag} {answer}"))?;
            }
            "AUTHENTICATE" if !must_secure => {
                say(lines, "+ ")?;
                let sent = STANDARD.decode(read_line(lines)?).ok()?;
                session.logged_in = sent == b"user=bounces\x01auth=Bearer token\x01\x01";
                if !session.logged_in {
                    say(
                        lines,
                        &format!("+ {}", STANDARD.encode("{\"status\":\"401\"}")),
                    )?;
                    read_line(lines)?;
                }
                let answer = if session.logged_in { "OK" } else { "NO wrong" };
                say(lines, &format!("{tag} {answer}"))?;
            }
            "LOGOUT" => {
                say(lines, "* BYE")?;
                say(lines, &format!("{tag} OK"))?;
                return Some(false);
            }
            "NOOP" => say(lines, &format!("{tag} OK"))?,
            "SELECT" if session.logged_in => {
                session.folder = words.get(1)?.clone();
                let state = inbox.state();
                let count = in_folder(&state, session).count();
                let validity = state.uid_validity;
                drop(state);
                say(lines, &format!("* {count} EXISTS"))?;
                say(lines, &format!("* OK [UIDVALIDITY {validity}]"))?;
                say(lines, &format!("{tag} OK [READ-WRITE]"))?;
            }
            "UID" if session.logged_in => {
                let refused = inbox.state().refused_folder.clone();
                if refused.is_some_and(|folder| words.contains(&folder)) {
                    say(lines, &format!("{tag} NO [TRYCREATE] no such folder"))?;
                } else {
                    by_uid(lines, inbox, session, &words[1..])?;
                    say(lines, &format!("{tag} OK"))?;
                }
            }
            _ => say(lines, &format!("{tag} BAD not here"))?,
        }
    }
}

/// A command on mails by their numbers.
fn by_uid(
    lines: &mut BufReader<impl Read + Write>,
    inbox: &Inbox<State>,
    session: &Session,
    words: &[String],
) -> Option<()> {
    let verb = words.first()?.to_ascii_uppercase();
    let mut state = inbox.state();
    if verb == "SEARCH" {
        let unseen = in_folder(&state, session).filter(|it| !it.seen);
        let uids: Vec<String> = unseen.map(|it| it.uid.to_string()).collect();
        drop(state);
        return say(lines, &format!("* SEARCH {}", uids.join(" ")));
    }
    let wanted: u32 = words.get(1)?.parse().ok()?;
    let sequence = in_folder(&state, session).position(|it| it.uid == wanted);
    let Some(sequence) = sequence.map(|it| it + 1) else {
        return Some(());
    };
    let mail = state
        .mails
        .iter_mut()
        .find(|it| it.uid == wanted && it.folder == session.folder)?;
    match verb.as_str() {
        "FETCH" => {
            let item = words.last()?;
            let most: usize = item
                .split_once("<0.")
                .and_then(|(_, rest)| rest.trim_end_matches(['>', ')']).parse().ok())?;
            let body = mail.bytes[..mail.bytes.len().min(most)].to_vec();
            drop(state);
            let head = format!(
                "* {sequence} FETCH (UID {wanted} BODY[]<0> {{{}}}\r\n",
                body.len()
            );
            let stream = lines.get_mut();
            stream.write_all(head.as_bytes()).ok()?;
            stream.write_all(&body).ok()?;
            stream.write_all(b")\r\n").ok()
        }
        "STORE" => {
            mail.seen |= words.iter().any(|it| it.contains("\\Seen"));
            Some(())
        }
        "MOVE" => {
            mail.folder = words.get(2)?.clone();
            drop(state);
            say(lines, &format!("* {sequence} EXPUNGE"))
        }
        "COPY" => {
            let mut copy = mail.clone();
            copy.folder = words.get(2)?.clone();
            state.mails.push(copy);
            Some(())
        }
        _ => None,
    }
}

fn in_folder<'s>(state: &'s State, session: &'s Session) -> impl Iterator<Item = &'s Stored> {
    state.mails.iter().filter(|it| it.folder == session.folder)
}

fn say(lines: &mut BufReader<impl Read + Write>, text: &str) -> Option<()> {
    let stream = lines.get_mut();
    stream.write_all(format!("{text}\r\n").as_bytes()).ok()?;
    stream.flush().ok()
}

/// The words of a command; quoted ones without their quotes.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for letter in command.chars() {
        match letter {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            letter => word.push(letter),
        }
    }
    words.push(word);
    words
}
