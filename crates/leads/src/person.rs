//! Finding everything of one person.

use std::str::FromStr;

use aap::text::fold;
use dealers::DealerId;
use store::{Conn, Value};

use crate::{
    Error, HashKey, LeadId, Vault,
    hash::Hash,
    vault::Place,
    wire::{read_word, unreadable},
};

/// Fewest digits of a telephone number.
const SHORTEST: usize = 7;
/// Leads that are looked at in one query.
const PAGE: u32 = 1000;

/// A person, by a mail address or a telephone number.
///
/// It prints nothing with `{:?}`.
#[derive(Clone, PartialEq, Eq)]
pub enum Whom {
    /// A mail address, compared without case.
    Email(String),
    /// The digits of a telephone number with its country's code.
    Phone(String),
}

/// A text names nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "is neither a mail address nor a telephone number; write for example ada@example.com or +14155550123"
)]
pub struct WhomFault;

impl FromStr for Whom {
    type Err = WhomFault;

    fn from_str(text: &str) -> Result<Self, WhomFault> {
        if text.contains('@') {
            return fold(text).map(Self::Email).ok_or(WhomFault);
        }
        let is_part = |it: char| it.is_ascii_digit() || " +-.()/\u{a0}".contains(it);
        let digits = digits(text);
        if digits.len() < SHORTEST || !text.chars().all(is_part) {
            return Err(WhomFault);
        }
        Ok(Self::Phone(digits))
    }
}

impl std::fmt::Debug for Whom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Email(_) => "Email(personal)",
            Self::Phone(_) => "Phone(personal)",
        })
    }
}

impl Whom {
    /// Whether a lead's mail address or telephone number is this one. A telephone number of another
    /// system may have any form.
    fn is(&self, email: Option<&str>, phone: Option<&str>) -> bool {
        match self {
            Self::Email(wanted) => email.and_then(fold).as_ref() == Some(wanted),
            Self::Phone(wanted) => phone.map(digits).as_ref() == Some(wanted),
        }
    }

    /// The person in the proof of an erasure.
    pub(crate) fn erased(&self, key: &HashKey) -> Hash {
        match self {
            Self::Email(email) => key.hash("erased e-mail", &[email]),
            Self::Phone(digits) => key.hash("erased phone", &[digits]),
        }
    }
}

/// The digits of a telephone number with its country's code; ten digits are a number of North
/// America.
fn digits(phone: &str) -> String {
    let all: String = phone.chars().filter(char::is_ascii_digit).collect();
    if phone.trim_start().starts_with('+') {
        return all;
    }
    let abroad = all.strip_prefix("011").or_else(|| all.strip_prefix("00"));
    match abroad {
        Some(abroad) => abroad.to_owned(),
        None if all.len() == 10 => format!("1{all}"),
        None => all,
    }
}

/// The leads of a person: those with one of these mail addresses or telephone numbers.
///
/// Every lead is looked at, so that none is missed that came in another form, from another system or
/// under another hash key.
///
/// # Errors
/// When the database fails, or `vault` lacks a key.
pub fn leads_of(
    conn: &mut dyn Conn,
    vault: &Vault,
    dealer: &DealerId,
    whom: &[Whom],
) -> Result<Vec<LeadId>, Error> {
    let mut found = Vec::new();
    let mut after = String::new();
    loop {
        let page = page(conn, vault, dealer, &after)?;
        let Some(last) = page.last() else {
            return Ok(found);
        };
        after = last.lead_id.to_string();
        let theirs = page.into_iter().filter(|it| {
            let (email, phone) = (it.email.as_deref(), it.phone.as_deref());
            whom.iter().any(|whom| whom.is(email, phone))
        });
        found.extend(theirs.map(|it| it.lead_id));
    }
}

struct Contact {
    lead_id: LeadId,
    email: Option<String>,
    phone: Option<String>,
}

fn page(
    conn: &mut dyn Conn,
    vault: &Vault,
    dealer: &DealerId,
    after: &str,
) -> Result<Vec<Contact>, Error> {
    let rows = conn.all(
        "SELECT lead_id, email, phone FROM person
         WHERE dealer = $1 AND lead_id > $2 ORDER BY lead_id LIMIT $3",
        &[dealer.into(), after.into(), Value::Int(PAGE.into())],
        |row| {
            let lead_id: LeadId = read_word(row, 0)?.ok_or_else(|| unreadable(0))?;
            let (email, phone) = (row.optional_text(1)?, row.optional_text(2)?);
            let open = |column, stored: Option<&str>| {
                let place = Place::new(dealer, &lead_id, column);
                stored.map(|stored| vault.unseal(place, stored)).transpose()
            };
            let opened = open("person.email", email)
                .and_then(|email| Ok((email, open("person.phone", phone)?)));
            Ok(opened.map(|(email, phone)| Contact {
                lead_id: lead_id.clone(),
                email,
                phone,
            }))
        },
    )?;
    let contacts: Result<Vec<Contact>, _> = rows.into_iter().collect();
    Ok(contacts?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_telephone_number_is_one_however_it_is_written() {
        let wanted: Whom = "+1 (415) 555-0123".parse().unwrap();
        for written in [
            "+14155550123",
            "4155550123",
            "415.555.0123",
            "1-415-555-0123",
            "(415) 555-0123",
            "011 1 415 555 0123",
        ] {
            assert!(wanted.is(None, Some(written)), "{written}");
            assert_eq!(written.parse::<Whom>().unwrap(), wanted, "{written}");
        }
        let abroad: Whom = "00 49 151 234567".parse().unwrap();
        assert!(abroad.is(None, Some("+49151234567")));
        assert!(!wanted.is(None, Some("+14155550124")));
        assert!(!wanted.is(Some("+14155550123"), None));
    }

    #[test]
    fn a_mail_address_is_one_in_any_case() {
        let wanted: Whom = " Ada@Example.com ".parse().unwrap();
        assert!(wanted.is(Some("ADA@example.COM"), None));
        assert!(!wanted.is(Some("ada@example.org"), None));
        assert!(!wanted.is(None, None));
    }

    #[test]
    fn what_names_nobody_is_refused_and_nobody_is_printed() {
        for text in ["", "Ada", "12345", "019a2b3c-4d5e-7f60", "call 4155550123"] {
            assert_eq!(text.parse::<Whom>(), Err(WhomFault), "{text:?}");
        }
        let printed = format!("{:?}", "ada@example.com".parse::<Whom>());
        assert!(!printed.contains("ada"), "{printed}");
    }
}
