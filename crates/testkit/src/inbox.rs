//! What a server of the tests was sent.

use std::{
    io::BufRead,
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread,
    time::Duration,
};

/// Longest wait of a test for something to arrive.
const PATIENCE: Duration = Duration::from_secs(60);

/// What arrived, shared between the server's threads and the test.
#[derive(Debug, Default)]
pub(crate) struct Inbox<S> {
    state: Mutex<S>,
    arrived: Condvar,
}

impl<S: Default + Send + 'static> Inbox<S> {
    /// Serves each connection to a free loopback port on a thread of its own, until the test
    /// process ends.
    pub(crate) fn serve(
        converse: impl Fn(&TcpStream, &Self) + Copy + Send + 'static,
    ) -> (SocketAddr, Arc<Self>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let inbox = Arc::new(Self::default());
        let for_thread = Arc::clone(&inbox);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let inbox = Arc::clone(&for_thread);
                thread::spawn(move || converse(&stream, &inbox));
            }
        });
        (address, inbox)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, S> {
        self.state.lock().unwrap()
    }

    /// Says that something has arrived.
    pub(crate) fn notify(&self) {
        self.arrived.notify_all();
    }

    /// Waits until `count` things are among those that `of` names.
    ///
    /// # Panics
    /// When they do not arrive in time.
    pub(crate) fn wait_for<T: Clone>(&self, count: usize, of: impl Fn(&S) -> &Vec<T>) -> Vec<T> {
        let (state, _) = self
            .arrived
            .wait_timeout_while(self.state(), PATIENCE, |state| of(state).len() < count)
            .unwrap();
        let arrived = of(&state);
        assert!(
            arrived.len() >= count,
            "{} arrived instead of {count}",
            arrived.len()
        );
        arrived.clone()
    }
}

/// A line without its end; `None` when the other side has gone.
pub(crate) fn read_line(lines: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    let read = lines.read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}
