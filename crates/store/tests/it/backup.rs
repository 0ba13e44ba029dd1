//! Copies of a database in use, and databases that may only be read.

use std::path::Path;

use store::{Clock, Error, Migration, Options, Store, backup};

use crate::{NAMES, add, names};

const MORE: &[Migration] = &[Migration {
    name: "more-1",
    sql: "CREATE TABLE more (dealer TEXT PRIMARY KEY)",
}];

fn open(path: &Path, migrations: &[&'static [Migration]]) -> Result<Store, Error> {
    Store::open(Options::sqlite(path).migrations(migrations))
}

/// Files of a folder, by name.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("is a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("is readable").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_copy_taken_under_writes_holds_what_was_answered_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let copy = folder.path().join("copy with 100% odd #name?.sqlite");
    let store = open(&path, &[NAMES]).unwrap();
    store.write(|conn| add(conn, "Ada")).await.unwrap();
    let writer = store.clone();
    let mut writing = tokio::task::JoinSet::new();
    writing.spawn(async move {
        for number in 0..200 {
            let name = format!("{number:03}");
            writer.write(move |conn| add(conn, &name)).await.unwrap();
        }
    });
    let (from, to) = (path.clone(), copy.clone());
    let copied = tokio::task::spawn_blocking(move || backup::copy(&from, &to));
    assert_eq!(copied.await.unwrap().unwrap(), ["names-1", "names-2"]);
    while writing.join_next().await.is_some() {}
    assert_eq!(names(&store).await.len(), 201, "the original goes on");
    let copied = names(&open(&copy, &[NAMES]).unwrap()).await;
    let numbers = copied.len() - 1;
    let expected: Vec<String> = (0..numbers)
        .map(|number| format!("{number:03}"))
        .chain(["Ada".to_owned()])
        .collect();
    assert_eq!(copied, expected, "one state in the order of the writes");
}

#[tokio::test]
async fn a_copy_is_private_and_replaces_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    drop(open(&path, &[NAMES]).unwrap());
    let copy = folder.path().join("copy");
    backup::copy(&path, &copy).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = copy.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let before = std::fs::read(&copy).unwrap();
    let refused = backup::copy(&path, &copy).unwrap_err();
    assert!(matches!(refused, Error::Unavailable { .. }), "{refused:?}");
    assert_eq!(std::fs::read(&copy).unwrap(), before);
    let absent = folder.path().join("absent").join("copy");
    let refused = backup::copy(&path, &absent).unwrap_err().to_string();
    assert!(refused.contains("absent"), "{refused}");
}

#[test]
fn what_is_no_sound_database_is_neither_copied_nor_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text");
    std::fs::write(&text, "stock,vin\n".repeat(1000)).unwrap();
    let copy = folder.path().join("copy");
    let refused = backup::copy(&text, &copy).unwrap_err();
    assert!(matches!(refused, Error::Corrupt { .. }), "{refused:?}");
    assert!(!copy.exists(), "nothing is left behind");
    backup::copy(&folder.path().join("absent"), &copy).unwrap_err();
    assert!(!copy.exists(), "nothing is left behind");
}

#[tokio::test]
async fn damage_is_found_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let store = open(&path, &[NAMES]).unwrap();
    store
        .write(|conn| (0..2000).try_for_each(|it| add(conn, &format!("{it:050}")).map(|_| ())))
        .await
        .unwrap();
    let copy = folder.path().join("copy");
    backup::copy(&path, &copy).unwrap();
    let whole = std::fs::read(&copy).unwrap();
    assert!(backup::inspect(&copy).is_ok());
    let mut scribbled = whole.clone();
    let middle = whole.len() / 2 / 4096 * 4096;
    scribbled[middle..middle + 4096].fill(0x5a);
    for (what, damaged) in [
        ("cut off", &whole[..whole.len() / 2]),
        ("scribbled over", &scribbled),
        (
            "empty of its beginning",
            &[vec![0; 4096], whole[4096..].to_vec()].concat(),
        ),
    ] {
        std::fs::write(&copy, damaged).unwrap();
        let found = backup::inspect(&copy);
        assert!(
            matches!(found, Err(Error::Corrupt { .. })),
            "{what}: {found:?}"
        );
    }
}

#[tokio::test]
async fn a_database_is_copied_before_its_schema_changes_and_only_then() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let kept = backup::before_migration(&path);
    let store = open(&path, &[NAMES]).unwrap();
    store.write(|conn| add(conn, "Ada")).await.unwrap();
    drop(store);
    drop(open(&path, &[NAMES]).unwrap());
    assert_eq!(files(folder.path()), ["store.sqlite"], "nothing to migrate");
    // A copy that broke off, as after a power cut.
    let partial = folder.path().join("store.sqlite.before-migration.partial");
    std::fs::write(&partial, "half").unwrap();
    let store = open(&path, &[NAMES, MORE]).unwrap();
    store.write(|conn| add(conn, "Bob")).await.unwrap();
    drop(store);
    assert_eq!(
        files(folder.path()),
        ["store.sqlite", "store.sqlite.before-migration"]
    );
    assert_eq!(backup::inspect(&kept).unwrap(), ["names-1", "names-2"]);
    assert_eq!(names(&open(&kept, &[NAMES]).unwrap()).await, ["Ada"]);
}

#[test]
fn without_a_copy_the_schema_is_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    drop(open(&path, &[NAMES]).unwrap());
    // The copy cannot be put in its place.
    std::fs::create_dir_all(backup::before_migration(&path).join("in the way")).unwrap();
    open(&path, &[NAMES, MORE]).unwrap_err();
    assert_eq!(backup::inspect(&path).unwrap(), ["names-1", "names-2"]);
}

#[tokio::test]
async fn a_read_only_store_leaves_no_trace_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let store = open(&path, &[NAMES]).unwrap();
    store.write(|conn| add(conn, "Ada")).await.unwrap();
    drop(store);
    let read_only = |migrations| {
        Store::open(
            Options::sqlite(&path)
                .migrations(migrations)
                .clock(Clock::system())
                .read_only(),
        )
    };
    let store = read_only(&[NAMES]).unwrap();
    assert_eq!(names(&store).await, ["Ada"]);
    assert_eq!(files(folder.path()), ["store.sqlite"]);
    let refused = store.write(|conn| add(conn, "Bob")).await.unwrap_err();
    assert!(matches!(refused, Error::ReadOnly { .. }), "{refused:?}");
    let older = read_only(&[NAMES, MORE]).unwrap_err();
    assert!(older.to_string().contains("missing: more-1"), "{older}");
    let newer = read_only(&[&NAMES[..1]]).unwrap_err();
    assert!(matches!(newer, Error::NewerSchema { .. }), "{newer:?}");
}

#[tokio::test]
async fn a_read_only_store_sees_what_a_running_program_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let writer = open(&path, &[NAMES]).unwrap();
    let reader = Store::open(Options::sqlite(&path).migrations(&[NAMES]).read_only()).unwrap();
    writer.write(|conn| add(conn, "Ada")).await.unwrap();
    assert_eq!(names(&reader).await, ["Ada"]);
}
