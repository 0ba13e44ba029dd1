//! Times as other systems write them.

use jiff::{
    civil::{Date, DateTime, Time},
    tz::Offset,
};

/// A time out of somebody's document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loose {
    pub(super) civil: DateTime,
    /// `None` where the document does not say.
    pub(super) offset: Option<Offset>,
    /// Whether the date is written as ISO 8601 has it, whatever the rest looks like.
    pub(super) is_iso: bool,
}

impl Loose {
    /// Reads ISO 8601 with parts missing or cut short (`2026-05-03T8:47:50`, `…-08:0`), dates as they
    /// are written in America (`5/3/2026 8:47 PM EST`), and dates of mail headers. Of a fraction of
    /// a second nothing is kept.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(mail) = jiff::fmt::rfc2822::parse(text) {
            return Some(Self {
                civil: mail.datetime(),
                offset: Some(mail.offset()),
                is_iso: false,
            });
        }
        let mut text = Cursor(text);
        let (date, is_iso) = text.date()?;
        text.skip(|it| it == 'T' || it == 't' || it == ',' || it.is_whitespace());
        let time = text.time()?;
        text.skip(char::is_whitespace);
        let offset = text.offset();
        Some(Self {
            civil: date.to_datetime(time),
            offset,
            is_iso,
        })
    }
}

/// What is left to read.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn date(&mut self) -> Option<(Date, bool)> {
        let first = self.digits(8)?;
        if first.len() == 8 {
            let (year, rest) = first.split_at_checked(4)?;
            let (month, day) = rest.split_at_checked(2)?;
            return Some((date(year, month, day)?, true));
        }
        let mark = self.mark(['-', '/'])?;
        let second = self.digits(2)?;
        self.mark([mark, mark])?;
        let third = self.digits(4)?;
        match (first.len(), third.len()) {
            (4, 1 | 2) => Some((date(first, second, third)?, mark == '-')),
            (1 | 2, 4) => Some((date(third, first, second)?, false)),
            _ => None,
        }
    }

    /// Midnight where no time stands.
    fn time(&mut self) -> Option<Time> {
        let Some(hour) = self.digits(2) else {
            return Some(Time::midnight());
        };
        let mut hour: i8 = hour.parse().ok()?;
        self.mark([':', ':'])?;
        let minute = self.digits(2)?.parse().ok()?;
        let mut second = 0;
        if self.mark([':', ':']).is_some() {
            second = self.digits(2)?.parse().ok()?;
            if self.mark(['.', ',']).is_some() {
                self.skip(|it| it.is_ascii_digit());
            }
        }
        self.skip(char::is_whitespace);
        if self.word("am") {
            hour %= 12;
        } else if self.word("pm") {
            hour = hour % 12 + 12;
        }
        // A leap second is the second before it here.
        Time::new(hour, minute, std::cmp::min(second, 59), 0).ok()
    }

    fn offset(&mut self) -> Option<Offset> {
        const ZONES: [(&str, i32); 11] = [
            ("z", 0),
            ("utc", 0),
            ("gmt", 0),
            ("est", -5),
            ("edt", -4),
            ("cst", -6),
            ("cdt", -5),
            ("mst", -7),
            ("mdt", -6),
            ("pst", -8),
            ("pdt", -7),
        ];
        if let Some((_, hours)) = ZONES.iter().find(|(name, _)| self.word(name)) {
            return Offset::from_seconds(hours * 3600).ok();
        }
        let sign = match self.mark(['+', '-'])? {
            '-' => -1,
            _ => 1,
        };
        let first = self.digits(4)?;
        let (hours, minutes) = match first.len() {
            3 | 4 => first.split_at_checked(first.len() - 2)?,
            _ if self.mark([':', ':']).is_some() => (first, self.digits(2).unwrap_or("0")),
            _ => (first, "0"),
        };
        let hours: i32 = hours.parse().ok()?;
        let minutes: i32 = minutes.parse().ok()?;
        Offset::from_seconds(sign * (hours * 60 + minutes) * 60).ok()
    }

    /// Digits, at most so many.
    fn digits(&mut self, most: usize) -> Option<&'a str> {
        let length = self.0.bytes().take(most);
        let length = length.take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        (!digits.is_empty()).then_some(digits)
    }

    fn mark(&mut self, marks: [char; 2]) -> Option<char> {
        let mark = self.0.chars().next().filter(|it| marks.contains(it))?;
        self.0 = &self.0[mark.len_utf8()..];
        Some(mark)
    }

    /// A word in any case, if it stands there.
    fn word(&mut self, word: &str) -> bool {
        let Some((head, rest)) = self.0.split_at_checked(word.len()) else {
            return false;
        };
        let stands = head.eq_ignore_ascii_case(word)
            && !rest.starts_with(|it: char| it.is_ascii_alphabetic());
        if stands {
            self.0 = rest;
        }
        stands
    }

    fn skip(&mut self, unwanted: impl Fn(char) -> bool) {
        self.0 = self.0.trim_start_matches(unwanted);
    }
}

fn date(year: &str, month: &str, day: &str) -> Option<Date> {
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    Date::new(year, month, day).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Loose;

    fn told(text: &str) -> Option<String> {
        let loose = Loose::parse(text)?;
        let offset = loose
            .offset
            .map_or_else(|| " ?".to_owned(), |it| format!(" {it}"));
        Some(format!("{}{offset}", loose.civil))
    }

    #[test]
    fn times_of_every_system_are_read() {
        for (text, wanted) in [
            ("2000-03-30T15:30:20-08:00", "2000-03-30T15:30:20 -08"),
            ("2026-05-03T8:47:50", "2026-05-03T08:47:50 ?"),
            (
                "2026-05-03T08:47:50.1234567-04:00",
                "2026-05-03T08:47:50 -04",
            ),
            ("2000-03-30T15:30:20-08:0", "2000-03-30T15:30:20 -08"),
            ("2026-05-03 20:47", "2026-05-03T20:47:00 ?"),
            ("2026-05-03T20:47:50+0530", "2026-05-03T20:47:50 +05:30"),
            ("2026-05-03T20:47:50Z", "2026-05-03T20:47:50 +00"),
            ("5/3/2026 8:47:50 PM", "2026-05-03T20:47:50 ?"),
            ("05/03/2026 12:05 am EDT", "2026-05-03T00:05:00 -04"),
            ("5/3/2026", "2026-05-03T00:00:00 ?"),
            ("20260503", "2026-05-03T00:00:00 ?"),
            ("Sun, 3 May 2026 20:47:50 -0400", "2026-05-03T20:47:50 -04"),
        ] {
            assert_eq!(told(text).as_deref(), Some(wanted), "{text}");
        }
        for text in [
            "",
            "yesterday",
            "13/13/2026",
            "2026-02-30",
            "25:00",
            "2026-05-03T25:00:00Z",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "[0-9TZapm:/+., -]{0,30}|\\PC{0,20}") {
            let _ = Loose::parse(&text);
        }
    }
}
