//! `alarm`: try out the ways by which alarms leave.

use std::process::ExitCode;

use clap::Subcommand;
use outside::alarm::Notice;
use serde_json::json;
use store::Clock;

use super::{
    Common,
    outcome::{Exit, Failure, print_json, say, table},
    site,
    text::clean,
};
use crate::{
    config::{Config, OutgoingError},
    errands, explain,
};

/// Verbs of `alarm`.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(super) enum AlarmCommand {
    /// Send a test alarm by every way and say which arrived
    #[command(after_help = "Example:\n  forecourt alarm test")]
    Test,
}

pub(super) fn run(common: &Common, command: AlarmCommand) -> Result<ExitCode, Failure> {
    match command {
        AlarmCommand::Test => test(common),
    }
}

fn test(common: &Common) -> Result<ExitCode, Failure> {
    let path = site::config_path(common);
    let config = Config::read(&path)?;
    let setup = |error: &dyn std::error::Error| Failure::usage(explain(error));
    let egress = errands::client(&config).map_err(|error| setup(&error))?;
    let channels = config
        .alarm
        .channels(&site::base(&path), &egress)
        .map_err(|error: OutgoingError| setup(&error))?;
    if channels.is_empty() {
        return Err(Failure::usage(
            "no way for alarms is configured; write `mail`, `webhook` or `command` below [alarm]",
        ));
    }
    let notice = Notice::test(errands::server_name(&config));
    let now = Clock::system().now();
    let runtime = super::runtime()?;
    let results: Vec<(&str, Option<String>)> = runtime.block_on(async {
        let mut results = Vec::new();
        for channel in &channels {
            let sent = channel.send(&notice, now).await;
            results.push((channel.name(), sent.err().map(|error| explain(&error))));
        }
        results
    });
    let failed = results.iter().any(|(_, error)| error.is_some());
    if common.json {
        let list = results.iter().map(|(channel, error)| {
            json!({ "channel": channel, "sent": error.is_none(), "error": error })
        });
        print_json(&json!({ "channels": list.collect::<Vec<_>>() }))?;
    } else {
        let mut rows = table(["channel", "result"]);
        for (channel, error) in &results {
            let result = error.as_deref().unwrap_or("sent");
            rows.add_row([(*channel).to_owned(), clean(result)]);
        }
        say(rows)?;
    }
    Ok(if failed {
        ExitCode::from(Exit::Refused as u8)
    } else {
        ExitCode::SUCCESS
    })
}
