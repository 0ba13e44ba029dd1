//! `card`: an agent card as it is served.

use std::process::ExitCode;

use aap::Profile;
use clap::Args;

use super::{
    Common, Public,
    outcome::{Failure, say},
    site,
};
use crate::{agent, config::Config};

/// What `card` takes.
#[derive(Debug, Args)]
pub(super) struct CardArgs {
    #[command(flatten)]
    public: Public,
    /// Print the card of the preview that the configuration names
    #[arg(long)]
    preview: bool,
}

pub(super) fn print(common: &Common, args: CardArgs) -> Result<ExitCode, Failure> {
    let mut site = site::open(common, true)?;
    site.config.public_url = args.public.public_url.or(site.config.public_url);
    let (id, dealer) = site::dealer(common, &site.config)?;
    let profile = if args.preview {
        preview(&site.config)?
    } else {
        Profile::V1_3
    };
    let url = agent::endpoint_url(&site.config, id, site.config.listen, profile);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let card = runtime.block_on(agent::render_card(profile, id, dealer, &url, &site.store))?;
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
