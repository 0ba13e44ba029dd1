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

/// What an access shows when it went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Only that the database can be read, which it often can when its disk is full or another
    /// program keeps it locked.
    Read,
    /// That it can be written too, as leads need it.
    Write,
}

/// What an access changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// The first of the failures.
    Failing,
    /// The end of the failures.
    Working,
}

impl Health {
    /// Takes in how an access went.
    pub(super) fn note(
        &mut self,
        access: Access,
        error: Option<&store::Error>,
        clock: &Clock,
    ) -> Option<Change> {
        let Some(error) = error else {
            if access == Access::Read || self.failures == 0 {
                return None;
            }
            self.failures = 0;
            if let Some(alarm) = &mut self.alarm {
                alarm.cleared_at.get_or_insert_with(|| clock.now());
            }
            return Some(Change::Working);
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
        (self.failures == 1).then_some(Change::Failing)
    }

    /// Every alarm, with those of the database as it was last read.
    pub(super) fn alarms(&mut self, read: Option<Vec<Alarm>>) -> Vec<Alarm> {
        if let Some(read) = read {
            self.known = read;
        }
        self.known.iter().chain(&self.alarm).cloned().collect()
    }
}
