//! A text as words and numbers.

use rust_decimal::Decimal;

use super::language::{fold, lower};
use crate::Currency;

/// As much of a question as is read; a manager's questions have some twenty words.
const MOST_WORDS: usize = 256;

/// A word or number of a text.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// As it was written.
    pub(super) raw: String,
    /// In lower case.
    pub(super) lower: String,
    /// In lower case without accents.
    pub(super) folded: String,
    /// Its value, where it is a number.
    pub(super) number: Option<Number>,
    /// What stands between it and the word before it.
    pub(super) gap: Gap,
}

/// What parts two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// Nothing, or a space.
    Space,
    /// A hyphen or dash without space, as in `20-30k`.
    Hyphen,
    /// A comma, a colon, a bracket.
    Comma,
    /// The end of a sentence.
    Stop,
}

/// A number as it was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    pub(super) value: Decimal,
    /// `30k`: the value has been multiplied already.
    pub(super) in_thousands: bool,
    /// `90+`: this or more.
    pub(super) or_more: bool,
    pub(super) currency: Option<Currency>,
}

/// The words of a question, at most [`MOST_WORDS`].
pub(super) fn of_question(text: &str) -> Vec<Word> {
    let mut words = words(text, MOST_WORDS);
    words.truncate(MOST_WORDS);
    words
}

/// The words of a value of the data, without accents and in lower case.
pub(super) fn of_value(text: &str) -> Vec<String> {
    words(text, 24)
        .into_iter()
        .map(|word| word.folded)
        .collect()
}

fn words(text: &str, most: usize) -> Vec<Word> {
    let mut letters = text.chars().peekable();
    let mut words: Vec<Word> = Vec::new();
    let mut gap = Gap::Stop;
    let mut pending = None;
    let mut after_space = true;
    while let Some(letter) = letters.next() {
        if words.len() > most {
            break;
        }
        if let Some(currency) = currency_of_symbol(letter) {
            let is_behind = letters.peek().is_none_or(|next| !next.is_ascii_digit());
            match words.last_mut().and_then(|word| word.number.as_mut()) {
                Some(number) if is_behind && gap == Gap::Space => number.currency = Some(currency),
                _ => pending = Some(currency),
            }
            continue;
        }
        if letter == '+' && !after_space {
            if let Some(number) = words.last_mut().and_then(|word| word.number.as_mut()) {
                number.or_more = true;
            }
            continue;
        }
        if !letter.is_alphanumeric() {
            gap = gap.max(match letter {
                '-' | '\u{2010}'..='\u{2014}' if !after_space => Gap::Hyphen,
                ',' | ':' | '(' | ')' | '/' => Gap::Comma,
                '.' | '?' | '!' | ';' | '\n' => Gap::Stop,
                _ => Gap::Space,
            });
            after_space = letter.is_whitespace();
            continue;
        }
        after_space = false;
        let mut run = String::from(letter);
        while let Some(&next) = letters.peek() {
            let is_inside = next.is_alphanumeric()
                || is_combining(next)
                || is_inner_mark(next) && {
                    let mut ahead = letters.clone();
                    ahead.next();
                    ahead
                        .peek()
                        .is_some_and(|after| continues(&run, next, *after))
                };
            if !is_inside {
                break;
            }
            run.push(next);
            letters.next();
        }
        push(&mut words, &run, gap, pending.take());
        gap = Gap::Space;
    }
    words
}

fn is_combining(letter: char) -> bool {
    unicode_normalization::char::is_combining_mark(letter)
}

fn is_inner_mark(letter: char) -> bool {
    matches!(letter, '\'' | '\u{2019}' | '.' | ',')
}

/// Whether a mark belongs to the run before it: `1.299`, `don't`, but not `5.What`.
fn continues(run: &str, mark: char, after: char) -> bool {
    let is_number = run
        .chars()
        .all(|letter| letter.is_ascii_digit() || matches!(letter, '.' | ',' | '\'' | '\u{2019}'));
    match mark {
        '.' | ',' => is_number && after.is_ascii_digit(),
        _ => {
            if is_number {
                after.is_ascii_digit()
            } else {
                after.is_alphabetic()
            }
        }
    }
}

fn push(words: &mut Vec<Word>, run: &str, gap: Gap, currency: Option<Currency>) {
    if let Some(mut number) = Number::parse(run) {
        number.currency = currency;
        words.push(Word {
            number: Some(number),
            ..Word::new(run, gap)
        });
        return;
    }
    let Some((head, tail)) = run.split_once(['\'', '\u{2019}']) else {
        words.push(Word::new(run, gap));
        return;
    };
    let tail_lower = lower(tail);
    match tail_lower.as_str() {
        "s" | "ve" | "re" | "m" | "d" => words.push(Word::new(head, gap)),
        "ll" => {
            words.push(Word::new(head, gap));
            words.push(Word::new("will", Gap::Space));
        }
        "t" if head.to_lowercase().ends_with('n') => {
            let verb = match lower(head).as_str() {
                "can" => "can".to_owned(),
                "won" => "will".to_owned(),
                other => other[..other.len() - 1].to_owned(),
            };
            words.push(Word::new(&verb, gap));
            words.push(Word::new("not", Gap::Space));
        }
        _ => {
            words.push(Word::new(head, gap));
            // A further apostrophe is none that a word has.
            words.push(Word::new(&tail.replace(['\'', '\u{2019}'], ""), Gap::Space));
        }
    }
}

impl Word {
    fn new(raw: &str, gap: Gap) -> Self {
        let lower = lower(raw);
        Self {
            raw: raw.to_owned(),
            folded: fold(&lower),
            lower,
            number: None,
            gap,
        }
    }
}

impl Number {
    /// A number of digits and separators, with a `k` or without.
    ///
    /// The last separator followed by other than three digits is the decimal sign.
    fn parse(run: &str) -> Option<Self> {
        // "Our 2023s" are of the year 2023.
        let run = match run.strip_suffix('s') {
            Some(year) if year.len() == 4 && (year.starts_with("19") || year.starts_with("20")) => {
                year
            }
            _ => run,
        };
        // "The 3rd" of a month.
        let mut ordinals = ["st", "nd", "rd", "th"].iter();
        let run = match ordinals.find_map(|ending| run.strip_suffix(ending)) {
            Some(number) if number.len() <= 2 => number,
            _ => run,
        };
        if is_pointed_day(run) {
            return None;
        }
        let (digits, in_thousands) = match run.strip_suffix(['k', 'K']) {
            Some(digits) => (digits, true),
            None => (run, false),
        };
        if digits.len() > 18 || !digits.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let decimal_sign = digits
            .rfind(['.', ','])
            .filter(|place| digits.len() - place - 1 != 3);
        let plain: String = digits
            .char_indices()
            .filter_map(|(place, letter)| match letter {
                '0'..='9' => Some(Some(letter)),
                '.' | ',' if Some(place) == decimal_sign => Some(Some('.')),
                '.' | ',' | '\'' | '\u{2019}' => None,
                _ => Some(None),
            })
            .collect::<Option<_>>()?;
        let value: Decimal = plain.parse().ok()?;
        Some(Self {
            value: if in_thousands {
                value.checked_mul(1_000.into())?
            } else {
                value
            },
            in_thousands,
            or_more: false,
            currency: None,
        })
    }
}

/// `1.11.2026` is a day and no number.
fn is_pointed_day(run: &str) -> bool {
    let lengths: Vec<usize> = run.split('.').map(str::len).collect();
    matches!(lengths.as_slice(), [1 | 2, 1 | 2, 4])
}

fn currency_of_symbol(symbol: char) -> Option<Currency> {
    Currency::from_code(match symbol {
        '€' => "EUR",
        '$' => "USD",
        '£' => "GBP",
        '¥' => "JPY",
        '₹' => "INR",
        '₺' => "TRY",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Vec<String> {
        of_question(text)
            .into_iter()
            .map(|word| word.lower)
            .collect()
    }

    #[test]
    fn contractions_are_taken_apart() {
        assert_eq!(
            plain("What's don't won't F-150s"),
            ["what", "do", "not", "will", "not", "f", "150s"]
        );
        assert_eq!(
            plain("days' supply, l'auto"),
            ["days", "supply", "l", "auto"]
        );
    }

    #[test]
    fn numbers_keep_their_decimals_and_currency() {
        let numbers: Vec<(String, Option<Currency>)> =
            of_question("30k $25,000 1.299,00 € 24.5 €500")
                .iter()
                .filter_map(|word| word.number)
                .map(|number| (number.value.to_string(), number.currency))
                .collect();
        let currency = Currency::from_code;
        assert_eq!(
            numbers,
            [
                ("30000".to_owned(), None),
                ("25000".to_owned(), currency("USD")),
                ("1299.00".to_owned(), currency("EUR")),
                ("24.5".to_owned(), None),
                ("500".to_owned(), currency("EUR")),
            ]
        );
    }
}
