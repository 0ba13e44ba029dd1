//! Signals between nodes, by `LISTEN` and `NOTIFY` on connections of their own.
//!
//! A notification is never part of a transaction that writes: the server gives notifications an order
//! by letting one transaction with any commit at a time, which would be the end of writing side by
//! side.

use std::{future::poll_fn, sync::Arc, time::Duration};

use tokio::{
    sync::mpsc,
    time::{sleep, timeout},
};
use tokio_postgres::{AsyncMessage, Client, types::Type};

use super::{
    error::{Said, silent, sort},
    target::Target,
};
use crate::{
    Error, Heard, OwnedSignal,
    signal::{Listeners, Pending},
    store,
};

/// The shortest time between two notifications. What is told meanwhile goes together.
const PACE: Duration = Duration::from_millis(20);
/// How often a silent connection is tried.
const PULSE: Duration = Duration::from_secs(20);
/// Waiting after failures: at first, and at most.
const AGAIN: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(10)];
/// What one notification holds; the server takes less than 8000 bytes.
const MOST_BYTES: usize = 7000;
/// Stands for signals that were too many.
const MISSED: &str = "!";

/// Starts the thread that carries signals to other nodes and back.
pub(super) fn start(
    listeners: &Listeners,
    telling: Arc<Target>,
    listening: Arc<Target>,
    node: &str,
) -> Result<std::thread::JoinHandle<()>, Error> {
    let runtime = super::runtime()?;
    let (listeners, node) = (listeners.clone(), node.to_owned());
    store::spawn("store-signals".to_owned(), move || {
        runtime.block_on(async {
            tokio::select! {
                () = listeners.closed() => {}
                () = tell(&listeners, &telling, &node) => {}
                () = listen(&listeners, &listening, &node) => {}
            }
        });
    })
}

async fn tell(listeners: &Listeners, target: &Target, node: &str) {
    let mut client = None;
    loop {
        let pending = listeners.pending().await;
        let mut failures = 0;
        for payload in payloads(node, &pending) {
            while let Err(error) = notify(&mut client, target, &payload).await {
                client = None;
                failures = pause(failures, "signals are not sent", &error).await;
            }
        }
        sleep(PACE).await;
    }
}

async fn notify(
    client: &mut Option<(Client, Driver)>,
    target: &Target,
    payload: &str,
) -> Result<(), Error> {
    let connected = match client {
        Some(connected) => connected,
        None => client.insert(connect(target, None).await?),
    };
    let args: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 1] = [(&payload, Type::TEXT)];
    let sent = connected
        .0
        .query_typed("SELECT pg_notify('forecourt', $1)", &args);
    within(target, sent).await.map(drop)
}

async fn listen(listeners: &Listeners, target: &Target, node: &str) {
    listeners.begun().await;
    let mut failures = 0;
    loop {
        let Err(error) = hear(listeners, target, node, &mut failures).await;
        failures = pause(failures, "signals are not heard", &error).await;
    }
}

/// Hears until the connection is lost.
async fn hear(
    listeners: &Listeners,
    target: &Target,
    node: &str,
    failures: &mut u32,
) -> Result<std::convert::Infallible, Error> {
    let (payloads, mut heard) = mpsc::unbounded_channel();
    let (client, _driver) = connect(target, Some(payloads)).await?;
    within(target, client.batch_execute("LISTEN forecourt")).await?;
    *failures = 0;
    // Whatever was told before is lost.
    listeners.hear(Heard::Missed);
    loop {
        match timeout(PULSE, heard.recv()).await {
            Ok(Some(payload)) => read(&payload, node)
                .into_iter()
                .for_each(|it| listeners.hear(it)),
            Ok(None) => {
                let source = Arc::new(Said("the connection was lost".to_owned()));
                return Err(Error::Unavailable { path: None, source });
            }
            Err(_) => within(target, client.batch_execute("SELECT 1")).await?,
        }
    }
}

/// Keeps a connection going until it is dropped.
struct Driver(tokio::task::JoinHandle<()>);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn connect(
    target: &Target,
    payloads: Option<mpsc::UnboundedSender<String>>,
) -> Result<(Client, Driver), Error> {
    let (client, mut connection) = target.connect().await?;
    let driver = tokio::runtime::Handle::current().spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if let (AsyncMessage::Notification(notification), Some(payloads)) = (message, &payloads)
            {
                // Nobody hears it any more: the connection is about to be dropped.
                let _ = payloads.send(notification.payload().to_owned());
            }
        }
    });
    Ok((client, Driver(driver)))
}

async fn within<T>(
    target: &Target,
    work: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Error> {
    let deadline = target.deadline();
    let done = timeout(deadline, work).await;
    let done = done.map_err(|_| silent(deadline))?;
    done.map_err(sort)
}

async fn pause(failures: u32, what: &str, error: &Error) -> u32 {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    tracing::warn!(%error, cause, "{what}; nodes look by themselves meanwhile");
    let [first, longest] = AGAIN;
    sleep(longest.min(first * 2_u32.saturating_pow(failures.min(10)))).await;
    failures + 1
}

/// What is sent: the node, then a signal on each line, its fields separated by tabs.
fn payloads(node: &str, pending: &Pending) -> Vec<String> {
    if pending.overflowed {
        return vec![format!("{node}\n{MISSED}")];
    }
    let mut payloads = Vec::new();
    let mut payload = node.to_owned();
    for OwnedSignal { topic, dealer, key } in &pending.signals {
        let line = format!("\n{topic}\t{dealer}\t{key}");
        if payload.len() + line.len() > MOST_BYTES {
            payloads.push(std::mem::replace(&mut payload, node.to_owned()));
        }
        payload.push_str(&line);
    }
    payloads.push(payload);
    payloads
}

/// What another node told; nothing where it was this one.
fn read(payload: &str, node: &str) -> Vec<Heard> {
    let mut lines = payload.split('\n');
    if lines.next() == Some(node) {
        return Vec::new();
    }
    let signal = |line: &str| {
        let mut fields = line.split('\t').map(str::to_owned);
        let [topic, dealer, key] = [fields.next()?, fields.next()?, fields.next()?];
        Some(OwnedSignal { topic, dealer, key })
    };
    // What another version of the program says may mean anything.
    lines
        .map(|line| signal(line).map_or(Heard::Missed, Heard::Signal))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{payloads, read};
    use crate::{Heard, OwnedSignal, signal::Pending};

    fn signal(key: usize) -> OwnedSignal {
        OwnedSignal {
            topic: "task".to_owned(),
            dealer: "demo-motors".to_owned(),
            key: format!("{key:0100}"),
        }
    }

    #[test]
    fn many_signals_go_in_few_notifications_and_arrive_whole() {
        let pending = Pending {
            signals: (0..200).map(signal).collect(),
            overflowed: false,
        };
        let sent = payloads("one", &pending);
        assert!(sent.len() < 5 && sent.iter().all(|it| it.len() < 8000));
        let heard: HashSet<OwnedSignal> = sent
            .iter()
            .flat_map(|payload| read(payload, "two"))
            .map(|heard| match heard {
                Heard::Signal(signal) => signal,
                Heard::Missed => panic!("nothing is missed"),
            })
            .collect();
        assert_eq!(heard, pending.signals);
        assert!(sent.iter().all(|payload| read(payload, "one").is_empty()));
    }

    #[test]
    fn too_many_and_strange_ones_mean_that_something_was_missed() {
        let pending = Pending {
            signals: HashSet::new(),
            overflowed: true,
        };
        let sent = payloads("one", &pending);
        assert_eq!(read(&sent[0], "two"), [Heard::Missed]);
        assert_eq!(read("other\nwhat\tis", "two"), [Heard::Missed]);
    }
}
