//! The one SQL text in SQLite's dialect.

use crate::words;

/// `$1` becomes `?1` outside of string literals. SQLite takes `$1` for a name and would number it
/// by its first appearance.
pub(super) fn numbered(sql: &str) -> String {
    let mut in_literal = false;
    let mut characters = sql.chars().peekable();
    let mut text = String::with_capacity(sql.len());
    while let Some(character) = characters.next() {
        let is_placeholder =
            character == '$' && !in_literal && characters.peek().is_some_and(char::is_ascii_digit);
        in_literal ^= character == '\'';
        text.push(if is_placeholder { '?' } else { character });
    }
    text
}

/// The engine's words for types.
pub(super) fn typed(sql: &str) -> String {
    words::replaced(sql, &[("BYTES", "BLOB")])
}

#[cfg(test)]
mod tests {
    use super::{numbered, typed};

    #[test]
    fn placeholders_become_numbers_and_literals_stay() {
        assert_eq!(
            numbered("SELECT $2, '$1 it''s $2', $12 WHERE a = $1"),
            "SELECT ?2, '$1 it''s $2', ?12 WHERE a = ?1"
        );
        assert_eq!(numbered("SELECT '$.path', $name"), "SELECT '$.path', $name");
    }

    #[test]
    fn only_the_word_bytes_becomes_blob() {
        assert_eq!(
            typed("CREATE TABLE a (BYTES_READ BIGINT, hash BYTES NOT NULL, body BYTES)"),
            "CREATE TABLE a (BYTES_READ BIGINT, hash BLOB NOT NULL, body BLOB)"
        );
    }
}
