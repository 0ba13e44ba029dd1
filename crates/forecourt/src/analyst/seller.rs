//! Whose data questions are about.

use std::sync::Arc;

use catalogs::Catalog;
use dealers::{Dealer, DealerId};

/// A seller with its identifier, which is its tenant too.
#[derive(Debug, Clone)]
pub(crate) struct Seller {
    id: DealerId,
    pub(super) stated: Stated,
}

/// What the seller states of itself.
#[derive(Debug, Clone)]
pub(super) enum Stated {
    /// A dealer, with its stock and leads.
    Dealer(Arc<Dealer>),
    /// A seller without cars, with a named catalog.
    Catalog(Arc<Catalog>),
}

impl Seller {
    /// A dealer.
    pub(crate) const fn dealer(id: DealerId, dealer: Arc<Dealer>) -> Self {
        let stated = Stated::Dealer(dealer);
        Self { id, stated }
    }

    /// A named catalog.
    pub(crate) const fn catalog(id: DealerId, catalog: Arc<Catalog>) -> Self {
        let stated = Stated::Catalog(catalog);
        Self { id, stated }
    }

    /// The dealer's identifier, or the catalog's name.
    pub(crate) const fn id(&self) -> &DealerId {
        &self.id
    }

    /// Whether it is a dealer.
    pub(crate) const fn is_dealer(&self) -> bool {
        matches!(self.stated, Stated::Dealer(_))
    }

    /// What people call it.
    pub(crate) fn name(&self) -> &str {
        match &self.stated {
            Stated::Dealer(dealer) => &dealer.name,
            Stated::Catalog(catalog) => &catalog.name,
        }
    }
}
