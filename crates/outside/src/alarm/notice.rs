//! What a channel is told: which causes came up and which went away since it heard last.

use std::fmt::Write as _;

use data_encoding::HEXLOWER;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    board::{Told, ToldBy},
    cause::Alarm,
};

/// Causes that come up within this time of each other are told together.
const GATHER: SignedDuration = SignedDuration::from_secs(5);
/// A steady trickle of causes is told after this time at the latest.
const WAIT_AT_MOST: SignedDuration = SignedDuration::from_secs(30);

/// One message to a channel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Notice {
    /// Which server speaks.
    pub server: String,
    /// Causes that came up.
    pub raised: Vec<Alarm>,
    /// Causes that went away.
    pub recovered: Vec<Alarm>,
    /// It only tries the channel out.
    pub test: bool,
}

impl Notice {
    /// A message that only tries a channel out.
    #[must_use]
    pub fn test(server: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            test: true,
            ..Self::default()
        }
    }

    /// What a channel that was told `told` is still to be told of `alarms`; `None` while there is
    /// nothing, or while more may come up at the same moment.
    pub(super) fn due(
        server: &str,
        alarms: &[Alarm],
        told: &ToldBy,
        now: Timestamp,
    ) -> Option<Self> {
        let last = |alarm: &Alarm| told.get(&alarm.cause).copied();
        let began = |alarm: &&Alarm| {
            alarm.cleared_at.is_none()
                && last(alarm).is_none_or(|told| told.episode != alarm.episode)
        };
        let ended = |alarm: &&Alarm| {
            let heard = Told {
                episode: alarm.episode,
                recovered: false,
            };
            alarm.cleared_at.is_some() && last(alarm) == Some(heard)
        };
        let raised: Vec<Alarm> = alarms.iter().filter(began).cloned().collect();
        let recovered: Vec<Alarm> = alarms.iter().filter(ended).cloned().collect();
        let ages = || {
            let changed = |alarm: &Alarm| alarm.cleared_at.unwrap_or(alarm.raised_at);
            let both = raised.iter().chain(&recovered);
            both.map(move |alarm| now.duration_since(changed(alarm)))
        };
        let gathered = ages().min()? >= GATHER || ages().max()? >= WAIT_AT_MOST;
        gathered.then(|| Self {
            server: server.to_owned(),
            raised,
            recovered,
            test: false,
        })
    }

    /// What the channel has been told once this notice has arrived.
    pub(super) fn told(&self) -> ToldBy {
        let told = |recovered| {
            move |alarm: &Alarm| {
                let told = Told {
                    episode: alarm.episode,
                    recovered,
                };
                (alarm.cause.clone(), told)
            }
        };
        let raised = self.raised.iter().map(told(false));
        raised
            .chain(self.recovered.iter().map(told(true)))
            .collect()
    }

    /// The same for every attempt at the same notice, so that a receiver can drop a repeat.
    pub(super) fn id(&self) -> String {
        let mut hash = Sha256::new();
        for (kind, alarms) in [("raised", &self.raised), ("recovered", &self.recovered)] {
            for alarm in alarms {
                hash.update(kind);
                hash.update(alarm.episode.as_bytes());
                hash.update(alarm.cause.to_string());
            }
        }
        format!("alarm_{}", HEXLOWER.encode(&hash.finalize()[..16]))
    }

    /// One line: what happened.
    #[must_use]
    pub fn headline(&self) -> String {
        if self.test {
            return "Forecourt: test of the alarm".to_owned();
        }
        match (self.raised.as_slice(), self.recovered.as_slice()) {
            ([only], []) => one_line(&format!("Forecourt alarm: {}", only.cause)),
            ([], [only]) => one_line(&format!("Forecourt recovered: {}", only.cause)),
            ([], recovered) => format!("Forecourt: {} recovered", recovered.len()),
            (raised, []) => format!("Forecourt: {} alarms", raised.len()),
            (raised, recovered) => format!(
                "Forecourt: {} alarms, {} recovered",
                raised.len(),
                recovered.len()
            ),
        }
    }

    /// The message for a person.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("Server: {}\n", one_line(&self.server));
        if self.test {
            text.push_str("\nThis is a test. Alarms reach you on this path.\n");
            return text;
        }
        for (title, alarms) in [("Alarm", &self.raised), ("Recovered", &self.recovered)] {
            for alarm in alarms {
                // Writing to a string cannot fail.
                let _ = write!(
                    text,
                    "\n{title}: {}\n  {}\n  since {}\n",
                    one_line(&alarm.cause.to_string()),
                    one_line(&alarm.message),
                    alarm.raised_at
                );
                if let Some(at) = alarm.cleared_at {
                    let _ = writeln!(text, "  until {at}");
                }
            }
        }
        text.push_str("\n`forecourt status` shows what is open.\n");
        text
    }

    /// The message for a program.
    #[must_use]
    pub fn document(&self) -> Value {
        let list = |alarms: &[Alarm]| alarms.iter().map(Alarm::document).collect::<Vec<_>>();
        json!({
            "type": if self.test { "forecourt.alarm.test" } else { "forecourt.alarm" },
            "server": self.server,
            "headline": self.headline(),
            "raised": list(&self.raised),
            "recovered": list(&self.recovered),
        })
    }
}

/// Text that may hold foreign words, on one line.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::alarm::{Cause, Kind};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).unwrap()
    }

    fn alarm(feed: &str, episode: u128, raised: i64, cleared: Option<i64>) -> Alarm {
        let dealer = "group".parse().unwrap();
        Alarm {
            cause: Cause::of_dealer(&dealer, Kind::FeedOverdue, feed),
            episode: Uuid::from_u128(episode),
            message: "no file came\nin time".to_owned(),
            raised_at: at(raised),
            cleared_at: cleared.map(at),
        }
    }

    fn due(alarms: &[Alarm], told: &ToldBy, now: i64) -> Option<Notice> {
        Notice::due("https://a.example", alarms, told, at(now))
    }

    #[test]
    fn a_cause_is_told_once_when_it_begins_and_once_when_it_ends() {
        let mut told = ToldBy::new();
        let open = [alarm("used", 1, 0, None)];
        let first = due(&open, &told, 10).unwrap();
        assert_eq!((first.raised.len(), first.recovered.len()), (1, 0));
        told.extend(first.told());
        assert_eq!(due(&open, &told, 1000), None);
        let cleared = [alarm("used", 1, 0, Some(1000))];
        let second = due(&cleared, &told, 1010).unwrap();
        assert_eq!((second.raised.len(), second.recovered.len()), (0, 1));
        assert_ne!(first.id(), second.id());
        told.extend(second.told());
        assert_eq!(due(&cleared, &told, 2000), None);
        let again = [alarm("used", 2, 3000, None)];
        assert_eq!(due(&again, &told, 3010).unwrap().raised.len(), 1);
    }

    #[test]
    fn a_cause_that_ended_before_it_was_told_is_not_told() {
        let gone = [alarm("used", 1, 0, Some(1))];
        assert_eq!(due(&gone, &ToldBy::new(), 100), None);
    }

    #[test]
    fn causes_of_the_same_moment_are_told_together_and_a_trickle_does_not_wait_for_ever() {
        let told = ToldBy::new();
        let mut alarms = vec![alarm("a", 1, 0, None)];
        assert_eq!(due(&alarms, &told, 2), None);
        alarms.push(alarm("b", 2, 3, None));
        let notice = due(&alarms, &told, 8).unwrap();
        assert_eq!(notice.headline(), "Forecourt: 2 alarms");
        let trickle: Vec<Alarm> = (0..11)
            .map(|it| alarm(&it.to_string(), 1, it * 3, None))
            .collect();
        assert_eq!(due(&trickle, &told, 30).unwrap().raised.len(), 11);
    }

    #[test]
    fn a_message_names_the_cause_on_one_line() {
        let notice = due(&[alarm("used", 1, 0, None)], &ToldBy::new(), 10).unwrap();
        assert_eq!(
            notice.headline(),
            "Forecourt alarm: feed overdue: used (group)"
        );
        assert!(notice.text().contains("  no file came in time\n"));
        assert_eq!(notice.document()["raised"][0]["kind"], "feed_overdue");
    }
}
