//! Numbers and amounts in the spellings of all countries.
//!
//! What the signs within a number mean is decided by the number itself where it can be: the last of two
//! kinds is the decimal sign (`1.299,00`), a sign that stands twice groups thousands (`1.299.000`), a
//! sign before other than three digits is a decimal sign (`12,5`). `1.299` alone stays in doubt; the
//! other values of its column decide.

use rust_decimal::Decimal;

use super::currency::{self, Sign};

/// A cell that is a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parsed {
    /// All digits as an integer, with the sign.
    pub(super) mantissa: i128,
    /// How many of the digits are decimals.
    pub(super) scale: u32,
    /// What the cell tells of its signs.
    pub(super) marks: Marks,
    /// The currency beside the amount.
    pub(super) sign: Option<Sign>,
    /// A word or `%` stands behind the number, which no currency is.
    pub(super) has_unit: bool,
}

impl Parsed {
    /// The value, given the meaning of a mark in doubt; none where it has more digits than a decimal.
    pub(super) fn value(&self, doubt_is_decimal: bool) -> Option<Decimal> {
        let scale = match self.marks {
            Marks::Doubt(_) if doubt_is_decimal => DOUBTFUL_DIGITS,
            _ => self.scale,
        };
        Decimal::try_from_i128_with_scale(self.mantissa, scale).ok()
    }
}

/// What the signs within a number tell about those of other numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    /// Nothing.
    None,
    /// This sign is the decimal sign, in front of so many digits.
    Decimal(u8, u32),
    /// This sign groups thousands.
    Group(u8),
    /// This sign stands once, before three digits.
    Doubt(u8),
}

const DOUBTFUL_DIGITS: u32 = 3;

/// More digits than that are an identifier rather than a number.
const MOST_DIGITS: usize = 28;

/// Reads a cell without space around it.
pub(super) fn parse(cell: &str) -> Option<Parsed> {
    const LONGEST: usize = 64;
    let bytes = cell.as_bytes();
    // Whole numbers are the most frequent.
    if bytes.len() <= 18 && bytes.iter().all(u8::is_ascii_digit) {
        let digits = bytes.iter();
        let mantissa = digits.fold(0, |sum: u64, digit| sum * 10 + u64::from(digit - b'0'));
        return (!bytes.is_empty()).then(|| plain(i128::from(mantissa), 0, Marks::None));
    }
    if bytes.len() > LONGEST {
        return None;
    }
    let first = bytes.iter().position(u8::is_ascii_digit)?;
    let last = bytes.iter().rposition(u8::is_ascii_digit)?;
    let has_leading_mark = first > 0 && matches!(bytes[first - 1], b'.' | b',') && {
        let before = first.checked_sub(2).map(|at| bytes[at]);
        !before.is_some_and(|byte| byte.is_ascii_alphabetic())
    };
    let start = first - usize::from(has_leading_mark);
    let before = Beside::read(&cell[..start], Side::Before)?;
    let behind = Beside::read(&cell[last + 1..], Side::Behind)?;
    let sign = match (before.sign, behind.sign) {
        (Some(Sign::Sure(one)), Some(Sign::Sure(other))) if one != other => return None,
        (Some(Sign::Sure(sure)), _) | (_, Some(Sign::Sure(sure))) => Some(Sign::Sure(sure)),
        (one, other) => one.or(other),
    };
    let mut parsed = digits(&cell[start..=last])?;
    if before.is_negative != behind.is_negative {
        parsed.mantissa = -parsed.mantissa;
    } else if before.is_negative {
        return None;
    }
    if let (true, Marks::Doubt(mark)) = (behind.is_whole, parsed.marks) {
        parsed.marks = Marks::Group(mark);
    }
    Some(Parsed {
        sign,
        has_unit: behind.has_unit,
        ..parsed
    })
}

fn plain(mantissa: i128, scale: u32, marks: Marks) -> Parsed {
    Parsed {
        mantissa,
        scale,
        marks,
        sign: None,
        has_unit: false,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Before,
    Behind,
}

/// What stands before or behind the digits.
#[derive(Default)]
struct Beside {
    sign: Option<Sign>,
    is_negative: bool,
    has_unit: bool,
    /// `,-` and `.–` stand for no cents.
    is_whole: bool,
}

impl Beside {
    /// None where it is anything but a currency, a minus, a parenthesis or a unit.
    fn read(text: &str, side: Side) -> Option<Self> {
        let mut beside = Self::default();
        let mut rest = text.trim();
        if rest.is_empty() {
            return Some(beside);
        }
        if side == Side::Behind && text.starts_with(['.', ',']) {
            rest = rest[1..].trim_start_matches(['-', '–', '—']).trim_start();
            beside.is_whole = true;
        }
        for minus in ['-', '−', '–', '(', ')', '+'] {
            let stripped = rest
                .strip_prefix(minus)
                .or_else(|| rest.strip_suffix(minus));
            if let Some(stripped) = stripped {
                rest = stripped.trim();
                // A parenthesis that is closed counts once, where it is opened.
                beside.is_negative ^= !matches!(minus, '+' | ')');
                break;
            }
        }
        if rest.is_empty() {
            return Some(beside);
        }
        beside.sign = currency::sign(rest);
        if beside.sign.is_none() {
            if side == Side::Before || !is_unit(rest) {
                return None;
            }
            beside.has_unit = true;
        }
        Some(beside)
    }
}

/// True for a word behind a number that says what is counted: `miles`, `km`, `%`. Not for one that
/// multiplies it.
fn is_unit(text: &str) -> bool {
    const LONGEST: usize = 15;
    const MULTIPLES: [&str; 8] = ["k", "m", "mio", "mio.", "mn", "tsd", "tsd.", "bn"];
    let lower = text.to_lowercase();
    let is_word = text
        .chars()
        .all(|letter| letter.is_alphabetic() || "%°\"'/.²³".contains(letter));
    is_word && text.len() <= LONGEST && !MULTIPLES.contains(&lower.as_str())
}

/// From the first digit, or the mark in front of it, to the last.
fn digits(text: &str) -> Option<Parsed> {
    if let Some(parsed) = scientific(text) {
        return Some(parsed);
    }
    let mut mantissa: i128 = 0;
    let mut count = 0;
    // The marks and the number of digits since each.
    let mut marks = [(0_u8, 0_usize); 10];
    let mut marked = 0;
    let mut leading = 0;
    for letter in text.chars() {
        match letter {
            '0'..='9' => {
                mantissa = mantissa * 10 + i128::from(letter as u32 - '0' as u32);
                count += 1;
                if count > MOST_DIGITS {
                    return None;
                }
                match marked {
                    0 => leading += 1,
                    _ => marks[marked - 1].1 += 1,
                }
            }
            _ => {
                let mark = match letter {
                    '.' | ',' => letter as u8,
                    '\'' | '’' | ' ' | '\u{A0}' | '\u{202F}' | '\u{2009}' => b' ',
                    _ => return None,
                };
                *marks.get_mut(marked)? = (mark, 0);
                marked += 1;
            }
        }
    }
    let marks = &marks[..marked];
    let begins_with_zero = text.starts_with('0');
    let (scale, meaning) = meaning(marks, leading, begins_with_zero)?;
    Some(plain(mantissa, u32::try_from(scale).ok()?, meaning))
}

/// What the marks mean, and how many digits are decimals; none where they mean nothing together.
fn meaning(
    marks: &[(u8, usize)],
    leading: usize,
    begins_with_zero: bool,
) -> Option<(usize, Marks)> {
    let Some(((last, behind), groups)) = marks.split_last().map(|(last, rest)| (*last, rest))
    else {
        return Some((0, Marks::None));
    };
    let is_group = |(_, digits): &(u8, usize)| *digits == 3;
    let lead_is_group = (1..=3).contains(&leading);
    if groups.is_empty() {
        return match (last, behind) {
            (b' ', 3) if lead_is_group => Some((0, Marks::None)),
            (b' ', _) => None,
            (mark, 3) if lead_is_group && !begins_with_zero => Some((0, Marks::Doubt(mark))),
            (mark, _) => Some((behind, Marks::Decimal(mark, behind as u32))),
        };
    }
    let first = groups[0].0;
    let are_alike = groups.iter().all(|(mark, _)| *mark == first);
    if !are_alike || !lead_is_group {
        return None;
    }
    if last != first {
        // The last of two kinds is the decimal sign. India groups by two: `1,29,900.00`.
        let (inner, outer) = groups.split_last()?;
        let fits = is_group(inner) && outer.iter().all(|group| matches!(group.1, 2 | 3));
        return (fits && last != b' ').then_some((behind, Marks::Decimal(last, behind as u32)));
    }
    match behind {
        3 if groups.iter().all(|group| matches!(group.1, 2 | 3)) && last != b' ' => {
            Some((0, Marks::Group(last)))
        }
        3 if groups.iter().all(is_group) => Some((0, Marks::None)),
        // `1.299.00`: two digits at the end are cents all the same.
        2 if last != b' ' && groups.iter().all(is_group) => Some((2, Marks::None)),
        _ => None,
    }
}

/// `1.2E+05`, as spreadsheet programs leave long numbers.
fn scientific(text: &str) -> Option<Parsed> {
    if !text.bytes().any(|byte| matches!(byte, b'e' | b'E')) {
        return None;
    }
    let value = Decimal::from_scientific(text).ok()?;
    Some(plain(value.mantissa(), value.scale(), Marks::None))
}

#[cfg(test)]
mod tests;
