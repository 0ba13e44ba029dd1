//! What was discovered.

use std::fmt::Write as _;

use a2a_client::Discovered;
use serde_json::{Value, json};

use super::{clean, price_label, wrapped_table};
use crate::buyer::{Agent, Dealer, GenericAgent};

/// What was discovered, for a program. The card stands in it as it was sent.
pub(crate) fn agent_document(agent: &Agent) -> Value {
    let discovered = agent.discovered();
    let card: Value = serde_json::from_slice(&discovered.raw).unwrap_or_default();
    let warnings: Vec<String> = discovered
        .warnings
        .iter()
        .map(ToString::to_string)
        .collect();
    let mut document = json!({
        "kind": "generic",
        "name": discovered.card.name,
        "card_url": discovered.url.as_str(),
        "warnings": warnings,
        "card": card,
    });
    match agent {
        Agent::Dealer(dealer) => {
            let skills: Vec<_> = dealer.skills().iter().map(|skill| skill.id()).collect();
            document["kind"] = "dealer".into();
            document["interface_url"] = dealer.interface_url().into();
            document["skills"] = skills.into();
            document["aap"] = json!({
                "version": dealer.version().label(),
                "extension": dealer.version().extension_uri(),
                "price_basis": dealer.price_basis(),
            });
        }
        Agent::Generic(generic) => {
            document["unknown_aap_versions"] = json!(generic.unknown_versions);
        }
    }
    document
}

/// What was discovered.
pub(crate) fn agent(agent: &Agent) -> String {
    match agent {
        Agent::Dealer(dealer) => dealer_lines(dealer),
        Agent::Generic(agent) => generic_lines(agent),
    }
}

fn dealer_lines(dealer: &Dealer) -> String {
    let skills: Vec<_> = dealer.skills().iter().map(|skill| skill.id()).collect();
    let mut text = format!(
        "{}: dealer agent, AAP {}",
        clean(dealer.name()),
        dealer.version()
    );
    let mut table = wrapped_table();
    table.add_row(["card", dealer.discovered().url.as_str()]);
    table.add_row(["interface", dealer.interface_url()]);
    table.add_row(["skills", &skills.join(", ")]);
    table.add_row(["prices", price_label(dealer.price_basis())]);
    let _ = write!(text, "\n\n{table}");
    push_warnings(&mut text, dealer.discovered());
    text
}

fn generic_lines(agent: &GenericAgent) -> String {
    let card = &agent.discovered.card;
    let mut text = format!("{}: generic A2A agent, ", clean(&card.name));
    if agent.unknown_versions.is_empty() {
        text.push_str("no Auto Agent Protocol extension on its card");
    } else {
        let versions = clean(&agent.unknown_versions.join(", "));
        let _ = write!(
            text,
            "Auto Agent Protocol in unknown versions only: {versions}"
        );
    }
    let mut table = wrapped_table();
    table.add_row(["card", agent.discovered.url.as_str()]);
    for interface in &card.supported_interfaces {
        let binding = clean(&interface.protocol_binding);
        let version = clean(&interface.protocol_version);
        let url = clean(&interface.url);
        table.add_row(["interface", &format!("{binding} {version} at {url}")]);
    }
    for skill in &card.skills {
        let name = clean(&skill.name);
        table.add_row(["skill", &format!("{}: {name}", clean(&skill.id))]);
    }
    let _ = write!(text, "\n\n{table}");
    push_warnings(&mut text, &agent.discovered);
    text
}

fn push_warnings(text: &mut String, discovered: &Discovered) {
    for warning in &discovered.warnings {
        let _ = write!(text, "\nwarning: {}", clean(&warning.to_string()));
    }
}
