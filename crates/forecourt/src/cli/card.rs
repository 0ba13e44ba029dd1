//! `card`: the agent card as it is served.

use std::{io::Write, process::ExitCode};

use super::{Common, outcome::Failure, site};
use crate::agent;

pub(super) fn print(common: &Common) -> Result<ExitCode, Failure> {
    let site = site::open(common, true)?;
    let (id, dealer) = site::dealer(common, &site.config)?;
    let url = agent::endpoint_url(&site.config, id, site.config.listen);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let card = runtime.block_on(agent::render_card(id, dealer, &url, &site.store, false))?;
    let mut out = std::io::stdout().lock();
    out.write_all(card.json())?;
    writeln!(out)?;
    Ok(ExitCode::SUCCESS)
}
