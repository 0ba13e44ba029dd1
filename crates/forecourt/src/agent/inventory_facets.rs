//! `inventory.facets`: counts and ranges over the stock that matches.

use aap::{Skill, inventory::FacetsRequest};
use inventory::snapshot::Snapshot;

use super::{Answer, Refusal};

pub(super) fn answer(stock: &Snapshot, request: &FacetsRequest) -> Result<Answer, Refusal> {
    let answer = stock.facets(request.filters.as_ref());
    Answer::new(
        Skill::InventoryFacets,
        &answer.facets,
        answer.message.as_deref(),
    )
}
