//! The dealer's agent card.

use std::net::SocketAddr;

use a2a_server::card::CardDocument;
use aap::{Profile, Skill};
use data_encoding::HEXLOWER;
use dealers::{Dealer, DealerId};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{Claim, Conn, Error, Migration, Store};
use url::Url;
use uuid::Uuid;

use crate::config::Config;

/// Identity of each dealer's cards, one for each profile: `params_id` stays while the card's content,
/// known by its digest, stays.
pub const CARD_MIGRATIONS: &[Migration] = &[Migration {
    name: "forecourt-1",
    sql: "CREATE TABLE card (
        dealer TEXT NOT NULL,
        profile TEXT NOT NULL,
        digest TEXT NOT NULL,
        params_id TEXT NOT NULL,
        changed_at BIGINT NOT NULL,
        PRIMARY KEY (dealer, profile)
    )",
}];

/// What a card states, its identity aside.
#[derive(Debug, Clone, Copy)]
pub struct CardContent<'a> {
    /// The profile under which the dealer is served.
    pub profile: Profile,
    /// The dealer.
    pub dealer: &'a Dealer,
    /// Those of its skills that are offered.
    pub skills: &'a [Skill],
    /// Where its interface is.
    pub url: &'a str,
}

/// Below a dealer's base, where the card and the interface of a profile lie. A card of the 2.0 draft
/// names no other version, so it has a place of its own.
#[must_use]
pub const fn folder(profile: Profile) -> &'static str {
    match profile {
        Profile::V1_3 => "",
        Profile::Draft2 => "/preview/aap-2.0",
    }
}

/// Where buyers' agents reach a dealer under a profile: below its own host, else below `public_url`
/// or the listening address, with the dealer's path where there are several dealers.
#[must_use]
pub fn endpoint_url(
    config: &Config,
    id: &DealerId,
    listening: SocketAddr,
    profile: Profile,
) -> String {
    let base = base_url(config, id, listening);
    format!("{base}{}/a2a", folder(profile))
}

/// Why the configured preview cannot be served at this address, if so: a card of the 2.0 draft names
/// an https address, or while developing an http address of this very machine (AAP 2.0 draft, agent
/// card schema).
#[must_use]
pub fn preview_fault(config: &Config, listening: SocketAddr) -> Option<String> {
    let profile = config.aap.preview?.profile();
    let mut urls = config
        .dealers
        .keys()
        .map(|id| endpoint_url(config, id, listening, profile));
    let url = urls.find(|url| !is_https_or_loopback(url))?;
    Some(format!(
        "the preview's card would name {url}; the draft takes https, or http at localhost, 127.0.0.1 or [::1] for development. Write an https address as public_url, or leave `preview` out"
    ))
}

fn is_https_or_loopback(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| match (url.scheme(), url.host_str()) {
        ("https", Some(_)) => true,
        ("http", Some(host)) => matches!(host, "localhost" | "127.0.0.1" | "[::1]"),
        _ => false,
    })
}

/// Where everything of a dealer is: its own host, else `public_url` or the listening address, with the
/// dealer's path where there are several dealers.
pub(crate) fn base_url(config: &Config, id: &DealerId, listening: SocketAddr) -> String {
    if let Some(host) = config.dealers.get(id).and_then(|it| it.hosts.first()) {
        let scheme = config.public_url.as_ref().map_or("https", Url::scheme);
        return format!("{scheme}://{host}");
    }
    let base = server_url(config, listening);
    if config.dealers.len() == 1 {
        base
    } else {
        format!("{base}/dealers/{id}")
    }
}

/// Where the server is: `public_url`, else the listening address.
pub(crate) fn server_url(config: &Config, listening: SocketAddr) -> String {
    match &config.public_url {
        Some(url) => url.as_str().trim_end_matches('/').to_owned(),
        None if config.tls.is_some() => format!("https://{listening}"),
        None => format!("http://{listening}"),
    }
}

/// Renders the card as it would be served at this moment and changes nothing: when its content is
/// not the published one, its `params.id` is one that nobody has seen.
///
/// # Errors
/// What the database refuses.
pub async fn render(
    content: CardContent<'_>,
    id: &DealerId,
    store: &Store,
) -> Result<CardDocument, Error> {
    let (dealer_id, profile, digest) = (id.clone(), content.profile, digest(content));
    let stored = store
        .read(move |conn| stored_id(conn, &dealer_id, profile, &digest))
        .await?;
    let params_id = stored.unwrap_or_else(|| store.clock().new_id().to_string());
    Ok(rendered(content, &params_id))
}

/// Renders the card to serve it: `params.id` is the stored one while the content is the same, else a
/// new one, which is stored.
///
/// # Errors
/// What the database refuses.
pub async fn publish(
    content: CardContent<'_>,
    id: &DealerId,
    store: &Store,
) -> Result<CardDocument, Error> {
    let (dealer_id, profile, digest) = (id.clone(), content.profile, digest(content));
    let clock = store.clock();
    let (new_id, now) = (clock.new_id().to_string(), clock.now());
    let params_id = store
        .write_claiming(Claim::part("card", id.as_str()), move |conn| {
            if let Some(id) = stored_id(conn, &dealer_id, profile, &digest)? {
                return Ok::<_, Error>(id);
            }
            conn.execute(
                "INSERT INTO card (dealer, profile, digest, params_id, changed_at)
                 VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT (dealer, profile) DO UPDATE SET
                 digest = excluded.digest, params_id = excluded.params_id,
                 changed_at = excluded.changed_at",
                &[
                    (&dealer_id).into(),
                    (&stored_name(profile)).into(),
                    (&digest).into(),
                    (&new_id).into(),
                    now.into(),
                ],
            )?;
            Ok(new_id.clone())
        })
        .await?;
    Ok(rendered(content, &params_id))
}

fn stored_id(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    profile: Profile,
    digest: &String,
) -> Result<Option<String>, Error> {
    conn.first(
        "SELECT params_id FROM card WHERE dealer = $1 AND profile = $2 AND digest = $3",
        &[dealer.into(), (&stored_name(profile)).into(), digest.into()],
        |row| Ok(row.text(0)?.to_owned()),
    )
}

/// What the database calls a profile, for example `aap-1.3`.
fn stored_name(profile: Profile) -> String {
    format!("aap-{}", profile.version())
}

/// Over the card without its identity.
fn digest(content: CardContent<'_>) -> String {
    let card = document(content, &Uuid::nil().to_string());
    HEXLOWER.encode(&Sha256::digest(card.to_string()))
}

fn rendered(content: CardContent<'_>, params_id: &str) -> CardDocument {
    let card = document(content, params_id);
    CardDocument::new(format!("{card:#}").into_bytes())
}

/// The card's content (A2A 1.0 §4.4, AAP agent card schema). Everything is open to everybody, so no
/// security is stated.
fn document(content: CardContent<'_>, params_id: &str) -> Value {
    let CardContent {
        profile,
        dealer,
        skills: offered,
        url,
    } = content;
    let skills: Vec<_> = offered
        .iter()
        .map(|skill| aap::card::skill_entry(profile, *skill))
        .collect();
    let website = dealer
        .rooftops
        .values()
        .find_map(|rooftop| rooftop.website.as_deref());
    let mut card = json!({
        "name": dealer.name,
        "description": format!(
            "Dealer agent of {}: browse the stock and send a consented lead, over the Auto Agent Protocol.",
            dealer.name
        ),
        "supportedInterfaces": [{
            "url": url,
            "protocolBinding": "JSONRPC",
            "protocolVersion": "1.0",
        }],
        "version": env!("CARGO_PKG_VERSION"),
        "capabilities": {
            "streaming": false,
            "pushNotifications": false,
            "extendedAgentCard": false,
            "extensions": [aap::card::extension(profile.version(), params_id, offered)],
        },
        "defaultInputModes": aap::card::default_input_modes(profile, offered),
        "defaultOutputModes": aap::card::default_output_modes(profile, offered),
        "skills": skills,
    });
    if let Some(website) = website {
        card["provider"] = json!({ "organization": dealer.name, "url": website });
    }
    card
}
