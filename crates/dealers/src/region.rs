//! The regions that a dealer serves.

use aap::{dealer::Address, text::fold};
use rust_iso3166::{CountryCode, iso3166_2::Subdivision};
use serde::{Deserialize, Serialize};

/// The regions that a dealer serves, as ISO 3166 codes. A lead whose address lies elsewhere is
/// answered with `rejected`; one without an address, or with one that cannot be understood, is taken.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Regions {
    /// Countries by their two letters, for example `US`; all when empty.
    pub countries: Vec<String>,
    /// States or provinces of those countries by the letters after the country, for example `NY`. A
    /// country of which none is named is served as a whole.
    pub states: Vec<String>,
}

/// A code of the settings that means no region.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownRegion {
    /// No country has it.
    #[error("{0:?} is no country code of two letters (ISO 3166-1); write for example \"US\"")]
    Country(String),
    /// No state or province of the countries has it.
    #[error(
        "{0:?} is no state or province of the countries in `countries` (ISO 3166-2); write for example \"NY\""
    )]
    State(String),
}

impl Regions {
    /// Everything in the settings that means no region.
    #[must_use]
    pub fn unknown(&self) -> Vec<UnknownRegion> {
        let countries = self.countries.iter().filter(|code| by_code(code).is_none());
        let countries = countries.cloned().map(UnknownRegion::Country);
        let known: Vec<CountryCode> = self.countries.iter().filter_map(|it| by_code(it)).collect();
        let is_state = |code: &String| known.iter().any(|country| state(country, code).is_some());
        let states = self.states.iter().filter(|code| !is_state(code));
        let states = states.cloned().map(UnknownRegion::State);
        countries.chain(states).collect()
    }

    /// Whether an address lies outside of the regions, as far as its words can be understood. Without
    /// a country it is taken to be in the United States (AAP 1.3, Address).
    #[must_use]
    pub fn exclude(&self, address: &Address) -> bool {
        if self.countries.is_empty() {
            return false;
        }
        let Some(country) = country(address.country.as_deref().unwrap_or("US")) else {
            return false;
        };
        let served = |code: &String| by_code(code).is_some_and(|it| it.alpha2 == country.alpha2);
        if !self.countries.iter().any(served) {
            return true;
        }
        let states = self.states_of(&country);
        let lies_in = address.state.as_deref().and_then(|it| state(&country, it));
        lies_in.is_some_and(|it| !states.is_empty() && !states.contains(&it))
    }

    /// The regions by name, for a sentence: `New York, Vermont and Canada`.
    #[must_use]
    pub fn names(&self) -> String {
        let mut names = Vec::new();
        for country in self.countries.iter().filter_map(|it| by_code(it)) {
            match self.states_of(&country) {
                states if states.is_empty() => names.push(country.name),
                states => names.extend(states.iter().map(|state| state.name)),
            }
        }
        match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    }

    /// The states of a country that are named.
    fn states_of(&self, country: &CountryCode) -> Vec<Subdivision> {
        let states = self.states.iter();
        states.filter_map(|code| state(country, code)).collect()
    }
}

/// The country of two letters.
fn by_code(code: &str) -> Option<CountryCode> {
    rust_iso3166::from_alpha2(&code.trim().to_ascii_uppercase())
}

/// The country that a person or an agent means by a code of two or three letters, or by its name.
fn country(text: &str) -> Option<CountryCode> {
    let code = text.replace('.', "").trim().to_ascii_uppercase();
    let by_letters = rust_iso3166::from_alpha2(&code).or_else(|| rust_iso3166::from_alpha3(&code));
    by_letters.or_else(|| {
        let name = fold(text)?;
        let is_meant = |official: &str| {
            let rest = official.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" of "))
        };
        let mut all = rust_iso3166::ALL.iter();
        all.find(|country| fold(country.name).is_some_and(|it| is_meant(&it)))
            .copied()
    })
}

/// The state or province of a country that is meant by its letters, alone or after the country's, or
/// by its name.
fn state(country: &CountryCode, text: &str) -> Option<Subdivision> {
    let wanted = fold(text)?;
    let is_meant = |it: &str| fold(it).is_some_and(|it| it == wanted);
    let mut states = country.subdivisions()?.iter();
    states
        .find(|it| [it.region_code, it.code, it.name].into_iter().any(is_meant))
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions(countries: &[&str], states: &[&str]) -> Regions {
        let owned = |codes: &[&str]| codes.iter().map(|it| (*it).to_owned()).collect();
        Regions {
            countries: owned(countries),
            states: owned(states),
        }
    }

    fn address(country: &str, state: &str) -> Address {
        let set = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Address {
            country: set(country),
            state: set(state),
            ..Address::default()
        }
    }

    #[test]
    fn an_address_is_excluded_only_where_it_is_understood_to_lie_elsewhere() {
        let regions = regions(&["US", "CA"], &["NY", "VT"]);
        for (country, state, excluded) in [
            ("", "", false),
            ("", "ny", false),
            ("", "New York", false),
            ("US", "US-VT", false),
            ("US", "CA", true),
            ("USA", "california", true),
            ("U.S.A.", "TX", true),
            ("United States", "Texas", true),
            ("United States of America", "Vermont", false),
            ("US", "somewhere", false),
            ("Canada", "QC", false),
            ("CAN", "Ontario", false),
            ("MX", "", true),
            ("Mexico", "Jalisco", true),
            ("Westeros", "North", false),
            (" ", "TX", false),
        ] {
            assert_eq!(
                regions.exclude(&address(country, state)),
                excluded,
                "{country} {state}"
            );
        }
    }

    #[test]
    fn without_regions_everybody_is_served() {
        let regions = Regions::default();
        assert!(!regions.exclude(&address("FR", "")));
        assert!(!regions.exclude(&address("US", "AK")));
        assert_eq!(regions.unknown(), []);
    }

    #[test]
    fn regions_have_names() {
        assert_eq!(regions(&["CA"], &[]).names(), "Canada");
        assert_eq!(
            regions(&["us", "CA"], &["ny", "VT"]).names(),
            "New York, Vermont and Canada"
        );
    }

    #[test]
    fn codes_that_mean_nothing_are_told() {
        let unknown = regions(&["US", "USA"], &["NY", "ON", "XX"]).unknown();
        let unknown: Vec<String> = unknown.iter().map(ToString::to_string).collect();
        assert_eq!(unknown.len(), 3, "{unknown:?}");
        assert!(unknown[0].starts_with("\"USA\" is no country code"));
        assert!(unknown[1].starts_with("\"ON\" is no state"));
    }
}
