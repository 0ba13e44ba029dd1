//! The client, its options, and one request.

use std::{
    collections::{HashMap, HashSet},
    error::Error as StdError,
    net::IpAddr,
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use ipnet::IpNet;
use tokio::time::{Instant, timeout_at};
use url::{Host, Url};

use crate::{
    address,
    error::{Cause, Error, chain},
    gate::{self, Gate, Refusal},
    incoming::{Incoming, timed_out},
};

/// What a longer timeout comes to.
const LONGEST_WAIT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

const USER_AGENT: &str = concat!("forecourt/", env!("CARGO_PKG_VERSION"));

/// How the client behaves. The default reaches public addresses over HTTPS only.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Nets that are opened on purpose although they are not public, for example a CRM in the
    /// dealer's own network. Plain HTTP is allowed to them, too.
    pub allow: Vec<IpNet>,
    /// Host names, in lower case, that are opened on purpose whatever they resolve to. Plain HTTP is
    /// allowed to them, too.
    pub allow_hosts: HashSet<String>,
    /// Allows plain HTTP to every public address.
    pub allow_http: bool,
    /// Longest wait for a connection, name resolution included.
    pub connect_timeout: Duration,
    /// Longest wait for a complete answer, unless the request says otherwise.
    pub timeout: Duration,
    /// Most bytes of a body, counted as they arrive.
    pub body_limit: usize,
    /// Addresses of host names that the system's resolver is not asked for. They are judged as
    /// any other address.
    pub hosts: HashMap<String, Vec<IpAddr>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            allow_hosts: HashSet::new(),
            allow_http: false,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(30),
            body_limit: 16 * 1024 * 1024,
            hosts: HashMap::new(),
        }
    }
}

/// The guarded client. Cheap to clone; clones share connections.
#[derive(Debug, Clone)]
pub struct Egress {
    /// Absent on a machine without trusted certificates, where plain HTTP still works.
    https: Result<Door, Cause>,
    http: Door,
    /// Plain HTTP/2 without an upgrade from HTTP/1.1; over TLS the handshake settles the version.
    http2: Door,
    options: Arc<Options>,
}

/// A client and the gate that its addresses pass. HTTP and HTTPS have one each, because the
/// resolver is not told for which scheme it is asked, and HTTP may reach fewer addresses.
#[derive(Debug, Clone)]
struct Door {
    gate: Gate,
    client: reqwest::Client,
}

impl Egress {
    /// Sets the client up.
    ///
    /// # Errors
    /// [`Error::Setup`] when the HTTP library cannot be set up.
    pub fn new(options: Options) -> Result<Self, Error> {
        let https = Gate {
            allow: options.allow.clone().into(),
            allow_hosts: Arc::new(options.allow_hosts.clone()),
            only_allowed: false,
            hosts: Arc::new(options.hosts.clone()),
        };
        let http = Gate {
            only_allowed: !options.allow_http,
            ..https.clone()
        };
        let connect_timeout = options.connect_timeout;
        let plain = || client_builder(connect_timeout).tls_certs_only([]);
        let http2 = Door::open(http.clone(), plain().http2_prior_knowledge());
        let setup = |source| Error::Setup { source };
        Ok(Self {
            https: Door::open(https, client_builder(connect_timeout)),
            http: Door::open(http, plain()).map_err(setup)?,
            http2: http2.map_err(setup)?,
            options: Arc::new(options),
        })
    }

    /// A client for a URL that a person wrote down: when the URL itself names an address that is not
    /// public (or `localhost`), that one address is opened, as it was meant. A name that merely
    /// resolves to such an address stays closed.
    ///
    /// # Errors
    /// As [`Egress::new`].
    pub fn opened_for(&self, url: &Url) -> Result<Self, Error> {
        let typed = address::typed(url);
        if typed.is_empty() {
            return Ok(self.clone());
        }
        let mut options = Options::clone(&self.options);
        options.allow.extend(typed.iter().copied().map(IpNet::from));
        if let Some(Host::Domain(name)) = url.host() {
            options.hosts.insert(name.to_owned(), typed);
        }
        Self::new(options)
    }

    /// Judges a URL without calling it, as a request to it would be judged. A name that does not
    /// resolve is let through: it is judged once more when it is connected to.
    ///
    /// # Errors
    /// [`Error::InvalidUrl`], [`Error::SchemeNotAllowed`] or [`Error::AddressBlocked`];
    /// [`Error::Tls`] on a machine that cannot call any `https` URL.
    pub async fn check(&self, url: &str) -> Result<(), Error> {
        let url = gate::parse(url)?;
        let judged = self.door(&url, false)?.gate.check(&url);
        match tokio::time::timeout(self.options.connect_timeout, judged).await {
            Ok(judged) => judged.map_err(Error::from),
            Err(_no_answer) => Ok(()),
        }
    }

    /// Begins a GET.
    pub fn get(&self, url: impl Into<String>) -> Request<'_> {
        self.request(Method::GET, url.into(), Bytes::new())
    }

    /// Begins a POST. The caller names the body's type with [`Request::header`].
    pub fn post(&self, url: impl Into<String>, body: impl Into<Bytes>) -> Request<'_> {
        self.request(Method::POST, url.into(), body.into())
    }

    /// Begins a DELETE.
    pub fn delete(&self, url: impl Into<String>) -> Request<'_> {
        self.request(Method::DELETE, url.into(), Bytes::new())
    }

    fn door(&self, url: &Url, http2: bool) -> Result<&Door, Error> {
        if url.scheme() == "http" {
            return Ok(if http2 { &self.http2 } else { &self.http });
        }
        self.https.as_ref().map_err(|source| Error::Tls {
            origin: origin(url),
            source: source.clone(),
        })
    }

    fn request(&self, method: Method, url: String, body: Bytes) -> Request<'_> {
        Request {
            egress: self,
            method,
            url,
            headers: HeaderMap::new(),
            body,
            timeout: self.options.timeout,
            body_limit: self.options.body_limit,
            http2: false,
        }
    }
}

impl Door {
    fn open(gate: Gate, builder: reqwest::ClientBuilder) -> Result<Self, Cause> {
        let client = builder
            .dns_resolver(gate.clone())
            .build()
            .map_err(Cause::new)?;
        Ok(Self { gate, client })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place that builds an HTTP client"
)]
fn client_builder(connect_timeout: Duration) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .user_agent(USER_AGENT)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .referer(false)
        .connect_timeout(connect_timeout)
}

/// A request that has not been sent yet.
#[derive(Debug)]
#[must_use = "a request does nothing until it is sent"]
pub struct Request<'a> {
    egress: &'a Egress,
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Bytes,
    timeout: Duration,
    body_limit: usize,
    http2: bool,
}

impl Request<'_> {
    /// Adds a header; one of the same name is kept beside it.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.append(name, value);
        self
    }

    /// Longest wait for the complete answer.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Most bytes of the answer's body, counted as they arrive.
    pub fn body_limit(mut self, body_limit: usize) -> Self {
        self.body_limit = body_limit;
        self
    }

    /// Speaks HTTP/2 from the first byte where the URL is `http`, as gRPC does. For `https` the handshake
    /// chooses, here as ever.
    pub fn http2(mut self) -> Self {
        self.http2 = true;
        self
    }

    /// Sends the request and reads the whole answer, whatever its status.
    ///
    /// # Errors
    /// Every [`Error`] but [`Error::Setup`].
    pub async fn send(self) -> Result<Response, Error> {
        self.open().await?.collect().await
    }

    /// Sends the request and returns with the head of the answer, whatever its status, to read the
    /// body while it arrives.
    ///
    /// # Errors
    /// Every [`Error`] but [`Error::Setup`] and [`Error::TooLarge`].
    pub async fn open(self) -> Result<Incoming, Error> {
        let url = gate::parse(&self.url)?;
        let door = self.egress.door(&url, self.http2)?;
        door.gate.check_literal(&url)?;
        let deadline = Instant::now() + self.timeout.min(LONGEST_WAIT);
        let sent = door
            .client
            .request(self.method, url.clone())
            .headers(self.headers)
            .body(self.body)
            .send();
        let answer = match timeout_at(deadline, sent).await {
            Ok(answer) => answer.map_err(|error| failure(&url, error))?,
            Err(_elapsed) => return Err(timed_out(&url)),
        };
        refuse_redirect(&url, &answer)?;
        Ok(Incoming::new(url, answer, deadline, self.body_limit))
    }
}

/// A complete answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Response {
    /// HTTP status.
    pub status: StatusCode,
    /// Headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
    /// The URL that was called.
    pub url: Url,
}

impl Response {
    /// The `Content-Type` header, when it is sent and is text.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        content_type(&self.headers)
    }
}

pub(crate) fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE)?.to_str().ok()
}

fn refuse_redirect(url: &Url, answer: &reqwest::Response) -> Result<(), Error> {
    let status = answer.status();
    let location = answer.headers().get(header::LOCATION);
    let (301 | 302 | 303 | 307 | 308, Some(location)) = (status.as_u16(), location) else {
        return Ok(());
    };
    let location = String::from_utf8_lossy(location.as_bytes());
    let to = url
        .join(&location)
        .map_or_else(|_| location.clone().into_owned(), String::from);
    Err(Error::Redirected {
        origin: origin(url),
        status: status.as_u16(),
        to,
    })
}

/// Finds out what an error of the HTTP library means.
pub(crate) fn failure(url: &Url, error: reqwest::Error) -> Error {
    let error = error.without_url();
    if let Some(refusal) = chain(&error).find_map(|cause| cause.downcast_ref::<Refusal>()) {
        return refusal.clone().into();
    }
    let origin = origin(url);
    let connecting = error.is_connect();
    // Who has no connection has sent nothing that a server could act on.
    if error.is_timeout() && !connecting {
        return Error::TimedOut { origin };
    }
    let tls = chain(&error).any(is_tls);
    let source = Cause::new(error);
    match (tls, connecting) {
        (true, _) => Error::Tls { origin, source },
        (false, true) => Error::Unreachable { origin, source },
        (false, false) => Error::Interrupted { origin, source },
    }
}

/// The TLS library's error hides inside I/O errors, which leave it out of their sources.
fn is_tls(error: &(dyn StdError + 'static)) -> bool {
    if error.is::<rustls::Error>() {
        return true;
    }
    let io = error.downcast_ref::<std::io::Error>();
    io.and_then(std::io::Error::get_ref)
        .is_some_and(|inner| is_tls(inner))
}

/// Scheme, host and port.
pub(crate) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

#[cfg(test)]
mod tests;
