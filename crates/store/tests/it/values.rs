//! What goes in through placeholders comes out of columns.

use store::{Error, Value};

use crate::{add, names, place::Place};

on_both! {
    placeholders_are_taken_by_number,
    nulls_are_told_from_values,
    a_column_of_another_type_is_said_with_its_place,
    too_few_arguments_are_refused,
    whole_numbers_come_in_any_size_and_truths_as_0_or_1,
    text_is_in_the_order_of_its_bytes,
    a_text_with_a_nul_is_kept_and_found,
}

async fn placeholders_are_taken_by_number(place: Place) {
    let store = place.store();
    let row = store
        .read(|conn| {
            conn.first(
                "SELECT $2, $1, $3, $2, '$1'",
                &[Value::Int(-5), "é".into(), Value::Bytes(&[0, 255])],
                |row| {
                    let bytes = row.bytes(2)?.to_vec();
                    let twice = row.text(3)?.to_owned();
                    Ok((
                        row.text(0)?.to_owned(),
                        row.int(1)?,
                        bytes,
                        twice,
                        row.text(4)?.to_owned(),
                    ))
                },
            )
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    assert_eq!(
        row,
        Some((
            "é".to_owned(),
            -5,
            vec![0, 255],
            "é".to_owned(),
            "$1".to_owned()
        ))
    );
}

async fn nulls_are_told_from_values(place: Place) {
    let store = place.store();
    let row = store
        .read(|conn| {
            conn.first("SELECT $1, $1, 1, 'a'", &[Value::Null], |row| {
                assert_eq!(row.optional_int(2)?, Some(1));
                assert_eq!(row.optional_text(3)?, Some("a"));
                Ok((
                    row.optional_int(0)?,
                    row.optional_text(1)?.map(str::to_owned),
                ))
            })
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    assert_eq!(row, Some((None, None)));
}

async fn a_column_of_another_type_is_said_with_its_place(place: Place) {
    let store = place.store();
    for (sql, said) in [
        ("SELECT 1, NULL", "column 1: is NULL, expected BIGINT"),
        ("SELECT 1, 'a'", "column 1: is TEXT, expected BIGINT"),
        (
            "SELECT 1, 1.5",
            place.says(
                "column 1: is REAL, expected BIGINT",
                "column 1: is NUMERIC, expected BIGINT",
            ),
        ),
        ("SELECT 1", "column 1: the result has no such column"),
    ] {
        let error = store
            .read(move |conn| conn.first(sql, &[], |row| row.int(1)))
            .await
            .unwrap_err();
        let error: Error = error;
        assert_eq!(error.to_string(), said);
    }
}

async fn too_few_arguments_are_refused(place: Place) {
    let store = place.store();
    let refused = store
        .read(|conn| conn.first("SELECT $1, $2", &[Value::Int(1)], |row| row.int(0)))
        .await;
    assert!(matches!(refused, Err(Error::Statement { .. })));
}

async fn whole_numbers_come_in_any_size_and_truths_as_0_or_1(place: Place) {
    let store = place.store();
    let found = store
        .read(|conn| {
            let sql = "SELECT 1, CAST(2 AS BIGINT), COUNT(*), 1 = 1, 1 > 2 FROM name";
            conn.first(sql, &[], |row| {
                (0..5).map(|column| row.int(column)).collect()
            })
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    assert_eq!(found, Some(vec![1, 2, 0, 1, 0]));
}

/// Lists and pages have one order on every engine, whatever the database was created with.
async fn text_is_in_the_order_of_its_bytes(place: Place) {
    let store = place.store();
    let texts = ["Zoe", "ada", "Ada", "\u{e9}tude", "ada b", "adab", "_", ""];
    store
        .write(move |conn| {
            texts
                .iter()
                .try_for_each(|name| add(conn, name).map(|_| ()))
        })
        .await
        .unwrap();
    let mut expected = texts.to_vec();
    expected.sort_unstable();
    assert_eq!(names(&store).await, expected);
    let behind = store
        .read(|conn| {
            let sql = "SELECT COUNT(*) FROM name WHERE (dealer, name) > ($1, $2)";
            conn.first(sql, &["demo-motors".into(), "ada".into()], |row| row.int(0))
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    assert_eq!(behind, Some(3));
}

/// PostgreSQL cannot keep the character, so that it keeps the one that stands for what is unknown. A
/// lookup by the same text finds it.
async fn a_text_with_a_nul_is_kept_and_found(place: Place) {
    let store = place.store();
    store.write(|conn| add(conn, "A\0da")).await.unwrap();
    let found = store
        .read(|conn| {
            let sql = "SELECT name FROM name WHERE name = $1";
            conn.first(sql, &["A\0da".into()], |row| row.text(0).map(str::to_owned))
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    let kept = place.says("A\0da", "A\u{fffd}da");
    assert_eq!(found.as_deref(), Some(kept));
}
