//! What columns are called.

/// True for the name of a column whose meaning is known.
pub(super) fn is_known(header: &str) -> bool {
    matches!(
        header.trim().to_lowercase().as_str(),
        "price" | "sku" | "name" | "product name" | "model"
    )
}
