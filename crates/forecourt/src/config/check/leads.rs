//! What cannot work in the settings about leads after they were taken.

use dealers::{Dealer, Period};

use super::Findings;

/// Shortest time that leads keep their persons: what is erased does not come back.
const LEAST_KEPT: Period = Period::days(30);
/// A mail server that is started again must not send leads to the fallback.
const LEAST_PATIENCE: Period = Period::minutes(60);
/// Receivers may put a mail off for a few minutes that they then take.
const LEAST_LATENESS: Period = Period::minutes(1);

pub(super) fn check(at: &[&str], dealer: &Dealer, found: &mut Findings<'_>) {
    let leads = &dealer.leads;
    if leads.keep < LEAST_KEPT {
        found.add(
            &[at, &["leads", "keep"]].concat(),
            "is too short: persons are erased from older leads for good; write at least \"30d\"",
        );
    }
    if leads.give_up_after < LEAST_PATIENCE {
        found.add(
            &[at, &["leads", "give_up_after"]].concat(),
            "is less than an hour; a mail server that is down that long would send every lead to the fallback",
        );
    }
    if leads.undelivered_after < LEAST_LATENESS {
        found.add(
            &[at, &["leads", "undelivered_after"]].concat(),
            "is less than a minute; a lead that is put off once would be an alarm",
        );
    }
}
