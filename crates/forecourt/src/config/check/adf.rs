//! The form of ADF documents.

use dealers::{AdfProvider, AdfSettings, Dealer};

use super::Findings;

/// What of the dealer's settings, or of a destination's own, makes documents that a CRM refuses.
pub(super) fn check(at: &[&str], dealer: &Dealer, found: &mut Findings<'_>) {
    check_one(&[at, &["adf"]].concat(), &dealer.adf, found);
    for (rooftop, settings) in &dealer.rooftops {
        for (name, destination) in &settings.destinations {
            let key = ["rooftops", rooftop, "destinations", name, "adf"];
            if let Some(adf) = &destination.adf {
                check_one(&[at, &key].concat(), adf, found);
            }
        }
    }
}

fn check_one(at: &[&str], settings: &AdfSettings, found: &mut Findings<'_>) {
    let key = |last| [at, &[last]].concat();
    match (settings.provider, &settings.network) {
        (AdfProvider::Network, None) => found.add(
            &key("provider"),
            "names the network, and there is none; write for example network = { name = \"Example Network\" }",
        ),
        (AdfProvider::Agent, Some(_)) => found.add(
            &key("network"),
            "is named to nobody while the agent is the provider; write provider = \"network\"",
        ),
        (_, Some(network)) if network.name.trim().is_empty() => found.add(
            &key("network"),
            "write the name by which the CRM knows the source of the leads",
        ),
        _ => {}
    }
    let network = settings.network.as_ref();
    found.mailbox(&key("network"), network.and_then(|it| it.email.as_ref()));
    let placeholder = &settings.placeholder;
    let parts = [&placeholder.year, &placeholder.make, &placeholder.model];
    if parts.iter().any(|part| part.trim().is_empty()) {
        found.add(
            &key("placeholder"),
            "ADF asks for year, make and model; write for example placeholder = { model = \"Any/All\" }",
        );
    }
}
