//! `card check`: what is wrong with any agent's card.

use std::process::ExitCode;

use a2a::card::{self, CardProblem, CardReport};
use clap::Args;
use serde_json::{Value, json};

use super::document::{Place, not_a_card};
use crate::cli::{
    outcome::{Exit, Failure, print_json, say},
    text::clean,
};

/// What `card check` takes.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// File with a card (`-` for standard input), the URL of a card, or an agent's base URL
    #[arg(value_name = "FILE|URL", value_parser = Place::of)]
    card: Place,
}

pub(super) async fn run(args: CheckArgs, json: bool) -> Result<ExitCode, Failure> {
    let report = judge(&args.card).await?;
    if json {
        print_json(&document(&report))?;
    } else {
        say(words(&report))?;
    }
    Ok(match report.is_sound() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(Exit::Refused as u8),
    })
}

/// Judges what clients of each generation get, which may be two documents at one URL.
async fn judge(place: &Place) -> Result<CardReport, Failure> {
    let check = |document: &[u8]| card::check(document).map_err(|error| not_a_card(&error));
    let mut report = check(&place.card().await?)?;
    if let Place::Url(_) = place {
        // Without a version header an agent may answer with what is no card at all, and has none for
        // clients of 0.3 then.
        report.v0_3 = match card::check(&place.card_of_0_3().await?) {
            Ok(older) => older.v0_3,
            Err(_) => None,
        };
    }
    Ok(report)
}

fn document(report: &CardReport) -> Value {
    let problems = |found: &Option<Vec<CardProblem>>| {
        let found = found.as_ref()?.iter();
        let told = found.map(|it| json!({ "pointer": it.pointer, "problem": it.words }));
        Some(told.collect::<Vec<Value>>())
    };
    json!({
        "sound": report.is_sound(),
        "generations": { "1.0": problems(&report.v1_0), "0.3": problems(&report.v0_3) },
    })
}

fn words(report: &CardReport) -> String {
    let mut lines = Vec::new();
    for (version, found) in [("1.0", &report.v1_0), ("0.3", &report.v0_3)] {
        let Some(found) = found else {
            lines.push(format!("A2A {version}: nothing for its clients"));
            continue;
        };
        lines.push(match found.len() {
            0 => format!("A2A {version}: sound"),
            1 => format!("A2A {version}: 1 fault"),
            count => format!("A2A {version}: {count} faults"),
        });
        lines.extend(
            found
                .iter()
                .map(|it| format!("  {}", clean(&it.to_string()))),
        );
    }
    lines.join("\n")
}
