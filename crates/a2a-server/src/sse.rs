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

/// What is ready goes out together, up to about so many bytes, so that a fast agent's events do not cost
/// a write to the connection each.
const FULL: usize = 16 * 1024;

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
        let Ok(mut read) = tokio::time::timeout(keep_alive, events.next()).await else {
            let silence = Bytes::from_static(b": keep-alive\n\n");
            return Some((Ok::<_, std::io::Error>(silence), Some((events, write))));
        };
        let mut frames = Vec::new();
        let goes_on = loop {
            let goes_on = append(&mut frames, read, &write);
            if !goes_on || frames.len() >= FULL {
                break goes_on;
            }
            match events.at_hand() {
                Some(event) => read = Ok(Some(event)),
                None => break true,
            }
        };
        (!frames.is_empty()).then(|| (Ok(frames.into()), goes_on.then_some((events, write))))
    });
    with_head(Body::from_stream(frames))
}

/// An answer of one event that no client can go on from.
pub(crate) fn one(data: &[u8]) -> Response {
    let mut event = Vec::new();
    frame(&mut event, 0, data);
    with_head(Body::from(event))
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

/// Appends the frame of what was read; false when nothing follows it.
fn append(
    frames: &mut Vec<u8>,
    read: Result<Option<StreamEvent>, Error>,
    write: &impl Fn(Written<'_>) -> Vec<u8>,
) -> bool {
    match read {
        Ok(None) => false,
        Ok(Some(event)) => {
            frame(frames, event.number, &write(Ok(&event)));
            !event.is_last
        }
        Err(error) => {
            frame(frames, 0, &write(Err(&error)));
            false
        }
    }
}

/// Appends one event; `number` 0 is one that no client can go on from. JSON as it is written here has no
/// line breaks, so that one `data` line holds it.
fn frame(frames: &mut Vec<u8>, number: u64, data: &[u8]) {
    frames.reserve(data.len() + 40);
    if number > 0 {
        frames.extend_from_slice(b"id: ");
        frames.extend_from_slice(number.to_string().as_bytes());
        frames.push(b'\n');
    }
    frames.extend_from_slice(b"data: ");
    frames.extend_from_slice(data);
    frames.extend_from_slice(b"\n\n");
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
