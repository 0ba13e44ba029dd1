//! Opening, migrating and closing.

use std::{path::Path, thread};

use store::{Clock, Error, Migration, Options, Store};

use crate::{NAMES, add, names, place::Place};

fn open(path: &Path, migrations: &[&'static [Migration]]) -> Result<Store, Error> {
    Store::open(Options::sqlite(path).migrations(migrations))
}

on_both! {
    what_was_written_is_there_after_reopening,
    closures_that_were_handed_in_run_before_the_store_closes,
    two_stores_write_to_one_file,
    programs_that_start_at_once_migrate_once,
    only_missing_migrations_are_applied,
    a_database_of_a_newer_version_is_refused_by_name,
    what_the_next_generation_adds_is_nothing_to_this_one,
    a_record_without_generations_is_completed,
    a_migration_that_fails_leaves_nothing_and_is_named,
}

async fn what_was_written_is_there_after_reopening(place: Place) {
    let store = place.open(&[NAMES]).unwrap();
    store.write(|conn| add(conn, "Ada")).await.unwrap();
    drop(store);
    assert_eq!(names(&place.open(&[NAMES]).unwrap()).await, ["Ada"]);
}

async fn closures_that_were_handed_in_run_before_the_store_closes(place: Place) {
    let store = place.open(&[NAMES]).unwrap();
    for name in ["Ada", "Bob", "Cid"] {
        let waiting = store.write(move |conn| {
            thread::sleep(std::time::Duration::from_millis(20));
            add(conn, name)
        });
        let answer = tokio::time::timeout(std::time::Duration::ZERO, waiting).await;
        assert!(answer.is_err(), "the caller stops waiting");
    }
    drop(store);
    assert_eq!(
        names(&place.open(&[NAMES]).unwrap()).await,
        ["Ada", "Bob", "Cid"]
    );
}

async fn two_stores_write_to_one_file(place: Place) {
    let server = place.open(&[NAMES]).unwrap();
    let tool = place.open(&[NAMES]).unwrap();
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..100 {
        let store = if number % 2 == 0 { &server } else { &tool }.clone();
        writers.spawn(async move {
            store
                .write(move |conn| add(conn, &format!("{number:03}")))
                .await
        });
    }
    while let Some(written) = writers.join_next().await {
        written.unwrap().unwrap();
    }
    assert_eq!(names(&server).await.len(), 100);
    assert_eq!(names(&tool).await.len(), 100);
}

async fn programs_that_start_at_once_migrate_once(place: Place) {
    let opened: Vec<_> = thread::scope(|scope| {
        let starts: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| place.open(&[NAMES])))
            .collect();
        starts
            .into_iter()
            .map(|start| start.join().unwrap())
            .collect()
    });
    for store in opened {
        store.unwrap().write(|conn| add(conn, "Ada")).await.ok();
    }
    assert_eq!(names(&place.open(&[NAMES]).unwrap()).await, ["Ada"]);
}

async fn only_missing_migrations_are_applied(place: Place) {
    const MORE: &[Migration] = &[Migration {
        name: "more-1",
        sql: "CREATE TABLE more (dealer TEXT PRIMARY KEY); INSERT INTO more VALUES ('demo-motors');",
    }];
    let clock = Clock::manual("2026-05-01T12:00:00Z".parse().unwrap());
    let options = |lists| place.options().clock(clock.clone()).migrations(lists);
    drop(Store::open(options(&[NAMES])).unwrap());
    clock.advance(jiff::SignedDuration::from_hours(1));
    drop(Store::open(options(&[NAMES, MORE])).unwrap());
    clock.advance(jiff::SignedDuration::from_hours(1));
    let store = Store::open(options(&[NAMES, MORE])).unwrap();
    let applied = store
        .read(|conn| {
            conn.all(
                "SELECT name, applied_at FROM migration ORDER BY name",
                &[],
                |row| Ok((row.text(0)?.to_owned(), row.time(1)?.to_string())),
            )
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    let line = |name: &str, at: &str| (name.to_owned(), at.to_owned());
    assert_eq!(
        applied,
        [
            line("more-1", "2026-05-01T13:00:00Z"),
            line("names-1", "2026-05-01T12:00:00Z"),
            line("names-2", "2026-05-01T12:00:00Z"),
        ]
    );
}

async fn a_database_of_a_newer_version_is_refused_by_name(place: Place) {
    drop(place.open(&[NAMES]).unwrap());
    let refused = place.open(&[&NAMES[..1]]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the database was written by a newer version of this program (unknown: names-2); \
         install that version, or restore a backup"
    );
}

async fn what_the_next_generation_adds_is_nothing_to_this_one(place: Place) {
    let of = |generation| place.options().generation(generation);
    let old: &[&'static [Migration]] = &[&NAMES[..1]];
    drop(Store::open(of(1).migrations(old)).unwrap());
    drop(Store::open(of(2).migrations(&[NAMES])).unwrap());
    let store = Store::open(of(1).migrations(old)).unwrap();
    store.write(|conn| add(conn, "Ada")).await.unwrap();
    drop(store);
    let reader = Store::open(of(1).migrations(old).read_only()).unwrap();
    assert_eq!(names(&reader).await, ["Ada"]);
    for generation in [0, 2] {
        let refused = Store::open(of(generation).migrations(old)).unwrap_err();
        assert!(matches!(refused, Error::NewerSchema { .. }), "{refused:?}");
    }
}

async fn a_record_without_generations_is_completed(place: Place) {
    let store = place.store();
    let drop_column = "ALTER TABLE migration DROP COLUMN generation";
    let dropped: Result<u64, Error> = store
        .write(move |conn| conn.execute(drop_column, &[]))
        .await;
    dropped.unwrap();
    drop(store);
    let reader = Store::open(place.options().migrations(&[NAMES]).read_only()).unwrap();
    assert!(names(&reader).await.is_empty());
    drop(reader);
    drop(Store::open(place.options().migrations(&[NAMES]).generation(2)).unwrap());
    // What was there counts as that of the first one.
    let refused = Store::open(place.options().migrations(&[&NAMES[..1]])).unwrap_err();
    assert!(matches!(refused, Error::NewerSchema { .. }), "{refused:?}");
}

async fn a_migration_that_fails_leaves_nothing_and_is_named(place: Place) {
    const BROKEN: &[Migration] = &[Migration {
        name: "broken-1",
        sql: "CREATE TABLE half (dealer TEXT PRIMARY KEY); CREATE TABLE half (dealer TEXT);",
    }];
    const MENDED: &[Migration] = &[Migration {
        name: "broken-1",
        sql: "CREATE TABLE half (dealer TEXT PRIMARY KEY)",
    }];
    let failed = place.open(&[NAMES, BROKEN]).unwrap_err();
    assert_eq!(
        failed.to_string(),
        "migration broken-1 could not be applied"
    );
    let store = place.open(&[NAMES, MENDED]).unwrap();
    store.write(|conn| add(conn, "Ada")).await.unwrap();
}

#[test]
fn two_migrations_of_one_name_are_refused() {
    let refused = Store::temporary(&[NAMES, NAMES], Clock::system()).unwrap_err();
    assert!(matches!(
        refused,
        Error::Migration {
            name: "names-1",
            ..
        }
    ));
}

#[test]
fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let text = "stock,vin\n".repeat(1000);
    std::fs::write(&path, &text).unwrap();
    assert!(matches!(open(&path, &[NAMES]), Err(Error::Corrupt { .. })));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("absent").join("store.sqlite");
    let refused = open(&path, &[NAMES]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("the database {} cannot be reached", path.display())
    );
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let store = open(&path, &[NAMES]).unwrap();
    store.write(|conn| add(conn, "Ada")).await.unwrap();
    let mut files: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            (entry.file_name().into_string().unwrap(), mode)
        })
        .collect();
    files.sort();
    assert_eq!(
        files,
        [
            ("store.sqlite".to_owned(), 0o600),
            ("store.sqlite-shm".to_owned(), 0o600),
            ("store.sqlite-wal".to_owned(), 0o600),
        ]
    );
}

#[tokio::test]
async fn every_commit_waits_for_the_disk() {
    let store = Store::temporary(&[NAMES], Clock::system()).unwrap();
    let settings = store
        .write(|conn| {
            let journal = conn.first("PRAGMA journal_mode", &[], |row| {
                row.text(0).map(str::to_owned)
            })?;
            let synchronous = conn.first("PRAGMA synchronous", &[], |row| row.int(0))?;
            Ok::<_, Error>((journal, synchronous))
        })
        .await
        .unwrap();
    assert_eq!(settings, (Some("wal".to_owned()), Some(2)));
}

/// What a group undoes passes through the engine's temporary files, and those lie outside the data
/// folder.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_is_written_outside_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder.path().join("store.sqlite"), &[NAMES]).unwrap();
    let outside = store
        .write(|conn| {
            // More pages change after the savepoint than the engine keeps in memory by itself.
            for number in 0..4000 {
                add(conn, &format!("{number:0100}"))?;
            }
            conn.execute("SAVEPOINT within", &[])?;
            conn.execute("UPDATE name SET name = name || '!'", &[])?;
            let files = std::fs::read_dir("/proc/self/fd").unwrap();
            let outside = files
                .filter_map(|file| std::fs::read_link(file.unwrap().path()).ok())
                .filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned()))
                .filter(|name| name.starts_with('#') || name.starts_with("etilqs_"))
                .count();
            conn.execute("RELEASE within", &[])?;
            Ok::<_, Error>(outside)
        })
        .await
        .unwrap();
    assert_eq!(outside, 0);
}
