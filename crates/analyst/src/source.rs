//! What a question is answered from.

use std::sync::Arc;

use crate::question::Vocabulary;
use crate::table::{Limits, Table, Unreadable};

/// Every table that an answer may read, and the files that could not be read. The seller's own tables can
/// be kept from one question to the next, as they are shared.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Sources {
    /// The seller's own catalog or stock, one row for each unit or product.
    pub own: Option<Arc<Table>>,
    /// The words of `own`, where they are kept with it; else they are gathered for each question.
    pub vocabulary: Option<Arc<Vocabulary>>,
    /// What came, went and changed price in the own catalog: columns of the roles `Id`, `Event`
    /// (`came`, `went`, `price`), `EventDate`, `OldPrice`, `Price`, and those of the unit.
    pub history: Option<Arc<Table>>,
    /// The seller's leads: columns of the roles `LeadId`, `LeadState`, `LeadAgent`, `EventDate`,
    /// `Rooftop` and the `Id` or `Vin` of the car. Never a person.
    pub leads: Option<Arc<Table>>,
    /// The files that came with the question, in their order.
    pub attached: Vec<Attachment>,
}

/// A file that came with a question.
#[derive(Debug)]
pub enum Attachment {
    /// Its rows.
    Table(Table),
    /// Why its rows are not part of the answer.
    Unreadable {
        /// The file's name, or `attachment 2` where it has none.
        name: String,
        /// The reason, as the answer says it.
        reason: Unreadable,
    },
}

impl Attachment {
    /// A file's rows, or why there are none. Takes time.
    #[must_use]
    pub fn read(name: String, bytes: &[u8], limits: &Limits) -> Self {
        match Table::read(&name, bytes, limits) {
            Ok(table) => Self::Table(table),
            Err(reason) => Self::Unreadable { name, reason },
        }
    }
}

impl Sources {
    /// The attached files that could be read, in their order.
    pub fn attached_tables(&self) -> impl Iterator<Item = &Table> {
        self.attached
            .iter()
            .filter_map(|attachment| match attachment {
                Attachment::Table(table) => Some(table),
                Attachment::Unreadable { .. } => None,
            })
    }

    /// The table that a question is about unless it says otherwise: the own catalog, else the first
    /// attached one.
    #[must_use]
    pub fn subject(&self) -> Option<&Table> {
        self.own
            .as_deref()
            .or_else(|| self.attached_tables().next())
    }

    /// The table that the subject is compared with: the first attached one beside it.
    #[must_use]
    pub fn market(&self) -> Option<&Table> {
        self.attached_tables().nth(usize::from(self.own.is_none()))
    }
}
