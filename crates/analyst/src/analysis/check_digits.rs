//! Whether a VIN or a GTIN can be right.

/// What is wrong with a vehicle identification number: 17 capital letters and digits without I, O
/// and Q (ISO 3779). The check digit in the ninth place binds North American vehicles alone
/// (49 CFR 565.15), whose numbers begin with 1 to 5.
pub(crate) fn vin_fault(vin: &str) -> Option<&'static str> {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    let vin = vin.to_ascii_uppercase();
    if vin.chars().count() != 17 {
        return Some("not 17 characters");
    }
    let Some(values) = vin.bytes().map(transliterated).collect::<Option<Vec<_>>>() else {
        return Some("a character that no VIN has");
    };
    if !matches!(vin.as_bytes()[0], b'1'..=b'5') {
        return None;
    }
    let sum: u32 = values
        .iter()
        .zip(WEIGHTS)
        .map(|(value, weight)| value * weight)
        .sum();
    let expected = char::from_digit(sum % 11, 10).unwrap_or('X');
    (vin.chars().nth(8) != Some(expected)).then_some("a wrong check digit")
}

fn transliterated(letter: u8) -> Option<u32> {
    let value = match letter {
        b'0'..=b'9' => letter - b'0',
        b'A'..=b'H' => letter - b'A' + 1,
        b'J'..=b'N' => letter - b'J' + 1,
        b'P' => 7,
        b'R' => 9,
        b'S'..=b'Z' => letter - b'S' + 2,
        _ => return None,
    };
    Some(value.into())
}

/// What is wrong with a global trade item number: 8, 12, 13 or 14 digits, the last of which is the
/// check digit (GS1 General Specifications).
pub(crate) fn gtin_fault(gtin: &str) -> Option<&'static str> {
    let digits: Option<Vec<u32>> = gtin
        .chars()
        .filter(|letter| !matches!(letter, ' ' | '-'))
        .map(|letter| letter.to_digit(10))
        .collect();
    let Some(digits) = digits else {
        return Some("a character that is no digit");
    };
    if !matches!(digits.len(), 8 | 12 | 13 | 14) {
        return Some("not 8, 12, 13 or 14 digits");
    }
    // Weights alternate from the right, the digit before the check digit weighing 3.
    let sum: u32 = digits
        .iter()
        .rev()
        .zip([1, 3].into_iter().cycle())
        .map(|(digit, weight)| digit * weight)
        .sum();
    (sum % 10 != 0).then_some("a wrong check digit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vins_are_checked_where_the_check_digit_binds() {
        assert_eq!(vin_fault("1M8GDM9AXKP042788"), None);
        assert_eq!(vin_fault("1m8gdm9axkp042788"), None);
        assert_eq!(vin_fault("11111111111111111"), None);
        assert_eq!(vin_fault("1M8GDM9A1KP042788"), Some("a wrong check digit"));
        assert_eq!(
            vin_fault("WVWZZZ1JZ3W386752"),
            None,
            "Europe has no check digit"
        );
        assert_eq!(
            vin_fault("WVWZZZ1JZ3W38675O"),
            Some("a character that no VIN has")
        );
        assert_eq!(vin_fault("1M8GDM9AXKP04278"), Some("not 17 characters"));
        assert_eq!(
            vin_fault("ééééééééééééééééé"),
            Some("a character that no VIN has")
        );
    }

    #[test]
    fn gtins_of_every_length_are_checked() {
        for right in [
            "96385074",
            "036000291452",
            "4006381333931",
            "10012345678902",
        ] {
            assert_eq!(gtin_fault(right), None, "{right}");
        }
        assert_eq!(gtin_fault("978-3-16-148410-0"), None);
        assert_eq!(gtin_fault("4006381333932"), Some("a wrong check digit"));
        assert_eq!(gtin_fault("400638133393"), Some("a wrong check digit"));
        assert_eq!(gtin_fault("12345"), Some("not 8, 12, 13 or 14 digits"));
        assert_eq!(
            gtin_fault("4.00638E+12"),
            Some("a character that is no digit")
        );
    }
}
