//! Full disks, held locks, closures that overstep.

use std::{
    sync::{Arc, Barrier},
    time::Duration,
};

use store::{Conn, Error, Options, Store};

use crate::{
    NAMES, add,
    held::{Held, poll_once},
    names,
    place::Place,
    store,
};

on_both! {
    a_reading_closure_cannot_write,
    a_closure_that_ends_its_transaction_is_refused,
    a_panicking_reader_answers_and_reads_on,
    errors_do_not_repeat_what_was_bound,
    a_closure_that_goes_on_after_a_failure_is_refused,
}

fn add_large(conn: &mut dyn Conn, name: &str, bytes: usize) -> Result<u64, Error> {
    conn.execute(
        "INSERT INTO name (dealer, name, body) VALUES ('demo-motors', $1, $2)",
        &[name.into(), vec![7; bytes].as_slice().into()],
    )
}

#[tokio::test]
async fn a_full_database_refuses_and_works_again_once_there_is_room() {
    let store = store();
    store
        .write(|conn| conn.rows("PRAGMA max_page_count = 40", &[], &mut |_| Ok(())))
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    let small = store.write(|conn| add(conn, "Ada"));
    let large = store.write(|conn| add_large(conn, "Bob", 1 << 20));
    let another = store.write(|conn| add(conn, "Cid"));
    let (small, large, another) = tokio::join!(small, large, another);
    small.unwrap();
    assert!(matches!(large, Err(Error::Full { .. })));
    another.unwrap();
    assert_eq!(names(&store).await, ["Ada", "Cid"]);

    store
        .write(|conn| conn.rows("PRAGMA max_page_count = 4000", &[], &mut |_| Ok(())))
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    store
        .write(|conn| add_large(conn, "Bob", 1 << 20))
        .await
        .unwrap();
    assert_eq!(names(&store).await, ["Ada", "Bob", "Cid"]);
}

/// The operating system refuses to let files grow, so that the write-ahead log cannot take the
/// commit. The limit holds for a whole process: the test starts itself under a shell that sets it.
#[cfg(unix)]
#[tokio::test]
async fn a_commit_that_does_not_fit_on_the_disk_is_acknowledged_to_nobody() {
    const LIMITED: &str = "STORE_TEST_FILES_ARE_LIMITED";
    const NAME: &str = "failures::a_commit_that_does_not_fit_on_the_disk_is_acknowledged_to_nobody";
    if std::env::var_os(LIMITED).is_none() {
        let limited = std::process::Command::new("sh")
            .args([
                "-c",
                "trap '' XFSZ; ulimit -f 512; exec \"$0\" --exact \"$1\"",
            ])
            .arg(std::env::current_exe().unwrap())
            .arg(NAME)
            .env(LIMITED, "yes")
            .output()
            .unwrap();
        let report = String::from_utf8_lossy(&limited.stdout);
        assert!(
            limited.status.success() && report.contains("1 passed"),
            "{report}"
        );
        return;
    }
    let store = store();
    // Larger than the limit, smaller than the page cache: the first write to the disk is the
    // commit's.
    let held = Held::hold(&store).await;
    let mut large = Box::pin(store.write(|conn| add_large(conn, "Ada", 700_000)));
    let mut small = Box::pin(store.write(|conn| add(conn, "Bob")));
    poll_once(large.as_mut()).await;
    poll_once(small.as_mut()).await;
    held.release().await;
    for answer in [large.await, small.await] {
        assert!(matches!(
            answer,
            Err(Error::Full { .. } | Error::Unavailable { .. })
        ));
    }
    assert_eq!(names(&store).await, [""; 0]);
    store.write(|conn| add(conn, "Cid")).await.unwrap();
    assert_eq!(names(&store).await, ["Cid"]);
}

#[tokio::test]
async fn a_database_held_by_another_program_is_busy_and_then_free() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let options = Options::sqlite(&path).migrations(&[NAMES]);
    let importing = Store::open(options.clone()).unwrap();
    let serving = Store::open(options.patience(Duration::from_millis(20))).unwrap();

    let gate = Arc::new(Barrier::new(2));
    let import = importing.write({
        let gate = Arc::clone(&gate);
        move |conn| {
            gate.wait();
            gate.wait();
            add(conn, "Ada")
        }
    });
    let meanwhile = async {
        let wait = |gate: Arc<Barrier>| tokio::task::spawn_blocking(move || gate.wait());
        wait(Arc::clone(&gate)).await.unwrap();
        let lead = serving.write(|conn| add(conn, "Bob")).await;
        assert!(matches!(lead, Err(Error::Busy { .. })));
        assert_eq!(names(&serving).await, [""; 0], "reading goes on");
        wait(gate).await.unwrap();
    };
    let (imported, ()) = tokio::join!(import, meanwhile);
    imported.unwrap();
    serving.write(|conn| add(conn, "Bob")).await.unwrap();
    assert_eq!(names(&importing).await, ["Ada", "Bob"]);
}

async fn a_reading_closure_cannot_write(place: Place) {
    let store = place.store();
    let refused = store.read(|conn| add(conn, "Ada")).await;
    assert!(matches!(refused, Err(Error::ReadOnly { .. })));
    assert_eq!(names(&store).await, [""; 0]);
}

async fn a_closure_that_ends_its_transaction_is_refused(place: Place) {
    let store = place.store();
    let refused = store
        .write(|conn| {
            add(conn, "Ada")?;
            conn.execute("ROLLBACK", &[])
        })
        .await;
    assert!(matches!(refused, Err(Error::Statement { .. })));
    store.write(|conn| add(conn, "Bob")).await.unwrap();
    assert_eq!(names(&store).await, ["Bob"]);
}

async fn a_panicking_reader_answers_and_reads_on(place: Place) {
    let store = place.store();
    for _ in 0..10 {
        let panicked = store
            .read(|conn| {
                let tables = conn.first("SELECT COUNT(*) FROM name", &[], |row| row.int(0))?;
                assert_eq!(tables, None, "a defect of the closure");
                Ok::<_, Error>(())
            })
            .await;
        assert!(matches!(panicked, Err(Error::Panicked)));
    }
    assert_eq!(names(&store).await, [""; 0]);
}

async fn errors_do_not_repeat_what_was_bound(place: Place) {
    let store = place.store();
    let secret = "ada@example.com";
    let clash = store
        .write(move |conn| {
            add(conn, secret)?;
            add(conn, secret)
        })
        .await
        .unwrap_err();
    assert!(!format!("{clash:?} {clash}").contains(secret));
}

/// SQLite would have kept the second name, PostgreSQL refuses statements after one that failed.
async fn a_closure_that_goes_on_after_a_failure_is_refused(place: Place) {
    let store = place.store();
    let went_on = store
        .write(|conn| {
            conn.execute("INSERT INTO absent VALUES (1)", &[]).ok();
            add(conn, "Bob")
        })
        .await;
    let is_kept = names(&store).await == ["Bob"];
    assert_eq!(went_on.is_ok(), is_kept, "an answer is true: {went_on:?}");
    store.write(|conn| add(conn, "Cid")).await.unwrap();
    assert!(names(&store).await.contains(&"Cid".to_owned()));
}
