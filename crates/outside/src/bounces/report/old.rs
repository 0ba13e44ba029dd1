//! Bounces of mail servers that send no delivery status, known by their sender and their words.

use std::borrow::Cow;

use mail_parser::Message;

use super::{Verdict, headers};
use crate::bounces::Status;

/// So many lines are read for words; the mail that comes back stands below them.
const MOST_LINES: usize = 60;

/// Local parts of the addresses from which servers send bounces.
const DAEMONS: [&str; 3] = ["mailer-daemon", "postmaster", "mail-daemon"];

/// What the subjects of bounces hold, in lower case.
const BOUNCE_SUBJECTS: [&str; 9] = [
    "undeliver",
    "delivery status notification",
    "delivery failure",
    "delivery has failed",
    "delivery failed",
    "failure notice",
    "returned mail",
    "returned to sender",
    "mail system error",
];

/// How the subjects of automatic replies begin, in lower case.
const REPLY_SUBJECTS: [&str; 6] = [
    "automatic reply",
    "auto reply",
    "autoreply",
    "auto:",
    "out of office",
    "out of the office",
];

/// What is said of a mail that is still on its way, in lower case.
const DELAYS: [&str; 9] = [
    "will be retried",
    "will retry",
    "still trying",
    "attempts will continue",
    "will continue to try",
    "not yet been delivered",
    "delivery delayed",
    "has been delayed",
    "could not send message for past",
];

/// Lines below which the mail that comes back stands, in lower case.
const RETURNED: [&str; 9] = [
    "return-path:",
    "received:",
    "message-id:",
    "from:",
    "--- below this line",
    "------ this is a copy",
    "----- original message",
    "-----original message",
    "--- the header of the original",
];

pub(super) fn verdict(message: &Message<'_>) -> Verdict {
    let subject = message.subject().unwrap_or_default().to_lowercase();
    let says = |words: &[&str]| words.iter().any(|it| subject.contains(it));
    let has = |name| headers(message, name).next().is_some();
    if REPLY_SUBJECTS.iter().any(|it| subject.starts_with(it)) {
        return Verdict::AutoReply;
    }
    // Some servers mark their bounces as replies of a machine, so that the sender comes first.
    let from_server = has("X-Failed-Recipients") || is_from_daemon(message);
    if !from_server && is_reply(message) {
        return Verdict::AutoReply;
    }
    let is_delay = subject.contains("delayed") || subject.starts_with("warning");
    if !from_server && !says(&BOUNCE_SUBJECTS) {
        return Verdict::Other;
    }
    let text = text(message).to_lowercase();
    if is_delay || DELAYS.iter().any(|it| text.contains(it)) {
        Verdict::Delayed
    } else {
        Verdict::Failed
    }
}

/// The status in the words of the server.
pub(super) fn status(message: &Message<'_>) -> Option<Status> {
    Status::in_text(&text(message))
}

fn is_from_daemon(message: &Message<'_>) -> bool {
    let mut senders = headers(message, "From").chain(headers(message, "Return-Path"));
    senders.any(|it| {
        let it = it.to_lowercase();
        DAEMONS
            .iter()
            .any(|name| it.contains(&format!("{name}@")) || it.trim() == *name)
    })
}

/// A machine answers for a person (RFC 3834 §5, and what came before it).
fn is_reply(message: &Message<'_>) -> bool {
    let begins = |name, word| {
        let mut values = headers(message, name);
        values.any(|it| it.trim().to_ascii_lowercase().starts_with(word))
    };
    let has = |name| headers(message, name).next().is_some();
    begins("Auto-Submitted", "auto-replied")
        || begins("Precedence", "auto_reply")
        || has("X-Autoreply")
        || has("X-Autorespond")
}

/// What the server says, above the mail that comes back: somebody else's words stand there.
fn text(message: &Message<'_>) -> String {
    let body = message.body_text(0).unwrap_or(Cow::Borrowed(""));
    let lines = body.lines().take(MOST_LINES).take_while(|line| {
        let line = line.trim_start().to_lowercase();
        !RETURNED.iter().any(|it| line.starts_with(it))
    });
    lines.collect::<Vec<_>>().join(" ")
}
