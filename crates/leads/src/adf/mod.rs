//! ADF 1.0 (Auto-lead Data Format), the XML by which leads reach a dealer's CRM: written from a
//! lead, checked, and read from other systems.
//!
//! [`Prospect::of`] gathers what the document says, [`write()`] gives it the form that the dealer's
//! CRM reads, [`text()`] says the same to people. Nothing here touches a database or sends anything.

mod check;
mod contact;
mod element;
mod loose;
mod node;
mod notes;
mod prospect;
mod read;
mod text;
mod times;
mod vehicle;
mod words;
mod write;

pub use check::{Finding, Severity, check};
pub use prospect::{Occasion, Prospect};
pub use read::{Doubt, LARGEST, ReadId, ReadProspect, Reading, read};
pub use text::{subject, text};
pub use write::write;
