//! Days as files write them, with or without a time behind them.
//!
//! A number alone is no day: what spreadsheet programs count from 1900 is not told from any other number.

use jiff::civil::Date;

/// A cell that is a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parsed {
    /// It can be read in one way.
    Sure(Date),
    /// Day first, because its second number is no month.
    DayFirst(Date),
    /// Month first, because its first number is no month.
    MonthFirst(Date),
    /// Both ways: with the day first, and with the month first.
    Either(Date, Date),
}

/// Reads a cell without space around it.
pub(super) fn parse(cell: &str) -> Option<Parsed> {
    const LONGEST: usize = 40;
    let bytes = cell.as_bytes();
    if bytes.len() > LONGEST || bytes.len() < 6 {
        return None;
    }
    if let Some(parsed) = year_first(bytes) {
        return Some(parsed);
    }
    named_month(cell).or_else(|| year_last(bytes))
}

/// `20260430`, where the column is one of dates.
pub(super) fn compact(cell: &str) -> Option<Date> {
    let bytes = cell.as_bytes();
    if bytes.len() != 8 || !bytes.iter().all(u8::is_ascii_digit) {
        return None;
    }
    day(
        number(&bytes[..4])?,
        number(&bytes[4..6])?,
        number(&bytes[6..])?,
    )
}

/// `2026-04-30`, `2026/4/30`, `2026.04.30`.
fn year_first(bytes: &[u8]) -> Option<Parsed> {
    let (year, rest) = leading_number(bytes)?;
    let (separator, rest) = rest.split_first()?;
    if bytes.len() - rest.len() != 5 || !matches!(separator, b'-' | b'/' | b'.') {
        return None;
    }
    let (month, rest) = leading_number(rest)?;
    let rest = rest.strip_prefix(&[*separator])?;
    let (date, rest) = leading_number(rest)?;
    is_time(rest)
        .then(|| day(year, month, date))
        .flatten()
        .map(Parsed::Sure)
}

/// `30/04/2026`, `4/30/26`, `30.04.2026`, `30-04-2026`.
fn year_last(bytes: &[u8]) -> Option<Parsed> {
    let (one, rest) = leading_number(bytes)?;
    let (separator, rest) = rest.split_first()?;
    if !matches!(separator, b'/' | b'.' | b'-') {
        return None;
    }
    let (two, rest) = leading_number(rest)?;
    let rest = rest.strip_prefix(&[*separator])?;
    let (year, behind) = leading_number(rest)?;
    let year = match rest.len() - behind.len() {
        4 => year,
        2 if *separator != b'-' => century(year),
        _ => return None,
    };
    if !is_time(behind) {
        return None;
    }
    match (day(year, two, one), day(year, one, two)) {
        (Some(date), Some(other)) if date == other => Some(Parsed::Sure(date)),
        // Where points stand between the numbers, the day is the first.
        (Some(date), Some(_)) if *separator == b'.' => Some(Parsed::Sure(date)),
        (Some(day_first), Some(month_first)) => Some(Parsed::Either(day_first, month_first)),
        (Some(date), None) => Some(Parsed::DayFirst(date)),
        (None, Some(date)) => Some(Parsed::MonthFirst(date)),
        (None, None) => None,
    }
}

/// As POSIX reads years of two digits.
fn century(year: u16) -> u16 {
    if year < 69 { 2000 + year } else { 1900 + year }
}

/// `30 Apr 2026`, `April 30, 2026`, `30. avril 2026`, `30-Apr-26`; also as RFC 5322 writes it, `Thu, 30 Apr 2026`.
fn named_month(cell: &str) -> Option<Parsed> {
    if !cell.chars().any(char::is_alphabetic) {
        return None;
    }
    let mut parts = cell
        .split(|letter: char| letter.is_whitespace() || matches!(letter, '-' | ',' | '.' | '/'))
        .filter(|part| !part.is_empty() && !matches!(*part, "de" | "del"))
        .skip(usize::from(begins_with_weekday(cell)));
    let [one, two, year] = [parts.next()?, parts.next()?, parts.next()?];
    let rest: Vec<&str> = parts.collect();
    let has_time = rest.first().is_none_or(|part| part.contains(':'));
    let digits = |text: &str| {
        number(
            text.trim_end_matches(['t', 'h', 's', 'n', 'd', 'r'])
                .as_bytes(),
        )
    };
    let (month, date) = match (month(two), month(one)) {
        (Some(month), _) => (month, digits(one)?),
        (None, Some(month)) => (month, digits(two)?),
        (None, None) => return None,
    };
    let year = match year.len() {
        4 => number(year.as_bytes())?,
        2 => century(number(year.as_bytes())?),
        _ => return None,
    };
    has_time
        .then(|| day(year, month, date))
        .flatten()
        .map(Parsed::Sure)
}

/// `Thu, ` and `Thursday, `: the comma tells them from names of months, which begin alike in some languages.
fn begins_with_weekday(cell: &str) -> bool {
    const DAYS: [&str; 7] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    let Some((word, _)) = cell.split_once(',') else {
        return false;
    };
    let word = word.to_lowercase();
    DAYS.iter()
        .any(|day| *day == word || day.get(..3) == Some(&word))
}

/// Beginnings of the months' names in English, German, French, Spanish, Italian and Dutch.
fn month(name: &str) -> Option<u16> {
    const MONTHS: [&[&str]; 12] = [
        &["jan", "jän", "ene", "gen"],
        &["feb", "fév", "fev"],
        &["mar", "mär", "mrz", "maa", "mrt"],
        &["apr", "avr", "abr"],
        &["may", "mai", "mag", "mei", "mayo"],
        &["jun", "juin", "giu"],
        &["jul", "juil", "lug"],
        &["aug", "aoû", "aou", "ago"],
        &["sep", "set"],
        &["oct", "okt", "ott"],
        &["nov"],
        &["dec", "dez", "déc", "dic"],
    ];
    const LONGEST: usize = 12;
    if name.len() > LONGEST || !name.chars().all(char::is_alphabetic) || name.chars().count() < 3 {
        return None;
    }
    let name = name.to_lowercase();
    let at = MONTHS
        .iter()
        .position(|starts| starts.iter().any(|start| name.starts_with(start)))?;
    u16::try_from(at + 1).ok()
}

/// Nothing, or a time of the day.
fn is_time(rest: &[u8]) -> bool {
    match rest {
        [] | [b'Z'] => true,
        [b'T' | b't' | b' ' | b',', time @ ..] => {
            let time = time.trim_ascii_start();
            time.first().is_some_and(u8::is_ascii_digit) && time.contains(&b':')
        }
        _ => false,
    }
}

fn leading_number(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let end = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    Some((number(&bytes[..end])?, &bytes[end..]))
}

/// A number of one to four digits.
fn number(bytes: &[u8]) -> Option<u16> {
    if !(1..=4).contains(&bytes.len()) || !bytes.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(
        bytes
            .iter()
            .fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0')),
    )
}

/// A day between 1886, when the first car was built, and 2199.
fn day(year: u16, month: u16, date: u16) -> Option<Date> {
    if !(1886..2200).contains(&year) {
        return None;
    }
    let (month, date) = (i8::try_from(month).ok()?, i8::try_from(date).ok()?);
    Date::new(i16::try_from(year).ok()?, month, date).ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn days_that_can_be_read_in_one_way_are_read() {
        let expected = Some(Parsed::Sure(date(2026, 4, 30)));
        for cell in [
            "2026-04-30",
            "2026/4/30",
            "2026-04-30T10:20:30+02:00",
            "2026-04-30 10:20:30 UTC",
            "2026-04-30Z",
            "30 Apr 2026",
            "April 30, 2026",
            "April 30th 2026",
            "30. April 2026",
            "30 avril 2026 10:20",
            "30 de abril de 2026",
            "30-Apr-26",
            "Thu, 30 Apr 2026 08:15:00 GMT",
            "Thursday, April 30, 2026",
        ] {
            assert_eq!(parse(cell), expected, "{cell}");
        }
        assert_eq!(parse("4.5.2026"), Some(Parsed::Sure(date(2026, 5, 4))));
        assert_eq!(parse("4/4/2026"), Some(Parsed::Sure(date(2026, 4, 4))));
        assert_eq!(parse("3. März 2026"), Some(Parsed::Sure(date(2026, 3, 3))));
    }

    #[test]
    fn days_of_slashes_say_which_number_is_the_month_or_say_nothing() {
        let may_fourth = date(2026, 5, 4);
        let april_fifth = date(2026, 4, 5);
        assert_eq!(
            parse("30/04/2026"),
            Some(Parsed::DayFirst(date(2026, 4, 30)))
        );
        assert_eq!(
            parse("4/30/26"),
            Some(Parsed::MonthFirst(date(2026, 4, 30)))
        );
        assert_eq!(
            parse("04/05/2026 10:00"),
            Some(Parsed::Either(may_fourth, april_fifth))
        );
        assert_eq!(
            parse("04-05-2026"),
            Some(Parsed::Either(may_fourth, april_fifth))
        );
    }

    #[test]
    fn what_is_no_day_is_none() {
        for cell in [
            "45292",
            "20260430",
            "2026-02-30",
            "2026-13-01",
            "31/31/2026",
            "1.2.3",
            "12.50",
            "2026-04",
            "April 2026",
            "0001-01-01",
            "2026-04-30x",
            "10:20:30",
            "1/2/3",
            "Model 3 2021",
            "maybe 3 2026 or",
            "Chair, 30 Apr 2026",
        ] {
            assert_eq!(parse(cell), None, "{cell}");
        }
        assert_eq!(compact("20260430"), Some(date(2026, 4, 30)));
        assert_eq!(compact("12345678"), None);
    }
}
