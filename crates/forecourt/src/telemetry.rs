//! Logs: to standard error, as text or JSON, without personal data. What a buyer's agent sends is
//! never logged; identifiers of leads and errors are.

use std::io::IsTerminal;

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
    Ok(())
}
