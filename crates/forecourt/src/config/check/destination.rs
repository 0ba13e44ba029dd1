//! What cannot work in where the leads of a rooftop go.

use dealers::{DealerId, Destination, Rooftop};
use egress::address;
use url::Url;

use super::Findings;
use crate::config::{Config, mail};

/// What of a rooftop's destinations and fallback at `at` cannot work.
pub(super) fn check(at: &[&str], rooftop: &Rooftop, found: &mut Findings<'_>) {
    let key = |last| [at, &[last]].concat();
    found.mailbox(&key("crm"), rooftop.crm.as_ref());
    for (name, destination) in &rooftop.destinations {
        let at = [at, &["destinations", name.as_str()]].concat();
        if name.trim().is_empty() {
            found.add(&at, "give the destination a name, for example \"crm\"");
        }
        check_ways(&at, destination, found);
        check_rest(&at, destination, found);
    }
    if rooftop.crm.is_some() && rooftop.destinations.contains_key(Rooftop::CRM) {
        found.add(
            &key("crm"),
            "is short for a destination of that name, which is there as well; write one of them",
        );
    }
    check_fallback(&key("fallback"), rooftop, found);
}

/// A destination is reached by one way.
fn check_ways(at: &[&str], destination: &Destination, found: &mut Findings<'_>) {
    let ways = [
        ("mail", destination.mail.is_some()),
        ("post", destination.post.is_some()),
        ("folder", destination.folder.is_some()),
        ("webhook", destination.webhook.is_some()),
    ];
    let stated: Vec<&str> = ways.iter().filter(|it| it.1).map(|it| it.0).collect();
    match stated.as_slice() {
        [_] => {}
        [] => found.add(
            at,
            "no lead can go there; write one of `mail`, `post`, `folder` and `webhook`",
        ),
        several => found.add(
            at,
            format!(
                "a destination is reached by one way; make one of each of `{}`",
                several.join("`, `")
            ),
        ),
    }
    let (mail, post, webhook) = (ways[0], ways[1], ways[3]);
    for (setting, is_stated, (needs, has)) in [
        ("copy_to", destination.copy_to.is_some(), mail),
        ("headers_file", destination.headers_file.is_some(), post),
        ("content_type", destination.content_type.is_some(), post),
        (
            "success_status",
            !destination.success_status.is_empty(),
            post,
        ),
        ("success_body", destination.success_body.is_some(), post),
        ("secret_file", destination.secret_file.is_some(), webhook),
    ] {
        if is_stated && !has {
            let key = [at, &[setting]].concat();
            found.add(&key, format!("it means nothing without `{needs}`"));
        }
    }
    if destination.adf.is_some() && destination.webhook.is_some() {
        let key = [at, &["adf"]].concat();
        found.add(&key, "a webhook is sent JSON, no ADF");
    }
    if destination.webhook.is_some() && destination.secret_file.is_none() {
        found.add(
            at,
            "name the file of the secret that signs the posts as `secret_file`, so that the receiver can tell them from others",
        );
    }
}

fn check_rest(at: &[&str], destination: &Destination, found: &mut Findings<'_>) {
    let key = |last| [at, &[last]].concat();
    found.mailbox(&key("mail"), destination.mail.as_ref());
    found.mailbox(&key("copy_to"), destination.copy_to.as_ref());
    for (name, url) in [
        ("post", &destination.post),
        ("webhook", &destination.webhook),
    ] {
        let Some(url) = url else { continue };
        found.web_address(&key(name), url);
        if !url.username().is_empty() || url.password().is_some() {
            found.add(
                &key(name),
                "write name and password as an `Authorization` line in `headers_file` instead",
            );
        }
    }
    for status in &destination.success_status {
        if !(100..=599).contains(status) {
            found.add(
                &key("success_status"),
                format!("{status} is no HTTP status; write for example [200, 202]"),
            );
        }
    }
    if destination.success_body.as_deref() == Some("") {
        found.add(
            &key("success_body"),
            "every answer holds an empty text; leave it out",
        );
    }
    if http::HeaderValue::try_from(destination.content_type()).is_err() {
        found.add(
            &key("content_type"),
            "is no content type; write for example \"text/xml; charset=utf-8\"",
        );
    }
}

fn check_fallback(key: &[&str], rooftop: &Rooftop, found: &mut Findings<'_>) {
    let Some(fallback) = &rooftop.fallback else {
        return;
    };
    let is_named = rooftop.destinations.contains_key(fallback);
    if !is_named && !fallback.contains('@') {
        let known: Vec<&str> = rooftop.destinations.keys().map(String::as_str).collect();
        let known = if known.is_empty() {
            "none is named".to_owned()
        } else {
            format!("there is {}", known.join(", "))
        };
        found.add(
            key,
            format!("{fallback:?} is neither a mailbox nor a destination of the rooftop; {known}"),
        );
        return;
    }
    if !is_named {
        found.mailbox(key, Some(fallback));
        if rooftop.destinations.contains_key(Rooftop::FALLBACK) {
            found.add(
                key,
                "a mailbox is a destination called `fallback`, which is there as well; write fallback = \"fallback\", or give that one another name",
            );
        }
    }
    let others = rooftop.destinations();
    if others.is_empty() {
        found.add(
            key,
            "only what another destination refuses goes there, and there is no other; write `crm` or a destination as well",
        );
    }
    let mailbox = match rooftop.destinations.get(fallback) {
        Some(destination) => destination.mail.as_ref(),
        None => Some(fallback),
    };
    if mailbox.is_some() && others.values().any(|it| it.mail.as_ref() == mailbox) {
        found.add(
            key,
            "is the mailbox whose refusals it is for; write another one",
        );
    }
}

/// Mail to elsewhere needs a sender that others know.
pub(super) fn check_sender(config: &Config, found: &mut Findings<'_>) {
    let rooftops = config.dealers.values().flat_map(|it| it.rooftops.values());
    let mut destinations = rooftops.flat_map(|it| it.every_destination().into_values());
    let is_known = config.mail.from.is_some()
        || mail::default_sender(config.public_url.as_ref()) != mail::LOCAL_SENDER;
    if config.mail.host.is_some() && !is_known && destinations.any(|it| it.mail.is_some()) {
        found.add(
            &["mail", "from"],
            "write the sender of the leads, for example \"forecourt@group.example\"",
        );
    }
}

/// What goes out to the public goes out encrypted. A name may lead into a network that is opened, so
/// that nothing is said where one is.
pub(super) fn check_clear(config: &Config, found: &mut Findings<'_>) {
    let is_refused = |url: &Url| {
        let is_opened = !config.outgoing.allow.is_empty() || !address::typed(url).is_empty();
        url.scheme() == "http" && !is_opened
    };
    let message =
        "is not sent to in clear; write https, or open the receiver's network: allow in [outgoing]";
    let alarm = config.alarm.smtp.as_ref();
    let bounces = config.bounces.imap.as_ref();
    for (at, oauth) in [
        (&["mail"][..], config.mail.oauth.as_ref()),
        (&["alarm", "smtp"], alarm.and_then(|it| it.oauth.as_ref())),
        (
            &["bounces", "imap"],
            bounces.and_then(|it| it.oauth.as_ref()),
        ),
    ] {
        if oauth.is_some_and(|it| is_refused(&it.token_url)) {
            found.add(&[at, &["oauth", "token_url"]].concat(), message);
        }
    }
    for (id, dealer) in &config.dealers {
        for (rooftop_name, rooftop) in &dealer.rooftops {
            for (name, destination) in &rooftop.destinations {
                let at = place(id, rooftop_name, name);
                for (way, url) in [
                    ("post", &destination.post),
                    ("webhook", &destination.webhook),
                ] {
                    if url.as_ref().is_some_and(is_refused) {
                        found.add(&[&at[..], &[way]].concat(), message);
                    }
                }
            }
        }
    }
}

/// The key of a destination.
fn place<'a>(dealer: &'a DealerId, rooftop: &'a str, name: &'a str) -> [&'a str; 6] {
    let dealer = dealer.as_str();
    ["dealers", dealer, "rooftops", rooftop, "destinations", name]
}

/// The files that a server has to be able to read to reach the destinations.
pub(super) fn check_files(config: &Config, found: &mut Findings<'_>) {
    for (id, dealer) in &config.dealers {
        for (rooftop_name, rooftop) in &dealer.rooftops {
            for (name, destination) in &rooftop.destinations {
                let at = place(id, rooftop_name, name);
                for (setting, file) in [
                    ("headers_file", &destination.headers_file),
                    ("secret_file", &destination.secret_file),
                ] {
                    found.file(&[&at[..], &[setting]].concat(), file.as_deref());
                }
            }
        }
    }
}
