//! A document that was read, as a tree.

/// How deep elements may nest; ADF needs seven levels.
pub(super) const DEEPEST: usize = 32;

/// An element.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    /// The text that stands in it directly, white space included.
    pub(super) text: String,
    pub(super) children: Vec<Node>,
    /// The byte at which it begins.
    pub(super) at: usize,
}

impl Node {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Line and column of a byte, the first being 1. Columns count characters.
pub(super) fn place(text: &str, byte: usize) -> (u64, u64) {
    let before = &text[..text.floor_char_boundary(byte)];
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    let begin = before.rfind('\n').map_or(0, |at| at + 1);
    let column = 1 + before[begin..].chars().count();
    (line as u64, column as u64)
}
