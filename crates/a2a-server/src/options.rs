//! What endpoints insist on.

use a2a::headers::ProtocolVersion;

/// How the endpoint of a binding judges requests.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The longest body in bytes; 1 MiB by default.
    pub body_limit: usize,
    /// How deeply arrays and objects of a body may nest; 64 by default.
    pub depth_limit: usize,
    /// What a request without an `A2A-Version` speaks. The specification says 0.3 (A2A 1.0 §3.6), and
    /// so does the default; an extension may say otherwise.
    pub absent_version: ProtocolVersion,
    /// The versions that are served, the preferred one first; 1.0 by default.
    pub supported_versions: Vec<ProtocolVersion>,
    /// Whether versions and extensions are read only from the headers that A2A 1.0 names. Otherwise, and
    /// by default, the query parameter `A2A-Version` counts where its header is missing, and
    /// `X-A2A-Extensions`, the name of 0.3, counts as well.
    pub exact_headers: bool,
    /// URIs of the extensions that every request must ask for; none by default.
    pub required_extensions: Vec<String>,
    /// URIs of the extensions that an answer names as activated when the request asks for them; none
    /// by default.
    pub extensions: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            body_limit: 1024 * 1024,
            depth_limit: 64,
            absent_version: ProtocolVersion::V0_3,
            supported_versions: vec![ProtocolVersion::V1_0],
            exact_headers: false,
            required_extensions: Vec::new(),
            extensions: Vec::new(),
        }
    }
}
