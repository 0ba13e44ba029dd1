//! What the meanings of columns are called in an answer.

use crate::finding::Sentence;
use crate::question::ColumnName;
use crate::{Role, Table, Value};

impl Role {
    /// The meaning in the words of an answer, such as `date in stock`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Group => "item group",
            Self::Vin => "VIN",
            Self::Gtin => "GTIN",
            Self::Title => "title",
            Self::Description => "description",
            Self::Category => "category",
            Self::ProductType => "product type",
            Self::Brand => "brand",
            Self::Make => "make",
            Self::Model => "model",
            Self::Trim => "trim",
            Self::Year => "year",
            Self::Body => "body style",
            Self::Fuel => "fuel",
            Self::Transmission => "transmission",
            Self::Colour => "colour",
            Self::Size => "size",
            Self::Material => "material",
            Self::Condition => "condition",
            Self::Price => "price",
            Self::SalePrice => "sale price",
            Self::CompareAtPrice => "compare-at price",
            Self::Msrp => "MSRP",
            Self::Cost => "cost",
            Self::Currency => "currency",
            Self::Quantity => "quantity",
            Self::Availability => "availability",
            Self::Status => "status",
            Self::Image => "image",
            Self::PhotoCount => "photo count",
            Self::Link => "link",
            Self::Odometer => "odometer",
            Self::DateInStock => "date in stock",
            Self::DateAdded => "date added",
            Self::DateUpdated => "date updated",
            Self::DateSold => "date sold",
            Self::SnapshotDate => "snapshot date",
            Self::AgeDays => "age in days",
            Self::SoldQuantity => "quantity sold",
            Self::Rooftop => "rooftop",
            Self::Event => "event",
            Self::EventDate => "event date",
            Self::OldPrice => "old price",
            Self::LeadId => "lead id",
            Self::LeadState => "lead state",
            Self::LeadAgent => "lead agent",
            Self::LeadCount => "number of leads",
        }
    }
}

/// What an item lacks where the column is empty.
pub(crate) fn lacked(role: Role) -> &'static str {
    match role {
        Role::PhotoCount => "photos",
        role => role.name(),
    }
}

/// A column as an answer names it: by its header where the table has it.
pub(crate) fn column(table: &Table, name: &ColumnName) -> Sentence {
    match name {
        ColumnName::Header(header) => Value::from(header.as_str()).into(),
        ColumnName::Role(meaning) => match table.column(*meaning) {
            Some(column) => Value::from(column.header()).into(),
            None => meaning.name().into(),
        },
    }
}

/// As [`column()`], for the header of a grid.
pub(crate) fn header(table: &Table, name: &ColumnName) -> String {
    match name {
        ColumnName::Header(header) => header.clone(),
        ColumnName::Role(meaning) => match table.column(*meaning) {
            Some(column) => column.header().to_owned(),
            None => meaning.name().to_owned(),
        },
    }
}
