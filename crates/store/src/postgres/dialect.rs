//! The one SQL text in PostgreSQL's dialect.

use crate::words;

/// The engine's words for types. Text is compared by its bytes, as SQLite does it, whatever the
/// database was created with: lists and pages have one order on both.
pub(super) fn typed(sql: &str) -> String {
    words::replaced(sql, &[("BYTES", "BYTEA"), ("TEXT", "TEXT COLLATE \"C\"")])
}

#[cfg(test)]
mod tests {
    use super::typed;

    #[test]
    fn text_has_one_order_and_bytes_their_name() {
        assert_eq!(
            typed("CREATE TABLE a (dealer TEXT NOT NULL, hash BYTES, text_at BIGINT)"),
            "CREATE TABLE a (dealer TEXT COLLATE \"C\" NOT NULL, hash BYTEA, text_at BIGINT)"
        );
    }
}
