//! Tables of a catalog: typed columns whose meaning is known, from CSV, from XML or from rows handed in.

mod aliases;
mod cells;
mod column;
mod content;
mod currency;
mod date;
mod dates;
mod dialect;
mod encoding;
mod header;
mod identifiers;
mod mapping;
mod number;
mod numbers;
mod read;
mod reading;
mod records;
mod role;
mod variants;
mod xml;

use std::sync::Arc;

use column::RowCurrencies;
pub use column::{Column, DateOrder};
pub use identifiers::{Checked, check_gtin, check_vin};
pub use reading::{Format, Limits, Reading, Unreadable};
pub use role::Role;

/// Rows of one source.
///
/// A row is a line of the file, an item is what the seller sells: rows that are variants or further
/// images of one product form one item (Shopify's `Handle`, WooCommerce's `Parent`, Google's
/// `item_group_id`). Where nothing groups them, each row is an item.
#[derive(Debug)]
pub struct Table {
    name: String,
    rows: usize,
    columns: Vec<Column>,
    /// The rows of each item; empty where each row is an item.
    items: Vec<Vec<u32>>,
    reading: Reading,
}

impl Table {
    /// Reads a CSV file whatever its dialect and encoding.
    ///
    /// # Errors
    /// Why the file is not a table that can be trusted.
    pub fn read(name: &str, bytes: &[u8], limits: &Limits) -> Result<Self, Unreadable> {
        read::read(bytes, limits).map(|raw| Self::of_file(name, raw, &[]))
    }

    /// Reads a seller's product file: CSV, or XML as in Google's product feeds (RSS 2.0 and Atom) or with an
    /// element for each row. The seller may say what some of its columns mean; a header that the file does not
    /// have is remarked on.
    ///
    /// # Errors
    /// Why the file is not a table that can be trusted.
    pub fn read_catalog(
        name: &str,
        bytes: &[u8],
        limits: &Limits,
        stated: &[(Role, &str)],
    ) -> Result<Self, Unreadable> {
        read::read_catalog(bytes, limits).map(|raw| Self::of_file(name, raw, stated))
    }

    fn of_file(name: &str, raw: read::Raw, stated: &[(Role, &str)]) -> Self {
        let read::Raw {
            mut columns,
            rows,
            mut reading,
            snapshot,
            joined,
        } = raw;
        reading.remarks.extend(mapping::state(&mut columns, stated));
        reading.remarks.extend(mapping::assign(&mut columns, rows));
        reading.remarks.extend(mapping::unusable(&columns, &joined));
        if let Some(mut snapshot) = snapshot {
            let has_own = |column: &Column| column.role() == Some(Role::SnapshotDate);
            if !columns.iter().any(has_own) {
                snapshot.set_role(Role::SnapshotDate);
            }
            columns.push(snapshot);
        }
        Self::new(name, rows, columns, reading)
    }

    /// Adds a column that the seller knows beside those of the file: one cell for each row, an empty one
    /// being no value.
    #[must_use]
    pub fn with_column<C: AsRef<str>>(
        mut self,
        header: &str,
        role: Role,
        cells: impl IntoIterator<Item = C>,
    ) -> Self {
        let mut column = Column::new(header, Some(role));
        let mut cells = cells.into_iter();
        for _ in 0..self.rows {
            column.push(cells.next().as_ref().map_or("", AsRef::as_ref));
        }
        column.finish();
        self.columns.push(column);
        self
    }

    /// The rows of the seller's own data. An empty cell is no value.
    pub fn of_rows<R, C>(
        name: &str,
        columns: &[(&str, Option<Role>)],
        rows: impl IntoIterator<Item = R>,
    ) -> Self
    where
        R: IntoIterator<Item = C>,
        C: AsRef<str>,
    {
        let mut columns: Vec<Column> = columns
            .iter()
            .map(|(header, role)| Column::new(header, *role))
            .collect();
        let mut count = 0;
        for row in rows {
            let mut cells = row.into_iter();
            for column in &mut columns {
                column.push(cells.next().as_ref().map_or("", AsRef::as_ref));
            }
            count += 1;
        }
        for column in &mut columns {
            column.finish();
        }
        Self::new(name, count, columns, Reading::default())
    }

    /// A table whose columns have their roles.
    fn new(name: &str, rows: usize, mut columns: Vec<Column>, reading: Reading) -> Self {
        let currencies = columns
            .iter()
            .find(|column| column.role() == Some(Role::Currency))
            .map(|column| Arc::new(RowCurrencies::new(column)));
        if let Some(currencies) = currencies {
            for column in &mut columns {
                column.set_row_currencies(Arc::clone(&currencies));
            }
        }
        let items = variants::group(&columns, rows);
        Self {
            name: name.to_owned(),
            rows,
            columns,
            items,
            reading,
        }
    }

    /// The file's name, or what the own data is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many rows of data were read.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// All columns, in the order of the file.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column of a meaning, if the table has one.
    #[must_use]
    pub fn column(&self, role: Role) -> Option<&Column> {
        self.columns
            .iter()
            .find(|column| column.role() == Some(role))
    }

    /// The columns whose meaning is not known. Questions name them by their headers.
    pub fn unknown(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| column.role().is_none())
    }

    /// The rows of each item, the first being the one that describes it; none where each row is an item.
    #[must_use]
    pub fn items(&self) -> Option<&[Vec<u32>]> {
        (!self.items.is_empty()).then_some(self.items.as_slice())
    }

    /// How the file was read, and what was wrong with it.
    #[must_use]
    pub fn reading(&self) -> &Reading {
        &self.reading
    }
}

#[cfg(test)]
mod tests;
