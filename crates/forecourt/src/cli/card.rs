//! `card`: an agent card as it is served.

use std::process::ExitCode;

use aap::Profile;
use clap::Args;
use store::{Clock, Conn, Store};

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
pub(super) struct CardArgs {
    #[command(flatten)]
    public: Public,
    /// Print the card of the preview that the configuration names
    #[arg(long)]
    preview: bool,
}

pub(super) fn print(common: &Common, args: CardArgs) -> Result<ExitCode, Failure> {
    let path = site::config_path(common);
    let mut config = Config::read(&path)?;
    config.public_url = args.public.public_url.or(config.public_url);
    let data = site::data_folder(common, &config, &path);
    // Where no server ran, the card has an identity of its own, and nothing is made to keep it.
    let kept = site::require_database(&data)
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
