//! The nodes that serve one database together: each says again and again that it lives, so that the others
//! know whose work is left behind.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use store::{Claim, Conn, Error, Lease, Migration, Store};
use tokio::time::Instant;

use crate::{config::Config, explain};

/// The tables of what nodes know of each other.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    name: "forecourt-nodes-1",
    sql: "
-- Processes that serve, and until when each counts as living. `dealer` is empty: they serve all.
CREATE TABLE server_node (
    dealer TEXT NOT NULL,
    node TEXT NOT NULL,
    held_until BIGINT NOT NULL,
    PRIMARY KEY (dealer, node)
);

-- What all nodes need alike. `dealer` is empty.
CREATE TABLE server_agreement (
    dealer TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (dealer, name)
);
",
}];

/// Counts the releases that changed the schema ([`store::Options::generation`]). One more for a release
/// that only adds to the schema of the one before, so that nodes of both serve, and start, beside each
/// other while they are replaced; two more for one that changes what is there.
pub(crate) const GENERATION: u64 = 1;

/// How often a node says that it lives.
const SAY_EVERY: Duration = Duration::from_secs(3);
/// How long it counts as living after it said so.
pub(crate) const LIVES_FOR: SignedDuration = SignedDuration::from_secs(15);
/// How long a node that said nothing more is remembered.
const REMEMBER: SignedDuration = SignedDuration::from_hours(1);

/// How far a node's clock may be off the database's. Leases end a while after they should have been
/// prolonged, and so far clocks may differ without anybody noticing.
const SLACK: SignedDuration = SignedDuration::from_secs(5);

/// This node among those that serve its database.
#[derive(Debug)]
pub(crate) struct Presence {
    store: Store,
    /// Whether the database is on another machine, whose clock may be another.
    is_remote: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Since when this node has said without a gap that it lives.
    since: Option<Instant>,
    said: Option<Instant>,
    /// How far this machine's clock is ahead of the database's.
    ahead: SignedDuration,
}

impl Presence {
    pub(crate) fn new(store: Store, is_remote: bool) -> Self {
        Self {
            store,
            is_remote,
            state: Mutex::default(),
        }
    }

    /// Says again and again that this node lives, until the future is dropped.
    pub(crate) async fn keep(&self) {
        loop {
            self.say().await;
            tokio::time::sleep(SAY_EVERY).await;
        }
    }

    /// Says that this node lives.
    pub(crate) async fn say(&self) {
        let (node, asked) = (self.store.node().to_owned(), self.store.clock().now());
        let said = self
            .store
            .write_claiming(Claim::ROWS, move |conn| say(conn, &node, asked));
        let said = said.await;
        match said {
            Ok(theirs) => {
                self.note_said();
                self.note_time(asked, theirs);
            }
            Err(error) => {
                self.state().since = None;
                tracing::warn!(error = %explain(&error), "this node cannot say that it lives");
            }
        }
    }

    /// Lets the other nodes have this one's work at once. For a server that stops.
    pub(crate) async fn leave(&self) {
        let node = self.store.node().to_owned();
        let left = self.store.write_claiming(Claim::ROWS, move |conn| {
            conn.execute(
                "DELETE FROM server_node WHERE dealer = '' AND node = $1",
                &[(&node).into()],
            )
        });
        if let Err(error) = left.await {
            tracing::warn!(error = %explain(&error), "the other nodes were not told that this one ends");
        }
    }

    /// Whether this node can tell that another one is gone: after the database was away, the others get as
    /// long as this one to say that they live.
    pub(crate) fn can_judge(&self) -> bool {
        let state = self.state();
        let is_recent = |at: Instant| at.elapsed() < LIVES_FOR.unsigned_abs();
        state.said.is_some_and(is_recent) && state.since.is_some_and(|since| !is_recent(since))
    }

    /// What is wrong with this machine's clock.
    pub(crate) fn clock_fault(&self) -> Option<String> {
        let ahead = self.state().ahead;
        (ahead.abs() > SLACK).then(|| {
            let side = if ahead.is_negative() { "behind" } else { "ahead of" };
            format!(
                "this machine's clock is {} s {side} the database's; more than {} s lets two nodes do the same work: synchronise it",
                ahead.abs().as_secs(),
                SLACK.as_secs()
            )
        })
    }

    fn note_said(&self) {
        let mut state = self.state();
        let now = Instant::now();
        let lapsed = |said: Instant| now.duration_since(said) >= LIVES_FOR.unsigned_abs();
        if state.since.is_none() || state.said.is_none_or(lapsed) {
            state.since = Some(now);
        }
        state.said = Some(now);
    }

    /// The database said its time after `asked` and before it was heard: only what lies outside counts.
    fn note_time(&self, asked: Timestamp, theirs: Option<Timestamp>) {
        let Some(theirs) = theirs.filter(|_| self.is_remote) else {
            return;
        };
        let heard = self.store.clock().now();
        let ahead = if theirs < asked {
            asked.duration_since(theirs)
        } else if theirs > heard {
            heard.duration_since(theirs)
        } else {
            SignedDuration::ZERO
        };
        let before = self.clock_fault().is_some();
        self.state().ahead = ahead;
        match self.clock_fault() {
            Some(fault) if !before => tracing::error!(fault, "the clock is wrong"),
            None if before => tracing::info!("the clock is right again"),
            _ => {}
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How often the turn at a piece of work is prolonged.
const PROLONG_EVERY: Duration = Duration::from_secs(20);
/// How long another node waits before it takes over from one that died.
const TURN: SignedDuration = SignedDuration::from_secs(60);

/// A piece of work that one node at a time does.
#[derive(Debug)]
pub(crate) struct Turn {
    store: Store,
    work: &'static str,
    holder: String,
}

impl Turn {
    pub(crate) fn new(store: Store, work: &'static str) -> Self {
        let holder = store.clock().new_id().to_string();
        Self {
            store,
            work,
            holder,
        }
    }

    /// Takes the turn, or prolongs it; false while another node has it, or when the database fails.
    pub(crate) async fn take(&self) -> bool {
        let (work, holder) = (self.work, self.holder.clone());
        let now = self.store.clock().now();
        let take = move |conn: &mut dyn Conn| lease(work, &holder).take(conn, now, TURN);
        self.store.write_claiming(Claim::ROWS, take).await.unwrap_or_else(|error: Error| {
            tracing::error!(work, error = %explain(&error), "the lease of a work could not be had");
            false
        })
    }

    /// Does the work while this node has the turn, and lets it go. `None` where another node has it.
    pub(crate) async fn carry_out<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        if !self.take().await {
            return None;
        }
        let losing = async {
            loop {
                tokio::time::sleep(PROLONG_EVERY).await;
                if !self.take().await {
                    return;
                }
            }
        };
        let done = tokio::select! {
            done = work => Some(done),
            () = losing => None,
        };
        self.release().await;
        done
    }

    /// Lets another node have the turn at once.
    pub(crate) async fn release(&self) {
        let (work, holder) = (self.work, self.holder.clone());
        let release = move |conn: &mut dyn Conn| lease(work, &holder).release(conn);
        if let Err(error) = self.store.write_claiming(Claim::ROWS, release).await {
            let error: Error = error;
            tracing::warn!(work, error = %explain(&error), "a work could not be handed over");
        }
    }
}

fn lease<'a>(work: &'a str, holder: &'a str) -> Lease<'a> {
    Lease {
        dealer: "",
        work,
        holder,
    }
}

/// What alarms call a thing that each machine has: where several nodes tell of theirs, with the machine's
/// name.
pub(crate) fn of_this_machine(thing: &str, config: &Config) -> String {
    if config.store.is_none() {
        return thing.to_owned();
    }
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    match name.as_deref().map(str::trim) {
        Ok(name) if !name.is_empty() => format!("{thing} on {name}"),
        _ => thing.to_owned(),
    }
}

/// Notes that a node lives, and forgets those that are long gone. Returns the database's time, where it
/// can be read.
fn say(conn: &mut dyn Conn, node: &str, now: Timestamp) -> Result<Option<Timestamp>, Error> {
    conn.execute(
        "INSERT INTO server_node (dealer, node, held_until) VALUES ('', $1, $2)
         ON CONFLICT (dealer, node) DO UPDATE SET held_until = excluded.held_until",
        &[node.into(), (now + LIVES_FOR).into()],
    )?;
    conn.execute(
        "DELETE FROM server_node WHERE dealer = '' AND held_until < $1",
        &[(now - REMEMBER).into()],
    )?;
    let time = conn.first("SELECT CAST(CURRENT_TIMESTAMP AS TEXT)", &[], |row| {
        row.text(0).map(str::to_owned)
    })?;
    Ok(time.and_then(|time| time.parse().ok()))
}

/// The nodes that live, by their names.
///
/// # Errors
/// When the database fails.
pub(crate) fn living(conn: &mut dyn Conn, now: Timestamp) -> Result<HashSet<String>, Error> {
    let living = conn.all(
        "SELECT node FROM server_node WHERE dealer = '' AND held_until > $1",
        &[now.into()],
        |row| row.text(0).map(str::to_owned),
    )?;
    Ok(living.into_iter().collect())
}

/// What the hash key of the nodes is known by; `None` before the first node had one.
///
/// # Errors
/// When the database fails.
pub(crate) fn hash_key_mark(conn: &mut dyn Conn) -> Result<Option<String>, Error> {
    conn.first(
        "SELECT value FROM server_agreement WHERE dealer = '' AND name = 'hash_key'",
        &[],
        |row| row.text(0).map(str::to_owned),
    )
}

/// Whether the hash key known by `mark` is that of the other nodes; the first node decides.
///
/// # Errors
/// When the database fails.
pub(crate) fn agree_on_hash_key(conn: &mut dyn Conn, mark: &str) -> Result<bool, Error> {
    conn.execute(
        "INSERT INTO server_agreement (dealer, name, value) VALUES ('', 'hash_key', $1)
         ON CONFLICT (dealer, name) DO NOTHING",
        &[mark.into()],
    )?;
    Ok(hash_key_mark(conn)?.is_none_or(|agreed| agreed == mark))
}

#[cfg(test)]
mod tests {
    use store::Clock;

    use super::*;

    fn store() -> (Store, Clock) {
        let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
        let lists = [store::lease::MIGRATIONS, MIGRATIONS];
        let store = Store::temporary(&lists, clock.clone()).unwrap();
        (store, clock)
    }

    async fn who_lives(store: &Store, clock: &Clock) -> Vec<String> {
        let now = clock.now();
        let living = store.read(move |conn| living(conn, now)).await.unwrap();
        living.into_iter().collect()
    }

    #[tokio::test]
    async fn a_node_lives_as_long_as_it_says_so() {
        let (store, clock) = store();
        let presence = Presence::new(store.clone(), false);
        assert!(who_lives(&store, &clock).await.is_empty());
        presence.say().await;
        assert_eq!(who_lives(&store, &clock).await, [store.node()]);
        clock.advance(LIVES_FOR - SignedDuration::from_millis(1));
        presence.say().await;
        clock.advance(LIVES_FOR - SignedDuration::from_millis(1));
        assert_eq!(who_lives(&store, &clock).await, [store.node()]);
        clock.advance(SignedDuration::from_millis(1));
        assert!(who_lives(&store, &clock).await.is_empty());
        presence.say().await;
        presence.leave().await;
        assert!(who_lives(&store, &clock).await.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_judges_others_once_they_had_the_time_to_speak() {
        let (store, _) = store();
        let presence = Presence::new(store, false);
        let mut judged_after = 0;
        while !presence.can_judge() {
            presence.say().await;
            tokio::time::advance(SAY_EVERY).await;
            judged_after += 1;
        }
        assert_eq!(judged_after, 5, "as long as a node lives");
        // After a gap it waits again.
        tokio::time::advance(LIVES_FOR.unsigned_abs()).await;
        assert!(!presence.can_judge());
        presence.say().await;
        assert!(!presence.can_judge());
    }

    #[tokio::test]
    async fn one_node_at_a_time_has_the_turn() {
        let (store, clock) = store();
        let [one, other] = [(); 2].map(|()| Turn::new(store.clone(), "forget"));
        let done = one.carry_out(async { other.carry_out(async {}).await });
        assert_eq!(done.await, Some(None));
        assert_eq!(other.carry_out(async {}).await, Some(()));
        // One that died has it until its lease ends.
        assert!(one.take().await);
        assert!(!other.take().await);
        clock.advance(TURN);
        assert!(other.take().await);
    }

    #[tokio::test]
    async fn the_first_hash_key_is_the_one_of_all_nodes() {
        let (store, _) = store();
        for (mark, agreed) in [("one", true), ("other", false), ("one", true)] {
            let agree = store.write(move |conn| agree_on_hash_key(conn, mark));
            assert_eq!(agree.await.unwrap(), agreed, "{mark}");
        }
    }

    #[tokio::test]
    async fn a_clock_that_is_off_is_told() {
        let (store, clock) = store();
        let presence = Presence::new(store, true);
        let now = clock.now();
        for (theirs, fault) in [
            (now + SignedDuration::from_secs(5), None),
            (now + SignedDuration::from_secs(6), Some("6 s behind")),
            (now - SignedDuration::from_secs(90), Some("90 s ahead of")),
            (now, None),
        ] {
            presence.note_time(now, Some(theirs));
            let told = presence.clock_fault();
            assert_eq!(told.is_some(), fault.is_some(), "{told:?}");
            assert!(told.unwrap_or_default().contains(fault.unwrap_or_default()));
        }
    }
}
