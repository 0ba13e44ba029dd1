//! Enhanced mail system status codes (RFC 3463), with words of our own for them.

use std::{fmt, str::FromStr};

/// An enhanced status code: `5.1.1`. The class is 2 (arrived), 4 (not yet) or 5 (never).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    class: u16,
    subject: u16,
    detail: u16,
}

/// The text is no enhanced status code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("that is not an enhanced status code such as 5.1.1 (RFC 3463)")]
pub struct NotAStatus;

impl FromStr for Status {
    type Err = NotAStatus;

    fn from_str(text: &str) -> Result<Self, NotAStatus> {
        let mut numbers = text.split('.').map(number);
        let parts = [(); 4].map(|()| numbers.next().flatten());
        match parts {
            [Some(class @ (2 | 4 | 5)), Some(subject), Some(detail), None]
                if text.matches('.').count() == 2 =>
            {
                Ok(Self {
                    class,
                    subject,
                    detail,
                })
            }
            _ => Err(NotAStatus),
        }
    }
}

/// One to three digits.
fn number(text: &str) -> Option<u16> {
    let digits = (1..=3).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.class, self.subject, self.detail)
    }
}

impl Status {
    /// Whether the mail will never arrive.
    #[must_use]
    pub const fn is_permanent(self) -> bool {
        self.class == 5
    }

    /// Whether the mail may still arrive.
    #[must_use]
    pub const fn is_transient(self) -> bool {
        self.class == 4
    }

    /// The status that a mail server's words hold: beside a reply code as in `550 5.1.1`, behind a
    /// `#`, or the reply code alone as its class. A version number or an address is none.
    pub(super) fn in_text(text: &str) -> Option<Self> {
        let words = || {
            text.split(|it: char| it.is_whitespace() || "-;:".contains(it))
                .map(|word| word.trim_matches(|it: char| "<>()[]{},.\"'=".contains(it)))
        };
        let beside = words().zip(words().skip(1)).find_map(|(code, status)| {
            let status = status.trim_start_matches('#').parse::<Self>().ok()?;
            (reply_class(code) == Some(status.class)).then_some(status)
        });
        let marked = || words().find_map(|word| word.strip_prefix('#')?.parse::<Self>().ok());
        let alone = || {
            words().find_map(reply_class).map(|class| Self {
                class,
                subject: 0,
                detail: 0,
            })
        };
        beside.or_else(marked).or_else(alone)
    }

    /// What it means, in words that name nobody.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match (self.subject, self.detail) {
            (1, 1 | 10) => "there is no such mailbox",
            (1, 2) => "the domain of the mailbox does not exist",
            (1, 3) => "the address of the mailbox is malformed",
            (1, 6) => "the mailbox has moved",
            (1, 7 | 8) => "the sender's address is not accepted",
            (1, _) => "the address is not accepted",
            (2, 1) => "the mailbox is switched off",
            (2, 2) => "the mailbox is full",
            (2, 3) => "the mail is larger than the mailbox allows",
            (2, _) => "the mailbox cannot take the mail",
            (3, 4) => "the mail is larger than the server allows",
            (3, _) => "the mail server of the mailbox is in trouble",
            (4, 1) => "the mail server of the mailbox does not answer",
            (4, 4) => "no mail server is known for the mailbox's domain",
            (4, 6) => "the mail went round in a circle",
            (4, 7) => "the mail could not be delivered in time",
            (4, _) => "the mail server of the mailbox could not be reached",
            (5, _) => "the mail servers did not understand each other",
            (6, _) => "the form of the mail is not accepted",
            (7, 26) => "the mail's signatures (SPF, DKIM) were not accepted",
            (7, _) => "the mail is not wanted there, or was taken for spam",
            _ => "no reason was given",
        }
    }
}

/// The class of an SMTP reply code (RFC 5321 §4.2) of a failure.
fn reply_class(word: &str) -> Option<u16> {
    let code = number(word).filter(|_| word.len() == 3)?;
    matches!(code, 400..=459 | 500..=559).then_some(code / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_three_numbers_and_a_known_class() {
        for good in ["5.1.1", "4.2.2", "2.0.0", "5.7.509"] {
            assert_eq!(good.parse::<Status>().unwrap().to_string(), good);
        }
        for bad in [
            "", "5", "5.1", "5.1.1.1", "1.1.1", "5..1", "5.1.1000", "+5.1.1", "5.1.x",
        ] {
            assert_eq!(bad.parse::<Status>(), Err(NotAStatus), "{bad}");
        }
    }

    #[test]
    fn a_status_is_found_in_what_a_server_said() {
        for (text, found) in [
            ("smtp; 550 5.1.1 <leads@crm.example>: gone", Some("5.1.1")),
            (
                "smtp;550-5.7.26 This mail is unauthenticated",
                Some("5.7.26"),
            ),
            ("user unknown (#5.1.1)", Some("5.1.1")),
            ("552 mailbox full", Some("5.0.0")),
            ("Exim version 4.96.1 at 10.4.5.6 says nothing", None),
            ("450 4.2.2 over quota", Some("4.2.2")),
            ("250 2.0.0 ok", None),
            ("call 5551234", None),
        ] {
            let status = Status::in_text(text).map(|it| it.to_string());
            assert_eq!(status.as_deref(), found, "{text}");
        }
    }
}
