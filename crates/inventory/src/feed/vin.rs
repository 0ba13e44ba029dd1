//! What a vehicle identification number tells by itself (49 CFR 565): whether its check digit is
//! right, and its model year. Nothing here changes or rejects a VIN.

use std::fmt;

/// What a VIN's year code means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelYear {
    /// Position 10 is no North American year code.
    Unknown,
    /// This year.
    Year(u16),
    /// One of two years, thirty apart; nothing in the VIN tells which.
    Either(u16, u16),
}

impl ModelYear {
    /// True unless the VIN rules the year out.
    #[must_use]
    pub fn allows(self, year: u16) -> bool {
        match self {
            Self::Unknown => true,
            Self::Year(only) => only == year,
            Self::Either(earlier, later) => earlier == year || later == year,
        }
    }
}

impl fmt::Display for ModelYear {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => formatter.write_str("unknown"),
            Self::Year(year) => write!(formatter, "{year}"),
            Self::Either(earlier, later) => write!(formatter, "{earlier} or {later}"),
        }
    }
}

/// Position 9 as it should be, `0` to `9` or `X` (49 CFR 565.15 (c)). `None` unless the text is 17
/// characters out of those that a VIN may have.
///
/// ```
/// assert_eq!(inventory::feed::vin::check_digit("1HGCV1F30KA000001"), Some('5'));
/// ```
#[must_use]
pub fn check_digit(vin: &str) -> Option<char> {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    if vin.len() != WEIGHTS.len() {
        return None;
    }
    let mut sum = 0;
    for (byte, weight) in vin.bytes().zip(WEIGHTS) {
        sum += transliterated(byte)? * weight;
    }
    match sum % 11 {
        10 => Some('X'),
        digit => char::from_digit(digit, 10),
    }
}

fn transliterated(byte: u8) -> Option<u32> {
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

/// True when a wrong check digit means a wrong VIN.
///
/// Only North America (first character 1 to 5) demands one. Makers elsewhere put one into the
/// VINs of units for North America; such a VIN has a digit or `X` at position 9 and a North
/// American year code at position 10. With any other character there, position 9 is free.
#[must_use]
pub fn carries_check_digit(vin: &str) -> bool {
    let Some(&[first, _, _, _, _, _, _, _, ninth, tenth]) = vin.as_bytes().first_chunk() else {
        return false;
    };
    let american = matches!(first, b'1'..=b'5');
    american || ((ninth.is_ascii_digit() || ninth == b'X') && cycle_position(tenth).is_some())
}

/// The model year by positions 7 and 10 (49 CFR 565.15 (d)).
///
/// In light vehicles (up to 4,536 kg) a digit in position 7 means 1980 to 2009, a letter 2010 to
/// 2039. For heavy trucks, buses, motorcycles and trailers there is no such rule: a year after
/// `latest` is ruled out, otherwise both remain.
#[must_use]
pub fn model_year(vin: &str, light_vehicle: bool, latest: u16) -> ModelYear {
    let bytes = vin.as_bytes();
    let (17, Some(position)) = (bytes.len(), bytes.get(9).copied().and_then(cycle_position)) else {
        return ModelYear::Unknown;
    };
    let earlier = 1980 + position;
    let later = earlier + 30;
    match bytes[6] {
        b'0'..=b'9' if light_vehicle => ModelYear::Year(earlier),
        _ if light_vehicle => ModelYear::Year(later),
        _ if later > latest => ModelYear::Year(earlier),
        _ => ModelYear::Either(earlier, later),
    }
}

/// The place of a year code in the cycle of thirty years; I, O, Q, U, Z and 0 are none.
fn cycle_position(code: u8) -> Option<u16> {
    const CODES: &[u8; 30] = b"ABCDEFGHJKLMNPRSTVWXY123456789";
    let place = CODES.iter().position(|known| *known == code)?;
    u16::try_from(place).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LATEST: u16 = 2028;

    #[test]
    fn check_digits_follow_the_regulation() {
        assert_eq!(
            check_digit("1M8GDM9AXKP042788"),
            Some('X'),
            "a sum of 10 is X"
        );
        assert_eq!(check_digit("11111111111111111"), Some('1'));
        assert_eq!(
            check_digit("WBA71DC010CJ48563"),
            check_digit("WBA71DC090CJ48563")
        );
        assert_eq!(check_digit("1HGCV1F30KA000001"), Some('5'));
    }

    #[test]
    fn what_is_no_vin_tells_nothing() {
        assert_eq!(model_year("", true, LATEST), ModelYear::Unknown);
        assert_eq!(
            model_year("1HGCV1F30KA00000", true, LATEST),
            ModelYear::Unknown
        );
        for text in [
            "",
            "1HGCV1F30KA00000",
            "1HGCV1F30KA0000011",
            "1HGCV1F30KO000001",
            "1hgcv1f30ka000001",
            "1HGCV1F30KA00000é",
        ] {
            assert_eq!(check_digit(text), None, "{text}");
        }
    }

    #[test]
    fn only_north_american_vins_carry_a_check_digit() {
        assert!(carries_check_digit("1HGCV1F30KA000001"));
        assert!(
            carries_check_digit("4YMUL121ZNG090100"),
            "demanded there, so Z is a fault"
        );
        assert!(
            carries_check_digit("KNDCB3LC0L5207100"),
            "built abroad for North America"
        );
        assert!(
            !carries_check_digit("KNAPM81ABF7000001"),
            "a letter in position 9 is no check digit"
        );
        assert!(
            !carries_check_digit("WBAUD910X0P000001"),
            "0 is no North American year"
        );
        assert!(!carries_check_digit("1HGCV"));
    }

    #[test]
    fn position_7_tells_the_decade_of_light_vehicles() {
        // A 1995 sedan and a 2025 one, both with S in position 10.
        assert_eq!(
            model_year("1G4AG55M0S6400001", true, LATEST),
            ModelYear::Year(1995)
        );
        assert_eq!(
            model_year("1HGCV1F30SA000001", true, LATEST),
            ModelYear::Year(2025)
        );
        // V is 1997 or 2027.
        assert_eq!(
            model_year("1FAFP6630VK100001", true, LATEST),
            ModelYear::Year(1997)
        );
        assert_eq!(
            model_year("1HGCV1F30VA000001", true, LATEST),
            ModelYear::Year(2027)
        );
    }

    #[test]
    fn other_vehicles_may_be_of_either_cycle() {
        // A school bus of 2016, not of 1986.
        assert_eq!(
            model_year("4DRBUC8N0GB000001", false, LATEST),
            ModelYear::Either(1986, 2016)
        );
        assert_eq!(
            model_year("5PVNJ8JN0V4S50001", false, LATEST),
            ModelYear::Either(1997, 2027)
        );
        // 2031 is not on any lot.
        assert_eq!(
            model_year("1HD1YWK100B031000", false, LATEST),
            ModelYear::Unknown
        );
        assert_eq!(
            model_year("1HD1YWK101B031000", false, LATEST),
            ModelYear::Year(2001)
        );
    }

    #[test]
    fn the_codes_leave_out_what_can_be_misread() {
        let year = |code: char| model_year(&format!("1HGCV1F30{code}A000001"), true, LATEST);
        assert_eq!(year('L'), ModelYear::Year(2020));
        assert_eq!(year('Y'), ModelYear::Year(2030));
        assert_eq!(year('9'), ModelYear::Year(2039));
        for code in ['I', 'O', 'Q', 'U', 'Z', '0'] {
            assert_eq!(year(code), ModelYear::Unknown, "{code}");
        }
    }
}
