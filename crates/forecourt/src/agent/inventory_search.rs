//! `inventory.search`: a page of the stock that matches.

use aap::{Skill, inventory::SearchRequest};

use super::{Answer, Refusal};
use crate::lot::Lot;

pub(super) fn answer(lot: &Lot, request: &SearchRequest) -> Result<Answer, Refusal> {
    let snapshot = lot.snapshot();
    let answer = snapshot.search(request, lot.dealer().page);
    Answer::new(
        Skill::InventorySearch,
        &answer.result,
        answer.message.as_deref(),
    )
}
