//! The tables of catalogs.

use store::Migration;

/// The schema of catalogs, for [`store::Options::migrations`]. It builds on that of
/// [`inventory::stock`], where the runs are.
pub const MIGRATIONS: &[Migration] = &[Migration {
    name: "catalogs-1",
    sql: "
-- The last good file of each catalog, whose name is `dealer`; `run_id` brought it. `since` is the arrival
-- of the catalog's first good file. `first_seen` lists, as CSV of key and milliseconds, the items that came
-- later and are there still. Both texts are deflated.
CREATE TABLE catalog_file (
    dealer TEXT NOT NULL,
    run_id TEXT NOT NULL,
    file_name TEXT,
    since BIGINT NOT NULL,
    content BYTES NOT NULL,
    first_seen BYTES NOT NULL,
    PRIMARY KEY (dealer)
);

-- What a good file changed: deflated CSV with a header, one line for each item that came, went or
-- changed its price.
CREATE TABLE catalog_change (
    dealer TEXT NOT NULL,
    happened_at BIGINT NOT NULL,
    run_id TEXT NOT NULL,
    changes BYTES NOT NULL,
    PRIMARY KEY (dealer, happened_at, run_id)
);
",
}];
