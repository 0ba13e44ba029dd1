//! `inventory.search`: a page of the stock that matches.

use aap::{Skill, inventory::SearchRequest};
use inventory::snapshot::Snapshot;

use super::{Answer, Refusal};
use crate::lot::Lot;

pub(super) fn answer(
    lot: &Lot,
    stock: &Snapshot,
    request: &SearchRequest,
) -> Result<Answer, Refusal> {
    let answer = stock.search(request, lot.dealer().page);
    Answer::new(
        Skill::InventorySearch,
        &answer.result,
        answer.message.as_deref(),
    )
}
