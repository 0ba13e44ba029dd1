//! The formats that the schemas name, asserted (AAP validates with formats switched on).
//!
//! They agree with the `jsonschema` crate, which the tests hold, except in these points:
//!
//! - `email`: a display name (`Lot <lot@dealer.example>`) is not part of a mailbox (RFC 5321
//!   §4.1.2) and is refused, because the value ends up in mail headers. An empty quoted local part
//!   (`""@dealer.example`) is refused, because no mail server delivers to it. A host name label that
//!   begins with `xn--` is not decoded; whether such a name exists is for the mail server to find.

use std::net::{Ipv4Addr, Ipv6Addr};

use email_address::{EmailAddress, Options};
use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, Time},
    tz::Offset,
};

/// RFC 3339 §5.6 `date-time`: the offset is mandatory, `t` and `z` may be lower case, second 60 is
/// taken where UTC reads 23:59.
#[must_use]
pub fn is_date_time(text: &str) -> bool {
    DateTime::parse(text).is_some()
}

/// The instant that a `date-time` names, or `None` when the text is not one. A leap second reads as
/// the second before it. An instant after the year 9999 in UTC is held at [`Timestamp::MAX`].
#[must_use]
pub fn instant(text: &str) -> Option<Timestamp> {
    let DateTime {
        date, time, offset, ..
    } = DateTime::parse(text)?;
    let instant = Offset::UTC
        .to_timestamp(date.to_datetime(time))
        .and_then(|as_utc| as_utc.checked_sub(offset))
        .unwrap_or(Timestamp::MAX);
    Some(instant)
}

/// RFC 3339 §5.6 `full-date`, for example `2026-05-01`.
#[must_use]
pub fn is_date(text: &str) -> bool {
    date(text).is_some()
}

/// A mailbox of RFC 5321 §4.1.2 with an ASCII local part.
#[must_use]
pub fn is_email(text: &str) -> bool {
    EmailAddress::parse_with_options(text, Options::default().without_display_text())
        .is_ok_and(|address| address.local_part().is_ascii() && is_mail_domain(address.domain()))
}

/// A URI of RFC 3986 §3, which begins with a scheme.
#[must_use]
pub fn is_uri(text: &str) -> bool {
    fluent_uri::Uri::parse(text).is_ok()
}

/// E.164: a plus sign, then 2 to 15 digits of which the first is not 0.
#[must_use]
pub fn is_e164(text: &str) -> bool {
    let Some(digits) = text.strip_prefix('+') else {
        return false;
    };
    (2..=15).contains(&digits.len())
        && !digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// A `date-time` taken apart.
struct DateTime {
    date: Date,
    time: Time,
    /// East of Greenwich is positive.
    offset: SignedDuration,
}

impl DateTime {
    fn parse(text: &str) -> Option<Self> {
        let (day, rest) = text.split_at_checked(10)?;
        let date = date(day)?;
        let rest = rest.strip_prefix(['T', 't'])?;
        let (clock, rest) = rest.split_at_checked(8)?;
        let [h1, h2, b':', m1, m2, b':', s1, s2] = *clock.as_bytes() else {
            return None;
        };
        let (hour, minute, second) = (digits(&[h1, h2])?, digits(&[m1, m2])?, digits(&[s1, s2])?);
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let (nanosecond, rest) = fraction(rest)?;
        let offset_minutes = offset(rest)?;
        if second == 60 && (hour * 60 + minute - offset_minutes).rem_euclid(1440) != 1439 {
            return None;
        }
        let small = |value: i32| i8::try_from(value).ok();
        Some(Self {
            date,
            time: Time::new(
                small(hour)?,
                small(minute)?,
                small(second.min(59))?,
                nanosecond,
            )
            .ok()?,
            offset: SignedDuration::from_mins(i64::from(offset_minutes)),
        })
    }
}

fn date(text: &str) -> Option<Date> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text.as_bytes() else {
        return None;
    };
    Date::new(
        i16::try_from(digits(&[y1, y2, y3, y4])?).ok()?,
        i8::try_from(digits(&[m1, m2])?).ok()?,
        i8::try_from(digits(&[d1, d2])?).ok()?,
    )
    .ok()
}

/// Reads `.` and digits where they stand; gives nanoseconds and the rest.
fn fraction(text: &str) -> Option<(i32, &str)> {
    let Some(after) = text.strip_prefix('.') else {
        return Some((0, text));
    };
    let length = after
        .bytes()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if length == 0 {
        return None;
    }
    let (written, rest) = after.split_at(length);
    let nanoseconds = written
        .bytes()
        .chain(std::iter::repeat(b'0'))
        .take(9)
        .fold(0, |sum, byte| sum * 10 + i32::from(byte - b'0'));
    Some((nanoseconds, rest))
}

/// Minutes east of Greenwich.
fn offset(text: &str) -> Option<i32> {
    if matches!(text, "Z" | "z") {
        return Some(0);
    }
    let [sign, h1, h2, b':', m1, m2] = *text.as_bytes() else {
        return None;
    };
    let (hours, minutes) = (digits(&[h1, h2])?, digits(&[m1, m2])?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    match sign {
        b'+' => Some(hours * 60 + minutes),
        b'-' => Some(-(hours * 60 + minutes)),
        _ => None,
    }
}

fn digits(bytes: &[u8]) -> Option<i32> {
    bytes.iter().try_fold(0, |sum, byte| {
        byte.is_ascii_digit()
            .then(|| sum * 10 + i32::from(byte - b'0'))
    })
}

fn is_mail_domain(domain: &str) -> bool {
    let Some(literal) = domain
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    else {
        return is_host_name(domain);
    };
    match literal.split_at_checked(5) {
        Some((tag, address)) if tag.eq_ignore_ascii_case("IPv6:") => {
            address.parse::<Ipv6Addr>().is_ok()
        }
        _ => literal.parse::<Ipv4Addr>().is_ok(),
    }
}

/// RFC 1123 §2.1. Two hyphens in third and fourth place are kept for `xn--` (RFC 5891 §4.2.3.1).
fn is_host_name(name: &str) -> bool {
    name.len() <= 253 && name.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    (1..=63).contains(&bytes.len())
        && bytes
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
        && bytes.first() != Some(&b'-')
        && bytes.last() != Some(&b'-')
        && (bytes.get(2..4) != Some(b"--") || bytes.starts_with(b"xn"))
}
