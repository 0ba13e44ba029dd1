//! Numbers with separators and units: money, odometers, displacement, electric figures.

use serde_json::Number;

/// A decimal number as it is written, its fraction untouched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Decimal<'a> {
    negative: bool,
    whole: u64,
    fraction: &'a str,
}

impl<'a> Decimal<'a> {
    /// Reads `64460`, `64,460`, `64460.0`, `-1`. Commas must stand before groups of three digits:
    /// `14.900,00` is not guessed at.
    fn parse(text: &'a str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, text),
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut groups = whole.split(',');
        let first = groups.next()?;
        let grouped = whole.contains(',');
        let well_grouped =
            !grouped || ((1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3));
        let digits = || whole.bytes().filter(|byte| *byte != b',');
        if first.is_empty() || !well_grouped || !digits().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let whole = digits().try_fold(0_u64, |sum, digit| {
            sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
        })?;
        Some(Self {
            negative,
            whole,
            fraction,
        })
    }

    /// The nearest whole number, halves up. `None` for `14.900`, which may be a thousand written
    /// with the other separator.
    fn rounded(self) -> Option<u64> {
        if self.fraction.len() == 3 && self.whole < 1_000 && self.whole > 0 {
            return None;
        }
        let up = self
            .fraction
            .as_bytes()
            .first()
            .is_some_and(|digit| *digit >= b'5');
        self.whole.checked_add(u64::from(up))
    }

    fn as_f64(self) -> f64 {
        let fraction: f64 = format!("0.{}0", self.fraction).parse().unwrap_or(0.0);
        self.whole as f64 + fraction
    }
}

/// What a money cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::feed) enum Money {
    /// Whole US dollars.
    Dollars(u64),
    /// No price, said as vendors say it: `Call`, 0.
    NotStated,
    /// A number that stands for "no price": -1, 1, 999999.
    Filler,
    /// Another currency than US dollars.
    OtherCurrency,
    /// Something else.
    Unreadable,
}

/// Reads `$14,900.00`, `14900.0`, `14900 USD`, `Call for price`. Cents are rounded to whole
/// dollars, halves up.
pub(in crate::feed) fn money(cell: &str) -> Money {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-');
    let Some(start) = cell.find(|c: char| c.is_ascii_digit()) else {
        return if is_no_price(cell) {
            Money::NotStated
        } else {
            Money::Unreadable
        };
    };
    // A sign or point before the first digit belongs to the number, a dollar sign may stand between.
    let before = &cell[..start];
    let negative = before.contains('-') || before.contains('(');
    let (number, after) = {
        let rest = &cell[start..];
        let end = rest.find(|c: char| !is_number(c)).unwrap_or(rest.len());
        rest.split_at(end)
    };
    let currency: String = before
        .chars()
        .chain(after.chars())
        .filter(|c| !c.is_whitespace() && !matches!(c, '-' | '(' | ')'))
        .flat_map(char::to_lowercase)
        .collect();
    let point = currency.starts_with('.') || before.ends_with('.');
    let Some(decimal) = Decimal::parse(number).filter(|_| !point) else {
        return Money::Unreadable;
    };
    if !US_DOLLARS.contains(&currency.as_str()) {
        let named = currency
            .chars()
            .all(|c| c.is_alphabetic() || is_currency_sign(c))
            && currency.chars().count() <= 4;
        return if named {
            Money::OtherCurrency
        } else {
            Money::Unreadable
        };
    }
    let Some(dollars) = decimal.rounded() else {
        return Money::Unreadable;
    };
    match dollars {
        _ if negative || decimal.negative => Money::Filler,
        0 => Money::NotStated,
        _ if is_price_filler(dollars) => Money::Filler,
        HIGHEST_PRICE.. => Money::Unreadable,
        _ => Money::Dollars(dollars),
    }
}

/// How vendors write the currency beside an amount, or leave it out.
const US_DOLLARS: [&str; 6] = ["", "$", "us$", "usd", "usd$", "$usd"];

/// True for the currency in which alone AAP has amounts.
pub(in crate::feed) fn is_us_dollar(currency: &str) -> bool {
    let lower = currency.to_lowercase();
    US_DOLLARS.contains(&lower.as_str()) || lower == "us"
}

/// Above it, a number is a slip, or two cells in one.
const HIGHEST_PRICE: u64 = 100_000_000;

fn is_price_filler(dollars: u64) -> bool {
    matches!(dollars, 1 | 999_999 | 9_999_999 | 99_999_999)
}

fn is_currency_sign(character: char) -> bool {
    matches!(character, '$' | '€' | '£' | '¥')
}

/// True for the words that stand where a price is not told.
fn is_no_price(cell: &str) -> bool {
    const WORDS: [&str; 11] = [
        "call",
        "contact",
        "inquire",
        "enquire",
        "ask",
        "request",
        "tbd",
        "tba",
        "no price",
        "see dealer",
        "offer",
    ];
    let lower = cell.to_lowercase();
    lower
        .chars()
        .all(|c| is_currency_sign(c) || c.is_whitespace())
        || matches!(lower.as_str(), "poa" | "p.o.a.")
        || WORDS.iter().any(|word| lower.contains(word))
}

/// What an odometer cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::feed) enum Odometer {
    /// Miles.
    Miles(u64),
    /// Kilometers, converted to miles.
    FromKilometers(u64),
    /// True mileage unknown, exempt, or a filler.
    Unknown,
    /// Hours of use.
    Hours,
    /// Something else.
    Unreadable,
}

/// Reads `64,460`, `64460.0`, `100 miles`, `7560 km`, `EXEMPT`. `unit` is what another column or
/// the header says of the unit.
pub(in crate::feed) fn odometer(cell: &str, unit: Option<&str>) -> Odometer {
    const FILLERS: [u64; 2] = [999_999, 9_999_999];
    const MOST: u64 = 2_000_000;
    let (number, own_unit) = split_unit(cell);
    if number.is_empty() {
        return if is_unknown_odometer(cell) {
            Odometer::Unknown
        } else {
            Odometer::Unreadable
        };
    }
    let Some(decimal) = Decimal::parse(number).filter(|decimal| !decimal.negative) else {
        return Odometer::Unreadable;
    };
    let Some(count) = decimal.rounded() else {
        return Odometer::Unreadable;
    };
    let unit = if own_unit.is_empty() {
        unit.unwrap_or_default()
    } else {
        own_unit
    };
    match unit.trim_end_matches('.').to_lowercase().as_str() {
        _ if FILLERS.contains(&count) => Odometer::Unknown,
        _ if count > MOST => Odometer::Unreadable,
        "" | "mi" | "mile" | "miles" | "smi" => Odometer::Miles(count),
        "km" | "kms" | "kmt" | "kilometer" | "kilometers" | "kilometre" | "kilometres" => {
            Odometer::FromKilometers((count as f64 / KILOMETERS_PER_MILE).round() as u64)
        }
        "h" | "hr" | "hrs" | "hour" | "hours" => Odometer::Hours,
        _ => Odometer::Unreadable,
    }
}

const KILOMETERS_PER_MILE: f64 = 1.609_344;

fn is_unknown_odometer(cell: &str) -> bool {
    const WORDS: [&str; 6] = [
        "exempt",
        "tmu",
        "unknown",
        "not actual",
        "true mileage",
        "nam",
    ];
    let lower = cell.to_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// True for a number as spreadsheet programs write long ones, such as `1.23457E+11`.
pub(in crate::feed) fn is_scientific(cell: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = cell.split_once("E+").and_then(|(number, exponent)| {
        let (whole, fraction) = number.split_once('.')?;
        Some((whole, fraction, exponent))
    });
    number.is_some_and(|(whole, fraction, exponent)| {
        digits(whole) && digits(fraction) && digits(exponent)
    })
}

/// A whole number such as a model year, doors or miles per gallon, written `32` or `32.0`.
pub(in crate::feed) fn whole(cell: &str) -> Option<u64> {
    let decimal = Decimal::parse(cell)?;
    let exact = !decimal.negative && decimal.fraction.bytes().all(|digit| digit == b'0');
    exact.then_some(decimal.whole)
}

/// How many of something: `4`, `4.0`, `4 doors`, `V6`, `I-4`. Zero is none.
pub(in crate::feed) fn count(cell: &str) -> Option<u64> {
    let cell = cell
        .trim_start_matches(|c: char| c.is_ascii_alphabetic())
        .trim_start_matches('-');
    let (number, rest) = split_unit(cell);
    let word_follows = rest
        .chars()
        .all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '.'));
    whole(number.trim_end_matches('-')).filter(|_| word_follows)
}

/// A number of one of the given units, or of none: `75 kWh`, `310`, `10.5`.
pub(in crate::feed) fn quantity(cell: &str, units: &[&str]) -> Option<Number> {
    let (number, unit) = split_unit(cell);
    let unit = unit.trim_end_matches('.').to_lowercase();
    if !unit.is_empty() && !units.contains(&unit.as_str()) {
        return None;
    }
    let decimal = Decimal::parse(number).filter(|decimal| !decimal.negative)?;
    if decimal.fraction.bytes().all(|digit| digit == b'0') {
        return Some(Number::from(decimal.whole));
    }
    Number::from_f64(decimal.as_f64())
}

/// What a displacement cell says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::feed) enum Displacement {
    /// Cubic centimetres; litres times 1,000, rounded.
    Cc(u64),
    /// No engine that has one: an electric unit, 0.
    None,
    /// A number without a unit.
    NoUnit,
    /// Something else.
    Unreadable,
}

/// Reads `2.0L`, `2.0`, `1868 cc`, `5.7L V8`, `Electric`. `in_cc` is what the header says of a number
/// without a unit. Otherwise its size tells litres from cubic centimetres, save for numbers that
/// may be either, or cubic inches.
pub(in crate::feed) fn displacement(cell: &str, in_cc: bool) -> Displacement {
    const LARGEST: f64 = 100_000.0;
    const MOST_LITRES: f64 = 20.0;
    const LEAST_CC: f64 = 1_000.0;
    let (number, rest) = split_unit(cell);
    if number.is_empty() {
        let lower = cell.to_lowercase();
        let electric = lower.contains("electric") || lower == "ev";
        return if electric {
            Displacement::None
        } else {
            Displacement::Unreadable
        };
    }
    let Some(decimal) = Decimal::parse(number).filter(|decimal| !decimal.negative) else {
        return Displacement::Unreadable;
    };
    let unit: String = rest
        .chars()
        .take_while(|c| c.is_alphabetic())
        .flat_map(char::to_lowercase)
        .collect();
    let cc = match unit.as_str() {
        _ if decimal.as_f64() == 0.0 => return Displacement::None,
        "l" | "liter" | "liters" | "litre" | "litres" => decimal.as_f64() * 1_000.0,
        "cc" | "ccm" => decimal.as_f64(),
        "" if in_cc => decimal.as_f64(),
        "" if decimal.as_f64() < MOST_LITRES => decimal.as_f64() * 1_000.0,
        "" if decimal.as_f64() >= LEAST_CC => decimal.as_f64(),
        "" => return Displacement::NoUnit,
        _ => return Displacement::Unreadable,
    };
    if (1.0..=LARGEST).contains(&cc) {
        Displacement::Cc(cc.round() as u64)
    } else {
        Displacement::Unreadable
    }
}

/// The number at the beginning of a cell and what follows it.
fn split_unit(cell: &str) -> (&str, &str) {
    let end = cell
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '-')))
        .unwrap_or(cell.len());
    let (number, rest) = cell.split_at(end);
    (number, rest.trim_start())
}
