//! The dealer's agent card.

use std::net::SocketAddr;

use a2a_server::card::CardDocument;
use aap::version::Version;
use dealers::{Dealer, DealerId};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use store::{Conn, Error, Migration, Store};
use url::Url;
use uuid::Uuid;

use crate::config::Config;

/// Identity of each dealer's card: `params_id` stays while the card's content, known by its digest,
/// stays.
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

/// The protocol profile that the card announces.
const PROFILE: &str = "aap-1.3";

/// Where buyers' agents reach a dealer: below its own host, else below `public_url` or the
/// listening address, with the dealer's path where there are several dealers.
#[must_use]
pub fn endpoint_url(config: &Config, id: &DealerId, listening: SocketAddr) -> String {
    let public = config.public_url.as_ref();
    if let Some(host) = config.dealers.get(id).and_then(|it| it.hosts.first()) {
        let scheme = public.map_or("https", Url::scheme);
        return format!("{scheme}://{host}/a2a");
    }
    let base = public.map_or_else(
        || format!("http://{listening}"),
        |url| url.as_str().trim_end_matches('/').to_owned(),
    );
    if config.dealers.len() == 1 {
        format!("{base}/a2a")
    } else {
        format!("{base}/dealers/{id}/a2a")
    }
}

/// Renders the card. `params.id` is the stored one while the content is the same; else a new one,
/// stored when `keep` is set.
///
/// # Errors
/// What the database refuses.
pub async fn render(
    id: &DealerId,
    dealer: &Dealer,
    url: &str,
    store: &Store,
    keep: bool,
) -> Result<CardDocument, Error> {
    // The digest is over the card without its identity.
    let content = document(dealer, url, &Uuid::nil().to_string());
    let digest = crate::hex(&Sha256::digest(content.to_string()));
    let (dealer_id, new_id, now) = (id.clone(), store.clock().new_id(), store.clock().now());
    let new_id = new_id.to_string();
    let params_id = if keep {
        store
            .write(move |conn| {
                if let Some(id) = stored_id(conn, &dealer_id, &digest)? {
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
                        PROFILE.into(),
                        (&digest).into(),
                        (&new_id).into(),
                        now.into(),
                    ],
                )?;
                Ok(new_id.clone())
            })
            .await?
    } else {
        store
            .read(move |conn| {
                Ok::<_, Error>(
                    stored_id(conn, &dealer_id, &digest)?.unwrap_or_else(|| new_id.clone()),
                )
            })
            .await?
    };
    let card = document(dealer, url, &params_id);
    Ok(CardDocument::new(format!("{card:#}").into_bytes()))
}

fn stored_id(
    conn: &mut dyn Conn,
    dealer: &DealerId,
    digest: &String,
) -> Result<Option<String>, Error> {
    conn.first(
        "SELECT params_id FROM card WHERE dealer = $1 AND profile = $2 AND digest = $3",
        &[dealer.into(), PROFILE.into(), digest.into()],
        |row| Ok(row.text(0)?.to_owned()),
    )
}

/// The card's content (A2A 1.0 §4.4, AAP 1.3 agent card schema).
fn document(dealer: &Dealer, url: &str, params_id: &str) -> Value {
    let version = Version::V1_3;
    let skills: Vec<_> = dealer
        .skills
        .iter()
        .map(|skill| aap::card::skill_entry(aap::Profile::V1_3, *skill))
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
            "extensions": [aap::card::extension(version, params_id, &dealer.skills)],
        },
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": skills,
    });
    if let Some(website) = website {
        card["provider"] = json!({ "organization": dealer.name, "url": website });
    }
    card
}
