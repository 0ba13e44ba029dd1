//! `card`: the dealer's agent card as it is served, and what can be done with any agent's.

mod check;
mod document;
mod sign;
mod verify;

use std::process::ExitCode;

use aap::Profile;
use clap::{Args, Subcommand};
use store::{Clock, Conn, Store};

use self::{check::CheckArgs, sign::SignArgs, verify::VerifyArgs};
use super::{
    Common, Public,
    outcome::{Failure, say},
    site,
};
use crate::{
    agent::{self, CardContent},
    app::migrations,
    config::Config,
    readiness,
};

/// What `card` takes.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct CardArgs {
    #[command(subcommand)]
    command: Option<CardCommand>,
    #[command(flatten)]
    public: Public,
    /// Print the card of the preview that the configuration names
    #[arg(long)]
    preview: bool,
}

/// What is done with a card that need not be the dealer's.
#[derive(Debug, Subcommand)]
enum CardCommand {
    /// Name each fault of a card, for clients of A2A 1.0 and of 0.3; ends with 1 while there is one
    #[command(
        after_help = "Examples:\n  forecourt card check card.json\n  forecourt card check https://agent.example --json"
    )]
    Check(CheckArgs),
    /// Sign a card (ES256 or RS256, as the key is)
    #[command(
        after_help = "Example:\n  forecourt card sign card.json --key private.pem --key-id 2026-05 --jku https://agent.example/keys.json"
    )]
    Sign(SignArgs),
    /// Verify the signatures of a card; ends with 1 when none is right
    #[command(
        after_help = "Example:\n  forecourt card verify https://agent.example --keys https://agent.example/keys.json"
    )]
    Verify(VerifyArgs),
}

pub(super) fn run(common: &Common, mut args: CardArgs) -> Result<ExitCode, Failure> {
    match args.command.take() {
        None => print(common, args),
        Some(CardCommand::Sign(args)) => sign::run(&args),
        Some(CardCommand::Check(args)) => super::runtime()?.block_on(check::run(args, common.json)),
        Some(CardCommand::Verify(args)) => {
            super::runtime()?.block_on(verify::run(args, common.json))
        }
    }
}

fn print(common: &Common, args: CardArgs) -> Result<ExitCode, Failure> {
    let path = site::config_path(common);
    let mut config = Config::read(&path)?;
    config.public_url = args.public.public_url.or(config.public_url);
    let data = site::data_folder(common, &config, &path);
    // Where no server ran, the card has an identity of its own, and nothing is made to keep it.
    let database = site::database(common, Some(&config), &data)?;
    let kept = site::require_database(&data, &database)
        .ok()
        .map(|()| site::open(common, false))
        .transpose()?;
    let store = match kept {
        Some(site) => site.store,
        None => Store::temporary(&migrations(), Clock::system())?,
    };
    let (id, dealer) = site::dealer(common, &config)?;
    let profile = if args.preview {
        preview(&config)?
    } else {
        Profile::V1_3
    };
    let runtime = super::runtime()?;
    let digests = readiness::digests(&config, &site::base(&path))?;
    let (of, known) = (id.clone(), dealer.clone());
    let read = move |conn: &mut dyn Conn| readiness::lacks(conn, &of, &known, &digests);
    let lacks = runtime.block_on(store.read(read))?;
    let content = CardContent {
        profile,
        dealer,
        skills: &readiness::offered(dealer, &lacks),
        url: &agent::endpoint_url(&config, id, config.listen, profile),
    };
    let card = runtime.block_on(agent::render_card(content, id, &store))?;
    say(String::from_utf8_lossy(card.json()))?;
    Ok(ExitCode::SUCCESS)
}

fn preview(config: &Config) -> Result<Profile, Failure> {
    let Some(preview) = config.aap.preview else {
        return Err(Failure::usage(
            "the configuration names no preview; write [aap] with preview = \"2.0-draft\"",
        ));
    };
    match agent::preview_fault(config, config.listen) {
        Some(fault) => Err(Failure::usage(fault)),
        None => Ok(preview.profile()),
    }
}
