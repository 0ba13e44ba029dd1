//! The protocol's service parameters in HTTP headers: versions and extensions (A2A 1.0 §3.6, §4.6).

use std::fmt;
use std::str::FromStr;

/// Which protocol version a request speaks.
pub const A2A_VERSION: &str = "A2A-Version";
/// Which extensions a request asks for, or an answer has activated.
pub const A2A_EXTENSIONS: &str = "A2A-Extensions";
/// The name of [`A2A_EXTENSIONS`] in protocol 0.3; read, and written to 0.3 peers only.
pub const X_A2A_EXTENSIONS: &str = "X-A2A-Extensions";

/// A protocol version. Patch numbers do not matter for negotiation and are dropped while reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolVersion {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
}

/// The text is not `Major.Minor` or `Major.Minor.Patch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a protocol version such as 1.0")]
pub struct NotAVersion;

impl ProtocolVersion {
    /// A2A 0.3.
    pub const V0_3: Self = Self { major: 0, minor: 3 };
    /// A2A 1.0.
    pub const V1_0: Self = Self { major: 1, minor: 0 };

    /// Reads the value of an [`A2A_VERSION`] header or parameter, where an empty one means 0.3.
    ///
    /// # Errors
    ///
    /// [`NotAVersion`] when it is neither empty nor a version.
    pub fn from_header(value: &str) -> Result<Self, NotAVersion> {
        match value.trim() {
            "" => Ok(Self::V0_3),
            version => version.parse(),
        }
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for ProtocolVersion {
    type Err = NotAVersion;

    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let mut numbers = text.split('.').map(number);
        let major = numbers.next().flatten().ok_or(NotAVersion)?;
        let minor = numbers.next().flatten().ok_or(NotAVersion)?;
        match (numbers.next(), numbers.next()) {
            (None | Some(Some(_)), None) => Ok(Self { major, minor }),
            _ => Err(NotAVersion),
        }
    }
}

/// Digits only: `u32`'s own reading would also take a sign.
fn number(digits: &str) -> Option<u32> {
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// The URIs of an [`A2A_EXTENSIONS`] header that may be sent as several lines of several members each,
/// in the order sent and without repeats. Members match exactly; nothing is normalised.
#[must_use]
pub fn extensions<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut extensions: Vec<String> = Vec::new();
    for line in lines {
        for member in line.split(',').map(str::trim) {
            if !member.is_empty() && !extensions.iter().any(|known| known == member) {
                extensions.push(member.to_owned());
            }
        }
    }
    extensions
}

/// The value of a query parameter [`A2A_VERSION`], which may stand for the header (A2A 1.0 §3.6.1); the
/// last one where there are several. `query` is what follows the question mark, percent-encoded.
#[must_use]
pub fn version_in_query(query: &str) -> Option<String> {
    let mut found = crate::rest::query::pairs(query);
    found.retain(|(name, _)| name.eq_ignore_ascii_case(A2A_VERSION));
    found.pop().map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_numbers_do_not_matter() {
        for text in ["1.0", "1.0.0", "1.0.7", "1.0.99"] {
            assert_eq!(text.parse(), Ok(ProtocolVersion::V1_0), "{text}");
        }
        assert_eq!(
            ProtocolVersion::from_header(" 1.0 "),
            Ok(ProtocolVersion::V1_0)
        );
        assert_eq!(ProtocolVersion::from_header(""), Ok(ProtocolVersion::V0_3));
    }

    #[test]
    fn other_texts_are_no_versions() {
        for text in [
            "1",
            "1.",
            ".0",
            "1.0.",
            "1.0.x",
            "1.0.0.0",
            "v1.0",
            "+1.0",
            "1.-0",
            "1,0",
            "99999999999.0",
        ] {
            assert_eq!(text.parse::<ProtocolVersion>(), Err(NotAVersion), "{text}");
        }
    }

    #[test]
    fn extensions_come_in_lines_and_members() {
        let lines = [
            "https://a.example/x , https://b.example/y",
            "",
            " ,https://a.example/x,urn:c",
        ];
        assert_eq!(
            extensions(lines),
            ["https://a.example/x", "https://b.example/y", "urn:c"]
        );
    }
}
