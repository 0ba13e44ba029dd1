//! The tables of what the server does of its own accord.

use store::Migration;

/// The schema of feed sources and alarms, for [`store::Options::migrations`].
pub const MIGRATIONS: &[Migration] = &[Migration {
    name: "outside-1",
    sql: "
-- What is known of a feed that is fetched from an address. `url_digest` tells whether the address is
-- still the same; the address itself may hold a secret. `etag`, `last_modified` and
-- `file_digest` are those of the last file that was published.
CREATE TABLE feed_address (
    dealer TEXT NOT NULL,
    feed TEXT NOT NULL,
    url_digest TEXT NOT NULL,
    etag TEXT,
    last_modified TEXT,
    file_digest TEXT,
    asked_at BIGINT NOT NULL,
    PRIMARY KEY (dealer, feed)
);

-- A file of a drop folder that was dealt with and could not be moved away. It is not read again while
-- its size and its time of modification (nanoseconds since 1970) stay the same. `shelf` is done or
-- refused; `report` is the JSON document that goes with it.
CREATE TABLE feed_file_stuck (
    dealer TEXT NOT NULL,
    feed TEXT NOT NULL,
    file_name TEXT NOT NULL,
    size BIGINT NOT NULL,
    modified_at BIGINT NOT NULL,
    shelf TEXT NOT NULL,
    report TEXT NOT NULL,
    PRIMARY KEY (dealer, feed, file_name)
);

-- One row for each cause that ever needed a person. `dealer` is empty for the server's own. An
-- `episode` is the time from one raising to its clearing; `cleared_at` is null while it is open.
CREATE TABLE alarm (
    dealer TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    episode TEXT NOT NULL,
    message TEXT NOT NULL,
    raised_at BIGINT NOT NULL,
    cleared_at BIGINT,
    PRIMARY KEY (dealer, kind, subject)
);

-- The last thing that a channel was told of a cause: that the episode began, or that it ended too.
CREATE TABLE alarm_told (
    dealer TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    channel TEXT NOT NULL,
    episode TEXT NOT NULL,
    recovered BIGINT NOT NULL,
    PRIMARY KEY (dealer, kind, subject, channel)
);
",
}];
