//! `card`: the agent card as it is served.

use std::process::ExitCode;

use super::{
    Common, Public,
    outcome::{Failure, say},
    site,
};
use crate::agent;

pub(super) fn print(common: &Common, public: Public) -> Result<ExitCode, Failure> {
    let mut site = site::open(common, true)?;
    site.config.public_url = public.public_url.or(site.config.public_url);
    let (id, dealer) = site::dealer(common, &site.config)?;
    let url = agent::endpoint_url(&site.config, id, site.config.listen);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let card = runtime.block_on(agent::render_card(id, dealer, &url, &site.store, false))?;
    say(String::from_utf8_lossy(card.json()))?;
    Ok(ExitCode::SUCCESS)
}
