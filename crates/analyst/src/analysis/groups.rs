//! Items by the value of a column.

use super::selection::Selection;
use super::{Refusal, fields};
use crate::Value;
use crate::question::ColumnName;

/// The items with one value.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// The value; [`Value::None`] for the items without one.
    pub(crate) name: Value,
    pub(crate) items: Selection<'a>,
}

/// The groups of a selection, the largest first, then by name; items without a value come last.
///
/// # Errors
/// The table has no such column.
pub(crate) fn of<'a>(
    selection: &Selection<'a>,
    column: &ColumnName,
) -> Result<Vec<Group<'a>>, Refusal> {
    let column = fields::column(selection.table(), column)?;
    let mut groups: Vec<(Option<&str>, Group<'a>)> = selection
        .parted(|item| item.symbol(column))
        .into_iter()
        .map(|(symbol, items)| {
            let text = symbol.map(|symbol| column.symbol_text(symbol));
            let name = text.map_or(Value::None, Value::from);
            (text, Group { name, items })
        })
        .collect();
    groups.sort_by(|(text, group), (other_text, other)| {
        let by_count = other.items.item_count().cmp(&group.items.item_count());
        let named = text.is_none().cmp(&other_text.is_none());
        named.then(by_count).then(text.cmp(other_text))
    });
    Ok(groups.into_iter().map(|(_, group)| group).collect())
}
