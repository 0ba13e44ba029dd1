//! Whether the database works. This one cause lives in memory, since it is the database that fails.

use store::Clock;

use super::cause::{Alarm, Cause, Kind};
use crate::explain;

/// A single failure may be another program's long write; so many in a row need a person.
const FAILURES: u32 = 3;

/// Whether the database works, and what it held when it last did.
#[derive(Debug, Default)]
pub(super) struct Health {
    failures: u32,
    alarm: Option<Alarm>,
    known: Vec<Alarm>,
}

impl Health {
    /// Takes in how an access went.
    pub(super) fn note(&mut self, error: Option<&store::Error>, clock: &Clock) {
        let Some(error) = error else {
            self.failures = 0;
            if let Some(alarm) = &mut self.alarm {
                alarm.cleared_at.get_or_insert_with(|| clock.now());
            }
            return;
        };
        self.failures += 1;
        let open = self
            .alarm
            .as_ref()
            .is_some_and(|it| it.cleared_at.is_none());
        if self.failures >= FAILURES && !open {
            self.alarm = Some(Alarm {
                cause: Cause::of_server(Kind::Database, "database"),
                episode: clock.new_id(),
                message: explain(error),
                raised_at: clock.now(),
                cleared_at: None,
            });
        }
    }

    /// Every alarm, with those of the database as it was last read.
    pub(super) fn alarms(&mut self, read: Option<Vec<Alarm>>) -> Vec<Alarm> {
        if let Some(read) = read {
            self.known = read;
        }
        self.known.iter().chain(&self.alarm).cloned().collect()
    }
}
