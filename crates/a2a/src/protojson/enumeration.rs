//! Enumerations: written by name, read by name or number.

use super::Found;
use crate::fault::At;

/// An enumeration and its wire names.
pub(crate) trait Enumeration: Copy + PartialEq + 'static {
    /// Every value with its number and name.
    const VALUES: &'static [(Self, i64, &'static str)];

    fn name(self) -> &'static str {
        Self::VALUES
            .iter()
            .find(|(value, _, _)| *value == self)
            .map_or("", |(_, _, name)| name)
    }

    fn from_found(found: Found<'_>) -> Option<Self> {
        let number = match found {
            Found::Text(name) => {
                let entry = Self::VALUES.iter().find(|entry| entry.2 == name);
                return entry.map(|entry| entry.0);
            }
            Found::Signed(number) => number,
            Found::Unsigned(number) => i64::try_from(number).ok()?,
            Found::Float(number) if number.fract() == 0.0 => number as i64,
            _ => return None,
        };
        let entry = Self::VALUES.iter().find(|entry| entry.1 == number);
        entry.map(|entry| entry.0)
    }

    /// Reads a value that was found, or records which ones there are.
    fn read_found(found: Found<'_>, absent: Self, at: At<'_>) -> Self {
        Self::from_found(found).unwrap_or_else(|| {
            let names: Vec<&str> = Self::VALUES.iter().map(|entry| entry.2).collect();
            at.fault(format!("is {found}, not one of {}", names.join(", ")));
            absent
        })
    }
}
