//! Server-Sent Events: answers that go on (A2A 1.0 §9.4.2, §11.7).

use std::time::Duration;

use a2a::error::Error;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, HeaderValue, header};

use crate::{EventStream, task::StreamEvent};

/// How long a connection may be silent before a comment says that it lives. Proxies cut what is silent
/// for 30 to 60 seconds.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The media type of such an answer.
pub(crate) const MEDIA_TYPE: &str = "text/event-stream";

/// What is written of an event, or of the error that ends the stream.
type Written<'a> = Result<&'a StreamEvent, &'a Error>;

/// An answer that carries events, each written by `write`.
pub(crate) fn response(
    events: EventStream,
    write: impl Fn(Written<'_>) -> Vec<u8> + Send + 'static,
) -> Response {
    response_kept_alive(events, KEEP_ALIVE, write)
}

fn response_kept_alive(
    events: EventStream,
    keep_alive: Duration,
    write: impl Fn(Written<'_>) -> Vec<u8> + Send + 'static,
) -> Response {
    let frames = stream::unfold(Some((events, write)), move |state| async move {
        let (mut events, write) = state?;
        // A place in a log loses nothing when the wait for the next entry is given up.
        let frame = match tokio::time::timeout(keep_alive, events.next()).await {
            Err(_silence) => Bytes::from_static(b": keep-alive\n\n"),
            Ok(Ok(None)) => return None,
            Ok(Ok(Some(event))) => {
                let frame = frame(event.number, &write(Ok(&event)));
                if event.is_last {
                    return Some((Ok::<_, std::io::Error>(frame), None));
                }
                frame
            }
            Ok(Err(error)) => return Some((Ok(frame(0, &write(Err(&error)))), None)),
        };
        Some((Ok(frame), Some((events, write))))
    });
    with_head(Body::from_stream(frames))
}

/// An answer of one event that no client can go on from.
pub(crate) fn one(data: &[u8]) -> Response {
    with_head(Body::from(frame(0, data)))
}

fn with_head(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    let event_stream = HeaderValue::from_static(MEDIA_TYPE);
    headers.insert(header::CONTENT_TYPE, event_stream);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // What proxies of the nginx family would collect before they pass it on.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// One event; `number` 0 is one that no client can go on from. JSON as it is written here has no line
/// breaks, so that one `data` line holds it.
fn frame(number: u64, data: &[u8]) -> Bytes {
    let mut frame = Vec::with_capacity(data.len() + 32);
    if number > 0 {
        frame.extend_from_slice(format!("id: {number}\n").as_bytes());
    }
    frame.extend_from_slice(b"data: ");
    frame.extend_from_slice(data);
    frame.extend_from_slice(b"\n\n");
    Bytes::from(frame)
}

/// The last event that the client saw.
pub(crate) fn last_event_id(headers: &HeaderMap) -> Option<String> {
    let value = headers.get("last-event-id")?.to_str().ok()?.trim();
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use a2a::headers::ProtocolVersion;
    use a2a::model::{Message, Part, SendMessageRequest, Timestamp};
    use a2a::operation::Operation;
    use http_body_util::BodyExt as _;

    use super::*;
    use crate::task::{MemoryStore, Settings, TaskSink, Tasks};
    use crate::{Agent, Answer, Call, Handler, Reply, Turn};

    /// Begins a task and says nothing more.
    struct Silent;

    impl Agent for Silent {
        async fn answer(&self, _turn: Turn) -> Result<Answer, Error> {
            Ok(Answer::task(async |_sink: TaskSink| {
                std::future::pending().await
            }))
        }
    }

    #[tokio::test]
    async fn a_silent_stream_is_kept_alive_by_comments() {
        let now: Timestamp = "2026-05-01T12:00:00Z".parse().unwrap();
        let store = Arc::new(MemoryStore::new());
        let tasks = Tasks::new(store, move || now, Settings::default());
        let handler = Handler::with_tasks(tasks);
        let message = Message::user("m").with_part(Part::text("hello"));
        let operation = Operation::SendStreamingMessage(SendMessageRequest::new(message));
        let call = Call::new(ProtocolVersion::V1_0);
        let reply = handler.call(&Silent, operation, call).await.unwrap();
        let Reply::Stream(events) = reply else {
            panic!("one result where a stream was due");
        };
        let response = response_kept_alive(events, Duration::from_millis(5), |_| b"{}".to_vec());
        let mut body = response.into_body();
        let mut frames = Vec::new();
        for _ in 0..3 {
            let frame = body.frame().await.unwrap().unwrap();
            frames.push(frame.into_data().unwrap());
        }
        let expected = [
            "id: 1\ndata: {}\n\n",
            ": keep-alive\n\n",
            ": keep-alive\n\n",
        ];
        assert_eq!(frames, expected);
    }
}
