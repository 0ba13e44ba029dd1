//! `export` and `erase`: what a person may ask for.

use std::process::ExitCode;

use clap::Args;
use dealers::{Dealer, DealerId, Destination};
use leads::{Erasure, HashKey, LeadId, Order, Told, Vault, Whom};
use serde_json::{Value, json};
use url::Url;

use super::{
    Common,
    leads::{nobody, of_person},
    outcome::{Failure, complain, print_json, say},
    site::{self, Site},
    text::minute,
};
use crate::{backup, explain};

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// Mail address or telephone number of the person; may be repeated
    #[arg(long, required = true, value_name = "EMAIL|PHONE")]
    person: Vec<Whom>,
}

#[derive(Debug, Args)]
pub(super) struct EraseArgs {
    /// Mail address or telephone number of the person; may be repeated
    #[arg(long, required = true, value_name = "EMAIL|PHONE")]
    person: Vec<Whom>,
    /// Why, in words that name nobody; it stays as part of the proof
    #[arg(long, default_value = "request of the person", value_name = "TEXT")]
    reason: String,
    /// Only say what would be erased
    #[arg(long)]
    dry_run: bool,
}

/// A dealer's data, opened to work on a person.
struct Desk {
    site: Site,
    dealer: DealerId,
    vault: Vault,
    hash_key: HashKey,
    whom: Vec<Whom>,
}

impl Desk {
    fn open(common: &Common, whom: Vec<Whom>) -> Result<Self, Failure> {
        let site = site::open(common, false)?;
        let (dealer, _) = site::dealer(common, &site.config)?;
        Ok(Self {
            dealer: dealer.clone(),
            vault: site.vault()?,
            hash_key: super::runtime()?.block_on(site.hash_key())?,
            site,
            whom,
        })
    }

    async fn leads(&self) -> Result<Vec<LeadId>, Failure> {
        Ok(of_person(&self.site.store, &self.vault, &self.dealer, &self.whom).await?)
    }

    async fn erasures(&self) -> Result<Vec<Erasure>, Failure> {
        let (hash_key, dealer) = (self.hash_key.clone(), self.dealer.clone());
        let whom = self.whom.clone();
        let read =
            move |conn: &mut dyn store::Conn| leads::erasures_of(conn, &hash_key, &dealer, &whom);
        Ok(self.site.store.read(read).await?)
    }
}

/// One JSON document, with or without `--json`: it is for the person, and for machines.
pub(super) fn export(common: &Common, args: ExportArgs) -> Result<ExitCode, Failure> {
    let desk = Desk::open(common, args.person)?;
    super::runtime()?.block_on(async {
        let (leads, erasures) = (desk.leads().await?, desk.erasures().await?);
        if leads.is_empty() && erasures.is_empty() {
            return Err(nobody());
        }
        let (vault, dealer) = (desk.vault.clone(), desk.dealer.clone());
        let kept = desk
            .site
            .store
            .read(move |conn| leads::export(conn, &vault, &dealer, &leads))
            .await?;
        print_json(&json!({
            "dealer": desk.dealer,
            "exported_at": desk.site.store.clock().now(),
            "leads": kept,
            "erased_before": erasures,
        }))?;
        Ok(ExitCode::SUCCESS)
    })
}

/// What an erasure did, or would do.
struct Report {
    erasure_id: Option<String>,
    leads: Vec<LeadId>,
    told: Vec<Told>,
    /// Backups that still hold the person.
    backups: Vec<backup::Holding>,
    before: Vec<Erasure>,
}

pub(super) fn erase(common: &Common, args: EraseArgs) -> Result<ExitCode, Failure> {
    let desk = Desk::open(common, args.person)?;
    let report = super::runtime()?.block_on(async {
        let (leads, before) = (desk.leads().await?, desk.erasures().await?);
        if leads.is_empty() && before.is_empty() {
            return Err(nobody());
        }
        let mut report = Report {
            erasure_id: None,
            told: Vec::new(),
            backups: holding(&desk, &leads),
            leads,
            before,
        };
        if !report.leads.is_empty() && !args.dry_run {
            report.erasure_id = Some(take_out(&desk, &report.leads, args.reason).await?);
        }
        // A running server may have begun to send up to the erasure.
        report.told = told(&desk, &report.leads).await?;
        if args.dry_run {
            return Ok(report);
        }
        // Also where nothing was left to erase: an earlier run may have broken off before this.
        desk.site.store.scrub().await.map_err(|error| {
            Failure::refused(
                "not_scrubbed",
                format!(
                    "the person is erased, but what was deleted still stands in the database's files: {}; run the command again at a quiet moment",
                    explain(&error)
                ),
            )
        })?;
        Ok(report)
    })?;
    if common.json {
        print_json(&report.document(args.dry_run))?;
    } else {
        report.say(args.dry_run, desk.site.config.dealers.get(&desk.dealer))?;
        if desk.site.config.backup.is_none() {
            complain(
                "the configuration names no folder of backups; those made elsewhere hold the person until they are removed",
            );
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn told(desk: &Desk, leads: &[LeadId]) -> Result<Vec<Told>, Failure> {
    let (dealer, leads) = (desk.dealer.clone(), leads.to_vec());
    let read = move |conn: &mut dyn store::Conn| leads::told(conn, &dealer, &leads);
    Ok(desk.site.store.read(read).await?)
}

/// Copies of the data in which the leads still have their person.
fn holding(desk: &Desk, leads: &[LeadId]) -> Vec<backup::Holding> {
    let backups = desk.site.config.backup.as_ref().map(|it| it.dir.as_path());
    backup::holding(backups, &desk.site.data, |conn| {
        leads::has_person(conn, &desk.dealer, leads)
    })
}

/// Erases, and returns the name of the erasure.
async fn take_out(desk: &Desk, leads: &[LeadId], reason: String) -> Result<String, Failure> {
    let clock = desk.site.store.clock();
    let order = Order {
        erasure_id: clock.new_id(),
        reason,
        recorded_by: site::operator(),
        now: clock.now(),
    };
    let erasure_id = order.erasure_id.to_string();
    let (dealer, leads, whom) = (desk.dealer.clone(), leads.to_vec(), desk.whom.clone());
    let (vault, hash_key) = (desk.vault.clone(), desk.hash_key.clone());
    let erased = desk
        .site
        .store
        .write(move |conn| leads::erase(conn, &vault, &hash_key, &dealer, &whom, &leads, &order))
        .await;
    match erased {
        Ok(()) => Ok(erasure_id),
        Err(error @ leads::Error::OnHold(_)) => {
            Err(Failure::refused("legal_hold", error.to_string()))
        }
        Err(error) => Err(error.into()),
    }
}

impl Report {
    fn document(&self, dry_run: bool) -> Value {
        json!({
            "dry_run": dry_run,
            "erasure_id": self.erasure_id,
            "leads": self.leads,
            "also_told": self.told,
            "backups": self.backups,
            "erased_before": self.before,
        })
    }

    fn say(&self, dry_run: bool, dealer: Option<&Dealer>) -> Result<(), Failure> {
        let count = match self.leads.len() {
            1 => "1 lead".to_owned(),
            more => format!("{more} leads"),
        };
        say(match (&self.erasure_id, dry_run) {
            (_, true) => format!("{count} would lose the person"),
            (Some(erasure_id), _) => format!("{count} lost the person; proof: {erasure_id}"),
            (None, _) => "nothing was left to erase".to_owned(),
        })?;
        for erasure in &self.before {
            say(format!(
                "erased before: {} leads on {} UTC, by {}: {}",
                erasure.leads,
                minute(erasure.erased_at),
                erasure.recorded_by,
                erasure.reason
            ))?;
        }
        if !self.told.is_empty() {
            say("also told to these, who have copies of their own; ask them:")?;
        }
        for told in &self.told {
            say(format!(
                "  {} UTC  {}/{}{}",
                minute(told.at),
                told.rooftop,
                told.destination,
                address(told, dealer)
            ))?;
        }
        if !self.backups.is_empty() {
            say(
                "copies of the data that still hold the person; remove them, or let them age out:",
            )?;
        }
        for backup in &self.backups {
            say(format!("  {}", backup.folder.display()))?;
        }
        Ok(())
    }
}

/// What the configuration says of a destination.
fn address(told: &Told, dealer: Option<&Dealer>) -> String {
    let rooftop = dealer.and_then(|dealer| dealer.rooftops.get(&told.rooftop));
    let found = rooftop.and_then(|it| place(it.every_destination().get(&told.destination)?));
    found.map_or_else(String::new, |place| format!(" ({place})"))
}

/// Where a destination is, without what may be secret in its address.
fn place(destination: &Destination) -> Option<String> {
    let host = |url: &Option<Url>| url.as_ref().and_then(Url::host_str).map(str::to_owned);
    let folder = destination.folder.as_ref();
    let mail = destination.mail.clone();
    mail.or_else(|| folder.map(|folder| folder.display().to_string()))
        .or_else(|| host(&destination.post))
        .or_else(|| host(&destination.webhook))
}
