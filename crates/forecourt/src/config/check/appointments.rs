//! When a rooftop takes appointments.

use aap::lead::AppointmentType;
use dealers::{AppointmentSettings, Rooftop};
use jiff::SignedDuration;

use super::Findings;

const KINDS: [AppointmentType; 4] = [
    AppointmentType::Sales,
    AppointmentType::Service,
    AppointmentType::TestDrive,
    AppointmentType::TradeIn,
];

/// Longest time ahead.
const FARTHEST: SignedDuration = SignedDuration::from_hours(24 * 366);

/// What of a rooftop's settings lets it take no appointment, or others than are meant.
pub(super) fn check(at: &[&str], rooftop: &Rooftop, found: &mut Findings<'_>) {
    let Some(settings) = &rooftop.appointments else {
        return;
    };
    let table = [at, &["appointments"]].concat();
    let key = |last| [&table[..], &[last]].concat();
    if rooftop.timezone.is_none() {
        found.add(
            &table,
            "opening hours mean nothing without a zone; write the rooftop's timezone, for example \"America/Chicago\"",
        );
    }
    check_schedules(&table, rooftop, settings, found);
    let grid = AppointmentSettings::GRID.duration();
    let slot = settings.slot.duration();
    let is_whole = slot.as_nanos() % grid.as_nanos() == 0;
    if slot < grid || slot > SignedDuration::from_hours(24) || !is_whole {
        found.add(
            &key("slot"),
            format!(
                "{slot:#} is no slot; write whole multiples of 5 minutes up to a day, for example \"30m\""
            ),
        );
    }
    if settings.capacity == 0 {
        found.add(
            &key("capacity"),
            "0 takes nothing; write at least 1, or leave `appointments` out so that a person answers every wish",
        );
    }
    let (notice, horizon) = (settings.notice.duration(), settings.horizon.duration());
    if horizon > FARTHEST {
        found.add(
            &key("horizon"),
            format!("{horizon:#} is too far ahead; write at most \"366d\""),
        );
    }
    if notice >= horizon {
        found.add(
            &key("notice"),
            format!("{notice:#} is not less than the horizon, {horizon:#}, so that nothing could be taken"),
        );
    }
}

fn check_schedules(
    table: &[&str],
    rooftop: &Rooftop,
    settings: &AppointmentSettings,
    found: &mut Findings<'_>,
) {
    let names: Vec<&str> = rooftop
        .schedules
        .iter()
        .filter_map(|schedule| schedule.name.as_deref())
        .collect();
    for (kind, name) in &settings.schedules {
        if rooftop.hours_of(*kind).is_none() {
            let known = match names.is_empty() {
                true => "none has a name".to_owned(),
                false => format!("there is {}", names.join(", ")),
            };
            found.add(
                &[table, &["schedules", kind.as_str()]].concat(),
                format!("the rooftop has no schedule {name:?}; {known}"),
            );
        }
    }
    let has_hours = KINDS.iter().any(|kind| rooftop.hours_of(*kind).is_some());
    if settings.schedules.is_empty() && !has_hours {
        found.add(
            table,
            "no schedule of the rooftop says when somebody is there; add one called \"sales\" or without a name, or name one for each kind in appointments.schedules",
        );
    }
}
