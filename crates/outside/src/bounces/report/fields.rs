//! Fields as headers and delivery status have them: `Name: value`, with continued lines, in blocks
//! that blank lines part.

use crate::bounces::Status;

/// Longest host name that is repeated.
const MOST_HOST: usize = 100;

/// One block of fields. Names are in lower case.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<(String, String)>);

/// The blocks of a text. A line that is no field is left out.
pub(super) fn blocks(text: &str) -> Vec<Fields> {
    let mut blocks = vec![Fields::default()];
    for line in text.lines() {
        let Some(block) = blocks.last_mut() else {
            break;
        };
        if line.trim().is_empty() {
            if !block.0.is_empty() {
                blocks.push(Fields::default());
            }
        } else if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = block.0.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            let field = (name.trim().to_ascii_lowercase(), value.trim().to_owned());
            block.0.push(field);
        }
    }
    blocks
}

impl Fields {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut fields = self.0.iter();
        fields
            .find(|(it, _)| it == name)
            .map(|(_, value)| value.as_str())
    }

    /// The first word of a field, in lower case; a comment may stand behind it.
    pub(super) fn word(&self, name: &str) -> Option<String> {
        let value = self.get(name)?;
        let end = value.find(|it: char| !it.is_ascii_alphabetic());
        Some(value[..end.unwrap_or(value.len())].to_ascii_lowercase())
    }

    /// The enhanced status: what the last server said, where the field only says that something
    /// failed (RFC 3464 §2.3.4 and §2.3.6).
    pub(super) fn status(&self) -> Option<Status> {
        let field = self.get("status")?;
        let stated: Option<Status> = field
            .split([' ', '\t', '('])
            .next()
            .and_then(|it| it.parse().ok());
        let vague = stated.is_none_or(|it| it.words() == "no reason was given");
        let said = || Status::in_text(self.get("diagnostic-code")?);
        if vague { said().or(stated) } else { stated }
    }

    /// The host of a field such as `dns; mx.crm.example`.
    pub(super) fn host(&self, name: &str) -> Option<String> {
        let (_, host) = self.get(name)?.split_once(';')?;
        let host = host.split_whitespace().next()?;
        let plain = |it: u8| it.is_ascii_alphanumeric() || b".-".contains(&it);
        (host.len() <= MOST_HOST && host.bytes().all(plain)).then(|| host.to_ascii_lowercase())
    }
}
