//! Reading a mail that came to the envelope sender of the leads: is it a bounce, of which delivery,
//! and why.
//!
//! Delivery status notifications (RFC 3464) say so in fields; older bounces only in words
//! (`old`). Everything else that such an address gets is told apart: notices of delay, replies of
//! machines (RFC 3834), complaints (RFC 5965), read receipts (RFC 8098).
//!
//! Nothing in a mail proves who sent it. What is read here is a claim, and [`super::take()`] decides
//! what it may change.

mod fields;
mod old;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use jiff::Timestamp;
use leads::DeliveryId;
use mail_parser::{HeaderName, Message, MessageParser, MessagePart, MimeHeaders as _, PartType};

use self::fields::{Fields, blocks};
use super::Status;

/// Mails are read so far; the report stands before the mail that comes back.
pub const MOST_BYTES: usize = 256 * 1024;
/// More parts than any bounce has. Mails in mails take stack each.
const MOST_PARTS: usize = 100;
/// A mail that names more deliveries than this is none of ours.
const MOST_IDS: usize = 8;

/// What a mail says about a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// What became of the delivery.
    pub verdict: Verdict,
    /// The deliveries that it may be about, the surest first. Ids of other programs' mails may be
    /// among them.
    pub about: Vec<DeliveryId>,
    /// The status that was given.
    pub status: Option<Status>,
    /// Host name of the mail server that says so.
    pub reporter: Option<String>,
    /// When it says so.
    pub dated: Option<Timestamp>,
}

/// What became of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It came back for good.
    Failed,
    /// It has not arrived yet and is still on its way.
    Delayed,
    /// A machine answers for a person who is away; the mail arrived.
    AutoReply,
    /// Nothing of this.
    Other,
}

impl Report {
    /// The status and the reason in words of our own, without any of the mail's text: what is quoted
    /// there may be about a person.
    #[must_use]
    pub fn reason(&self) -> String {
        let mut text = match self.status {
            Some(status) => format!("{status} {}", status.words()),
            None => "no reason was given".to_owned(),
        };
        if let Some(reporter) = &self.reporter {
            text.push_str(", says ");
            text.push_str(reporter);
        }
        text
    }
}

/// Reads a mail as it came, or its beginning. It never fails: bytes that are no mail say nothing.
///
/// ```
/// use outside::bounces::{Verdict, read};
///
/// let mail = "From: MAILER-DAEMON@mx.example\r\n\
///     To: bounces+019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b@group.example\r\n\
///     Subject: failure notice\r\n\r\n\
///     <leads@crm.example>: 550 5.1.1 unknown\r\n";
/// let report = read(mail.as_bytes());
/// assert_eq!(report.verdict, Verdict::Failed);
/// assert_eq!(report.about[0].as_str(), "019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b");
/// assert_eq!(report.reason(), "5.1.1 there is no such mailbox");
/// ```
#[must_use]
pub fn read(mail: &[u8]) -> Report {
    let mail = &mail[..mail.len().min(MOST_BYTES)];
    // Built with overflow checks, the library panics at a soft line break before a boundary.
    let report = std::panic::catch_unwind(|| {
        let parsed = (parts(mail) <= MOST_PARTS).then(|| MessageParser::new().parse(mail));
        parsed.flatten().map(|message| report(&message))
    });
    report.ok().flatten().unwrap_or(Report {
        verdict: Verdict::Other,
        about: Vec::new(),
        status: None,
        reporter: None,
        dated: None,
    })
}

fn report(message: &Message<'_>) -> Report {
    let notice = Notice::of(message);
    let verdict = notice.verdict().unwrap_or_else(|| without_notice(message));
    let dated = message.date();
    Report {
        verdict,
        about: ids(message),
        status: notice.status().or_else(|| old::status(message)),
        reporter: notice.reporter(),
        dated: dated.and_then(|it| Timestamp::from_second(it.to_timestamp()).ok()),
    }
}

/// No part, and no mail in the mail, is without this header, as far as it nests.
fn parts(mail: &[u8]) -> usize {
    let name = b"content-type";
    let windows = mail.windows(name.len());
    windows.filter(|it| it.eq_ignore_ascii_case(name)).count()
}

/// What a mail says that carries no delivery status.
fn without_notice(message: &Message<'_>) -> Verdict {
    let kinds = [
        "feedback-report",
        "disposition-notification",
        "global-disposition-notification",
    ];
    let is_other_report = message.parts.iter().any(|part| {
        part.content_type().is_some_and(|it| {
            it.ctype().eq_ignore_ascii_case("message")
                && it
                    .subtype()
                    .is_some_and(|it| kinds.iter().any(|kind| it.eq_ignore_ascii_case(kind)))
        })
    });
    if is_other_report {
        return Verdict::Other;
    }
    old::verdict(message)
}

/// The fields of a delivery status notification (RFC 3464, RFC 6533); empty where there is none.
struct Notice {
    blocks: Vec<Fields>,
}

impl Notice {
    fn of(message: &Message<'_>) -> Self {
        let parts = message.parts.iter().filter(|part| {
            is_type(part, "message", "delivery-status")
                || is_type(part, "message", "global-delivery-status")
        });
        let blocks = parts.flat_map(|part| blocks(&String::from_utf8_lossy(part.contents())));
        Self {
            blocks: blocks.collect(),
        }
    }

    /// The action counts (RFC 3464 §2.3.3): a server that gave up after days of trying says `failed`
    /// with a transient status. Where none is named, the class of the status does.
    fn verdict(&self) -> Option<Verdict> {
        let verdicts = || {
            self.blocks.iter().filter_map(|block| {
                let status = block.status();
                match block.word("action").as_deref() {
                    Some("failed") => Some(Verdict::Failed),
                    Some("delayed") => Some(Verdict::Delayed),
                    Some("delivered" | "relayed" | "expanded") => Some(Verdict::Other),
                    _ if status?.is_permanent() => Some(Verdict::Failed),
                    _ if status?.is_transient() => Some(Verdict::Delayed),
                    _ => Some(Verdict::Other),
                }
            })
        };
        [Verdict::Failed, Verdict::Delayed, Verdict::Other]
            .into_iter()
            .find(|verdict| verdicts().any(|it| it == *verdict))
    }

    /// The block that tells why: of a recipient that failed, else of any.
    fn telling(&self) -> Option<&Fields> {
        let failed = |block: &&Fields| block.word("action").as_deref() == Some("failed");
        let known = |block: &&Fields| block.status().is_some();
        let blocks = || self.blocks.iter();
        blocks().find(failed).or_else(|| blocks().find(known))
    }

    fn status(&self) -> Option<Status> {
        self.telling()?.status()
    }

    fn reporter(&self) -> Option<String> {
        let remote = self.telling().and_then(|block| block.host("remote-mta"));
        let mut reporting = self.blocks.iter();
        remote.or_else(|| reporting.find_map(|block| block.host("reporting-mta")))
    }
}

/// The deliveries that a mail may be about. The recipient comes first, as it is the envelope sender
/// of one delivery; then the header that came back; then what the mail answers; then its text.
fn ids(message: &Message<'_>) -> Vec<DeliveryId> {
    let mut found = Vec::new();
    let mut note = |text: &str| {
        for id in ids_in(text) {
            if found.len() < MOST_IDS && !found.contains(&id) {
                found.push(id);
            }
        }
    };
    for name in [
        "Delivered-To",
        "X-Original-To",
        "Envelope-To",
        "X-Delivered-To",
        "To",
    ] {
        headers(message, name).for_each(|it| note(&it));
    }
    for part in &message.parts {
        if let PartType::Message(returned) = &part.body {
            headers(returned, "Message-ID").for_each(|it| note(&it));
        } else if is_type(part, "text", "rfc822-headers")
            || is_type(part, "message", "global-headers")
        {
            let text = String::from_utf8_lossy(part.contents());
            for block in blocks(&text) {
                note(block.get("message-id").unwrap_or_default());
            }
        }
    }
    for name in ["In-Reply-To", "References"] {
        headers(message, name).for_each(|it| note(&it));
    }
    for part in &message.parts {
        if !part.is_message() {
            note(&String::from_utf8_lossy(part.contents()));
        }
    }
    found
}

/// The identifiers that stand before an `@`, as in a Message-ID of a lead's mail and in its envelope
/// sender: `<ID@group.example>`, `bounces+ID@group.example`.
pub fn ids_in(text: &str) -> impl Iterator<Item = DeliveryId> {
    const LENGTH: usize = 36;
    text.match_indices('@').filter_map(move |(end, _)| {
        let start = end.checked_sub(LENGTH)?;
        let id = text.get(start..end)?;
        let before = text[..start].bytes().next_back();
        let apart = before.is_none_or(|it| !it.is_ascii_alphanumeric() && it != b'-');
        (apart && id.as_bytes()[8] == b'-')
            .then(|| id.parse().ok())
            .flatten()
    })
}

/// Every value of a header, as it stands in the mail.
fn headers<'m>(message: &'m Message<'_>, name: &'static str) -> impl Iterator<Item = Cow<'m, str>> {
    let name = HeaderName::parse(name);
    let all = message.parts.first().map(|part| part.headers.as_slice());
    let all = all.unwrap_or_default().iter();
    all.filter(move |it| Some(&it.name) == name.as_ref())
        .filter_map(|it| {
            let place = it.offset_start as usize..it.offset_end as usize;
            message.raw_message.get(place).map(String::from_utf8_lossy)
        })
}

fn is_type(part: &MessagePart<'_>, kind: &str, subtype: &str) -> bool {
    part.content_type().is_some_and(|it| {
        let other = it.subtype().unwrap_or_default();
        it.ctype().eq_ignore_ascii_case(kind) && other.eq_ignore_ascii_case(subtype)
    })
}
