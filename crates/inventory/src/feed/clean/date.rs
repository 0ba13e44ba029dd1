//! Dates on which a unit came into stock.

use jiff::civil::Date;

/// What a date cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::feed) enum DateCell {
    /// One day, whoever reads it.
    Day(Date),
    /// Month first, with a day that cannot be a month: `4/21/2026`.
    MonthFirst(Date),
    /// Month first as American vendors write it, though day first would be a date too: `4/5/2026`.
    Either(Date),
    /// Day first: `21/4/2026`.
    DayFirst,
    /// Two-digit year, or dashes with the year last.
    Ambiguous,
    /// No calendar date.
    Unreadable,
}

/// Reads `2026-04-21`, `4/21/2026`, `04/21/2026`, each with or without a time of day behind it.
pub(in crate::feed) fn date(cell: &str) -> DateCell {
    let day = cell.split([' ', 'T']).next().unwrap_or_default();
    match day.split_once('/') {
        Some((first, rest)) => rest
            .split_once('/')
            .map_or(DateCell::Unreadable, |(second, year)| {
                with_slashes(first, second, year)
            }),
        None => with_dashes(day),
    }
}

fn with_dashes(day: &str) -> DateCell {
    let mut parts = day.split('-');
    let (Some(first), Some(second), Some(third), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return DateCell::Unreadable;
    };
    if third.len() == 4 && digits(third).is_some() {
        return DateCell::Ambiguous;
    }
    if first.len() != 4 {
        return DateCell::Unreadable;
    }
    calendar(digits(first), digits(second), digits(third))
        .map_or(DateCell::Unreadable, DateCell::Day)
}

fn with_slashes(first: &str, second: &str, year: &str) -> DateCell {
    let (first_number, second_number, year_number) = (digits(first), digits(second), digits(year));
    if first.len() == 4 {
        return calendar(first_number, second_number, year_number)
            .map_or(DateCell::Unreadable, DateCell::Day);
    }
    if year.len() == 2 && year_number.is_some() {
        return DateCell::Ambiguous;
    }
    if year.len() != 4 {
        return DateCell::Unreadable;
    }
    let month_first = calendar(year_number, first_number, second_number);
    let day_first = calendar(year_number, second_number, first_number);
    match (month_first, day_first) {
        (Some(date), Some(other)) if date != other => DateCell::Either(date),
        (Some(date), Some(_)) => DateCell::Day(date),
        (Some(date), None) => DateCell::MonthFirst(date),
        (None, Some(_)) => DateCell::DayFirst,
        (None, None) => DateCell::Unreadable,
    }
}

fn digits(text: &str) -> Option<i16> {
    let valid = (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if valid { text.parse().ok() } else { None }
}

fn calendar(year: Option<i16>, month: Option<i16>, day: Option<i16>) -> Option<Date> {
    let month = i8::try_from(month?).ok()?;
    let day = i8::try_from(day?).ok()?;
    Date::new(year?, month, day).ok()
}
