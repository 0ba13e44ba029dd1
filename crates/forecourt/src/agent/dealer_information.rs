//! `dealer.information`: the dealership's public profile.

use aap::Skill;

use super::{Answer, Refusal};
use crate::lot::Lot;

pub(super) fn answer(lot: &Lot) -> Result<Answer, Refusal> {
    Answer::new(Skill::DealerInformation, lot.dealer().information(), None)
}
