//! A listener with timeouts, a limit on connections and a graceful end.
//!
//! The loop is `axum-server`'s: unlike `axum::serve` it bounds the time that a peer may take for its
//! first request, ends with a deadline, and carries TLS. What it has no switch for, the total time of
//! a request's body and the number of connections, is added here.

use std::error::Error;
use std::fmt;
use std::future::Ready;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::AddExtension;
use axum::{Extension, Router};
use axum_server::Handle;
use axum_server::accept::Accept;
use axum_server::tls_rustls::RustlsAcceptor;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep};
use tower::Layer as _;

use crate::tls::Tls;

/// How long peers may take, and how many there may be.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ServeOptions {
    /// From a connection's beginning to the end of its first request's head; 10 s by default, and never
    /// more than `idle_timeout`.
    pub header_timeout: Duration,
    /// From the end of an answer to the end of the next request's head on the same connection; 60 s by
    /// default. An HTTP/2 connection is instead asked for a sign of life this often.
    pub idle_timeout: Duration,
    /// From the end of a request's head to the end of its body, however steadily the body drips; 30 s
    /// by default. A body that comes at a pace is not cut off for its length: each 32 KiB of it add a
    /// second.
    pub body_timeout: Duration,
    /// How long requests in flight may take after a shutdown began; then their connections are
    /// dropped. 10 s by default.
    pub shutdown_deadline: Duration,
    /// Connections beyond this number are closed at once; 10,000 by default.
    pub max_connections: usize,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(60),
            body_timeout: Duration::from_secs(30),
            shutdown_deadline: Duration::from_secs(10),
            max_connections: 10_000,
        }
    }
}

/// A listener that is about to serve.
#[derive(Debug)]
pub struct Server {
    listener: std::net::TcpListener,
    options: ServeOptions,
    tls: Option<Tls>,
    handle: Handle<SocketAddr>,
}

/// Counts the connections of a [`Server`]; cheap to clone.
#[derive(Debug, Clone)]
pub struct Connections(Handle<SocketAddr>);

impl Connections {
    /// Connections that are open.
    #[must_use]
    pub fn open(&self) -> usize {
        self.0.connection_count()
    }
}

impl Server {
    /// Serves on this listener, in clear.
    #[must_use]
    pub fn new(listener: std::net::TcpListener, options: ServeOptions) -> Self {
        Self {
            listener,
            options,
            tls: None,
            handle: Handle::new(),
        }
    }

    /// Serves over TLS. A handshake may take as long as a request's head.
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// A counter of this server's connections.
    #[must_use]
    pub fn connections(&self) -> Connections {
        Connections(self.handle.clone())
    }

    /// Serves `app` until `shutdown` resolves and the requests in flight are answered, or the deadline
    /// for them is over. Handlers find the peer's address as `ConnectInfo<SocketAddr>`.
    ///
    /// # Errors
    ///
    /// When the listener cannot be used. Faults of single connections are logged.
    pub async fn serve(self, app: Router, shutdown: impl Future<Output = ()>) -> io::Result<()> {
        let Self {
            listener,
            options,
            tls,
            handle,
        } = self;
        let app = app.layer(axum::middleware::map_request(move |request: Request| {
            let request = request.map(|body| Body::new(TimedBody::new(body, options.body_timeout)));
            std::future::ready(request)
        }));
        let app = app.into_make_service_with_connect_info::<SocketAddr>();
        let plain = Acceptor::new(options.max_connections);
        let server = configured(listener, options, handle.clone())?;
        let serving: Pin<Box<dyn Future<Output = io::Result<()>> + Send>> = match tls {
            None => Box::pin(server.acceptor(plain).serve(app)),
            Some(tls) => {
                let acceptor = RustlsAcceptor::new(tls.into_config())
                    .handshake_timeout(options.header_timeout)
                    .acceptor(plain);
                Box::pin(server.acceptor(acceptor).serve(app))
            }
        };
        tokio::pin!(serving);
        tokio::select! {
            served = &mut serving => return served,
            () = shutdown => handle.graceful_shutdown(Some(options.shutdown_deadline)),
        }
        serving.await
    }
}

/// The loop with its time limits, without an acceptor.
fn configured(
    listener: std::net::TcpListener,
    options: ServeOptions,
    handle: Handle<SocketAddr>,
) -> io::Result<axum_server::Server<SocketAddr>> {
    let mut server = axum_server::from_tcp(listener)?
        .handle(handle)
        .first_request_timeout(options.header_timeout)
        .accept_error_handler(
            |_peer, error| tracing::debug!(%error, "a connection was not accepted"),
        );
    let http = server.http_builder();
    http.http1().header_read_timeout(options.idle_timeout);
    http.http2()
        .keep_alive_interval(options.idle_timeout)
        .keep_alive_timeout(options.header_timeout);
    Ok(server)
}

/// Serves `app` in clear; see [`Server::serve`].
///
/// # Errors
///
/// As [`Server::serve`].
pub async fn serve(
    listener: std::net::TcpListener,
    app: Router,
    options: ServeOptions,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    Server::new(listener, options).serve(app, shutdown).await
}

/// Sets `TCP_NODELAY`, since answers are small and whole, and turns away what is too many.
#[derive(Clone)]
struct Acceptor {
    free: Arc<Semaphore>,
}

impl Acceptor {
    fn new(connections: usize) -> Self {
        let connections = connections.min(Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(connections)),
        }
    }
}

impl<S> Accept<TcpStream, S> for Acceptor {
    type Stream = TcpStream;
    /// The permit lives as long as the connection's service.
    type Service = AddExtension<S, Arc<OwnedSemaphorePermit>>;
    type Future = Ready<io::Result<(Self::Stream, Self::Service)>>;

    fn accept(&self, stream: TcpStream, service: S) -> Self::Future {
        let accepted = Arc::clone(&self.free)
            .try_acquire_owned()
            .map_err(|_| io::Error::other("too many connections"))
            .and_then(|permit| {
                stream.set_nodelay(true)?;
                Ok((stream, Extension(Arc::new(permit)).layer(service)))
            });
        std::future::ready(accepted)
    }
}

/// How much of a request's body buys another second for the rest of it.
const BYTES_PER_SECOND: u64 = 32 * 1024;

/// A request's body that must be complete within a time, which grows with what has arrived.
struct TimedBody {
    body: Body,
    timeout: Duration,
    /// Bytes that have arrived.
    arrived: u64,
    /// When the body was first waited for, and until when; most bodies arrive with their head.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl TimedBody {
    fn new(body: Body, timeout: Duration) -> Self {
        Self {
            body,
            timeout,
            arrived: 0,
            waiting: None,
        }
    }
}

impl http_body::Body for TimedBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            if let Some(Ok(frame)) = &frame {
                self.arrived += frame.data_ref().map_or(0, |data| data.len() as u64);
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let allowed = self.timeout + Duration::from_secs(self.arrived / BYTES_PER_SECOND);
        let (since, sleep) = self
            .waiting
            .get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(allowed))));
        let deadline = *since + allowed;
        if sleep.deadline() != deadline {
            sleep.as_mut().reset(deadline);
        }
        match sleep.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Some(Err(BodyTimeout.into()))),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// How much of a body that is not wanted is read and thrown away.
pub(crate) const DISCARDED: usize = 4 * 1024 * 1024;
/// How long that may take.
const DISCARDING: Duration = Duration::from_secs(1);

/// Reads on until the body ends or fails, within 4 MiB and a second, before a request is refused whose
/// body nobody wants. Answering a peer that is still sending resets its connection or stream, and many
/// clients then never see why they were refused.
pub async fn discard(mut body: Body) {
    let reading = async {
        let mut discarded = 0;
        while let Some(Ok(frame)) = body.frame().await {
            discarded += frame.data_ref().map_or(0, Bytes::len);
            if discarded > DISCARDED {
                return;
            }
        }
    };
    // Whether it ended makes no difference to the answer.
    let _ = tokio::time::timeout(DISCARDING, reading).await;
}

/// A request's body was not complete in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyTimeout;

impl BodyTimeout {
    /// Whether this is why reading a body failed.
    #[must_use]
    pub fn caused(error: &(dyn Error + 'static)) -> bool {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if error.is::<Self>() {
                return true;
            }
            cause = error.source();
        }
        false
    }
}

impl fmt::Display for BodyTimeout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body did not arrive in time")
    }
}

impl Error for BodyTimeout {}
