//! What tables a SQLite database has.

use crate::{
    Conn, Error,
    transfer::{Column, Kind, Table},
};

/// The tables, by name (<https://sqlite.org/pragma.html#pragma_table_info>).
pub(super) fn tables(conn: &mut dyn Conn) -> Result<Vec<Table>, Error> {
    let names = conn.all(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
         ORDER BY name",
        &[],
        |row| row.text(0).map(str::to_owned),
    )?;
    names.into_iter().map(|name| table(conn, name)).collect()
}

fn table(conn: &mut dyn Conn, name: String) -> Result<Table, Error> {
    let described = conn.all(
        "SELECT name, type, pk FROM pragma_table_info($1) ORDER BY cid",
        &[(&name).into()],
        |row| {
            let column = row.text(0)?.to_owned();
            let kind = match row.text(1)? {
                "BIGINT" => Kind::Int,
                "TEXT" => Kind::Text,
                "BLOB" => Kind::Bytes,
                other => {
                    let reason =
                        format!("column {column} of {name} is of the unknown type {other}");
                    return Err(Error::Unsuitable { reason });
                }
            };
            Ok((Column { name: column, kind }, row.int(2)?))
        },
    )?;
    let mut key: Vec<(i64, usize)> = described
        .iter()
        .enumerate()
        .filter(|(_, (_, place))| *place > 0)
        .map(|(at, (_, place))| (*place, at))
        .collect();
    key.sort_unstable();
    let parents = conn.all(
        "SELECT DISTINCT \"table\" FROM pragma_foreign_key_list($1)",
        &[(&name).into()],
        |row| row.text(0).map(str::to_owned),
    )?;
    Ok(Table {
        name,
        columns: described.into_iter().map(|(column, _)| column).collect(),
        key: key.into_iter().map(|(_, at)| at).collect(),
        parents,
    })
}
