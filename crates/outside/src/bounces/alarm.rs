//! The alarm that leads come back.

use std::collections::BTreeMap;

use dealers::DealerId;
use leads::outbox::{self, CameBack};
use store::{Error, Store};

use super::{Dealers, Status};
use crate::alarm::{Cause, Kind, reconcile};

/// That leads come back over a way.
fn cause(dealer: &DealerId, way: &CameBack) -> (Cause, String) {
    let what = match way.deliveries {
        1 => "a lead that was sent there came back".to_owned(),
        more => format!("{more} leads that were sent there came back"),
    };
    let why = way.detail.as_deref().and_then(reason);
    let why = why.unwrap_or_else(|| "no reason was given".to_owned());
    let message = format!(
        "{what} (the last one: {why}); see to the mailbox or correct its address, and send the leads \
         again with `forecourt deliveries retry`"
    );
    let cause = Cause::of_dealer(dealer, Kind::Bounce, way.route.to_string());
    (cause, message)
}

/// The status with which a delivery came back, in our words: the reporter's may name a person, and alarms
/// are logged.
fn reason(detail: &str) -> Option<String> {
    let status: Status = detail.split_whitespace().next()?.parse().ok()?;
    Some(format!("{status} {}", status.words()))
}

/// Makes the alarms of these dealers what their deliveries say.
///
/// # Errors
/// When the database fails. No alarm has changed then.
pub(super) async fn renew(store: &Store, dealers: &Dealers) -> Result<(), Error> {
    let ids: Vec<DealerId> = dealers.iter().map(|(id, _)| id.clone()).collect();
    let now = store.clock().now();
    let present: BTreeMap<Cause, String> = store
        .read({
            let ids = ids.clone();
            move |conn| {
                let mut present = BTreeMap::new();
                for id in &ids {
                    let ways = outbox::came_back(conn, id, now)?;
                    present.extend(ways.iter().map(|way| cause(id, way)));
                }
                Ok::<_, Error>(present)
            }
        })
        .await?;
    let judged = |cause: &Cause| {
        let is_theirs = cause.dealer.as_ref().is_some_and(|it| ids.contains(it));
        cause.kind == Kind::Bounce && is_theirs
    };
    reconcile(store, judged, present).await
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn the_alarm_repeats_the_status_and_nobodys_words() {
        for (detail, kept) in [
            (
                "5.1.1 Ada is not here",
                Some("5.1.1 there is no such mailbox"),
            ),
            ("no reason was given, says mx.crm.example", None),
            ("", None),
        ] {
            assert_eq!(reason(detail).as_deref(), kept);
        }
    }
}
