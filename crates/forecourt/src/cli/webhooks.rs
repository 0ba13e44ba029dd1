//! `webhooks`: push notifications that receivers did not take, and sending them once more.

use std::process::ExitCode;

use a2a_server::task::push::{DeadLetter, Push};
use clap::Subcommand;
use serde_json::{Value, json};

use super::{
    Common,
    outcome::{Exit, Failure, keep_whole, print_json, say, table},
    site::{self, Site},
    text::{clean, minute},
};
use crate::{app, errands, explain};

/// Verbs of `webhooks`.
#[derive(Debug, Subcommand)]
pub(super) enum WebhooksCommand {
    /// List notifications that were given up, oldest first
    #[command(
        after_help = "Examples:\n  forecourt webhooks list\n  forecourt webhooks list --dealer garden --json"
    )]
    List {
        /// Most notifications to list
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Send notifications once more; what is taken is not listed any more
    #[command(
        after_help = "Examples:\n  forecourt webhooks resend 019a2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b/3/crm\n  forecourt webhooks resend --all"
    )]
    Resend {
        /// Identifier of a notification, as `webhooks list` has it
        #[arg(required_unless_present = "all")]
        id: Option<String>,
        /// Every notification that was given up, oldest first
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
}

pub(super) fn run(common: &Common, command: WebhooksCommand) -> Result<ExitCode, Failure> {
    let site = site::open(common, false)?;
    let seller = seller(common, &site)?;
    let egress = errands::client(&site.config).map_err(|error| Failure::usage(explain(&error)))?;
    let (_, _, push) = app::notifications(&site.store, site.vault()?, egress);
    super::runtime()?.block_on(async {
        let letters = letters(&push, seller.as_deref()).await?;
        match command {
            WebhooksCommand::List { limit } => list(common, &letters, limit),
            WebhooksCommand::Resend { id, .. } => {
                resend(common, &push, wanted(letters, id.as_deref())?).await
            }
        }
    })
}

/// The dealer or catalog whose notifications are meant; `None` for those of all.
fn seller(common: &Common, site: &Site) -> Result<Option<String>, Failure> {
    let Some(named) = &common.dealer else {
        return Ok(None);
    };
    let config = &site.config;
    let mut known = config.dealers.keys().chain(config.catalogs.keys());
    match known.any(|id| id.as_str() == named) {
        true => Ok(Some(named.clone())),
        false => Err(Failure::usage(format!(
            "there is no dealer and no catalog {named:?} in the configuration"
        ))),
    }
}

async fn letters(push: &Push, seller: Option<&str>) -> Result<Vec<DeadLetter>, Failure> {
    let letters = push.dead_letters(usize::MAX).await;
    let mut letters = letters.map_err(|error| Failure::refused("storage", explain(&error)))?;
    letters.retain(|letter| seller.is_none_or(|seller| letter.key.owner.tenant == seller));
    Ok(letters)
}

/// The task, the entry of its log, and the webhook, whose name the client chose.
fn id(letter: &DeadLetter) -> String {
    format!("{}/{}/{}", letter.key.id, letter.number, letter.webhook_id)
}

fn document(letter: &DeadLetter) -> Value {
    json!({
        "id": id(letter),
        "of": letter.key.owner.tenant,
        "task_id": letter.key.id,
        "webhook_id": letter.webhook_id,
        "number": letter.number,
        "given_up_at": letter.at.get(),
        "reason": letter.reason,
    })
}

fn list(common: &Common, letters: &[DeadLetter], limit: usize) -> Result<ExitCode, Failure> {
    let shown = &letters[..letters.len().min(limit)];
    if common.json {
        let documents: Vec<Value> = shown.iter().map(document).collect();
        print_json(&json!({ "given_up": documents, "total": letters.len() }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if letters.is_empty() {
        say("no notification was given up")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut rows = table(["given up (UTC)", "of", "why", "notification"]);
    for letter in shown {
        rows.add_row([
            minute(letter.at.get()),
            clean(&letter.key.owner.tenant),
            clean(&letter.reason),
            clean(&id(letter)),
        ]);
    }
    keep_whole(&mut rows, &[0, 3]);
    say(rows)?;
    if shown.len() < letters.len() {
        say(format!(
            "and {} more; --limit lists them",
            letters.len() - shown.len()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The notification of an identifier, or all.
fn wanted(letters: Vec<DeadLetter>, named: Option<&str>) -> Result<Vec<DeadLetter>, Failure> {
    let Some(named) = named else {
        return Ok(letters);
    };
    let found = letters.into_iter().find(|letter| id(letter) == named);
    let found = found.ok_or_else(|| {
        let words =
            format!("no notification {named} was given up; `forecourt webhooks list` has them");
        Failure::refused("notification_not_found", words)
    })?;
    Ok(vec![found])
}

async fn resend(
    common: &Common,
    push: &Push,
    letters: Vec<DeadLetter>,
) -> Result<ExitCode, Failure> {
    let (mut resent, mut failed) = (Vec::new(), Vec::new());
    for letter in &letters {
        let id = id(letter);
        let sent = push.resend(letter).await;
        let said = match &sent {
            Ok(()) => format!("{} was taken", clean(&id)),
            Err(error) => format!("{} was not: {}", clean(&id), clean(&explain(error))),
        };
        if !common.json {
            say(said)?;
        }
        match sent {
            Ok(()) => resent.push(id),
            Err(error) => failed.push(json!({ "id": id, "reason": explain(&error) })),
        }
    }
    let is_done = failed.is_empty();
    if common.json {
        print_json(&json!({ "resent": resent, "failed": failed }))?;
    } else if letters.is_empty() {
        say("no notification was given up")?;
    }
    Ok(match is_done {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(Exit::Refused as u8),
    })
}
