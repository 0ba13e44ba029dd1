//! Words of the one SQL text in an engine's dialect.

/// The text with whole words replaced: each by what stands beside it in the list.
pub(crate) fn replaced(sql: &str, words: &[(&str, &str)]) -> String {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut text = String::with_capacity(sql.len());
    for part in sql.split_inclusive(|character| !is_word(character)) {
        let word = part.trim_end_matches(|character| !is_word(character));
        let known = words.iter().find(|(known, _)| *known == word);
        text.push_str(known.map_or(word, |(_, replacement)| replacement));
        text.push_str(&part[word.len()..]);
    }
    text
}
