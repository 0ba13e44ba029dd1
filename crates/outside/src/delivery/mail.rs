//! Leads as mail.

use std::sync::Arc;

use leads::{DeliveryId, Purpose};
use lettre::{
    Address, Message,
    address::Envelope,
    message::{
        Body, Mailbox,
        header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue},
    },
};

use super::{
    courier::{Fault, Parcel, Receipt},
    words::Words,
};
use crate::{
    explain,
    mail::{MailError, MailServer, Mailer, SetupError, Stage, date, mailbox},
};

/// Longest line of a mail without its end (RFC 5322 §2.1.1).
const LONGEST_LINE: usize = 998;
/// Most characters of a subject.
const LONGEST_SUBJECT: usize = 200;

/// How leads leave as mail.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MailSettings {
    /// The server that takes them.
    pub server: MailServer,
    /// Sender in the header; its domain also names each mail.
    pub from: String,
    /// Where people's answers go.
    pub reply_to: Option<String>,
    /// Where bounces go; the sender when absent.
    pub bounce: Option<BounceAddress>,
}

/// The mailbox that bounces are sent to: the envelope sender of every mail.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BounceAddress {
    /// The mailbox.
    pub mailbox: String,
    /// Whether the delivery stands in it, as in `bounce+DELIVERY_ID@group.example`.
    pub tag: bool,
}

impl BounceAddress {
    /// The mailbox as it is, or with a tag.
    #[must_use]
    pub fn new(mailbox: impl Into<String>, tag: bool) -> Self {
        Self {
            mailbox: mailbox.into(),
            tag,
        }
    }
}

impl MailSettings {
    /// Mail from a mailbox by the server on this machine.
    #[must_use]
    pub fn new(server: MailServer, from: impl Into<String>) -> Self {
        Self {
            server,
            from: from.into(),
            reply_to: None,
            bounce: None,
        }
    }

    /// What sends them.
    pub(super) fn mailer(&self) -> Result<Mailer, SetupError> {
        let from = mailbox(&self.from)?;
        Mailer::new(self.server.clone(), from.email.domain())
    }

    /// What decides by which way mail leaves, as text.
    pub(super) fn digest(&self) -> String {
        let server = &self.server;
        format!(
            "{} {} {:?} {:?} {}",
            server.host,
            server.port,
            server.tls,
            server.login.user(),
            self.from
        )
    }
}

/// Carries leads to one mailbox.
#[derive(Debug)]
pub(super) struct MailCourier {
    mailer: Arc<Mailer>,
    from: Mailbox,
    reply_to: Option<Mailbox>,
    bounce: Mailbox,
    is_tagged: bool,
    to: Mailbox,
    copy_to: Option<Mailbox>,
}

impl MailCourier {
    pub(super) fn new(
        mailer: &Arc<Mailer>,
        settings: &MailSettings,
        to: &str,
        copy_to: Option<&str>,
    ) -> Result<Self, SetupError> {
        let bounce = settings.bounce.as_ref();
        Ok(Self {
            mailer: Arc::clone(mailer),
            from: mailbox(&settings.from)?,
            reply_to: settings.reply_to.as_deref().map(mailbox).transpose()?,
            bounce: mailbox(bounce.map_or(&settings.from, |it| &it.mailbox))?,
            is_tagged: bounce.is_some_and(|it| it.tag),
            to: mailbox(to)?,
            copy_to: copy_to.map(mailbox).transpose()?,
        })
    }

    pub(super) async fn send(&self, parcel: &Parcel) -> Result<Receipt, Fault> {
        let (to, text) = match (parcel.purpose, &self.copy_to) {
            (Purpose::Copy, Some(people)) => (people, &parcel.text),
            (Purpose::Copy, None) => {
                return Err(Fault::permanent("the destination has no `copy_to`"));
            }
            _ => (&self.to, &parcel.adf),
        };
        let mail = self.compose(parcel, to, text);
        let mail = mail.map_err(|error| {
            let error = explain(&error);
            Fault::permanent(format!("the mail cannot be written: {error}"))
        })?;
        let sent = self.mailer.send_message(&mail).await;
        let words = Words::of(parcel);
        match sent {
            Ok(said) => Ok(Receipt {
                detail: words.without(&said),
            }),
            Err(error) => Err(fault(&error, &words)),
        }
    }

    fn compose(
        &self,
        parcel: &Parcel,
        to: &Mailbox,
        text: &str,
    ) -> Result<Message, lettre::error::Error> {
        let id = &parcel.delivery_id;
        let sender = self.envelope_sender(id);
        let envelope = Envelope::new(Some(sender), vec![to.email.clone()])?;
        let mut mail = Message::builder()
            .envelope(envelope)
            .from(self.from.clone())
            .to(to.clone())
            .date(date(parcel.sent_at))
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .subject(line(&parcel.subject))
            .raw_header(header("Auto-Submitted", "auto-generated"))
            .raw_header(header("X-Forecourt-Lead", parcel.lead_id.as_str()))
            .header(ContentType::TEXT_PLAIN);
        if let Some(reply_to) = &self.reply_to {
            mail = mail.reply_to(reply_to.clone());
        }
        mail.body(body(text))
    }

    /// The bounce address, with the delivery in it by setting.
    fn envelope_sender(&self, id: &DeliveryId) -> Address {
        let plain = &self.bounce.email;
        if !self.is_tagged {
            return plain.clone();
        }
        let tagged = format!("{}+{id}", plain.user());
        Address::new(tagged, plain.domain()).unwrap_or_else(|_| plain.clone())
    }
}

/// The text as it travels. Text that every server can carry stays as it is, so that a reader that
/// knows no encodings finds it: ASCII whose lines are not longer than 998 (RFC 5322 §2.1.1). All
/// else becomes quoted-printable (RFC 2045 §6.7), which leaves markup readable and breaks lines.
fn body(text: &str) -> Body {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n");
    let is_plain = text.is_ascii()
        && !text.contains(['\r', '\0'])
        && text.lines().all(|line| line.len() <= LONGEST_LINE);
    if is_plain {
        let bytes = text.replace('\n', "\r\n").into_bytes();
        return Body::dangerous_pre_encoded(bytes, ContentTransferEncoding::SevenBit);
    }
    let encoded = Body::new_with_encoding(text, ContentTransferEncoding::QuotedPrintable);
    encoded.unwrap_or_else(Body::new)
}

/// A text that stands on one line of the header.
fn line(text: &str) -> String {
    let text = text.replace(char::is_control, " ");
    text.trim().chars().take(LONGEST_SUBJECT).collect()
}

fn header(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

/// What an error means for the delivery. What the operator or the server's owner has to put right,
/// such as a refused login or sender, stops every mail and is no reason to give this one up.
fn fault(error: &MailError, words: &Words) -> Fault {
    let MailError::Refused { stage, code, text } = error else {
        let detail = words.without(&explain(error));
        return match error {
            MailError::Broken { stage, .. } | MailError::TimedOut(stage)
                if *stage == Stage::Content =>
            {
                Fault::of_parcel(detail)
            }
            _ => Fault::of_destination(detail),
        };
    };
    let said = format!("{code} {}", words.without(text));
    match (stage, code) {
        (Stage::Login, _) | (_, 530 | 534 | 535 | 538) => Fault::of_destination(format!(
            "the mail server refused the login; look at [mail]: {said}"
        )),
        (Stage::Connect | Stage::Tls, _) | (_, 421) => Fault::of_destination(format!(
            "the mail server takes no mail at the moment, at {stage}: {said}"
        )),
        _ if is_of_sender(*stage, text) => Fault::of_destination(format!(
            "the mail server does not send for this account; look at [mail]: {said}"
        )),
        (Stage::Sender, 552) => Fault::permanent(format!("the mail is too large: {said}")),
        (Stage::Sender, _) => Fault::of_destination(format!(
            "the mail server refused the sender; look at `from` and `bounce_address` of [mail]: {said}"
        )),
        (_, 452) => Fault::of_destination(format!("the mailbox is full: {said}")),
        (_, 552) => Fault::permanent(format!("the mailbox is full: {said}")),
        (Stage::Recipient, 400..500) => {
            Fault::of_destination(format!("the mailbox cannot be delivered to yet: {said}"))
        }
        (Stage::Content, 400..500) => {
            Fault::of_parcel(format!("the mail was not taken yet: {said}"))
        }
        (Stage::Recipient, _) => Fault::permanent(format!("the mailbox was refused: {said}")),
        (Stage::Content, _) => Fault::permanent(format!("the mail was refused: {said}")),
    }
}

/// True for refusals of a recipient or a mail whose words say that they are the sender's fault: a
/// server that sends on for nobody who has not logged in, and Exchange Online, which looks at the
/// account only after it has the mail (not allowed to send as this sender; its own mailbox full).
fn is_of_sender(stage: Stage, text: &str) -> bool {
    let text = text.to_lowercase();
    match stage {
        Stage::Recipient => text.contains("relay"),
        Stage::Content => {
            text.contains("sendasdenied")
                || text.contains("storedrv.submission")
                || text.contains("storedrv.clientsubmit")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
