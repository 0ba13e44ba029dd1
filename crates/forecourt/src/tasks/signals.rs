//! Word between nodes that something happened to a task.

use std::time::Duration;

use a2a_server::task::Tasks;
use store::{Heard, Signal, Store};

use super::Place;

const TOPIC: &str = "task";
/// How late a node sees what another one did to a task of which no word came.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Says that something happened to a task.
pub(super) fn tell(store: &Store, place: &Place) {
    store.tell(Signal {
        topic: TOPIC,
        dealer: &place.dealer,
        key: &format!("{} {}", store.node(), place.task_id),
    });
}

/// Lets readers of this node see what other nodes do to tasks: at once where word comes of it, else
/// within a second. It goes on until it is dropped.
pub async fn keep_up(store: &Store, tasks: &Tasks) {
    let hearing = async {
        let mut signals = store.listen();
        loop {
            // What was missed is found by the next look.
            let Heard::Signal(signal) = signals.next().await else {
                continue;
            };
            let said = signal.key.split_once(' ');
            if let Some((node, task_id)) = said
                && signal.topic == TOPIC
                && node != store.node()
            {
                tasks.hear(task_id).await;
            }
        }
    };
    tokio::join!(hearing, tasks.keep_up(LOOK_EVERY));
}
