//! The order of commits and answers, seen on a connection that writes down what it is told.

use std::sync::{Arc, Mutex};

use super::write;
use crate::{
    Claim, Conn, Error, Row, Value,
    job::{Job, Ran},
    queue::{GROUP, Order, Queue, Write},
    session::Session,
    transfer::Table,
};

type Log = Arc<Mutex<Vec<String>>>;

/// A connection without a database.
#[derive(Default)]
struct Recorder {
    log: Log,
    open: bool,
    /// The step that fails once, with its error.
    fails: Option<(&'static str, Error)>,
    /// A closure has just ended the transaction, as a full disk can.
    lost: Arc<Mutex<bool>>,
}

impl Recorder {
    fn step(&mut self, name: &'static str) -> Result<(), Error> {
        if std::mem::take(&mut *self.lost.lock().unwrap()) {
            self.open = false;
        }
        if matches!(&self.fails, Some((step, _)) if *step == name) {
            self.log.lock().unwrap().push(format!("{name} fails"));
            return Err(self.fails.take().unwrap().1);
        }
        if name != "begin" && !self.open {
            return Err(Error::statement("no transaction"));
        }
        self.open = !matches!(name, "commit" | "rollback");
        self.log.lock().unwrap().push(name.to_owned());
        Ok(())
    }
}

impl Conn for Recorder {
    fn execute(&mut self, _: &'static str, _: &[Value<'_>]) -> Result<u64, Error> {
        Ok(0)
    }

    fn rows(
        &mut self,
        _: &'static str,
        _: &[Value<'_>],
        _: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Ok(())
    }
}

impl Session for Recorder {
    fn conn(&mut self) -> &mut dyn Conn {
        self
    }
    fn begin(&mut self, _: &[Claim]) -> Result<(), Error> {
        self.step("begin")
    }
    fn savepoint(&mut self) -> Result<(), Error> {
        self.step("savepoint")
    }
    fn keep(&mut self) -> Result<(), Error> {
        self.step("keep")
    }
    fn undo(&mut self) -> Result<(), Error> {
        self.step("undo")
    }
    fn commit(&mut self) -> Result<(), Error> {
        self.step("commit")
    }
    fn scrub(&mut self) -> Result<(), Error> {
        self.log.lock().unwrap().push("scrub".to_owned());
        Ok(())
    }
    fn rollback(&mut self) -> Result<(), Error> {
        self.step("rollback")
    }
    fn in_transaction(&self) -> bool {
        self.open && !*self.lost.lock().unwrap()
    }
    fn run(
        &mut self,
        _: &str,
        _: &[Value<'_>],
        _: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        Ok(())
    }
    fn tables(&mut self) -> Result<Vec<Table>, Error> {
        Ok(Vec::new())
    }
    fn has_column(&mut self, _: &str, _: &str) -> Result<bool, Error> {
        Ok(true)
    }
    fn batch(&mut self, _: &str) -> Result<(), Error> {
        Ok(())
    }
}

/// A closure without a caller.
struct Named {
    name: String,
    log: Log,
    ran: Ran,
    ends_transaction: Option<Arc<Mutex<bool>>>,
}

impl Job for Named {
    fn is_abandoned(&self) -> bool {
        false
    }

    fn run(&mut self, _: &mut dyn Conn) -> Ran {
        self.log.lock().unwrap().push(format!("run {}", self.name));
        if let Some(lost) = self.ends_transaction.take() {
            *lost.lock().unwrap() = true;
        }
        self.ran
    }

    fn answer(self: Box<Self>, fate: Result<(), Error>) {
        let fate = match fate {
            Ok(()) => "done".to_owned(),
            Err(error) => error.to_string(),
        };
        let line = format!("answer {}: {fate}", self.name);
        self.log.lock().unwrap().push(line);
    }
}

/// Hands the named closures in together and returns what happened, in order.
fn happened(mut recorder: Recorder, jobs: Vec<Named>) -> Vec<String> {
    let queue = Queue::new(1);
    let log = Arc::clone(&recorder.log);
    for job in jobs {
        queue.put(order(job));
    }
    queue.close();
    write(&mut recorder, &queue);
    let log = log.lock().unwrap();
    log.clone()
}

fn order(job: Named) -> Order {
    Order::Write(Write {
        claim: Claim::WHOLE,
        job: Box::new(job),
    })
}

fn job(recorder: &Recorder, name: &str, ran: Ran) -> Named {
    Named {
        name: name.to_owned(),
        log: Arc::clone(&recorder.log),
        ran,
        ends_transaction: None,
    }
}

#[test]
fn a_scrub_comes_after_what_was_handed_in_before_it() {
    let mut recorder = Recorder::default();
    let log = Arc::clone(&recorder.log);
    let queue = Queue::new(1);
    let call = |name| order(job(&recorder, name, Ran::Keep));
    let (reply, mut answer) = tokio::sync::oneshot::channel();
    for order in [call("a"), Order::Scrub(reply), call("b")] {
        queue.put(order);
    }
    queue.close();
    write(&mut recorder, &queue);
    assert_eq!(
        *log.lock().unwrap(),
        [
            "begin",
            "run a",
            "commit",
            "answer a: done",
            "scrub",
            "begin",
            "run b",
            "commit",
            "answer b: done"
        ]
    );
    assert!(matches!(answer.try_recv(), Ok(Ok(()))));
}

#[test]
fn answers_leave_after_the_shared_commit() {
    let recorder = Recorder::default();
    let jobs = vec![
        job(&recorder, "a", Ran::Keep),
        job(&recorder, "b", Ran::Undo),
        job(&recorder, "c", Ran::Keep),
    ];
    assert_eq!(
        happened(recorder, jobs),
        [
            "begin",
            "savepoint",
            "run a",
            "keep",
            "savepoint",
            "run b",
            "undo",
            "savepoint",
            "run c",
            "keep",
            "commit",
            "answer a: done",
            "answer b: done",
            "answer c: done",
        ]
    );
}

#[test]
fn a_single_closure_is_answered_after_its_commit() {
    let recorder = Recorder::default();
    let jobs = vec![job(&recorder, "a", Ran::Keep)];
    assert_eq!(
        happened(recorder, jobs),
        ["begin", "run a", "commit", "answer a: done"]
    );
}

#[test]
fn a_failed_commit_is_told_to_everyone_who_shared_it() {
    let full = Error::Full {
        source: Arc::new(std::io::Error::other("no room")),
    };
    let recorder = Recorder {
        fails: Some(("commit", full)),
        ..Recorder::default()
    };
    let jobs = vec![
        job(&recorder, "a", Ran::Keep),
        job(&recorder, "b", Ran::Keep),
    ];
    assert_eq!(
        happened(recorder, jobs)[7..],
        [
            "commit fails",
            "rollback",
            "answer a: the disk of the database is full",
            "answer b: the disk of the database is full",
        ]
    );
}

#[test]
fn a_refused_transaction_is_told_to_everyone_who_waited() {
    let recorder = Recorder {
        fails: Some(("begin", Error::Closed)),
        ..Recorder::default()
    };
    let jobs = vec![
        job(&recorder, "a", Ran::Keep),
        job(&recorder, "b", Ran::Keep),
    ];
    assert_eq!(
        happened(recorder, jobs),
        [
            "begin fails",
            "answer a: the database is closed",
            "answer b: the database is closed",
        ]
    );
}

#[test]
fn when_one_closure_costs_the_transaction_the_others_run_again_alone() {
    let recorder = Recorder::default();
    let mut culprit = job(&recorder, "b", Ran::Undo);
    culprit.ends_transaction = Some(Arc::clone(&recorder.lost));
    let jobs = vec![
        job(&recorder, "a", Ran::Keep),
        culprit,
        job(&recorder, "c", Ran::Keep),
    ];
    assert_eq!(
        happened(recorder, jobs),
        [
            "begin",
            "savepoint",
            "run a",
            "keep",
            "savepoint",
            "run b",
            "begin",
            "run a",
            "commit",
            "answer a: done",
            "begin",
            "run b",
            "rollback",
            "answer b: done",
            "begin",
            "run c",
            "commit",
            "answer c: done",
        ]
    );
}

#[test]
fn a_group_is_bounded() {
    let recorder = Recorder::default();
    let jobs = (0..=GROUP)
        .map(|number| job(&recorder, &number.to_string(), Ran::Keep))
        .collect();
    let log = happened(recorder, jobs);
    let commits: Vec<usize> = log
        .iter()
        .enumerate()
        .filter(|(_, step)| *step == "commit")
        .map(|(position, _)| position)
        .collect();
    assert_eq!(commits.len(), 2);
    let runs = |steps: &[String]| steps.iter().filter(|step| step.starts_with("run")).count();
    assert_eq!(runs(&log[..commits[0]]), GROUP);
    assert_eq!(runs(&log[commits[0]..]), 1);
}
