//! `inventory.facets`: counts and ranges over the stock that matches.

use aap::{Skill, inventory::FacetsRequest};

use super::{Answer, Refusal};
use crate::lot::Lot;

pub(super) fn answer(lot: &Lot, request: &FacetsRequest) -> Result<Answer, Refusal> {
    let snapshot = lot.snapshot();
    let answer = snapshot.facets(request.filters.as_ref());
    Answer::new(
        Skill::InventoryFacets,
        &answer.facets,
        answer.message.as_deref(),
    )
}
