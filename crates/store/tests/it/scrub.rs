//! What was deleted is gone from the files too.

use std::path::Path;

use store::{Error, Options, Store, backup};

use crate::{NAMES, add, names};

/// Whether the text stands in any file of a folder.
fn stands_in(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder)
        .expect("is a folder")
        .map(|entry| std::fs::read(entry.expect("is listed").path()).expect("is a file"))
        .any(|bytes| bytes.windows(text.len()).any(|at| at == text.as_bytes()))
}

/// A name that no other one begins with, long enough to fill pages of its own now and then.
fn name(number: u32) -> String {
    let tail = "x".repeat((number as usize * 97) % 6000);
    format!("person-{number:05}-{tail}")
}

fn person(number: u32) -> String {
    format!("person-{number:05}-")
}

async fn fill(store: &Store) {
    for tens in 0..40 {
        store
            .write(move |conn| {
                // In no order, so that rows are moved from page to page.
                (0..10).try_for_each(|one| {
                    let number = (tens * 10 + one) * 7919 % 400;
                    add(conn, &name(number)).map(|_| ())
                })
            })
            .await
            .unwrap_or_else(|error: Error| panic!("{error}"));
    }
}

#[tokio::test]
async fn nothing_that_was_deleted_stays_in_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    let store = Store::open(Options::sqlite(&path).migrations(&[NAMES])).unwrap();
    let beside = Store::open(Options::sqlite(&path).migrations(&[NAMES])).unwrap();
    fill(&store).await;
    std::fs::copy(&path, backup::before_migration(&path)).unwrap();
    assert_eq!(names(&beside).await.len(), 400);
    let gone: Vec<u32> = (0..400).filter(|number| number % 3 == 0).collect();
    for number in gone.clone() {
        store
            .write(move |conn| {
                conn.execute(
                    "DELETE FROM name WHERE name = $1",
                    &[(&name(number)).into()],
                )
            })
            .await
            .unwrap_or_else(|error: Error| panic!("{error}"));
    }
    assert!(
        gone.iter()
            .any(|number| stands_in(folder.path(), &person(*number))),
        "there is something to scrub"
    );
    store.scrub().await.unwrap();
    for number in gone {
        assert!(!stands_in(folder.path(), &person(number)), "{number}");
    }
    assert!(stands_in(folder.path(), &person(1)), "the others are there");
    assert_eq!(names(&store).await.len(), 266);
    assert_eq!(names(&beside).await.len(), 266);
    store.write(|conn| add(conn, "later")).await.unwrap();
    assert_eq!(names(&beside).await.len(), 267);
}

#[tokio::test]
async fn a_database_that_may_only_be_read_is_not_scrubbed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.sqlite");
    drop(Store::open(Options::sqlite(&path).migrations(&[NAMES])).unwrap());
    let store = Store::open(Options::sqlite(&path).migrations(&[NAMES]).read_only()).unwrap();
    let refused = store.scrub().await.unwrap_err();
    assert!(matches!(refused, Error::ReadOnly { .. }), "{refused:?}");
}
