//! What a request says about itself beside its parameters.

use std::fmt;
use std::net::SocketAddr;

use a2a::headers::ProtocolVersion;
use axum::extract::ConnectInfo;
use http::request::Parts;
use http::{HeaderMap, header};

use crate::auth::Identity;
use crate::sse;

/// The tenant of a request, for programs whose paths or hosts name it. Put among the extensions of an HTTP
/// request, it counts instead of the tenant that the parameters name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant(pub String);

/// What a request says about itself beside its parameters.
#[derive(Clone)]
pub struct Call {
    version: ProtocolVersion,
    tenant: Option<String>,
    extensions: Vec<String>,
    peer: Option<SocketAddr>,
    bearer: Option<String>,
    host: Option<String>,
    caller: Option<String>,
    scopes: Vec<String>,
    last_event_id: Option<String>,
}

impl Call {
    /// A call that speaks a protocol version, and of which nothing else is known.
    #[must_use]
    pub fn new(version: ProtocolVersion) -> Self {
        Self {
            version,
            tenant: None,
            extensions: Vec::new(),
            peer: None,
            bearer: None,
            host: None,
            caller: None,
            scopes: Vec::new(),
            last_event_id: None,
        }
    }

    /// The call of an HTTP request.
    pub(crate) fn of(head: &Parts, version: ProtocolVersion, extensions: Vec<String>) -> Self {
        let tenant = head.extensions.get::<Tenant>();
        Self::new(version)
            .with_tenant(tenant.map(|Tenant(tenant)| tenant.clone()))
            .with_extensions(extensions)
            .with_peer(peer(head))
            .with_bearer(bearer(&head.headers).map(str::to_owned))
            .with_host(host(head))
            .with_last_event_id(sse::last_event_id(&head.headers))
    }

    /// The same call to an agent of a tenant.
    #[must_use]
    pub fn with_tenant(mut self, tenant: Option<String>) -> Self {
        self.tenant = tenant;
        self
    }

    /// The same call asking for extensions.
    #[must_use]
    pub fn with_extensions(mut self, extensions: Vec<String>) -> Self {
        self.extensions = extensions;
        self
    }

    /// The same call from an address.
    #[must_use]
    pub fn with_peer(mut self, peer: Option<SocketAddr>) -> Self {
        self.peer = peer;
        self
    }

    /// The same call with a bearer token.
    #[must_use]
    pub fn with_bearer(mut self, bearer: Option<String>) -> Self {
        self.bearer = bearer;
        self
    }

    /// The same call to a host.
    #[must_use]
    pub fn with_host(mut self, host: Option<String>) -> Self {
        self.host = host;
        self
    }

    /// The same call by a caller that proved who it is, under a name that nobody else has.
    #[must_use]
    pub fn with_caller(mut self, caller: Option<String>) -> Self {
        self.caller = caller;
        self
    }

    /// The same call by a caller who was granted scopes.
    #[must_use]
    pub fn with_scopes(mut self, scopes: Vec<String>) -> Self {
        self.scopes = scopes;
        self
    }

    /// The same call by whom a guard found.
    pub(crate) fn by(self, caller: Option<Identity>) -> Self {
        match caller {
            None => self,
            Some(Identity { name, scopes }) => self.with_caller(Some(name)).with_scopes(scopes),
        }
    }

    /// The same call by a client that has already seen the events up to this one.
    #[must_use]
    pub fn with_last_event_id(mut self, id: Option<String>) -> Self {
        self.last_event_id = id;
        self
    }

    /// The protocol version that the request speaks.
    #[must_use]
    pub fn version(&self) -> ProtocolVersion {
        self.version
    }

    /// The tenant whose agent is called, where there are tenants (A2A 1.0 §8.3.2).
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.tenant.as_deref()
    }

    /// URIs of all extensions that the request asks for, known or not.
    #[must_use]
    pub fn extensions(&self) -> &[String] {
        &self.extensions
    }

    /// The address of the other end of the connection, which may be a proxy's.
    #[must_use]
    pub fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    /// The token of an `Authorization: Bearer` header; not verified.
    #[must_use]
    pub fn bearer(&self) -> Option<&str> {
        self.bearer.as_deref()
    }

    /// Who calls, where that is proven. Callers that prove nothing share their tasks.
    #[must_use]
    pub fn caller(&self) -> Option<&str> {
        self.caller.as_deref()
    }

    /// What the caller's credentials allow; skills of a card may demand some of it.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// The last event that the client saw of the stream that it asks for again.
    #[must_use]
    pub fn last_event_id(&self) -> Option<&str> {
        self.last_event_id.as_deref()
    }

    /// The host that the request was sent to, with its port where it names one.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }
}

/// The token of an `Authorization: Bearer` header (RFC 6750 §2.1); not verified.
#[must_use]
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn peer(head: &Parts) -> Option<SocketAddr> {
    let info = head.extensions.get::<ConnectInfo<SocketAddr>>();
    info.map(|info| info.0)
}

/// From the target, where HTTP/2 and requests to a proxy have it, else from the header (RFC 9112
/// §3.2.2).
fn host(head: &Parts) -> Option<String> {
    let authority = head.uri.authority().map(http::uri::Authority::as_str);
    let header = || head.headers.get(header::HOST)?.to_str().ok();
    authority.or_else(header).map(str::to_owned)
}

impl Default for Call {
    /// A call in A2A 1.0.
    fn default() -> Self {
        Self::new(ProtocolVersion::V1_0)
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("version", &self.version)
            .field("extensions", &self.extensions)
            .field("peer", &self.peer)
            .field("bearer", &self.bearer.as_ref().map(|_| "hidden"))
            .field("host", &self.host)
            .field("caller", &self.caller)
            .field("scopes", &self.scopes)
            .field("last_event_id", &self.last_event_id)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bearer_does_not_show_in_debug() {
        let call = Call::default().with_bearer(Some("s3cret".to_owned()));
        assert_eq!(call.bearer(), Some("s3cret"));
        assert!(!format!("{call:?}").contains("s3cret"));
    }
}
