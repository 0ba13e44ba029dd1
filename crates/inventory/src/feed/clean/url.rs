//! Addresses of pages and photos.

use fluent_uri::Uri;

/// True for an absolute `http` or `https` address with a host, valid by RFC 3986, and without a name
/// and password in it. Nothing else is published: a buyer's agent follows these addresses, and what
/// opens a vendor's server is not for it.
pub(in crate::feed) fn is_web_address(text: &str) -> bool {
    let Ok(uri) = Uri::parse(text) else {
        return false;
    };
    let scheme = uri.scheme().as_str();
    let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    web && uri
        .authority()
        .is_some_and(|authority| !authority.host().is_empty() && !authority.has_userinfo())
}

/// True where an `http` or `https` address begins.
pub(in crate::feed) fn begins_web_address(text: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}
