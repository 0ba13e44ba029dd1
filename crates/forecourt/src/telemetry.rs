//! Logs: to standard error, as text or JSON, without personal data. What a buyer's agent sends is
//! never logged; identifiers of leads and errors are.

use std::{
    any::Any,
    backtrace::{Backtrace, BacktraceStatus},
    io::IsTerminal,
    panic,
};

use tracing_subscriber::{EnvFilter, fmt};

use crate::config::{LogFormat, LogSettings};

/// The reader of web pages tells every tag and text of a feed, which helps nobody.
const TOO_TALKATIVE: [&str; 2] = ["html5ever=warn", "selectors=warn"];

/// Starts logging for the rest of the program's life.
///
/// # Errors
/// When the filter is not one.
pub(crate) fn start(settings: &LogSettings) -> Result<(), String> {
    let wanted = settings.level.as_deref().unwrap_or("info");
    let mut filter = EnvFilter::try_new(wanted)
        .map_err(|error| format!("log level {wanted:?}: {error}; write for example \"info\""))?;
    for directive in TOO_TALKATIVE {
        if let Ok(directive) = directive.parse() {
            filter = filter.add_directive(directive);
        }
    }
    let builder = fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // A full or closed standard error loses lines and stops nothing.
        .log_internal_errors(false)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false);
    // A second start, as tests make, keeps the first one's settings.
    let _ = match settings.format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    panic::set_hook(Box::new(log_panic));
    Ok(())
}

/// Logs where the program is defective, with a backtrace where RUST_BACKTRACE asks for one.
fn log_panic(panic: &panic::PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string);
    let backtrace = Backtrace::capture();
    let backtrace =
        (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
    tracing::error!(
        place,
        said = said(panic.payload()),
        backtrace,
        "a defect of this program"
    );
}

/// The words of a panic that stand in the program. Others are made of what it worked on, and may be a
/// buyer's.
fn said(payload: &(dyn Any + Send)) -> &'static str {
    let fixed = payload.downcast_ref::<&'static str>();
    fixed
        .copied()
        .unwrap_or("words that are not logged, as they may name a person")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_says_nothing_of_what_the_program_worked_on() {
        let said_by = |work: fn()| said(&*panic::catch_unwind(work).unwrap_err());
        assert_eq!(said_by(|| panic!("no such state")), "no such state");
        let told = said_by(|| {
            let name = String::from("Ada Fixture");
            assert_eq!(name, "nobody");
        });
        assert!(!told.contains("Ada"), "{told}");
    }
}
