//! Values that cards of both generations hold.

use fluent_uri::Uri;

use crate::fault::{At, quoted};

/// An absolute http or https URL. Empty ones are missing, which is told elsewhere.
pub(super) fn check_url(url: &str, at: At<'_>) {
    let sound = Uri::parse(url).is_ok_and(|uri| {
        let scheme = uri.scheme().as_str();
        let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        web && uri
            .authority()
            .is_some_and(|authority| !authority.host().is_empty())
    });
    if !url.is_empty() && !sound {
        at.fault(format!("is {}, not an http or https URL", quoted(url)));
    }
}

/// `host:port`.
pub(super) fn check_grpc_address(address: &str, at: At<'_>) {
    // With a scheme in front it reads as a URI, which splits host and port, also of IPv6 literals.
    let uri = format!("grpc://{address}");
    let sound = Uri::parse(uri.as_str()).is_ok_and(|uri| {
        let plain = uri.path().is_empty() && uri.query().is_none() && uri.fragment().is_none();
        plain
            && uri.authority().is_some_and(|authority| {
                let port = authority.port_to_u16();
                !authority.host().is_empty() && port.is_ok_and(|port| port.is_some())
            })
    });
    if !address.is_empty() && !sound {
        at.fault(format!("is {}, not host:port", quoted(address)));
    }
}

pub(super) fn check_modes(modes: &[String], at: At<'_>) {
    for (index, mode) in modes.iter().enumerate() {
        let halves = mode.split(';').next().and_then(|kind| kind.split_once('/'));
        let sound = halves.is_some_and(|(kind, subtype)| {
            !kind.trim().is_empty() && !subtype.trim().is_empty() && !subtype.contains('/')
        });
        if !sound {
            at.index(index)
                .fault(format!("is {}, not a media type", quoted(mode)));
        }
    }
}

/// An address of gRPC as clients of 0.3 take it: with a scheme.
pub(super) fn check_grpc_url(url: &str, at: At<'_>) {
    let sound = Uri::parse(url).is_ok_and(|uri| {
        let scheme = uri.scheme().as_str().to_ascii_lowercase();
        let known = matches!(scheme.as_str(), "http" | "https" | "grpc" | "grpcs");
        known
            && uri
                .authority()
                .is_some_and(|authority| !authority.host().is_empty())
    });
    if !url.is_empty() && !sound {
        let words = format!("is {}, not a URL such as https://host:port", quoted(url));
        at.fault(words);
    }
}

pub(super) fn check_tags(tags: &[String], at: At<'_>) {
    for (index, tag) in tags.iter().enumerate() {
        if tag.trim().is_empty() {
            at.index(index).fault("is empty");
        }
    }
}
