//! Times as the dealership's people read them.

use aap::formats::instant;
use dealers::{Dealer, Rooftop};
use jiff::{
    Timestamp, ZonedDateTime,
    tz::{Offset, TimeZone},
};

/// The zone of a rooftop: IANA's, or none, where its settings name none.
#[derive(Debug, Clone)]
pub(super) struct DealerTime(Option<TimeZone>);

impl DealerTime {
    /// The rooftop's own zone, else the one of the dealer's default rooftop.
    pub(super) fn of(dealer: &Dealer, rooftop: Option<&Rooftop>) -> Self {
        let default = dealer
            .default_rooftop()
            .and_then(|name| dealer.rooftops.get(name));
        let mut names = rooftop.into_iter().chain(default);
        let name = names.find_map(|rooftop| rooftop.timezone.as_deref());
        Self(name.and_then(|name| TimeZone::get(name).ok()))
    }

    /// A moment, spelled out: `Sat 21 Nov 2026, 10:00 AM EST (dealer time)`; in UTC where the rooftop
    /// has no zone.
    pub(super) fn moment(&self, at: Timestamp) -> String {
        match &self.0 {
            Some(zone) => spelled(&ZonedDateTime::new(at, zone.clone()), "%Z (dealer time)"),
            None => spelled(&ZonedDateTime::new(at, TimeZone::UTC), "UTC"),
        }
    }

    /// A time with an offset, spelled out; as its sender wrote it where the rooftop has no zone.
    /// `None` when it is no such time.
    pub(super) fn text(&self, text: &str) -> Option<String> {
        let at = instant(text)?;
        Some(match (&self.0, sent_offset(text)) {
            (None, Some(offset)) => spelled(
                &ZonedDateTime::new(at, offset.to_time_zone()),
                "(UTC%:z, as sent)",
            ),
            _ => self.moment(at),
        })
    }

    /// A moment as ADF's `requestdate`: ISO 8601 to the second, with offset. The offset is the
    /// zone's, else the given one.
    pub(super) fn stamp(&self, at: Timestamp, otherwise: Offset) -> String {
        let zone = self.0.clone().unwrap_or_else(|| otherwise.to_time_zone());
        ZonedDateTime::new(at, zone)
            .strftime("%Y-%m-%dT%H:%M:%S%:z")
            .to_string()
    }
}

/// The offset that a time was sent with.
pub(super) fn sent_offset(text: &str) -> Option<Offset> {
    let text = text.trim();
    let pieces = jiff::fmt::temporal::DateTimeParser::new();
    let pieces = pieces.parse_pieces(text).ok()?;
    pieces.to_numeric_offset()
}

fn spelled(at: &ZonedDateTime, zone: &str) -> String {
    at.strftime(&format!("%a %-d %b %Y, %-I:%M %p {zone}"))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_york() -> DealerTime {
        DealerTime(Some(TimeZone::get("America/New_York").unwrap()))
    }

    #[test]
    fn a_time_is_told_in_the_dealers_zone() {
        assert_eq!(
            new_york().text("2026-11-21T07:00:00-08:00").unwrap(),
            "Sat 21 Nov 2026, 10:00 AM EST (dealer time)"
        );
    }

    #[test]
    fn both_edges_of_daylight_saving_time_name_their_zone() {
        let told = |text| new_york().text(text).unwrap();
        assert!(told("2026-03-08T06:59:00Z").contains("1:59 AM EST"));
        assert!(told("2026-03-08T07:00:00Z").contains("3:00 AM EDT"));
        assert!(told("2026-11-01T05:30:00Z").contains("1:30 AM EDT"));
        assert!(told("2026-11-01T06:30:00Z").contains("1:30 AM EST"));
    }

    #[test]
    fn without_a_zone_the_senders_own_counts() {
        let nowhere = DealerTime(None);
        assert_eq!(
            nowhere.text("2026-05-03T11:00:00-07:00").unwrap(),
            "Sun 3 May 2026, 11:00 AM (UTC-07:00, as sent)"
        );
        assert_eq!(nowhere.text("tomorrow"), None);
    }

    #[test]
    fn a_stamp_has_seconds_and_an_offset() {
        let at: Timestamp = "2026-05-01T12:00:00.25Z".parse().unwrap();
        assert_eq!(
            new_york().stamp(at, Offset::UTC),
            "2026-05-01T08:00:00-04:00"
        );
        assert_eq!(
            DealerTime(None).stamp(at, Offset::UTC),
            "2026-05-01T12:00:00+00:00"
        );
    }
}
