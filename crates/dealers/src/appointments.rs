//! When a rooftop takes appointments.

use std::{collections::BTreeMap, fmt};

use aap::{dealer::Schedule, lead::AppointmentType, text::fold};
use jiff::civil::Date;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, IgnoredAny, MapAccess, Visitor},
};

use crate::{Period, Rooftop};

/// When a rooftop takes appointments, and who says yes to them. The hours are those of one of the
/// rooftop's schedules, read in its zone: see [`Rooftop::hours_of`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AppointmentSettings {
    /// Whether a free time is confirmed at once; otherwise a person does.
    pub confirm: bool,
    /// From one possible beginning to the next, and how long an appointment takes that names no
    /// length; a longer one takes as many slots as it needs. Whole multiples of
    /// [`AppointmentSettings::GRID`].
    pub slot: Period,
    /// How many appointments of a kind may go on at the same time, at least one.
    pub capacity: u32,
    /// Least time from the request to the appointment.
    pub notice: Period,
    /// How far ahead appointments are taken.
    pub horizon: Period,
    /// Days on which nothing is taken, in the rooftop's zone.
    #[serde(deserialize_with = "dates")]
    pub holidays: Vec<Date>,
    /// What happens when the wished time is not free.
    pub when_full: WhenFull,
    /// The schedule of opening hours that counts for a kind, by its name. Kinds that are absent
    /// choose by themselves.
    pub schedules: BTreeMap<AppointmentType, String>,
}

impl AppointmentSettings {
    /// Every appointment begins and ends on whole multiples of this, and a slot is one.
    pub const GRID: Period = Period::minutes(5);
}

/// What happens when the wished time is not free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhenFull {
    /// The lead is taken, and the nearest free times are proposed.
    Propose,
    /// The lead is refused with `APPOINTMENT_TIME_UNAVAILABLE`, and nothing is stored.
    Refuse,
}

impl Default for AppointmentSettings {
    fn default() -> Self {
        Self {
            confirm: false,
            slot: Period::minutes(30),
            capacity: 1,
            notice: Period::minutes(120),
            horizon: Period::days(30),
            holidays: Vec::new(),
            when_full: WhenFull::Propose,
            schedules: BTreeMap::new(),
        }
    }
}

impl Rooftop {
    /// The opening hours that count for a kind of appointment.
    ///
    /// The settings may name the schedule. Else it is the one called like the kind (`test drive`,
    /// `test-drive` and `test_drive` are one name), then the one called `sales` except for service,
    /// which other people do, then the one without a name, which speaks for the whole place. `None`
    /// when there is none of these: a person answers such a wish.
    #[must_use]
    pub fn hours_of(&self, kind: AppointmentType) -> Option<&Schedule> {
        let called = |name: &str| {
            let name = comparable(name);
            self.schedules.iter().find(|schedule| {
                name.is_some() && schedule.name.as_deref().and_then(comparable) == name
            })
        };
        let settings = self.appointments.as_ref()?;
        if let Some(name) = settings.schedules.get(&kind) {
            return called(name);
        }
        let of_sales = || match kind {
            AppointmentType::Service => None,
            _ => called(AppointmentType::Sales.as_str()),
        };
        let of_everything = || {
            let nameless = |schedule: &&Schedule| schedule.name.as_deref().and_then(fold).is_none();
            self.schedules.iter().find(nameless)
        };
        called(kind.as_str())
            .or_else(of_sales)
            .or_else(of_everything)
    }
}

/// Dates as text or as TOML writes them, without quotes.
fn dates<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Date>, D::Error> {
    let days: Vec<Day> = Vec::deserialize(deserializer)?;
    Ok(days.into_iter().map(|Day(date)| date).collect())
}

struct Day(Date);

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DayVisitor)
    }
}

struct DayVisitor;

impl<'de> Visitor<'de> for DayVisitor {
    type Value = Day;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a date such as 2026-12-25")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Day, E> {
        let date = text.parse().map(Day);
        date.map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
    }

    /// A date of TOML comes as a map with its text as the only value.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Day, A::Error> {
        let entry: Option<(IgnoredAny, String)> = map.next_entry()?;
        let text = entry.map(|(_, text)| text).unwrap_or_default();
        self.visit_str(&text)
    }
}

fn comparable(name: &str) -> Option<String> {
    fold(&name.replace(['_', '-'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rooftop(schedules: &[Option<&str>], chosen: &[(AppointmentType, &str)]) -> Rooftop {
        let schedules = schedules.iter().map(|name| Schedule {
            name: name.map(str::to_owned),
            value: aap::dealer::Week::default(),
        });
        let chosen = chosen
            .iter()
            .map(|(kind, name)| (*kind, (*name).to_owned()));
        Rooftop {
            schedules: schedules.collect(),
            appointments: Some(AppointmentSettings {
                schedules: chosen.collect(),
                ..AppointmentSettings::default()
            }),
            ..Rooftop::default()
        }
    }

    fn hours(rooftop: &Rooftop, kind: AppointmentType) -> Option<Option<&str>> {
        rooftop
            .hours_of(kind)
            .map(|schedule| schedule.name.as_deref())
    }

    #[test]
    fn a_kind_keeps_the_hours_of_the_people_who_do_it() {
        use AppointmentType::{Sales, Service, TestDrive, TradeIn};
        let both = rooftop(&[Some("Service"), Some("Sales")], &[]);
        for (kind, name) in [
            (Sales, "Sales"),
            (TestDrive, "Sales"),
            (TradeIn, "Sales"),
            (Service, "Service"),
        ] {
            assert_eq!(hours(&both, kind), Some(Some(name)), "{kind:?}");
        }
        let own = rooftop(&[Some("sales"), Some("Test Drive")], &[]);
        assert_eq!(hours(&own, TestDrive), Some(Some("Test Drive")));
        assert_eq!(
            hours(&own, Service),
            None,
            "nobody says when service is open"
        );
        let one = rooftop(&[None], &[]);
        assert_eq!(hours(&one, Service), Some(None));
        assert_eq!(hours(&rooftop(&[Some("Parts")], &[]), Sales), None);
    }

    #[test]
    fn holidays_are_dates_with_or_without_quotes() {
        for (written, is_read) in [
            ("[\"2026-12-25\", 2026-07-04]", true),
            ("[]", true),
            ("[\"Christmas\"]", false),
            ("[2026]", false),
            ("[2026-12-25T00:00:00Z]", false),
        ] {
            let read = toml::from_str::<AppointmentSettings>(&format!("holidays = {written}"));
            assert_eq!(read.is_ok(), is_read, "{written}: {read:?}");
        }
    }

    #[test]
    fn a_setting_chooses_the_hours_of_a_kind() {
        use AppointmentType::{Sales, TradeIn};
        let chosen = rooftop(
            &[Some("Sales"), Some("Used car desk")],
            &[(TradeIn, "used car desk")],
        );
        assert_eq!(hours(&chosen, TradeIn), Some(Some("Used car desk")));
        assert_eq!(hours(&chosen, Sales), Some(Some("Sales")));
        let misspelt = rooftop(&[Some("Sales")], &[(Sales, "Sails")]);
        assert_eq!(hours(&misspelt, Sales), None, "no other hours are guessed");
    }
}
