//! Whose key opens whose analyst.

use a2a_server::Call;
use a2a_server::auth::{Denied, Identity, Verifier};
use dealers::{
    DealerId,
    keys::{self, KeyState, Scope, Secret},
};
use futures_util::future::BoxFuture;
use store::Store;

use crate::keys::note_use;

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
        let nothing = Denied::Invalid("the key opens nothing here");
        let Some(secret) = Secret::parse(credential) else {
            return Err(nothing);
        };
        let wanted = secret.clone();
        let found = self.store.read(move |conn| keys::find(conn, &wanted)).await;
        let found = found.map_err(|error| Denied::Unavailable(error.into()))?;
        let active = |key: &keys::Key| key.state(self.store.clock().now()) == KeyState::Active;
        let key = found.filter(active).ok_or(nothing)?;
        note_use(&self.store, secret, &key).await;
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
