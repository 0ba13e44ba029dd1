//! The Auto Agent Protocol (AAP): payload types of the five skills, validation that finds every
//! problem at once, the error vocabulary, profile versions and the AAP section of an agent card.
//! No I/O.
//!
//! Start reading at [`skill`], then follow a request: [`inventory`] or [`lead`].

pub mod dealer;
pub mod formats;
pub mod inventory;
pub mod lead;
mod number;
pub mod skill;
pub mod vehicle;

pub use skill::Skill;
