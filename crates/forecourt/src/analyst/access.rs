//! Whose key opens whose analyst.

use a2a_server::Call;
use a2a_server::auth::{Denied, Identity, Verifier};
use dealers::{DealerId, keys::Scope};
use futures_util::future::BoxFuture;
use store::Store;

use crate::keys;

/// The dealers' keys, as credentials of callers. A caller's name is its dealer's and its key's.
#[derive(Debug)]
pub(crate) struct Keys {
    store: Store,
}

impl Keys {
    /// The keys in a database.
    pub(crate) const fn new(store: Store) -> Self {
        Self { store }
    }

    async fn identify(&self, credential: &str) -> Result<Identity, Denied> {
        let found = keys::active(&self.store, credential).await;
        let (secret, key) = found.map_err(|denied| match denied {
            keys::Denied::Unavailable => Denied::Unavailable(denied.into()),
            _ => Denied::Invalid("the key opens nothing here"),
        })?;
        keys::note_use(&self.store, secret, &key).await;
        let scopes = key.scopes.iter().map(ToString::to_string);
        let scopes = scopes.chain([of_dealer(&key.dealer)]);
        let name = format!("{}/{}", key.dealer, key.name);
        Ok(Identity::new(name).with_scopes(scopes))
    }
}

impl Verifier for Keys {
    fn verify<'a>(&'a self, credential: &'a str) -> BoxFuture<'a, Result<Identity, Denied>> {
        Box::pin(self.identify(credential))
    }
}

/// What says among a caller's scopes whose key it has; no scope of a key is called so.
fn of_dealer(dealer: &DealerId) -> String {
    format!("dealer:{dealer}")
}

/// Whether a caller's key is a dealer's own.
pub(super) fn is_of(call: &Call, dealer: &DealerId) -> bool {
    call.scopes().contains(&of_dealer(dealer))
}

/// Whether a caller may say what a question is about beside its words.
pub(super) fn is_trusted(call: &Call) -> bool {
    call.scopes()
        .iter()
        .any(|it| it == Scope::AnalystContext.as_str())
}
