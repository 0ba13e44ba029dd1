//! What tables a PostgreSQL database has.

use crate::{
    Conn, Error,
    transfer::{Column, Kind, Table},
};

/// The tables of the schema in use, by name.
pub(super) fn tables(conn: &mut dyn Conn) -> Result<Vec<Table>, Error> {
    let names = conn.all(
        "SELECT table_name FROM information_schema.tables
         WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY 1",
        &[],
        |row| row.text(0).map(str::to_owned),
    )?;
    names.into_iter().map(|name| table(conn, name)).collect()
}

fn table(conn: &mut dyn Conn, name: String) -> Result<Table, Error> {
    let columns = conn.all(
        "SELECT column_name, data_type FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position",
        &[(&name).into()],
        |row| {
            let column = row.text(0)?.to_owned();
            let kind = match row.text(1)? {
                "bigint" => Kind::Int,
                "text" => Kind::Text,
                "bytea" => Kind::Bytes,
                other => {
                    let reason =
                        format!("column {column} of {name} is of the unknown type {other}");
                    return Err(Error::Unsuitable { reason });
                }
            };
            Ok(Column { name: column, kind })
        },
    )?;
    let key = conn.all(
        "SELECT used.column_name FROM information_schema.table_constraints named
         JOIN information_schema.key_column_usage used
           ON used.constraint_schema = named.constraint_schema
             AND used.constraint_name = named.constraint_name AND used.table_name = named.table_name
         WHERE named.table_schema = current_schema() AND named.table_name = $1
           AND named.constraint_type = 'PRIMARY KEY'
         ORDER BY used.ordinal_position",
        &[(&name).into()],
        |row| row.text(0).map(str::to_owned),
    )?;
    let place = |key: &String| columns.iter().position(|column| column.name == *key);
    let key = key.iter().filter_map(place).collect();
    let parents = conn.all(
        "SELECT DISTINCT parent.relname FROM pg_constraint
         JOIN pg_class child ON child.oid = pg_constraint.conrelid
         JOIN pg_class parent ON parent.oid = pg_constraint.confrelid
         JOIN pg_namespace place ON place.oid = child.relnamespace
         WHERE pg_constraint.contype = 'f' AND place.nspname = current_schema()
           AND child.relname = $1",
        &[(&name).into()],
        |row| row.text(0).map(str::to_owned),
    )?;
    Ok(Table {
        name,
        columns,
        key,
        parents,
    })
}
