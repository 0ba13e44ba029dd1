//! What holds for every table.

use store::{Address, Error, Store};

/// What the engine of a store understands.
fn of_engine<T>(store: &Store, sqlite: T, postgres: T) -> T {
    match store.address() {
        Address::Sqlite(_) => sqlite,
        Address::Postgres(_) => postgres,
    }
}

/// Every table of this crate.
pub(crate) async fn tables(store: &Store) -> Vec<String> {
    let sql = of_engine(
        store,
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'migration'
         ORDER BY name",
        "SELECT table_name FROM information_schema.tables
         WHERE table_schema = current_schema() AND table_name <> 'migration' ORDER BY table_name",
    );
    store
        .read(move |conn| conn.all(sql, &[], |row| row.text(0).map(str::to_owned)))
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"))
}

/// How many rows the tables have together.
pub(crate) async fn rows(store: &Store, tables: &[&str]) -> usize {
    let mut rows = 0;
    for table in tables {
        rows += dump(store, table).await.lines().count();
    }
    rows
}

/// Every row of a table as one line of text.
pub(crate) async fn dump(store: &Store, table: &str) -> String {
    let columns = columns(store, table).await;
    let parts: Vec<String> = columns
        .iter()
        .map(|(name, _)| {
            let bytes = format!("COALESCE(CAST({name} AS BLOB), x'')");
            let shown = format!("convert_to(COALESCE(CAST({name} AS TEXT), ''), 'UTF8')");
            of_engine(store, bytes, shown)
        })
        .collect();
    // Statements are static by design; the few of this test may stay.
    let sql: &'static str = format!("SELECT {} FROM {table}", parts.join(", ")).leak();
    let lines = store
        .read(move |conn| {
            conn.all(sql, &[], |row| {
                let cells: Result<Vec<String>, Error> = (0..columns.len())
                    .map(
                        |column| Ok(String::from_utf8_lossy(row.bytes(column)?).replace('\n', " ")),
                    )
                    .collect();
                Ok(cells?.join(" | "))
            })
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"));
    lines.join("\n")
}

/// Column names with their place in the primary key, from 1; 0 for the others.
async fn columns(store: &Store, table: &str) -> Vec<(String, i64)> {
    let table = table.to_owned();
    let sql = of_engine(
        store,
        "SELECT name, pk FROM pragma_table_info($1)",
        "SELECT columns.column_name, COALESCE(used.ordinal_position, 0)
         FROM information_schema.columns
         LEFT JOIN information_schema.table_constraints named
           ON named.table_schema = columns.table_schema AND named.table_name = columns.table_name
             AND named.constraint_type = 'PRIMARY KEY'
         LEFT JOIN information_schema.key_column_usage used
           ON used.constraint_schema = named.constraint_schema
             AND used.constraint_name = named.constraint_name
             AND used.table_name = columns.table_name AND used.column_name = columns.column_name
         WHERE columns.table_schema = current_schema() AND columns.table_name = $1
         ORDER BY columns.ordinal_position",
    );
    store
        .read(move |conn| {
            conn.all(sql, &[(&table).into()], |row| {
                Ok((row.text(0)?.to_owned(), row.int(1)?))
            })
        })
        .await
        .unwrap_or_else(|error: Error| panic!("{error}"))
}

#[tokio::test]
async fn every_key_begins_with_the_dealer() {
    let desk = crate::Desk::open();
    let tables = tables(&desk.store).await;
    assert!(tables.contains(&"lead".to_owned()));
    for table in tables {
        let columns = columns(&desk.store, &table).await;
        let first = columns.iter().find(|(_, place)| *place == 1);
        assert_eq!(
            first.map(|(name, _)| name.as_str()),
            Some("dealer"),
            "{table}"
        );
    }
}
