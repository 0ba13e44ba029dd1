//! The formats that the schemas name, asserted (AAP validates with formats switched on).

/// E.164: a plus sign, then 2 to 15 digits of which the first is not 0.
#[must_use]
pub fn is_e164(text: &str) -> bool {
    let Some(digits) = text.strip_prefix('+') else {
        return false;
    };
    (2..=15).contains(&digits.len())
        && !digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}
