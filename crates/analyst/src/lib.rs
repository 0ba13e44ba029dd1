//! Answers a seller's questions about a catalog: "Where are the gaps in outdoor furniture?"
//!
//! Every number of an answer was counted from rows, and every answer names the sources, the rows read
//! and the dates that the data itself states. There is no clock, no file and no network in this crate:
//! tables come in as bytes ([`Table::read`]) or as rows of the seller's own inventory
//! ([`Table::of_rows`]), findings go out as text, JSON, CSV and A2UI. The same question over the same
//! tables gives the same answer.
//!
//! It is not an agent and speaks no protocol. The program wraps it in one.
//!
//! Start reading where a question does: [`question`] finds what is asked and of which rows,
//! [`analysis`] counts it into a [`Finding`], [`render`] words it. [`table`] is what they read.
//!
//! ```
//! use analyst::{Role, Table};
//!
//! let table = Table::of_rows(
//!     "Own inventory",
//!     &[("stock number", Some(Role::Id)), ("price", Some(Role::Price))],
//!     [["A1", "18990 EUR"], ["A2", ""]],
//! );
//! let price = table.column(Role::Price).expect("the table has prices");
//! assert_eq!(price.money(0).map(|money| money.amount), Some(18_990.into()));
//! assert_eq!(price.money(1), None);
//! ```

pub mod analysis;
mod answer;
pub mod finding;
pub mod phrasing;
pub mod question;
pub mod render;
mod source;
pub mod table;
mod value;

pub use answer::Plan;
pub use finding::Finding;
pub use question::{Filter, Intent, Scope, Skill};
pub use source::{Attachment, Sources};
pub use table::{Column, Role, Table, Unreadable};
pub use value::{Currency, Money, Value};
