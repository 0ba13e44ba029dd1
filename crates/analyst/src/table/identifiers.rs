//! Identifiers that show by themselves whether they are right.

/// Whether an identifier's check digit is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// It is not of the form.
    Malformed,
    /// The check digit is wrong.
    Wrong,
    /// It is right, or there is none to check.
    Right,
}

/// A vehicle identification number: 17 letters and digits without I, O and Q (ISO 3779). The check
/// digit is looked at where North America demands one (first character 1 to 5; 49 CFR 565.15 (c)).
#[must_use]
pub fn check_vin(text: &str) -> Checked {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let bytes = text.as_bytes();
    if bytes.len() != WEIGHTS.len() {
        return Checked::Malformed;
    }
    let mut sum = 0;
    for (byte, weight) in bytes.iter().zip(WEIGHTS) {
        let Some(value) = vin_value(byte.to_ascii_uppercase()) else {
            return Checked::Malformed;
        };
        sum += value * weight;
    }
    let digit = match sum % 11 {
        10 => b'X',
        digit => b'0' + u8::try_from(digit).unwrap_or_default(),
    };
    if matches!(bytes[0], b'1'..=b'5') && bytes[8].to_ascii_uppercase() != digit {
        return Checked::Wrong;
    }
    Checked::Right
}

fn vin_value(byte: u8) -> Option<u32> {
    let value = match byte {
        b'0'..=b'9' => byte - b'0',
        b'A'..=b'H' => byte - b'A' + 1,
        b'J'..=b'N' => byte - b'J' + 1,
        b'P' => 7,
        b'R' => 9,
        b'S'..=b'Z' => byte - b'S' + 2,
        _ => return None,
    };
    Some(u32::from(value))
}

/// A global trade item number of 8, 12, 13 or 14 digits with its check digit (GS1 General
/// Specifications 7.9), or an ISBN of 10 (ISO 2108). Hyphens and spaces between digits are left out.
#[must_use]
pub fn check_gtin(text: &str) -> Checked {
    const LONGEST: usize = 24;
    // Spreadsheet programs keep long numbers as text behind an apostrophe.
    let text = text.trim_start_matches('\'');
    if text.len() > LONGEST {
        return Checked::Malformed;
    }
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b'-' | b' '))
        .collect();
    if digits.len() == 10 {
        return check_isbn_10(&digits);
    }
    if !matches!(digits.len(), 8 | 12 | 13 | 14) || !digits.iter().all(u8::is_ascii_digit) {
        return Checked::Malformed;
    }
    let sum: u32 = (digits.iter().rev().enumerate())
        .map(|(at, digit)| u32::from(digit - b'0') * if at % 2 == 1 { 3 } else { 1 })
        .sum();
    if sum == 0 || !sum.is_multiple_of(10) {
        Checked::Wrong
    } else {
        Checked::Right
    }
}

fn check_isbn_10(digits: &[u8]) -> Checked {
    let mut sum = 0;
    for (weight, digit) in (1..=10).rev().zip(digits) {
        sum += weight
            * match digit {
                b'0'..=b'9' => u32::from(digit - b'0'),
                b'X' | b'x' if weight == 1 => 10,
                _ => return Checked::Malformed,
            };
    }
    if sum.is_multiple_of(11) {
        Checked::Right
    } else {
        Checked::Wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_tell_right_from_wrong() {
        assert_eq!(check_vin("1HGCV1F35KA000001"), Checked::Right);
        assert_eq!(check_vin("1hgcv1f35ka000001"), Checked::Right);
        assert_eq!(check_vin("1HGCV1F30KA000001"), Checked::Wrong);
        // Europe has no check digit.
        assert_eq!(check_vin("WVWZZZ1JZXW000001"), Checked::Right);
        assert_eq!(check_vin("1HGCV1F3OKA000001"), Checked::Malformed);
        assert_eq!(check_vin("é"), Checked::Malformed);

        for gtin in [
            "4006381333931",
            "036000291452",
            "96385074",
            "978-1-4165-0778-9",
            "'4006381333931",
            "0306406152",
        ] {
            assert_eq!(check_gtin(gtin), Checked::Right, "{gtin}");
        }
        assert_eq!(check_gtin("080442957X"), Checked::Right);
        for gtin in ["1234567890123", "0000000000000", "0306406153"] {
            assert_eq!(check_gtin(gtin), Checked::Wrong, "{gtin}");
        }
        for gtin in ["", "12345", "9.78E+12", "X80442957X", "ABCDEFGH"] {
            assert_eq!(check_gtin(gtin), Checked::Malformed, "{gtin}");
        }
    }
}
