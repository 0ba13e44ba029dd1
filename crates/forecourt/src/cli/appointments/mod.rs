//! `appointments`: what buyers want to come for, for the people who keep it.

mod show;

use std::process::ExitCode;

use aap::lead::AppointmentType;
use clap::{Args, Subcommand};
use dealers::{Dealer, DealerId, Rooftop};
use jiff::{SignedDuration, Timestamp, civil::Date};
use leads::{
    AppointmentId, AppointmentStatus, Calendar,
    appointment::{
        self, Appointment, CalendarForm, CancelReason, ChangeError, Decided, Decision, Filter,
        Wanted,
    },
};
use serde_json::json;

use super::{
    Common,
    outcome::{Failure, print_json, say},
    site::{self, Site},
};

/// So far back a list goes that names no time.
const BACK: SignedDuration = SignedDuration::from_hours(24);
/// So many days `free` looks at when it is told none.
const FREE_DAYS: i64 = 7;

#[derive(Debug, Subcommand)]
pub(super) enum AppointmentsCommand {
    /// List appointments in the order of their time
    #[command(
        after_help = "Examples:\n  forecourt appointments list\n  forecourt appointments list --status requested --rooftop North"
    )]
    List(ListArgs),
    /// Confirm an appointment at the time that is held or wished, or move it to another
    #[command(
        after_help = "Examples:\n  forecourt appointments confirm 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b\n  forecourt appointments confirm 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b --at 2026-05-02T11:00:00-05:00"
    )]
    Confirm {
        /// Identifier of the appointment
        id: String,
        /// Start with its offset (RFC 3339)
        #[arg(long, value_name = "TIME")]
        at: Option<Timestamp>,
    },
    /// Call an appointment off and give its time back
    #[command(
        after_help = "Example:\n  forecourt appointments cancel 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b --reason buyer"
    )]
    Cancel {
        /// Identifier of the appointment
        id: String,
        /// Why: buyer, dealer or vehicle
        #[arg(long, value_name = "REASON", value_parser = word::<CancelReason>)]
        reason: Option<CancelReason>,
    },
    /// Show the times that are free
    #[command(
        after_help = "Examples:\n  forecourt appointments free North test_drive\n  forecourt appointments free North service --date 2026-05-02 --minutes 90"
    )]
    Free(FreeArgs),
    /// Print the appointments of a rooftop as an iCalendar document, without personal data
    #[command(
        after_help = "Examples:\n  forecourt appointments calendar --rooftop North > north.ics\n  forecourt appointments calendar --with-names > all.ics"
    )]
    Calendar {
        /// Only this rooftop
        #[arg(long, value_name = "NAME")]
        rooftop: Option<String>,
        /// Name the persons, with telephone number and mail address
        #[arg(long)]
        with_names: bool,
    },
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// Only appointments at this time or later (RFC 3339) [default: since yesterday, and those
    /// without a time]
    #[arg(long, value_name = "TIME")]
    since: Option<Timestamp>,
    /// Only appointments before this time (RFC 3339)
    #[arg(long, value_name = "TIME")]
    until: Option<Timestamp>,
    /// Only this rooftop
    #[arg(long, value_name = "NAME")]
    rooftop: Option<String>,
    /// Only this kind: sales, service, test_drive or trade_in
    #[arg(long, value_name = "KIND", value_parser = word::<AppointmentType>)]
    kind: Option<AppointmentType>,
    /// Only those that are requested, proposed, confirmed or canceled
    #[arg(long, value_name = "STATUS", value_parser = word::<AppointmentStatus>)]
    status: Option<AppointmentStatus>,
    /// Most appointments to list
    #[arg(long, default_value_t = 100)]
    limit: u32,
}

#[derive(Debug, Args)]
pub(super) struct FreeArgs {
    /// Name of the rooftop
    rooftop: String,
    /// sales, service, test_drive or trade_in
    #[arg(value_parser = word::<AppointmentType>)]
    kind: AppointmentType,
    /// Only this day, in the rooftop's zone [default: the next seven days]
    #[arg(long)]
    date: Option<Date>,
    /// Length of the appointment [default: one slot]
    #[arg(long, value_parser = clap::value_parser!(i64).range(1..=1440))]
    minutes: Option<i64>,
}

/// A word of a closed list, as JSON has it; `test-drive` is `test_drive`.
fn word<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    let word = text.to_ascii_lowercase().replace('-', "_");
    serde_json::from_value(json!(word)).map_err(|error| error.to_string())
}

pub(super) fn run(common: &Common, command: AppointmentsCommand) -> Result<ExitCode, Failure> {
    let site = site::open(common, false)?;
    let (id, dealer) = site::dealer(common, &site.config)?;
    match command {
        AppointmentsCommand::List(wanted) => list(common, &site, id, dealer, wanted)?,
        AppointmentsCommand::Confirm { id: named, at } => {
            let decided = decide(&site, id, dealer, &named, move |conn, decision, named| {
                appointment::confirm(conn, decision, named, at)
            })?;
            told(common, &site, id, dealer, &decided)?;
        }
        AppointmentsCommand::Cancel { id: named, reason } => {
            let decided = decide(&site, id, dealer, &named, move |conn, decision, named| {
                appointment::cancel(conn, decision, named, reason)
            })?;
            told(common, &site, id, dealer, &decided)?;
        }
        AppointmentsCommand::Free(wanted) => free(common, &site, id, dealer, &wanted)?,
        AppointmentsCommand::Calendar {
            rooftop,
            with_names,
        } => calendar(&site, id, dealer, rooftop, with_names)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(
    common: &Common,
    site: &Site,
    id: &DealerId,
    dealer: &Dealer,
    wanted: ListArgs,
) -> Result<(), Failure> {
    if let Some(name) = &wanted.rooftop {
        rooftop(dealer, name)?;
    }
    let named_time = wanted.since.is_some() || wanted.until.is_some();
    let since = match named_time {
        true => wanted.since,
        false => site.store.clock().now().saturating_sub(BACK).ok(),
    };
    let filter = Filter {
        since,
        until: wanted.until,
        undated: !named_time,
        rooftop: wanted.rooftop,
        kind: wanted.kind,
        status: wanted.status,
        limit: wanted.limit,
    };
    let appointments = read(site, id, filter)?;
    if common.json {
        return print_json(&json!({ "appointments": appointments }));
    }
    if appointments.is_empty() {
        return say("no appointments");
    }
    say(show::table(&appointments, dealer))?;
    match u32::try_from(appointments.len()) == Ok(wanted.limit) {
        true => say(format!("the first {}; --limit shows more", wanted.limit)),
        false => Ok(()),
    }
}

fn read(site: &Site, id: &DealerId, filter: Filter) -> Result<Vec<Appointment>, Failure> {
    let (id, vault) = (id.clone(), site.vault()?);
    let appointments = super::runtime()?.block_on(
        site.store
            .read(move |conn| appointment::list(conn, &vault, &id, &filter)),
    )?;
    Ok(appointments)
}

/// Does what a person decided, and sends the lead once more with it, in one transaction.
fn decide(
    site: &Site,
    id: &DealerId,
    dealer: &Dealer,
    named: &str,
    work: impl Fn(&mut dyn store::Conn, &Decision<'_>, &AppointmentId) -> Result<Decided, ChangeError>
    + Send
    + Sync
    + 'static,
) -> Result<Decided, Failure> {
    let appointment: AppointmentId = named.parse().map_err(|_| refused(&ChangeError::Unknown))?;
    let (id, dealer) = (id.clone(), dealer.clone());
    let (by, clock) = (site::operator(), site.store.clock().clone());
    let now = clock.now();
    super::runtime()?
        .block_on(site.store.write(move |conn| {
            let decision = Decision {
                dealer: &id,
                settings: &dealer,
                by: &by,
                now,
            };
            let decided = work(conn, &decision, &appointment)?;
            if decided.changed {
                let new_id = || clock.new_id().into();
                appointment::announce(conn, &id, &decided.lead_id, &new_id, now)?;
            }
            Ok(decided)
        }))
        .map_err(|error| refused(&error))
}

fn refused(error: &ChangeError) -> Failure {
    let code = match error {
        ChangeError::Unknown => "appointment_not_found",
        ChangeError::Canceled => "appointment_canceled",
        ChangeError::NoTime { .. } => "appointment_without_time",
        ChangeError::Past { .. } => "time_past",
        ChangeError::Full { .. } => "time_not_free",
        _ => "storage",
    };
    let hint = match error {
        ChangeError::Unknown => "; `forecourt appointments list` lists them",
        ChangeError::NoTime { .. } | ChangeError::Full { .. } => "; --at names a time",
        _ => "",
    };
    let mut failure = Failure::refused(code, format!("{}{hint}", crate::explain(error)));
    if let ChangeError::NoTime { proposed: times } | ChangeError::Full { free: times } = error {
        failure.document["error"]["times"] = json!(times);
    }
    failure
}

/// Shows what became of an appointment.
fn told(
    common: &Common,
    site: &Site,
    id: &DealerId,
    dealer: &Dealer,
    decided: &Decided,
) -> Result<(), Failure> {
    let (id, vault, named) = (id.clone(), site.vault()?, decided.appointment_id.clone());
    let found = super::runtime()?.block_on(
        site.store
            .read(move |conn| appointment::show(conn, &vault, &id, &named)),
    )?;
    let appointment = found.ok_or_else(|| refused(&ChangeError::Unknown))?;
    if common.json {
        return print_json(&json!({ "appointment": appointment, "changed": decided.changed }));
    }
    say(show::line(&appointment, dealer, decided.changed))
}

fn free(
    common: &Common,
    site: &Site,
    id: &DealerId,
    dealer: &Dealer,
    wanted: &FreeArgs,
) -> Result<(), Failure> {
    let place = rooftop(dealer, &wanted.rooftop)?;
    let Some(calendar) = Calendar::of(place, wanted.kind) else {
        return Err(Failure::refused(
            "no_calendar",
            format!(
                "{:?} does not say when it takes appointments of the kind {}; a person answers them (settings: appointments, timezone, schedules)",
                wanted.rooftop,
                wanted.kind.as_str()
            ),
        ));
    };
    let now = site.store.clock().now();
    let (from, to) = days(&calendar, wanted.date, now)?;
    let (id, name, kind, minutes) = (
        id.clone(),
        wanted.rooftop.clone(),
        wanted.kind,
        wanted.minutes,
    );
    let of = calendar.clone();
    let times = super::runtime()?.block_on(site.store.read(move |conn| {
        let wanted = Wanted {
            dealer: &id,
            rooftop: &name,
            kind,
            minutes,
            calendar: &of,
        };
        appointment::free(conn, &wanted, from, to, now)
    }))?;
    let local = times.iter().map(|at| calendar.local(*at));
    if common.json {
        let times: Vec<String> = local
            .map(|at| at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string())
            .collect();
        return print_json(&json!({ "free": times }));
    }
    if times.is_empty() {
        return say("no time is free");
    }
    let lines: Vec<String> = local
        .map(|at| at.strftime("%a %Y-%m-%d %H:%M %Z").to_string())
        .collect();
    say(lines.join("\n"))
}

/// The first and the last moment of a day, or of the next days.
fn days(
    calendar: &Calendar,
    date: Option<Date>,
    now: Timestamp,
) -> Result<(Timestamp, Timestamp), Failure> {
    let Some(date) = date else {
        let later = SignedDuration::from_hours(24 * FREE_DAYS);
        return Ok((now, now.saturating_add(later).unwrap_or(Timestamp::MAX)));
    };
    calendar
        .day(date)
        .ok_or_else(|| Failure::usage(format!("{date} is out of reach")))
}

fn calendar(
    site: &Site,
    id: &DealerId,
    dealer: &Dealer,
    wanted: Option<String>,
    with_names: bool,
) -> Result<(), Failure> {
    if let Some(name) = &wanted {
        rooftop(dealer, name)?;
    }
    let now = site.store.clock().now();
    let name = wanted.clone().unwrap_or_else(|| dealer.name.clone());
    let appointments = read(site, id, Filter::of_calendar(wanted, now))?;
    let form = CalendarForm {
        name: &name,
        names_persons: with_names,
        now,
    };
    let document = appointment::calendar(&appointments, &form);
    // The last line end is written by `say`.
    say(document.strip_suffix('\n').unwrap_or(&document))
}

fn rooftop<'a>(dealer: &'a Dealer, name: &str) -> Result<&'a Rooftop, Failure> {
    dealer.rooftops.get(name).ok_or_else(|| {
        let known: Vec<String> = dealer.rooftops.keys().map(|it| format!("{it:?}")).collect();
        Failure::usage(format!(
            "there is no rooftop {name:?}; there is {}",
            known.join(", ")
        ))
    })
}
