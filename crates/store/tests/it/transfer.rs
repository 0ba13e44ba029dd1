//! All rows from one engine to another.

use store::{
    Error, Migration, Store, backup,
    transfer::{TransferError, transfer},
};

use crate::{NAMES, add, names, place::Place};

fn places() -> Option<[Place; 3]> {
    Some([Place::sqlite(), Place::postgres()?, Place::sqlite()])
}

/// Names in several pages, with what is hard to carry: no value, bytes, odd letters, and a row that
/// refers to another.
async fn fill(store: &Store) {
    store
        .write(|conn| {
            for number in 0..1203 {
                add(conn, &format!("{number:04}"))?;
            }
            for name in ["Zoé", "'; DROP TABLE name", "\u{1F697}", ""] {
                conn.execute(
                    "INSERT INTO name (dealer, name, body) VALUES ('north', $1, $2)",
                    &[name.into(), [0_u8, 255, 39].as_slice().into()],
                )?;
            }
            conn.execute(
                "INSERT INTO nickname (dealer, nickname, name) VALUES ('north', 'Z', 'Zoé')",
                &[],
            )
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
}

#[tokio::test]
async fn everything_arrives_and_comes_back_the_same() {
    let Some([here, there, back]) = places() else {
        return;
    };
    let store = here.store();
    fill(&store).await;
    let before = names(&store).await;
    drop(store);
    let options = |place: &Place| place.options().migrations(&[NAMES]);
    let mut seen = Vec::new();
    let moved = transfer(&options(&here), &options(&there), &mut |progress| {
        seen.push((progress.done, progress.all));
    })
    .unwrap();
    let counts: Vec<_> = moved
        .iter()
        .map(|it| (it.table.as_str(), it.rows))
        .collect();
    assert_eq!(counts, [("name", 1207), ("nickname", 1)]);
    assert!(seen.is_sorted() && seen.len() > 4);
    assert_eq!(seen.last(), Some(&(2416, 2416)));
    assert_eq!(names(&there.store()).await, before);

    let returned = transfer(&options(&there), &options(&back), &mut |_| {}).unwrap();
    assert_eq!(returned, moved);
    assert_eq!(names(&back.store()).await, before);
}

#[tokio::test]
async fn a_target_with_rows_is_refused_and_left_alone() {
    let Some([here, there, _]) = places() else {
        return;
    };
    fill(&here.store()).await;
    there.store().write(|conn| add(conn, "Ada")).await.unwrap();
    let options = |place: &Place| place.options().migrations(&[NAMES]);
    for (from, to, left) in [(&here, &there, "Ada"), (&there, &here, "0000")] {
        let refused = transfer(&options(from), &options(to), &mut |_| {}).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the target has rows in name already; name an empty database"
        );
        assert!(names(&to.store()).await.contains(&left.to_owned()));
    }
    assert_eq!(names(&there.store()).await, ["Ada"]);
}

#[tokio::test]
async fn a_source_of_another_version_is_refused_by_name() {
    const MORE: &[Migration] = &[Migration {
        name: "more-1",
        sql: "CREATE TABLE more (dealer TEXT PRIMARY KEY)",
    }];
    let Some([here, there, _]) = places() else {
        return;
    };
    drop(here.store());
    let options = |place: &Place| place.options().migrations(&[NAMES, MORE]);
    let refused = transfer(&options(&here), &options(&there), &mut |_| {}).unwrap_err();
    assert!(matches!(
        refused,
        TransferError::Source(Error::OlderSchema { .. })
    ));
}

/// What a rule of the target refuses leaves nothing behind.
#[tokio::test]
async fn a_target_that_refuses_a_row_has_none() {
    let Some([here, there, _]) = places() else {
        return;
    };
    fill(&here.store()).await;
    let strict = there.store();
    strict
        .write(|conn| conn.execute("ALTER TABLE nickname ADD CHECK (nickname <> 'Z')", &[]))
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    let options = |place: &Place| place.options().migrations(&[NAMES]);
    let refused = transfer(&options(&here), &options(&there), &mut |_| {}).unwrap_err();
    assert!(matches!(
        refused,
        TransferError::Target(Error::Constraint { .. })
    ));
    assert_eq!(names(&strict).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_of_a_server_in_use_is_one_state_in_a_file() {
    let Some([files, there, _]) = places() else {
        return;
    };
    let store = there.store();
    fill(&store).await;
    let mut writing = tokio::task::JoinSet::new();
    let writer = store.clone();
    writing.spawn(async move {
        for number in 0..300 {
            let name = format!("late {number:03}");
            writer.write(move |conn| add(conn, &name)).await.unwrap();
        }
    });
    let Place::Sqlite(folder) = &files else {
        panic!("it is a folder");
    };
    let copy = folder.path().join("copy.sqlite");
    let options = there.options().migrations(&[NAMES]);
    let copied = backup::copy_of(&options, &copy).unwrap();
    assert_eq!(copied, ["names-1", "names-2"]);
    while writing.join_next().await.is_some() {}
    assert_eq!(names(&store).await.len(), 1507);
    let entries = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(entries, 1, "one file");
    let late = backup::read(&copy, |conn| {
        conn.all(
            "SELECT name FROM name WHERE name LIKE 'late%' ORDER BY name",
            &[],
            |row| row.text(0).map(str::to_owned),
        )
    })
    .unwrap_or_else(|error: Error| panic!("{error}"));
    let expected: Vec<_> = (0..late.len()).map(|it| format!("late {it:03}")).collect();
    assert_eq!(late, expected, "in the order of the writes");
    let again = backup::copy_of(&options, &copy).unwrap_err();
    assert!(matches!(again, Error::Unavailable { .. }), "{again:?}");
}
