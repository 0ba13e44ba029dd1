//! What goes in through placeholders comes out of columns.

use store::{Error, Value};

use crate::store;

#[tokio::test]
async fn placeholders_are_taken_by_number() {
    let store = store();
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

#[tokio::test]
async fn nulls_are_told_from_values() {
    let store = store();
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

#[tokio::test]
async fn a_column_of_another_type_is_said_with_its_place() {
    let store = store();
    for (sql, said) in [
        ("SELECT 1, NULL", "column 1: is NULL, expected BIGINT"),
        ("SELECT 1, 'a'", "column 1: is TEXT, expected BIGINT"),
        ("SELECT 1, 1.5", "column 1: is REAL, expected BIGINT"),
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

#[tokio::test]
async fn too_few_arguments_are_refused() {
    let store = store();
    let refused = store
        .read(|conn| conn.first("SELECT $1, $2", &[Value::Int(1)], |row| row.int(0)))
        .await;
    assert!(matches!(refused, Err(Error::Statement { .. })));
}
