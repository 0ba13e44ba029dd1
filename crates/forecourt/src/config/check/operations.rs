//! What cannot work in the settings of those who run the server.

use jiff::Timestamp;

use super::Findings;
use crate::{
    config::{Config, Rate, TlsSettings},
    tls,
};

/// Most requests in a minute, and at once, that a limit may name.
const HIGHEST_RATE: u32 = 10_000_000;
/// Most backups that are kept.
const MOST_BACKUPS: usize = 10_000;
/// Least time between two backups, in seconds.
const SHORTEST_BACKUP_SECONDS: i64 = 60;

pub(super) fn check(config: &Config, found: &mut Findings<'_>) {
    let rate = config.limits.rate;
    check_rate("address", rate.address, found);
    check_rate("agent", rate.agent, found);
    check_rate("lead", rate.lead, found);
    check_rate("agent_lead", rate.agent_lead, found);
    check_rate("known_agent_lead", rate.known_agent_lead, found);
    check_rate("contact_lead", rate.contact_lead, found);
    if let Some(backup) = &config.backup {
        if backup.keep == 0 || backup.keep > MOST_BACKUPS {
            found.add(
                &["backup", "keep"],
                format!("{} is out of range; write 1 to {MOST_BACKUPS}", backup.keep),
            );
        }
        if backup.every.duration().as_secs() < SHORTEST_BACKUP_SECONDS {
            found.add(
                &["backup", "every"],
                "is too often; write at least \"1m\", for example \"24h\"",
            );
        }
    }
}

fn check_rate(name: &str, rate: Rate, found: &mut Findings<'_>) {
    if rate.per_minute.is_some() == rate.per_hour.is_some() {
        found.add(
            &["limits", "rate", name],
            "write either `per_minute` or `per_hour`, for example { per_minute = 30, burst = 20 }",
        );
    }
    let parts = [
        ("per_minute", rate.per_minute),
        ("per_hour", rate.per_hour),
        ("burst", Some(rate.burst)),
    ];
    for (part, value) in parts {
        let Some(value) = value else { continue };
        if value == 0 || value > HIGHEST_RATE {
            found.add(
                &["limits", "rate", name, part],
                format!("{value} is out of range; write 1 to {HIGHEST_RATE}"),
            );
        }
    }
}

/// The files that a server has to be able to read.
pub(super) fn check_files(tls: &TlsSettings, now: Timestamp, found: &mut Findings<'_>) {
    if let Err(fault) = tls::read(tls, now) {
        let setting = if fault.is_of_key {
            "key_file"
        } else {
            "cert_file"
        };
        found.add(&["tls", setting], fault.message);
    }
}
