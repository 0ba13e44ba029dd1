//! `POST /api/bounces`: word that a lead came back, as the mail itself or as JSON.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::Response,
};
use dealers::keys::Scope;
use leads::{
    DeliveryId, DeliveryState, LeadId,
    outbox::{self, DeliveryFilter},
};
use outside::bounces::{self, Claim, Status, Taken};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Params, Refusal, Visitor,
    deliveries::{refuse, unknown},
    enter, json,
    query::Query,
    read_body,
};
use crate::app::App;

/// Most bytes of a mail; what stands further down says nothing about a bounce.
const MOST_BYTES: usize = 10 * 1024 * 1024;
/// Most characters of a reason.
const MOST_REASON: usize = 200;

/// Digits that may be a telephone number.
const TELEPHONE: usize = 7;

/// A bounce in words of its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    /// Which delivery.
    delivery_id: Option<DeliveryId>,
    /// Or the Message-ID of its mail.
    message_id: Option<String>,
    /// Or the lead, where only one delivery of it was sent.
    lead_id: Option<LeadId>,
    /// Enhanced status code (RFC 3463); of class 4 where the mail is only late.
    status: String,
    /// Why, in words that name nobody.
    reason: Option<String>,
}

/// `POST /bounces`.
pub(super) async fn report(
    State(app): State<Arc<App>>,
    params: Params,
    request: Request,
) -> Result<Response, Refusal> {
    let (visitor, request) = enter(&app, &params, request, Scope::Deliveries).await?;
    Query::of(request.uri()).finish()?;
    let kind = media_type(request.headers());
    let claim = match kind.as_str() {
        "message/rfc822" => {
            let mail = read_body(request, MOST_BYTES).await?;
            in_mail(mail.to_vec()).await?
        }
        "application/json" => {
            let body = read_body(request, MOST_BYTES).await?;
            in_words(&app, &visitor, &body).await?
        }
        _ => {
            let detail = "send the mail that came back as message/rfc822, or what is known of it as \
                          application/json, and say so in Content-Type";
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
        }
    };
    let dealer = Arc::new(visitor.settings().clone());
    let dealers = vec![(visitor.dealer.clone(), dealer)];
    let taken = bounces::take(&app.prompt_store(), &dealers, claim).await;
    let taken = taken.map_err(|error| refuse(&error))?;
    app.wake.wake();
    answer(&visitor, &taken)
}

/// What a mail claims.
async fn in_mail(mail: Vec<u8>) -> Result<Claim, Refusal> {
    let reading = tokio::task::spawn_blocking(move || bounces::read(&mail)).await;
    let claim = reading.ok().and_then(|report| report.claim());
    claim.ok_or_else(|| {
        let detail = "the mail does not say that a mail came back or is late";
        Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    })
}

/// What a document claims.
async fn in_words(app: &App, visitor: &Visitor, body: &[u8]) -> Result<Claim, Refusal> {
    let bad = |detail: &str| Refusal::new(StatusCode::BAD_REQUEST, detail);
    let word: Word =
        serde_json::from_slice(body).map_err(|error| bad(&format!("the body: {error}")))?;
    let status: Status = word
        .status
        .parse()
        .map_err(|_| bad("status: write an enhanced status code such as 5.1.1 (RFC 3463)"))?;
    if !status.is_permanent() && !status.is_transient() {
        return Err(bad(
            "status: a delivery that arrived did not come back; write 5.x.x or 4.x.x",
        ));
    }
    let reason = match word.reason.as_deref().map(without_addresses) {
        Some(reason) if !reason.is_empty() => format!("{status} {reason}"),
        _ => format!("{status} {}", status.words()),
    };
    let delivery_id = match (word.delivery_id, word.message_id, word.lead_id) {
        (Some(id), None, None) => id,
        (None, Some(message_id), None) => bounces::ids_in(&message_id).next().ok_or_else(|| {
            bad("message_id: it is not one of ours, which are <DELIVERY_ID@domain>")
        })?,
        (None, None, Some(lead_id)) => sent_of(app, visitor, lead_id).await?,
        _ => return Err(bad("name one of delivery_id, message_id and lead_id")),
    };
    Ok(Claim::by_key(delivery_id, status.is_permanent(), reason))
}

/// The one delivery of a lead that was sent.
async fn sent_of(app: &App, visitor: &Visitor, lead_id: LeadId) -> Result<DeliveryId, Refusal> {
    let dealer = visitor.dealer.clone();
    let filter = DeliveryFilter {
        state: Some(DeliveryState::Sent),
        lead_id: Some(lead_id),
        limit: 2,
        ..DeliveryFilter::default()
    };
    let sent = app
        .prompt_store()
        .read(move |conn| outbox::list(conn, &dealer, &filter))
        .await
        .map_err(|error| refuse(&error))?;
    match sent.as_slice() {
        [only] => Ok(only.delivery_id.clone()),
        [] => Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "the dealer has no such lead, or none of its deliveries was sent",
        )),
        _ => Err(Refusal::new(
            StatusCode::CONFLICT,
            "several deliveries of the lead were sent; name the one by delivery_id",
        )),
    }
}

/// Says what became of the word.
fn answer(visitor: &Visitor, taken: &Taken) -> Result<Response, Refusal> {
    let (word, delivery, more) = match taken {
        Taken::Bounced {
            delivery_id,
            fallback,
            ..
        } => (
            "bounced",
            delivery_id,
            json!({ "fallback_delivery_id": fallback }),
        ),
        Taken::Late { delivery_id, .. } => ("late", delivery_id, json!({})),
        Taken::Unchanged {
            delivery_id, state, ..
        } => ("unchanged", delivery_id, json!({ "state": state })),
        _ => return Err(unknown()),
    };
    tracing::info!(
        dealer = %visitor.dealer,
        key = visitor.key,
        %delivery,
        result = word,
        "a bounce was reported"
    );
    let mut document = more;
    document["result"] = Value::from(word);
    document["delivery_id"] = json!(delivery);
    Ok(json(StatusCode::OK, &document))
}

/// Words for people, without mail addresses and long numbers, which may be a telephone's: what servers
/// say often names one.
fn without_addresses(text: &str) -> String {
    let is_long_number = |word: &str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        digits >= TELEPHONE && !word.contains(char::is_alphabetic)
    };
    let words = text.split_whitespace().map(|word| match word {
        _ if word.contains('@') => "(address)",
        _ if is_long_number(word) => "(number)",
        _ => word,
    });
    let text = words.collect::<Vec<_>>().join(" ");
    text.chars()
        .filter(|it| !it.is_control())
        .take(MOST_REASON)
        .collect()
}

/// The media type without its parameters, in lower case.
fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE);
    let value = value.and_then(|it| it.to_str().ok()).unwrap_or_default();
    let kind = value.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::without_addresses;

    #[test]
    fn a_reason_keeps_no_address_and_no_telephone_number() {
        assert_eq!(
            without_addresses(
                "550 <ada@example.com>\r\n\u{1b}[1m +14155550123 (415)555-0123 queue 4F7b1234567"
            ),
            "550 (address) [1m (number) (number) queue 4F7b1234567"
        );
    }
}
