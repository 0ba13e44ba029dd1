//! The one place where a value becomes characters.

use rust_decimal::Decimal;

use crate::finding::{Piece, Sentence};
use crate::{Money, Value};

/// How many characters of the data's words a sentence or a table shows.
const LONGEST: usize = 80;

/// A sentence as one line of text.
#[must_use]
pub fn sentence(sentence: &Sentence) -> String {
    let mut text = String::new();
    for piece in &sentence.0 {
        match piece {
            Piece::Words(words) => text.push_str(words),
            Piece::Value(value) => text.push_str(&words(value)),
        }
    }
    text
}

/// A value for people: thousands apart, units named, words of the data on one line and cut.
#[must_use]
pub fn words(value: &Value) -> String {
    match value {
        Value::None => "-".to_owned(),
        Value::Text(text) | Value::Id(text) => shortened(&one_line(text)),
        Value::Count(count) => grouped(&count.to_string()),
        Value::Number(number) => grouped(&number.normalize().to_string()),
        Value::Money(money) => with_currency(grouped(&amount(money.amount)), money),
        Value::Percent(percent) => format!("{} %", grouped(&percent.normalize().to_string())),
        Value::Ratio(ratio) => format!("{}×", ratio.normalize()),
        Value::Days(1) => "1 day".to_owned(),
        Value::Days(days) => format!("{} days", grouped(&days.to_string())),
        Value::Date(date) => date.to_string(),
    }
}

/// A value for programs and spreadsheets: digits with a point, days and dates without words.
#[must_use]
pub fn plain(value: &Value) -> String {
    match value {
        Value::None => String::new(),
        Value::Text(text) | Value::Id(text) => text.clone(),
        Value::Count(count) => count.to_string(),
        Value::Number(number) | Value::Percent(number) | Value::Ratio(number) => {
            number.normalize().to_string()
        }
        Value::Money(money) => with_currency(amount(money.amount), money),
        Value::Days(days) => days.to_string(),
        Value::Date(date) => date.to_string(),
    }
}

/// The digits of an amount: none behind the point, or two, or as many as it takes to be exact.
#[must_use]
pub fn amount(amount: Decimal) -> String {
    let mut exact = amount.normalize();
    if exact.scale() == 1 {
        exact.rescale(2);
    }
    exact.to_string()
}

fn with_currency(digits: String, money: &Money) -> String {
    match money.currency {
        Some(currency) => format!("{digits} {currency}"),
        None => digits,
    }
}

/// A comma before every third digit in front of the point.
fn grouped(number: &str) -> String {
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", number),
    };
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut text = sign.to_owned();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text.push_str(rest);
    text
}

/// Words of the data on one line. Control characters, line and paragraph separators, and characters
/// that reorder or hide the text around them become spaces; the bar, which parts the columns of a
/// table, becomes a broken bar; what would be a link where Markdown is drawn is taken apart.
#[must_use]
pub fn one_line(text: &str) -> String {
    let safe: String = text
        .chars()
        .map(|letter| match letter {
            '|' => '¦',
            letter if letter.is_control() || is_invisible(letter) => ' ',
            letter => letter,
        })
        .collect();
    let words: Vec<&str> = safe.split_whitespace().collect();
    words.join(" ").replace("](", "] (")
}

fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
