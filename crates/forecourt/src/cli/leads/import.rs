//! Taking over leads of another system.

use std::{collections::BTreeSet, path::PathBuf, process::ExitCode};

use aap::text::fold;
use clap::Args;
use dealers::Dealer;
use jiff::tz::TimeZone;
use leads::{
    Error, HashKey, Import, Vault,
    adf::{self, Doubt, ReadProspect, Reading},
    outbox,
};
use serde_json::{Value, json};
use store::{Clock, Store};

use crate::{
    agent::match_vehicle,
    app::migrations,
    cli::{
        Common,
        adf::read,
        outcome::{Exit, Failure, keep_whole, print_json, say, table},
        runtime, site,
        text::{clean, minute},
    },
    config::Config,
    lot::Lot,
};

#[derive(Debug, Args)]
pub(in crate::cli) struct ImportArgs {
    /// The file: ADF, or a mail with ADF in it
    file: PathBuf,
    /// Only report what would be taken over
    #[arg(long)]
    dry_run: bool,
    /// Send the leads to their rooftop's destinations, too
    #[arg(long)]
    deliver: bool,
}

/// What became of one lead of the file.
struct Line {
    lead_id: Option<leads::LeadId>,
    outcome: &'static str,
    reason: Option<String>,
    rooftop: Option<String>,
    received_at: Option<jiff::Timestamp>,
    deliveries: u64,
    name: String,
}

pub(super) fn run(common: &Common, args: &ImportArgs) -> Result<ExitCode, Failure> {
    let reading = adf::read(&read(&args.file)?);
    if reading.prospects.is_empty() {
        let doubts: Vec<String> = reading.doubts.iter().map(ToString::to_string).collect();
        return Err(Failure::refused("no_leads", doubts.join("; ")));
    }
    let runtime = runtime()?;
    let lines = runtime.block_on(async {
        let desk = Desk::open(common, args.dry_run).await?;
        desk.take(&reading, args).await
    })?;
    report(common, &reading, &lines, args.dry_run)
}

/// What leads are taken over into.
struct Desk {
    site: Option<site::Site>,
    store: Store,
    lot: Lot,
    vault: Vault,
    hash_key: HashKey,
}

impl Desk {
    /// A dry run works in a temporary database where there is none yet.
    async fn open(common: &Common, dry_run: bool) -> Result<Self, Failure> {
        let path = site::config_path(common);
        let config = Config::read(&path)?;
        let data = site::data_folder(common, &config, &path);
        let (id, dealer) = site::dealer(common, &config)?;
        let database = site::database(common, Some(&config), &data)?;
        if dry_run && site::require_database(&data, &database).is_err() {
            let store = Store::temporary(&migrations(), Clock::system())?;
            return Ok(Self {
                site: None,
                lot: Lot::open(id.clone(), dealer.clone(), &store).await?,
                store,
                vault: Vault::open(),
                hash_key: HashKey::new([0; 32]),
            });
        }
        let site = site::open(common, !dry_run)?;
        Ok(Self {
            lot: Lot::open(id.clone(), dealer.clone(), &site.store).await?,
            store: site.store.clone(),
            vault: site.vault()?,
            hash_key: site.hash_key().await?,
            site: Some(site),
        })
    }

    async fn take(&self, reading: &Reading, args: &ImportArgs) -> Result<Vec<Line>, Failure> {
        let mut lines = Vec::with_capacity(reading.prospects.len());
        let mut seen = BTreeSet::new();
        for prospect in &reading.prospects {
            let import = self.import(prospect, args.deliver)?;
            let is_repeat = !seen.insert(import.lead_id());
            lines.push(if args.dry_run {
                self.would_take(import, is_repeat).await?
            } else {
                self.take_one(import).await?
            });
        }
        Ok(lines)
    }

    fn import(&self, prospect: &ReadProspect, deliver: bool) -> Result<Import, Failure> {
        let dealer = self.lot.dealer();
        let (vehicle, of_vehicle) = match_vehicle(&self.lot, prospect.vehicle.as_ref())
            .ok_or_else(|| Failure::refused("storage", "a stored vehicle cannot be read"))?;
        let rooftop = named_rooftop(dealer, prospect.vendor.as_deref()).or(of_vehicle);
        let new_id = || self.store.clock().new_id().into();
        let deliveries = if deliver {
            outbox::first_deliveries(dealer, rooftop.as_deref().unwrap_or_default(), &new_id)
        } else {
            Vec::new()
        };
        Ok(Import {
            dealer: self.lot.id().clone(),
            prospect: prospect.clone(),
            vehicle,
            zone: zone(dealer, rooftop.as_deref()),
            rooftop,
            deliveries,
            now: self.store.clock().now(),
            hash_key: self.hash_key.clone(),
        })
    }

    async fn take_one(&self, import: Import) -> Result<Line, Failure> {
        let mut line = Line::of(&import);
        let vault = self.vault.clone();
        let taken = self
            .store
            .write(move |conn| leads::import(conn, &vault, &import))
            .await;
        match taken {
            Ok(imported) => {
                line.lead_id = Some(imported.lead_id);
                line.deliveries = imported.deliveries;
                line.outcome = if imported.is_new { "taken" } else { "known" };
            }
            Err(error @ Error::Unreachable) => line.refuse(&error),
            Err(error) => return Err(error.into()),
        }
        Ok(line)
    }

    async fn would_take(&self, import: Import, is_repeat: bool) -> Result<Line, Failure> {
        let mut line = Line::of(&import);
        let customer = &import.prospect.customer;
        if customer.email.is_none() && customer.phone.is_none() {
            line.refuse(&Error::Unreachable);
            return Ok(line);
        }
        // Without a database there is no key, and the name would be another.
        let lead_id = self.site.as_ref().map(|_| import.lead_id());
        let (vault, dealer, wanted) = (self.vault.clone(), import.dealer.clone(), lead_id.clone());
        let known = self.store.read(move |conn| match &wanted {
            Some(wanted) => leads::show(conn, &vault, &dealer, wanted),
            None => Ok(None),
        });
        if known.await?.is_some() || is_repeat {
            line.outcome = "known";
        }
        line.lead_id = lead_id;
        Ok(line)
    }
}

impl Line {
    fn of(import: &Import) -> Self {
        let customer = &import.prospect.customer;
        let name = format!("{} {}", customer.first_name, customer.last_name);
        Self {
            lead_id: None,
            outcome: "taken",
            reason: None,
            rooftop: import.rooftop.clone(),
            received_at: Some(import.received_at()),
            deliveries: 0,
            name: name.trim().to_owned(),
        }
    }

    fn refuse(&mut self, error: &Error) {
        self.outcome = "refused";
        self.received_at = None;
        self.reason = Some(error.to_string());
    }
}

/// The rooftop that the document names as its vendor.
fn named_rooftop(dealer: &Dealer, vendor: Option<&str>) -> Option<String> {
    let vendor = fold(vendor?)?;
    let named = dealer.rooftops.iter().find(|(name, rooftop)| {
        let names = [
            Some(name.as_str()),
            rooftop.legal_name.as_deref(),
            rooftop.feed_id.as_deref(),
        ];
        let mut names = names.into_iter().flatten();
        names.any(|name| fold(name).as_ref() == Some(&vendor))
    });
    named.map(|(name, _)| name.clone())
}

fn zone(dealer: &Dealer, rooftop: Option<&str>) -> TimeZone {
    let names = rooftop.into_iter().chain(dealer.default_rooftop());
    let mut zones = names.filter_map(|name| dealer.rooftops.get(name)?.timezone.as_deref());
    let zone = zones.find_map(|name| TimeZone::get(name).ok());
    zone.unwrap_or(TimeZone::UTC)
}

fn report(
    common: &Common,
    reading: &Reading,
    lines: &[Line],
    dry_run: bool,
) -> Result<ExitCode, Failure> {
    let count = |outcome: &str| lines.iter().filter(|line| line.outcome == outcome).count();
    let (taken, known, refused) = (count("taken"), count("known"), count("refused"));
    let deliveries: u64 = lines.iter().map(|line| line.deliveries).sum();
    if common.json {
        print_json(&json!({
            "dry_run": dry_run,
            "taken": taken,
            "known": known,
            "refused": refused,
            "deliveries": deliveries,
            "leads": lines.iter().map(Line::document).collect::<Vec<_>>(),
            "doubts": reading.doubts,
        }))?;
    } else {
        say(listed(lines))?;
        for doubt in &reading.doubts {
            say(clean(&Doubt::to_string(doubt)))?;
        }
        let verb = if dry_run {
            "would be taken over"
        } else {
            "taken over"
        };
        say(format!(
            "{taken} of {} leads {verb}, {known} known before, {refused} refused; {deliveries} deliveries made",
            lines.len()
        ))?;
    }
    Ok(if refused > 0 {
        ExitCode::from(Exit::Refused as u8)
    } else {
        ExitCode::SUCCESS
    })
}

impl Line {
    fn document(&self) -> Value {
        json!({
            "lead_id": self.lead_id,
            "outcome": self.outcome,
            "reason": self.reason,
            "rooftop": self.rooftop,
            "received_at": self.received_at,
            "deliveries": self.deliveries,
        })
    }
}

fn listed(lines: &[Line]) -> comfy_table::Table {
    let mut rows = table(["received (UTC)", "person", "rooftop", "outcome", "lead"]);
    for line in lines {
        let outcome = match &line.reason {
            Some(reason) => format!("{}: {reason}", line.outcome),
            None => line.outcome.to_owned(),
        };
        let lead_id = line.lead_id.as_ref().map(ToString::to_string);
        rows.add_row([
            line.received_at.map(minute).unwrap_or_default(),
            clean(&line.name),
            clean(line.rooftop.as_deref().unwrap_or_default()),
            outcome,
            lead_id.unwrap_or_default(),
        ]);
    }
    keep_whole(&mut rows, &[0, 4]);
    rows
}
