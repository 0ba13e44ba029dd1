//! When a rooftop takes appointments of a kind: pure rules over hours, zone and settings.

use std::collections::BTreeSet;

use aap::{
    dealer::{Hours, Week},
    lead::AppointmentType,
};
use dealers::{AppointmentSettings, Rooftop, WhenFull};
use jiff::{
    SignedDuration, Timestamp, ZonedDateTime,
    civil::{Date, DateTime, Time},
    tz::{AmbiguousOffset, TimeZone},
};

/// Every appointment begins and ends on whole multiples of this since 1970, in milliseconds.
/// Places are counted by these pieces, so that a change of opening hours or slots moves nobody.
pub(crate) const PIECE: i64 = AppointmentSettings::GRID.duration().as_secs() * 1000;

/// How far around the wished time the nearest free ones are looked for first.
const NEAR: SignedDuration = SignedDuration::from_hours(48);

/// No opening is longer, so that a longer appointment never fits.
const LONGEST: SignedDuration = SignedDuration::from_hours(48);

/// When a rooftop takes appointments of one kind.
///
/// Hours are the local clock's. An opening begins at the first moment at which the clock shows its
/// time or a later one, and ends the same way. So hours of a day on which the clock jumps over a
/// time begin at the jump, and hours at a time that the clock shows twice begin and end at its
/// first. Within an opening beginnings follow each other by elapsed time, so that a day of 23 or
/// 25 hours has no beginning that does not exist and none that stands for two.
#[derive(Debug, Clone)]
pub struct Calendar {
    zone: TimeZone,
    /// Monday first.
    week: [Option<Opening>; 7],
    settings: AppointmentSettings,
}

/// Hours of one day. They reach into the next one where `until` is not after `from`.
#[derive(Debug, Clone, Copy)]
struct Opening {
    from: Time,
    until: Time,
}

impl Calendar {
    /// The calendar of a kind of appointment; `None` where the rooftop has no settings, no zone or
    /// no hours for it, so that a person answers.
    #[must_use]
    pub fn of(rooftop: &Rooftop, kind: AppointmentType) -> Option<Self> {
        let settings = rooftop.appointments.clone()?;
        let zone = TimeZone::get(rooftop.timezone.as_deref()?).ok()?;
        let hours = rooftop.hours_of(kind)?;
        Some(Self {
            zone,
            week: week(&hours.value),
            settings,
        })
    }

    /// How long an appointment takes that asks for so many minutes: whole slots.
    #[must_use]
    pub fn length(&self, minutes: Option<i64>) -> SignedDuration {
        let slot = self.slot().as_secs();
        let most = LONGEST.as_secs() * 2;
        let wished = minutes.unwrap_or_default().saturating_mul(60);
        let slots = wished.clamp(1, most).saturating_add(slot - 1) / slot;
        SignedDuration::from_secs(slots * slot)
    }

    /// The rooftop's local time.
    #[must_use]
    pub fn local(&self, at: Timestamp) -> ZonedDateTime {
        at.to_zoned_datetime(self.zone.clone())
    }

    /// Every time from `from` up to and including `to` at which an appointment of this length may
    /// begin, whoever has it.
    #[must_use]
    pub fn starts(&self, from: Timestamp, to: Timestamp, length: SignedDuration) -> Vec<Timestamp> {
        let mut starts = BTreeSet::new();
        // Hours of the day before may reach past midnight.
        let first = self.zone.to_datetime(from).date();
        let first = first.yesterday().unwrap_or(first);
        let last = self.zone.to_datetime(to).date();
        for day in first.series(jiff::Span::new().days(1)) {
            if day > last {
                break;
            }
            let Some((open, close)) = self.opening(day) else {
                continue;
            };
            let begins = std::iter::successors(ceil(open), |at| at.checked_add(self.slot()).ok());
            let fits = |at: &Timestamp| at.checked_add(length).is_ok_and(|end| end <= close);
            starts.extend(
                begins
                    .take_while(fits)
                    .filter(|at| (from..=to).contains(at) && !self.is_holiday(*at, length)),
            );
        }
        starts.into_iter().collect()
    }

    /// The first and the last moment of a local day.
    #[must_use]
    pub fn day(&self, date: Date) -> Option<(Timestamp, Timestamp)> {
        let first = self.first_moment(date.to_datetime(Time::midnight()))?;
        let next = self.first_moment(date.tomorrow().ok()?.to_datetime(Time::midnight()))?;
        let last = next.checked_sub(SignedDuration::from_millis(1)).ok()?;
        Some((first, last))
    }

    /// Whether an appointment may begin at this time, whoever has it: it is open, on the grid,
    /// beyond the notice and within the horizon.
    #[must_use]
    pub fn is_open(&self, at: Timestamp, length: SignedDuration, now: Timestamp) -> bool {
        let (earliest, latest) = self.span(now);
        (earliest..=latest).contains(&at) && self.starts(at, at, length).contains(&at)
    }

    /// From the least notice to the horizon.
    #[must_use]
    pub fn span(&self, now: Timestamp) -> (Timestamp, Timestamp) {
        let later = |by: SignedDuration| now.saturating_add(by).unwrap_or(Timestamp::MAX);
        (
            later(self.settings.notice.duration()),
            later(self.settings.horizon.duration()),
        )
    }

    /// At most `most` beginnings that are open and not full, those nearest to the wished time, in
    /// the order of time. `full` tells which of the pieces of time from one moment to another are
    /// taken by as many appointments as there may be; each is named by its beginning.
    ///
    /// # Errors
    /// What `full` returns.
    pub(crate) fn nearest<E>(
        &self,
        wished: Timestamp,
        length: SignedDuration,
        now: Timestamp,
        most: usize,
        mut full: impl FnMut(Timestamp, Timestamp) -> Result<BTreeSet<Timestamp>, E>,
    ) -> Result<Vec<Timestamp>, E> {
        let (earliest, latest) = self.span(now);
        if earliest > latest {
            return Ok(Vec::new());
        }
        let middle = wished.clamp(earliest, latest);
        let mut radius = NEAR;
        loop {
            let from = middle - radius.min(middle.duration_since(earliest));
            let to = middle + radius.min(latest.duration_since(middle));
            let last_end = to.saturating_add(length).unwrap_or(Timestamp::MAX);
            let full = full(from, last_end)?;
            let mut free = self.starts(from, to, length);
            free.retain(|at| !pieces(*at, *at + length).any(|piece| full.contains(&piece)));
            // What lies outside is farther away than everything inside.
            if free.len() >= most || (from == earliest && to == latest) {
                free.sort_by_key(|at| (at.duration_since(middle).abs(), *at));
                free.truncate(most);
                free.sort();
                return Ok(free);
            }
            radius *= 4;
        }
    }

    /// Whether a free time is confirmed at once.
    pub(crate) fn confirms(&self) -> bool {
        self.settings.confirm
    }

    /// Whether a lead is refused whose wished time is not free.
    pub(crate) fn refuses(&self) -> bool {
        self.settings.when_full == WhenFull::Refuse
    }

    /// How many appointments may go on at the same time.
    pub(crate) fn capacity(&self) -> i64 {
        i64::from(self.settings.capacity)
    }

    /// A setting off the grid, which no check lets pass, counts as the next multiple of it.
    fn slot(&self) -> SignedDuration {
        let grid = AppointmentSettings::GRID.duration().as_secs();
        let pieces = self.settings.slot.duration().as_secs().max(1) + grid - 1;
        SignedDuration::from_secs(pieces / grid * grid)
    }

    /// When the hours of a day begin and end; `None` on a day without any, as a holiday is.
    fn opening(&self, day: Date) -> Option<(Timestamp, Timestamp)> {
        if self.settings.holidays.contains(&day) {
            return None;
        }
        let hours = self.week[weekday(day)]?;
        let last_day = if hours.until <= hours.from {
            day.tomorrow().ok()?
        } else {
            day
        };
        let open = self.first_moment(day.to_datetime(hours.from))?;
        let close = self.first_moment(last_day.to_datetime(hours.until))?;
        Some((open, close))
    }

    /// The first moment at which the local clock shows this time or a later one.
    fn first_moment(&self, at: DateTime) -> Option<Timestamp> {
        let ambiguous = self.zone.to_ambiguous_timestamp(at);
        let is_gap = matches!(ambiguous.offset(), AmbiguousOffset::Gap { .. });
        let earlier = ambiguous.earlier().ok()?;
        if is_gap {
            // The clock never shows it: the moment of the jump.
            let jump = self.zone.following(earlier).next()?;
            return Some(jump.timestamp());
        }
        Some(earlier)
    }

    /// Whether an appointment in hours that began the day before reaches into a holiday.
    fn is_holiday(&self, at: Timestamp, length: SignedDuration) -> bool {
        let holidays = &self.settings.holidays;
        if holidays.is_empty() {
            return false;
        }
        let begins = self.zone.to_datetime(at).date();
        let ends = self
            .zone
            .to_datetime(at + length - SignedDuration::from_millis(1));
        holidays.contains(&begins) || holidays.contains(&ends.date())
    }
}

/// The pieces of time that an appointment takes, by their beginnings.
pub(crate) fn pieces(
    starts_at: Timestamp,
    ends_at: Timestamp,
) -> impl Iterator<Item = Timestamp> + Clone {
    let first = starts_at.as_millisecond().div_euclid(PIECE);
    let end = ends_at.as_millisecond();
    (first..)
        .map(|piece| piece * PIECE)
        .take_while(move |piece| *piece < end)
        .map_while(|piece| Timestamp::from_millisecond(piece).ok())
}

/// The first multiple of the grid that is not before a time.
fn ceil(at: Timestamp) -> Option<Timestamp> {
    let pieces = at
        .as_millisecond()
        .checked_add(PIECE - 1)?
        .div_euclid(PIECE);
    Timestamp::from_millisecond(pieces * PIECE).ok()
}

fn weekday(day: Date) -> usize {
    usize::from(day.weekday().to_monday_zero_offset().unsigned_abs())
}

fn week(week: &Week) -> [Option<Opening>; 7] {
    week.days().map(|hours| hours.and_then(opening))
}

/// Hours that are no hours count as closed, as do those that end where they begin. The last minute
/// of the day stands for its end, as AAP has no word for 24 o'clock.
fn opening(hours: &Hours) -> Option<Opening> {
    let time = |text: &str| Time::strptime("%H:%M", text).ok();
    let (from, until) = (time(&hours.open)?, time(&hours.close)?);
    let last_minute = Time::constant(23, 59, 0, 0);
    let until = if until == last_minute {
        Time::midnight()
    } else {
        until
    };
    let closed = hours.open == hours.close;
    (!closed).then_some(Opening { from, until })
}

#[cfg(test)]
mod tests;
