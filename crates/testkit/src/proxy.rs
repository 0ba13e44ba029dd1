//! A stretch of network that fails on demand, between a client and a server on this machine.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// Passes bytes on, until it is told otherwise. Cheap to clone; clones are one stretch.
#[derive(Debug, Clone)]
pub struct Proxy {
    port: u16,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    /// What the server says is lost.
    swallows: AtomicBool,
    /// Connections break as soon as they are made.
    refuses: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// A way to a port of 127.0.0.1.
    ///
    /// # Panics
    /// When there is no free port.
    #[must_use]
    pub fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap().port();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if let Ok(server) = TcpStream::connect(("127.0.0.1", port)) {
                    shared.join(&client, &server);
                }
            }
        });
        Self { port: own, state }
    }

    /// The port that clients use instead.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// From now on what clients say arrives, and no answer comes back.
    pub fn swallow_answers(&self) {
        self.state.swallows.store(true, Ordering::SeqCst);
    }

    /// Breaks every connection, and each new one until it is healed.
    pub fn cut(&self) {
        self.state.refuses.store(true, Ordering::SeqCst);
        self.state.break_all();
    }

    /// New connections work. Those that lost something are broken.
    pub fn heal(&self) {
        self.state.break_all();
        self.state.swallows.store(false, Ordering::SeqCst);
        self.state.refuses.store(false, Ordering::SeqCst);
    }
}

impl State {
    fn join(self: &Arc<Self>, client: &TcpStream, server: &TcpStream) {
        if self.refuses.load(Ordering::SeqCst) {
            return;
        }
        for (from, to, is_answer) in [(client, server, false), (server, client, true)] {
            let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            to.set_nodelay(true).ok();
            self.open.lock().unwrap().push(to.try_clone().unwrap());
            let state = Arc::clone(self);
            thread::spawn(move || state.carry(from, to, is_answer));
        }
    }

    fn carry(&self, mut from: TcpStream, mut to: TcpStream, is_answer: bool) {
        let mut bytes = [0; 16 * 1024];
        while let Ok(read @ 1..) = from.read(&mut bytes) {
            let is_lost = is_answer && self.swallows.load(Ordering::SeqCst);
            if !is_lost && to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        to.shutdown(Shutdown::Both).ok();
        from.shutdown(Shutdown::Both).ok();
    }

    fn break_all(&self) {
        for connection in self.open.lock().unwrap().drain(..) {
            connection.shutdown(Shutdown::Both).ok();
        }
    }
}
