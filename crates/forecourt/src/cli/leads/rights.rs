//! What people decide about a person's leads: consent taken back, and legal hold.

use std::process::ExitCode;

use aap::lead::Channel;
use clap::{Args, ValueEnum};
use dealers::DealerId;
use leads::{LeadId, Revocation, Revoked, Vault};
use serde_json::json;
use store::Store;

use super::whose::Whose;
use crate::cli::{
    outcome::{Failure, print_json, say},
    site,
};

#[derive(Debug, Args)]
pub(in crate::cli) struct RevokeArgs {
    #[command(flatten)]
    whose: Whose,
    /// Ways of contact that are not allowed any more, separated by commas [default: all]
    #[arg(long, value_delimiter = ',', value_name = "CHANNELS")]
    channels: Vec<Way>,
    /// Who records it [default: who runs the command]
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Way {
    Email,
    Phone,
    Sms,
}

impl From<Way> for Channel {
    fn from(way: Way) -> Self {
        match way {
            Way::Email => Self::Email,
            Way::Phone => Self::Phone,
            Way::Sms => Self::Sms,
        }
    }
}

#[derive(Debug, Args)]
pub(in crate::cli) struct HoldArgs {
    #[command(flatten)]
    whose: Whose,
    /// Why nothing may be erased
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

/// Where the leads are.
pub(super) struct Desk<'a> {
    pub(super) store: &'a Store,
    pub(super) vault: &'a Vault,
    pub(super) dealer: &'a DealerId,
    pub(super) as_json: bool,
}

impl Desk<'_> {
    pub(super) async fn revoke(&self, args: RevokeArgs) -> Result<ExitCode, Failure> {
        let found = args.whose.find(self.store, self.vault, self.dealer).await?;
        let channels: Vec<Channel> = args.channels.into_iter().map(Channel::from).collect();
        let mut wish = Revocation::new(self.store.clock().now(), channels);
        wish.recorded_by = args.by.unwrap_or_else(site::operator);
        let (dealer, clock) = (self.dealer.clone(), self.store.clock().clone());
        let revoked: Vec<Revoked> = self
            .store
            .write(move |conn| {
                let each = |lead_id: &LeadId| {
                    leads::revoke(conn, &dealer, lead_id, &wish, &|| clock.new_id().into())
                };
                found.iter().map(each).collect::<Result<_, leads::Error>>()
            })
            .await?;
        if self.as_json {
            print_json(&json!({ "revoked": revoked }))?;
            return Ok(ExitCode::SUCCESS);
        }
        for lead in &revoked {
            say(told(lead))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    pub(super) async fn hold(&self, args: HoldArgs) -> Result<ExitCode, Failure> {
        let reason = args.reason.trim().to_owned();
        if reason.is_empty() {
            return Err(Failure::usage(
                "say why, for example --reason \"claim 4711\"",
            ));
        }
        let found = args.whose.find(self.store, self.vault, self.dealer).await?;
        let (vault, dealer) = (self.vault.clone(), self.dealer.clone());
        let held = self
            .store
            .write(move |conn| {
                for lead_id in &found {
                    if !leads::hold(conn, &vault, &dealer, lead_id, &reason)? {
                        return Err(leads::Error::UnknownLead(lead_id.clone()));
                    }
                }
                Ok(found.clone())
            })
            .await?;
        if self.as_json {
            print_json(&json!({ "held": held }))?;
        } else {
            say(format!(
                "{} on legal hold; nothing erases them until `forecourt leads unhold`",
                counted(held.len())
            ))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    pub(super) async fn unhold(&self, whose: Whose) -> Result<ExitCode, Failure> {
        let found = whose.find(self.store, self.vault, self.dealer).await?;
        let dealer = self.dealer.clone();
        let let_go = self
            .store
            .write(move |conn| {
                let mut let_go = Vec::new();
                for lead_id in &found {
                    if leads::unhold(conn, &dealer, lead_id)? {
                        let_go.push(lead_id.clone());
                    }
                }
                Ok::<_, leads::Error>(let_go)
            })
            .await?;
        if self.as_json {
            print_json(&json!({ "let_go": let_go }))?;
        } else {
            say(format!("{} not on hold any more", counted(let_go.len())))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn told(lead: &Revoked) -> String {
    let lead_id = &lead.lead_id;
    if !lead.recorded {
        return format!("{lead_id}: was taken back before");
    }
    let remaining: Vec<&str> = lead.remaining.iter().map(|it| word(*it)).collect();
    let remaining = match remaining.as_slice() {
        [] => "no contact is allowed any more".to_owned(),
        some => format!("still allowed: {}", some.join(", ")),
    };
    let mut told: Vec<&str> = lead.told.iter().map(|it| it.destination.as_str()).collect();
    told.dedup();
    let told = match told.as_slice() {
        [] => "nobody has it yet".to_owned(),
        some => format!("word is on its way to {}", some.join(", ")),
    };
    let withdrawn = match lead.withdrawn {
        0 => "",
        _ => "; it is not sent any more",
    };
    format!("{lead_id}: recorded; {remaining}; {told}{withdrawn}")
}

const fn word(channel: Channel) -> &'static str {
    match channel {
        Channel::Email => "email",
        Channel::Phone => "phone",
        Channel::Sms => "sms",
    }
}

fn counted(leads: usize) -> String {
    match leads {
        1 => "1 lead".to_owned(),
        more => format!("{more} leads"),
    }
}
